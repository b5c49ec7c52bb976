"""Documents in one SQLite file: FTS5 for words, half-precision blobs for vectors, both ranked in memory with numpy."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from signoff.knowledge.database import Database
from signoff.knowledge.entries import embed, insert, model_of, remove, step
from signoff.knowledge.passages import Document, Filter, Passage
from signoff.knowledge.query import Group
from signoff.knowledge.rows import (
    HELD_COLUMNS,
    counts_of,
    document_of,
    held_of,
    passage_of,
)
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
from signoff.knowledge.visibility import ALLOWED_CHUNKS, DOCUMENTS, PASSAGES, READABLE, allowed, parameters, storable

if TYPE_CHECKING:
    from signoff.knowledge.catalogue import Catalogue
    from signoff.knowledge.store import Floats

MAX_UNANSWERED = 1_000
"""Questions without an answer that are kept of a tenant: the latest."""


class SqliteStore:
    """`Store` in the file `path`, which is made if it is missing, or brought to this version.

    Raises `StoreError` when the file is locked longer than `busy_timeout_s` seconds, is no database, or is of a
    later version.
    """

    def __init__(self, path: Path, *, busy_timeout_s: float = 10.0) -> None:
        self.name = path.name
        self._db = Database(path, busy_timeout_s=busy_timeout_s)
        self._memory: Catalogue | None = None

    def put(self, document: StoredDocument) -> None:
        """See `Store`."""
        self.replace(document, ())

    def replace(self, document: StoredDocument, gone: Sequence[str]) -> None:
        """See `Store`."""
        with self._db.write() as tx:
            remove(tx, [document.id, *gone])
            insert(tx, document, step(tx))

    def move(self, ident: str, root: str, file: str, gone: Sequence[str] = ()) -> None:
        """See `Store`."""
        with self._db.write() as tx:
            step(tx)
            remove(tx, [g for g in gone if g != ident])
            tx.execute(
                "UPDATE document SET root = ?, file = ? WHERE id = ?", (storable(root), storable(file), storable(ident))
            )

    def drop(self, idents: Sequence[str]) -> int:
        """See `Store`."""
        with self._db.write() as tx:
            dropped = remove(tx, idents)
            if dropped:
                step(tx)
            return dropped

    def erase(self) -> None:
        """See `Store`. Words stay in full-text segments until these are merged, and all of it in the log.

        A large file takes seconds, in which it can be searched but not written; without removed text it is not touched.
        """
        with self._db.write() as tx:
            unerased = tx.execute("SELECT value FROM meta WHERE name = 'unerased'").fetchone()[0]
            if unerased:
                tx.execute("INSERT INTO words (words) VALUES ('optimize')")
        if unerased:
            self._db.rewrite()
        self._db.truncate()
        if unerased:
            with self._db.write() as tx:
                # What was removed meanwhile is left to the next time.
                tx.execute("UPDATE meta SET value = value - ? WHERE name = 'unerased'", (unerased,))

    def held(self, ident: str) -> Held | None:
        """See `Store`."""
        found = self._held("id = ?", ident)
        return found[0] if found else None

    def of_file(self, root: str, file: str) -> list[Held]:
        """See `Store`."""
        return self._held("root = ? AND file = ?", root, file)

    def of_root(self, root: str) -> list[Held]:
        """See `Store`."""
        return self._held("root = ?", root)

    def grant_of(self, root: str) -> str | None:
        """See `Store`."""
        with self._db.read() as tx:
            row = tx.execute("SELECT value FROM meta WHERE name = ?", (storable(f"grant:{root}"),)).fetchone()
            return None if row is None else str(row["value"])

    def set_grant(self, root: str, grant: str) -> None:
        """See `Store`."""
        with self._db.write() as tx:
            tx.execute(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (storable(f"grant:{root}"), storable(grant)),
            )

    def model(self) -> str:
        """See `Store`."""
        with self._db.read() as tx:
            return model_of(tx)

    def set_model(self, model: str) -> None:
        """See `Store`."""
        with self._db.write() as tx:
            step(tx)
            tx.execute("UPDATE meta SET value = ? WHERE name = 'model'", (model,))

    def outdated(self) -> list[str]:
        """See `Store`."""
        with self._db.read() as tx:
            query = "SELECT id FROM document WHERE embedded < chunks OR model <> ? ORDER BY root, file, id"
            return [row["id"] for row in tx.execute(query, (model_of(tx),))]

    def texts(self, ident: str) -> list[tuple[int, str]]:
        """See `Store`."""
        with self._db.read() as tx:
            rows = tx.execute(
                """SELECT c.row, c.start, c.stop, d.title, p.place, p.text FROM document d
                JOIN passage p ON p.document = d.number JOIN chunk c ON c.passage = p.row
                WHERE d.id = ? ORDER BY p.ordinal, c.row""",
                (storable(ident),),
            )
            return [(r["row"], embedded_text(r["title"], r["place"], r["text"][r["start"] : r["stop"]])) for r in rows]

    def set_vectors(self, ident: str, model: str, vectors: Sequence[tuple[int, Floats]]) -> None:
        """See `Store`. A document that was replaced since its texts were read keeps what it has."""
        with self._db.write() as tx:
            own = tx.execute(
                """SELECT c.row, d.number FROM document d JOIN passage p ON p.document = d.number
                JOIN chunk c ON c.passage = p.row WHERE d.id = ?""",
                (storable(ident),),
            ).fetchall()
            if not own or not {r["row"] for r in own}.issuperset(chunk for chunk, _ in vectors):
                return
            number = own[0]["number"]
            tx.execute("DELETE FROM vector WHERE document = ?", (number,))
            embed(tx, number, vectors)
            tx.execute(
                "UPDATE document SET model = ?, embedded = ?, vectors_of = ? WHERE number = ?",
                (model, len(vectors), step(tx), number),
            )

    def documents(self, access: Access, *, operator: bool = False) -> list[Document]:
        """See `Store`."""
        query = f"{DOCUMENTS} WHERE :operator OR ({READABLE}) ORDER BY d.title, d.rank, d.id"
        with self._db.read() as tx:
            rows = tx.execute(query, parameters(access, operator=operator))
            return [document_of(r, json.loads(r["readers"]), json.loads(r["tags"]), access.today) for r in rows]

    def lexical(self, access: Access, narrowed: Filter, groups: Sequence[Group], limit: int) -> Lexical:
        """See `Store`."""
        from signoff.knowledge.postings import Readable, best

        with self._db.read() as tx:
            words = self._catalogue().words(tx)
            readable = words.readable.get(
                (access, narrowed),
                lambda: Readable.of(words.among(allowed(tx, access, narrowed)), words.lengths),
            )
            if not readable.count:
                return Lexical(readable.count, readable.mean_length, (0,) * len(groups), ())
            frequency, at, scores = best(tx, words.postings, readable, groups, limit)
            score = dict(zip(words.rows[at].tolist(), scores.tolist(), strict=True))
            rows = tx.execute(
                f"""SELECT c.row, c.passage, c.start, c.length, p.id, p.ordinal, d.language,
                  (SELECT head FROM words WHERE rowid = c.row) AS head,
                  (SELECT body FROM words WHERE rowid = c.row) AS body {ALLOWED_CHUNKS}""",
                parameters(access, rows=json.dumps(list(score))),
            ).fetchall()
        rows.sort(key=lambda r: (-score[r["row"]], r["id"], r["start"]))
        candidates = tuple(
            Candidate(
                chunk=r["row"],
                passage=r["passage"],
                ordinal=r["ordinal"],
                length=r["length"],
                language=r["language"],
                head=tuple(r["head"].split()),
                body=tuple(r["body"].split()),
            )
            for r in rows[:limit]
        )
        return Lexical(readable.count, readable.mean_length, frequency, candidates)

    def dense(self, access: Access, narrowed: Filter, vector: Floats, model: str, limit: int) -> list[Near]:
        """See `Store`."""
        with self._db.read() as tx:
            meanings = self._catalogue().meanings(tx, storable(model))
            if limit < 1 or meanings.matrix.dimension != len(vector):
                return []
            within = meanings.readable.get(
                (access, narrowed), lambda: meanings.matrix.among(allowed(tx, access, narrowed, model))
            )
            chunks, similarities = meanings.matrix.nearest(vector, within, limit)
            similar = dict(zip(chunks.tolist(), similarities.tolist(), strict=True))
            rows = tx.execute(
                f"SELECT c.row, c.passage, c.start, p.id, d.language {ALLOWED_CHUNKS}",
                parameters(access, rows=json.dumps(list(similar))),
            ).fetchall()
        rows.sort(key=lambda r: (-similar[r["row"]], r["id"], r["start"]))
        return [Near(r["row"], r["passage"], similar[r["row"]], r["language"]) for r in rows[:limit]]

    def passages(self, access: Access, rows: Sequence[int]) -> dict[int, Passage]:
        """See `Store`."""
        found = self._passages(access, "p.row IN (SELECT value FROM json_each(:rows))", rows=json.dumps(list(rows)))
        return {row["row"]: passage_of(row) for row in found}

    def spans(self, access: Access, chunks: Sequence[int]) -> dict[int, tuple[int, int]]:
        """See `Store`."""
        return {r["row"]: (r["start"], r["stop"]) for r in self._chunks(access, "c.row, c.start, c.stop", chunks)}

    def passage(self, access: Access, ident: str) -> Passage | None:
        """See `Store`."""
        found = self._passages(access, "p.id = :id", id=ident)
        return passage_of(found[0]) if found else None

    def beginning(self, access: Access, prefix: str, limit: int) -> list[Passage]:
        """See `Store`."""
        found = self._passages(
            access,
            "p.id >= :prefix AND substr(p.id, 1, length(:prefix)) = :prefix ORDER BY p.id LIMIT :limit",
            prefix=prefix,
            limit=max(limit, 0),
        )
        return [passage_of(row) for row in found]

    def neighbours(self, access: Access, ident: str) -> tuple[Passage | None, Passage | None]:
        """See `Store`."""
        beside = "(SELECT o.document, o.ordinal + :step FROM passage o WHERE o.id = :id)"
        found = [self._passages(access, f"(p.document, p.ordinal) = {beside}", id=ident, step=step) for step in (-1, 1)]
        before, after = (passage_of(rows[0]) if rows else None for rows in found)
        return before, after

    def counts(self, access: Access, *, operator: bool) -> Counts:
        """See `Store`."""
        with self._db.read() as tx:
            rows = tx.execute(f"{DOCUMENTS} WHERE :operator OR ({READABLE})", parameters(access, operator=operator))
            return counts_of(rows, access.today, size=self._db.bytes() if operator else 0)

    def note_unanswered(self, tenant: str, question: str, today: str, *, user: str = "") -> None:
        """See `Store`. Of a tenant's questions the latest `MAX_UNANSWERED` are kept."""
        with self._db.write() as tx:
            tx.execute(
                """INSERT INTO unanswered VALUES (?, ?, ?, ?, 1) ON CONFLICT DO UPDATE
                SET times = times + 1, last = max(last, excluded.last)""",
                (storable(tenant), storable(user), storable(question), today),
            )
            tx.execute(
                """DELETE FROM unanswered WHERE tenant = :tenant AND (asker, question) IN (
                  SELECT asker, question FROM unanswered WHERE tenant = :tenant
                  ORDER BY last DESC, times DESC, question, asker LIMIT -1 OFFSET :most)""",
                {"tenant": storable(tenant), "most": MAX_UNANSWERED},
            )

    def unanswered(self, tenant: str, since: str, limit: int, *, user: str = "") -> list[Unanswered]:
        """See `Store`."""
        with self._db.read() as tx:
            rows = tx.execute(
                """SELECT question, sum(times) AS times, max(last) AS last FROM unanswered
                WHERE (:tenant = '*' OR (tenant, asker) = (:tenant, :user)) AND last >= :since GROUP BY question
                ORDER BY sum(times) DESC, max(last) DESC, question LIMIT :limit""",
                {"tenant": storable(tenant), "user": storable(user), "since": since, "limit": max(limit, 0)},
            )
            return [Unanswered(r["question"], r["times"], r["last"]) for r in rows]

    def generation(self) -> int:
        """See `Store`."""
        with self._db.read() as tx:
            return int(tx.execute("SELECT value FROM meta WHERE name = 'generation'").fetchone()[0])

    def chunk_texts(self, access: Access, chunks: Sequence[int]) -> dict[int, str]:
        """See `Store`."""
        found = self._chunks(access, "c.row, c.start, c.stop, p.text", chunks)
        return {r["row"]: r["text"][r["start"] : r["stop"]] for r in found}

    def close(self) -> None:
        """See `Store`."""
        self._db.close()
        self._memory = None

    def _catalogue(self) -> Catalogue:
        if self._memory is None:
            from signoff.knowledge.catalogue import Catalogue

            self._memory = Catalogue()
        return self._memory

    def _held(self, condition: str, *parameters: str) -> list[Held]:
        with self._db.read() as tx:
            query = f"SELECT {HELD_COLUMNS} FROM document WHERE {condition} ORDER BY file, rank, id"
            return [held_of(row) for row in tx.execute(query, [storable(p) for p in parameters])]

    def _passages(self, access: Access, condition: str, **more: Any) -> list[sqlite3.Row]:
        with self._db.read() as tx:
            return tx.execute(f"{PASSAGES} AND {condition}", parameters(access, **more)).fetchall()

    def _chunks(self, access: Access, columns: str, chunks: Sequence[int]) -> list[sqlite3.Row]:
        with self._db.read() as tx:
            values = parameters(access, rows=json.dumps(list(chunks)))
            return tx.execute(f"SELECT {columns} {ALLOWED_CHUNKS}", values).fetchall()
