"""A project's name, as people write it and as a file has it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from signoff.errors import ToolError
from signoff.text import normalise

_EVERY = frozenset({"", "all", "every", "everything", "allprojects", "全部", "所有", "全部项目", "所有项目", "整体"})
_AROUND = re.compile(r"^(?:the|project|项目)(?=[\W_])|(?:(?<=[\W_])(?:project|team)|的?项目)$")


def named_project(said: str | None, names: Iterable[str], file: str) -> str | None:
    """The project of a file that is meant, whatever its case; None when all are. Raises `ToolError`."""
    known = sorted({n for n in names if n})
    wanted = _plain(said or "")
    if wanted in _EVERY:
        return None
    for spelled in (wanted, _plain(_bare(said or ""))):
        found = [n for n in known if spelled and _plain(n) == spelled]
        if found:
            return found[0]
    there = ", ".join(known[:20]) or "none"
    raise ToolError(
        "NOT_FOUND",
        f"{file} has no project “{(said or '')[:60]}”. Its projects are: {there}.",
        zh=f"{file} 中没有项目“{(said or '')[:60]}”。已有的项目:{'、'.join(known[:20]) or '无'}。",
        hint="Ask the person which of these projects is meant, or say that it is not there.",
    )


def same_project(a: str, b: str) -> bool:
    """Whether two spellings name one project: case, spaces and hyphens make no difference."""
    return _plain(a) == _plain(b)


def _bare(name: str) -> str:
    """The name without the word for what it is: `apollo 项目`, `project apollo`."""
    before, name = "", normalise(name).strip()
    while name != before:
        before, name = name, _AROUND.sub("", name).strip()
    return name


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "", normalise(name))
