"""`demo`: the product's story, played on a real home."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from signoff.cli.run import Run, command


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app)(demo)


def demo(
    run: Run,
    fast: Annotated[bool, typer.Option("--fast", help="Without pauses.")] = False,
    lang: Annotated[Literal["en", "zh"], typer.Option("--lang", help="The story's language.")] = "en",
) -> int:
    """Play the story: answer, look up, propose, stop, sign off, carry out once, look back, replay.

    On the home of the settings, which is made when it is not there. In a terminal you are the one who decides.
    """
    from signoff.cli.stage import stage
    from signoff.cli.story import Story

    with stage(run, lang) as (desk, order):
        return Story(run, desk, order, lang, fast=fast).play()
