"""Values in text, in one normal form, and when two of them say the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

Kind = Literal["number", "ordinal", "date", "time", "id"]
Day = tuple[int | None, int | None, int | None]
"""Year, month, day; None where the text does not say."""


@dataclass(frozen=True)
class Value:
    """One value as it stands in a text."""

    kind: Kind
    text: str
    start: int
    """Offset in `plain(text)`."""
    amount: Decimal = Decimal(0)
    """Of a number, as written, after 万 or k; without its sign."""
    unit: str = ""
    """`second`, `month`, `workday`, `percent`, `yuan`, `dollar`, `count`, or "" when the text does not say."""
    scale: Decimal = Decimal(1)
    """`amount * scale` is the number in its unit: 2 weeks are 2 times 604,800 seconds."""
    days: frozenset[Day] = frozenset()
    """Readings of a date."""
    clock: tuple[int, int] = (0, 0)
    """Hour (0 to 24) and minute."""
    name: str = ""
    """An identifier in lower case."""


def contains(sources: Sequence[Value], value: Value, source_text: str = "", today: date | None = None) -> bool:
    """Whether one of `sources` says `value`: 299 for ¥299.00, 7 天 for 7 days, 2026-10-22 for 10月22日.

    `source_text` is searched for identifiers and must be `plain`. A value without a unit agrees with any; two
    different units do not agree. A year that a source leaves out is `today`'s.
    """
    match value.kind:
        case "number":
            return any(_same_number(value, s) for s in sources if s.kind == "number") or _digits_of_id(value, sources)
        case "ordinal":
            return (
                value.amount <= 12
                or any(d[2] == value.amount for s in sources for d in s.days)
                or any(s.amount == value.amount for s in sources if s.kind in ("number", "ordinal"))
            )
        case "date":
            return any(
                _same_day(asked, said, today)
                for asked in value.days
                for said in ([d for s in sources for d in s.days] + ([_day_of(today)] if today else []))
            )
        case "time":
            return value.clock[0] < 0 or any(s.clock == value.clock for s in sources if s.kind == "time")
        case "id":
            if any(s.name == value.name for s in sources if s.kind == "id"):
                return True
            bounded = rf"(?<![a-z0-9]){re.escape(value.name)}(?![a-z0-9])"
            return bool(source_text) and bool(re.search(bounded, source_text))


def _same_number(a: Value, b: Value) -> bool:
    if a.unit and b.unit:
        if a.unit != b.unit:
            return False
        return a.amount * a.scale == b.amount * b.scale or _rounded(a.amount, b.amount)
    ratio = a.unit == "percent" and a.amount == b.amount * 100
    return a.amount == b.amount or ratio or _rounded(a.amount, b.amount)


def _rounded(shown: Decimal, exact: Decimal) -> bool:
    """73.7 for 73.682: rounded, but not to a whole number."""
    places, more = _places(shown), _places(exact)
    return 0 < places < more <= 28 and exact < 10**15 and round(exact, places) == shown


def _places(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


def _digits_of_id(value: Value, sources: Sequence[Value]) -> bool:
    """Order 1001 for A1001."""
    digits = str(value.amount)
    return not value.unit and len(digits) >= 3 and any(re.fullmatch(rf"[a-z_-]+{digits}", s.name) for s in sources)


def _same_day(asked: tuple[int | None, ...], said: tuple[int | None, ...], today: date | None) -> bool:
    year, *rest = asked
    known, *others = said
    if today and known is None:
        known = today.year
    return (year is None or year == known) and all(a is None or a == s for a, s in zip(rest, others, strict=True))


def _day_of(day: date) -> tuple[int | None, int | None, int | None]:
    return (day.year, day.month, day.day)
