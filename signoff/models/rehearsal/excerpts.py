"""A passage's text in pieces that can be quoted: sentences, list items, table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SENTENCE = re.compile(r".+?(?:[。！？!?]+|(?<!\d)\.(?=\s|$)|(?<=\d)\.(?=\s+[A-Z]|$)|$)", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,2}[.)、）])\s+")
_MOST_ROWS = 6
"""A longer table is not quoted whole."""


@dataclass(frozen=True)
class Excerpt:
    """A quotable piece."""

    text: str
    about: str
    """The piece with the headings of its table, for finding it."""


def excerpts(text: str) -> list[Excerpt]:
    """The pieces of a passage in order. Lines that were only wrapped are joined; a table is read row by row,
    and as a whole when a sentence leads to it."""
    return [e for e in _pieces(text) if len(e.text) > 3]


def _pieces(text: str) -> Iterator[Excerpt]:
    lead = ""
    for block in _blocks(text):
        if block[0].lstrip().startswith("|"):
            yield from _table(block, lead)
            continue
        for match in _SENTENCE.finditer(_joined(block)):
            sentence = _BULLET.sub("", match[0]).strip()
            if sentence:
                yield Excerpt(sentence, sentence)
                lead = sentence


def _blocks(text: str) -> Iterator[list[str]]:
    """Runs of lines that belong together: a paragraph, one list item, a table; headings are left out."""
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        table = line.lstrip().startswith("|")
        ends = not line.strip() or line.lstrip().startswith("#") or _BULLET.match(line)
        if block and (ends or table != block[0].lstrip().startswith("|")):
            yield block
            block = []
        if line.strip() and not line.lstrip().startswith("#"):
            block.append(line)


def _joined(lines: list[str]) -> str:
    joined = lines[0].strip()
    for line in lines[1:]:
        wide = joined[-1:] >= "\u2e80" and line.lstrip()[:1] >= "\u2e80"
        joined += ("" if wide else " ") + line.strip()
    return joined


def _table(lines: list[str], lead: str) -> Iterator[Excerpt]:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    rows = [row for row in rows if set("".join(row)) - set("-: ")]
    if len(rows) < 2:
        return
    head, body = rows[0], rows[1:]
    written = ["; ".join(f"{h}: {c}" if h else c for h, c in zip(head, row, strict=False)) for row in body]
    if lead.endswith((":", "：")) and len(body) <= _MOST_ROWS:
        whole = " / ".join(written)
        yield Excerpt(f"{lead} {whole}", f"{lead} {whole}")
    for row in written:
        yield Excerpt(row, row)
