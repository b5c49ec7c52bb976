"""The tables of `threads.db`, and how its file is opened."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from signoff.checkpoints.serde import ThreadSerializer
from signoff.checkpoints.words import words
from signoff.errors import ConfigError, StoreError

SCHEMA_VERSION = 1

# `held` comes before the blob: an ancestor walk reads it without paging through what it does not need.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS checkpoints (
    thread_id TEXT NOT NULL,
    checkpoint_ns TEXT NOT NULL DEFAULT '',
    checkpoint_id TEXT NOT NULL,
    parent_checkpoint_id TEXT,
    bare INTEGER NOT NULL DEFAULT 0,
    held TEXT NOT NULL DEFAULT '[]',
    metadata BLOB,
    type TEXT,
    checkpoint BLOB,
    PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)
);
CREATE TABLE IF NOT EXISTS writes (
    thread_id TEXT NOT NULL,
    checkpoint_ns TEXT NOT NULL DEFAULT '',
    checkpoint_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    task_path TEXT NOT NULL DEFAULT '',
    idx INTEGER NOT NULL,
    channel TEXT NOT NULL,
    type TEXT,
    value BLOB,
    PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS snapshots (
    thread_id TEXT NOT NULL,
    checkpoint_ns TEXT NOT NULL,
    checkpoint_id TEXT NOT NULL,
    channel TEXT NOT NULL,
    digests BLOB NOT NULL,
    PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, channel)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS blocks (
    thread_id TEXT NOT NULL,
    digest BLOB NOT NULL,
    type TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (thread_id, digest)
);
CREATE TABLE IF NOT EXISTS marks (name TEXT PRIMARY KEY, type TEXT NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
"""
"""`checkpoints.bare`: 1 for an ancestor that is kept only for what delta channels replay from it.
`checkpoints.held`: JSON list of the channels whose value the checkpoint stores.
`snapshots.digests`: 16 bytes a block, in order; a long list is stored in blocks that snapshots share."""


def connect(path: Path | None, busy_timeout_s: float) -> sqlite3.Connection:
    """A connection to the file, or to a new database in memory; raises `ConfigError` or `StoreError`."""
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            path or ":memory:", timeout=busy_timeout_s, isolation_level=None, check_same_thread=False
        )
    except (OSError, sqlite3.OperationalError) as error:
        raise ConfigError(f"{path} cannot be opened: {getattr(error, 'strerror', None) or error}.") from None
    try:
        with errors(path):
            # Rows are about 1 KB: pages of 4 KB would leave a quarter of each empty.
            connection.execute("PRAGMA page_size=8192")
            if path is not None:
                connection.execute("PRAGMA journal_mode=WAL")
            # A power cut may take back a thread's last steps, never tear one; what must not be lost is in
            # the approvals and the ledger.
            connection.execute("PRAGMA synchronous=NORMAL")
            _create(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _create(connection: sqlite3.Connection, path: Path | None) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == SCHEMA_VERSION:
        return
    foreign = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'checkpoints'").fetchone()
    if version or foreign:
        if version != SCHEMA_VERSION and not _created_meanwhile(connection):
            raise StoreError(f"{path} was written by another version: move it away, or use the version that wrote it.")
        return
    connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")


def _created_meanwhile(connection: sqlite3.Connection) -> bool:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return bool(version == SCHEMA_VERSION)


def file_words(connection: sqlite3.Connection, path: Path | None) -> bytes:
    """The compression dictionary that the file was made with; a new file gets today's."""
    with errors(path):
        query = "SELECT value FROM marks WHERE name = 'words'"
        found = connection.execute(query).fetchone()
        if found is None:
            connection.execute("INSERT OR IGNORE INTO marks VALUES ('words', 'bytes', ?)", (words(),))
            found = connection.execute(query).fetchone()
        return bytes(found[0])


def check_key(connection: sqlite3.Connection, serde: ThreadSerializer, path: Path | None) -> None:
    """A file is encrypted with one key or not at all. Raises `ConfigError` when the settings say otherwise."""
    with errors(path):
        mark = connection.execute("SELECT type, value FROM marks WHERE name = 'key'").fetchone()
        used = connection.execute("SELECT 1 FROM checkpoints LIMIT 1").fetchone()
        if mark is None and serde.encrypts and not used:
            connection.execute(
                "INSERT OR IGNORE INTO marks VALUES ('key', ?, ?)", serde.dumps_typed("This key opens the file.")
            )
            mark = connection.execute("SELECT type, value FROM marks WHERE name = 'key'").fetchone()
    if mark is None and serde.encrypts:
        raise ConfigError(
            f"The threads in {path} are not encrypted and SIGNOFF_CHECKPOINT_KEY is set: unset it to go on with "
            "them, or move the file away to start encrypted."
        )
    if mark is not None and not serde.encrypts:
        raise ConfigError(f"The threads in {path} are encrypted: set SIGNOFF_CHECKPOINT_KEY to their key.")
    if mark is not None:
        try:
            serde.loads_typed(mark)
        except StoreError:
            raise ConfigError(
                f"SIGNOFF_CHECKPOINT_KEY is not the key of {path}: set the key it was made with."
            ) from None


@contextmanager
def errors(path: Path | None) -> Iterator[None]:
    """Turns SQLite's errors into a `StoreError` that says what to do."""
    name = path.name if path else "The thread database in memory"
    try:
        yield
    except sqlite3.ProgrammingError as error:
        if "closed database" in str(error):
            raise StoreError(f"{name} was closed: open the desk again.") from error
        raise
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise StoreError(f"{name} is locked by another process: wait until it is done, then try again.") from error
        raise StoreError(f"{name} cannot be used: {error}.") from error
    except sqlite3.DatabaseError as error:
        if type(error) is not sqlite3.DatabaseError:
            raise
        raise StoreError(f"{path} is damaged or not a database of Signoff: move it away or restore it.") from error
