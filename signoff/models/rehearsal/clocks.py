"""A time of day in a person's words, kept as it was said, with the day beside it."""

from __future__ import annotations

import re
from datetime import date

from signoff.models.rehearsal import dates, identifiers, lexicon, moments
from signoff.models.rehearsal.cards import Card, Parameter
from signoff.models.rehearsal.texts import Piece

_NAMES = frozenset("time at when moment datetime clock".split())
_BETWEEN = re.compile(r"(?:\s|,|的|at|on|t|日|号)*", re.IGNORECASE)
_IN_THE = re.compile(r"\s+(?:in the (?:morning|afternoon|evening)|at night|tonight|tomorrow|today)\b")


def takes_one(card: Card, parameter: Parameter) -> bool:
    """Whether a parameter takes a time in words: one whose examples, or description, mix times and days."""
    if parameter.type != "string" or not parameter.words & _NAMES or parameter.schema.get("enum") or parameter.pattern:
        return False
    if parameter.schema.get("format") or moments.kind(card, parameter):
        return False
    values = [*identifiers.sample_values(card, parameter.name), parameter.text]
    return any(re.search(r"(?<!\d)\d{1,2}:\d{2}", v) for v in values)


def find(text: str, today: date | None) -> Piece | None:
    """The first time of day with the day that stands beside it, or None."""
    folded = lexicon.fold(text)
    hours = dates.hours(folded)
    if not hours:
        return None
    start, end = hours[0].start, hours[0].end
    for day in dates.days(folded, today or date(1970, 1, 1)):
        if day.end <= start and _BETWEEN.fullmatch(folded[day.end : start]):
            start = day.start
        elif day.start >= end and _BETWEEN.fullmatch(folded[end : day.start]):
            end = day.end
    if more := _IN_THE.match(folded, end):
        end = more.end()
    return Piece(text[start:end].strip(), start, end, 1.3)
