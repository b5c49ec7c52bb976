"""From and to: which of two alike arguments a value is for, by the preposition before it."""

from __future__ import annotations

import re

from signoff.models.rehearsal.cards import Parameter

_DIRECTIONS = (
    (
        frozenset({"from", "source", "origin", "src"}),
        r"(?:\bfrom|\bin|从|由|把)\s*(?:the\s+)?(?:[\d.,]+\s*)?$|[\d.]\s*$",
    ),
    (frozenset({"to", "target", "destination", "dest", "dst"}), r"(?:\b(?:to|into|in)|到|给|至|成|为)\s*(?:the\s+)?$"),
)


def lead(p: Parameter, left: str) -> bool:
    """Whether the words before a value are the preposition of a parameter named from, source, to or target."""
    for names, lead in _DIRECTIONS:
        if p.words & names:
            return bool(re.search(lead, left))
    return False
