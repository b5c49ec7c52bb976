"""The tools of a desk: from the catalogue by name, from Python files, installed packages and MCP servers."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any
from zlib import crc32

from signoff.desks.profile import Profile
from signoff.errors import ConfigError, SignoffError
from signoff.tools.contract import Tool
from signoff.tools.workspace import Workspace

GROUP = "signoff.tools"
"""Entry points of installed packages: each names a `Tool`, a list of them, or a module with some."""


def tools_of(
    profile: Profile,
    workspace: Workspace | None,
    given: Iterable[Tool] = (),
    *,
    judge: Callable[[str], str] | None = None,
) -> list[Tool]:
    """The desk's tools without those of MCP servers, in the order they are offered: the profile's, its Python
    files', those of installed packages, and those `given` by the program.

    `judge` answers for a model what a command does, for the commands that rules leave undecided. Raises
    `ConfigError`.
    """
    plugged = list(_installed()) if profile.plugins or profile.tools else []
    own = [t for path in profile.python for t in of_module(_loaded(_resolved(profile.folder, path)))]
    known = {t.name: t for t in own}
    for part in _catalogue(workspace, judge):
        # Parts are imported one after the other, until all names are known: the rest is not paid for.
        if set(profile.tools) <= known.keys():
            break
        known = {**{t.name: t for t in part()}, **known}
    # Last: another package does not take the place of what comes with the product.
    known = {**{t.name: t for t in plugged}, **known}
    named = [n for n in profile.tools if n in known or not _withheld(n, workspace)]
    chosen = [_chosen(n, known, profile) for n in named]
    more = [*own, *(plugged if profile.plugins else ()), *given]
    return [*chosen, *(t for t in more if not any(t is c for c in chosen))]


def catalogue(workspace: Workspace | None = None) -> list[Tool]:
    """Every tool that comes with the product. Those that work on a folder are there when there is one."""
    return [t for part in _catalogue(workspace) for t in part()]


def _chosen(name: str, known: dict[str, Tool], profile: Profile) -> Tool:
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else "`signoff tools list --all` shows those there are."
    raise ConfigError(f"The desk {profile.name} names a tool {name!r}, which there is not: {hint}")


def _withheld(name: str, workspace: Workspace | None) -> bool:
    """Whether it is a tool that a read-only workspace does without."""
    return workspace is not None and workspace.mode == "readonly" and name == "write_report"


def _catalogue(
    workspace: Workspace | None, judge: Callable[[str], str] | None = None
) -> Iterator[Callable[[], list[Tool]]]:
    def general() -> list[Tool]:
        from signoff.tools.catalog.general import general_tools

        return general_tools()

    def handing() -> list[Tool]:
        from signoff.tools.catalog.handing import hand_over, take_back_hand_over

        return [hand_over, take_back_hand_over]

    def commands() -> list[Tool]:
        from signoff.tools.catalog.commands import command_tools

        if judge is None:
            return command_tools()
        from signoff.tools.shell import ModelClassifier

        return command_tools(classifier=ModelClassifier(judge))

    def weekly() -> list[Tool]:
        from signoff.tools.catalog.weekly import weekly_tools

        return weekly_tools(workspace) if workspace is not None else []

    from signoff.tools.catalog import service_tools

    yield from (service_tools, handing, weekly, general, commands)


def of_module(module: ModuleType | Iterable[Any]) -> list[Tool]:
    """The tools in a module, or in a list, in the order they were written."""
    found: Iterable[Any] = vars(module).values() if isinstance(module, ModuleType) else module
    return list({id(t): t for t in found if isinstance(t, Tool)}.values())


def _installed() -> Iterator[Tool]:
    for entry in sorted(entry_points(group=GROUP), key=lambda e: e.name):
        try:
            found = entry.load()
        except Exception as error:
            raise ConfigError(
                f"The entry point {entry.name} of {GROUP} ({entry.value}) cannot be loaded: {error}."
            ) from None
        made = found() if callable(found) and not isinstance(found, Tool) else found
        tools = [made] if isinstance(made, Tool) else of_module(made)
        if not tools:
            raise ConfigError(f"The entry point {entry.name} of {GROUP} ({entry.value}) holds no tool.")
        yield from tools


def _resolved(folder: Path, path: Path) -> Path:
    return path if path.is_absolute() else folder / path


def _loaded(path: Path) -> ModuleType:
    """A Python file as a module of its own. Raises `ConfigError` with the line that failed."""
    name = f"signoff_desk_{crc32(str(path.resolve()).encode()):08x}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ConfigError(f"The tools {path} cannot be loaded: there is no such Python file.")
    module = importlib.util.module_from_spec(spec)
    # Annotations of the file's functions are looked up in their module.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SignoffError as error:
        raise ConfigError(f"The tools {path}: {error}") from None
    except Exception as error:
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if Path(f.filename) == path]
        line = getattr(error, "lineno", None) or (lines[-1] if lines else "?")
        raise ConfigError(f"The tools {path}, line {line}: {type(error).__name__}: {error}.") from None
    return module
