"""Whose a thread is, and how it stands: the register of threads in `desk.db`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import JSON, Column, Index, MetaData, String, Table, bindparam, delete, select, update
from sqlalchemy.dialects.sqlite import insert as insert_or_keep

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import NotFound, UsageError
from signoff.records.database import Database
from signoff.state import Status
from signoff.text import shorten

TITLE_CHARS = 120

threads_metadata = MetaData()

_threads = Table(
    "threads",
    threads_metadata,
    Column("thread", String, primary_key=True),
    Column("tenant", String, nullable=False),
    Column("user", String, nullable=False),
    Column("roles", JSON, nullable=False),
    Column("locale", String),
    Column("desk", String, nullable=False),
    Column("graph_version", String, nullable=False),
    Column("title", String, nullable=False),
    Column("status", String, nullable=False),
    Column("created", String, nullable=False),
    Column("updated", String, nullable=False),
    Index("threads_of_owner", "tenant", "user", "updated"),
)


_options = Table(
    "thread_options",
    threads_metadata,
    Column("thread", String, primary_key=True),
    Column("options", JSON, nullable=False),
)

# Looked up at almost every step: the statement is built once.
_FIND = select(_threads).where(_threads.c.thread == bindparam("thread"))


@dataclass(frozen=True)
class ThreadRecord:
    """A thread as the register knows it."""

    id: str
    owner: Caller
    desk: str
    """The profile it was started on."""
    graph_version: str
    title: str
    """One line; the first words of the conversation."""
    status: Status
    """Of the last turn."""
    created: str
    """ISO 8601, UTC, as `updated` is."""
    updated: str


class Threads:
    """The register. A thread of somebody else is `NotFound`, as one that does not exist is."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        database.create(threads_metadata)

    def register(self, thread: str, caller: Caller, desk: str, version: str, title: str) -> Caller:
        """Note a new thread and return its owner: the caller, with the roles of now, or whoever came first."""
        if not thread or len(thread) > 256 or not thread.isprintable():
            raise UsageError("A thread's name has 1 to 256 printable characters.")
        now = self._now()
        with self._database.write() as tx:
            tx.execute(
                insert_or_keep(_threads)
                .values(
                    thread=thread,
                    **caller.record(),
                    desk=desk,
                    graph_version=version,
                    title=shorten(title, TITLE_CHARS),
                    status=Status.RUNNING.value,
                    created=now,
                    updated=now,
                )
                # Roles are what the owner has now, not what they had when the thread began.
                .on_conflict_do_update(
                    index_elements=["thread"],
                    set_={"roles": caller.record()["roles"], "locale": caller.locale},
                    where=(_threads.c.tenant == caller.tenant) & (_threads.c.user == caller.user),
                )
            )
            row = tx.execute(select(_threads).where(_threads.c.thread == thread)).mappings().one()
        return _record(row).owner

    def keep_options(self, thread: str, options: Mapping[str, Any]) -> None:
        """Note how the desk was opened for the thread, such as its workspace: it is opened so again to go on."""
        if not options:
            return
        with self._database.write() as tx:
            tx.execute(insert_or_keep(_options).values(thread=thread, options=dict(options)).on_conflict_do_nothing())

    def options(self, thread: str) -> dict[str, Any]:
        """How the desk was opened when the thread began; empty for a thread without options."""
        with self._database.read() as tx:
            return dict(tx.execute(select(_options.c.options).where(_options.c.thread == thread)).scalar() or {})

    def find(self, thread: str) -> ThreadRecord | None:
        """The thread, whoever's it is; None when nobody registered it."""
        with self._database.read() as tx:
            row = tx.execute(_FIND, {"thread": thread}).mappings().one_or_none()
        return _record(row) if row is not None else None

    def begun(self, given: str) -> str | None:
        """The one thread whose id begins so, with or without its `th-`; None when there is none, or several."""
        begins = _threads.c.thread.startswith(given, autoescape=True) | _threads.c.thread.startswith(
            f"th-{given}", autoescape=True
        )
        with self._database.read() as tx:
            found = list(tx.execute(select(_threads.c.thread).where(begins).limit(2)).scalars())
        return str(found[0]) if len(found) == 1 else None

    def owner(self, thread: str) -> Caller | None:
        """Who registered the thread; None when nobody did."""
        found = self.find(thread)
        return found.owner if found is not None else None

    def get(self, thread: str, caller: Caller) -> ThreadRecord:
        """The caller's own thread. Raises `NotFound`."""
        with self._database.read() as tx:
            row = tx.execute(select(_threads).where(_threads.c.thread == thread)).mappings().one_or_none()
        if row is None or (row["tenant"], row["user"]) != (caller.tenant, caller.user):
            raise NotFound(
                f"There is no thread {thread!r} of {caller.name}: `signoff threads list` shows those there are."
            )
        return _record(row)

    def touch(
        self, thread: str, *, status: Status | str | None = None, version: str | None = None, title: str | None = None
    ) -> None:
        """Note that something happened on the thread. Raises `NotFound` when it is not registered."""
        changes: dict[str, Any] = {"updated": self._now()}
        if status is not None:
            changes["status"] = _status(status).value
        if version is not None:
            changes["graph_version"] = version
        if title is not None:
            changes["title"] = shorten(title, TITLE_CHARS)
        with self._database.write() as tx:
            done = tx.execute(update(_threads).where(_threads.c.thread == thread).values(**changes))
        if not done.rowcount:
            raise NotFound(f"There is no thread {thread!r}.")

    def list(self, caller: Caller, limit: int = 20, status: Status | str | None = None) -> Sequence[ThreadRecord]:
        """The caller's own threads, the last used first."""
        if limit < 1:
            raise UsageError("A list of threads has a limit of at least 1.")
        query = select(_threads).where(_threads.c.tenant == caller.tenant, _threads.c.user == caller.user)
        if status is not None:
            query = query.where(_threads.c.status == _status(status).value)
        query = query.order_by(_threads.c.updated.desc(), _threads.c.thread).limit(limit)
        with self._database.read() as tx:
            return [_record(row) for row in tx.execute(query).mappings()]

    def delete(self, thread: str) -> None:
        """Forget the thread; nothing happens when it is not registered."""
        with self._database.write() as tx:
            tx.execute(delete(_threads).where(_threads.c.thread == thread))
            tx.execute(delete(_options).where(_options.c.thread == thread))

    def _now(self) -> str:
        return self._clock.utc().isoformat(timespec="microseconds")


def _status(status: Status | str) -> Status:
    try:
        return Status(status)
    except ValueError:
        raise UsageError(f"{status!r} is not a status: use one of {', '.join(Status)}.") from None


def _record(row: Any) -> ThreadRecord:
    return ThreadRecord(
        id=row["thread"],
        owner=Caller(row["tenant"], row["user"], frozenset(row["roles"]), row["locale"]),
        desk=row["desk"],
        graph_version=row["graph_version"],
        title=row["title"],
        status=Status(row["status"]),
        created=row["created"],
        updated=row["updated"],
    )
