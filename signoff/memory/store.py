"""LangGraph's SqliteStore with transactions that several processes can share."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from langgraph.store.sqlite import SqliteStore

from signoff.errors import ConfigError, StoreError


class MemoryStore(SqliteStore):
    """One file, for all threads of a process and for several processes. Every use may raise `StoreError`.

    The parent commits whatever a failed batch had done, begins write transactions with a read lock that
    another process can make worthless, and is broken for good when its process dies between two statements
    of its set-up. Here a batch, a set-up and a `transaction()` of several batches each happen whole or not
    at all.
    """

    def __init__(self, path: Path, *, busy_timeout_s: float = 10.0) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"The folder of {path} cannot be made: {error.strerror}.") from None
        with errors(path):
            connection = sqlite3.connect(path, timeout=busy_timeout_s, check_same_thread=False, isolation_level=None)
        try:
            with errors(path):
                _use_wal(connection, busy_timeout_s)
                # What is forgotten is overwritten in the file, and stays so when the power fails.
                connection.execute("PRAGMA secure_delete=ON")
                connection.execute("PRAGMA synchronous=FULL")
            super().__init__(connection)
            self.lock = threading.RLock()  # type: ignore[assignment]
            self.setup()
        except BaseException:
            connection.close()
            raise

    def setup(self) -> None:
        """Create or bring up to date the parent's tables, in one transaction."""
        with self.lock:
            if self.is_setup:
                return
            with self.transaction():
                self.conn.execute("CREATE TABLE IF NOT EXISTS store_migrations (v INTEGER PRIMARY KEY)")
                (done,) = self.conn.execute("SELECT COALESCE(MAX(v), -1) FROM store_migrations").fetchone()
                for version, statement in enumerate(self.MIGRATIONS):
                    if version > done:
                        self.conn.execute(statement)
                        self.conn.execute("INSERT INTO store_migrations (v) VALUES (?)", (version,))
            self.is_setup = True

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Several batches as one write transaction: what was read in it is still true when it commits."""
        with errors(self.path), self.lock:
            if self.conn.in_transaction:
                yield
                return
            self.conn.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.conn.execute("COMMIT")
            except BaseException:
                if self.conn.in_transaction:
                    self.conn.execute("ROLLBACK")
                raise

    @contextmanager
    def _cursor(self, *, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        with self.transaction():
            cursor = self.conn.cursor()
            try:
                yield cursor
            finally:
                cursor.close()

    def scrub(self) -> bool:
        """Take every trace of what was deleted out of the files; whether none is left.

        The pages that hold what stays are written anew, since a page may keep pieces of rows that were moved, and
        the write-ahead log is emptied. False when another process reads or writes for longer than the busy
        timeout: the traces then go with the next scrub.
        """
        with errors(self.path), self.lock:
            try:
                self.conn.execute("VACUUM")
                busy, _, _ = self.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.OperationalError as error:
                if "locked" in str(error) or "busy" in str(error):
                    return False
                raise
            return not busy

    def close(self) -> None:
        """Close the file; the store is not usable afterwards."""
        with self.lock:
            self.conn.close()


def _use_wal(connection: sqlite3.Connection, within_s: float) -> None:
    """SQLite does not wait when two processes make a new file at once: here the second one does."""
    deadline = time.monotonic() + within_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


@contextmanager
def errors(path: Path) -> Iterator[None]:
    """SQLite's errors as `StoreError`, each with what to do."""
    try:
        yield
    except sqlite3.Error as error:
        said = str(error)
        if "locked" in said or "busy" in said:
            raise StoreError(f"{path.name} is locked by another process: wait until it is done, then try again.") from (
                error
            )
        if "not a database" in said or "malformed" in said:
            raise StoreError(f"{path} is not a database that Signoff can read: move it away or restore it.") from error
        raise StoreError(f"{path.name} cannot be used: {error}.") from error
