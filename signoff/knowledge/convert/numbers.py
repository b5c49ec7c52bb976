"""Numbers and dates as a spreadsheet shows them: number formats of ECMA-376 part 1, 18.8.30 and 18.8.31."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from functools import lru_cache

BUILTIN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 14: "yyyy-mm-dd",
    15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm", 27: "yyyy年m月", 28: "m月d日", 29: "m月d日", 30: "m-d-yy", 31: "yyyy年m月d日",
    32: "h时mm分", 33: "h时mm分ss秒", 36: "yyyy年m月", 37: "#,##0;-#,##0", 38: "#,##0;-#,##0",
    39: "#,##0.00;-#,##0.00", 40: "#,##0.00;-#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
    48: "##0.0E+0", 49: "@", 50: "yyyy年m月", 51: "m月d日", 52: "yyyy年m月", 53: "m月d日", 54: "m月d日",
    55: "h时mm分", 56: "h时mm分ss秒", 57: "yyyy年m月", 58: "m月d日",
}  # fmt: skip
"""Formats that files name by number only; those that depend on the reader's country in their ISO form."""

CODE_CHARS = 255
"""The longest format that spreadsheets take."""

_EXACT = Context(prec=80)
_SKIPPED = re.compile(r"\\(.)|\"([^\"]*)\"|_.|\*.|\[(?!h|m|s|\$)[^\]]*\]|\[\$([^\]-]*)[^\]]*\]", re.IGNORECASE)
_DATE = re.compile(r"[ymdhs]|aaa|AM/PM|上午/下午", re.IGNORECASE)
_PARTS = re.compile(r"y+|m+|d+|h+|s+(?:\.0+)?|\[h+\]|\[m+\]|\[s+\]|AM/PM|a{3,4}|上午/下午|.", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"[#0?,]*[#0?][#0?,]*(?:\.[#0?]*)?|\.[#0?]+")


def shown(value: str, code: str, *, from_1904: bool = False) -> str:
    """A number as a format shows it; dates come as numbers of days and leave in the order the format has."""
    try:
        number = Decimal(value)
    except InvalidOperation:
        return value
    if not number.is_finite() or abs(number) > Decimal(10) ** 300:
        return value
    section, sign = _section(code[:CODE_CHARS], (number > 0) - (number < 0))
    if section is None:
        return _general(number)
    dated, pattern, literals = _compiled(section)
    if dated:
        return _restored(_date(number, pattern, from_1904), literals) or _general(number)
    if not (place := _NUMBER.search(pattern)):
        return _restored(pattern, literals).strip() if pattern.strip() else _general(number)
    return _restored(_figures(abs(number) if sign else number, pattern, place), literals).strip()


@lru_cache(maxsize=512)
def _section(code: str, sign: int) -> tuple[str | None, bool]:
    """The part of a format for numbers of this sign; whether it is for negative ones and says so itself."""
    sections = re.split(r";(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", code)
    own = sign < 0 and len(sections) > 1 and bool(sections[1])
    section = sections[1] if own else sections[2] if sign == 0 and len(sections) > 2 and sections[2] else sections[0]
    plain = re.sub(r"\[[^\]]*\]", "", section).strip()
    return (None if plain.lower() in ("", "general", "g/通用格式", "@") else section), own


@lru_cache(maxsize=512)
def _compiled(section: str) -> tuple[bool, str, tuple[str, ...]]:
    """Whether the section is of a date, and its pattern with each literal text as one private character."""
    literals: list[str] = []

    def keep(match: re.Match[str]) -> str:
        literals.append(match[1] or match[2] or match[3] or "")
        return chr(0xE000 + len(literals) - 1) if len(literals) <= 100 else ""

    pattern = _SKIPPED.sub(keep, section)
    return bool(_DATE.search(re.sub(r"e[+-]0+", "", pattern, flags=re.IGNORECASE))), pattern, tuple(literals)


def _restored(text: str, literals: tuple[str, ...]) -> str:
    for i, literal in enumerate(literals[:100]):
        text = text.replace(chr(0xE000 + i), literal)
    return text


def _general(number: Decimal) -> str:
    """Up to 11 digits, as the General format has it, without the noise of binary fractions."""
    if number == number.to_integral_value() and abs(number) < Decimal(10) ** 15:
        return str(int(number))
    text = f"{float(number):.11g}"
    return text if "e" in text else f"{Decimal(text):f}"


