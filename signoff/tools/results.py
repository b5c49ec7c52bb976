"""Tool results as the gateway recorded them: whole, content-addressed, per thread, expiring, access-checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Boolean, Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, Text, select
from sqlalchemy.dialects.sqlite import insert

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import ToolError
from signoff.records.database import Database
from signoff.text import normalise
from signoff.tools.envelope import Code

results_metadata = MetaData()

results = Table(
    "results",
    results_metadata,
    Column("tenant", String, nullable=False),
    Column("user", String, nullable=False),
    Column("thread", String, nullable=False),
    Column("ref", String, nullable=False),
    Column("content", Text, nullable=False),
    Column("untrusted", Boolean, nullable=False),
    Column("expires_at", String, nullable=False),
    PrimaryKeyConstraint("tenant", "user", "thread", "ref"),
)

PAGE_CHARS = 3_000
"""Characters in one page of a result; below the limit at which a result is trimmed again."""


@dataclass(frozen=True)
class Kept:
    """A result to be kept behind a ref."""

    ref: str
    content: str
    untrusted: bool = False
    """Whether it holds text from outside; reading it again taints the turn again."""


def ref_of(content: str) -> str:
    """The ref of a text: the same text has the same ref."""
    return f"res_{hashlib.sha256(content.encode()).hexdigest()[:20]}"


def trim(data: Any, limit: int) -> tuple[Any, Kept | None]:
    """Data no longer than `limit` characters of JSON as it is; longer data as head and tail with a ref."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, indent=1)
    if len(text) <= limit:
        return data, None
    ref = ref_of(text)
    half = max(1, (limit - 400) // 2)
    return {
        "head": text[:half],
        "tail": text[-half:],
        "total": len(text),
        "shown": 2 * half,
        "note": f"Trimmed from the middle. Read more with read_result(ref={ref!r}, offset={half}) or its query.",
        "ref": ref,
    }, Kept(ref, text)


class Results:
    """The store behind `read_result`."""

    def __init__(self, database: Database, clock: Clock, *, ttl_h: float) -> None:
        self._database = database
        self._clock = clock
        self._ttl = timedelta(hours=ttl_h)

    def keep(self, tx: Connection, caller: Caller, thread: str, kept: Sequence[Kept]) -> None:
        """Keep results whole; keeping one again renews its time."""
        expires = (self._clock.utc() + self._ttl).isoformat()
        for k in kept:
            row = {"tenant": caller.tenant, "user": caller.user, "thread": thread, "ref": k.ref}
            tx.execute(
                insert(results)
                .values(**row, content=k.content, untrusted=k.untrusted, expires_at=expires)
                .on_conflict_do_update(index_elements=list(row), set_={"expires_at": expires})
            )

    def read(self, caller: Caller, thread: str, ref: str, offset: int = 0, query: str | None = None) -> dict[str, Any]:
        """A page of a kept result, from `offset` or round the first place that holds `query`.

        Returns `{ref, offset, text, total, next_offset, untrusted}`; `next_offset` is None at the end. Raises
        `ToolError` when there is no such result for this caller on this thread, it has expired, or the
        query does not occur.
        """
        with self._database.read() as tx:
            row = tx.execute(
                select(results.c.content, results.c.untrusted, results.c.expires_at).where(
                    results.c.tenant == caller.tenant,
                    results.c.user == caller.user,
                    results.c.thread == thread,
                    results.c.ref == ref,
                )
            ).first()
        if row is None:
            raise ToolError(
                Code.NOT_FOUND, f"There is no result {ref} in this conversation.", hint="Call the tool again."
            )
        if datetime.fromisoformat(row.expires_at) <= self._clock.utc():
            raise ToolError(Code.EXPIRED, f"The result {ref} is no longer kept.", hint="Call the tool again.")
        text: str = row.content
        start = max(0, offset)
        if query:
            found = normalise(text).find(normalise(query), start)
            if found < 0:
                raise ToolError(
                    Code.NOT_FOUND,
                    f"{query!r} does not occur in {ref} after {start}.",
                    hint="Try other words, or page with offset.",
                )
            start = max(0, min(found, len(text)) - 200)
        page = text[start : start + PAGE_CHARS]
        after = start + len(page)
        return {
            "ref": ref,
            "offset": start,
            "text": page,
            "total": len(text),
            "next_offset": after if after < len(text) else None,
            "untrusted": bool(row.untrusted),
        }

    def delete_thread(self, tx: Connection, thread: str) -> None:
        """Remove a thread's kept results."""
        tx.execute(results.delete().where(results.c.thread == thread))

    def purge(self, tx: Connection) -> int:
        """Remove what has expired; returns how many."""
        return int(tx.execute(results.delete().where(results.c.expires_at <= self._clock.utc().isoformat())).rowcount)
