"""Remembers and recalls in a process of its own. Run as a program, on one file with others.

python memory_run.py FILE remember NAME COUNT     remember COUNT facts, after a line on stdin
python memory_run.py FILE prefer WAY,WAY COUNT    remember one way of contact after the other
python memory_run.py FILE setup MIGRATION         die in the middle of making the file
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from memories import ME, NOW, Called

from signoff.clock import Clock
from signoff.memory import Memory
from signoff.memory.store import MemoryStore


def main(file: str, what: str, name: str, count: str = "1") -> None:
    """Do one of the three."""
    if what == "setup":
        cut_off(Path(file), int(name))
    print("ready", flush=True)
    sys.stdin.readline()
    memory = Memory(Path(file), Clock(fixed=NOW), busy_timeout_s=30)
    ways = name.split(",")
    for n in range(int(count)):
        text = f"shelf {name} row {n} is full" if what == "remember" else f"I prefer {ways[n % len(ways)]}"
        memory.remember(ME, text, source=[text], call=Called(f"th-{name}", f"call-{n}"))
        memory.recall(ME)
    memory.close()


def cut_off(path: Path, at: int) -> None:
    """Kill this process between the statements of the store's set-up."""

    class Dying(list[str]):
        def __iter__(self):  # type: ignore[no-untyped-def]
            for n, statement in enumerate(super().__iter__()):
                if n == at:
                    os.kill(os.getpid(), signal.SIGKILL)
                yield statement

    MemoryStore.MIGRATIONS = Dying(MemoryStore.MIGRATIONS)
    MemoryStore(path)
    raise sqlite3.ProgrammingError("still alive")


if __name__ == "__main__":
    main(*sys.argv[1:])
