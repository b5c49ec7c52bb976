"""What of an answer may be shown while it streams: never a call or a thought that a model writes as text."""

from __future__ import annotations

import re

from signoff.models.repair import marks, react

_HELD = 48
"""Characters at the end that may be the beginning of a mark, if one of its first characters is in them."""
_BEGIN = re.compile(
    r"\s*(?:[<\[{`>◁(]|functools|Action|Thought|Tool|Function|行动|动作|工具|思考|函数|调用|[a-z_]{1,64}\()"
)
_EDGE = re.compile(r"[<\[\]>◁\n]|functools?|function call|Here")


class Open:
    """Shows text as it comes, up to the first mark of a call or a thought; what begins like a call is held whole."""

    def __init__(self) -> None:
        self._text = ""
        self._shown = 0
        self._held: bool | None = None

    def add(self, piece: str) -> str:
        """Takes a piece in and returns what may be shown now."""
        self._text += piece
        if self._held is None and len(self._text.strip()) >= 2:
            self._held = _BEGIN.match(self._text) is not None
        if self._held is not False:
            return ""
        start = max(0, self._shown - _HELD)
        mark = marks.find(self._text, start)
        end = len(self._text)
        if mark is not None and mark.start() >= self._shown:
            end, self._held = mark.start(), True
        elif edge := _edge(_EDGE, self._text, max(self._shown, end - _HELD)):
            end = edge
        shown, self._shown = self._text[self._shown : end], max(self._shown, end)
        return shown


class Final:
    """Shows what follows `Final Answer:`, and nothing before it."""

    def __init__(self) -> None:
        self._text = ""
        self._open: Open | None = None

    def add(self, piece: str) -> str:
        """Takes a piece in and returns what may be shown now."""
        if self._open is not None:
            return self._open.add(piece)
        self._text += piece
        if (label := react.FINAL.search(self._text)) is None:
            return ""
        self._open = Open()
        return self._open.add(self._text[label.end() :].lstrip())


class Bare:
    """Shows all: for a model that writes no calls into its text."""

    def add(self, piece: str) -> str:
        """Takes a piece in and returns it."""
        return piece


class Closed:
    """Shows nothing: what comes is for the desk, not for a person."""

    def add(self, piece: str) -> str:
        """Takes a piece in and returns nothing."""
        return ""


def _edge(pattern: re.Pattern[str], text: str, start: int) -> int | None:
    """Where the end of a text begins that may be the beginning of a mark."""
    found = pattern.search(text, start)
    return found.start() if found else None
