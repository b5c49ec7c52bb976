"""`trace`: which turns there were, and one of them as a tree of spans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from signoff.cli.group import Noun
from signoff.cli.run import Run, command

if TYPE_CHECKING:
    from signoff.caller import Caller
    from signoff.records.database import Database
    from signoff.telemetry.traces import Trace

app = typer.Typer(cls=Noun, no_args_is_help=True)

_SEES_ALL = "supervisor"
_SHORT = 12
"""First characters of a turn's id, which are random."""


@command(app, "list")
def list_(
    run: Run,
    thread: Annotated[str | None, typer.Option("--thread", metavar="ID", help="Only this thread's.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1_000, help="How many, newest first.")] = 20,
) -> None:
    """The latest turns: your own, or as a supervisor all of your tenant."""
    with run.database() as database:
        from signoff.cli.output import moment
        from signoff.telemetry.drawing import duration

        found = _found(database, run.caller(database), thread, limit)
        zone = run.settings.zone
    for t in found:
        run.output.event("trace", _record(t))
    if not found:
        run.output.note("No traces.")
        return
    rows = [
        (t.turn[:_SHORT], t.status, moment(t.root.started, zone)[5:16], t.user, f"{t.totals.tokens:,}",
         duration(t.totals.ms - t.totals.waiting_ms), t.thread)
        for t in found
    ]  # fmt: skip
    run.output.table(("turn", "status", "began", "user", "tokens", "work", "thread"), rows)


@command(app)
def show(
    run: Run,
    turn: Annotated[
        str | None,
        typer.Argument(metavar="TURN", help="A turn's id or how it begins, or a thread's; the newest if left out."),
    ] = None,
    details: Annotated[bool, typer.Option("--details", help="Show every attribute of every span.")] = False,
) -> None:
    """One turn: its nodes, model calls, searches, tool calls and waits, with times and tokens."""
    with run.database() as database:
        from signoff.errors import NotFound
        from signoff.telemetry.drawing import draw

        caller = run.caller(database)
        candidates = _found(database, caller, None, 1_000 if turn else 1)
        found = [t for t in candidates if turn is None or t.turn.startswith(turn) or (t.thread or "").startswith(turn)]
    if not found:
        raise NotFound(
            f"There is no trace of {turn!r} for {caller.name}: `signoff trace list` shows those there are."
            if turn
            else f"There are no traces for {caller.name} yet: ask something first."
        )
    trace = found[0]
    for span in trace.root.walk():
        run.output.event("span", _span(span, trace))
    out = run.output
    out.say(draw(trace, min(max(out.out.width, 40), 160), "utf" in (out.out.encoding or "").lower(), details=details))


def _found(database: Database, caller: Caller, thread: str | None, limit: int) -> list[Trace]:
    from signoff.telemetry.traces import list_traces

    user = None if _SEES_ALL in caller.roles else caller.user
    return list_traces(database, caller.tenant, user, limit, thread=thread)


def _record(trace: Trace) -> dict[str, Any]:
    totals = trace.totals
    return {
        "turn": trace.turn,
        "thread": trace.thread,
        "user": trace.user,
        "status": trace.status,
        "started": trace.root.started,
        "model_calls": totals.model_calls,
        "tool_calls": totals.tool_calls,
        "prompt_tokens": totals.prompt_tokens,
        "completion_tokens": totals.completion_tokens,
        "ms": totals.ms,
        "waiting_ms": totals.waiting_ms,
    }


def _span(span: Any, trace: Trace) -> dict[str, Any]:
    return {
        "turn": trace.turn,
        "id": span.span_id,
        "kind": span.kind,
        "name": span.name,
        "status": span.status,
        "started": span.started,
        "ended": span.ended,
        "ms": span.ms,
        "attributes": dict(span.attributes),
        "children": [c.span_id for c in span.children],
    }
