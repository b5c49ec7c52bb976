"""Groups of commands, and their root: how every command ends, whatever happens in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from signoff.cli.exits import ERROR, INTERRUPTED, USAGE
from signoff.cli.run import Run, run_of
from signoff.errors import SignoffError


class Noun(TyperGroup):
    """A group of commands. It takes the shared options before its command too.

    They are read here by hand: Typer reads a group's own options through pydantic, which costs `--help` half of
    its time.
    """

    def get_help_option(self, ctx: Any) -> Any:
        """The option, switched off by False: Typer asks pydantic what a missing value means."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.default = False
        return option

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the shared options off the front, then go on as usual."""
        rest = list(args)
        while rest and rest[0].partition("=")[0] in ("--as", "--home", "--json", "--desk", "--workspace"):
            name, equals, value = rest.pop(0).partition("=")
            if name == "--json":
                run_of(ctx, None, None, True)
                continue
            if not equals and not rest:
                raise typer.BadParameter(f"{name} needs a value.")
            value = value if equals else rest.pop(0)
            path = Path(value) if name in ("--home", "--workspace") else None
            run_of(
                ctx,
                value if name == "--as" else None,
                path if name == "--home" else None,
                False,
                value if name == "--desk" else None,
                path if name == "--workspace" else None,
            )
        return super().parse_args(ctx, rest)


class Root(Noun):
    """Turns errors into one line and an exit code. A traceback is for whoever sets `SIGNOFF_DEBUG`."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command. Errors of ours, interrupts and faults end it with `typer.Exit`."""
        try:
            return super().invoke(ctx)
        except SignoffError as error:
            _tell(ctx, str(error), error.exit_code, error)
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            _tell(ctx, "interrupted", INTERRUPTED)
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # Whoever read the output has gone; nothing more can reach them, not at the interpreter's end either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(ERROR) from None
        except Exception as error:
            if _of_usage(error) or isinstance(error, typer.Exit | typer.Abort) or os.environ.get("SIGNOFF_DEBUG"):
                raise
            sentence = (
                f"Something failed inside Signoff ({type(error).__name__}): set SIGNOFF_DEBUG=1 for the traceback."
            )
            _tell(ctx, sentence, ERROR, error)
            raise typer.Exit(ERROR) from None

    def main(self, args: Sequence[str] | None = None, *rest: Any, **options: Any) -> Any:
        """Parse, run and end the process. Wrong usage is 64, not the 2 that is kept for unfinished turns."""
        # A terminal that cannot show Chinese gets escapes, and bytes that are no text become marks.
        for stream, errors in (
            (sys.stdout, "backslashreplace"),
            (sys.stderr, "backslashreplace"),
            (sys.stdin, "replace"),
        ):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors=errors)
        try:
            code = super().main(args, *rest, **{**options, "standalone_mode": False})
        except typer.Abort:
            code = INTERRUPTED
        except Exception as error:
            if not _of_usage(error):
                raise
            error.show()  # type: ignore[attr-defined]
            code = USAGE
        sys.exit(code if isinstance(code, int) else 0)


def _of_usage(error: Exception) -> bool:
    """Whether Typer itself raised it over the command line; its class is not public in every version."""
    return hasattr(error, "format_message")


def _tell(ctx: Any, sentence: str, code: int, error: Exception | None = None) -> None:
    run = ctx.obj if isinstance(ctx.obj, Run) else Run()
    run.output.problem(sentence, code, type(error).__name__ if error else "Interrupted")
