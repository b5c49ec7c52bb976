"""Reading a person's words at a terminal."""

from __future__ import annotations

import sys
from contextlib import suppress

from signoff.cli.run import clean

with suppress(ImportError):
    # Line editing that knows how wide Chinese characters are.
    import readline  # noqa: F401


def read(prompt: str) -> str | None:
    """One line, without blanks round it; None at the end of the input. Ctrl-C raises `KeyboardInterrupt`."""
    # The prompt goes through `input`, so that line editing knows where the line begins.
    sys.stderr.flush()
    try:
        return clean(input(prompt)).strip()
    except EOFError:
        print(file=sys.stderr)
        return None


def confirmed(question: str) -> bool:
    """Whether the person says yes."""
    return (read(f"{question} [y/N] ") or "").casefold() in ("y", "yes", "是", "好")
