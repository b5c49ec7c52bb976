"""A thread as it stood at a checkpoint, in memory, for replays that leave the thread alone."""

from __future__ import annotations

from typing import Any

from langgraph.checkpoint.serde.types import RESUME

from signoff.checkpoints import ancestry
from signoff.checkpoints.sqlite import ThreadSaver
from signoff.checkpoints.tables import connect
from signoff.errors import NotFound

_NULL_TASK = "00000000-0000-0000-0000-000000000000"
"""LangGraph's task id for a write that is a checkpoint's own state and not what ran from it."""


def scratch(saver: ThreadSaver, thread: str, checkpoint_id: str) -> ThreadSaver:
    """A saver in memory that holds the checkpoint and its ancestors, under the same thread id.

    The checkpoint is the newest there, and what ran from it is left out, so a run goes on from it as the
    first did. Nothing written to it reaches the real thread; close it when the replay is done.

    Raises `NotFound` when the thread has no such checkpoint.
    """
    target = (thread, "", checkpoint_id)
    with saver.cursor(transaction=False) as cur:
        query = "SELECT 1 FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ? AND bare = 0"
        if cur.execute(query, target).fetchone() is None:
            raise NotFound(f"Thread {thread!r} has no checkpoint {checkpoint_id!r}: see its history for those it has.")
        wanted = {link.id for link in ancestry.chain(cur, target)}
        copied: dict[str, tuple[list[str], list[tuple[Any, ...]]]] = {}
        for table in ("checkpoints", "writes", "snapshots", "blocks"):
            cur.execute(f"SELECT * FROM {table} WHERE thread_id = ?", (thread,))
            columns = [d[0] for d in cur.description]
            copied[table] = (columns, [r for r in cur if _belongs(dict(zip(columns, r, strict=True)), wanted, target)])
    copy = ThreadSaver(connect(None, 5.0), serde=saver.serde)
    with copy.cursor() as into:
        for table, (columns, rows) in copied.items():
            into.executemany(
                f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", rows
            )
    return copy


def _belongs(row: dict[str, Any], wanted: set[str], target: tuple[str, str, str]) -> bool:
    if "checkpoint_id" not in row:
        return True
    if row["checkpoint_ns"]:
        return bool(row["checkpoint_id"] <= target[2])
    if row["checkpoint_id"] not in wanted:
        return False
    ran_from_it = "task_id" in row and row["checkpoint_id"] == target[2]
    return not ran_from_it or (row["task_id"] == _NULL_TASK and row["channel"] != RESUME)
