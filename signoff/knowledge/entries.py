"""A document's rows, on their way into `knowledge.db` and out of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING

from signoff.knowledge.rows import added_on
from signoff.knowledge.store import StoredDocument
from signoff.knowledge.visibility import storable

if TYPE_CHECKING:
    from signoff.knowledge.store import Floats


def step(tx: sqlite3.Connection) -> int:
    """Begin the store's next generation; its number."""
    return int(tx.execute("UPDATE meta SET value = value + 1 WHERE name = 'generation' RETURNING value").fetchone()[0])


def model_of(tx: sqlite3.Connection) -> str:
    """The model whose vectors the store takes."""
    return str(tx.execute("SELECT value FROM meta WHERE name = 'model'").fetchone()[0])


def insert(tx: sqlite3.Connection, document: StoredDocument, generation: int) -> None:
    """A document that is not there, with its passages, words and vectors."""
    chunks = [c for p in document.passages for c in p.chunks]
    number = tx.execute(
        """INSERT INTO document (id, tenant, key, version, rank, title, language, root, file, trusted, owner, tags,
        valid_from, valid_to, digest, model, added, chunks, embedded, vectors_of)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            storable(document.id),
            storable(document.tenant),
            storable(document.key),
            storable(document.version),
            storable(document.rank),
            storable(document.title),
            storable(document.language),
            storable(document.root),
            storable(document.file),
            document.trusted,
            storable(document.owner),
            json.dumps(document.tags),
            document.valid_from,
            document.valid_to,
            document.digest,
            document.model,
            added_on(document),
            len(chunks),
            sum(c.vector is not None for c in chunks),
            generation,
        ),
    ).lastrowid
    assert number is not None
    tx.executemany("INSERT INTO reader VALUES (?, ?)", [(number, r) for r in {storable(r) for r in document.roles}])
    for ordinal, passage in enumerate(document.passages):
        row = tx.execute(
            "INSERT INTO passage (id, document, ordinal, place, page, text) VALUES (?, ?, ?, ?, ?, ?)",
            (storable(passage.id), number, ordinal, storable(passage.place), passage.page, storable(passage.text)),
        ).lastrowid
        vectors = []
        for chunk in passage.chunks:
            at = tx.execute(
                "INSERT INTO chunk (passage, document, start, stop, length) VALUES (?, ?, ?, ?, ?)",
                (row, number, chunk.start, chunk.end, len(chunk.head) + len(chunk.body)),
            ).lastrowid
            assert at is not None
            tx.execute(
                "INSERT INTO words (rowid, head, body) VALUES (?, ?, ?)", (at, _joined(chunk.head), _joined(chunk.body))
            )
            if chunk.vector is not None:
                vectors.append((at, chunk.vector))
        embed(tx, number, vectors)
    if document.model:
        tx.execute("UPDATE meta SET value = ? WHERE name = 'model' AND value = ''", (document.model,))


def embed(tx: sqlite3.Connection, document: int, vectors: Iterable[tuple[int, Floats]]) -> None:
    """Vectors of a document's chunks that have none."""
    from signoff.knowledge.vectors import pack

    tx.executemany("INSERT INTO vector VALUES (?, ?, ?)", [(chunk, document, pack(v)) for chunk, v in vectors])


def remove(tx: sqlite3.Connection, idents: Iterable[str]) -> int:
    """Remove documents with all that belongs to them; how many there were."""
    removed = sum(tx.execute("DELETE FROM document WHERE id = ?", (storable(ident),)).rowcount for ident in {*idents})
    if removed:
        tx.execute("UPDATE meta SET value = value + 1 WHERE name = 'unerased'")
    return removed


def _joined(terms: Iterable[str]) -> str:
    return storable(" ".join(terms))
