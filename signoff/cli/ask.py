"""`ask` and `resume`: one turn, from the question to its answer or to the signature it waits for."""

from __future__ import annotations

from typing import Annotated

import typer

from signoff.cli.run import Run, clean, command, piped_text
from signoff.errors import UsageError

Mode = Annotated[
    str | None,
    typer.Option("--mode", metavar="readonly|write", help="Whether a desk with a workspace may write into it."),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app)(ask)
    command(app)(resume)


def ask(
    run: Run,
    question: Annotated[list[str], typer.Argument(metavar="QUESTION", help="What you want; - reads it from stdin.")],
    thread: Annotated[str | None, typer.Option("--thread", metavar="ID", help="Go on with a conversation.")] = None,
    mode: Mode = None,
    max_steps: Annotated[
        int | None, typer.Option("--max-steps", min=1, help="Tool calls, after which the turn ends as it stands.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Approve what you may approve yourself; only where SIGNOFF_ALLOW_YES is set.")
    ] = False,
) -> int:
    """Ask something, or have something done.

    What changes anything waits for a signature: in a terminal you are asked, elsewhere the approval's id and
    the command are printed and the exit code is 10.
    """
    text = clean(piped_text() if question == ["-"] else " ".join(question))
    if yes and not run.settings.allow_yes:
        raise UsageError("--yes is off: it signs without a look, so SIGNOFF_ALLOW_YES=true must allow it first.")
    with run.desk(thread=thread, workspace_mode=mode, max_tool_calls=max_steps) as desk:
        from signoff.cli.asking import ask_once
        from signoff.cli.ids import thread_id

        caller = run.caller(desk.services.database)
        return ask_once(run, desk, text, caller, thread_id(desk, thread, caller) if thread else None, yes=yes)


def resume(
    run: Run, thread: Annotated[str, typer.Argument(metavar="THREAD", help="The thread's id, or how it begins.")]
) -> int:
    """Go on with a thread after a decision, or after it was interrupted."""
    with run.desk(thread=thread) as desk:
        from signoff.cli.asking import go_on
        from signoff.cli.ids import resumable

        caller = run.caller(desk.services.database)
        return go_on(run, desk, resumable(desk, thread, caller), caller)
