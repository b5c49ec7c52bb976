"""`doctor`: whether a desk can work here, and if not, what to do."""

from __future__ import annotations

import typer

from signoff.cli.run import Run, command


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app)(doctor)


def doctor(run: Run) -> int:
    """Check settings, home, databases, the model's endpoint and tracing.

    The endpoint is really asked, with one tiny call. Nothing is changed. The exit code is 0 when all that is
    needed works, else 1.
    """
    from signoff.cli.checkup import checkup

    marks = {"ok": ("ok  ", "green"), "note": ("note", "yellow"), "fail": ("FAIL", "bold red")}
    failed = 0
    for found in checkup(run.home):
        failed += found.level == "fail"
        run.output.event("check", {"name": found.name, "level": found.level, "message": found.message})
        mark, style = marks[found.level]
        run.output.say(f"{mark}  {found.name:<9} {found.message}", style if found.level != "ok" else "")
    if failed:
        run.output.note(f"{failed} of the checks failed.", "red")
    return 1 if failed else 0
