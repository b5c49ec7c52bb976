"""An example of what threads store, for the compression of small blobs."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from signoff.state import AgentState, Citation, Evidence, Intent, TurnState

_NODES = ("route", "retrieve", "agent", "tools", "write_tools", "validate")


def words() -> bytes:
    """A checkpoint, a turn and messages with nothing in them, as the serializer writes them.

    Their field names are in every blob. Kept with the file it was made for: another version's state gives
    other bytes, and only the bytes that compressed a blob open it.
    """
    branches = {f"branch:to:{node}": 1 for node in _NODES}
    turn: dict[str, Any] = {
        **_fields(TurnState),
        "intents": [_fields(Intent)],
        "seen": {},
        "repairs": {},
        "findings": [],
    }
    values = {**_fields(AgentState), "turn": turn, "evidence": [_fields(Evidence)], "citations": [_fields(Citation)]}
    checkpoint = {
        "v": 4,
        "ts": "2026-01-01T00:00:00.000000+00:00",
        "id": "1f0",
        "channel_values": {**values, "status": "running", "answer": ""},
        "channel_versions": {"__start__": 1, **dict.fromkeys(AgentState.__annotations__, 1), **branches},
        "versions_seen": {
            "__input__": {},
            "__start__": {"__start__": 1},
            **{node: {f"branch:to:{node}": 1} for node in _NODES},
        },
        "updated_channels": ["branch:to:agent", "messages", "turn", "status"],
    }
    call = {"name": "", "args": {"id": "A1"}, "id": "call_", "type": "tool_call"}
    usage = {"input_tokens": 1000, "output_tokens": 100, "total_tokens": 1100}
    messages = [
        HumanMessage("", id="0"),
        ToolMessage('{"ok": true, "data": {"', tool_call_id="call_", id="0"),
        AIMessage("", id="0", tool_calls=[call], usage_metadata=usage),
        AIMessage("", id="0", usage_metadata=usage),
    ]
    serde = JsonPlusSerializer()
    return b"".join(serde.dumps_typed(part)[1] for part in (messages, turn, checkpoint))


def _fields(kind: Any) -> dict[str, None]:
    return dict.fromkeys(kind.__annotations__)
