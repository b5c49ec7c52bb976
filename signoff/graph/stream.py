"""LangGraph's updates as the desk's events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage

from signoff.graph.turn import Event, EventType, Turn, approval_record
from signoff.state import Status


class EventLog:
    """Numbers events and stamps them."""

    def __init__(self) -> None:
        self._seq = 0

    def event(self, type: EventType, **data: Any) -> Event:
        """The next event."""
        self._seq += 1
        return Event(type, self._seq, datetime.now(UTC).isoformat(timespec="milliseconds"), data)

    def of_update(self, update: Mapping[str, Any]) -> Iterator[Event]:
        """Events of one superstep's update, as `stream_mode="updates"` gives it."""
        for node, wrote in update.items():
            if node.startswith("__"):
                continue
            wrote = wrote if isinstance(wrote, Mapping) else {}
            turn = wrote.get("turn") or {}
            yield self.event("step", node=node, **_note(node, wrote, turn))
            if node == "route" and (
                gone := [m.name for m in wrote.get("messages") or () if isinstance(m, ToolMessage)]
            ):
                yield self.event(
                    "warning",
                    message=f"A new message came, so what was waiting was withdrawn ({', '.join(map(str, gone))}): "
                    "to sign it off instead, decide on its approval.",
                )
            for message in wrote.get("messages") or ():
                if isinstance(message, AIMessage):
                    for call in message.tool_calls:
                        yield self.event("tool_start", call=call["id"], tool=call["name"], args=call["args"])
                elif isinstance(message, ToolMessage):
                    yield self.event(
                        "tool_end", call=message.tool_call_id, tool=message.name, ok=message.status != "error"
                    )
            if node == "validate" and turn.get("findings"):
                yield self.event("warning", message="The answer was sent back.", findings=turn["findings"])

    def of_end(self, turn: Turn) -> Iterator[Event]:
        """The closing events of a run: what it waits for, if it does, and how it stands."""
        if turn.status is Status.WAITING:
            for approval in turn.approvals:
                yield self.event("approval_required", **approval_record(approval))
        yield self.event("final", **turn.record())


def _note(node: str, wrote: Mapping[str, Any], turn: Mapping[str, Any]) -> dict[str, Any]:
    if node == "route":
        return {"intents": [i["kind"] for i in turn.get("intents", [])], "tools": turn.get("tools", [])}
    if node == "retrieve":
        return {"evidence": [f"[{e['n']}] {e['title']}" for e in wrote.get("evidence") or ()]}
    return {}
