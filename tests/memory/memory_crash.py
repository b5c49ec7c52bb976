"""Asks a desk to remember or forget something and kills its own process at one step. Run as a program.

python memory_crash.py HOME THREAD remember|forget PLACE before|after
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from scripted import ScriptedModel, call

from signoff import Caller, Desk

LINES = {
    "remember": (call("remember", text="I prefer email"), "remember that I prefer email"),
    "forget": (call("forget_memory", what="email"), "forget that I prefer email"),
}


def main(home: str, thread: str, what: str, place: str, when: str) -> None:
    """Ask, with a SIGKILL built into one function."""
    said, question = LINES[what]
    desk = Desk.open(home, model=ScriptedModel(lines=[said, "It is done."]))
    services = desk.services
    owner: Any = {
        "claim": services.gateway.ledger,
        "_outside": services.effects,
        "invoke": services.gateway,
        "remember": services.memory,
        "forget": services.memory,
        "finish": services.gateway.ledger,
        "record": services.gateway,
    }[place]
    real = getattr(owner, place)

    def dying(*args: Any, **kwargs: Any) -> Any:
        if when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        real(*args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)

    object.__setattr__(owner, place, dying)
    desk.ask(question, caller=Caller("acme", "u-17"), thread=thread)


if __name__ == "__main__":
    main(*sys.argv[1:6])
