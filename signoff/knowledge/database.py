"""Connections to `knowledge.db`, handed to one thread at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from signoff.errors import StoreError
from signoff.knowledge.schema import prepare


class Database:
    """One SQLite file.

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
            prepare(tx, path.name)

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A snapshot, taken by the first statement."""
        with self._transaction("BEGIN") as tx:
            yield tx

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A write transaction, with the write lock from its start."""
        with self._transaction("BEGIN IMMEDIATE") as tx:
            yield tx

    def rewrite(self) -> None:
        """Write the file anew: a page keeps copies of rows that were moved out of it, also with secure_delete."""
        with _errors(self.path), self._connection() as connection:
            connection.execute("VACUUM")

    def truncate(self) -> None:
        """Bring the write-ahead log into the file and empty it."""
        with _errors(self.path), self._connection() as connection:
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise StoreError(f"{self.path.name} is being read by another process: wait until it is done, try again.")

    def bytes(self) -> int:
        """Size of the file and of its write-ahead log."""
        files = (self.path, self.path.with_name(self.path.name + "-wal"))
        return sum(f.stat().st_size for f in files if f.exists())

    def close(self) -> None:
        """Release the connections; the file cannot be used through them afterwards."""
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
                # A full disk has rolled it back already.
                if connection.in_transaction:
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
