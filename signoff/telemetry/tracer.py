"""The tracer: every turn leaves a tree of spans, across threads, processes and crashes."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from traceback import walk_tb
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from signoff.clock import Clock
from signoff.errors import StoreError
from signoff.telemetry import rows, tracefile
from signoff.telemetry.processes import this_process
from signoff.telemetry.redaction import redact
from signoff.telemetry.rows import Row
from signoff.telemetry.spans import CONTENT_CHARS, Span, SpanKind, Store, iso, plain
from signoff.telemetry.traces import delete_thread
from signoff.telemetry.writer import WRITER

PAUSE_S = 5.0
"""Seconds without another try after the database refused a write: a locked file must not slow each step."""
BUFFERED = 10_000
"""Spans and changes kept while the database cannot be written; the oldest go first."""

Change = Callable[[Connection], list[Row]]
"""Runs in the writing transaction and returns the rows that became final."""

logging.getLogger("signoff").addHandler(logging.NullHandler())

_SPAN: ContextVar[Span | None] = ContextVar("signoff_span", default=None)
_TURN: ContextVar[str | None] = ContextVar("signoff_turn", default=None)
_PAUSED: ContextVar[bool] = ContextVar("signoff_tracing_paused", default=False)


class Tracer:
    """Writes spans to `desk.db`, cheaply: buffered, one transaction for many, not durable.

    Nothing here but `delete_thread` raises: what goes wrong is counted in `failures` and told in `last_failure`.
    `turn`, `end_turn`, `wait_started`, `wait_ended` and `flush` write at once and so must not be called
    inside a write transaction of the same database; `span` may be opened anywhere.
    """

    def __init__(
        self, database: Store, *, content: bool = False, file: Path | None = None, clock: Clock | None = None
    ) -> None:
        self.failures = 0
        """Writes that did not succeed since this tracer was made."""
        self.last_failure: str | None = None
        self._database = database
        self._keep_content = content
        self._file = file
        self._clock = clock or Clock()
        self._roots: dict[str, Span | None] = {}
        self._open: dict[str, Span] = {}
        self._ended: list[Span] = []
        self._changes: list[Change] = []
        self._buffer = threading.Lock()
        self._writing = threading.Lock()
        self._paused_until = 0.0
        WRITER.enrol(self)

    def turn(self, turn_id: str, *, thread: str, tenant: str, user: str, **attributes: Any) -> None:
        """Begin the turn, or go on with it after a stop or a crash: the first start and attributes stay."""
        if _PAUSED.get():
            return
        root = Span(
            "turn",
            "turn",
            span_id=turn_id,
            trace_id=turn_id,
            parent_id=None,
            started=self._clock.utc(),
            content=self.content,
            thread=thread,
            tenant=tenant,
            user=user,
            attributes={"runs": 1, **attributes, "process": this_process()},
        )
        _TURN.set(turn_id)
        with self._buffer:
            self._know(turn_id, root)
        self._change(partial(rows.begin_turn, root))

    def end_turn(self, turn_id: str, status: str, **attributes: Any) -> None:
        """The turn stands at `status`: `waiting` leaves it open for a resume, anything else ends it."""
        if _PAUSED.get():
            return
        with self._buffer:
            root = self._roots.pop(turn_id, None)
        if _TURN.get() == turn_id:
            _TURN.set(None)
        added = {k: plain(v) for k, v in attributes.items()}
        self._change(partial(rows.end_turn, turn_id, root, status, added, iso(self._clock.utc())))

    def wait_started(self, turn_id: str, names: Sequence[str], **attributes: Any) -> None:
        """The turn now waits for a signature on calls of these tools. A wait that is open already goes on."""
        if _PAUSED.get():
            return
        with self._buffer:
            root = self._roots.get(turn_id)
        wait = self._make("approval_wait", ", ".join(names) or "approval", turn_id, turn_id, root)
        wait.set(tools=list(names), count=len(names), **attributes)
        wait.mark("waiting")
        self._change(partial(rows.begin_wait, wait))

    def wait_ended(self, turn_id: str, outcome: str | None = None) -> None:
        """The wait is over: in whatever process it began. `outcome` says how, such as `approved`."""
        if not _PAUSED.get():
            self._change(partial(rows.end_waits, turn_id, outcome, iso(self._clock.utc())))

    @contextmanager
    def span(
        self, kind: SpanKind, name: str, *, trace: str | None = None, parent: str | None = None, **attributes: Any
    ) -> Iterator[Span]:
        """Trace the block. The parent is the span the block runs in, else the root of `trace`.

        `trace` is the turn's id; without it, the enclosing span's turn or the turn begun in this context.
        Outside every turn the span is yielded all the same, and not kept. An exception ends it as `error`
        (`waiting` for LangGraph's interrupts, `cancelled` for a cancelled task) and goes on its way.
        """
        around = _SPAN.get()
        if around is not None and not around.trace_id:
            around = None
        trace_id = None if _PAUSED.get() else trace or (around.trace_id if around else _TURN.get())
        if parent is None:
            parent = around.span_id if around and around.trace_id == trace_id else trace_id
        with self._buffer:
            if trace_id and trace_id not in self._roots:
                self._know(trace_id, None)
                self._changes.append(partial(rows.resume_turn, trace_id, this_process()))
            span = self._make(kind, name, trace_id or "", parent, self._roots.get(trace_id or ""))
            span.set(**attributes)
            if trace_id:
                self._open[span.span_id] = span
                WRITER.soon(self)
        token = _SPAN.set(span)
        try:
            yield span
        except BaseException as error:
            _interrupted(span, error)
            raise
        finally:
            # A generator that is closed by another context cannot reset there, and has nothing to reset.
            with suppress(ValueError):
                _SPAN.reset(token)
            span.end()
            if trace_id:
                with self._buffer:
                    self._open.pop(span.span_id, None)
                    self._ended.append(span)
                    WRITER.soon(self)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Keep nothing of what runs in the block, such as a replay: a turn's trace is of what happened."""
        token = _PAUSED.set(True)
        try:
            yield
        finally:
            with suppress(ValueError):
                _PAUSED.reset(token)

    def content(self, text: str) -> str | None:
        """The text as a trace may hold it: None when content is off, else redacted, then cut to 8,000 characters."""
        if not self._keep_content:
            return None
        clean = redact(text)
        return clean if len(clean) <= CONTENT_CHARS else clean[: CONTENT_CHARS - 1] + "…"

    def error(self, where: str, error: BaseException, *, trace: str | None = None) -> None:
        """Keep a fault that was caught: its class and the lines it came through; its words only as content.

        It goes to the span it happened in, else to the turn, and always to the log `signoff`.
        """
        kind = type(error).__name__
        lines = [f"{f.f_globals.get('__name__')}:{n} {f.f_code.co_name}" for f, n in walk_tb(error.__traceback__)][-12:]
        fault = {"where": where, "type": kind, "lines": lines, "message": self.content(str(error))}
        logging.getLogger("signoff").error("%s: %s at %s", where, kind, " < ".join(reversed(lines)))
        span = _SPAN.get()
        if span is not None and trace in (None, span.trace_id):
            span.set(fault=fault)
        elif trace or _TURN.get():
            with self.span("node", where, trace=trace) as span:
                span.fail(kind)
                span.set(fault=fault)

    def delete_thread(self, thread: str) -> int:
        """Forget every trace of a thread. Returns how many spans there were. Raises `StoreError`."""
        self.flush()
        return delete_thread(self._database, thread)

    def flush(self) -> None:
        """Write what is buffered, and that open spans have begun: worth it just before something irreversible."""
        self._write()

    def _know(self, turn_id: str, root: Span | None) -> None:
        self._roots[turn_id] = root
        if len(self._roots) > BUFFERED:
            del self._roots[next(iter(self._roots))]

    def _make(self, kind: str, name: str, trace_id: str, parent_id: str | None, root: Span | None) -> Span:
        return Span(
            kind,
            name,
            trace_id=trace_id,
            parent_id=parent_id,
            started=self._clock.utc(),
            content=self.content,
            owner=root,
        )

    def _change(self, change: Change) -> None:
        with self._buffer:
            self._changes.append(change)
        self._write()

    def _write(self) -> None:
        # Taken only once the turn to write has come: an older batch must never land after a newer one.
        with self._writing:
            with self._buffer:
                if time.monotonic() < self._paused_until:
                    WRITER.soon(self)
                    return
                changes, self._changes = self._changes, []
                ended, self._ended = self._ended, []
                begun = [s for s in self._open.values() if not s.stored]
            if not (changes or ended or begun):
                return
            final = [rows.redacted(s.row()) for s in ended]
            lines = [row for span, row in zip(ended, final, strict=True) if not span.filed]
            closed: list[Row] = []
            try:
                with self._database.write() as tx:
                    closed = [row for change in changes for row in change(tx)]
                    if batch := [*(rows.redacted(s.row()) for s in begun), *final]:
                        tx.execute(rows.upsert(tx), batch)
                lines += closed
                for span in begun:
                    span.stored = True
            except (StoreError, OperationalError) as error:
                self._failed(error)
                self._paused_until = time.monotonic() + PAUSE_S
                with self._buffer:
                    self._changes = [*changes, *self._changes][-BUFFERED:]
                    self._ended = [*ended, *self._ended][-BUFFERED:]
                WRITER.soon(self)
            except Exception as error:  # Not to be written at all; a turn never fails because of its trace.
                self._failed(error)
            for span in ended:
                span.filed = True
            if self._file is not None and lines:
                try:
                    tracefile.append(self._file, lines)
                except OSError as error:
                    self._failed(error)

    def _failed(self, error: Exception) -> None:
        self.failures += 1
        self.last_failure = f"{type(error).__name__}: {error}"

    def forked(self) -> None:
        """Start anew in a forked child; called by the writer."""
        self._buffer, self._writing = threading.Lock(), threading.Lock()
        self._open, self._ended, self._changes = {}, [], []


def _interrupted(span: Span, error: BaseException) -> None:
    # By name, because telemetry knows neither LangGraph nor the event loop.
    names = {c.__name__ for c in type(error).__mro__}
    if "GraphBubbleUp" in names:
        span.mark("waiting")
    elif names & {"CancelledError", "KeyboardInterrupt", "GeneratorExit", "SystemExit"}:
        span.mark("cancelled")
    elif span.status != "error":
        span.fail(getattr(error, "code", None) or type(error).__name__, str(error))
