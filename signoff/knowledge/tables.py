"""The tables of documents in PostgreSQL: how they are made, and who may read what of them, as SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signoff.errors import ConfigError, StoreError
from signoff.knowledge.passages import Filter
from signoff.knowledge.pool import SCHEMA, Pool
from signoff.knowledge.rows import PASSAGE_COLUMNS
from signoff.knowledge.store import Access

if TYPE_CHECKING:
    from signoff.knowledge.pool import Connection

VERSION = "1"
NAMES = ("meta", "document", "passage", "chunk", "vector", "unanswered")
_MAKING = 7_304_514_220_381
"""Advisory lock that two processes take which both find no tables."""

# A short list of what is not in the index yet, in kB: every search reads all of it.
# Texts compare by code point, as in SQLite, whatever the database's language.
_TABLES = f"""
CREATE SCHEMA IF NOT EXISTS {SCHEMA};
CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL);
INSERT INTO meta VALUES ('version', '{VERSION}'), ('generation', '1'), ('model', ''), ('unerased', '0');
CREATE TABLE document (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
  tenant text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, version text COLLATE "C" NOT NULL,
  rank text COLLATE "C" NOT NULL, title text COLLATE "C" NOT NULL, language text COLLATE "C" NOT NULL,
  root text COLLATE "C" NOT NULL, file text COLLATE "C" NOT NULL, trusted boolean NOT NULL,
  roles text[] NOT NULL, owner text COLLATE "C" NOT NULL, tags text[] NOT NULL,
  valid_from text COLLATE "C", valid_to text COLLATE "C", digest text NOT NULL, model text NOT NULL,
  added text NOT NULL, passages integer NOT NULL, chunks integer NOT NULL, terms bigint NOT NULL,
  embedded integer NOT NULL
);
CREATE INDEX document_version ON document (tenant, key, rank);
CREATE INDEX document_root ON document (root, file);
CREATE TABLE passage (
  row bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
  document bigint NOT NULL REFERENCES document ON DELETE CASCADE,
  ordinal integer NOT NULL, place text NOT NULL, page integer, text text NOT NULL
);
CREATE INDEX passage_document ON passage (document, ordinal);
CREATE TABLE chunk (
  row bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, passage bigint NOT NULL REFERENCES passage ON DELETE CASCADE,
  document bigint NOT NULL, id text COLLATE "C" NOT NULL, ordinal integer NOT NULL,
  start integer NOT NULL, stop integer NOT NULL, length integer NOT NULL,
  head text NOT NULL, body text NOT NULL, words tsvector NOT NULL
);
CREATE INDEX chunk_passage ON chunk (passage);
CREATE INDEX chunk_words ON chunk USING gin (words) WITH (gin_pending_list_limit = 256);
CREATE TABLE vector (
  chunk bigint PRIMARY KEY REFERENCES chunk ON DELETE CASCADE, document bigint NOT NULL, value halfvec NOT NULL
);
CREATE INDEX vector_document ON vector (document);
CREATE TABLE unanswered (
  tenant text NOT NULL, asker text COLLATE "C" NOT NULL, question text COLLATE "C" NOT NULL,
  last text COLLATE "C" NOT NULL, times integer NOT NULL, PRIMARY KEY (tenant, asker, question)
);
"""


def _readable(document: str) -> str:
    return f"""
      {document}.tenant IN ('*', %(tenant)s) AND {document}.owner IN ('', %(user)s)
      AND ({document}.roles = '{{}}' OR {document}.roles && %(roles)s::text[])
    """


def _in_force(document: str) -> str:
    return f"""
      ({document}.valid_from IS NULL OR {document}.valid_from <= %(today)s)
      AND ({document}.valid_to IS NULL OR {document}.valid_to >= %(today)s)
    """


def _newer(readable: str) -> str:
    # Only a version that the caller may read: one for others would take theirs away and show that it is there.
    return f"""
      EXISTS (SELECT 1 FROM document n WHERE n.tenant = d.tenant AND n.key = d.key AND n.rank > d.rank
              AND {_in_force("n")} AND ({readable}))
    """


READABLE = _readable("d")
ALLOWED = f"{READABLE} AND {_in_force('d')} AND NOT {_newer(_readable('n'))}"
PASSAGES = f"SELECT {PASSAGE_COLUMNS} FROM passage p JOIN document d ON d.number = p.document WHERE {ALLOWED}"
ALLOWED_CHUNKS = f"""
  FROM chunk c JOIN passage p ON p.row = c.passage JOIN document d ON d.number = c.document
  WHERE c.row = ANY(%(rows)s) AND {ALLOWED}
