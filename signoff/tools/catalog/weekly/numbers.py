"""Whether every number of a report came from a tool."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from signoff.errors import ToolError
from signoff.knowledge.reading import plain, values
from signoff.knowledge.values import Value, contains
from signoff.tools.weeks import Week, parse_week

# What counts the report's own parts: "1." at the start of a line, "## 2 Budget", "第 3 点", "step 2".
_OWN = re.compile(
    r"^[ \t>#*+-]*[(（]?\d{1,2}(?:\.\d{1,2})*[.)）、](?!\d)|^#{1,6}[ \t]+\d{1,2}(?:\.\d{1,2})*(?=[ \t])"
    r"|第\s*[\d一二三四五六七八九十]{1,3}\s*(?:步|点|部分|节|条|章)|[①-⑳]"
    r"|\b(?:step|section|part|item|point)\s+\d{1,2}\b",
    re.IGNORECASE | re.MULTILINE,
)
_WEEKS = re.compile(
    r"(?<![a-z0-9])\d{4}[ _/-]?w\d{1,2}(?!\d)|(?:\d{4}\s*年\s*)?第\s*\d{1,2}\s*周|(?<![a-z0-9])w\d{1,2}(?![a-z0-9])"
    r"|\bweek\s+\d{1,2}(?:\s+(?:of\s+)?\d{4})?(?!\d)",
    re.IGNORECASE,
)
_RUN_CHARS = 40
# No number is that long; reading one would take time that grows with its square.
_RUN = re.compile(rf"[零〇一二两三四五六七八九十百千万亿\d]{{{_RUN_CHARS},}}")
_FRACTION = re.compile(r"(?<![\d/.])(\d{1,4})\s*/\s*(\d{1,4})(?![\d/.])")
# Numbers in words count where they count things; a lone 一 or "one" counts nothing.
_WORDED = re.compile(
    r"(?<![第零一二两三四五六七八九十百千])(?P<zh>[一二两三四五六七八九十百千]{1,5})\s*(?=个|项|条|件|起|名|位|次)"
    r"|\b(?P<en>two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    r"eighteen|nineteen|twenty)(?=\s+(?:\w+\s+)?(?:issues?|tasks?|tickets?|bugs?|items?|people|projects?|incidents?|"
    r"customers?|users?|requests?)\b|\s+(?:are|were|is|was)?\s*(?:done|open|closed|blocked)\b)",
    re.IGNORECASE,
)


def check_numbers(content: str, sources: Iterable[str], week: Week | None = None) -> list[str]:
    """The numbers, dates and identifiers of `content` that are in none of the `sources`, as they stand in it.

    They agree by value: 18,420.50 is 18420.5, 73.7 % is 73.7. Each source is a text, or JSON whose values are
    texts. The report's own list markers and ordinals are no numbers; `week` (or the one that the content names
    first), the week after it, and the days of both need no source.
    """
    about = week or _named(content)
    said = [text for source in sources for text in _texts(source)]
    grounds = _Grounds(
        tuple(v for text in said for v in _read(text)),
        plain("\n".join(said)),
        about,
    )
    # One number said often is looked up once.
    claimed = {(v.kind, v.text, v.amount): v for v in _claimed(content, about)}
    unsourced = dict.fromkeys(v.text for v in claimed.values() if not grounds.hold(v))
    return [_as_written(text, content) for text in unsourced]


@dataclass(frozen=True)
class _Grounds:
    """What the sources say, once for all numbers of a report."""

    known: tuple[Value, ...]
    text: str
    """All sources, in the form that values are read from."""
    about: Week | None

    def hold(self, value: Value) -> bool:
        if value.kind == "date" and self.about is not None and any(_near(day, self.about) for day in value.days):
            return True
        if contains(self.known, value, self.text, self.about.monday if self.about else None):
            return True
        # 7/12 may be the seventh of December, the twelfth of July, or seven of twelve.
        fraction = _FRACTION.fullmatch(value.text)
        return fraction is not None and all(self.hold(v) for n in fraction.groups() for v in values(n))


def _claimed(content: str, about: Week | None) -> Iterator[Value]:
    left = _WEEKS.sub(lambda m: " " if _is_about(m[0], about) else m[0], _OWN.sub(" ", content))
    for run in _RUN.finditer(left):
        yield Value("id", run[0][:_RUN_CHARS], run.start(), name=run[0])
    left = _RUN.sub(" ", left)
    for line in left.splitlines():
        yield from values(line)
    for match in _WORDED.finditer(left):
        word = match["zh"] or match["en"]
        for v in values(word, words=True):
            if v.kind == "number" and v.amount > 1:
                yield Value("number", word, match.start(), amount=v.amount)


def _as_written(text: str, content: str) -> str:
    """A value's text has lost its capitals; the report's own spelling is told."""
    found = re.search(re.escape(text), content, re.IGNORECASE)
    return found[0] if found else text


def _read(text: str) -> list[Value]:
    text = _RUN.sub(" ", text)
    return [*values(text, words=True), *(v for m in _FRACTION.finditer(text) for n in m.groups() for v in values(n))]


def _texts(source: str) -> Iterator[str]:
    """The texts in a source: JSON is read first, since its escapes would hide what follows them."""
    try:
        data = json.loads(source, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        yield source
        return
    yield from _leaves(data)


def _leaves(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for value in data.values():
            yield from _leaves(value)
    elif isinstance(data, list):
        for value in data:
            yield from _leaves(value)
    elif isinstance(data, str):
        yield data


def _named(content: str) -> Week | None:
    match = _WEEKS.search(content)
    return _week(match[0], None) if match else None


def _is_about(text: str, about: Week | None) -> bool:
    return about is not None and _week(text, about) in (about, about.next())


def _week(text: str, about: Week | None) -> Week | None:
    # A week without a year is of the report's own.
    day = about.monday if about is not None else date(2000, 1, 3)
    try:
        return parse_week(text, day)
    except ToolError:
        return None


def _near(day: tuple[int | None, int | None, int | None], about: Week) -> bool:
    year, month, of_month = day
    if month is None or of_month is None:
        return False
    for y in {year} if year is not None else {about.monday.year, about.next().sunday.year}:
        try:
            if about.monday <= date(y, month, of_month) <= about.next().sunday:
                return True
        except ValueError:
            continue
    return False
