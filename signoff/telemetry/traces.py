"""Reading traces back: which turns there were, one turn as a tree with its totals, and forgetting a thread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, or_, select

from signoff.errors import NotFound
from signoff.telemetry.processes import alive
from signoff.telemetry.spans import Store, spans


@dataclass(frozen=True)
class TraceNode:
    """One span and what happened inside it, in the order in which it began."""

    span_id: str
    kind: str
    name: str
    status: str
    """As recorded, but an open span is `running` only while its process lives, and else `interrupted`."""
    started: datetime
    ended: datetime | None
    attributes: Mapping[str, Any]
    children: tuple[TraceNode, ...] = ()

    @property
    def ms(self) -> float | None:
        """Milliseconds from start to end; None while there is no end."""
        return None if self.ended is None else (self.ended - self.started) / timedelta(milliseconds=1)

    @property
    def tokens(self) -> tuple[int | None, int | None]:
        """Prompt and completion tokens, under OpenAI's or LangChain's names; None for what is not known."""
        return (
            _first_number(self.attributes, ("prompt_tokens", "input_tokens")),
            _first_number(self.attributes, ("completion_tokens", "output_tokens")),
        )

    def walk(self) -> Iterator[TraceNode]:
        """This node and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class Totals:
    """What a turn took."""

    model_calls: int
    tool_calls: int
    """Different calls: one that was proposed in one node and executed in another counts once."""
    prompt_tokens: int
    completion_tokens: int
    ms: float
    """Milliseconds from the turn's start to its end, or to the last thing known of it."""
    waiting_ms: float
    """Milliseconds of these spent waiting for people."""

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True)
class Trace:
    """One turn: its root span and everything below it."""

    root: TraceNode
    thread: str | None
    tenant: str | None
    user: str | None
    totals: Totals

    @property
    def turn(self) -> str:
        """The turn's id."""
        return self.root.span_id

    @property
    def status(self) -> str:
        """How the turn stands or ended."""
        return self.root.status


Row = dict[str, Any]


def list_traces(
    database: Store, tenant: str, user: str | None = None, limit: int = 20, *, thread: str | None = None
) -> list[Trace]:
    """The tenant's latest turns, newest first; of one user or one thread when given. Raises `StoreError`."""
    query = select(spans).where(spans.c.tenant == tenant, spans.c.kind == "turn")
    if user is not None:
        query = query.where(spans.c.user == user)
    if thread is not None:
        query = query.where(spans.c.thread == thread)
    with database.read() as tx:
        roots = tx.execute(query.order_by(spans.c.started.desc(), spans.c.span_id.desc()).limit(limit)).mappings().all()
        ids = [str(root["span_id"]) for root in roots]
        found = _rows(tx, spans.c.trace_id.in_(ids))
    by_trace: dict[str, list[Row]] = {turn: [] for turn in ids}
    for row in found:
        by_trace[row["trace_id"]].append(row)
    return [_trace(turn, by_trace[turn]) for turn in ids]


def load_trace(database: Store, turn_id: str, *, tenant: str | None = None, user: str | None = None) -> Trace:
    """One turn's trace. With `tenant` or `user`, somebody else's is not found. Raises `NotFound`, `StoreError`."""
    with database.read() as tx:
        found = _rows(tx, spans.c.trace_id == turn_id)
    root = next((row for row in found if row["span_id"] == turn_id), None)
    mine = all(
        wanted is None or (root is not None and root[column] == wanted)
        for column, wanted in (("tenant", tenant), ("user", user))
    )
    if not found or not mine:
        raise NotFound(f"There is no trace of a turn {turn_id!r} for you: list the traces to see which there are.")
    return _trace(turn_id, found)


def delete_thread(database: Store, thread: str) -> int:
    """Forget every trace of a thread. Returns how many spans there were. Raises `StoreError`."""
    turns = select(spans.c.trace_id).where(spans.c.thread == thread)
    with database.write() as tx:
        gone = tx.execute(delete(spans).where(or_(spans.c.thread == thread, spans.c.trace_id.in_(turns))))
    return int(gone.rowcount)


def _rows(tx: Connection, where: ColumnElement[bool]) -> list[Row]:
    return [dict(row) for row in tx.execute(select(spans).where(where)).mappings()]


def _trace(turn_id: str, rows: Sequence[Row]) -> Trace:
    ordered = sorted(rows, key=lambda r: (r["started"], r["span_id"]))
    head = next((r for r in ordered if r["span_id"] == turn_id), _lost_root(turn_id, ordered[0]))
    ids = {r["span_id"] for r in ordered}
    below: dict[str, list[Row]] = {}
    for row in ordered:
        if row["span_id"] != turn_id:
            # The parent of a span can be missing when its process was killed before it was written.
            below.setdefault(row["parent_id"] if row["parent_id"] in ids else turn_id, []).append(row)
    over = head["ended"] is not None
    process = head["attributes"].get("process")
    lives = not over and isinstance(process, dict) and alive(process)
    root = _node(head, below, over=over, lives=lives)
    return Trace(root, head["thread"], head["tenant"], head["user"], _totals(root))


def _node(row: Row, below: dict[str, list[Row]], *, over: bool, lives: bool) -> TraceNode:
    # Taken out of `below`, so that damaged rows that are their own ancestors cannot go round for ever.
    children = tuple(_node(child, below, over=over, lives=lives) for child in below.pop(row["span_id"], ()))
    status = row["status"]
    if row["ended"] is None and ((status == "running" and not lives) or (status == "waiting" and over)):
        status = "interrupted"
    return TraceNode(
        row["span_id"],
        row["kind"],
        row["name"],
        status,
        datetime.fromisoformat(row["started"]),
        datetime.fromisoformat(row["ended"]) if row["ended"] else None,
        row["attributes"],
        children,
    )


def _lost_root(turn_id: str, first: Row) -> Row:
    return {
        **first,
        "span_id": turn_id,
        "parent_id": None,
        "kind": "turn",
        "name": "turn",
        "ended": None,
        "status": "running",
        "attributes": {},
    }


def _totals(root: TraceNode) -> Totals:
    nodes = list(root.walk())
    models = [n for n in nodes if n.kind == "model_call"]
    calls = {str(n.attributes.get("call") or n.span_id) for n in nodes if n.kind == "tool_call"}
    last = root.ended or max(n.ended or n.started for n in nodes)
    now = datetime.now(UTC) if root.status == "waiting" else last
    waits = [(n.ended or now) - n.started for n in nodes if n.kind == "approval_wait"]
    return Totals(
        model_calls=len(models),
        tool_calls=len(calls),
        prompt_tokens=sum(n.tokens[0] or 0 for n in models),
        completion_tokens=sum(n.tokens[1] or 0 for n in models),
        ms=max((max(last, now) - root.started) / timedelta(milliseconds=1), 0.0),
        waiting_ms=max(sum(waits, timedelta(0)) / timedelta(milliseconds=1), 0.0),
    )


def _first_number(attributes: Mapping[str, Any], names: Sequence[str]) -> int | None:
    found = (attributes.get(name) for name in names)
    return next((n for n in found if isinstance(n, int) and not isinstance(n, bool)), None)
