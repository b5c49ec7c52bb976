"""What every reader hands on: blocks under their headings, tables as Markdown, and one error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal

from signoff.errors import UserError

Kind = Literal["text", "table", "code", "list"]

TABLE_CHARS = 20_000
"""A longer table becomes several blocks, each with the header row."""
ROW_CHARS = 1_200
"""A table whose header and first rows are wider is written as `header: value`, so that a cell keeps its meaning."""
_LOOKED_AT = 20

# What programs write as a title when nobody gave one.
_NO_TITLE = re.compile(
    r".*\.(?:docx?|pptx?|xlsx?|indd|tex|pdf|wps|html?)|(?:microsoft|untitled|无标题|未命名|\(anonymous\)).*"
    r"|(?:powerpoint |word |excel )?(?:presentation|document|演示文稿|文档)\s?\d*"
    r"|(?:slide|doc|book|sheet|幻灯片)\s?\d+|none",
    re.IGNORECASE,
)


class Unreadable(UserError):
    """A file cannot be indexed; the message is one line that says why, to be read after the file's name."""


@dataclass(frozen=True)
class Block:
    """A paragraph, a list, a table or a fence, with the headings it stands under, outermost first."""

    headings: tuple[str, ...]
    kind: Kind
    text: str
    page: int | None = None
    """Page, slide or sheet, from 1, of files that have them."""


@dataclass(frozen=True)
class Reading:
    """What a file says: the title its own metadata gives, empty if none, and its blocks in order."""

    title: str
    blocks: tuple[Block, ...]


@dataclass
class Outline:
    """The headings above the place that has been reached."""

    _path: list[tuple[int, str]] = field(default_factory=list)
    _bare: int | None = None
    """Page, or 0, of the last heading while nothing stands under it."""

    def enter(self, depth: int, title: str, page: int | None = None) -> list[Block]:
        """A heading of this depth, from 0, begins.

        Gives the heading before it as text when nothing stands under that one: where headings are told by their
        looks alone, as in PDF, or clauses are written in their styles, as in contracts, it may be all that is said.
        """
        left = self.end() if not self._path or depth <= self._path[-1][0] else []
        self._path = [*((d, t) for d, t in self._path if d < depth), (depth, " ".join(title.split()))]
        self._bare = page or 0
        return left

    def rename(self, title: str) -> None:
        """The last heading goes on in another line."""
        self._path[-1] = (self._path[-1][0], " ".join(title.split()))

    def end(self) -> list[Block]:
        """The last heading as text when nothing stands under it."""
        if self._bare is None or not self._path or not self._path[-1][1]:
            return []
        page, self._bare = self._bare or None, None
        return [Block(self.headings[:-1], "text", self._path[-1][1], page)]

    def block(self, kind: Kind, text: str, page: int | None = None) -> Block:
        """A block under the headings."""
        self._bare = None
        return Block(self.headings, kind, text, page)

    @property
    def headings(self) -> tuple[str, ...]:
        """Outermost first."""
        return tuple(t for _, t in self._path if t)


def title_of(text: str) -> str:
    """A title as a file's properties give it; empty for one that only a program gave."""
    title = " ".join(text.split())
    return "" if _NO_TITLE.fullmatch(title) else title


def tables(rows: Iterable[Sequence[str]]) -> Iterator[tuple[Kind, str]]:
    """Rows, the first of them the header, as Markdown tables; empty rows and outer columns are left out.

    A row of one cell before the header is a caption. Only the first rows are looked at to find the columns, so that
    the others are never held together.
    """
    filled = (r for r in map(_trimmed, rows) if r)
    beginning = [r for _, r in zip(range(_LOOKED_AT), filled, strict=False)]
    indent = min((next(i for i, c in enumerate(r) if c) for r in beginning), default=0)
    rest = (_shifted(r, indent) for r in chain(beginning, filled))
    width = max((len(r) - indent for r in beginning), default=0)
    if width < 2:
        yield from _lines(rest)
        return
    first = next(rest)
    for _ in beginning[1:]:
        if sum(map(bool, first)) > 1:
            break
        yield "text", "".join(first)
        first = next(rest)
    yield from _parts([*first, *[""] * (width - len(first))], rest)


def _lines(rows: Iterable[Sequence[str]]) -> Iterator[tuple[Kind, str]]:
    """A table of one column is a text."""
    part: list[str] = []
    for row in rows:
        part.append(" ".join(filter(None, row)))
        if sum(map(len, part)) > ROW_CHARS:
            yield "text", "\n".join(part)
            part = []
    if part:
        yield "text", "\n".join(part)


def _parts(head: Sequence[str], rows: Iterator[Sequence[str]]) -> Iterator[tuple[Kind, str]]:
    width = len(head)
    beginning = [r for _, r in zip(range(_LOOKED_AT), rows, strict=False)]
    top = [_line(head, width), "|" + "---|" * width]
    wide = beginning and len(top[0]) + max(len(_line(r, width)) for r in beginning) > ROW_CHARS
    kind: Kind = "text" if wide else "table"
    part = [] if wide else list(top)
    length = 0
    for row in chain(beginning, rows):
        line = _named(head, row) if wide else _line(row, width)
        if length and length + len(line) > TABLE_CHARS:
            yield kind, ("\n\n" if wide else "\n").join(part)
            part, length = ([] if wide else list(top)), 0
        part.append(line)
        length += len(line)
    yield kind, ("\n\n" if wide else "\n").join(part)


def _trimmed(row: Sequence[str]) -> list[str]:
    cells = [" ".join(c.split()) for c in row]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _line(row: Sequence[str], width: int) -> str:
    cells = [re.sub(r"\\*\|", r"\\|", c) if "|" in c else c for c in row]
    return "| " + " | ".join([*cells, *[""] * (width - len(cells))]) + " |"


def _shifted(row: list[str], indent: int) -> list[str]:
    return [" ".join(filter(None, row[: indent + 1])), *row[indent + 1 :]] if indent else row


def _named(head: Sequence[str], row: Sequence[str]) -> str:
    names = [*head, *[""] * (len(row) - len(head))]
    return "; ".join(f"{n}: {c}" if n else c for n, c in zip(names, row, strict=False) if c)
