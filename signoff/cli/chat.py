"""`chat`: one thread, message after message."""

from __future__ import annotations

from typing import Annotated

import typer

from signoff.cli.ask import Mode
from signoff.cli.run import Run, command


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app)(chat)


def chat(
    run: Run,
    thread: Annotated[str | None, typer.Option("--thread", metavar="ID", help="Go on with it.")] = None,
    mode: Mode = None,
) -> int:
    """Talk on one thread: /help shows the commands, /quit or the end of the input ends it.

    Through a pipe every line is a message, nothing is asked or approved, and the exit code is that of the
    last turn.
    """
    with run.desk(thread=thread, workspace_mode=mode) as desk:
        from signoff.cli.conversation import Conversation
        from signoff.cli.ids import thread_id

        caller = run.caller(desk.services.database)
        return Conversation(run, desk, caller, thread_id(desk, thread, caller) if thread else None).talk()
