"""The command line: one file a noun. The answer goes to stdout, everything about it to stderr."""

import sys

__all__ = ["main"]


def main() -> None:
    """The entry point `signoff`; ends the process with the exit codes that `signoff --help` lists."""
    try:
        from signoff.cli.app import app

        app()
    except KeyboardInterrupt:
        # Before there is a command that could say so.
        sys.exit(130)
