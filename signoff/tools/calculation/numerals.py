"""Numbers in Chinese characters, and in digits with 百, 千, 万 and 亿."""

from __future__ import annotations

import re
from fractions import Fraction

_DIGITS = {c: i % 10 for i, c in enumerate("零一二三四五六七八九〇壹贰叁肆伍陆柒捌玖")} | {"两": 2}
_SMALL = {"十": 10, "百": 100, "千": 1_000, "拾": 10, "佰": 100, "仟": 1_000}
_LARGE = {"万": 10_000, "亿": 100_000_000}

NUMERAL = re.compile(f"[{''.join(_DIGITS)}十拾][{''.join(_DIGITS)}{''.join(_SMALL)}万亿]*(?:点[{''.join(_DIGITS)}]+)?")
"""A number that begins with a Chinese digit."""
UNITS = {u: v for u, v in {**_SMALL, **_LARGE}.items() if u in "百千万亿"}
"""What a number in digits can be counted in: 3万 is 30,000."""


def numeral(text: str) -> Fraction:
    """The value of a Chinese number such as 三万二千零五 or 二点五; read digit by digit when it has no units."""
    whole, _, decimals = text.partition("点")
    value = Fraction(_with_units(whole))
    for place, digit in enumerate(decimals, start=1):
        value += Fraction(_DIGITS[digit], 10**place)
    return value


def _with_units(text: str) -> int:
    if all(c in _DIGITS for c in text):
        return int("".join(str(_DIGITS[c]) for c in text))
    total = section = digit = 0
    for c in text:
        if c in _DIGITS:
            digit = _DIGITS[c]
        elif c in _SMALL:
            section += (digit or 1) * _SMALL[c]
            digit = 0
        elif c == "亿":
            total, section, digit = (total + section + digit) * _LARGE[c], 0, 0
        else:
            total, section, digit = total + (section + digit) * _LARGE[c], 0, 0
    return total + section + digit
