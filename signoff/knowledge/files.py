"""Files on their way in: which are read, and how their names are kept and shown."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from signoff.knowledge.front_matter import SIDECARS
from signoff.knowledge.load import SUFFIXES, Unreadable
from signoff.text import shorten, terminal_safe

_SAVE_AS = {
    ".doc": "docx", ".docm": "docx", ".dot": "docx", ".dotx": "docx", ".dotm": "docx", ".rtf": "docx", ".odt": "docx",
    ".wps": "docx", ".pages": "docx", ".xls": "xlsx", ".xlsm": "xlsx", ".xlsb": "xlsx", ".xltx": "xlsx",
    ".ods": "xlsx", ".et": "xlsx", ".numbers": "xlsx", ".ppt": "pptx", ".pptm": "pptx", ".pps": "pptx",
    ".ppsx": "pptx", ".potx": "pptx", ".odp": "pptx", ".dps": "pptx", ".key": "pptx", ".mht": "html",
    ".mhtml": "html",
}  # fmt: skip
_MACROS = frozenset({".docm", ".dotm", ".xlsm", ".pptm", ".xlsb"})


def files_below(path: Path) -> Iterator[Path]:
    """The files below a folder in a stable order; of a file, itself.

    Hidden files are left out, and so are those that office programs keep beside an open one (`~$plan.docx`) and
    sidecars, which are no documents, unless there is no file that they speak for.
    """
    if not path.is_dir():
        names = [p.name for p in path.parent.iterdir()] if path.name.endswith(SIDECARS) else []
        if not _is_beside(path.name, _stems(names)):
            yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        spoken_for = _stems(names)
        yield from (Path(folder, n) for n in sorted(names) if not n.startswith(".") and not _is_beside(n, spoken_for))


def admit(file: Path, folder: Path, *, alone: bool) -> None:
    """Raises `Unreadable` for what is not to be read: another kind of file, or a link out of the folder."""
    suffix = file.suffix.lower()
    if file.name.endswith(SIDECARS):
        raise Unreadable("speaks for no file: put it beside the one it is named after")
    if suffix in _SAVE_AS:
        why = "may hold macros" if suffix in _MACROS else "is of a format that is not read"
        raise Unreadable(f"{why}: save it as .{_SAVE_AS[suffix]}")
    if suffix not in SUFFIXES:
        raise Unreadable(f"is not a kind of file that is read ({', '.join(sorted(SUFFIXES))})")
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


def _stems(names: Iterable[str]) -> set[str]:
    """What a sidecar may be named after: the files, with their ending or without."""
    return {form for n in names if not n.endswith(SIDECARS) for form in (n, Path(n).stem)}


def _is_beside(name: str, spoken_for: set[str]) -> bool:
    if name.startswith("~$"):
        return True
    return any(name.endswith(end) and name.removesuffix(end) in spoken_for for end in SIDECARS)
