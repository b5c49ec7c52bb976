"""LangGraph's updates as the desk's events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage

from signoff.graph.turn import Event, EventType, Turn, approval_record
from signoff.state import Status


class EventLog:
    """Numbers events and stamps them.

    The text of all `text_delta` events, each put at its position, is the answer. Mostly that is their sum; where an
    answer was taken back or changed by its check, a position lies before the end of what was sent.
    """

    def __init__(self, reveal: Callable[[str], str] = str) -> None:
        """`reveal` puts text as the run's reader may see it."""
        self._seq = 0
        self._reveal = reveal
        self._text = ""
        self._told = ""

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
                self._text = ""
                yield from self._tell("")

    def of_custom(self, said: Any) -> Iterator[Event]:
        """Events of what a node said while it ran, as `stream_mode="custom"` gives it."""
        match said:
            case {"type": "text_delta", "text": str(text), "at": int(at)}:
                self._text = self._text[:at] + text
                yield from self._tell(self._reveal(self._text))
            case {"type": "warning", "message": str(message)}:
                yield self.event("warning", message=message)
            case _:
                # A tool may write to the stream too; that is not the desk's.
                pass

    def of_end(self, turn: Turn) -> Iterator[Event]:
        """The closing events of a run: the rest of the answer, what it waits for, if it does, and how it stands."""
        if turn.status is not Status.RUNNING:
            yield from self._tell("" if turn.status is Status.WAITING else turn.answer)
        if turn.status is Status.WAITING:
            for approval in turn.approvals:
                yield self.event("approval_required", **approval_record(approval))
        yield self.event("final", **turn.record())

    def _tell(self, text: str) -> Iterator[Event]:
        """The answer's text as it is now, told as what is new of it."""
        shared = zip(self._told, text, strict=False)
        at = next((n for n, (a, b) in enumerate(shared) if a != b), min(len(self._told), len(text)))
        if at < max(len(self._told), len(text)):
            yield self.event("text_delta", text=text[at:], at=at)
        self._told = text


def _note(node: str, wrote: Mapping[str, Any], turn: Mapping[str, Any]) -> dict[str, Any]:
    if node == "route":
        return {"intents": [i["kind"] for i in turn.get("intents", [])], "tools": turn.get("tools", [])}
    if node == "retrieve":
        return {"evidence": [f"[{e['n']}] {e['title']}" for e in wrote.get("evidence") or ()]}
    return {}
