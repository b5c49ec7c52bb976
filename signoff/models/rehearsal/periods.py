"""Weeks, months and quarters in a person's words, kept as they were said: the tools resolve them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from signoff.models.rehearsal import dates, lexicon
from signoff.models.rehearsal.cards import Parameter
from signoff.models.rehearsal.texts import Piece

_UNITS = frozenset({"week", "weeks", "month", "months", "quarter", "quarters", "period", "sprint"})
_N = r"(?:\d{1,3}|[零〇一二两三四五六七八九十]{1,3})"
_EN_N = (
    r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:twenty|thirty|forty|fifty)"
    r"(?:[\s-](?:one|two|three|four|five|six|seven|eight|nine))?|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|"
    r"nineteen)"
)
_WEEK = r"(?:周|星期|礼拜)(?![年岁边报一二三四五六日天末])"
_WEEK_OF_REPORT = r"(?:周|星期|礼拜)(?=报|的|$|\W)"
_YEAR_ZH = r"(?:(?:\d{4}|[今本去前明])\s*年(?:度|的)?\s*)"
_WEEKS = (
    rf"\d{{4}}[\s_/-]?w(?:eek)?[\s_-]?\d{{1,2}}(?!\d)(?:\s*的?\s*[前上后下]一?个?{_WEEK})?",
    rf"{_YEAR_ZH}第?\s*{_N}\s*个?(?:周|星期|礼拜)(?!报)",
    rf"第\s*{_N}\s*个?(?:周|星期|礼拜)(?:\s*的?\s*[前上后下]一?个?{_WEEK})?",
    r"\b(?:the )?week (?:before|after|preceding|following) (?:the )?(?:last|next|previous|"
    r"(?:\d{4}[\s_/-]?)?w(?:eek )?\d{1,2})\b",
    rf"\b(?:week|wk)\s*(?:no\.?|number|#)?\s*{_EN_N}(?:\s+of\s+|\s*[,/]?\s*)(?:20\d\d)(?!\d)",
    r"(?<![\da-z])w\d{1,2}(?:\s*[,/]?\s*20\d\d)?(?![\da-z])",
    rf"\b(?:week|wk)\s*(?:no\.?|number|#)?\s*(?!an?\b){_EN_N}(?![a-z\d])",
    rf"{_N}\s*个?(?:周|星期|礼拜)\s*(?:之?以?[前后])",
    rf"\b{_EN_N}\s+weeks?\s+ago\b",
    rf"\bin {_EN_N} weeks?\b",
    rf"(?:上+|下+|[前后]一|[本这当])\s*一?\s*个?{_WEEK}",
    rf"(?:上+|下+|[本这当])\s*一?\s*个?{_WEEK_OF_REPORT}",
    r"\b(?:last|previous|past|this|current|next|coming|following|upcoming)\s+week\b",
    rf"(?<![\d第年]){_N}\s*周(?!年|岁|边|[前后内]|以|之|时间|左右|多|到|半|末|[一二三四五六日天]|转|围|期|折|长|假|了)",
)
_MONTHS = (
    rf"{_YEAR_ZH}?\s*(?:\d{{1,2}}|十[一二]?|[一二三四五六七八九])\s*月份?(?!\s*\d)",
    r"(?<!\d)20\d\d[-/](?:0?[1-9]|1[0-2])(?![-/\d])",
    r"\b(?:last|previous|this|current|next|coming)\s+month\b",
    r"上+个?月|[本这当]个?月|下+个?月",
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)(?:\s+20\d\d)?\b",
)
_QUARTERS = (
    r"\b(?:20\d\d[\s-]?)?q[1-4](?:[\s/-]?20\d\d)?\b",
    rf"{_YEAR_ZH}?第?[一二三四1-4]\s*季度",
    r"上个?季度|[本这]个?季度|下个?季度",
    r"\b(?:last|previous|this|current|next)\s+quarter\b",
)
_PATTERNS = {
    "week": tuple(re.compile(p) for p in _WEEKS),
    "month": tuple(re.compile(p) for p in _MONTHS),
    "quarter": tuple(re.compile(p) for p in _QUARTERS),
}


def unit(parameter: Parameter) -> str:
    """`week`, `month`, `quarter` or `period` for a parameter that takes one in words; empty for any other."""
    if parameter.type != "string" or parameter.schema.get("enum") or parameter.schema.get("format"):
        return ""
    named = {w.removesuffix("s") for w in parameter.words if w in _UNITS}
    return next(iter(sorted(named)), "")


def find(parameter: Parameter, text: str, today: date | None) -> Piece | None:
    """The period that a text names, in its own words. A day stands for the week or month that it is in."""
    kind = unit(parameter)
    kinds = (kind,) if kind in _PATTERNS else tuple(_PATTERNS)
    found = [p for k in kinds for p in _named(text, k)]
    if found:
        return min(found, key=lambda p: (not re.search(r"\d", p.value), p.start, -len(p.value)))
    if kind in ("week", "month") and today is not None:
        day = next((d for d in dates.days(lexicon.fold(text), today)), None)
        return Piece(day.day.isoformat(), day.start, day.end, 1.0) if day and _absolute(text, day) else None
    return None


def spans(text: str) -> list[tuple[int, int]]:
    """Where a text names a week."""
    return [(p.start, p.end) for p in _named(text, "week")]


def _named(text: str, kind: str) -> Iterator[Piece]:
    folded = lexicon.fold(text)
    taken: list[tuple[int, int]] = []
    for pattern in _PATTERNS[kind]:
        for match in pattern.finditer(folded):
            start, end = match.start(), match.end()
            if any(a < end and start < b for a, b in taken):
                continue
            taken.append((start, end))
            value = text[start:end].strip()
            yield Piece(value.removeprefix("the ").removeprefix("The "), start, end, 1.2)


def _absolute(text: str, day: dates.When) -> bool:
    """A weekday or "today" says when something is wanted, not for which week."""
    return bool(re.search(r"\d", text[day.start : day.end]))
