"""Sentences, passages and chunks: text cut where its readers and writers would cut it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from signoff.knowledge.load import Block

PASSAGE_CHARS = 1_500
"""A passage holds as much of its section as fits in this."""
TARGET_CHARS = 300
"""A chunk that has reached this is closed at the next boundary."""
MAX_CHARS = 500
"""No chunk is longer, but for a code block or a short rest."""
REST_CHARS = 120
"""A rest that is shorter joins what stands before it."""
MAX_TABLE_CHARS = 4_000
"""A longer table is cut between rows, each part with the header; no passage is longer than this and its header."""

_ABBREVIATIONS = frozenset(
    "e.g i.e etc vs mr mrs ms dr prof no fig sec approx inc ltd co st jr sr dept est max min tel ext art".split()
)
_CLOSERS = r"[\"'”’)）」』】》〉〕］｣»*_]"
# A terminator with what closes it. An ASCII one ends a sentence only before a space, a CJK character or the end.
_END = re.compile(
    rf"(?:[。｡！？；…⋯]+|(?<![.!?])[.!?]++(?=[\s\"'”’)\]】*_]|[\u3400-\u9fff]|$)){_CLOSERS}*"
    r"(?:\s*[\[【]\s{0,3}\^?\d{1,3}(?:\s*[-–—~,，、]\s*\^?\d{1,3})*\s{0,3}[\]】](?!\())*|\n+"
)
_STOP = re.compile(rf"[。｡！？；…⋯.!?]{_CLOSERS}*(?:\s*[\[【][^\]】\n]{{1,40}}[\]】])*$")
# Places for a cut within a sentence, best first.
_PAUSES = tuple(map(re.compile, (r"\s", r"[，、：,;:|]", r"(?<=[^\x00-\x7f])|(?=[^\x00-\x7f])")))
_WORD = re.compile(r"\w")
_ITEM = re.compile(r"(?:[-*+]|\d+[.)])(?:\s|$)")


@dataclass(frozen=True)
class Piece:
    """A passage before it has an id."""

    place: str
    """Heading path, outermost first, joined with ` › `."""
    text: str
    page: int | None = None
    """Of a file that has pages: the one the passage stands on, from 1."""
    chunks: tuple[tuple[int, int], ...] = ()
    """Start and end in `text` of what is searched: in order, apart, and with every word of the text in one."""


@dataclass(frozen=True)
class _Part:
    """What stays together where it can: a paragraph, a few items of a list, a table or a fence."""

    text: str
    kind: str


def passages_of(blocks: Iterable[Block]) -> list[Piece]:
    """Passages of up to 1,500 characters with their chunks of 300 to 500; none crosses a heading or a page.

    Every character of every block but blanks is in exactly one passage, in order; only the header of a table
    that is too long for one stands in each of its passages. What would be a passage without a word or number is
    left out.
    """
    pieces: list[Piece] = []
    for (headings, page), section in groupby(blocks, key=lambda b: (b.headings, getattr(b, "page", None))):
        place = " › ".join(headings)
        held: list[_Part] = []
        kept: list[list[_Part]] = []
        for part in (p for block in section for p in _parts(block)):
            if not held or _joins(part, held):
                held.append(part)
                continue
            lead = [held.pop()] if _introduces(held[-1]) else []
            kept.append(held)
            held = [*lead, part]
        kept.append(held)
        pieces.extend(_piece(place, page, k) for k in kept if any(_WORD.search(p.text) for p in k))
    return pieces


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


def _joins(part: _Part, held: list[_Part]) -> bool:
    """Whether the part goes into the passage that is being made."""
    length = sum(len(p.text) + 2 for p in held)
    rest = len(part.text) < REST_CHARS and (length <= PASSAGE_CHARS or held[-1].kind == "table")
    return rest or length + len(part.text) <= PASSAGE_CHARS or (len(held) == 1 and _introduces(held[0]))


def _introduces(part: _Part) -> bool:
    """Whether the part only leads to the next: "The limits are:"."""
    return part.kind == "text" and len(part.text) < TARGET_CHARS and part.text.rstrip(" *_").endswith((":", "："))


def _piece(place: str, page: int | None, parts: list[_Part]) -> Piece:
    text = "\n\n".join(p.text for p in parts)
    chunks: list[tuple[int, int]] = []
    at = 0
    for part in parts:
        for a, b in _grains(part):
            start, end = at + a, at + b
            if chunks:
                held = chunks[-1][1] - chunks[-1][0]
                room = held < TARGET_CHARS and end - chunks[-1][0] <= MAX_CHARS
                if room or (end - start < REST_CHARS and held <= MAX_CHARS):
                    chunks[-1] = (chunks[-1][0], end)
                    continue
            chunks.append((start, end))
        at += len(part.text) + 2
    if len(chunks) > 1:
        chunks = [c for c in chunks if _WORD.search(text, *c)]
    return Piece(place, text, page, tuple(chunks))


def _parts(block: Block) -> Iterator[_Part]:
    match block.kind:
        case "table":
            texts: Iterable[str] = _rows(block.text)
        case "code":
            texts = _lines(block.text)
        case "list":
            texts = (t for item in _items(block.text) for t in _fitting(item, PASSAGE_CHARS))
        case _:
            texts = _fitting(block.text, PASSAGE_CHARS)
    yield from (_Part(t, block.kind) for t in texts if t.strip())


def _grains(part: _Part) -> Iterator[tuple[int, int]]:
    """Spans of a part that a chunk may be made of."""
    if len(part.text) <= (PASSAGE_CHARS if part.kind == "code" else MAX_CHARS):
        yield 0, len(part.text)
    elif part.kind == "table":
        at = 0
        for line in part.text.split("\n"):
            yield from ((at + a, at + b) for a, b in _cuts(line, MAX_CHARS))
            at += len(line) + 1
    else:
        yield from _cuts(part.text, MAX_CHARS)


def _rows(table: str) -> Iterator[str]:
    """The table, or parts of it between rows, each with the header."""
    if len(table) <= MAX_TABLE_CHARS:
        yield table
        return
    lines = table.split("\n")
    head = lines[:2]
    if sum(map(len, head)) > MAX_TABLE_CHARS // 2:
        head = []
    part, size = list(head), 0
    for row in (piece for line in lines[len(head) :] for piece in _fitting(line, MAX_TABLE_CHARS)):
        if size and size + len(row) > MAX_TABLE_CHARS - sum(map(len, head)):
            yield "\n".join(part)
            part, size = list(head), 0
        part.append(row)
        size += len(row) + 1
    yield "\n".join(part)


def _lines(code: str) -> Iterator[str]:
    """The code, or parts of it between lines, where it can be at a blank one."""
    if len(code) <= PASSAGE_CHARS:
        yield code
        return
    part: list[str] = []
    size = 0
    for line in (piece for whole in code.split("\n") for piece in _fitting(whole, MAX_TABLE_CHARS)):
        if part and size + len(line) > PASSAGE_CHARS:
            gaps = (i for i in range(len(part) - 1, len(part) // 2, -1) if not part[i].strip())
            cut = next(gaps, len(part))
            yield "\n".join(part[:cut])
            part = part[cut:]
            size = sum(len(p) + 1 for p in part)
        part.append(line)
        size += len(line) + 1
    yield "\n".join(part)


def _items(text: str) -> list[str]:
    """Top-level items of a list, each with what is indented below it; short neighbours stay together."""
    items: list[list[str]] = []
    for line in text.split("\n"):
        if items and not _ITEM.match(line):
            items[-1].append(line)
        else:
            items.append([line])
    joined: list[str] = []
    for item in map("\n".join, items):
        if joined and len(joined[-1]) + len(item) < TARGET_CHARS:
            joined[-1] += "\n" + item
        else:
            joined.append(item)
    return joined


def _fitting(text: str, limit: int) -> Iterator[str]:
    if len(text) <= limit:
        yield text
    else:
        yield from (text[a:b] for a, b in _cuts(text, limit))


def _cuts(text: str, limit: int) -> Iterator[tuple[int, int]]:
    """Spans of about equal length up to `limit`: at paragraphs, else sentences, else lines, else inside one."""
    ends = spans(text)
    at = 0
    start, last = (ends[0][0], ends[-1][1]) if ends else (0, 0)
    while last - start > limit:
        share = (last - start) / -(-(last - start) // limit)
        best = (0, 0.0, 0)
        for i in range(at, len(ends) - 1):
            end = ends[i][1]
            if end - start > limit:
                break
            half = 2 * (end - start) >= limit
            level = _level(text, end, ends[i + 1][0]) if half else 0
            best = max(best, (1 + level, -abs(end - start - share), i))
        rank, _, i = best
        if rank:
            yield start, ends[i][1]
            start, at = ends[i + 1][0], i + 1
        else:
            cut = _pause(text, start, start + limit)
            yield start, start + len(text[start:cut].rstrip())
            start = cut
            while text[start].isspace():
                start += 1
    if last > start:
        yield start, last


def _level(text: str, end: int, after: int) -> int:
    """How good a place for a cut the end of a sentence is: of a paragraph 3, of a sentence 2, of a line 1."""
    if text.count("\n", end, after) > 1:
        return 3
    return 2 if _STOP.search(text, max(0, end - 60), end) else 1


def _pause(text: str, start: int, end: int) -> int:
    """Where to cut inside a sentence that is too long: a space, a comma, between characters, or anywhere."""
    middle = (start + end) // 2
    for pattern in _PAUSES:
        found = 0
        for match in pattern.finditer(text, middle, end):
            found = match.end()
        if found > start:
            return found
    return end
