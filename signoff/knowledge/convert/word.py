"""DOCX: paragraphs under their headings, lists, tables and notes, with the numbers that Word shows before them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from signoff.knowledge.convert.blocks import Block, Outline, Reading, tables
from signoff.knowledge.convert.numbering import Numbering
from signoff.knowledge.convert.package import Element, Package, attribute, child, local
from signoff.knowledge.convert.styles import Styles
from signoff.text import language

HEADING_CHARS = 120
"""A longer paragraph is text, whatever its style: contracts set whole clauses as headings."""

# What is on the page twice (a fallback for older programs), was deleted, or belongs to drawing.
_SKIPPED = frozenset("del moveFrom Fallback pPr rPr rt instrText delText sectPr tblPr".split())
_PARTS = frozenset({"styles", "numbering", "footnotes", "endnotes"})
_BREAKS = {"br": "\n", "cr": "\n", "tab": " ", "noBreakHyphen": "-", "ptab": " "}
_ITEM = re.compile(r"-|\d+[.)]|[(（]?\w{1,4}[.)）、]")
_NOTES = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}


def word(path: Path) -> Reading:
    """Read a DOCX file. Raises `Unreadable`."""
    with Package(path, "DOCX") as package:
        document = _Document(package)
        return Reading(package.title(), tuple(document.blocks()))


class _Document:
    def __init__(self, package: Package) -> None:
        parts = {kind: package.part(name) for kind, name in package.related(package.main).values() if kind in _PARTS}
        self._body = child(package.part(package.main), "body")
        self._styles = Styles(parts.get("styles"))
        self._numbering = Numbering(parts.get("numbering"))
        self._notes = {
            (kind, attribute(note, "id")): note
            for kind in ("footnotes", "endnotes")
            if (root := parts.get(kind)) is not None
            for note in root
            if attribute(note, "type") in ("", "normal")
        }
        self._outline = Outline()
        self._items: list[str] = []
        self._boxes: list[Element] = []

    def blocks(self) -> Iterator[Block]:
        for element in _content(self._body):
            if local(element) == "tbl":
                rows = list(self._rows(element))
                yield from self._listed()
                yield from (self._outline.block(kind, text) for kind, text in tables(rows))
            else:
                yield from self._paragraph(element)
            if boxes := self._drained():
                yield from self._listed()
                texts = (self._text(p) for box in boxes for p in _content(box))
                yield from (self._outline.block("text", text) for text in texts if text)
        yield from self._listed()
        yield from self._outline.end()

    def _paragraph(self, element: Element) -> Iterator[Block]:
        style = attribute(child(element, "pPr", "pStyle"), "val")
        text = "" if self._styles.is_contents(style) else self._text(element)
        if not text:
            return
        depth = self._depth(element, style)
        mark, level = self._mark(element, style)
        marked = text if not mark else mark + text if mark[-1] in "、）" else f"{mark} {text}"
        if depth is not None and len(text) <= HEADING_CHARS:
            yield from self._listed()
            yield from self._outline.enter(depth, text if mark == "-" else marked)
        elif _ITEM.fullmatch(mark):
            self._items.append("  " * level + marked.replace("\n", "\n" + "  " * (level + 1)))
        else:
            yield from self._listed()
            yield self._outline.block("text", marked)

    def _listed(self) -> Iterator[Block]:
        """The list that has been gathered, complete now."""
        if self._items:
            yield self._outline.block("list", "\n".join(self._items))
            self._items.clear()

    def _drained(self) -> list[Element]:
        boxes, self._boxes = self._boxes, []
        return boxes

    def _depth(self, paragraph: Element, style: str) -> int | None:
        own = attribute(child(paragraph, "pPr", "outlineLvl"), "val")
        return (int(own) + 1 if int(own) < 9 else None) if own.isdigit() else self._styles.depth(style)

    def _mark(self, paragraph: Element, style: str) -> tuple[str, int]:
        """What the numbering puts before a paragraph (`-` for a bullet), and the depth of the list, from 0."""
        own = child(paragraph, "pPr", "numPr")
        number, level = self._styles.numbering(style)
        if own is not None:
            number = attribute(child(own, "numId"), "val", number)
            level = attribute(child(own, "ilvl"), "val", level)
        if not number or number == "0":
            return "", 0
        depth = int(level) if level.isdigit() else 0
        return self._numbering.next(number, depth), depth

    def _rows(self, table: Element) -> Iterator[list[str]]:
        above: list[str] = []
        for row in _children(table, "tr"):
            cells: list[str] = [""] * _number(attribute(child(row, "trPr", "gridBefore"), "val"), 0)
            for cell in _children(row, "tc"):
                merge = child(cell, "tcPr", "vMerge")
                goes_on = merge is not None and attribute(merge, "val") != "restart"
                text = above[len(cells)] if goes_on and len(cells) < len(above) else self._cell(cell)
                cells += [text, *[""] * (_number(attribute(child(cell, "tcPr", "gridSpan"), "val"), 1) - 1)]
            above = cells
            yield cells

    def _cell(self, cell: Element) -> str:
        texts: list[str] = []
        for element in _content(cell):
            if local(element) == "tbl":
                texts.extend("; ".join(filter(None, r)) for r in self._rows(element))
            else:
                texts.append(self._text(element))
        return " ".join(filter(None, texts))

    def _text(self, paragraph: Element) -> str:
        text = "".join(self._runs(paragraph))
        return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))

    def _runs(self, element: Element) -> Iterator[str]:
        for part in element:
            name = local(part)
            if name == "t":
                yield part.text or ""
            elif name in _BREAKS:
                yield _BREAKS[name]
            elif name in _NOTES:
                yield self._note(_NOTES[name], attribute(part, "id"))
            elif name == "txbxContent":
                self._boxes.append(part)
            elif name == "r" and self._hidden(part):
                continue
            elif name not in _SKIPPED:
                yield from self._runs(part)

    def _note(self, kind: str, ident: str) -> str:
        """A note where it is referred to: what it says belongs to that sentence."""
        note = self._notes.pop((kind, ident), None)
        text = " ".join(filter(None, map(self._text, _content(note))))
        if not text:
            return ""
        return f"（注：{text}）" if language(text) == "zh" else f" (note: {text})"

    def _hidden(self, run: Element) -> bool:
        mark = child(run, "rPr", "vanish")
        return mark is not None and attribute(mark, "val", "1") not in ("0", "false", "off")


def _content(parent: Element | None) -> Iterator[Element]:
    """Paragraphs and tables, also inside content controls and custom XML."""
    for element in parent if parent is not None else ():
        name = local(element)
        if name in ("p", "tbl"):
            yield element
        elif name in ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "AlternateContent", "Choice"):
            yield from _content(element)


def _children(parent: Element, name: str) -> Iterable[Element]:
    for element in parent:
        if local(element) == name:
            yield element
        elif local(element) in ("sdt", "sdtContent", "customXml", "ins"):
            yield from _children(element, name)


def _number(text: str, default: int) -> int:
    return min(int(text), 64) if text.isdigit() else default
