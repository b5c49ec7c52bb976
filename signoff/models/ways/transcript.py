"""A conversation for endpoints that know no tools: calls and results are told in words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

Calls = Sequence[tuple[str, dict[str, Any]]]
_CLOSING = re.compile(r"</?\s*result\b", re.IGNORECASE)


def told(
    messages: Sequence[BaseMessage], written: Callable[[str, Calls], str], *, system: bool, instructions: str = ""
) -> list[BaseMessage]:
    """The messages without any call or result: `written` makes the text of a message and its calls one text.

    Results stand in `<result tool="…">` blocks, and messages of one side in a row become one, since many chat
    templates let sides take turns only. `instructions` go to the end of the system message, which goes into the
    first message of the person where the endpoint takes none (`system` False).
    """
    names = {str(c["id"]): c["name"] for m in messages if isinstance(m, AIMessage) for c in m.tool_calls}
    names |= {str(c["id"]): c["name"] or "" for m in messages if isinstance(m, AIMessage) for c in m.invalid_tool_calls}
    ends = [m for m in messages if not isinstance(m, SystemMessage)]
    head = "\n\n".join(str(m.text) for m in messages if isinstance(m, SystemMessage))
    view: list[tuple[bool, str]] = []
    for m in ends:
        if isinstance(m, AIMessage):
            calls = [(c["name"], c["args"]) for c in m.tool_calls]
            broken = [(c["name"] or "unknown", {"unreadable": c["args"] or ""}) for c in m.invalid_tool_calls]
            said = (True, written(str(m.text), [*calls, *broken]))
        elif isinstance(m, ToolMessage):
            name = m.name or names.get(m.tool_call_id) or "tool"
            said = (False, f'<result tool="{name}">\n{_CLOSING.sub("‹result", str(m.text))}\n</result>')
        else:
            said = (False, str(m.text))
        if view and view[-1][0] == said[0]:
            view[-1] = (said[0], f"{view[-1][1]}\n\n{said[1]}")
        else:
            view.append(said)
    made: list[BaseMessage] = [AIMessage(t) if own else HumanMessage(t) for own, t in view if t]
    top = "\n\n".join(filter(None, (head, instructions)))
    if not top:
        return made
    return folded([SystemMessage(top), *made], system=system)


def folded(messages: Sequence[BaseMessage], *, system: bool) -> list[BaseMessage]:
    """The messages with the system message inside the person's first, where an endpoint takes none."""
    if system:
        return list(messages)
    head = "\n\n".join(str(m.text) for m in messages if isinstance(m, SystemMessage))
    rest = [m for m in messages if not isinstance(m, SystemMessage)]
    if not head:
        return rest
    for i, m in enumerate(rest):
        if isinstance(m, HumanMessage):
            if i == 0:
                return [HumanMessage(f"{head}\n\n{m.text}", id=m.id), *rest[1:]]
            break
    return [HumanMessage(head), *rest]


def with_note(messages: Sequence[BaseMessage], note: str) -> list[BaseMessage]:
    """The messages with a further one of the person's side, or in their last one if it was theirs."""
    block = f"<note>\n{note}\n</note>"
    last = messages[-1] if messages else None
    if isinstance(last, HumanMessage):
        return [*messages[:-1], HumanMessage(f"{last.text}\n\n{block}", id=last.id)]
    return [*messages, HumanMessage(block)]


def as_json(text: str, calls: Calls) -> str:
    """A past message as JSON mode writes it."""
    if not calls:
        return json.dumps({"answer": text}, ensure_ascii=False)
    made = [{"name": n, "arguments": a} for n, a in calls]
    said = {"thought": text} if text.strip() else {}
    return json.dumps({**said, "calls": made}, ensure_ascii=False, default=str)


def plainly(text: str, calls: Calls) -> str:
    """A past message and its calls in words."""
    made = [f"I use {n} with {json.dumps(a, ensure_ascii=False, default=str)}" for n, a in calls]
    return "\n".join([*([text] if text.strip() else []), *made])
