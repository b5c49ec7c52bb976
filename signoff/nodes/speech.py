"""An answer shown while it is still being written: sentence by sentence, each checked before anybody sees it."""

from __future__ import annotations

import re
from collections.abc import Callable

from langgraph.runtime import Runtime

from signoff.caller import Caller
from signoff.models.view import estimate_text

HELD_TOKENS = 60
"""Text that is held back while a tool call may still follow: what a model says before a call is rarely longer."""

# A sentence ends here if the marker of its citation does not follow.
_END = re.compile(r"(?:[。！？!?；;]|(?<!\d)\.(?=\s)|\n)[”’\"')）\]]*(?=\s*[^\s\[【])")
_SILENT = Runtime().stream_writer


def listened(runtime: Runtime[Caller]) -> bool:
    """Whether somebody streams the run's `custom` events."""
    return runtime.stream_writer is not _SILENT


class Speech:
    """Writes `text_delta` events: `text` belongs at position `at` of the answer, and replaces what stood from there on.

    `judge` gives the text so far as it may be shown, or None when a check finds fault with it: then the rest waits
    for the whole answer's check.
    """

    def __init__(
        self, write: Callable[[dict[str, object]], None], judge: Callable[[str], str | None], *, last: bool
    ) -> None:
        """`last`: no tool can be called any more, so that nothing need be held back."""
        self._write = write
        self._judge = judge
        self._held_tokens = 0 if last else HELD_TOKENS
        self._text = ""
        self._shown = ""
        self._judged = 0
        self._silent = False

    def add(self, piece: str) -> None:
        """Take in what the model wrote next."""
        self._text += piece
        if self._silent or estimate_text(self._text) < self._held_tokens:
            return
        ends = [m.end() for m in _END.finditer(self._text, self._judged)]
        if not ends:
            return
        self._judged = ends[-1]
        told = self._judge(self._text[: self._judged].strip())
        if told is None or not told.startswith(self._shown):
            self._silent = True
        elif len(told) > len(self._shown):
            self._write({"type": "text_delta", "text": told[len(self._shown) :], "at": len(self._shown)})
            self._shown = told

    def take_back(self) -> None:
        """It was no answer: a tool call followed."""
        self._silent = True
        if self._shown:
            self._write({"type": "text_delta", "text": "", "at": 0})
            self._shown = ""
