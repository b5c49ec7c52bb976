"""Which desk a thread or an approval belongs to, and how it was opened: read from `desk.db`, before any desk is."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from signoff.approvals.rows import approvals
from signoff.checkpoints import Threads
from signoff.clock import Clock
from signoff.records.database import Database


def opened_for(database: Database, *, thread: str | None = None, approval: str | None = None) -> dict[str, Any]:
    """Settings to open the desk with; empty when nothing is known of it, or more than one begins so.

    It only chooses a desk: who may see the thread is judged there.
    """
    threads = Threads(database, Clock())
    if approval is not None:
        thread = _begun(database, approvals.c.id, approvals.c.thread, approval, "ap-")
    elif thread is not None and threads.find(thread) is None:
        thread = threads.begun(thread)
    record = threads.find(thread) if thread is not None else None
    if record is None:
        return {}
    return {"desk": record.desk, **threads.options(record.id)}


def _begun(database: Database, column: Any, wanted: Any, given: str, prefix: str) -> str | None:
    begins = [column.startswith(given, autoescape=True), column.startswith(f"{prefix}{given}", autoescape=True)]
    with database.read() as tx:
        found = {str(v) for v in tx.execute(select(wanted).where(begins[0] | begins[1]).limit(2)).scalars()}
    return found.pop() if len(found) == 1 else None
