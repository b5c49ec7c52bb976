"""The tables of `knowledge.db`, and the way there from those of an earlier version."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from signoff.errors import StoreError

SCHEMA_VERSION = 2

# The terms are cut and stemmed already: every character but the space between them belongs to a term.
_TERM_CHARS = "".join(c for c in map(chr, range(33, 127)) if not c.isalnum()).replace("'", "''").replace('"', '""')

# Numbers of documents and chunks are never used twice, so that what is in memory is told apart from what came later.
_SCHEMA = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('generation', 1), ('model', ''), ('unerased', 0);
CREATE TABLE document (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, key TEXT NOT NULL,
  version TEXT NOT NULL, rank TEXT NOT NULL, title TEXT NOT NULL, language TEXT NOT NULL, root TEXT NOT NULL,
  file TEXT NOT NULL, trusted INTEGER NOT NULL, owner TEXT NOT NULL, tags TEXT NOT NULL, valid_from TEXT, valid_to TEXT,
  digest TEXT NOT NULL, model TEXT NOT NULL, added TEXT NOT NULL,
  chunks INTEGER NOT NULL, embedded INTEGER NOT NULL, vectors_of INTEGER NOT NULL
);
CREATE INDEX document_version ON document (tenant, key, rank);
CREATE INDEX document_root ON document (root, file);
CREATE TABLE reader (
  document INTEGER NOT NULL REFERENCES document (number) ON DELETE CASCADE, role TEXT NOT NULL,
  PRIMARY KEY (document, role)
) WITHOUT ROWID;
CREATE TABLE passage (
  row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
  document INTEGER NOT NULL REFERENCES document (number) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL, place TEXT NOT NULL, page INTEGER, text TEXT NOT NULL
);
CREATE INDEX passage_document ON passage (document, ordinal);
CREATE TABLE chunk (
  row INTEGER PRIMARY KEY AUTOINCREMENT, passage INTEGER NOT NULL REFERENCES passage (row) ON DELETE CASCADE,
  document INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL, length INTEGER NOT NULL
);
CREATE INDEX chunk_passage ON chunk (passage);
CREATE TABLE vector (
  chunk INTEGER PRIMARY KEY REFERENCES chunk (row) ON DELETE CASCADE, document INTEGER NOT NULL, value BLOB NOT NULL
);
CREATE INDEX vector_document ON vector (document);
CREATE VIRTUAL TABLE words USING fts5 (head, body, columnsize = 0, tokenize = "ascii tokenchars '{_TERM_CHARS}'");
CREATE VIRTUAL TABLE occurrence USING fts5vocab (words, instance);
CREATE TRIGGER chunk_gone AFTER DELETE ON chunk BEGIN DELETE FROM words WHERE rowid = old.row; END;
CREATE TABLE unanswered (
  tenant TEXT NOT NULL, asker TEXT NOT NULL, question TEXT NOT NULL, last TEXT NOT NULL, times INTEGER NOT NULL,
  PRIMARY KEY (tenant, asker, question)
) WITHOUT ROWID;
"""


def prepare(tx: sqlite3.Connection, name: str) -> None:
    """Make the tables, or bring those of an earlier version to this one, in the given transaction.

    Raises `StoreError` for a file of a later version.
    """
    version = tx.execute("PRAGMA user_version").fetchone()[0]
    if version == SCHEMA_VERSION:
        return
    if version > SCHEMA_VERSION:
        raise StoreError(f"{name} is of a later version of Signoff: use that one, or another home.")
    if version == 1:
        for statement in _statements(_SET_ASIDE):
            tx.execute(statement)
    for statement in _statements(_SCHEMA):
        tx.execute(statement)
    if version == 1:
        _take_over(tx)
    tx.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


_SET_ASIDE = """
DROP TRIGGER passage_gone;
DROP INDEX document_root;
DROP INDEX passage_document;
ALTER TABLE words RENAME TO first_words;
ALTER TABLE passage RENAME TO first_passage;
ALTER TABLE reader RENAME TO first_reader;
ALTER TABLE document RENAME TO first_document;
"""
# The digest differs from any that is computed, so that adding the file again reads it anew.
_TAKE_OVER = """
INSERT INTO document (id, tenant, key, version, rank, title, language, root, file, trusted, owner, tags, valid_from,
    valid_to, digest, model, added, chunks, embedded, vectors_of)
  SELECT id, tenant, key, version, rank, title, language, root, file, trusted, '', '[]', valid_from,
    valid_to, 'version 1: ' || digest, '', date('now'),
    (SELECT count(*) FROM first_passage p WHERE p.document = first_document.id), 0, 0 FROM first_document ORDER BY id;
INSERT INTO reader SELECT d.number, r.role FROM first_reader r JOIN document d ON d.id = r.document;
INSERT INTO passage SELECT p.row, p.id, d.number, p.ordinal, p.place, NULL, p.text
  FROM first_passage p JOIN document d ON d.id = p.document;
"""


def _take_over(tx: sqlite3.Connection) -> None:
    """Each passage of version 1 is searched as one chunk, by the words it had, until its file is added again."""
    for statement in _statements(_TAKE_OVER):
        tx.execute(statement)
    rows = tx.execute(
        """SELECT p.row, p.document, p.text, f.length, w.head, w.body FROM passage p
        JOIN first_passage f ON f.row = p.row JOIN first_words w ON w.rowid = p.row ORDER BY p.row"""
    )
    for row in rows:
        # The length is counted here: SQLite's length() ends at a NUL.
        tx.execute("INSERT INTO chunk VALUES (?, ?, ?, 0, ?, ?)", (row[0], row[0], row[1], len(row[2]), row[3]))
        tx.execute("INSERT INTO words (rowid, head, body) VALUES (?, ?, ?)", (row[0], row[4], row[5]))
    for table in ("first_words", "first_reader", "first_passage", "first_document"):
        tx.execute(f"DROP TABLE {table}")


def _statements(script: str) -> Iterator[str]:
    held = ""
    for line in script.strip().splitlines():
        held += line + "\n"
        if sqlite3.complete_statement(held):
            yield held
            held = ""
