"""The JSON object that a whole answer is, strict where it can be and mended where only one thing can be meant."""

from __future__ import annotations

import re
from typing import Any

from signoff.models.repair.literals import Unreadable, literal, strict
from signoff.models.repair.thoughts import CLOSE

_FENCE = re.compile(r"```[a-zA-Z]{0,12}(?![a-zA-Z])")
LONGEST = 1_000_000
"""Characters of an answer that is read as an object."""


def object_of(text: str) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """The object, and what was mended; None where the text is not one whole object.

    Reasoning before it and a code fence round it are passed over; an object without its end is none, nor is a text
    of more than 1,000,000 characters.
    """
    if len(text) > LONGEST:
        return None, ()
    whole = text.strip()
    if (found := _strict(whole)) is not None:
        return found, ()
    mends: list[str] = []
    if closed := CLOSE.search(whole):
        whole = whole[closed.end() :].strip()
    fence = _FENCE.match(whole)
    if fence and whole.endswith("```") and len(whole) >= fence.end() + 3:
        whole = whole[fence.end() : -3].strip()
        mends.append("fence")
    begin = whole.find("{")
    if begin < 0:
        return None, ()
    try:
        read = literal(whole, begin)
    except Unreadable:
        return None, ()
    if not isinstance(read.value, dict) or read.unclosed or whole[read.end :].strip(" \n`;"):
        return None, ()
    return read.value, (*mends, *sorted(read.mends), *(["text_before"] if begin else []))


def _strict(text: str) -> dict[str, Any] | None:
    found = strict(text) if text.startswith("{") else None
    return found.value if found is not None and isinstance(found.value, dict) and found.end == len(text) else None
