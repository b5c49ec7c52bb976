"""Times as people write them, in Chinese and English: `15:00`, `3pm`, `明天下午3点半`, `2026-11-01 01:30`."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from signoff.errors import ToolError
from signoff.text import normalise, shorten
from signoff.tools.calculation.numerals import numeral
from signoff.tools.envelope import Code

YEARS = (1900, 2200)
"""The years in which times can be converted."""

_NOW = re.compile(r"(?:right )?now|at the moment|现在|此刻|当前|目前|这会儿")
_DAYS = {
    "day after tomorrow": 2, "day before yesterday": -2, "today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1,
    "今天": 0, "今日": 0, "今晚": 0, "明天": 1, "明日": 1, "明晚": 1, "后天": 2, "昨天": -1, "昨日": -1, "昨晚": -1,
    "前天": -2,
}  # fmt: skip
_DAY = re.compile("|".join(_DAYS))
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = rf"(?P<n>{'|'.join(_MONTHS)})[a-z]*\.?"
_DATES = (
    re.compile(r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)t?"),
    re.compile(r"(?:(?P<y>\d{4})年)?(?P<m>\d{1,2})月(?P<d>\d{1,2})[日号]"),
    re.compile(rf"{_MONTH} (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|:| ?[ap]\.?m)(?:,? (?P<y>\d{{4}}))?"),
    re.compile(rf"(?<!\d)(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH}(?:,? (?P<y>\d{{4}}))?"),
)
_HALF = r"(?P<half>凌晨|清晨|早上|早晨|上午|中午|正午|下午|傍晚|晚上|夜里|半夜|晚|早)?"
_CHINESE_HOUR = r"(?:\d{1,2}|[零一二两三四五六七八九十]{1,3})"
_CLOCKS = (
    re.compile(r"(?P<h>\d{1,2})[:.](?P<m>\d{2})(?::(?P<s>\d{2})(?:\.\d+)?)? ?(?P<pm>[ap]\.?m\.?)?(?![\d:])"),
    re.compile(r"(?P<h>\d{1,2}) ?(?P<pm>[ap]\.?m\.?)(?![a-z])"),
    re.compile(
        rf"(?P<h>{_CHINESE_HOUR})[点时]"
        r"(?:整|钟|(?P<q>半|一刻|三刻)|(?P<m>\d{1,2}|[零一二三四五六七八九十]{1,3})分?)?"
    ),
    re.compile(r"(?P<h>\d{1,2}) ?o'?clock"),
    re.compile(r"\bat (?P<h>\d{1,2})(?![\d:.])"),
)
_NAMED = {"noon": 12, "midday": 12, "midnight": 0, "正午": 12, "中午": 12, "午夜": 0, "半夜": 0}
_HALF_WORDS = {
    "in the morning": "上午", "in the afternoon": "下午", "in the evening": "晚上", "at night": "晚上",
    "this morning": "上午", "this afternoon": "下午", "this evening": "晚上", "tonight": "晚上",
}  # fmt: skip
_FILLER = re.compile(r"\b(?:at|on|the|of)\b|的|在|,|\s|。")


def read_time(text: str, now: datetime) -> datetime:
    """The time a text means, seen from `now`; aware only when the text has an offset of its own.

    A time without a day is today's. Raises `ToolError` when it cannot be read or is not a time.
    """
    asked = " ".join(normalise(text).replace("’", "'").split())
    if _NOW.fullmatch(asked):
        return now
    found = _iso(asked) or _spoken(asked, now.date())
    if found is None:
        raise _unreadable(text)
    if not YEARS[0] <= found.year <= YEARS[1]:
        raise ToolError(
            Code.INVALID_ARGUMENTS,
            f"The year {found.year} is too far away: times from {YEARS[0]} to {YEARS[1]} can be converted.",
            zh=f"{found.year} 年太远了:只能换算 {YEARS[0]} 到 {YEARS[1]} 年之间的时间。",
            hint="Say that this cannot be converted.",
        )
    return found


def _iso(text: str) -> datetime | None:
    if not re.match(r"\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}", text):
        return None
    try:
        return datetime.fromisoformat(text.upper().replace(" +", "+"))
    except ValueError:
        return None


def _spoken(text: str, today: date) -> datetime | None:
    half = ""
    for words, meant in _HALF_WORDS.items():
        if words in text:
            half, text = meant, text.replace(words, "tonight" if words == "tonight" else " ")
    try:
        day, rest = _day(text, today)
        clock, rest = _clock(rest, half)
    except ValueError:
        return None
    if (day is None and clock is None) or _FILLER.sub("", rest):
        return None
    if clock is None:
        return datetime.combine(day, time()) if day else None
    extra, at = clock
    return datetime.combine((day or today) + timedelta(days=extra), at)


def _day(text: str, today: date) -> tuple[date | None, str]:
    for pattern in _DATES:
        if match := pattern.search(text):
            parts = match.groupdict()
            month = _MONTHS.index(parts["n"]) + 1 if parts.get("n") else int(parts["m"])
            found = date(int(parts["y"] or today.year), month, int(parts["d"]))
            return found, f"{text[: match.start()]} {text[match.end() :]}"
    if match := _DAY.search(text):
        word = match[0]
        left = "晚" if word.endswith("晚") else ""
        return today + timedelta(days=_DAYS[word]), f"{text[: match.start()]} {left}{text[match.end() :]}"
    return None, text


def _clock(text: str, half: str) -> tuple[tuple[int, time] | None, str]:
    """Days to add, the time of day, and the text without it. Raises `ValueError` for 25:00."""
    bare = (re.compile(r"\b(?P<h>\d{1,2})(?![\d:.])"),) if half else ()
    for pattern in (*_CLOCKS, *bare):
        match = re.search(rf"{_HALF}\s*{pattern.pattern}", text)
        if not match:
            continue
        parts = match.groupdict()
        hour = _count(parts["h"])
        minute = {"半": 30, "一刻": 15, "三刻": 45}.get(parts.get("q") or "") or _count(parts.get("m") or "0")
        second = int(parts.get("s") or 0)
        rest = f"{text[: match.start()]} {text[match.end() :]}"
        if hour == 24 and minute == second == 0:
            return (1, time()), rest
        suffix = (parts.get("pm") or "").replace(".", "")
        extra, hour = _of_day(hour, suffix, parts["half"] or half)
        return (extra, time(hour, minute, second)), rest
    for word, hour in _NAMED.items():
        if word in text:
            return (0, time(hour)), text.replace(word, " ", 1)
    return None, text


def _of_day(hour: int, suffix: str, half: str) -> tuple[int, int]:
    """Days to add, and the hour of 24, of one that was said with am, pm or a part of the day."""
    if suffix:
        if not 1 <= hour <= 12:
            raise ValueError("12-hour times go from 1 to 12")
        return 0, hour % 12 + (12 if suffix == "pm" else 0)
    if (half in ("下午", "傍晚") and 1 <= hour < 12) or (half in ("晚上", "晚", "夜里") and 5 <= hour < 12):
        return 0, hour + 12
    if half in ("中午", "正午") and 1 <= hour <= 3:
        return 0, hour + 12
    if half in ("晚上", "晚", "夜里", "半夜") and hour == 12:
        return 1, 0
    if half in ("凌晨", "清晨", "早上", "早晨", "上午", "早") and hour > 12:
        raise ValueError("that hour is not in that part of the day")
    return 0, 0 if half in ("凌晨", "半夜") and hour == 12 else hour


def _count(digits: str) -> int:
    return int(digits) if digits.isdecimal() else int(numeral(digits))


def _unreadable(text: str) -> ToolError:
    return ToolError(
        Code.INVALID_ARGUMENTS,
        f"{shorten(text, 40)!r} cannot be read as a time: write 15:00, 3pm or 2026-11-01 15:00.",
        zh=f"无法把「{shorten(text, 40)}」识别为时间:请写成 15:00、下午3点或 2026-11-01 15:00。",
        hint="Call it again with the time as YYYY-MM-DD HH:MM.",
    )
