"""What was asked of the tools, by whom, and how it ended; and which results are really ours.

The audit is also the authority on tool results: a `ToolMessage` in a thread counts as a source only when its
content is what the gateway recorded for that call, because a thread's state can be written by its owner.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Column, Connection, Index, Integer, MetaData, String, Table, Text, insert, select

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.records.database import Database

audit_metadata = MetaData()

events = Table(
    "audit",
    audit_metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("at", String, nullable=False),
    Column("tenant", String, nullable=False),
    Column("user", String, nullable=False),
    Column("thread", String, nullable=False),
    Column("turn", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("call", String),
    Column("tool", String),
    Column("args", Text),
    Column("outcome", String, nullable=False),
    Column("content_digest", String),
    Column("ms", Integer),
    Index("audit_by_thread", "thread", "call"),
)


@dataclass(frozen=True)
class Event:
    """One line of the audit."""

    kind: str
    """`tool_call`, `proposal`, `decision`, `effect`, `limit` (that ended a turn) or `boundary` (an attempt to reach
    somebody else's data)."""
    outcome: str
    """`ok`, an error code, a decision, for a limit its name, or for a boundary what was tried."""
    call: str | None = None
    tool: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)
    content: str | None = None
    """The message's content that answered the call; only its digest is kept."""
    ms: int | None = None


def digest(content: str) -> str:
    """How the audit remembers a message's content."""
    return hashlib.sha256(content.encode()).hexdigest()


class Audit:
    """Appends events, lists them, and says which results it knows."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def record(self, tx: Connection, caller: Caller, thread: str, turn: str, found: Iterable[Event]) -> None:
        """Append events inside a transaction."""
        rows = [
            {
                "at": self._clock.utc().isoformat(),
                "tenant": caller.tenant,
                "user": caller.user,
                "thread": thread,
                "turn": turn,
                "kind": e.kind,
                "call": e.call,
                "tool": e.tool,
                "args": json.dumps(dict(e.args), ensure_ascii=False, default=str) if e.args else None,
                "outcome": e.outcome,
                "content_digest": digest(e.content) if e.content is not None else None,
                "ms": e.ms,
            }
            for e in found
        ]
        if rows:
            tx.execute(insert(events), rows)

    def append(self, caller: Caller, thread: str, turn: str, *found: Event) -> None:
        """Append events in a transaction of their own."""
        with self._database.write() as tx:
            self.record(tx, caller, thread, turn, found)

    def forget(self, tx: Connection, caller: Caller, tools: Sequence[str]) -> int:
        """Blank the arguments of a person's calls of these tools: that they were made is kept, what they said is
        not. Returns how many."""
        mine = (events.c.tenant == caller.tenant) & (events.c.user == caller.user) & events.c.tool.in_(tools)
        return int(tx.execute(events.update().where(mine, events.c.args.is_not(None)).values(args=None)).rowcount)

    def known(self, thread: str, calls: Sequence[str]) -> dict[str, set[str]]:
        """Content digests recorded for these calls of a thread, by call id."""
        found: dict[str, set[str]] = {}
        with self._database.read() as tx:
            for start in range(0, len(calls), 500):
                rows = tx.execute(
                    select(events.c.call, events.c.content_digest).where(
                        events.c.thread == thread,
                        events.c.call.in_(calls[start : start + 500]),
                        events.c.content_digest.is_not(None),
                    )
                )
                for call, content_digest in rows:
                    found.setdefault(call, set()).add(content_digest)
        return found

    def find(
        self, tenant: str, *, thread: str | None = None, user: str | None = None, limit: int = 100
    ) -> list[dict[str, Any]]:
        """Newest events of a tenant first, as dicts of the columns."""
        rows = select(events).where(events.c.tenant == tenant).order_by(events.c.seq.desc()).limit(limit)
        if thread is not None:
            rows = rows.where(events.c.thread == thread)
        if user is not None:
            rows = rows.where(events.c.user == user)
        with self._database.read() as tx:
            return [dict(r) for r in tx.execute(rows).mappings()]
