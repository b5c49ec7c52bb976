"""Snapshots of long lists, in blocks that they share.

A conversation only grows at its end, and a delta channel's snapshot holds all of it. Stored whole, snapshots
make a thread grow with the square of its turns; cut into blocks that are stored once, with its turns.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.checkpoint.serde.types import _DeltaSnapshot

from signoff.checkpoints.serde import ThreadSerializer
from signoff.errors import StoreError

BLOCK = 32
"""Items in a block. The last, partial block of a list is stored anew by every snapshot."""

DIGEST = 16
"""Bytes in a block's name."""

Row = tuple[str, str, str]
"""`(thread_id, checkpoint_ns, checkpoint_id)`."""


Sealed = tuple[str, bytes]
"""A blob as it is stored: its type and its bytes."""


@dataclass(frozen=True)
class Snapshot:
    """A list cut into blocks: their names in order, and their sealed bytes by name."""

    digests: bytes
    blocks: Mapping[bytes, Sealed]


def split(values: Mapping[str, Any], serde: ThreadSerializer) -> tuple[dict[str, Any], dict[str, Snapshot]]:
    """A checkpoint's channel values without the long snapshots, and those as blocks."""
    rest = dict(values)
    cut: dict[str, Snapshot] = {}
    for channel, value in values.items():
        if isinstance(value, _DeltaSnapshot) and isinstance(value.value, list) and len(value.value) > BLOCK:
            names = bytearray()
            blocks: dict[bytes, Sealed] = {}
            for start in range(0, len(value.value), BLOCK):
                kind, plain = serde.plain(value.value[start : start + BLOCK])
                name = serde.digest(plain)
                names += name
                blocks[name] = (kind, plain)
            cut[channel] = Snapshot(bytes(names), blocks)
            del rest[channel]
    return rest, cut


def store(cur: sqlite3.Cursor, row: Row, cut: Mapping[str, Snapshot], serde: ThreadSerializer) -> None:
    """Write the snapshots of a checkpoint; only blocks the thread does not have yet take space."""
    cur.execute("DELETE FROM snapshots WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?", row)
    for channel, snapshot in cut.items():
        cur.execute("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?)", (*row, channel, snapshot.digests))
        known = _known(cur, row[0], snapshot.blocks)
        cur.executemany(
            "INSERT OR IGNORE INTO blocks VALUES (?, ?, ?, ?)",
            [(row[0], n, *serde.seal(*b)) for n, b in snapshot.blocks.items() if n not in known],
        )


def fetch(cur: sqlite3.Cursor, row: Row, channels: Iterable[str] | None = None) -> dict[str, list[Sealed]]:
    """The sealed blocks of a checkpoint's snapshots, by channel. Raises `StoreError` when one is missing."""
    found: dict[str, list[Sealed]] = {}
    wanted = None if channels is None else set(channels)
    query = "SELECT channel, digests FROM snapshots WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
    for channel, digests in cur.execute(query, row).fetchall():
        if wanted is not None and channel not in wanted:
            continue
        names = [digests[i : i + DIGEST] for i in range(0, len(digests), DIGEST)]
        blocks = _read(cur, row[0], names)
        if missing := [n for n in names if n not in blocks]:
            raise StoreError(
                f"Thread {row[0]!r} is damaged: {len(missing)} of {len(names)} blocks of checkpoint {row[2]} are gone."
            )
        found[channel] = [blocks[n] for n in names]
    return found


def join(sealed: Mapping[str, Sequence[Sealed]], serde: ThreadSerializer) -> dict[str, _DeltaSnapshot]:
    """The snapshots again, from their blocks."""
    return {
        channel: _DeltaSnapshot([item for block in blocks for item in serde.loads_typed(block)])
        for channel, blocks in sealed.items()
    }


def sweep(cur: sqlite3.Cursor, thread: str) -> None:
    """Remove the blocks of the thread that no snapshot names any more."""
    used: set[bytes] = set()
    for (digests,) in cur.execute("SELECT digests FROM snapshots WHERE thread_id = ?", (thread,)):
        used.update(digests[i : i + DIGEST] for i in range(0, len(digests), DIGEST))
    stored = cur.execute("SELECT digest FROM blocks WHERE thread_id = ?", (thread,)).fetchall()
    cur.executemany(
        "DELETE FROM blocks WHERE thread_id = ? AND digest = ?", [(thread, d) for (d,) in stored if d not in used]
    )


def _known(cur: sqlite3.Cursor, thread: str, names: Iterable[bytes]) -> set[bytes]:
    query = "SELECT 1 FROM blocks WHERE thread_id = ? AND digest = ?"
    return {n for n in names if cur.execute(query, (thread, n)).fetchone()}


def _read(cur: sqlite3.Cursor, thread: str, names: Iterable[bytes]) -> dict[bytes, Sealed]:
    query = "SELECT type, value FROM blocks WHERE thread_id = ? AND digest = ?"
    rows = ((n, cur.execute(query, (thread, n)).fetchone()) for n in set(names))
    return {n: r for n, r in rows if r is not None}
