"""HTML: what a reader of the page sees, under its headings, with lists and tables kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from lxml import etree  # type: ignore[import-untyped]
from lxml.html import HtmlElement, document_fromstring  # type: ignore[import-untyped]

from signoff.knowledge.convert.blocks import Block, Kind, Outline, Reading, Unreadable, tables
from signoff.knowledge.convert.characters import repaired
from signoff.knowledge.convert.encoding import decoded

_DROPPED = frozenset(
    "script style template noscript head nav svg math iframe object embed canvas audio video map select datalist "
    "button input textarea progress meter dialog menu rt rp".split()
)
_INLINE = frozenset(
    "a abbr b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q ruby s samp small span strike "
    "strong sub sup time tt u var wbr".split()
)
_HEADINGS = {f"h{n}": n for n in range(1, 7)}
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|content-visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0*)?\s*(?:;|!|$)"
    r"|font-size\s*:\s*0(?:\.0*)?(?:px|pt|r?em|%)?\s*(?:;|!|$)",
    re.IGNORECASE,
)
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{1,40})", re.IGNORECASE)
_BREAK = "\x0b"
_SPACE = re.compile(r"[ \t\r\n\f]+")
_WRAPPED = re.compile(r"(?<=[\u3001-\u9fff\uff01-\uff60])[ \t\r]*\n[ \t\r\n]*(?=[\u3001-\u9fff\uff01-\uff60])")
_MAX_SPAN = 100


def html(path: Path) -> Reading:
    """Read an HTML file. Raises `Unreadable`, `OSError`."""
    data = path.read_bytes()
    if not data.strip():
        raise Unreadable("is empty")
    head = data[:4096]
    declared = _CHARSET.search(head) or _XML.match(head)
    text = decoded(data, declared[1].decode("ascii", "replace") if declared else None)
    del data
    try:
        # An encoding named in the text would be refused now that it is decoded.
        root = document_fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text.lstrip("\ufeff")).replace("\0", ""))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        if getattr(error, "code", None) == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from None
        raise Unreadable("holds no text") from None
    title = root.find(".//title")
    reader = _Reader()
    body = root.find("body")
    return Reading(
        " ".join(title.text_content().split()) if title is not None else "",
        tuple(reader.blocks(body if body is not None else root)),
    )


class _Reader:
    def __init__(self) -> None:
        self._outline = Outline()
        self._words: list[str] = []

    def blocks(self, root: HtmlElement) -> Iterator[Block]:
        yield from self._inside(root)
        yield from self._paragraph()

    def _inside(self, element: HtmlElement) -> Iterator[Block]:
        self._words.append(_flowing(element.text))
        for part in element:
            name = part.tag if isinstance(part.tag, str) else ""
            if name and not _left_out(part):
                if name in _INLINE:
                    yield from self._inside(part)
                elif name == "br":
                    self._words.append(_BREAK)
                else:
                    yield from self._paragraph()
                    yield from self._block(part, name)
                    yield from self._paragraph()
            self._words.append(_flowing(part.tail))

    def _block(self, element: HtmlElement, name: str) -> Iterator[Block]:
        if name in _HEADINGS:
            if text := _line(element):
                self._outline.enter(_HEADINGS[name], text)
        elif name in ("ul", "ol"):
            items = list(_items(element))
            if items:
                yield self._made("list", "\n".join(items))
        elif name == "dl":
            yield from self._terms(element)
        elif name == "table" and not _is_layout(element):
            yield from (self._made(kind, text) for kind, text in tables(_rows(element)))
        elif name in ("pre", "xmp", "listing"):
            text = "".join(_texts(element)).strip("\n")
            if text.strip():
                yield self._made("code", f"```\n{text}\n```")
        elif name != "hr":
            yield from self._inside(element)

    def _terms(self, element: HtmlElement) -> Iterator[Block]:
        """A list of terms, each with what is said of it."""
        lines: list[str] = []
        for part in element.iter("dt", "dd"):
            unseen = _left_out(part) or any(map(_left_out, takewhile(lambda e: e is not element, part.iterancestors())))
            text = "" if unseen else _line(part)
            if text and part.tag == "dt":
                lines.append(f"{text}:")
            elif text and lines:
                lines[-1] += f" {text}"
            elif text:
                lines.append(text)
        if lines:
            yield self._made("text", "\n".join(lines))

    def _paragraph(self) -> Iterator[Block]:
        lines = [" ".join(line.split()) for line in "".join(self._words).split(_BREAK)]
        self._words = []
        if any(lines):
            yield self._made("text", "\n".join(filter(None, lines)))

    def _made(self, kind: Kind, text: str) -> Block:
        return Block(self._outline.headings, kind, repaired(text))


def _flowing(text: str | None) -> str:
    """Text whose line ends are the source's alone: a space, and between Chinese characters nothing."""
    return _SPACE.sub(" ", _WRAPPED.sub("", text)) if text else ""


