"""Sentences and passages: pieces small enough to cite and large enough to understand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from signoff.knowledge.load import Block

TARGET_CHARS = 300
"""A passage that has reached this is closed at the next boundary."""
MAX_CHARS = 500
"""No passage is longer, but for a table or a short rest."""
REST_CHARS = 120
"""A rest of a section that is shorter joins the passage before it."""
MAX_TABLE_CHARS = 4_000
"""A longer table is cut between rows, each part with the header."""

_ABBREVIATIONS = frozenset(
    "e.g i.e etc vs mr mrs ms dr prof no fig sec approx inc ltd co st jr sr dept est max min tel ext art".split()
)
# A terminator with what closes it. An ASCII one ends a sentence only before a space, a CJK character or the end.
_END = re.compile(
    r"(?:[。！？；…]+|(?<![.!?])[.!?]++(?=[\s\"'”’)\]】*_]|[\u3400-\u9fff]|$))[\"'”’)）」』】*_]*"
    r"(?:\s*[\[【]\^?\d{1,3}(?:\s*[,，、]\s*\d{1,3})*[\]】](?!\())*|\n+"
)


@dataclass(frozen=True)
class Piece:
    """A passage before it has an id."""

    place: str
    """Heading path, outermost first, joined with ` › `."""
    text: str


def spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence, in order; blanks between them belong to none.

    A line's end ends a sentence; markers such as `[1]` behind a full stop belong to the sentence before.
    Decimal points, abbreviations and list ordinals end none.
    """
    found: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        if match.end() <= start or _inside(text, start, match):
            continue
        _keep(found, text, start, match.end())
        start = match.end()
    _keep(found, text, start, len(text))
    return found


def sentences(text: str) -> list[str]:
    """The sentences of `text`, Chinese and English, trimmed; see `spans`."""
    return [text[a:b] for a, b in spans(text)]


def split(blocks: Iterable[Block]) -> list[Piece]:
    """Passages of about 300 to 500 characters, never across a heading; tables stay whole."""
    pieces: list[Piece] = []
    for headings, section in groupby(blocks, key=lambda b: b.headings):
        texts: list[str] = []
        for part in (p for block in section for p in _parts(block)):
            room = texts and len(texts[-1]) < TARGET_CHARS and len(texts[-1]) + len(part) + 2 <= MAX_CHARS
            if room or (texts and len(part) < REST_CHARS and len(texts[-1]) <= MAX_CHARS):
                texts[-1] += f"\n\n{part}"
            else:
                texts.append(part)
        pieces.extend(Piece(" › ".join(headings), t) for t in texts if re.search(r"\w", t))
    return pieces


def _inside(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether an ASCII full stop stands within a sentence: an abbreviation, an initial or a list ordinal."""
    if not match[0].startswith(".") or match[0].startswith(".."):
        return False
    before = re.search(r"[\w.]*$", text[max(start, match.start() - 24) : match.start()])
    word = before[0].lower() if before else ""
    if word.isdigit():
        return not text[start : match.start() - len(word)].strip(" \t#>*-")
    return word in _ABBREVIATIONS or bool(re.fullmatch(r"[a-z](?:\.[a-z])*", word) and word != "i")


def _keep(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    if piece.strip():
        found.append((start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())))


def _parts(block: Block) -> Iterator[str]:
    match block.kind:
        case "table":
            yield from _rows(block.text)
        case "list":
            yield from (p for item in _items(block.text) for p in _fitting(item))
        case "code" | "text":
            yield from _fitting(block.text)


def _rows(table: str) -> Iterator[str]:
    if len(table) <= MAX_TABLE_CHARS:
        yield table
        return
    head, rows = table.split("\n")[:2], table.split("\n")[2:]
    part = list(head)
    for row in rows:
        if len(part) > 2 and sum(map(len, part)) + len(row) > MAX_TABLE_CHARS:
            yield "\n".join(part)
            part = list(head)
        part.append(row)
    yield "\n".join(part)


def _items(text: str) -> list[str]:
    """Top-level items of a list, each with what is indented below it; short neighbours stay together."""
    items: list[str] = []
    for line in text.split("\n"):
        if items and (line.startswith((" ", "\t")) or not re.match(r"[-*+]|\d+[.)]", line)):
            items[-1] += "\n" + line
        else:
            items.append(line)
    joined: list[str] = []
    for item in items:
        if joined and len(joined[-1]) + len(item) < TARGET_CHARS:
            joined[-1] += "\n" + item
        else:
            joined.append(item)
    return joined


def _fitting(text: str) -> Iterator[str]:
    """The text if it fits, else pieces cut between sentences, and only inside one where it is itself too long."""
    if len(text) <= MAX_CHARS:
        yield text
        return
    held = 0
    end = 0
    for a, b in spans(text):
        if end > held and b - held > MAX_CHARS:
            yield text[held:end].strip()
            held = a
        while b - held > MAX_CHARS:
            cut = text.rfind(" ", held + MAX_CHARS // 2, held + MAX_CHARS)
            cut = cut if cut > held else held + MAX_CHARS
            yield text[held:cut].strip()
            held = cut
        end = b
    if text[held:].strip():
        yield text[held:].strip()
