"""The index: documents, passages and their words in one SQLite file."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from signoff.errors import StoreError
from signoff.knowledge.glossary import index_terms
from signoff.knowledge.load import Source
from signoff.knowledge.split import split

SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE document (
  id TEXT PRIMARY KEY, tenant TEXT NOT NULL, key TEXT NOT NULL, version TEXT NOT NULL, rank TEXT NOT NULL,
  title TEXT NOT NULL, language TEXT NOT NULL, root TEXT NOT NULL, file TEXT NOT NULL, trusted INTEGER NOT NULL,
  valid_from TEXT, valid_to TEXT, digest TEXT NOT NULL,
  UNIQUE (tenant, key, rank)
);
CREATE INDEX document_root ON document (root, file);
CREATE TABLE reader (
  document TEXT NOT NULL REFERENCES document (id) ON DELETE CASCADE, role TEXT NOT NULL,
  PRIMARY KEY (document, role)
) WITHOUT ROWID;
CREATE TABLE passage (
  row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL, place TEXT NOT NULL, text TEXT NOT NULL, length INTEGER NOT NULL
);
CREATE INDEX passage_document ON passage (document, ordinal);
CREATE VIRTUAL TABLE words USING fts5 (head, body, tokenize = 'porter unicode61');
CREATE TRIGGER passage_gone AFTER DELETE ON passage BEGIN DELETE FROM words WHERE rowid = old.row; END;
"""


class Index:
    """Connections to `knowledge.db`, handed to one thread at a time.

    Raises `StoreError` when the file is locked beyond the wait, is no database, or is of a later version.
    """

    def __init__(self, path: Path, *, busy_timeout_s: float) -> None:
        self.path = path
        self._wait_s = busy_timeout_s
        self._idle: list[sqlite3.Connection] = []
        self._lock = Lock()
        self._closed = False
        with _errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with self.write() as tx:
                version = tx.execute("PRAGMA user_version").fetchone()[0]
                if version > SCHEMA_VERSION:
                    raise StoreError(f"{path.name} is of a later version of Signoff: use that one, or another home.")
                if version == 0:
                    for statement in _statements(_SCHEMA):
                        tx.execute(statement)
                    tx.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A snapshot."""
        with self._transaction("BEGIN") as tx:
            yield tx

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A write transaction, with the write lock from its start."""
        with self._transaction("BEGIN IMMEDIATE") as tx:
            yield tx

    def erase(self) -> None:
        """Make removed words unreadable in the file: they would stay in the full-text segments and the WAL."""
        with self.write() as tx:
            tx.execute("INSERT INTO words (words) VALUES ('optimize')")
        with _errors(self.path), self._connection() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Release the connections; the index cannot be used afterwards."""
        with self._lock:
            self._closed = True
            while self._idle:
                self._idle.pop().close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with _errors(self.path), self._connection() as connection:
            connection.execute(begin)
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            if self._closed:
                raise StoreError(f"{self.path.name} is closed: open the desk again.")
            connection = self._idle.pop() if self._idle else None
        connection = connection or self._open()
        try:
            yield connection
        finally:
            with self._lock:
                if self._closed or connection.in_transaction:
                    connection.close()
                else:
                    self._idle.append(connection)

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=self._wait_s, isolation_level=None, check_same_thread=False)
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA recursive_triggers = ON")
            connection.execute("PRAGMA secure_delete = ON")
        except BaseException:
            connection.close()
            raise
        return connection


def document_id(tenant: str, key: str, version: str) -> str:
    """Stable over machines and over re-indexing."""
    slug = re.sub(r"[^a-z0-9]+", "-", key.lower()).strip("-")[:40]
    return "-".join(filter(None, (slug, _short(tenant, key, rank(version)))))


def rank(version: str) -> str:
    """A version as text that sorts as people count: 1.9 before 1.10, 2 before 10, 2026-01 before 2026-10."""
    return ".".join(p.zfill(12) if p.isdigit() else p for p in re.findall(r"\d+|[a-z]+", version.lower())) or version


def put(tx: sqlite3.Connection, source: Source, *, root: str, file: str) -> str:
    """Store a document with its passages in place of what was there under the same key and version."""
    ident = document_id(source.tenant, source.key, source.version)
    drop(tx, ident)
    tx.execute(
        "INSERT INTO document VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            ident,
            source.tenant,
            source.key,
            source.version,
            rank(source.version),
            source.title,
            source.language,
            root,
            file,
            source.trusted,
            source.valid_from and source.valid_from.isoformat(),
            source.valid_to and source.valid_to.isoformat(),
            source.digest,
        ),
    )
    tx.executemany("INSERT INTO reader VALUES (?, ?)", [(ident, r) for r in source.roles])
    seen: dict[tuple[str, str], int] = {}
    for ordinal, piece in enumerate(split(source.blocks)):
        copy = seen[piece.place, piece.text] = seen.get((piece.place, piece.text), 0) + 1
        head, body = index_terms(f"{source.title} {piece.place}"), index_terms(piece.text)
        row = tx.execute(
            "INSERT INTO passage (id, document, ordinal, place, text, length) VALUES (?, ?, ?, ?, ?, ?)",
            (
                f"{ident}.{_short(ident, piece.place, piece.text, str(copy))}",
                ident,
                ordinal,
                piece.place,
                piece.text,
                len(head) + len(body),
            ),
        ).lastrowid
        tx.execute("INSERT INTO words (rowid, head, body) VALUES (?, ?, ?)", (row, " ".join(head), " ".join(body)))
    return ident


def drop(tx: sqlite3.Connection, ident: str) -> bool:
    """Remove a document with its passages and words; False when it was not there."""
    tx.execute("DELETE FROM passage WHERE document = ?", (ident,))
    return tx.execute("DELETE FROM document WHERE id = ?", (ident,)).rowcount > 0


def _short(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:12]


def _statements(script: str) -> Iterator[str]:
    held = ""
    for line in script.strip().splitlines():
        held += line + "\n"
        if sqlite3.complete_statement(held):
            yield held
            held = ""


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise StoreError(
                f"{path.name} is locked by another process: wait until it is done, then try again."
            ) from error
        raise StoreError(f"{path} cannot be used: {error}.") from error
    except sqlite3.IntegrityError:
        raise
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{path} is not a database that Signoff can read: move it away or restore it.") from error
    except OSError as error:
        raise StoreError(f"{path} cannot be made: {error.strerror or error}.") from error
