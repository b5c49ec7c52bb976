"""`init`: make the embedded home."""

from __future__ import annotations

from typing import Annotated

import typer

from signoff.cli.run import Run, command


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app)(init)


def init(
    run: Run,
    empty: Annotated[bool, typer.Option("--empty", help="Without sample records and policies.")] = False,
) -> None:
    """Make the home: one folder with all of a desk's data. One that is there is left as it is."""
    from signoff.graph.home import SAMPLE_CLOCK
    from signoff.graph.home import init as make

    made = make(run.settings, sample=not empty)
    home = made.home
    run.output.event("home", {"path": str(home), "created": made.created, "sample": made.sample})
    if not made.created:
        run.output.say(f"{home} is there already and was left as it is.")
    elif not made.sample:
        run.output.say(f"Made {home}, without data.")
        run.output.note(f"Add documents: {run.command('knowledge', 'add', 'PATH')}")
    else:
        run.output.say(f"Made {home} with sample data for the tenants acme and globex.")
        run.output.note(f"Its business time stands at {SAMPLE_CLOCK}, so that its dates mean the same every day.")
        run.output.note(f"Ask something: {run.command('ask', 'What is the status of order A1001?')}")
