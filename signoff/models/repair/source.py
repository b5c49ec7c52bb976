"""A model's output with what has been searched in it kept, so that no reader looks at the same stretch again."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any

from signoff.models.repair.quotes import breaks_off
from signoff.models.repair.schemas import Offered

_AHEAD = 256
"""Tags looked at to find the one that closes a value with such tags in it."""


class _Output(str):
    """A text in which `json` fails often: each of its errors would count lines from the beginning for a message."""

    __slots__ = ()

    def count(self, *_: Any) -> int:
        return 0

    def rfind(self, *_: Any) -> int:
        return 0


_SPACE = re.compile(r"\s*+")


def past_space(text: str, at: int) -> int:
    """The first place at or behind one where no white space stands."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


@dataclass
class Source:
    """One output, and the tools it may call."""

    text: str
    offered: Offered
    inline: bool = False
    """Whether values of tags stand without a line of their own (Seed-OSS), so that their line breaks are theirs."""
    _next: dict[str, tuple[int, re.Match[str] | None]] = field(default_factory=dict)
    _tags: dict[str, tuple[list[re.Match[str]], list[int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.text = _Output(self.text)

    def next(self, pattern: re.Pattern[str], at: int) -> re.Match[str] | None:
        """The first match at or behind a position. Looking again from further on costs nothing until it is passed."""
        since, found = self._next.get(pattern.pattern, (-1, None))
        if not (0 <= since <= at and (found is None or found.start() >= at)):
            found = pattern.search(self.text, at)
            self._next[pattern.pattern] = (at, found)
        return found

    def closing(self, at: int, tags: re.Pattern[str], follow: re.Pattern[str]) -> re.Match[str] | None:
        """The tag that closes a value beginning at a position, or None.

        `tags` matches the opening and the closing tag, whose group `close` is not empty; `follow` matches what
        may stand behind a value. Tags in pairs inside the value are a part of it, and so is a closing tag that is
        followed by anything else. Where the pairs do not come out even, the first tag counts that may close it.
        """
        found, starts = self._all(tags)
        first: re.Match[str] | None = None
        depth = 0
        place = bisect_left(starts, at)
        for tag in found[place : place + _AHEAD]:
            if not tag["close"]:
                depth += 1
                continue
            if follow.match(self.text, tag.end()):
                if depth == 0:
                    return tag
                first = first or tag
            depth = max(0, depth - 1)
        return first

    def opening(self, at: int, tags: re.Pattern[str]) -> re.Match[str] | None:
        """The first opening tag at or behind a position."""
        found, starts = self._all(tags)
        place = bisect_left(starts, at)
        return next((tag for tag in found[place : place + _AHEAD] if not tag["close"]), None)

    def even(self, at: int, end: int, tags: re.Pattern[str]) -> bool:
        """Whether as many tags open as close in a stretch; not known, thus False, where there are very many."""
        found, starts = self._all(tags)
        place = bisect_left(starts, at)
        inside = found[place : min(bisect_left(starts, end), place + _AHEAD + 1)]
        return len(inside) <= _AHEAD and sum(-1 if tag["close"] else 1 for tag in inside) == 0

    def breaks_off(self, at: int) -> bool:
        """Whether the output ends at a position, or within a tag that begins there."""
        return breaks_off(self.text, at)

    def _all(self, tags: re.Pattern[str]) -> tuple[list[re.Match[str]], list[int]]:
        if tags.pattern not in self._tags:
            found = list(tags.finditer(self.text))
            self._tags[tags.pattern] = (found, [tag.start() for tag in found])
        return self._tags[tags.pattern]
