"""Where words stand, and which chunks hold the most of a question: BM25 over groups of words."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from signoff.knowledge.query import Group
from signoff.knowledge.recent import Recent
from signoff.knowledge.vectors import leading

if TYPE_CHECKING:
    from numpy.typing import NDArray

Word = tuple[str, ...]

K1, B = 1.2, 0.4
HEAD = 2
"""What a word counts in title and headings."""
MEMORY = 64_000_000
"""Bytes of postings that are kept."""
_COLUMN = 24
"""A place is one number: the chunk's row, one bit for the column, and so many bits for the offset within it."""
_OCCURRENCES = f"""
SELECT group_concat((doc << {_COLUMN + 1}) | ((col = 'body') << {_COLUMN}) | offset) FROM occurrence WHERE term = ?
"""


@dataclass(frozen=True)
class Posting:
    """The chunks that hold a word: their places in the catalogue, and how much of it each holds."""

    at: NDArray[np.int64]
    weight: NDArray[np.float32]


@dataclass(frozen=True)
class Readable:
    """The chunks that a caller may read, as places in the catalogue."""

    mask: NDArray[np.bool_]
    count: int
    mean_length: float
    norm: NDArray[np.float32]
    """By chunk: what BM25 adds below the line for its length."""

    @classmethod
    def of(cls, mask: NDArray[np.bool_], lengths: NDArray[np.int64]) -> Readable:
        """Counted over the chunks of the mask only."""
        count = int(mask.sum())
        mean = float(lengths[mask].sum() / count) if count else 0.0
        return cls(mask, count, mean, (K1 * (1 - B + B * lengths / (mean or 1.0))).astype(np.float32))


class Postings:
    """The postings of one generation of the store; those asked for last are kept."""

    def __init__(self, rows: NDArray[np.int64]) -> None:
        self._rows = rows
        self._kept: Recent[Word, Posting] = Recent(MEMORY, lambda p: p.at.nbytes + p.weight.nbytes + 200)

    def of(self, tx: sqlite3.Connection, word: Word) -> Posting:
        """Of a word, or of words that follow each other."""
        return self._kept.get(word, lambda: self._read(tx, word))

    def _read(self, tx: sqlite3.Connection, word: Word) -> Posting:
        places = _places(tx, word[0])
        for distance, term in enumerate(word[1:], 1):
            if not len(places):
                break
            places = np.intersect1d(places, _places(tx, term) - distance, assume_unique=True)
        rows, starts = np.unique(places >> (_COLUMN + 1), return_index=True)
        in_head = (places >> _COLUMN) & 1 == 0
        weights = np.where(in_head, HEAD, 1).astype(np.float32)
        held = np.add.reduceat(weights, starts) if len(starts) else weights
        return Posting(np.asarray(np.searchsorted(self._rows, rows), np.int64), held)


def best(
    tx: sqlite3.Connection, postings: Postings, readable: Readable, groups: Sequence[Group], limit: int
) -> tuple[tuple[int, ...], NDArray[np.intp], NDArray[np.float64]]:
    """By group, how many readable chunks hold it; then the best chunks' places in the catalogue and their scores.

    BM25 (Robertson and Zaragoza, 2009) with a group in place of a word: a group occurs as often as that of its words
    which occurs most. Only what is readable is counted and ranked.
    """
    size = len(readable.mask)
    score, frequency = np.zeros(size), []
    for group in groups:
        held = np.zeros(size, np.float32)
        for word in {*group.own, *group.variants}:
            posting = postings.of(tx, word)
            held[posting.at] = np.maximum(held[posting.at], posting.weight)
        at = np.flatnonzero((held > 0) & readable.mask)
        frequency.append(len(at))
        if len(at):
            rare = np.log(1 + (readable.count - len(at) + 0.5) / (len(at) + 0.5))
            score[at] += rare * held[at] * (K1 + 1) / (held[at] + readable.norm[at])
    met = np.flatnonzero(score)
    # Rounded, so that what is equal stays equal whatever the order of the sums.
    scores = np.round(score[met], 6)
    first = leading(scores, limit)
    return tuple(frequency), met[first], scores[first]


def _places(tx: sqlite3.Connection, term: str) -> NDArray[np.int64]:
    found = tx.execute(_OCCURRENCES, (term,)).fetchone()[0]
    return np.sort(np.fromstring(found, np.int64, sep=",")) if found else np.empty(0, np.int64)
