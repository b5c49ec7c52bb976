"""Numbers, truth values, dates and times as people and models write them; None for what can be read in two ways."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, datetime, time, timedelta
from decimal import Decimal

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), ord("-"))

_LONGEST = 100
_GROUPED = r"[0-9]{1,3}(?:,[0-9]{3})+"
_NUMBER = re.compile(rf"[+-]?(?:{_GROUPED}|[0-9]{{1,30}})(?:\.[0-9]{{1,30}})?")
_YUAN = re.compile(r"(?P<before>(?:cn)?¥ ?|(?:rmb|cny) ?)?(?P<number>[^¥]*?)(?P<after> ?(?:元|块钱?|圆|yuan|rmb|cny))?")
_DOLLAR = re.compile(r"(?P<before>(?:us)?\$ ?|usd ?)?(?P<number>[^$]*?)(?P<after> ?(?:美元|dollars?|usd))?")
_DOLLAR_WORDS = re.compile(r"usd|dollar|美元")
_OTHER_MONEY = re.compile(
    r"(?<![a-z])(?:usd|dollars?|eur|euros?|gbp|pounds?|jpy|yen|hkd|krw)(?![a-z])|美元|欧元|英镑|日元|港币|韩元"
)

_DIGIT = {c: i for i, c in enumerate("零一二三四五六七八九")}
_UNIT = {"十": 10, "百": 100, "千": 1_000}
_WORDS = {
    w: i
    for i, w in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
}

_TRUE = frozenset("true yes y on 1 是 是的 对 真".split())
_FALSE = frozenset("false no n off 0 否 不 不是 不对 假".split())

_MONTHS = {m: i for i, m in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAYS = "mon tue wed thu fri sat sun".split()
_WEEKDAY = r"(?:(?P<weekday>mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,? )?"
_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20|21)[0-9]{2})"
_DATES = (
    re.compile(rf"{_YEAR} ?(?P<sep>[-/.]) ?(?P<month>[0-9]{{1,2}}) ?(?P=sep) ?(?P<day>[0-9]{{1,2}})"),
    re.compile(rf"{_YEAR} ?年 ?(?P<month>[0-9]{{1,2}}) ?月 ?(?P<day>[0-9]{{1,2}}) ?[日号]?"),
    re.compile(rf"{_YEAR}(?P<month>[0-9]{{2}})(?P<day>[0-9]{{2}})"),
    re.compile(rf"{_WEEKDAY}{_MONTH}[ -]{_DAY},?[ -]{_YEAR}"),
    re.compile(rf"{_WEEKDAY}{_DAY}(?: of)?[ -]{_MONTH},?[ -]{_YEAR}"),
)
_TWO_WAYS = re.compile(rf"(?P<a>[0-9]{{1,2}})(?P<sep>[-/.])(?P<b>[0-9]{{1,2}})(?P=sep){_YEAR}")
_CHINESE_DATE = re.compile(
    r"([〇零一二三四五六七八九]{4}) ?年 ?([一二三四五六七八九十]{1,3}) ?月 ?([一二三四五六七八九十]{1,3}) ?[日号]"
)
_RELATIVE = {
    "前天": -2, "昨天": -1, "今天": 0, "明天": 1, "后天": 2,
    "day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1, "day after tomorrow": 2,
}  # fmt: skip
_TIME = re.compile(
    r"(?P<part>上午|下午|晚上|早上|凌晨|中午)? ?(?P<hour>[0-9]{1,2})"
    r"(?:[:点时] ?(?P<minute>[0-9]{1,2})(?::(?P<second>[0-9]{2})(?:\.[0-9]{1,9})?|分)?"
    r"|(?P<sharp>[点时])(?P<half>半|整)?)?"
    r" ?(?P<half_day>[ap]\.?m\.?)?"
)
_OFFSET = re.compile(r" ?(?P<offset>z|utc|[+-][0-9]{2}:?[0-9]{2})$")


def folded(text: str) -> str:
    """One way of writing: half-width, small letters, plain hyphens, single spaces, no quotes round it."""
    plain = " ".join(unicodedata.normalize("NFKC", text).translate(_DASHES).casefold().split())
    return unquoted(plain)


def unquoted(text: str) -> str:
    """Without white space and one pair of quotation marks round it."""
    text = text.strip()
    pairs = ('""', "''", "``", "“”", "‘’", "「」", "『』")
    if len(text) >= 2 and text[0] + text[-1] in pairs:
        return text[1:-1].strip()
    return text


def number(text: str, *, about: str = "") -> Decimal | None:
    """The number a text says in figures, grouped by commas or not, or in plain words up to twenty (Chinese: 万).

    Yuan may stand with it, unless `about` (the parameter's name and description) speaks of other money; dollars
    only where it speaks of them. Percentages, units, other groupings and approximate numbers are not read.
    """
    if len(text) > _LONGEST:
        return None
    plain, about = folded(text), about.casefold()
    for money, allowed in ((_YUAN, not _OTHER_MONEY.search(about)), (_DOLLAR, bool(_DOLLAR_WORDS.search(about)))):
        if found := money.fullmatch(plain):
            named = bool(found["before"] or found["after"])
            if (allowed or not named) and _NUMBER.fullmatch(inner := found["number"].strip()):
                return Decimal(inner.replace(",", ""))
    if plain in _WORDS:
        return Decimal(_WORDS[plain])
    value = chinese(plain)
    return None if value is None else Decimal(value)


def chinese(text: str) -> int | None:
    """A Chinese numeral below 100,000,000 in its full form; 三百五, 三四 and 一二三 can be read in two ways."""
    plain = text.replace("两", "二").replace("〇", "零")
    if not plain or len(plain) > 16 or any(c not in _DIGIT and c not in _UNIT and c != "万" for c in plain):
        return None
    head, wan, tail = plain.rpartition("万")
    value = (_section(head) * 10_000 if wan else 0) + _section(tail)
    # What is written otherwise than the number itself would be is not in its full form.
    full = _spelled(value)
    return value if plain == full or (full.startswith("一十") and plain == full[1:]) else None


def truth(text: str) -> bool | None:
    """Yes or no, in Chinese or English."""
    plain = folded(text)
    return True if plain in _TRUE else False if plain in _FALSE else None


def day(text: str, *, today: date | None = None) -> date | None:
    """A date with its year, or today, tomorrow, 昨天 and the like when `today` is given.

    03/04/2026 is either the 3rd of April or March 4, so it is not read; 13/04/2026 is. A weekday must be right.
    """
    plain = folded(text)
    if today is not None and plain.removeprefix("the ") in _RELATIVE:
        return today + timedelta(days=_RELATIVE[plain.removeprefix("the ")])
    if found := _CHINESE_DATE.fullmatch(plain):
        year = "".join(str(_DIGIT["零" if c == "〇" else c]) for c in found[1])
        return _date(int(year), chinese(found[2]) or 0, chinese(found[3]) or 0)
    for form in _DATES:
        if found := form.fullmatch(plain):
            month = _MONTHS.get(found["month"][:3]) or int(found["month"])
            value = _date(int(found["year"]), month, int(found["day"]))
            weekday = found.groupdict().get("weekday")
            return None if value and weekday and _DAYS[value.weekday()] != weekday else value
    if found := _TWO_WAYS.fullmatch(plain):
        a, b, year_ = int(found["a"]), int(found["b"]), int(found["year"])
        readings = {d for d in (_date(year_, a, b), _date(year_, b, a)) if d is not None}
        return readings.pop() if len(readings) == 1 else None
    return None


def clock_time(text: str) -> time | None:
    """A time of day: 15:00, 3:30 pm, 下午3点, 15时30分."""
    found = _TIME.fullmatch(folded(text))
    if found is None or not (found["minute"] or found["sharp"] or found["half_day"]):
        return None
    hour, minute = int(found["hour"]), int(found["minute"] or (30 if found["half"] == "半" else 0))
    half_day = (found["half_day"] or "")[:1]
    part = found["part"]
    late, early = half_day == "p" or part in ("下午", "晚上"), half_day == "a" or part in ("上午", "早上", "凌晨")
    noon = part == "中午"
    if (
        (late and early)
        or (late and hour == 0)
        or (part == "晚上" and hour == 12)
        or (noon and hour not in (11, 12, 1, 2))
    ):
        return None
    if (early and hour > 12) or (half_day and not 1 <= hour <= 12):
        return None
    if (late and hour < 12) or (noon and hour < 3):
        hour += 12
    elif early and hour == 12:
        hour = 0
    try:
        return time(hour, minute, int(found["second"] or 0))
    except ValueError:
        return None


def moment(text: str, *, today: date | None = None) -> str | None:
    """A date and time in ISO 8601, with the offset if one is given; a date alone stays one."""
    if (only := day(text, today=today)) is not None:
        return only.isoformat()
    plain = folded(text)
    offset = ""
    if (found := _OFFSET.search(plain)) and ":" in plain[: found.start()]:
        plain, sign = plain[: found.start()], found["offset"]
        offset = "+00:00" if sign in ("z", "utc") else f"{sign[:3]}:{sign[-2:]}"
    # The date ends at a space, a comma, a T, or at 日: each place is tried.
    for place in re.finditer(r", | at |[ t]|(?<=[日号天])", plain):
        first = day(plain[: place.start()], today=today)
        second = clock_time(plain[place.end() :])
        if first is not None and second is not None:
            return f"{datetime.combine(first, second).isoformat()}{offset}"
    return None


def _date(year: int, month: int, day_: int) -> date | None:
    try:
        return date(year, month, day_)
    except ValueError:
        return None


def _section(text: str) -> int:
    total = digit = 0
    for c in text:
        if c in _UNIT:
            total, digit = total + (digit or 1) * _UNIT[c], 0
        elif c in _DIGIT:
            digit = _DIGIT[c]
    return total + digit


def _spelled(value: int) -> str:
    """A number below 100,000,000 in full, as 一万零二十 or 一十."""
    if value == 0:
        return "零"
    high, low = divmod(value, 10_000)
    if high:
        tail = ("零" if low < 1_000 else "") + _spelled(low) if low else ""
        return f"{_spelled(high)}万{tail}"
    out = ""
    for name, unit in (("千", 1_000), ("百", 100), ("十", 10), ("", 1)):
        digit = value // unit % 10
        if digit:
            out += f"{'零一二三四五六七八九'[digit]}{name}"
        elif out and not out.endswith("零") and value % unit:
            out += "零"
    return out
