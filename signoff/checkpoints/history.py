"""A thread's past, in pages: which steps it took, and what each of them changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Protocol

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.checkpoint.serde.types import TASKS, _DeltaSnapshot

from signoff.checkpoints import ancestry, blocks
from signoff.checkpoints.ancestry import AT
from signoff.checkpoints.sqlite import ThreadSaver
from signoff.errors import NotFound, UsageError
from signoff.text import shorten

TEXT_CHARS = 100

_MESSAGES = "messages"
_INTERNAL = ("branch:", "join:", "__")


class Graph(Protocol):
    """What is needed of a compiled graph: its nodes, its channels and a `ThreadSaver`."""

    @property
    def nodes(self) -> Mapping[str, Any]: ...
    @property
    def channels(self) -> Mapping[str, Any]: ...
    @property
    def checkpointer(self) -> Any: ...


@dataclass(frozen=True)
class MessageLine:
    """A message in a line."""

    id: str
    type: str
    """`human`, `ai`, `tool`, …"""
    text: str
    """At most 100 characters."""
    calls: tuple[str, ...] = ()
    """Tool calls as `name(arguments)`, for a message of the model."""


@dataclass(frozen=True)
class HistoryStep:
    """One checkpoint and what led to it."""

    checkpoint: str
    parent: str | None
    """The checkpoint it was made from; a fork has another than the step before it."""
    step: int
    """Its number, counted along its branch; -1 for the first input."""
    source: str
    """`input`, `loop` (a node ran), `update` (from outside) or `fork`."""
    next: tuple[str, ...]
    """Nodes that run from here; empty at the end of a turn."""
    created: str
    """ISO 8601, UTC."""
    changed: tuple[str, ...]
    """Channels that were written, in order."""
    added: tuple[MessageLine, ...]
    removed: int
    """Messages that were taken out."""
    metadata: Mapping[str, Any]


@dataclass(frozen=True)
class _Row:
    id: str
    parent: str | None
    metadata: Mapping[str, Any]
    checkpoint: Mapping[str, Any]


def history(graph: Graph, thread: str, *, limit: int = 20, before: str | None = None) -> list[HistoryStep]:
    """The newest `limit` steps, newest first, or those older than the checkpoint `before`.

    A page costs one read of the conversation, however many of its steps there are. Raises `NotFound` when
    the thread has no checkpoints or not this one, and `UsageError` for a limit below 1.
    """
    if limit < 1:
        raise UsageError("A page of history has at least 1 step.")
    saver: ThreadSaver = graph.checkpointer
    with saver.cursor(transaction=False) as cur:
        place = (thread, "")
        if before is not None and not _read(cur, saver, place, [before]):
            raise NotFound(f"Thread {thread!r} has no checkpoint {before!r}: see its history for those it has.")
        query = (
            "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? AND bare = 0 "
            f"{'AND checkpoint_id < ? ' if before else ''}ORDER BY checkpoint_id DESC LIMIT ?"
        )
        page = [row[0] for row in cur.execute(query, (*place, *([before] if before else []), limit))]
        if not page and before is None:
            raise NotFound(f"Thread {thread!r} has no history: ask something on it first.")
        rows = _read(cur, saver, place, page)
        rows.update(_read(cur, saver, place, [r.parent for r in rows.values() if r.parent and r.parent not in rows]))
        records = _Records(graph, saver, cur, place, set(rows))
        for checkpoint in rows:
            records.find(checkpoint)
    return [_step(graph, rows, records.found, checkpoint) for checkpoint in page]


class _Records:
    """The conversation at each of a page's checkpoints, folded once along their common chain."""

    def __init__(self, graph: Graph, saver: ThreadSaver, cur: Any, place: tuple[str, str], wanted: set[str]) -> None:
        self.found: dict[str, list[AnyMessage]] = {}
        self._channel = graph.channels[_MESSAGES]
        self._saver, self._cur, self._place, self._wanted = saver, cur, place, wanted

    def find(self, checkpoint: str) -> None:
        """Fill in `found` for this checkpoint and for the wanted ones among its ancestors."""
        if checkpoint in self.found:
            return
        path: list[str] = []
        record: list[AnyMessage] | None = None
        for link in ancestry.chain(self._cur, (*self._place, checkpoint)):
            if (record := self.found.get(link.id)) is not None:
                path.append(link.id)
                break
            path.append(link.id)
            if _MESSAGES in link.held:
                record = self._stored(link.id)
                break
        if not path:
            return
        writes = ancestry.writes(self._cur, self._place, _MESSAGES, path)
        record = record or []
        for here in reversed(path):
            if here in self._wanted:
                self.found[here] = record
            if here != checkpoint:
                record = self._replay(record, writes.get(here, ()))

    def _stored(self, checkpoint: str) -> list[AnyMessage]:
        row = (*self._place, checkpoint)
        if sealed := blocks.fetch(self._cur, row, [_MESSAGES]):
            value: Any = blocks.join(sealed, self._saver.serde)[_MESSAGES]
        else:
            blob = self._cur.execute(f"SELECT type, checkpoint FROM checkpoints WHERE {AT}", row).fetchone()
            value = self._saver.serde.loads_typed(blob)["channel_values"][_MESSAGES]
        return list(value.value if isinstance(value, _DeltaSnapshot) else value)

    def _replay(self, record: list[AnyMessage], writes: Sequence[tuple[str, tuple[str, bytes]]]) -> list[AnyMessage]:
        if not writes:
            return record
        channel = self._channel.from_checkpoint(_DeltaSnapshot(record))
        channel.replay_writes([(task, _MESSAGES, self._saver.serde.loads_typed(value)) for task, value in writes])
        return list(channel.get())


