"""CSV and TSV: rows as tables, each with the header row, read as they come."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from signoff.knowledge.convert.blocks import Block, Unreadable, tables

DELIMITERS = ",;\t|，"
_SAMPLE_LINES = 100


def delimited(lines: Iterable[str], delimiter: str | None = None) -> Iterator[Block]:
    """The tables of delimited text; the first row is the header.

    `lines` keep their line ends. Raises `Unreadable` with the line where a row cannot be read.
    """
    coming = iter(lines)
    sample = list(islice(coming, _SAMPLE_LINES))
    mark = delimiter or _delimiter(sample)
    reader = csv.reader(chain(sample, coming), delimiter=mark)
    try:
        yield from (Block((), kind, text) for kind, text in tables(reader))
    except csv.Error as error:
        raise Unreadable(f"is not readable as CSV at line {reader.line_num}: {error}") from None


def _delimiter(sample: list[str]) -> str:
    """The one that cuts most rows into the same number of cells, and into the most of them."""

    def score(mark: str) -> tuple[float, int]:
        try:
            widths = Counter(len(row) for row in csv.reader(sample, delimiter=mark) if row)
        except csv.Error:
            return (0, 0)
        width, rows = max(widths.items(), key=lambda w: (w[0] > 1, w[1]), default=(1, 0))
        return (rows / widths.total() if width > 1 else 0, width)

    # Excel says so itself where it had to choose.
    if sample and sample[0].lower().startswith("sep=") and len(sample[0].strip()) == 5:
        return sample.pop(0)[4]
    best = max(DELIMITERS, key=score)
    return best if score(best)[0] > 0 else ","
