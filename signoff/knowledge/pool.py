"""A few connections to PostgreSQL, and its errors in one sentence each, without the password."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from signoff.errors import ConfigError, StoreError

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[dict[str, Any]]

SCHEMA = "signoff_knowledge"
CONNECTIONS = 8
"""Connections of one process at most; further threads wait for one."""

_NO_URL = (
    "SIGNOFF_POSTGRES_URL is not a PostgreSQL URL: write postgresql://user:password@host/name, "
    "with characters such as @ and / in the password percent-encoded."
)


class Pool:
    """Connections to one database, opened when they are needed and kept.

    `wait_s` bounds, in seconds, the wait for the server, for a connection and for another's lock. Raises
    `ConfigError` when the URL, the password, the database's name or a right is wrong or the extra is missing, and
    `StoreError` when the server cannot be reached.
    """

    def __init__(self, url: str, *, wait_s: float) -> None:
        try:
            import psycopg
        except ImportError as error:
            raise ConfigError(
                "Documents in PostgreSQL need the extra postgres: pip install 'signoff[postgres]'."
            ) from error
        try:
            parts = psycopg.conninfo.conninfo_to_dict(url)
        except psycopg.ProgrammingError:
            # Not even as the cause: it quotes the URL, which holds the password.
            raise ConfigError(_NO_URL) from None
        host, port = str(parts.get("host") or "localhost"), str(parts.get("port") or "")
        database = str(parts.get("dbname") or parts.get("user") or "postgres")
        if "@" in host + database or (not port.replace(",", "").isdigit() and port):
            # A piece of a password with such characters would be shown as if it were a name.
            raise ConfigError(_NO_URL)
        self.name = f"{database} at {host}{port and ':'}{port}"
        self.vectors_in = "public"
        """The database schema that holds pgvector's types."""
        self._url = url
        self._wait_s = wait_s
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self._free = threading.BoundedSemaphore(CONNECTIONS)
        self._closed = False

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A snapshot."""
        with self._transaction("ISOLATION LEVEL REPEATABLE READ READ ONLY") as tx:
            yield tx

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A write transaction."""
        with self._transaction("READ WRITE") as tx:
            yield tx

    @contextmanager
    def plain(self) -> Iterator[Connection]:
        """A connection outside a transaction, for what cannot run within one."""
        with self.errors(), self._connection(f"SET lock_timeout = {self._wait_ms}") as connection:
            try:
                yield connection
            finally:
                connection.execute("RESET lock_timeout")

    def close(self) -> None:
        """Close the connections; the pool cannot be used afterwards."""
        with self._lock:
            self._closed = True
            while self._idle:
                self._idle.pop().close()

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Database errors as those of Signoff."""
        import psycopg
        from psycopg import errors

        try:
            yield
        except errors.LockNotAvailable as error:
            raise StoreError(f"{self.name} is locked by another process: wait until it is done, try again.") from error
        except errors.InsufficientPrivilege as error:
            raise ConfigError(
                f"The user of {self.name} lacks a right ({_reason(error)}): grant it, or use another user."
            ) from error
        except psycopg.Error as error:
            raise StoreError(f"{self.name} cannot be used: {_reason(error)}.") from error

    @property
    def _wait_ms(self) -> int:
        return max(1, int(self._wait_s * 1000))

    @contextmanager
    def _transaction(self, mode: str) -> Iterator[Connection]:
        # One round trip; within the transaction only, as a pooler between hands the session to others after it.
        begin = (
            f'BEGIN {mode}; SET LOCAL search_path = {SCHEMA}, "{self.vectors_in}", public; '
            f"SET LOCAL lock_timeout = {self._wait_ms}; SET LOCAL jit = off"
        )
        with self.errors(), self._connection(begin) as connection:
            try:
                yield connection
            except BaseException:
                if not connection.broken:
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _connection(self, first: str) -> Iterator[Connection]:
        """A connection on which `first` has been run; one that the server has dropped meanwhile is replaced."""
        import psycopg

        if not self._free.acquire(timeout=self._wait_s):
            raise StoreError(f"All {CONNECTIONS} connections to {self.name} are in use: try again.")
        try:
            connection: Connection | None = None
            while connection is None:
                with self._lock:
                    if self._closed:
                        raise StoreError(f"{self.name} is closed: open the desk again.")
                    connection = self._idle.pop() if self._idle else None
                    kept = connection is not None
                connection = connection or self._open()
                try:
                    connection.execute(first)
                except psycopg.OperationalError:
                    connection.close()
                    if not kept:
                        raise
                    connection = None
            try:
                yield connection
            finally:
                with self._lock:
                    idle = connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
                    if self._closed or not idle:
                        connection.close()
                    else:
                        self._idle.append(connection)
        finally:
            self._free.release()

    def _open(self) -> Connection:
        import psycopg
        from psycopg.rows import dict_row

        try:
            return psycopg.connect(
                self._url,
                autocommit=True,
                row_factory=dict_row,
                connect_timeout=max(2, round(self._wait_s)),
                prepare_threshold=None,
                application_name="signoff",
            )
        except psycopg.OperationalError as error:
            said = str(error).lower()
            if "authentication failed" in said or "no password" in said or "pg_hba" in said:
                raise ConfigError(
                    f"{self.name} refused the user or the password: correct SIGNOFF_POSTGRES_URL."
                ) from None
            if "database" in said and "does not exist" in said:
                raise ConfigError(
                    f"There is no database {self.name}: make it, or correct SIGNOFF_POSTGRES_URL."
                ) from None
            if "role" in said and "does not exist" in said:
                raise ConfigError(f"{self.name} does not know the user: correct SIGNOFF_POSTGRES_URL.") from None
            raise StoreError(
                f"{self.name} cannot be reached: start PostgreSQL, or correct SIGNOFF_POSTGRES_URL."
            ) from None


def _reason(error: psycopg.Error) -> str:
    text = error.diag.message_primary or next(iter(str(error).splitlines()), "") or type(error).__name__
    return text.strip().rstrip(".")
