"""What was denied in a thread, counted by kind: after so many of a kind that kind is closed there."""

from __future__ import annotations

import threading
from collections import OrderedDict

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, delete, insert, select

from signoff.records.database import Database

denials_metadata = MetaData()

denials = Table(
    "denials",
    denials_metadata,
    Column("tenant", String, nullable=False),
    Column("thread", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("call", String, nullable=False),
    PrimaryKeyConstraint("tenant", "thread", "kind", "call"),
)
"""One row a denied call, up to the limit of its kind."""

LIMIT = 3
"""Denials of a kind that close it."""

_THREADS = 10_000
"""Threads that are remembered in memory."""


class Denials:
    """Counts denials in `desk.db`, so that every process of a desk sees them; in memory without a database.

    A call counts once for a kind, however often it is judged. Safe to share between threads of the process. With a
    database every method raises `StoreError` when it cannot be used.
    """

    def __init__(self, database: Database | None = None, *, limit: int = LIMIT) -> None:
        self.limit = limit
        self._database = database
        self._memory: OrderedDict[tuple[str, str], dict[str, set[str]]] = OrderedDict()
        self._lock = threading.Lock()

    def record(self, tenant: str, thread: str, kind: str, call: str) -> None:
        """Count a denial of this kind."""
        if self._database is None:
            with self._lock:
                kinds = self._memory.setdefault((tenant, thread), {})
                self._memory.move_to_end((tenant, thread))
                _add(kinds.setdefault(str(kind), set()), call, self.limit)
                while len(self._memory) > _THREADS:
                    self._memory.popitem(last=False)
            return
        with self._database.write() as tx:
            if _add(_calls(tx, tenant, thread).get(str(kind), set()), call, self.limit):
                tx.execute(insert(denials).values(tenant=tenant, thread=thread, kind=str(kind), call=call))

    def closed(self, tenant: str, thread: str, *, but: str = "") -> frozenset[str]:
        """The kinds that are closed in a thread, without counting the call `but` itself."""
        if self._database is None:
            with self._lock:
                return self._full(self._memory.get((tenant, thread), {}), but)
        with self._database.read() as tx:
            return self._full(_calls(tx, tenant, thread), but)

    def _full(self, kinds: dict[str, set[str]], but: str) -> frozenset[str]:
        return frozenset(k for k, calls in kinds.items() if len(calls - {but}) >= self.limit)


def delete_thread(tx: Connection, tenant: str, thread: str) -> None:
    """Forget what was denied in a thread."""
    tx.execute(delete(denials).where(denials.c.tenant == tenant, denials.c.thread == thread))


def _add(calls: set[str], call: str, limit: int) -> bool:
    """Whether the call was new, and there was room for it."""
    if call in calls or len(calls) >= limit:
        return False
    calls.add(call)
    return True


def _calls(tx: Connection, tenant: str, thread: str) -> dict[str, set[str]]:
    """The denied calls of a thread by kind."""
    found: dict[str, set[str]] = {}
    mine = (denials.c.tenant == tenant) & (denials.c.thread == thread)
    for kind, call in tx.execute(select(denials.c.kind, denials.c.call).where(mine)):
        found.setdefault(kind, set()).add(call)
    return found