def message_line(message: AnyMessage) -> MessageLine:
    """A message in a line."""
    calls: tuple[str, ...] = ()
    if isinstance(message, AIMessage):
        calls = tuple(
            shorten(f"{c['name']}({json.dumps(c['args'], ensure_ascii=False, default=str)})", TEXT_CHARS)
            for c in message.tool_calls
        )
    return MessageLine(str(message.id), message.type, shorten(str(message.text), TEXT_CHARS), calls)


def _read(cur: Any, saver: ThreadSaver, place: tuple[str, str], checkpoints: Sequence[str]) -> dict[str, _Row]:
    found: dict[str, _Row] = {}
    query = f"SELECT parent_checkpoint_id, metadata, type, checkpoint FROM checkpoints WHERE bare = 0 AND {AT}"
    for checkpoint in checkpoints:
        if row := cur.execute(query, (*place, checkpoint)).fetchone():
            opened = saver.serde.loads_typed((row[2], row[3]))
            found[checkpoint] = _Row(checkpoint, row[0], json.loads(row[1] or "{}"), opened)
    return found


def _step(
    graph: Graph, rows: Mapping[str, _Row], records: Mapping[str, list[AnyMessage]], checkpoint: str
) -> HistoryStep:
    row = rows[checkpoint]
    parent = rows.get(row.parent) if row.parent else None
    after = records.get(checkpoint, [])
    # What came before the oldest step that pruning left is not known: nothing is claimed to be new in it.
    before = records[parent.id] if parent else after if row.parent else []
    added, removed = _changes(before, after)
    return HistoryStep(
        checkpoint=checkpoint,
        parent=row.parent,
        step=int(row.metadata.get("step", -1)),
        source=str(row.metadata.get("source", "")),
        next=_next(graph, row.checkpoint),
        created=str(row.checkpoint.get("ts", "")),
        changed=_changed(row, parent),
        added=tuple(message_line(m) for m in added),
        removed=removed,
        metadata={k: v for k, v in row.metadata.items() if k != "counters_since_delta_snapshot"},
    )


def _changes(before: Sequence[AnyMessage], after: Sequence[AnyMessage]) -> tuple[list[AnyMessage], int]:
    same = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(before, after, strict=False)))
    old = {m.id for m in before[same:]}
    new = {m.id for m in after[same:]}
    return [m for m in after[same:] if m.id not in old], len(old - new)


def _changed(row: _Row, parent: _Row | None) -> tuple[str, ...]:
    updated = row.checkpoint.get("updated_channels")
    if updated is None:
        if row.parent and not parent:
            return ()
        old = parent.checkpoint["channel_versions"] if parent else {}
        updated = [c for c, v in row.checkpoint["channel_versions"].items() if old.get(c) != v]
    return tuple(sorted(c for c in updated if not c.startswith(_INTERNAL)))


def _next(graph: Graph, checkpoint: Mapping[str, Any]) -> tuple[str, ...]:
    """The nodes that LangGraph would run: those with a trigger that holds a value they have not seen."""
    values, versions, seen = (checkpoint[k] for k in ("channel_values", "channel_versions", "versions_seen"))
    sent = [send.node for send in values.get(TASKS) or ()]
    pulled = [
        name
        for name, node in graph.nodes.items()
        if any(t in values and (name not in seen or versions[t] > seen[name].get(t, 0)) for t in node.triggers)
    ]
    return (*sent, *pulled)
