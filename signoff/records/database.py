"""One SQLite file through SQLAlchemy Core, with transactions that say what they are."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, MetaData, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError

from signoff.errors import StoreError


class Database:
    """`desk.db`: records, approvals, ledger, results and traces share it, and so a transaction.

    `read()` is a snapshot; `write()` takes the write lock at its start, so that what was read in it is still
    true when it commits. Raises `StoreError` when the file is locked beyond the wait, or is not a database.
    """

    def __init__(self, path: Path, *, version: int = 1, busy_timeout_s: float = 10.0) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.engine: Engine = create_engine(
            f"sqlite:///{path}", connect_args={"timeout": busy_timeout_s, "check_same_thread": False}
        )
        event.listen(self.engine, "connect", _configure)
        event.listen(self.engine, "begin", _begin)
        self._check(version)

    def _check(self, version: int) -> None:
        with self.read() as tx:
            found = int(tx.exec_driver_sql("PRAGMA user_version").scalar() or 0)
        if found > version:
            raise StoreError(f"{self.path.name} was made by a newer Signoff (version {found}): upgrade this one.")
        if found < version:
            with self.write() as tx:
                tx.exec_driver_sql(f"PRAGMA user_version = {version:d}")

    def create(self, *tables: MetaData) -> None:
        """Create the tables that are not there yet."""
        for metadata in tables:
            with self.write() as tx:
                metadata.create_all(tx)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A read transaction."""
        with _errors(self.path), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self, *, durable: bool = False) -> Iterator[Connection]:
        """A write transaction; commits at the end of the block, rolls back on an exception.

        A `durable` one is on the disk when it has committed, also if the machine then loses power. Effects
        and decisions are durable; traces and audits need not be.
        """
        with _errors(self.path), self.engine.connect() as connection:
            connection = connection.execution_options(immediate=True)
            if durable:
                connection.connection.driver_connection.execute("PRAGMA synchronous=FULL")  # type: ignore[union-attr]
            try:
                with connection.begin():
                    yield connection
            finally:
                if durable:
                    connection.connection.driver_connection.execute("PRAGMA synchronous=NORMAL")  # type: ignore[union-attr]

    def close(self) -> None:
        """Release the connections."""
        self.engine.dispose()


def _configure(connection, _record) -> None:  # type: ignore[no-untyped-def]
    # SQLAlchemy begins transactions itself (see _begin); the driver's own implicit BEGIN is switched off.
    connection.isolation_level = None
    _use_wal(connection)
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")


def _use_wal(connection) -> None:  # type: ignore[no-untyped-def]
    """Two processes that make a file at once both switch it, and SQLite's busy wait does not cover the switch."""
    for pause_s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 0.0):
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or not pause_s:
                raise
            time.sleep(pause_s)


def _begin(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise StoreError(
                f"{path.name} is locked by another process: wait until it is done, then try again."
            ) from error
        raise StoreError(
            f"{path} cannot be used ({error.orig}): check that its folder exists, can be written to and is not full."
        ) from error
    except DatabaseError as error:
        if error.orig is not None and "not a database" in str(error.orig):
            raise StoreError(f"{path} is not a database that Signoff can read: move it away or restore it.") from error
        if error.orig is not None and "malformed" in str(error.orig):
            raise StoreError(f"{path} is damaged: restore it from a backup (see docs/recovery.md).") from error
        raise
