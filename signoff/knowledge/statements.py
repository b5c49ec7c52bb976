"""A document's rows, on their way into PostgreSQL and out of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from signoff.knowledge.rows import added_on
from signoff.knowledge.store import StoredDocument
from signoff.knowledge.tables import storable
from signoff.knowledge.tsvector import vector

if TYPE_CHECKING:
    from signoff.knowledge.pool import Connection
    from signoff.knowledge.store import Floats

COUNTED = 32
"""From this many documents on, tables are counted whenever there are twice as many."""
_DOCUMENT = """
INSERT INTO document (id, tenant, key, version, rank, title, language, root, file, trusted, roles, owner, tags,
  valid_from, valid_to, digest, model, added, passages, chunks, terms, embedded)
VALUES (%(id)s, %(tenant)s, %(key)s, %(version)s, %(rank)s, %(title)s, %(language)s, %(root)s, %(file)s, %(trusted)s,
  %(roles)s, %(owner)s, %(tags)s, %(valid_from)s, %(valid_to)s, %(digest)s, %(model)s, %(added)s, %(passages)s,
  %(chunks)s, %(terms)s, %(embedded)s)
RETURNING number
"""


def step(tx: Connection) -> None:
    """Begin the store's next generation. First in every writing transaction: its lock lets one write at a time."""
    tx.execute("UPDATE meta SET value = (value::bigint + 1)::text WHERE name = 'generation'")


def insert(tx: Connection, document: StoredDocument) -> None:
    """A document that is not there, with its passages, words and vectors."""
    chunks = [(place, c) for place, p in enumerate(document.passages) for c in p.chunks]
    number = rows(
        tx,
        _DOCUMENT,
        {
            **{
                name: storable(getattr(document, name))
                for name in ("id", "tenant", "key", "version", "rank", "title", "language", "root", "file")
            },
            "trusted": document.trusted,
            "roles": [storable(r) for r in sorted({*document.roles})],
            "owner": storable(document.owner),
            "tags": [storable(t) for t in document.tags],
            "valid_from": document.valid_from,
            "valid_to": document.valid_to,
            "digest": document.digest,
            "model": document.model,
            "added": added_on(document),
            "passages": len(document.passages),
            "chunks": len(chunks),
            "terms": sum(len(c.head) + len(c.body) for _, c in chunks),
            "embedded": sum(c.vector is not None for _, c in chunks),
        },
    )[0]["number"]
    places = _inserted(
        tx,
        "INSERT INTO passage (id, document, ordinal, place, page, text) VALUES (%s, %s, %s, %s, %s, %s) RETURNING row",
        [
            (storable(p.id), number, ordinal, storable(p.place), p.page, storable(p.text))
            for ordinal, p in enumerate(document.passages)
        ],
    )
    ats = _inserted(
        tx,
        """INSERT INTO chunk (passage, document, id, ordinal, start, stop, length, head, body, words)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s::tsvector) RETURNING row""",
        [
            (
                places[place],
                number,
                storable(document.passages[place].id),
                place,
                c.start,
                c.end,
                len(c.head) + len(c.body),
                storable(" ".join(c.head)),
                storable(" ".join(c.body)),
                vector(c),
            )
            for place, c in chunks
        ],
    )
    embed(tx, number, [(at, c.vector) for at, (_, c) in zip(ats, chunks, strict=True) if c.vector is not None])
    if document.model:
        tx.execute("UPDATE meta SET value = %s WHERE name = 'model' AND value = ''", (document.model,))
    if number >= COUNTED and number & (number - 1) == 0:
        # The server counts by itself only after a minute; until then a search would be planned as if it were empty.
        tx.execute("ANALYZE document, passage, chunk, vector")


def embed(tx: Connection, document: int, vectors: Iterable[tuple[int, Floats]]) -> None:
    """Vectors of a document's chunks that have none."""
    with tx.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO vector VALUES (%s, %s, %b::float4[]::halfvec)",
            [(at, document, floats(v)) for at, v in vectors],
        )


def remove(tx: Connection, idents: Iterable[str]) -> int:
    """Remove documents with all that belongs to them; how many there were."""
    removed = tx.execute("DELETE FROM document WHERE id = ANY(%s)", ([storable(i) for i in idents],)).rowcount
    if removed:
        tx.execute("UPDATE meta SET value = (value::bigint + 1)::text WHERE name = 'unerased'")
    return removed


def rows(tx: Connection, query: str, values: Mapping[str, Any] | Sequence[Any]) -> list[dict[str, Any]]:
    """All rows of a query's result."""
    return tx.execute(query, values).fetchall()


def floats(vector: Floats) -> list[float]:
    """A vector as a parameter."""
    return [float(x) for x in vector.tolist()]


def _inserted(tx: Connection, query: str, values: Sequence[tuple[Any, ...]]) -> list[int]:
    """The numbers of new rows, in the order of their values."""
    found: list[int] = []
    if values:
        with tx.cursor() as cursor:
            cursor.executemany(query, values, returning=True)
            for _ in cursor.results():
                found.extend(row["row"] for row in cursor)
    return found
