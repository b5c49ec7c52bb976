"""Goes on with a thread from several threads of one process at once. Run as a program.

python contention_run.py HOME THREAD THREADS
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from scripted import ScriptedModel, stamp_tool

from signoff import Desk


def main(home: str, thread: str, threads: str) -> None:
    """Print the status that each resume ended with."""
    stamp = stamp_tool(Path(home).parent / "stamps")
    with Desk.open(home, model=ScriptedModel(lines=["Stamped."]), tools=[stamp]) as desk:
        print("ready", flush=True)
        sys.stdin.readline()
        with ThreadPoolExecutor(int(threads)) as pool:
            for turn in pool.map(lambda _: desk.resume(thread), range(int(threads))):
                print(turn.status.value, turn.steps[-1].outcome, turn.answer, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:4])
