"""`trace.jsonl` of one thread: a line for every model call and tool call of its turns, and each turn's totals.

It is written anew from the stored spans whenever a turn ends or begins to wait, so that it agrees with them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from signoff.telemetry.spans import Store
from signoff.telemetry.traces import Trace, TraceNode, list_traces

TURNS = 1_000
"""Newest turns of a thread that its file holds."""

_STEPS = ("model_call", "tool_call")


def step_lines(trace: Trace) -> Iterator[dict[str, Any]]:
    """The steps of a turn in the order in which they began, then its totals.

    A call that waited for a signature has one line, of when it was carried out or settled.
    """
    nodes = [n for n in trace.root.walk() if n.kind in _STEPS]
    last = {n.attributes.get("call"): n for n in nodes if n.kind == "tool_call" and n.attributes.get("call")}
    shown = [n for n in nodes if n.kind != "tool_call" or last.get(n.attributes.get("call"), n) is n]
    for number, node in enumerate(shown, 1):
        yield {"turn": trace.turn, "step": number, **_line(node)}
    totals = trace.totals
    yield {
        "turn": trace.turn,
        "total": len(shown),
        "status": trace.status,
        "model_calls": totals.model_calls,
        "tool_calls": sum(n.kind == "tool_call" for n in shown),
        "prompt_tokens": totals.prompt_tokens,
        "completion_tokens": totals.completion_tokens,
        "ms": round(totals.ms, 1),
        "waiting_ms": round(totals.waiting_ms, 1),
    }


def write_steps(database: Store, tenant: str, thread: str, path: Path) -> None:
    """Write the thread's file, all of it or nothing. Raises `OSError`, `StoreError`."""
    traces = reversed(list_traces(database, tenant, limit=TURNS, thread=thread))
    lines = [json.dumps(line, ensure_ascii=False) for trace in traces for line in step_lines(trace)]
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    part.replace(path)


def _line(node: TraceNode) -> dict[str, Any]:
    line: dict[str, Any] = {
        "at": node.started.isoformat(timespec="milliseconds"),
        "kind": "model" if node.kind == "model_call" else "tool",
        "name": node.name,
        "ms": round(node.ms, 1) if node.ms is not None else None,
    }
    if node.kind == "tool_call":
        line["outcome"] = node.attributes.get("outcome", node.status)
        return line
    line["prompt_tokens"], line["completion_tokens"] = node.tokens
    return line
