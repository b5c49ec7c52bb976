"""XLSX: each sheet is a page under its name, its rows a table, dates and numbers as the sheet shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path

from signoff.knowledge.convert.blocks import Block, Reading, Unreadable, tables
from signoff.knowledge.convert.numbers import BUILTIN, shown
from signoff.knowledge.convert.package import Element, Package, attribute, child, local

MAX_COLUMNS = 500
"""Cells further to the right are left out; a sheet has 16,384 columns."""
MAX_SHEET_CHARS = 20_000_000
MAX_MERGED = 20_000

_PLACE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")


def workbook(path: Path) -> Reading:
    """Read an XLSX file, hidden sheets left out. Raises `Unreadable`."""
    with Package(path, "XLSX") as package:
        main = package.main
        root, related = package.part(main), package.related(main)
        parts = dict(related.values())
        book = _Book(package, parts, attribute(child(root, "workbookPr"), "date1904") in ("1", "true"))
        blocks: list[Block] = []
        for page, sheet in enumerate(e for e in _list(child(root, "sheets")) if local(e) == "sheet"):
            relation = next((str(v) for k, v in sheet.items() if str(k).endswith("}id")), "")
            if attribute(sheet, "state") in ("hidden", "veryHidden") or related.get(relation, ("",))[0] != "worksheet":
                continue
            name = " ".join(attribute(sheet, "name").split())
            for kind, text in tables(book.rows(related[relation][1])):
                blocks.append(Block((name,), kind, text, page + 1))
        return Reading(package.title(), tuple(blocks))


class _Book:
    def __init__(self, package: Package, parts: dict[str, str], from_1904: bool) -> None:
        self._package = package
        self._from_1904 = from_1904
        self._texts = [_text(e) for e in package.elements(parts.get("sharedStrings", ""), "si")]
        self._formats = _formats(package.part(parts.get("styles", "")))

    def rows(self, sheet: str) -> Iterator[list[str]]:
        """The rows of a sheet as they are shown, empty ones left out; those that a filter hides are read as well.

        A cell that is merged with those below it is said again in each of their rows.
        """
        merged = self._merged(sheet)
        above: dict[int, tuple[int, str]] = {}
        length = number = 0
        for row in self._package.elements(sheet, "row"):
            number = _whole(row.get("r", ""), number + 1)
            cells: dict[int, str] = {}
            for at, cell in enumerate(row):
                column = _column(cell.get("r", ""), at)
                if column < MAX_COLUMNS and (text := self._cell(cell)):
                    cells[column] = text
                    length += len(text)
            if length > MAX_SHEET_CHARS:
                most = MAX_SHEET_CHARS // 1_000_000
                raise Unreadable(f"has a sheet with more than {most} million characters: split it")
            if cells:
                cells |= {c: text for c, (last, text) in above.items() if number <= last and c not in cells}
                yield [cells.get(c, "") for c in range(max(cells) + 1)]
            above |= {c: (last, cells[c]) for c, last in merged.pop(number, {}).items() if c in cells}

    def _merged(self, sheet: str) -> dict[int, dict[int, int]]:
        """Cells that are merged with others below them: by row and column, the last row."""
        found: dict[int, dict[int, int]] = {}
        # Rows are asked for as well, to be let go.
        marks = (e for e in self._package.elements(sheet, "row", "mergeCell") if local(e) == "mergeCell")
        for mark in islice(marks, MAX_MERGED):
            first, _, last = mark.get("ref", "").partition(":")
            begins, ends = _PLACE.fullmatch(first), _PLACE.fullmatch(last)
            if begins and ends and int(ends[2]) > int(begins[2]) and _letters(begins[1]) < MAX_COLUMNS:
                found.setdefault(int(begins[2]), {})[_letters(begins[1])] = int(ends[2])
        return found

    def _cell(self, cell: Element) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return _text(child(cell, "is"))
        text = next((e.text or "" for e in cell if local(e) == "v"), "")
        if not text:
            return ""
        match kind:
            case "s":
                return self._texts[int(text)] if text.isdigit() and int(text) < len(self._texts) else ""
            case "b":
                return "TRUE" if text == "1" else "FALSE"
            case "n":
                style = cell.get("s", "0")
                code = self._formats[int(style)] if style.isdigit() and int(style) < len(self._formats) else "General"
                return shown(text, code, from_1904=self._from_1904)
            case "d":
                return text.removesuffix("T00:00:00").removesuffix(".000").replace("T", " ")
            case _:
                return text


def _formats(styles: Element | None) -> list[str]:
    """The number format of each cell style."""
    own = {attribute(e, "numFmtId"): attribute(e, "formatCode") for e in _list(child(styles, "numFmts"))}
    found = []
    for style in _list(child(styles, "cellXfs")):
        ident = attribute(style, "numFmtId", "0")
        found.append(own.get(ident) or BUILTIN.get(int(ident) if ident.isdigit() else 0, "General"))
    return found


def _list(element: Element | None) -> list[Element]:
    return list(element) if element is not None else []


def _text(element: Element | None) -> str:
    """The text of a string, without the reading aids that East Asian sheets put beside it."""
    words: list[str] = []
    for part in element if element is not None else ():
        match local(part):
            case "t":
                words.append(part.text or "")
            case "r":
                words.extend(e.text or "" for e in part if local(e) == "t")
    return "".join(words)


@lru_cache(maxsize=4_096)
def _letters(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _whole(text: str, default: int) -> int:
    return int(text) if text.isdecimal() and len(text) < 9 else default


def _column(place: str, default: int) -> int:
    """Column of a cell such as AB12, from 0."""
    match = _PLACE.fullmatch(place)
    return _letters(match[1]) if match else default
