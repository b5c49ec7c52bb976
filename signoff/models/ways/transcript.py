"""A conversation for endpoints that know no tools: calls and results are told in words."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from signoff.models.facts import BLOCK

Calls = Sequence[tuple[str, dict[str, Any]]]


def told(
    messages: Sequence[BaseMessage], written: Callable[[str, Calls], str], *, system: bool, instructions: str = ""
) -> list[BaseMessage]:
    """The messages without any call or result: `written` makes the text of a message and its calls one text.

    Results stand in `<result tool="…">` blocks; a call that `written` leaves out is told there, with its arguments.
    Messages of one side in a row become one, since many chat templates let sides take turns only. `instructions` go to
    the end of the system message, which goes into the first message of the person where the endpoint takes none
    (`system` False).
    """
    named: dict[str, str] = {}
    view: list[tuple[bool, str]] = []
    for m in messages:
        if isinstance(m, SystemMessage):
            continue
        if isinstance(m, AIMessage):
            made = {str(c["id"]): (c["name"], c["args"]) for c in m.tool_calls}
            made |= {
                str(c["id"]): (c["name"] or "unknown", {"unreadable": c["args"] or ""}) for c in m.invalid_tool_calls
            }
            calls = list(made.values())
            named |= {i: _opening(n, None if written("", calls) else a) for i, (n, a) in made.items()}
            said = (True, written(str(m.text), calls))
        elif isinstance(m, ToolMessage):
            opening = named.get(m.tool_call_id) or _opening(m.name or "tool", None)
            said = (False, f"{opening}\n{BLOCK.sub('‹', str(m.text))}\n</result>")
        else:
            said = (False, str(m.text))
        if not said[1]:
            continue
        if view and view[-1][0] == said[0]:
            view[-1] = (said[0], f"{view[-1][1]}\n\n{said[1]}")
        else:
            view.append(said)
    head = "\n\n".join(str(m.text) for m in messages if isinstance(m, SystemMessage))
    told = [AIMessage(t) if own else HumanMessage(t) for own, t in view]
    top = "\n\n".join(filter(None, (head, instructions)))
    return folded([SystemMessage(top), *told], system=system) if top else list(told)


def _opening(tool: str, args: dict[str, Any] | None) -> str:
    """The beginning of a result's block, with the arguments of the call where nothing else tells them."""
    if args is None:
        return f'<result tool="{tool}">'
    given = json.dumps(args, ensure_ascii=False, default=str)
    return f'<result tool="{tool}" arguments={BLOCK.sub("‹", given)}>'


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
    """A past message without its calls, which stand with their results: told as the model's own words, a weak model
    says them again instead of an answer."""
    return text if text.strip() else ""
