"""An answer shown while it is still being written: sentence by sentence, each checked before anybody sees it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextvars import ContextVar

from signoff.models.view import estimate_text

HELD_TOKENS = 60
"""Text that is held back while a tool call may still follow: what a model says before a call is rarely longer."""

CHECKING_S = 3.0
"""Seconds that the checks of one answer may take while it is being written; then the rest waits for its end."""

watched: ContextVar[str] = ContextVar("signoff_watched", default="")
"""The thread whose run is streamed with `custom` events, if somebody does so."""

_CLOSERS = "”’\"')）\\]"
# ASCII marks end a sentence before a blank only: they stand in passwords, addresses and numbers too. The markers of its
# citations belong to it.
_END = re.compile(
    rf"(?:[。！？；]|(?<!\d)\.(?=[{_CLOSERS}]{{0,4}}\s)|[!?;](?=[{_CLOSERS}]{{0,4}}\s)|\n)[{_CLOSERS}]*"
    r"(?:\s{0,4}[\[【][\d,，、\s]{1,20}[\]】])*"
)
_MARKER_BEGUN = re.compile(r"\s{0,4}[\[【][\d,，、\s]{0,20}\Z")


class Speech:
    """Writes `text_delta` events: `text` belongs at position `at` of the answer, and replaces what stood from there on.

    `judge` gives a sentence or several as they may be shown, or None when a check finds fault with them: then the
    rest waits for the whole answer's check.
    """

    def __init__(
        self, write: Callable[[dict[str, object]], None], judge: Callable[[str], str | None], *, last: bool
    ) -> None:
        """`last`: no tool can be called any more, so that nothing need be held back."""
        self._write = write
        self._judge = judge
        self._held = not last
        self._text = ""
        self._at = 0
        """Where the text begins that is not judged yet."""
        self._scanned = 0
        self._shown = 0
        self._spent_s = 0.0
        self._silent = False

    def add(self, piece: str) -> None:
        """Take in what the model wrote next."""
        self._text += piece
        # What follows a sentence decides whether it has ended, and blanks say nothing.
        if self._silent or not piece.strip():
            return
        if self._held:
            self._held = estimate_text(self._text) < HELD_TOKENS
        if self._held or (end := self._ended()) <= self._at:
            return
        began = time.monotonic()
        said = self._text[self._at : end]
        told = self._judge(said.strip())
        self._spent_s += time.monotonic() - began
        if told is None:
            self._silent = True
            return
        before = said[: len(said) - len(said.lstrip())] if self._shown else ""
        self._write({"type": "text_delta", "text": before + told, "at": self._shown})
        self._shown += len(before) + len(told)
        self._at = end
        self._silent = self._spent_s > CHECKING_S

    def take_back(self) -> None:
        """It was no answer: a tool call followed."""
        self._silent = True
        if self._shown:
            self._write({"type": "text_delta", "text": "", "at": 0})
            self._shown = 0

    def _ended(self) -> int:
        """The end of the last sentence that is whole, with the marker of its citation."""
        found = self._at
        last = len(self._text.rstrip())
        for match in _END.finditer(self._text, self._scanned):
            if match.end() >= last or _MARKER_BEGUN.match(self._text, match.end()):
                self._scanned = match.start()
                return found
            self._scanned = found = match.end()
        # A mark, and what closes a quotation behind it, may still wait for its blank.
        self._scanned = max(self._scanned, last - 6)
        return found
