"""What a desk keeps of its tool calls: the envelopes in a thread, and the spans in the trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from langchain_core.messages import ToolMessage
from sqlalchemy import select

from signoff import Desk
from signoff.graph.turn import Turn
from signoff.telemetry.spans import spans as span_rows
from signoff.tools.envelope import ToolResult


def envelopes(desk: Desk, turn: Turn | str) -> list[ToolResult]:
    """Every answer to a call on the thread, oldest first, as its message has it."""
    thread = turn if isinstance(turn, str) else turn.thread
    return [ToolResult.model_validate_json(str(m.content)) for m in desk.messages(thread) if isinstance(m, ToolMessage)]


def spans(desk: Desk, kind: str, thread: str | None = None) -> list[dict[str, Any]]:
    """The name, status and attributes of the spans of a kind, in the order in which they began."""
    desk.services.tracer.flush()
    wanted = select(span_rows).where(span_rows.c.kind == kind).order_by(span_rows.c.started)
    if thread is not None:
        wanted = wanted.where(span_rows.c.thread == thread)
    with desk.services.database.read() as tx:
        found = tx.execute(wanted).mappings().all()
    return [{"name": r["name"], "status": r["status"], **r["attributes"]} for r in found]


def bare(folder: Path, *tools: str) -> str:
    """The profile of a desk with nothing of its own but these tools of the catalogue; give it as `desk=`."""
    named = ", ".join(f'"{t}"' for t in ("read_result", *tools))
    path = folder / "bare.toml"
    path.write_text(f'title = "A bare desk"\nplugins = false\nknowledge = false\ntools = [{named}]\n', "utf-8")
    return str(path)