def _figures(number: Decimal, pattern: str, place: re.Match[str]) -> str:
    digits = place[0]
    if "%" in pattern:
        number *= 100 ** pattern.count("%")
    whole, _, fraction = digits.partition(".")
    if "E" in pattern.upper():
        return f"{float(number):.{min(len(fraction), 15)}E}"
    if pattern[place.end() : place.end() + 2].lstrip(" ")[:1] == "/" or "/" in pattern[place.end() :]:
        return _general(number)
    scale = len(whole) - len(whole.rstrip(","))
    number = number / 1000**scale if scale else number
    least = sum(c in "0?" for c in fraction)
    exact = (
        number.quantize(Decimal(1).scaleb(-min(len(fraction), 30)), ROUND_HALF_UP, _EXACT)
        if abs(number) < 10**30
        else number
    )
    body = f"{exact.copy_abs():{',' if ',' in whole.rstrip(',') else ''}f}"
    if "." in body:
        head, _, tail = body.partition(".")
        while len(tail) > least and tail.endswith("0"):
            tail = tail[:-1]
        body = f"{head}.{tail}" if tail else head
    width = sum(c == "0" for c in whole)
    if width > len(body.partition(".")[0]):
        body = "0" * (width - len(body.partition(".")[0])) + body
    sign = "-" if exact < 0 else ""
    return sign + pattern[: place.start()] + body + pattern[place.end() :]


def _date(number: Decimal, pattern: str, from_1904: bool) -> str:
    """Days since 1900 (with the leap day that 1900 had not) or 1904."""
    days = float(number)
    if not -1 < days < 2_958_466:
        return ""
    first = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30) if days >= 60 else datetime(1899, 12, 31)
    moment = first + timedelta(milliseconds=round(days * 86_400_000))
    if moment.microsecond > 999_000 or ("." not in pattern and moment.microsecond >= 500_000):
        moment += timedelta(microseconds=1_000_000 - moment.microsecond)
    half, units = _units(pattern)
    return "".join(_written(part.lower(), part, moment, days, half, minutes) for part, minutes in units).strip()


@lru_cache(maxsize=512)
def _units(pattern: str) -> tuple[bool, tuple[tuple[str, bool], ...]]:
    """Whether hours are counted to 12; the parts of a date's pattern, and which of them are minutes, not months."""
    parts = _PARTS.findall(pattern)
    minutes = (p.lower() in ("m", "mm") and _near(parts, i, -1) == "h" for i, p in enumerate(parts))
    seconds = (p.lower() in ("m", "mm") and _near(parts, i, 1) == "s" for i, p in enumerate(parts))
    half = bool(re.search(r"AM/PM|上午/下午", pattern, re.IGNORECASE))
    return half, tuple((p, m or s) for p, m, s in zip(parts, minutes, seconds, strict=True))


def _near(parts: list[str], at: int, step: int) -> str:
    """The unit of the nearest other part: an `m` beside hours or seconds is minutes."""
    at += step
    while 0 <= at < len(parts):
        letter = parts[at].strip("[]")[:1].lower()
        if letter and letter in "ymdhs":
            return letter
        at += step
    return ""


def _written(small: str, part: str, moment: datetime, days: float, half: bool, minutes: bool) -> str:
    hour = (moment.hour % 12 or 12) if half else moment.hour
    match small[0], len(small):
        case "y", length:
            return f"{moment:%Y}" if length > 2 else f"{moment.year % 100:02}"
        case "m", length if minutes:
            return f"{moment.minute:0{length}}"
        case "m", length:
            return f"{moment.month:0{length}}" if length < 3 else moment.strftime("%b" if length == 3 else "%B")
        case "d", length:
            return f"{moment.day:0{length}}" if length < 3 else moment.strftime("%a" if length == 3 else "%A")
        case "h", length:
            return f"{hour:0{min(length, 2)}}"
        case "s", length:
            fraction = len(small.partition(".")[2])
            second = f"{moment.second:0{2 if small.startswith('ss') else 1}}"
            return second + (f".{moment.microsecond:06}"[: fraction + 1] if fraction else "")
        case "[", length if length > 1:
            unit = {"h": 24, "m": 1_440, "s": 86_400}.get(small[1], 24)
            return str(int(round(days * unit, 6)))
        case "a", 5:
            return "AM" if moment.hour < 12 else "PM"
        case "a", 3 | 4:
            return ("星期" if len(small) == 4 else "") + "一二三四五六日"[moment.weekday()]
        case "上", _:
            return "上午" if moment.hour < 12 else "下午"
        case _:
            return part
