"""Numbers in figures and words, in Chinese and English."""

from __future__ import annotations

import re
from dataclasses import dataclass

_EN = {w: n for n, w in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty".split())}  # fmt: skip
_EN |= {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100, "a": 1, "an": 1, "dozen": 12, "couple": 2}
_ZH = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000}

_FIGURES = re.compile(
    r"(?<![\w.-])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w-]*\d)(?!\.\d)|"
    r"(?<=[\u3400-\u9fff])\d+(?:\.\d+)?(?![\d-])"
)
_ZH_RUN = re.compile(r"[零〇一二两三四五六七八九十百千万]+(?=[\u3400-\u9fff\s]|$)")
_ZH_MEASURE = re.compile(
    r"\s*(?:个|位|人|天|件|台|份|块|元|次|小时|分钟|间|张|本|盒|箱|条|把|名|支|瓶|双|套|周|月|年|斤|公斤|"
    r"千克|米|公里|度|页|杯|笔|单(?!位)|部|只|辆|袋|包|%)"
)
_WORD = re.compile(r"\b(?:" + "|".join(w for w in _EN if w not in ("a", "an", "one", "zero")) + r")\b")


@dataclass(frozen=True)
class Count:
    """A number where it stands in the text."""

    value: float
    start: int
    end: int


def number(word: str) -> float | None:
    """The number a word means, or None."""
    word = word.strip().lower().replace(",", "")
    try:
        return float(word)
    except ValueError:
        pass
    if word in _EN:
        return float(_EN[word])
    return _chinese(word)


def counts(text: str) -> list[Count]:
    """Numbers in a (folded) text; a Chinese numeral counts only before a measure word."""
    found = [Count(float(m[0].replace(",", "")), *m.span()) for m in _FIGURES.finditer(text)]
    for m in _ZH_RUN.finditer(text):
        value = _chinese(m[0])
        if value is not None and _ZH_MEASURE.match(text, m.end()):
            found.append(Count(value, *m.span()))
    found += [Count(float(_EN[m[0]]), *m.span()) for m in _WORD.finditer(text)]
    return sorted(found, key=lambda c: c.start)


def _chinese(word: str) -> float | None:
    if not word or any(c not in _ZH and c not in _UNITS for c in word):
        return None
    total = section = digit = 0
    for c in word:
        if c in _ZH:
            digit = _ZH[c]
        elif c == "万":
            total, section, digit = (total + section + digit) * 10_000, 0, 0
        else:
            section, digit = section + (digit or 1) * _UNITS[c], 0
    return float(total + section + digit)