def _left_out(element: HtmlElement) -> bool:
    role = element.get("role", "").lower()
    return (
        element.tag in _DROPPED
        or element.get("hidden") is not None
        or element.get("aria-hidden", "").lower() == "true"
        or role in ("navigation", "search", "menu", "menubar")
        or bool(_HIDDEN.search(element.get("style", "")))
    )


def _texts(element: HtmlElement) -> Iterator[str]:
    yield element.text or ""
    for part in element:
        if isinstance(part.tag, str) and not _left_out(part):
            if part.tag == "br":
                yield "\n"
            yield from _texts(part)
            if part.tag not in _INLINE:
                yield " "
        yield part.tail or ""


def _line(element: HtmlElement) -> str:
    return " ".join("".join(_texts(element)).split())


def _items(element: HtmlElement, depth: int = 0) -> Iterator[str]:
    number = 0
    start = element.get("start", "")
    for item in element:
        if not isinstance(item.tag, str) or _left_out(item):
            continue
        if item.tag in ("ul", "ol"):
            yield from _items(item, depth + 1)
            continue
        number += 1
        mark = f"{number - 1 + (int(start) if start.isdigit() else 1)}." if element.tag == "ol" else "-"
        words = [item.text or ""]
        nested: list[str] = []
        for part in item:
            if isinstance(part.tag, str) and not _left_out(part):
                if part.tag in ("ul", "ol"):
                    nested.extend(_items(part, depth + 1))
                elif part.tag == "table":
                    nested.extend("  " * (depth + 1) + "; ".join(filter(None, r)) for r in _rows(part))
                else:
                    words.append(" " if part.tag not in _INLINE else "")
                    words.append(_line(part) if part.tag not in _INLINE else "".join(_texts(part)))
                    words.append(" " if part.tag not in _INLINE else "")
            words.append(part.tail or "")
        if text := " ".join("".join(words).split()):
            yield f"{'  ' * depth}{mark} {text}"
        yield from nested


def _rows(table: HtmlElement) -> Iterator[list[str]]:
    """The rows of a table, a cell that spans rows repeated in each of them."""
    spans: dict[int, tuple[int, str]] = {}
    caption = table.find("caption")
    if caption is not None and not _left_out(caption) and (text := _line(caption)):
        yield [text]
    for row in table.iter("tr"):
        if _left_out(row) or next(row.iterancestors("table"), None) is not table:
            continue
        cells: list[str] = []
        for cell in row:
            if cell.tag not in ("td", "th") or _left_out(cell):
                continue
            _fill(cells, spans)
            text = _line(cell)
            if (down := _span(cell, "rowspan")) > 1:
                spans[len(cells)] = (down - 1, text)
            cells += [text, *[""] * (_span(cell, "colspan") - 1)]
        _fill(cells, spans)
        yield cells


def _fill(cells: list[str], spans: dict[int, tuple[int, str]]) -> None:
    while (span := spans.pop(len(cells), None)) is not None:
        left, text = span
        if left > 1:
            spans[len(cells)] = (left - 1, text)
        cells.append(text)


def _span(cell: HtmlElement, name: str) -> int:
    word = cell.get(name, "1").strip()
    return min(max(int(word), 1), _MAX_SPAN) if word.isdigit() and len(word) < 6 else 1


def _is_layout(table: HtmlElement) -> bool:
    """Whether the table only arranges the page: it holds headings, or another table."""
    if table.get("role", "").lower() in ("presentation", "none"):
        return True
    return next(table.iter("h1", "h2", "h3", "h4"), None) is not None or len(list(table.iter("table"))) > 1