"""
FOUND_CHUNKS = """
  FROM chunk c JOIN document d ON d.number = c.document WHERE c.row = ANY(%(rows)s)
"""
"""Of chunks that a search in the same snapshot found: what may not be read is not among them."""
DOCUMENTS = f"""
  SELECT d.*, {_newer(f"%(operator)s OR ({_readable('n')})")} AS superseded,
    CASE WHEN d.model = (SELECT value FROM meta WHERE name = 'model') THEN d.chunks - d.embedded ELSE d.chunks END
      AS bare
  FROM document d
"""
_NARROWED = {
    "documents": "(d.id = ANY(%(documents)s) OR d.key = ANY(%(documents)s))",
    "source": "starts_with(d.file, %(source)s)",
    "language": "d.language = %(language)s",
    "tags": "d.tags && %(tags)s::text[]",
    "trusted_only": "d.trusted",
}


def prepare(pool: Pool) -> None:
    """Make the tables unless they are there.

    Raises `ConfigError` when pgvector cannot be had, `StoreError` when the tables are of a later version.
    """
    from psycopg import errors

    try:
        with pool.write() as tx:
            if not _made(tx):
                tx.execute("SELECT pg_advisory_xact_lock(%s)", (_MAKING,))
            if not _made(tx):
                # Where no schema comes first in the path yet, tables would be made in public.
                tx.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}; CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
                tx.execute(f'SET LOCAL search_path = {SCHEMA}, "{_vectors_in(tx)}", public')
                tx.execute(_TABLES)
            version = _one(tx, f"SELECT value AS found FROM {SCHEMA}.meta WHERE name = 'version'")
            if version != VERSION:
                raise StoreError(f"The tables in {pool.name} are of a later version of Signoff: use that one.")
            pool.vectors_in = _vectors_in(tx)
    except (StoreError, ConfigError) as error:
        lacking = (
            errors.FeatureNotSupported,
            errors.UndefinedFile,
            errors.UndefinedObject,
            errors.InsufficientPrivilege,
        )
        if (isinstance(error.__cause__, lacking) and "vector" in str(error.__cause__)) or "halfvec" in str(error):
            raise ConfigError(
                f"{pool.name} lacks pgvector 0.7 or later: install it, then run CREATE EXTENSION vector as its owner."
            ) from error
        raise


def parameters(access: Access, **more: Any) -> dict[str, Any]:
    """Of the conditions here, and more."""
    given = {"tenant": access.tenant, "user": access.user, "roles": list(access.roles), "today": access.today, **more}
    return {name: _storable(value) for name, value in given.items()}


def narrowing(narrowed: Filter) -> tuple[str, dict[str, Any]]:
    """A filter as a condition and its parameters."""
    asked = {
        "documents": list(narrowed.documents),
        "source": narrowed.source,
        "language": narrowed.language,
        "tags": list(narrowed.tags),
        "trusted_only": narrowed.trusted_only,
    }
    asked = {name: value for name, value in asked.items() if value}
    return " AND ".join(["true", *(_NARROWED[name] for name in asked)]), asked


def storable(text: str) -> str:
    """Text that PostgreSQL takes, of the same length: no half of a surrogate pair and no NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def _storable(value: Any) -> Any:
    if isinstance(value, list):
        return [_storable(v) for v in value]
    return storable(value) if isinstance(value, str) else value


def _made(tx: Connection) -> bool:
    # By a query of the catalogue: to_regclass() may remember that there was none.
    query = f"""SELECT true AS found FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = '{SCHEMA}' AND c.relname = 'meta'"""
    return bool(_one(tx, query))


def _vectors_in(tx: Connection) -> str:
    query = """SELECT n.nspname AS found FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
        WHERE e.extname = 'vector'"""
    return str(_one(tx, query) or "public")


def _one(tx: Connection, query: str) -> Any:
    row = tx.execute(query).fetchone()
    return row and row["found"]
