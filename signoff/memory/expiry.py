"""How long a fact holds, where the person's words say so: "for the next two weeks", "until Friday", 这周, 到11月5日."""

from __future__ import annotations

import calendar
import re
from datetime import date, datetime, time, timedelta

from signoff.text import normalise

_COUNTS = {w: n for n, w in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)}
_COUNTS |= {"a": 1, "an": 1, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3, "半": 0, "两": 2, "俩": 2, "几": 3}
_COUNTS |= {w: n for n, w in enumerate("一二三四五六七八九十", 1)}
_DAYS = {"hour": 0, "day": 1, "week": 7, "month": 31, "year": 366, "小时": 0, "天": 1, "日": 1, "周": 7, "星期": 7}
_DAYS |= {"礼拜": 7, "月": 31, "年": 366}
_WEEKDAYS = {n: i for i, n in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())}
_WEEKDAYS |= {n[:3]: i for n, i in _WEEKDAYS.items()} | {n: i for i, n in enumerate("一二三四五六日")} | {"天": 6}
_MONTHS = {m[:3]: i for i, m in enumerate("january february march april may june july august".split(), 1)}
_MONTHS |= {m: i for i, m in enumerate("sep oct nov dec".split(), 9)}

_NUMBER = r"(?P<n>\d{1,3}|[a-z]+(?: [a-z]+ of| of)?|a few|[一二两三四五六七八九十几])"
_FOR = re.compile(
    rf"\b(?:for|in|over|within) (?:the )?(?:next|coming) (?:{_NUMBER} )?(?P<unit>hour|day|week|month|year)s?\b"
)
_JUST_FOR = re.compile(rf"(?:\bfor|\bonly for) {_NUMBER} (?P<unit>hour|day|week|month)s?\b")
_SO_FAR = re.compile(r"\b(?:have|has|had|been|was|were|used to)\b|['’]ve\b|['’]s been")
_FOR_ZH = re.compile(
    r"(?:接下来|未来|今后|往后|之后)的?(?P<n>\d{1,3}|[一二两三四五六七八九十几])个?(?P<unit>小时|天|日|周|星期|礼拜"
    r"|月|年)"
    r"|(?P<n2>\d{1,3}|[一二两三四五六七八九十几])个?(?P<unit2>小时|天|日|周|星期|礼拜|月|年)(?:之?内|以内)"
)
_NOW = re.compile(r"\b(?:today|tonight)\b|今天|今晚|今日")
_THIS = re.compile(r"\bthis (week|month|year)\b|(?:这|本)一?个?(周|星期|礼拜|月)|(今年)")
_UNTIL = re.compile(
    r"\b(?:until|till|through|up to|valid to|expires? (?:on|at))\s+(?P<en>.{3,40})"
    r"|(?:直到|截至|截止到?|有效期至|到|至)(?P<zh>.{1,14}?)(?:为止|之前|以前|前|都|$|[,，。;；])"
)


def until(words: str, now: datetime) -> datetime | None:
    """The moment from which a fact said in these words no longer holds; None when they do not say.

    A day holds to its end. A day that is over says nothing.
    """
    text = normalise(words)
    if found := _for(text):
        n, unit = found
        days = _DAYS[unit] * n
        return now + (timedelta(days=days) if days else timedelta(hours=max(n, 1)))
    if match := _UNTIL.search(text):
        day = _day(match["en"] or match["zh"], now.date())
        if day is not None and day >= now.date():
            return _end(day, now)
    if match := _THIS.search(text):
        unit = next(g for g in match.groups() if g)
        return _end(_last_day(unit, now.date()), now)
    return _end(now.date(), now) if _NOW.search(text) else None


def _for(text: str) -> tuple[int, str] | None:
    match = _FOR.search(text) or (None if _SO_FAR.search(text) else _JUST_FOR.search(text))
    if match:
        n = _count(match["n"]) if match["n"] else 1
        return (n, match["unit"]) if n else None
    if match := _FOR_ZH.search(text):
        n = _count(match["n"] or match["n2"])
        return (n, match["unit"] or match["unit2"]) if n else None
    return None


def _count(word: str) -> int:
    return int(word) if word.isdigit() else _COUNTS.get(word.strip(), 0)


def _last_day(unit: str, today: date) -> date:
    if unit in ("week", "周", "星期", "礼拜"):
        return today + timedelta(days=6 - today.weekday())
    if unit in ("month", "月"):
        return today.replace(day=calendar.monthrange(today.year, today.month)[1])
    return today.replace(month=12, day=31)


def _day(words: str, today: date) -> date | None:
    """The day that words name, the next one of that name."""
    if match := re.match(r"\s*(?:the )?end of (?:the |this )?(week|month|year)|\s*(?:这|本)?(周|月|年)[底末]", words):
        return _last_day(match[1] or match[2], today)
    if re.match(r"\s*(?:tomorrow|明天)", words):
        return today + timedelta(days=1)
    if match := re.search(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})", words):
        return _date(int(match[1]), int(match[2]), int(match[3]))
    if match := re.search(r"(\d{1,2})月(?:(\d{1,2})[日号]?|底)", words):
        return _coming(int(match[1]), int(match[2]) if match[2] else 0, today)
    for pattern, name, number in (
        (r"\s*(?:the )?(\d{1,2})(?:st|nd|rd|th)?(?: of)? ([a-z]{3})[a-z]*", 2, 1),
        (r"\s*([a-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?\b", 1, 2),
    ):
        if (match := re.match(pattern, words)) and match[name] in _MONTHS:
            return _coming(_MONTHS[match[name]], int(match[number]), today)
    if match := re.match(r"\s*(next )?([a-z]{3})[a-z]*\b|(下)?个?(?:周|星期|礼拜)([一二三四五六日天])", words):
        weekday = _WEEKDAYS.get(match[2] or match[4] or "")
        if weekday is not None:
            ahead = (weekday - today.weekday()) % 7
            monday = today - timedelta(days=today.weekday())
            return monday + timedelta(days=7 + weekday) if match[1] or match[3] else today + timedelta(days=ahead)
    return None


def _coming(month: int, day: int, today: date) -> date | None:
    """This year's day, or next year's when it is over; day 0 is the month's last."""
    if not 1 <= month <= 12:
        return None
    days = (_date(year, month, day or calendar.monthrange(year, month)[1]) for year in (today.year, today.year + 1))
    return next((d for d in days if d is not None and d >= today), None)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _end(day: date, now: datetime) -> datetime:
    return datetime.combine(day + timedelta(days=1), time(), tzinfo=now.tzinfo)
