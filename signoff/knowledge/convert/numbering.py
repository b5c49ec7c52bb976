"""The numbers that Word counts before paragraphs (ECMA-376 part 1, 17.9): 1.2, (a), 第三条, 一、."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from signoff.knowledge.convert.package import Element, attribute, child, local

_DIGITS = "零一二三四五六七八九"
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"))
_ROMAN_SMALL = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


@dataclass(frozen=True)
class _Level:
    format: str
    text: str
    start: int


class Numbering:
    """What `numbering.xml` says, and how far each list has been counted."""

    def __init__(self, root: Element | None) -> None:
        elements = list(root) if root is not None else []
        self._lists = {
            attribute(e, "abstractNumId"): {_depth(v): _level(v) for v in e if local(v) == "lvl"}
            for e in elements
            if local(e) == "abstractNum"
        }
        self._of: dict[str, str] = {}
        self._own: dict[str, dict[int, _Level]] = defaultdict(dict)
        self._restart: dict[tuple[str, int], int] = {}
        for e in elements:
            if local(e) == "num":
                ident = attribute(e, "numId")
                self._of[ident] = attribute(child(e, "abstractNumId"), "val")
                self._override(ident, e)
        self._counts: dict[str, dict[int, int]] = defaultdict(dict)

    def next(self, ident: str, depth: int) -> str:
        """What stands before the next paragraph of this list: `-` for a bullet, empty for nothing."""
        levels = {**self._lists.get(self._of.get(ident, ""), {}), **self._own[ident]}
        level = levels.get(depth)
        if level is None:
            return "-"
        # Lists of one definition go on counting, but for one that says where it starts.
        counts = self._counts[self._of.get(ident, "")]
        if (start := self._restart.pop((ident, depth), None)) is not None:
            counts[depth] = start - 1
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [d for d in counts if d > depth]:
            del counts[deeper]
        if level.format == "bullet":
            return "-"
        if level.format == "none":
            return re.sub(r"%\d", "", level.text).strip()

        def number(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            other = levels.get(at, level)
            return _written(counts.get(at, other.start), other.format)

        return re.sub(r"%([1-9])", number, level.text).strip()

    def _override(self, ident: str, element: Element) -> None:
        for override in element:
            if local(override) != "lvlOverride":
                continue
            depth = _depth(override)
            start = attribute(child(override, "startOverride"), "val")
            if start.isdigit():
                self._restart[ident, depth] = int(start)
            level = child(override, "lvl")
            if level is not None:
                self._own[ident][depth] = _level(level)


def _depth(element: Element) -> int:
    word = attribute(element, "ilvl", "0")
    return int(word) if word.isdigit() else 0


def _level(element: Element) -> _Level:
    start = attribute(child(element, "start"), "val", "1")
    return _Level(
        format=attribute(child(element, "numFmt"), "val", "decimal"),
        text=attribute(child(element, "lvlText"), "val"),
        start=int(start) if start.isdigit() else 1,
    )


def _written(number: int, style: str) -> str:
    match style:
        case "lowerLetter" | "upperLetter":
            letter = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 9)
            return letter.upper() if style.startswith("upper") else letter
        case "lowerRoman" | "upperRoman":
            roman = _roman(number)
            return roman.upper() if style.startswith("upper") else roman
        case (
            "chineseCounting"
            | "chineseCountingThousand"
            | "japaneseCounting"
            | "ideographDigital"
            | "taiwaneseCounting"
        ):
            return chinese(number)
        case "decimalEnclosedCircle" | "decimalEnclosedCircleChinese" if 1 <= number <= 20:
            return chr(0x2460 + number - 1)
        case "decimalZero":
            return f"{number:02}"
        case _:
            return str(number)


def chinese(number: int) -> str:
    """A number from 0 to 9,999 in Chinese words: 十二, 一百零五."""
    if not 0 < number < 10_000:
        return _DIGITS[0] if number == 0 else str(number)
    words, gap = "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, unit)
        if digit:
            words += ("零" if gap and words else "") + _DIGITS[digit] + name
        gap = not digit
    return words.removeprefix("一") if words.startswith("一十") else words


def _roman(number: int) -> str:
    words = ""
    for value, letters in (*_ROMAN, *_ROMAN_SMALL):
        count, number = divmod(number, value) if number > 0 else (0, number)
        words += letters * min(count, 10)
    return words
