"""The chain of a checkpoint's ancestors, and what delta channels replay from it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph.checkpoint.base import DeltaChannelHistory, writes_sort_key

from signoff.checkpoints import blocks
from signoff.checkpoints.blocks import Row, Sealed
from signoff.checkpoints.serde import ThreadSerializer

# CROSS JOIN keeps the chain outside: every step is one look-up by key, whatever SQLite guesses of the sizes.
_CHAIN = """
WITH RECURSIVE chain(checkpoint_id, parent, held) AS (
    SELECT checkpoint_id, parent_checkpoint_id, held FROM checkpoints
    WHERE thread_id = ?1 AND checkpoint_ns = ?2 AND checkpoint_id = ?3
    UNION ALL
    SELECT c.checkpoint_id, c.parent_checkpoint_id, c.held FROM chain CROSS JOIN checkpoints c
    ON c.thread_id = ?1 AND c.checkpoint_ns = ?2 AND c.checkpoint_id = chain.parent
)
SELECT checkpoint_id, parent, held FROM chain
"""

AT = "thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
"""Where one checkpoint is; takes a `Row`."""

_PARAMETERS = 500
"""Ids in one query; SQLite's own limit differs between builds."""


@dataclass(frozen=True)
class Link:
    """A checkpoint in a chain."""

    id: str
    parent: str | None
    held: frozenset[str]
    """Channels whose value it stores."""


@dataclass
class Stored:
    """What one channel is rebuilt from, still sealed."""

    writes: list[tuple[str, Sealed]] = field(default_factory=list)
    """`(task id, value)`, in the order in which they were applied."""
    snapshot: list[Sealed] | None = None
    """The blocks of the seed, when it is stored in blocks."""
    checkpoint: Sealed | None = None
    """The checkpoint that holds the seed, when it is stored inside."""


def chain(cur: sqlite3.Cursor, row: Row) -> Iterator[Link]:
    """The checkpoint and its ancestors, nearest first. Ends where a checkpoint comes a second time."""
    seen: set[str] = set()
    for found, parent, held in cur.execute(_CHAIN, row):
        if found in seen:
            return
        seen.add(found)
        yield Link(found, parent, frozenset(json.loads(held)))


def newest(cur: sqlite3.Cursor, thread: str, namespace: str = "") -> str | None:
    """Id of the thread's newest checkpoint."""
    query = "SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? AND bare = 0"
    found = cur.execute(query, (thread, namespace)).fetchone()[0]
    return str(found) if found is not None else None


def exists(cur: sqlite3.Cursor, thread: str) -> bool:
    """Whether anything is stored of the thread."""
    return cur.execute("SELECT 1 FROM checkpoints WHERE thread_id = ? LIMIT 1", (thread,)).fetchone() is not None


def read(cur: sqlite3.Cursor, target: Row, channels: Sequence[str]) -> dict[str, Stored]:
    """Walk back from the target to the nearest ancestor that holds each channel, and read what lies between.

    The target's own value and writes are not part of it: those writes belong to the step after it.
    """
    thread, namespace, _ = target
    spans: dict[str, list[str]] = {channel: [] for channel in channels}
    seeds: dict[str, str] = {}
    links = chain(cur, target)
    next(links, None)
    for link in links:
        for channel in channels:
            if channel not in seeds:
                spans[channel].append(link.id)
                if channel in link.held:
                    seeds[channel] = link.id
        if len(seeds) == len(spans):
            break
    found: dict[str, Stored] = {}
    for channel, span in spans.items():
        by_checkpoint = writes(cur, (thread, namespace), channel, span)
        found[channel] = Stored([w for checkpoint in reversed(span) for w in by_checkpoint.get(checkpoint, ())])
    for seed in set(seeds.values()):
        row = (thread, namespace, seed)
        here = [c for c in seeds if seeds[c] == seed]
        snapshots = blocks.fetch(cur, row, here)
        inline = None
        if len(snapshots) < len(here):
            inline = cur.execute(f"SELECT type, checkpoint FROM checkpoints WHERE {AT}", row).fetchone()
        for channel in here:
            found[channel].snapshot = snapshots.get(channel)
            found[channel].checkpoint = None if channel in snapshots else inline
    return found


def histories(stored: Mapping[str, Stored], serde: ThreadSerializer) -> dict[str, DeltaChannelHistory]:
    """LangGraph's form: the seed, when there is one, and the writes to replay on it, oldest first."""
    opened: dict[int, Any] = {}
    result: dict[str, DeltaChannelHistory] = {}
    for channel, parts in stored.items():
        history: DeltaChannelHistory = {
            "writes": [(task, channel, serde.loads_typed(value)) for task, value in parts.writes]
        }
        if parts.snapshot is not None:
            history["seed"] = blocks.join({channel: parts.snapshot}, serde)[channel]
        elif parts.checkpoint is not None:
            key = id(parts.checkpoint)
            if key not in opened:
                opened[key] = serde.loads_typed(parts.checkpoint)["channel_values"]
            history["seed"] = opened[key][channel]
        result[channel] = history
    return result


def writes(
    cur: sqlite3.Cursor, place: tuple[str, str], channel: str, checkpoints: Sequence[str]
) -> dict[str, list[tuple[str, Sealed]]]:
    """What was written to a channel from each of the checkpoints: `(task id, value)`, in the order applied."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for start in range(0, len(checkpoints), _PARAMETERS):
        ids = checkpoints[start : start + _PARAMETERS]
        query = (
            "SELECT checkpoint_id, task_path, task_id, idx, type, value FROM writes "
            "WHERE thread_id = ? AND checkpoint_ns = ? AND channel = ? "
            f"AND checkpoint_id IN ({','.join('?' * len(ids))})"
        )
        for row in cur.execute(query, (*place, channel, *ids)):
            found.setdefault(row[0], []).append(row[1:])
    return {
        checkpoint: [(w[1], (w[3], w[4])) for w in sorted(rows, key=lambda w: writes_sort_key(w[0], w[1], w[2]))]
        for checkpoint, rows in found.items()
    }
