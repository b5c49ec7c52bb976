"""The saver: LangGraph's checkpoints in one SQLite file, for several threads and processes."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.sqlite.utils import load_pending_writes, pending_writes_sql, search_where

from signoff.checkpoints import ancestry, blocks, retention
from signoff.checkpoints.awaitable import AwaitableSaver
from signoff.checkpoints.serde import ThreadSerializer, checkpoint_key
from signoff.checkpoints.tables import check_key, connect, errors, file_words
from signoff.errors import StoreError, UsageError
from signoff.settings import Settings

PAGE = 32
"""Rows that `list` reads at a time."""

_ROW = (
    "SELECT rowid, thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata "
    "FROM checkpoints"
)


def open_saver(settings: Settings) -> ThreadSaver:
    """The saver on the home's `threads.db`; made when it is not there.

    Raises `ConfigError` when the key does not fit the file or the file cannot be made, and `StoreError` when
    it is locked, damaged or of another version.
    """
    path = settings.database("threads")
    key = checkpoint_key(settings.checkpoint_key)
    connection = connect(path, settings.busy_timeout_s)
    try:
        serde = ThreadSerializer(key, file_words(connection, path))
        check_key(connection, serde, path)
    except BaseException:
        connection.close()
        raise
    return ThreadSaver(connection, serde=serde, path=path)


class ThreadSaver(AwaitableSaver):
    """LangGraph's `SqliteSaver` with its own tables: stored small, read fast, pruned without losing what is kept.

    Everything it stores but ids, channel names and metadata is compressed, and encrypted when a key is set.
    One connection, guarded by a lock, serves all threads of a process; other processes wait up to the busy
    timeout. Every method may raise `StoreError`.
    """

    serde: ThreadSerializer

    def __init__(self, conn: sqlite3.Connection, *, serde: ThreadSerializer, path: Path | None = None) -> None:
        super().__init__(conn, serde=serde)
        self.path = path
        self.is_setup = True
        self.lock = threading.RLock()  # type: ignore[assignment]

    def __enter__(self) -> ThreadSaver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the saver is not usable afterwards."""
        with self.lock:
            self.conn.close()

    def setup(self) -> None:
        """Nothing: the tables are there since the file was opened."""

    def with_allowlist(self, extra_allowlist: Collection[tuple[str, ...]]) -> ThreadSaver:
        """Itself: the list of types is closed."""
        return self

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """A cursor in one transaction: a write transaction, or a snapshot to read from."""
        with errors(self.path), self.lock:
            if self.conn.in_transaction:
                yield self.conn.cursor()
                return
            self.conn.execute("BEGIN IMMEDIATE" if transaction else "BEGIN")
            try:
                yield self.conn.cursor()
            except BaseException:
                self.conn.rollback()
                raise
            self.conn.commit()

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that `config` names, or the thread's newest; None when there is none."""
        thread, namespace = _place(config)
        with self.cursor(transaction=False) as cur:
            if wanted := get_checkpoint_id(config):
                where, order, params = "checkpoint_id = ?", "", (thread, namespace, wanted)
            else:
                where, order, params = "1", "ORDER BY checkpoint_id DESC LIMIT 1", (thread, namespace)  # type: ignore[assignment]
            query = f"{_ROW} WHERE thread_id = ? AND checkpoint_ns = ? AND bare = 0 AND {where} {order}"
            row = cur.execute(query, params).fetchone()
            read = _read(cur, row) if row else None
        return self._tuple(*read, config=config if wanted else None) if read else None

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints, newest first. Read in pages, so that the saver can be used while iterating."""
        where, params = search_where(_with_text_id(config), filter, before)
        left = limit
        last: tuple[str, int] | None = None
        while left is None or left > 0:
            size = PAGE if left is None else min(PAGE, left)
            query = f"{_ROW} {where} {'AND' if where else 'WHERE'} bare = 0 "
            query += "AND (checkpoint_id, rowid) < (?, ?) " if last else ""
            query += "ORDER BY checkpoint_id DESC, rowid DESC LIMIT ?"
            with self.cursor(transaction=False) as cur:
                rows = cur.execute(query, (*params, *(last or ()), size)).fetchall()
                page = [_read(cur, row) for row in rows]
            for read in page:
                yield self._tuple(*read)
            if len(rows) < size:
                return
            last = (rows[-1][3], rows[-1][0])
            left = None if left is None else left - size

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint as a child of the one in `config`; returns its own config."""
        thread, namespace = _place(config)
        row = (thread, namespace, checkpoint["id"])
        values, cut = blocks.split(checkpoint["channel_values"], self.serde)
        sealed = self.serde.dumps_typed({**checkpoint, "channel_values": values})
        held = json.dumps(sorted(checkpoint["channel_values"]), ensure_ascii=False)
        described = json.dumps(get_checkpoint_metadata(config, metadata), ensure_ascii=False)
        with self.cursor() as cur:
            cur.execute(
                "INSERT OR REPLACE INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, "
                "held, metadata, type, checkpoint) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*row, get_checkpoint_id(config), held, described.encode("utf-8", "ignore"), *sealed),
            )
            blocks.store(cur, row, cut, self.serde)
        return _config(*row)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote from the checkpoint in `config`. The first store of a write stands."""
        row = (*_place(config), str(config["configurable"]["checkpoint_id"]))
        special = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        sealed = [
            (*row, task_id, task_path, WRITES_IDX_MAP.get(channel, i), channel, *self.serde.dumps_typed(value))
            for i, (channel, value) in enumerate(writes)
        ]
        with self.cursor() as cur:
            cur.executemany(
                f"INSERT OR {'REPLACE' if special else 'IGNORE'} INTO writes (thread_id, checkpoint_ns, "
                "checkpoint_id, task_id, task_path, idx, channel, type, value) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                sealed,
            )

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """What the delta channels of a checkpoint are rebuilt from: see `ancestry.histories`."""
        if not channels:
            return {}
        thread, namespace = _place(config)
        with self.cursor(transaction=False) as cur:
            target = get_checkpoint_id(config) or ancestry.newest(cur, thread, namespace)
            if target is None:
                return {channel: {"writes": []} for channel in channels}
            stored = ancestry.read(cur, (thread, namespace, target), list(channels))
        return ancestry.histories(stored, self.serde)

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Whole numbers: they take a tenth of the space of the parent's, in every checkpoint."""
        return int(str(current).split(".")[0]) + 1 if current is not None else 1

    def delete_thread(self, thread_id: str) -> None:
        """Remove all that is stored of a thread."""
        with self.cursor() as cur:
            retention.delete_thread(cur, str(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints that these runs made; the others stay readable."""
        with self.cursor() as cur:
            retention.delete_for_runs(cur, list(run_ids), self.serde)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread with its whole history. Raises `UsageError` when the target has checkpoints."""
        with self.cursor() as cur:
            if ancestry.exists(cur, str(target_thread_id)):
                raise UsageError(f"Thread {target_thread_id!r} exists: copy to a thread that is new.")
            retention.copy_thread(cur, str(source_thread_id), str(target_thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest", keep: int = 1) -> None:
        """Remove all but the `keep` newest checkpoints of each namespace; `strategy="delete"` removes all.

        Every checkpoint that is kept reads as before. What delta channels need from removed ancestors is
        kept bare, out of sight. Use it while no turn runs on the thread.
        """
        if strategy not in ("keep_latest", "delete"):
            raise UsageError(f"{strategy!r} is not a pruning strategy: use keep_latest or delete.")
        for thread in thread_ids:
            if strategy == "delete":
                self.delete_thread(thread)
            else:
                self.prune_thread(thread, keep=keep)

    def prune_thread(self, thread_id: str, *, keep: int) -> int:
        """`prune` for one thread; returns how many checkpoints went."""
        if keep < 1:
            raise UsageError("Prune keeps at least 1 checkpoint: delete the thread to keep none.")
        with self.cursor() as cur:
            return retention.keep_newest(cur, str(thread_id), keep, self.serde)

    def compact(self) -> tuple[int, int]:
        """Give free space back to the file system: bytes of the file before and after."""
        with errors(self.path), self.lock:
            before = self.size()
            self.conn.execute("VACUUM")
            if self.path is not None:
                self.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return before, self.size()

    def size(self) -> int:
        """Bytes of the database, without what is still in its write-ahead log."""
        with errors(self.path), self.lock:
            (pages,) = self.conn.execute("PRAGMA page_count").fetchone()
            (page_size,) = self.conn.execute("PRAGMA page_size").fetchone()
        return int(pages) * int(page_size)

    def _tuple(
        self,
        row: tuple[Any, ...],
        sealed: Mapping[str, Sequence[blocks.Sealed]],
        writes: Sequence[Any],
        config: RunnableConfig | None = None,
    ) -> CheckpointTuple:
        _, thread, namespace, checkpoint_id, parent, kind, blob, metadata = row
        checkpoint = self.serde.loads_typed((kind, blob))
        if not isinstance(checkpoint, dict) or not isinstance(checkpoint.get("channel_values"), dict):
            raise StoreError(f"Thread {thread!r} is damaged: checkpoint {checkpoint_id} is not one.")
        checkpoint["channel_values"].update(blocks.join(sealed, self.serde))
        return CheckpointTuple(
            config or _config(thread, namespace, checkpoint_id),
            cast(Checkpoint, checkpoint),
            cast(CheckpointMetadata, json.loads(metadata) if metadata is not None else {}),
            _config(thread, namespace, parent) if parent else None,
            load_pending_writes(writes, self.serde),
        )


def _place(config: RunnableConfig) -> tuple[str, str]:
    return str(config["configurable"]["thread_id"]), str(config["configurable"].get("checkpoint_ns", ""))


def _config(thread: str, namespace: str, checkpoint_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}}


def _with_text_id(config: RunnableConfig | None) -> RunnableConfig | None:
    if config is None:
        return None
    return {"configurable": {**config["configurable"], "thread_id": str(config["configurable"]["thread_id"])}}


def _read(
    cur: sqlite3.Cursor, row: tuple[Any, ...]
) -> tuple[tuple[Any, ...], Mapping[str, Sequence[blocks.Sealed]], Sequence[Any]]:
    """All that makes a `CheckpointTuple`, still sealed: it is opened after the transaction."""
    return row, blocks.fetch(cur, row[1:4]), cur.execute(pending_writes_sql(True), row[1:4]).fetchall()
