"""Files on their way in: which are read, and how their names are kept and shown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from signoff.knowledge.load import SUFFIXES, Unreadable
from signoff.text import shorten, terminal_safe


def files_below(path: Path) -> Iterator[Path]:
    """The files below a folder in a stable order, hidden ones left out; of a file, itself."""
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        yield from (Path(folder, n) for n in sorted(names) if not n.startswith("."))


def admit(file: Path, folder: Path, *, alone: bool) -> None:
    """Raises `Unreadable` for what is not to be read: another kind of file, or a link out of the folder."""
    if file.suffix.lower() not in SUFFIXES:
        raise Unreadable(f"is not Markdown or text ({', '.join(sorted(SUFFIXES))})")
    if not alone and not file.resolve().is_relative_to(folder.resolve()):
        raise Unreadable("is a link out of the folder")
    if not file.is_file():
        raise Unreadable("is not a regular file")


def storable(name: str) -> str:
    """A file's name as text that a database takes, also when its bytes are not UTF-8."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def shown(name: str) -> str:
    """A file's name on one line, safe for a terminal."""
    return shorten(terminal_safe(name.replace("\n", "\\n").replace("\r", "\\r")), 200)
