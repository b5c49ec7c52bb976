"""Where desks are found: configured folders, the home, installed packages, and the product's own."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path

from signoff.desks.profile import Profile, read
from signoff.errors import ConfigError
from signoff.settings import Settings

SHIPPED = Path(__file__).parent / "profiles"
"""The desks that come with the product."""

GROUP = "signoff.desks"
"""Entry points of installed packages: each names a package that holds desks as TOML files."""


def find(name: str, settings: Settings) -> Profile:
    """The desk of that name, or the one in the TOML that the name is a path to.

    The first found stands: a home's own `desks/service.toml` replaces the product's. Raises `ConfigError`.
    """
    if name.endswith(".toml"):
        return read(Path(name))
    for path in _paths(settings):
        if path.stem == name:
            return read(path)
    names = sorted({p.stem for p in _paths(settings)})
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}."
    raise ConfigError(f"There is no desk {name!r}: {hint}")


def every(settings: Settings) -> list[Profile]:
    """All desks by name; of two with one name the one that `find` gives. Raises `ConfigError`."""
    first: dict[str, Path] = {}
    for path in _paths(settings):
        first.setdefault(path.stem, path)
    return [read(first[name]) for name in sorted(first)]


def skill_folders(profile: Profile, settings: Settings) -> list[Path]:
    """Where the skills of a desk are looked for, first things first."""
    from signoff.skills.library import SHIPPED as SKILLS

    return [*settings.skill_paths, profile.folder / "skills", settings.home / "skills", SKILLS]


def _paths(settings: Settings) -> Iterator[Path]:
    for folder in (*settings.desk_paths, settings.home / "desks", *_installed(), SHIPPED):
        if folder.is_file():
            yield folder
        elif folder.is_dir():
            yield from sorted(folder.glob("*.toml"))


def _installed() -> Iterator[Path]:
    for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name):
        try:
            yield Path(str(files(entry.value)))
        except (ImportError, TypeError) as error:
            raise ConfigError(
                f"The entry point {entry.name} of {GROUP} names {entry.value}, which cannot be imported: {error}."
            ) from None
