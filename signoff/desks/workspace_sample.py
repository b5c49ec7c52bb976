"""A sample workspace for the `weekly` desk: notes, issues, a budget and an older report, in Chinese and English."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from signoff.errors import ConfigError, UserError


def make_sample(folder: Path) -> Path:
    """Copy the sample into a folder that is new or empty, and return it.

    Raises `UserError` when the folder is not empty or is a file, `ConfigError` when it cannot be written.
    """
    target = Path(folder).expanduser()
    try:
        if target.exists() and (not target.is_dir() or next(target.iterdir(), None) is not None):
            what = "is not empty" if target.is_dir() else "is a file"
            raise UserError(f"{folder} {what}: name a folder that is new or empty.")
        target.mkdir(parents=True, exist_ok=True)
        _copy(files("signoff.desks") / "sample" / "weekly", target)
    except OSError as error:
        raise ConfigError(f"The sample cannot be written to {folder}: {error.strerror or error}.") from None
    return target


def _copy(source: Traversable, target: Path) -> None:
    for part in source.iterdir():
        if part.is_dir():
            (target / part.name).mkdir(exist_ok=True)
            _copy(part, target / part.name)
        else:
            (target / part.name).write_bytes(part.read_bytes())
