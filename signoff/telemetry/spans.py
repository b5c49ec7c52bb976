"""What a trace is made of: the table of spans, and one span while it runs."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import PurePath
from typing import Any, Literal, Protocol

from sqlalchemy import JSON, Column, Connection, Index, MetaData, String, Table, Text

SpanKind = Literal["turn", "node", "model_call", "retrieval", "tool_call", "approval_wait", "validation", "retry"]

CONTENT_CHARS = 8_000
"""Characters of a text kept in a trace when content is on."""

telemetry_metadata = MetaData()

spans = Table(
    "spans",
    telemetry_metadata,
    Column("span_id", String(128), primary_key=True),
    Column("trace_id", String(128), nullable=False, doc="The turn's id, which is also its root span's id."),
    Column("parent_id", String(128), doc="Null for the root."),
    Column("kind", String(16), nullable=False),
    Column("name", Text, nullable=False),
    Column("thread", String(256)),
    Column("tenant", String(128)),
    Column("user", String(128)),
    Column("started", String(32), nullable=False, doc="UTC, ISO 8601 with microseconds, so that text sorts by time."),
    Column("ended", String(32), doc="Null while it runs, while it waits, and for ever after a crash."),
    Column("status", String(16), nullable=False),
    Column("attributes", JSON, nullable=False),
    Index("spans_by_trace", "trace_id"),
    Index("spans_by_thread", "thread"),
    Index("spans_by_owner", "tenant", "kind", "started"),
)


class Store(Protocol):
    """A database as telemetry needs it: two kinds of transaction that commit when their block ends."""

    def read(self) -> AbstractContextManager[Connection]:
        """A read transaction."""

    def write(self) -> AbstractContextManager[Connection]:
        """A write transaction."""


class Span:
    """One stretch of work in a turn. Made by `Tracer.span`; its methods never raise."""

    __slots__ = (
        "_clock_start",
        "_content",
        "attributes",
        "ended",
        "filed",
        "kind",
        "name",
        "parent_id",
        "span_id",
        "started",
        "status",
        "stored",
        "tenant",
        "thread",
        "trace_id",
        "user",
    )

    def __init__(
        self,
        kind: str,
        name: str,
        *,
        trace_id: str,
        parent_id: str | None,
        started: datetime,
        content: Callable[[str], str | None],
        attributes: Mapping[str, Any] | None = None,
        span_id: str | None = None,
        owner: Span | None = None,
        thread: str | None = None,
        tenant: str | None = None,
        user: str | None = None,
    ) -> None:
        self.span_id = span_id or new_span_id()
        self.trace_id = trace_id
        self.parent_id = parent_id
        self.kind = kind
        self.name = str(name)
        self.thread: str | None = owner.thread if owner else thread
        self.tenant: str | None = owner.tenant if owner else tenant
        self.user: str | None = owner.user if owner else user
        self.started = started
        self.ended: datetime | None = None
        self.status = "running"
        self.attributes: dict[str, Any] = {}
        self.stored = False
        """Whether its row says that it has begun."""
        self.filed = False
        """Whether its line is in the trace file."""
        self._content = content
        self._clock_start = time.perf_counter()
        self.set(**(attributes or {}))

    def set(self, **attributes: Any) -> None:
        """Add attributes: numbers, words and small structures. A None takes an attribute away.

        Readers know `prompt_tokens` or `input_tokens`, `completion_tokens` or `output_tokens`, `code`, `outcome`,
        and `call`, a tool call's id: one call in several spans is counted once.
        Words people wrote go through `Tracer.content` first.
        """
        for key, value in attributes.items():
            if value is None:
                self.attributes.pop(key, None)
            else:
                self.attributes[key] = plain(value)

    def mark(self, status: str) -> None:
        """How the span is to end when nothing goes wrong after this; `ok` when it is never called."""
        self.status = status

    def fail(self, code: str, message: str = "") -> None:
        """The span ends as `error`. `message` is content: it is kept only when content is, and redacted."""
        self.status = "error"
        self.set(code=code, message=self._content(message) if message else None)

    def end(self) -> None:
        """Close the span now. A monotonic clock measures it, so that a clock that is set does no harm."""
        self.ended = self.started + timedelta(seconds=time.perf_counter() - self._clock_start)
        if self.status == "running":
            self.status = "ok"

    def row(self) -> dict[str, Any]:
        """The span as a row of `spans`."""
        return {
            "span_id": self.span_id,
            "trace_id": self.trace_id,
            "parent_id": self.parent_id,
            "kind": self.kind,
            "name": self.name,
            "thread": self.thread,
            "tenant": self.tenant,
            "user": self.user,
            "started": iso(self.started),
            "ended": iso(self.ended) if self.ended else None,
            "status": self.status,
            "attributes": dict(self.attributes),
        }


def new_span_id() -> str:
    """24 hex digits that sort by the time they were made."""
    return f"{time.time_ns():016x}{os.urandom(4).hex()}"


def iso(moment: datetime) -> str:
    """UTC, ISO 8601, always with microseconds."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def milliseconds(started: str, ended: str | None) -> float | None:
    """Milliseconds between two moments as `iso` writes them; None while there is no end."""
    if ended is None:
        return None
    return (datetime.fromisoformat(ended) - datetime.fromisoformat(started)) / timedelta(milliseconds=1)


def plain(value: Any, depth: int = 0) -> Any:
    """The value as JSON can hold it; what JSON does not know becomes text. Never raises."""
    match value:
        case None | bool() | int():
            return value if not isinstance(value, int) or abs(value) < 1 << 63 else f"{value:x}"
        case str():
            # A lone surrogate cannot be encoded, and one bad character must not cost the whole batch.
            return str(value).encode("utf-8", "replace").decode("utf-8")
        case float():
            return value if math.isfinite(value) else None
        case Decimal() | PurePath():
            return str(value)
        case date():
            return value.isoformat()
        case Mapping() if depth < 8:
            return {str(plain(str(k))): plain(v, depth + 1) for k, v in value.items()}
        case list() | tuple() | set() | frozenset() if depth < 8:
            return [plain(v, depth + 1) for v in value]
        case _:
            return f"<{type(value).__name__}>"
