"""What of an answer may be shown while it streams: never a call or a thought that a model writes as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from signoff.models.repair import beginnings, marks, react

_HELD = 48
"""Characters at the end that may be the beginning of a mark, if one of its first characters is in them."""
_LABEL = 64
"""Characters that the label of a final answer has at most, with what decorates it."""
_KEPT = 4 * _HELD
"""Characters kept of what was shown, for marks are told by what stands before them too."""
_WORDS = ("functools", "function call", "Here")
_EDGE = re.compile(
    rf"[<\[\]>◁\n]|{'|'.join(_WORDS)}|(?:{'|'.join(w[:n] for w in _WORDS for n in range(len(w) - 1, 0, -1))})\Z"
)
"""Where a mark may begin, whole or as far as the text has come."""


class Open:
    """Shows text as it comes, up to the first mark of a call or a thought; what begins like a call is held as long as
    it may still become one."""

    def __init__(self, tools: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        """`tools` are those offered, name to schema; None where any may be."""
        self._tools = tools
        self._text = ""
        self._shown = 0
        self._held: bool | None = None

    def add(self, piece: str) -> str:
        """Takes a piece in and returns what may be shown now."""
        if self._held:
            return ""
        self._text += piece
        if self._held is None:
            self._text = self._text.lstrip()
            self._held = beginnings.begins_call(self._text, self._tools)
            if self._held is not False:
                return ""
        start = max(0, self._shown - _HELD)
        mark = marks.find(self._text, start)
        while mark is not None and mark.lastgroup == "fence":
            # Behind words a fence is an example, whatever it holds.
            mark = marks.find(self._text, mark.end())
        end = len(self._text)
        if mark is not None and mark.start() >= self._shown:
            end, self._held = mark.start(), True
        elif edge := _EDGE.search(self._text, max(self._shown, end - _HELD)):
            end = edge.start()
        shown, self._shown = self._text[self._shown : end], max(self._shown, end)
        if (past := self._shown - _KEPT) > _KEPT:
            self._text, self._shown = self._text[past:], _KEPT
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
        start = max(0, len(self._text) - _LABEL)
        self._text += piece
        label = react.FINAL.search(self._text, start)
        if label is None:
            self._text = self._text[-2 * _LABEL :]
            return ""
        if label.end() == len(self._text) and label.end() - label.start() < _LABEL:
            # More of the label may come, such as the asterisks that end it.
            return ""
        self._open = Open({})
        return self._open.add(self._text[label.end() :])


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
