"""Goes on with a thread and kills its own process at one step of the pipeline. Run as a program.

python crash_run.py HOME THREAD PLACE before|after
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from scripted import ScriptedModel
from sqlalchemy import event

from signoff import Desk


def main(home: str, thread: str, place: str, when: str) -> None:
    """Resume the thread with a SIGKILL built into one function."""
    desk = Desk.open(home, model=ScriptedModel(lines=["Order A1003 was refunded."]))
    services = desk.services
    owner: Any = {
        "prepare": services.gateway,
        "parsed": services.gateway.admission,
        "mask": services.gateway.masks,
        "invoke": services.gateway,
        "record": services.gateway,
        "settle": services.effects,
        "_approved": services.effects,
        "_local": services.effects,
        "_claim": services.effects,
        "consume": services.gateway.inbox,
        "of_call": services.gateway.inbox,
        "claim": services.gateway.ledger,
        "finish": services.gateway.ledger,
        "put": desk.graph.checkpointer,
        "put_writes": desk.graph.checkpointer,
        "call": services.model,
        "refund": services.gateway._services["records"],
        "commit": services.database,
    }[place]
    if place == "commit":
        # SQLAlchemy tells of a commit just before it is sent; killing in the next transaction is "after".
        armed = "begin" if when == "after" else "commit"
        seen: list[str] = []

        def committing(connection: Any) -> None:
            if any(sql.startswith("INSERT INTO effects") for sql in seen):
                die()

        event.listen(services.database.engine, "before_cursor_execute", lambda c, cur, sql, *_: seen.append(sql))
        event.listen(services.database.engine, armed, committing)
    else:
        real = getattr(owner, place)

        def dying(*args: Any, **kwargs: Any) -> Any:
            if when == "before":
                die()
            real(*args, **kwargs)
            die()

        object.__setattr__(owner, place, dying)
    desk.resume(thread)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:5])
