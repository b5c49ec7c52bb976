"""PDF: each page's lines as paragraphs, under the headings that the converter recognises by their type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from signoff.knowledge.convert.blocks import Block, Outline, Reading, Unreadable
from signoff.knowledge.convert.characters import joined, repaired
from signoff.knowledge.convert.signature import foreign

HEADING_CHARS = 120
FEW_LINES = 8
"""A page with fewer does not tell how wide its lines are."""
EDGE_LINES = 3
"""Lines at the top and the bottom of a page among which running headers and footers are looked for."""

_END = re.compile(r"[。！？；.!?;:：…]['\"”’)）」』】]*$")
_ITEM = re.compile(
    r"(?:[-*•·▪◦‣○●■□◆➢✓–—]|\(?[0-9]{1,3}[.)、]|[（(][0-9一二三四五六七八九十a-z]{1,3}[)）]|[一二三四五六七八九十]{1,3}、)\s*\S"
)
_BULLET = re.compile(r"^[•·▪◦‣○●■□◆➢✓]\s*")
_CLAUSE = re.compile(r"第[0-9一二三四五六七八九十百零]{1,6}[章节条款]")
_CONTENTS = re.compile(r"(?:\.\s?|…|·){4,}\s*\w{1,6}$")
_SENTENCE = re.compile(r"[。！？!?]$|(?<!Inc)(?<!Ltd)(?<!Co)\.$")
_MIDST = re.compile(r"[,，、（(“\"]$")
_PAGE_NUMBER = re.compile(
    r"[-–—·\s]*(?:\d{1,4}|[ivxl]{1,6})[-–—·\s]*|(?:page|p\.?)\s*\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?|\d{1,4}\s*/\s*\d{1,4}"
    r"|第\s*\d{1,4}\s*页(?:\s*[/,，、]?\s*共\s*\d{1,4}\s*页)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_APART = re.compile(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff](?: |$))")
_TOGETHER = re.compile(r"[\u3400-\u9fff]{2}")
_WIDE = re.compile(r"[\u2e80-\uffff]")
_LETTER = re.compile(r"\w")


class _Heading(NamedTuple):
    depth: int
    alone: bool
    """Whether the converter took no other line for a part of it, such as the page's header."""


_Headings = dict[int, dict[str, _Heading]]
"""Headings by page and by what they say, letters and digits only."""


def pdf(path: Path) -> Reading:
    """Read a PDF file. Raises `Unreadable`, `OSError`."""
    data = path.read_bytes()
    if b"%PDF-" not in data[:1024]:
        raise Unreadable(foreign(data[:64], "PDF"))
    result = _extracted(data)
    del data
    pages = [_lines(str(p["content"])) for p in result.pages or ()]
    if not any(_LETTER.search(line) for lines in pages for line in lines):
        raise Unreadable("has no text: it is a scan; run OCR first" if pages else "has no pages")
    found = _headings(result)
    title = repaired(str(result.metadata.get("title") or ""))
    return Reading(title, tuple(_blocks(_without_running(pages, found), found)))


def _extracted(data: bytes) -> Any:
    try:
        import kreuzberg
    except ImportError:
        raise Unreadable("needs an extra to be read: pip install 'signoff[documents]'") from None
    config = kreuzberg.ExtractionConfig(
        use_cache=False,
        output_format="markdown",
        include_document_structure=True,
        enable_quality_processing=False,
        pages=kreuzberg.PageConfig(extract_pages=True),
        concurrency=kreuzberg.ConcurrencyConfig(max_threads=1),
    )
    try:
        return kreuzberg.extract_bytes_sync(data, "application/pdf", config=config)
    except Exception as error:  # Its own errors, and what its parts let through.
        problem = str(error).lower()
        if "password" in problem or "encrypt" in problem:
            raise Unreadable("is encrypted: save it without a password") from None
        if "memory" in problem or "alloc" in problem:
            raise MemoryError from None
        raise Unreadable("is damaged: it is not a whole PDF") from None


def _lines(content: str) -> list[str]:
    # The converter joins the halves of a broken word with this sign; the line it makes is none of the page's.
    text = repaired(re.sub(r"\x02(?:\r?\n)?", "-\n", content).replace("\ufffe", ""))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return [_unspaced(" ".join(line.split())) for line in text.split("\n")]


def _unspaced(line: str) -> str:
    """Chinese that is set wide, 请 假 制 度, as it is read."""
    if len(_APART.findall(line)) < 2 or _TOGETHER.search(line):
        return line
    return _APART.sub("", line)


