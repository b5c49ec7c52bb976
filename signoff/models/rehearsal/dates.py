"""Dates and times in words, in Chinese and English, resolved against the day that the prompt states."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, time, timedelta

from signoff.models.rehearsal.numerals import number

_MONTHS = {m: i for i, m in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_DAYS_EN = {d: i for i, d in enumerate("mon tue wed thu fri sat sun".split())}
_DAYS_ZH = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6, "末": 5}
_RELATIVE = {
    "the day after tomorrow": 2, "day after tomorrow": 2, "tomorrow": 1, "today": 0, "tonight": 0, "this morning": 0,
    "this afternoon": 0, "this evening": 0, "the day before yesterday": -2, "yesterday": -1,
    "大后天": 3, "后天": 2, "明天": 1, "明日": 1, "明早": 1, "明晚": 1, "今天": 0, "今日": 0, "今晚": 0, "今早": 0,
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1,
}  # fmt: skip
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY = r"(mon|tue|wed|thu|fri|sat|sun)(?:day|s|sday|nesday|rsday|urday)?"
_N = r"(\d{1,3}|[一二两三四五六七八九十]{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten)"


@dataclass(frozen=True)
class When:
    """A day where it stands in the text."""

    day: date
    start: int
    end: int


@dataclass(frozen=True)
class Hour:
    """A time of day where it stands in the text."""

    time: time
    start: int
    end: int


def days(text: str, today: date) -> list[When]:
    """Days in a (folded) text, in order, each stretch of text read once."""
    found: list[When] = []
    for pattern, read in _RULES:
        for match in pattern.finditer(text):
            if any(w.start < match.end() and match.start() < w.end for w in found):
                continue
            try:
                day = read(match, today)
            except (ValueError, OverflowError):
                continue
            if day is not None:
                found.append(When(day, *match.span()))
    return sorted(found, key=lambda w: w.start)


def hours(text: str) -> list[Hour]:
    """Times of day in a (folded) text."""
    return sorted(_hours(text), key=lambda h: h.start)


def span_days(text: str) -> int | None:
    """How many days something lasts: "for 3 days", 三天."""
    match = re.search(
        rf"(?<![a-z\d]){_N}\s*(?:working |business )?(days?|weeks?|天|日|周|个星期)(?!后|前|之|以| later| ago| from)",
        text,
    )
    if not match or (match[2] == "日" and not match[1].isdigit()):
        return None
    count = number(match[1])
    if count is None or count != int(count):
        return None
    return int(count) * (7 if match[2].startswith(("week", "周", "个")) else 1)


def _iso(match: re.Match[str], _: date) -> date:
    return date(int(match[1]), int(match[2]), int(match[3]))


def _year(month: int, day: int, year: str | None, today: date) -> date:
    if year:
        return date(int(year), month, day)
    here = date(today.year, month, day)
    # A day without a year that is long past is meant in the coming year.
    return here if (today - here).days < 180 else date(today.year + 1, month, day)


def _week(match: re.Match[str], today: date, which: str, day: int) -> date:
    monday = today - timedelta(days=today.weekday())
    shift = {"next": 7, "下": 7, "下个": 7, "last": -7, "上": -7, "上个": -7, "past": -7, "下下": 14}.get(which, 0)
    found = monday + timedelta(days=shift + day)
    return found + timedelta(days=7) if not which and found < today else found


def _weekday_en(match: re.Match[str], today: date) -> date:
    which = (match[1] or "").strip()
    day = _DAYS_EN[match[2]]
    if which in ("next", "last", "past"):
        return _week(match, today, which, day)
    ahead = (day - today.weekday()) % 7
    return today + timedelta(days=ahead)


def _in_en(match: re.Match[str], today: date) -> date | None:
    count = number(match[1])
    return None if count is None else today + timedelta(days=int(count) * (7 if match[2].startswith("week") else 1))


def _in_zh(match: re.Match[str], today: date) -> date | None:
    count = number(match[1])
    if count is None:
        return None
    shift = int(count) * (1 if match[2] in "天日" else 7)
    return today + timedelta(days=shift if match[3].endswith("后") else -shift)


def _month_day(match: re.Match[str], today: date) -> date | None:
    day = number(match[3])
    month = number(match[2])
    return None if day is None or month is None else _year(int(month), int(day), match[1], today)


def _next_month(match: re.Match[str], today: date) -> date | None:
    day = number(match[2])
    shift = {"下": 1, "上": -1}.get(match[1][0], 0)
    month = today.month + shift
    return None if day is None else date(today.year + (month - 1) // 12, (month - 1) % 12 + 1, int(day))


def _day_only(match: re.Match[str], today: date) -> date | None:
    day = number(match[1])
    if day is None or not 1 <= day <= 31:
        return None
    here = date(today.year, today.month, int(day))
    return here if here >= today else _next_month_of(here)


def _next_month_of(day: date) -> date:
    return date(day.year + day.month // 12, day.month % 12 + 1, day.day)


def _rule(
    pattern: str, read: Callable[[re.Match[str], date], date | None]
) -> tuple[re.Pattern[str], Callable[[re.Match[str], date], date | None]]:
    return re.compile(pattern), read


_RULES = (
    _rule(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)", _iso),
    _rule((r"(?:(\d{4})\s*年)?\s*(\d{1,2}|十[一二]?|[一二三四五六七八九])\s*月\s*(\d{1,2}|"
        r"[一二三]?十?[一二三四五六七八九十])\s*[日号]?"), _month_day),
    _rule(rf"\b{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s*(\d{{4}}))?\b",
          lambda m, t: _year(_MONTHS[m[1]], int(m[2]), m[3], t)),
    _rule(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s*(\d{{4}}))?\b",
          lambda m, t: _year(_MONTHS[m[2]], int(m[1]), m[3], t)),
    _rule(r"(下下|下个|上个|下|上|这个|这|本)?(?:周|星期|礼拜)([一二三四五六日天末])",
          lambda m, t: _week(m, t, m[1] or "", _DAYS_ZH[m[2]])),
    _rule(r"(下|上|这|本)个?月\s*(\d{1,2}|[一二三]?十?[一二三四五六七八九十])\s*[日号]", _next_month),
    _rule(r"|".join(sorted(_RELATIVE, key=len, reverse=True)), lambda m, t: t + timedelta(days=_RELATIVE[m[0]])),
    _rule(rf"\bin\s+{_N}\s+(days?|weeks?)\b", _in_en),
    _rule(rf"\b{_N}\s+(days?|weeks?)\s+(?:from (?:now|today)|later)\b", _in_en),
    _rule(rf"{_N}\s*个?(天|日|周|星期)\s*(之?以?后|之?以?前)", _in_zh),
    _rule(rf"\b(next |this |last |past |on |coming )?{_DAY}\b", _weekday_en),
    _rule(r"(?<![\d月第])(\d{1,2})\s*[号日](?!线|楼|店|会议|机|房|单|码|仓|门)", _day_only),
    _rule(r"\bnext week\b|下个?(?:周|星期|礼拜)", lambda m, t: t - timedelta(days=t.weekday()) + timedelta(days=7)),
)  # fmt: skip

_CLOCK = re.compile(r"(?<![\d:.-])([01]?\d|2[0-3])[:：]([0-5]\d)(?::[0-5]\d)?\s*(am|pm|a\.m\.|p\.m\.)?(?![\d:])")
_AMPM = re.compile(r"(?<![\d.:])(1[0-2]|[1-9])\s*(am|pm|a\.m\.|p\.m\.|o'clock)")
_AT = re.compile(
    r"\b(?:at|from|until|till|by)\s+(1[0-2]|[1-9])(?![\d:.]|\s*(?:st|nd|rd|th|%|am|pm|days?|people|hours?|minutes?))\b"
)
_ZH = re.compile(
    r"(凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|今晚|明晚|明早|今早)?\s*(\d{1,2}|十[一二]?|二十[一二三]?|"
    r"[一二两三四五六七八九])\s*[点时](?!间|长|候)"
    r"(?:(半)|(一刻|三刻)|(\d{1,2}|[二三四五]?十[一二三四五六七八九]?|[一二三四五六七八九])分?)?"
)
_NOON = re.compile(r"\b(noon|midday|midnight)\b|(?<!上)(正午)")


def _hours(text: str) -> Iterator[Hour]:
    taken: list[tuple[int, int]] = []

    def free(match: re.Match[str]) -> bool:
        inside = any(a < match.end() and match.start() < b for a, b in taken)
        taken.append(match.span())
        return not inside

    for match in _CLOCK.finditer(text):
        if free(match):
            before = text[max(0, match.start() - 4) : match.start()]
            yield Hour(time(_half_day(int(match[1]), match[3] or before), int(match[2])), *match.span())
    for match in _AMPM.finditer(text):
        if free(match):
            yield Hour(time(_half_day(int(match[1]), match[2])), *match.span())
    for match in _ZH.finditer(text):
        hour = number(match[2])
        if hour is None or hour > 24 or not free(match):
            continue
        minute = 30 if match[3] else {"一刻": 15, "三刻": 45}.get(match[4] or "", int(number(match[5] or "0") or 0))
        if minute < 60:
            yield Hour(time(_half_day(int(hour) % 24, match[1] or ""), minute), *match.span())
    for match in _NOON.finditer(text):
        if free(match):
            yield Hour(time(0 if match[1] == "midnight" else 12), *match.span())
    for match in _AT.finditer(text):
        hour = int(match[1])
        if free(match):
            # Nobody books a room at three in the night.
            yield Hour(time(hour + 12 if hour < 7 else hour), *match.span())


def _half_day(hour: int, mark: str) -> int:
    if hour < 12 and (
        mark.startswith("p") or any(w in mark for w in ("下午", "晚", "傍晚")) or ("中午" in mark and hour < 6)
    ):
        return hour + 12
    return 0 if hour == 12 and mark.startswith("a") else hour
