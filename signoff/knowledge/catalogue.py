"""What is kept in memory of `knowledge.db` between two searches, as long as it is what the file holds."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from signoff.knowledge.passages import Filter
from signoff.knowledge.postings import Postings, Readable
from signoff.knowledge.recent import Recent
from signoff.knowledge.store import Access
from signoff.knowledge.vectors import Matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

CALLERS = 32
"""Callers and filters whose readable chunks are kept, and as many again for vectors."""
WASTE = 2
"""How many times what it needs a catalogue may hold of what was removed, before it is read anew."""


@dataclass(frozen=True)
class Words:
    """The chunks of one generation, and what was read of their words."""

    generation: int
    rows: NDArray[np.int64]
    documents: NDArray[np.int64]
    lengths: NDArray[np.int64]
    """By chunk in the order of rows: its row, its document's number, how many terms it has."""
    postings: Postings
    readable: Recent[tuple[Access, Filter], Readable] = field(default_factory=lambda: Recent(CALLERS))

    def among(self, documents: NDArray[np.int64]) -> NDArray[np.bool_]:
        """By chunk: whether it is of these documents."""
        return np.isin(self.documents, documents)


@dataclass(frozen=True)
class Meanings:
    """The vectors of one model at one generation."""

    generation: int
    model: str
    matrix: Matrix
    readable: Recent[tuple[Access, Filter], NDArray[np.bool_]] = field(default_factory=lambda: Recent(CALLERS))


class Catalogue:
    """Words and meanings as they are in a snapshot. Chunks are only ever added to what is held: their numbers are
    never used twice, and those of removed documents are in no caller's readable documents."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._words: Words | None = None
        self._meanings: Meanings | None = None

    # Both begin their transaction's snapshot under the lock, so that none is older than what is held.

    def words(self, tx: sqlite3.Connection) -> Words:
        """For a transaction that has read nothing yet."""
        with self._lock:
            generation = _generation(tx)
            if self._words is None or self._words.generation != generation:
                self._words = _words(tx, generation, self._words)
            return self._words

    def meanings(self, tx: sqlite3.Connection, model: str) -> Meanings:
        """For a transaction that has read nothing yet. The vectors of the model asked for last are kept."""
        with self._lock:
            generation = _generation(tx)
            held = self._meanings if self._meanings and self._meanings.model == model else None
            if held is None or held.generation != generation:
                held = _meanings(tx, generation, model, held)
            self._meanings = held
            return held


def _generation(tx: sqlite3.Connection) -> int:
    return int(tx.execute("SELECT value FROM meta WHERE name = 'generation'").fetchone()[0])


def _words(tx: sqlite3.Connection, generation: int, held: Words | None) -> Words:
    needed = tx.execute("SELECT coalesce(sum(chunks), 0) FROM document").fetchone()[0]
    last = int(held.rows[-1]) if held is not None and len(held.rows) else 0
    new = _columns(tx, "SELECT row, document, length FROM chunk WHERE row > ? ORDER BY row", last)
    if held is not None and len(held.rows) + new.shape[1] <= WASTE * needed + 1_000:
        new = np.concatenate([np.stack([held.rows, held.documents, held.lengths]), new], axis=1)
    elif held is not None:
        return _words(tx, generation, None)
    return Words(generation, new[0], new[1], new[2], Postings(new[0]))


def _meanings(tx: sqlite3.Connection, generation: int, model: str, held: Meanings | None) -> Meanings:
    needed = tx.execute("SELECT coalesce(sum(embedded), 0) FROM document WHERE model = ?", (model,)).fetchone()[0]
    if held is not None and held.matrix.size > WASTE * needed + 1_000:
        held = None
    matrix = held.matrix if held is not None else Matrix.empty()
    rows = tx.execute(
        """SELECT v.chunk, v.document, v.value FROM vector v WHERE v.document IN
        (SELECT number FROM document WHERE model = ? AND vectors_of > ?)""",
        (model, held.generation if held is not None else -1),
    )
    rows.row_factory = None
    return Meanings(generation, model, matrix.extended(rows))


def _columns(tx: sqlite3.Connection, query: str, *parameters: object) -> NDArray[np.int64]:
    """The result's columns, shape (columns, rows)."""
    cursor = tx.execute(query, parameters)
    cursor.row_factory = None
    rows = cursor.fetchall()
    return np.array(rows, np.int64).reshape(len(rows), len(cursor.description)).T
