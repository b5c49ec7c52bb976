"""What a provider demands of a message history, checked as strictly as the strictest of them."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from signoff.state import call_ids


def faults(messages: Sequence[AnyMessage], *, parked: bool = False) -> list[str]:
    """Everything wrong with a history; with `parked` the newest calls may still be open."""
    found: list[str] = []
    ids = [m.id for m in messages]
    if len(ids) != len(set(ids)) or None in ids:
        found.append("message ids are missing or repeat")
    seen: set[str] = set()
    i = 0
    while i < len(messages):
        message = messages[i]
        i += 1
        if isinstance(message, ToolMessage):
            found.append(f"answer to {message.tool_call_id} stands behind no call")
            continue
        if not isinstance(message, AIMessage):
            continue
        wanted = call_ids(message)
        if seen & set(wanted) or len(wanted) != len(set(wanted)):
            found.append(f"call ids repeat: {wanted}")
        seen |= set(wanted)
        answered = []
        while i < len(messages) and isinstance(messages[i], ToolMessage):
            answered.append(messages[i].tool_call_id)
            i += 1
        open_and_last = parked and i == len(messages)
        if answered != wanted and not (open_and_last and [c for c in wanted if c in answered] == answered):
            found.append(f"calls {wanted} are answered {answered}")
    return found
