"""Copying, deleting and pruning threads, without breaking what stays."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from signoff.checkpoints import ancestry, blocks
from signoff.checkpoints.ancestry import AT
from signoff.checkpoints.blocks import Row
from signoff.checkpoints.serde import ThreadSerializer

_TABLES = ("checkpoints", "writes", "snapshots", "blocks")


def delete_thread(cur: sqlite3.Cursor, thread: str) -> None:
    """Remove all that is stored of a thread."""
    for table in _TABLES:
        cur.execute(f"DELETE FROM {table} WHERE thread_id = ?", (thread,))


def copy_thread(cur: sqlite3.Cursor, source: str, target: str) -> None:
    """Copy a thread's rows under another name."""
    for table in _TABLES:
        columns = [row[1] for row in cur.execute(f"PRAGMA table_info({table})").fetchall() if row[1] != "thread_id"]
        names = ", ".join(columns)
        cur.execute(
            f"INSERT INTO {table} (thread_id, {names}) SELECT ?, {names} FROM {table} WHERE thread_id = ?",
            (target, source),
        )


def keep_newest(cur: sqlite3.Cursor, thread: str, keep: int, serde: ThreadSerializer) -> int:
    """Remove all but the newest checkpoints of each namespace of a thread; returns how many went."""
    gone = 0
    query = "SELECT DISTINCT checkpoint_ns FROM checkpoints WHERE thread_id = ?"
    for (namespace,) in cur.execute(query, (thread,)).fetchall():
        rows = _visible(cur, thread, namespace)
        _remove(cur, thread, namespace, rows[keep:], serde)
        gone += len(rows[keep:])
    blocks.sweep(cur, thread)
    return gone


def delete_for_runs(cur: sqlite3.Cursor, runs: Sequence[str], serde: ThreadSerializer) -> None:
    """Remove the checkpoints whose metadata names one of the runs."""
    places: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        query = (
            "SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints "
            "WHERE bare = 0 AND json_extract(CAST(metadata AS TEXT), '$.run_id') = ?"
        )
        for thread, namespace, checkpoint in cur.execute(query, (run,)).fetchall():
            places.setdefault((thread, namespace), []).append(checkpoint)
    for (thread, namespace), checkpoints in places.items():
        _remove(cur, thread, namespace, checkpoints, serde)
    for thread in {thread for thread, _ in places}:
        blocks.sweep(cur, thread)


def _visible(cur: sqlite3.Cursor, thread: str, namespace: str) -> list[str]:
    query = (
        "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? AND bare = 0 "
        "ORDER BY checkpoint_id DESC"
    )
    return [row[0] for row in cur.execute(query, (thread, namespace))]


def _remove(cur: sqlite3.Cursor, thread: str, namespace: str, unwanted: Iterable[str], serde: ThreadSerializer) -> None:
    """Remove checkpoints; those that a remaining one is rebuilt from become bare instead.

    Bare rows of an earlier pruning are looked at again: what nothing needs any more goes.
    """
    gone = set(unwanted)
    kept = [c for c in _visible(cur, thread, namespace) if c not in gone]
    needed: dict[str, set[str]] = {}
    for checkpoint in kept:
        for ancestor, channels in _needs(cur, (thread, namespace, checkpoint), serde).items():
            needed.setdefault(ancestor, set()).update(channels)
    query = "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? AND bare = 1"
    gone.update(row[0] for row in cur.execute(query, (thread, namespace)).fetchall())
    for checkpoint in gone:
        row = (thread, namespace, checkpoint)
        if checkpoint in needed:
            _strip(cur, row, needed[checkpoint], serde)
        else:
            for table in ("checkpoints", "writes", "snapshots"):
                cur.execute(f"DELETE FROM {table} WHERE {AT}", row)


def _needs(cur: sqlite3.Cursor, row: Row, serde: ThreadSerializer) -> dict[str, set[str]]:
    """The ancestors that the checkpoint's delta channels are rebuilt from, each with those channels."""
    metadata, kind, blob = cur.execute(f"SELECT metadata, type, checkpoint FROM checkpoints WHERE {AT}", row).fetchone()
    # LangGraph counts, for every delta channel, the steps since its snapshot: so the counters name them all.
    counted = json.loads(metadata or "{}").get("counters_since_delta_snapshot") or {}
    links = ancestry.chain(cur.connection.cursor(), row)
    own = next(links)
    versions = serde.loads_typed((kind, blob))["channel_versions"]
    missing = {channel for channel in counted if channel in versions and channel not in own.held}
    needs: dict[str, set[str]] = {}
    for link in links:
        if not missing:
            break
        needs[link.id] = set(missing)
        missing -= link.held
    return needs


def _strip(cur: sqlite3.Cursor, row: Row, channels: set[str], serde: ThreadSerializer) -> None:
    """Leave of a checkpoint only what these channels need: its place in the chain, their seeds and writes."""
    held, kind, blob = cur.execute(f"SELECT held, type, checkpoint FROM checkpoints WHERE {AT}", row).fetchone()
    values = serde.loads_typed((kind, blob))["channel_values"]
    sealed = serde.dumps_typed({"channel_values": {c: v for c, v in values.items() if c in channels}})
    left = json.dumps(sorted(channels.intersection(json.loads(held))), ensure_ascii=False)
    cur.execute(
        f"UPDATE checkpoints SET bare = 1, held = ?, metadata = NULL, type = ?, checkpoint = ? WHERE {AT}",
        (left, *sealed, *row),
    )
    marks = ",".join("?" * len(channels))
    for table in ("writes", "snapshots"):
        cur.execute(f"DELETE FROM {table} WHERE {AT} AND channel NOT IN ({marks})", (*row, *channels))
