"""Documents in PostgreSQL: full text for words, pgvector's half-precision vectors for meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from signoff.knowledge.passages import Document, Filter, Passage
from signoff.knowledge.pool import SCHEMA, Pool
from signoff.knowledge.query import Group
from signoff.knowledge.rows import HELD_COLUMNS, counts_of, document_of, held_of, passage_of
from signoff.knowledge.sqlite import MAX_UNANSWERED
from signoff.knowledge.statements import embed, floats, insert, remove, step
from signoff.knowledge.statements import rows as rows_of
from signoff.knowledge.store import (
    Access,
    Candidate,
    Counts,
    Held,
    Lexical,
    Near,
    StoredDocument,
    Unanswered,
    embedded_text,
)
from signoff.knowledge.tables import (
    ALLOWED,
    ALLOWED_CHUNKS,
    DOCUMENTS,
    FOUND_CHUNKS,
    NAMES,
    PASSAGES,
    READABLE,
    narrowing,
    parameters,
    prepare,
    storable,
)

if TYPE_CHECKING:
    from signoff.knowledge.pool import Connection
    from signoff.knowledge.store import Floats

WIDER = 4
"""How many times as many chunks as asked are taken by a rough score, to be ranked by the exact one."""


class PostgresStore:
    """`Store` in a PostgreSQL database with pgvector, in a schema of its own that is made if it is missing.

    `url` is `postgresql://user:password@host/name`. Raises `ConfigError` when it, the password or a right is wrong,
    or pgvector or the extra is missing; `StoreError` when the server cannot be reached or is locked longer than
    `busy_timeout_s` seconds.
    """

    def __init__(self, url: str, *, busy_timeout_s: float = 10.0) -> None:
        self._pool = Pool(url, wait_s=busy_timeout_s)
        self.name = self._pool.name
        prepare(self._pool)

    def put(self, document: StoredDocument) -> None:
        """See `Store`."""
        self.replace(document, ())

    def replace(self, document: StoredDocument, gone: Sequence[str]) -> None:
        """See `Store`."""
        with self._pool.write() as tx:
            step(tx)
            remove(tx, [document.id, *gone])
            insert(tx, document)

    def move(self, ident: str, root: str, file: str, gone: Sequence[str] = ()) -> None:
        """See `Store`."""
        with self._pool.write() as tx:
            step(tx)
            remove(tx, [g for g in gone if g != ident])
            tx.execute(
                "UPDATE document SET root = %s, file = %s WHERE id = %s",
                (storable(root), storable(file), storable(ident)),
            )

    def drop(self, idents: Sequence[str]) -> int:
        """See `Store`."""
        with self._pool.write() as tx:
            step(tx)
            return remove(tx, idents)

    def erase(self) -> None:
        """See `Store`. The tables are written anew; the server's own log and its backups are the operator's."""
        unerased = int(self._meta("unerased"))
        if not unerased:
            return
        with self._pool.plain() as connection:
            for table in NAMES:
                connection.execute(f"VACUUM FULL {SCHEMA}.{table}")
        with self._pool.write() as tx:
            # What was removed meanwhile is left to the next time.
            query = "UPDATE meta SET value = (value::bigint - %s)::text WHERE name = 'unerased'"
            tx.execute(query, (unerased,))

    def held(self, ident: str) -> Held | None:
        """See `Store`."""
        found = self._held("id = %s", ident)
        return found[0] if found else None

    def of_file(self, root: str, file: str) -> list[Held]:
        """See `Store`."""
        return self._held("root = %s AND file = %s", root, file)

    def of_root(self, root: str) -> list[Held]:
        """See `Store`."""
        return self._held("root = %s", root)

    def grant_of(self, root: str) -> str | None:
        """See `Store`."""
        found = self._rows("SELECT value FROM meta WHERE name = %(name)s", {"name": storable(f"grant:{root}")})
        return str(found[0]["value"]) if found else None

    def set_grant(self, root: str, grant: str) -> None:
        """See `Store`."""
        with self._pool.write() as tx:
            tx.execute(
                "INSERT INTO meta VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (storable(f"grant:{root}"), storable(grant)),
            )

    def model(self) -> str:
        """See `Store`."""
        return self._meta("model")

    def set_model(self, model: str) -> None:
        """See `Store`."""
        with self._pool.write() as tx:
            step(tx)
            tx.execute("UPDATE meta SET value = %s WHERE name = 'model'", (model,))

    def outdated(self) -> list[str]:
        """See `Store`."""
        rows = self._rows(
            """SELECT id FROM document WHERE embedded < chunks
            OR model <> (SELECT value FROM meta WHERE name = 'model') ORDER BY root, file, id""",
            {},
        )
        return [r["id"] for r in rows]

    def texts(self, ident: str) -> list[tuple[int, str]]:
        """See `Store`."""
        rows = self._rows(
            """SELECT c.row, c.start, c.stop, d.title, p.place, p.text FROM document d
            JOIN passage p ON p.document = d.number JOIN chunk c ON c.passage = p.row
            WHERE d.id = %(id)s ORDER BY p.ordinal, c.row""",
            {"id": storable(ident)},
        )
        return [(r["row"], embedded_text(r["title"], r["place"], r["text"][r["start"] : r["stop"]])) for r in rows]

    def set_vectors(self, ident: str, model: str, vectors: Sequence[tuple[int, Floats]]) -> None:
        """See `Store`. A document that was replaced since its texts were read keeps what it has."""
        with self._pool.write() as tx:
            step(tx)
            own = tx.execute(
                """SELECT c.row, d.number FROM document d JOIN passage p ON p.document = d.number
                JOIN chunk c ON c.passage = p.row WHERE d.id = %s""",
                (storable(ident),),
            ).fetchall()
            if not own or not {r["row"] for r in own}.issuperset(chunk for chunk, _ in vectors):
                return
            number = own[0]["number"]
            tx.execute("DELETE FROM vector WHERE document = %s", (number,))
            embed(tx, number, vectors)
            tx.execute("UPDATE document SET model = %s, embedded = %s WHERE number = %s", (model, len(vectors), number))

    def documents(self, access: Access, *, operator: bool = False) -> list[Document]:
        """See `Store`."""
        query = f"{DOCUMENTS} WHERE %(operator)s OR ({READABLE}) ORDER BY d.title, d.rank, d.id"
        rows = self._rows(query, parameters(access, operator=operator))
        return [document_of(r, r["roles"], r["tags"], access.today) for r in rows]

    def lexical(self, access: Access, narrowed: Filter, groups: Sequence[Group], limit: int) -> Lexical:
        """See `Store`."""
        from signoff.knowledge.tsvector import matches, rescored

        condition, asked = narrowing(narrowed)
        allowed = f"SELECT d.number, d.chunks, d.terms FROM document d WHERE {ALLOWED} AND {condition}"
        query, words = matches(groups, allowed)
        values = parameters(access, **asked, **words, limit=WIDER * max(limit, 0))
        with self._pool.read() as tx:
            found = _searched(tx, query, values, scan=False)
            query = f"""SELECT c.row, c.passage, c.id, c.ordinal, c.start, c.length, c.head, c.body, d.language
                {FOUND_CHUNKS}"""
            rows = rows_of(tx, query, {"rows": [r["row"] for r in found if r["row"] is not None]})
        count, mean = int(found[0]["count"]), found[0]["mean"]
        frequency = tuple(found[0][f"f{i}"] for i in range(len(groups)))
        candidates = [
            Candidate(
                chunk=r["row"],
                passage=r["passage"],
                ordinal=r["ordinal"],
                length=r["length"],
                language=r["language"],
                head=tuple(r["head"].split()),
                body=tuple(r["body"].split()),
            )
            for r in rows
        ]
        scores = rescored(candidates, groups, frequency, count, mean)
        ranked = sorted(zip(scores, rows, candidates, strict=True), key=lambda s: (-s[0], s[1]["id"], s[1]["start"]))
        return Lexical(count, mean, frequency, tuple(c for _, _, c in ranked[: max(limit, 0)]))

    def dense(self, access: Access, narrowed: Filter, vector: Floats, model: str, limit: int) -> list[Near]:
        """See `Store`."""
        condition, asked = narrowing(narrowed)
        # By way of the allowed documents alone: vectors of other models may be of another dimension.
        query = f"""WITH allowed AS MATERIALIZED (
              SELECT d.number FROM document d WHERE {ALLOWED} AND {condition} AND d.model = %(model)s)
            SELECT v.chunk, round(1e6 * (v.value <#> %(vector)b::float8[]::halfvec)) AS distance
            FROM vector v JOIN allowed a ON a.number = v.document WHERE vector_dims(v.value) = %(dimension)s
            ORDER BY distance LIMIT %(limit)s"""
        values = parameters(
            access, **asked, model=model, vector=floats(vector), dimension=len(vector), limit=WIDER * max(limit, 0)
        )
        with self._pool.read() as tx:
            found = _searched(tx, query, values, scan=True)
            similar = {r["chunk"]: min(1.0, max(-1.0, 0.0 - r["distance"] / 1e6)) for r in found}
            query = f"SELECT c.row, c.passage, c.id, c.start, d.language {FOUND_CHUNKS}"
            rows = rows_of(tx, query, {"rows": list(similar)})
        rows.sort(key=lambda r: (-similar[r["row"]], r["id"], r["start"]))
        return [Near(r["row"], r["passage"], similar[r["row"]], r["language"]) for r in rows[: max(limit, 0)]]

    def passages(self, access: Access, rows: Sequence[int]) -> dict[int, Passage]:
        """See `Store`."""
        found = self._rows(f"{PASSAGES} AND p.row = ANY(%(rows)s)", parameters(access, rows=list(rows)))
        return {row["row"]: passage_of(row) for row in found}

    def spans(self, access: Access, chunks: Sequence[int]) -> dict[int, tuple[int, int]]:
        """See `Store`."""
        found = self._rows(f"SELECT c.row, c.start, c.stop {ALLOWED_CHUNKS}", parameters(access, rows=list(chunks)))
        return {r["row"]: (r["start"], r["stop"]) for r in found}

    def passage(self, access: Access, ident: str) -> Passage | None:
        """See `Store`."""
        found = self._rows(f"{PASSAGES} AND p.id = %(id)s", parameters(access, id=ident))
        return passage_of(found[0]) if found else None

    def beginning(self, access: Access, prefix: str, limit: int) -> list[Passage]:
        """See `Store`."""
        found = self._rows(
            f"{PASSAGES} AND p.id >= %(prefix)s AND starts_with(p.id, %(prefix)s) ORDER BY p.id LIMIT %(limit)s",
            parameters(access, prefix=prefix, limit=max(limit, 0)),
        )
        return [passage_of(row) for row in found]

    def neighbours(self, access: Access, ident: str) -> tuple[Passage | None, Passage | None]:
        """See `Store`."""
        beside = "(SELECT o.document, o.ordinal + %(step)s FROM passage o WHERE o.id = %(id)s)"
        found = [
            self._rows(f"{PASSAGES} AND (p.document, p.ordinal) = {beside}", parameters(access, id=ident, step=step))
            for step in (-1, 1)
        ]
        before, after = (passage_of(rows[0]) if rows else None for rows in found)
        return before, after

    def counts(self, access: Access, *, operator: bool) -> Counts:
        """See `Store`."""
        with self._pool.read() as tx:
            rows = rows_of(tx, f"{DOCUMENTS} WHERE %(operator)s OR ({READABLE})", parameters(access, operator=operator))
            sizes = "SELECT sum(pg_total_relation_size(n::regclass))::bigint AS bytes FROM unnest(%s::text[]) n"
            size = rows_of(tx, sizes, (list(NAMES),))
        return counts_of(rows, access.today, size=size[0]["bytes"] if operator else 0)

    def note_unanswered(self, tenant: str, question: str, today: str, *, user: str = "") -> None:
        """See `Store`. Of a tenant's questions the latest `MAX_UNANSWERED` are kept."""
        with self._pool.write() as tx:
            values = {
                "tenant": storable(tenant),
                "user": storable(user),
                "question": storable(question),
                "today": today,
                "most": MAX_UNANSWERED,
            }
            tx.execute(
                """INSERT INTO unanswered AS u VALUES (%(tenant)s, %(user)s, %(question)s, %(today)s, 1)
                ON CONFLICT (tenant, asker, question) DO UPDATE
                SET times = u.times + 1, last = greatest(u.last, excluded.last)""",
                values,
            )
            tx.execute(
                """DELETE FROM unanswered WHERE tenant = %(tenant)s AND (asker, question) IN (
                  SELECT asker, question FROM unanswered WHERE tenant = %(tenant)s
                  ORDER BY last DESC, times DESC, question, asker OFFSET %(most)s)""",
                values,
            )

    def unanswered(self, tenant: str, since: str, limit: int, *, user: str = "") -> list[Unanswered]:
        """See `Store`."""
        rows = self._rows(
            """SELECT question, sum(times)::int AS times, max(last) AS last FROM unanswered
            WHERE (%(tenant)s = '*' OR (tenant, asker) = (%(tenant)s, %(user)s)) AND last >= %(since)s
            GROUP BY question
            ORDER BY sum(times) DESC, max(last) DESC, question LIMIT %(limit)s""",
            {"tenant": storable(tenant), "user": storable(user), "since": since, "limit": max(limit, 0)},
        )
        return [Unanswered(r["question"], r["times"], r["last"]) for r in rows]

    def generation(self) -> int:
        """See `Store`."""
        return int(self._meta("generation"))

    def chunk_texts(self, access: Access, chunks: Sequence[int]) -> dict[int, str]:
        """See `Store`."""
        found = self._rows(
            f"SELECT c.row, c.start, c.stop, p.text {ALLOWED_CHUNKS}", parameters(access, rows=list(chunks))
        )
        return {r["row"]: r["text"][r["start"] : r["stop"]] for r in found}

    def close(self) -> None:
        """See `Store`."""
        self._pool.close()

    def _meta(self, name: str) -> str:
        return str(self._rows("SELECT value FROM meta WHERE name = %(name)s", {"name": name})[0]["value"])

    def _held(self, condition: str, *values: str) -> list[Held]:
        with self._pool.read() as tx:
            query = f"SELECT {HELD_COLUMNS} FROM document WHERE {condition} ORDER BY file, rank, id"
            return [held_of(row) for row in rows_of(tx, query, [storable(v) for v in values])]

    def _rows(self, query: str, values: dict[str, Any]) -> list[dict[str, Any]]:
        with self._pool.read() as tx:
            return rows_of(tx, query, values)


def _searched(tx: Connection, query: str, values: dict[str, Any], *, scan: bool) -> list[dict[str, Any]]:
    """Rows of a query over all that may be read, with or without reading whole tables.

    Without statistics, as after a large import, the planner would look every document up on its own, which takes a
    hundred times as long, or read all chunks in place of the index of words.
    """
    tx.execute(f"SET LOCAL enable_nestloop = off; SET LOCAL enable_seqscan = {'on' if scan else 'off'}")
    found = rows_of(tx, query, values)
    tx.execute("SET LOCAL enable_nestloop = on; SET LOCAL enable_seqscan = on")
    return found