def _headings(result: Any) -> _Headings:
    found: _Headings = {}
    for node in (result.document or {}).get("nodes", ()):
        content = node["content"]
        if content.get("node_type") in ("heading", "title"):
            lines = [" ".join(line.split()) for line in repaired(str(content.get("text") or "")).split("\n")]
            if len(lines) <= 3 and not any(_CONTENTS.search(line) for line in lines):
                page = found.setdefault(int(node.get("page") or 1), {})
                depth = int(content.get("level") or 1)
                page.update((_plain(line), _Heading(depth, len(lines) == 1)) for line in lines if _plain(line))
    return found


def _without_running(pages: Sequence[list[str]], headings: _Headings) -> list[list[str]]:
    """The pages without tables of contents, headers, footers and page numbers.

    Headers and footers are lines at the edges of pages which most pages share but for a number, or some pages with a
    number that goes up with the page's. A page's heading is none, whatever the pages after it repeat.
    """
    kept = [[line for line in page if line and not _CONTENTS.search(line)] for page in pages]
    for at in (0, -1):
        for _ in range(EDGE_LINES):
            edges = {n: page[at] for n, page in enumerate(kept, 1) if page}
            running = _repeated(edges)
            for number, line in edges.items():
                title = headings.get(number, {}).get(_plain(line))
                if _PAGE_NUMBER.fullmatch(line) or (_NUMBER.sub("0", line) in running and not (title and title.alone)):
                    kept[number - 1].pop(at)
    return kept


def _repeated(edges: dict[int, str]) -> set[str]:
    alike: dict[str, list[int]] = {}
    counted: dict[tuple[str, int], int] = {}
    for page, line in edges.items():
        if len(line) <= HEADING_CHARS and not _SENTENCE.search(line):
            form = _NUMBER.sub("0", line)
            alike.setdefault(form, []).append(page)
            for number in _NUMBER.findall(line)[-1:]:
                key = (form, int(number[-6:]) - page)
                counted[key] = counted.get(key, 0) + 1
    most = max(3, int(0.4 * len(edges)))
    return {f for f, there in alike.items() if len(there) >= most} | {f for (f, _), n in counted.items() if n >= 3}


def _blocks(pages: Sequence[Sequence[str]], headings: _Headings) -> Iterator[Block]:
    outline = Outline()
    held: list[str] = []
    kin: _Heading | None = None
    begun, last = 1, ""
    usual = _full([line for page in pages for line in page])
    for number, lines in enumerate(pages, 1):
        known = headings.get(number, {})
        full = _full(lines) if len(lines) >= FEW_LINES else usual
        heading = ""
        for i, line in enumerate(lines):
            found = known.get(_plain(line)) if len(line) <= HEADING_CHARS else None
            if found:
                yield from _paragraph(outline, held, begun)
                # A heading may take several lines.
                if heading and found == kin and not found.alone:
                    heading = joined(heading, line)
                    outline.rename(heading)
                else:
                    yield from outline.enter(found.depth, line, number)
                    heading = line
                held, last, kin = [], "", found
                continue
            heading = ""
            if held and _goes_on(last, line, full) and (i or not _END.search(last)):
                held[-1] = joined(held[-1], line)
            elif held and i and _belongs(held, last, line, full):
                held.append(line)
            else:
                yield from _paragraph(outline, held, begun)
                held, begun = [line], number
            last = line
    yield from _paragraph(outline, held, begun)
    yield from outline.end()


def _full(lines: Sequence[str]) -> int:
    """How wide lines are that reach to the margin."""
    widths = sorted(map(_width, lines))
    return max(widths[int(len(widths) * 0.9)] if widths else 0, 30)


def _goes_on(last: str, line: str, full: int) -> bool:
    """Whether a line goes on with the sentence of the one before it."""
    if _ITEM.match(line) or _CLAUSE.match(line):
        return False
    width = _width(last)
    if _END.search(last):
        return width >= 0.93 * full
    return width >= 0.75 * full or (width >= 0.5 * full and bool(_MIDST.search(last) or line[0].islower()))


def _belongs(held: Sequence[str], last: str, line: str, full: int) -> bool:
    """Whether a line stands in one block with those before it: items of a list, lines of a form or a table."""
    if _ITEM.match(line):
        return bool(_ITEM.match(held[0])) or not _END.search(last)
    return _width(last) < 0.5 * full and not _END.search(last) and not _CLAUSE.match(line)


def _paragraph(outline: Outline, lines: list[str], page: int) -> Iterator[Block]:
    if lines:
        listed = len(lines) > 1 and all(_ITEM.match(line) for line in lines)
        text = "\n".join(_BULLET.sub("- ", line) for line in lines)
        yield outline.block("list" if listed else "text", text, page)


def _width(line: str) -> int:
    """How wide it is set, about: a Chinese character takes the place of two letters."""
    return len(line) + len(_WIDE.findall(line))


def _plain(text: str) -> str:
    return "".join(c for c in text if c.isalnum()).casefold()
