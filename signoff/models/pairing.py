"""A record as every provider takes it: each call with exactly one result behind it, no message without content.

What the providers refuse: a call without a result and a result without a call (all), an id that names two calls and
a message without content (Anthropic's Messages API), arguments that are no JSON object (Anthropic, Gemini and chat
templates that read them), names with other characters than letters, digits, `_` and `-` (OpenAI).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import ToolCall, tool_call

WORDLESS = "(no words)"
"""Stands for a message that has no text."""
_NO_RESULT = '{"ok": false, "error": {"code": "CANCELLED"}}'
_NO_CONTENT = '{"ok": false, "error": {"code": "INTERNAL", "message": "This result is empty."}}'
_NAME = re.compile(r"[^A-Za-z0-9_-]+")


def paired(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """People's words, the model's messages, and one result behind each call, in the order of the calls.

    A call without a result gets one that says so, of two results to one call the later stands, and a result to no
    call is left out, as are system messages: what they say is not repeated. A call whose arguments cannot be read
    becomes one whose arguments say what was written. What needs no mending is passed on as it is, and the same
    record gives the same messages.
    """
    answers: dict[str, list[tuple[int, ToolMessage]]] = {}
    asked: dict[str, list[int]] = {}
    for i, m in enumerate(messages):
        if isinstance(m, ToolMessage):
            answers.setdefault(m.tool_call_id, []).append((i, m))
        elif isinstance(m, AIMessage):
            for c in (*m.tool_calls, *m.invalid_tool_calls):
                asked.setdefault(str(c["id"] or ""), []).append(i)
    taken: dict[str, int] = {}
    view: list[BaseMessage] = []
    for i, m in enumerate(messages):
        if isinstance(m, HumanMessage):
            view.append(m if _has_content(m) else m.model_copy(update={"content": WORDLESS}))
        elif isinstance(m, AIMessage):
            calls = _calls(m, i, taken)
            if not calls and not str(m.text).strip():
                continue
            made = [c for _, c in calls]
            sound = isinstance(m.content, str) and not m.invalid_tool_calls and made == m.tool_calls
            view.append(m if sound else AIMessage(str(m.text), id=m.id, tool_calls=made))
            for given, call in calls:
                until = min((n for n in asked.get(given, ()) if n > i), default=len(messages))
                found = [a for n, a in answers.get(given, ()) if i < n < until] if given else []
                view.append(_result(found[-1] if found else None, call))
    return view


def _calls(message: AIMessage, place: int, taken: dict[str, int]) -> list[tuple[str, ToolCall]]:
    """The message's calls, each with the id under which its result stands in the record. `taken` has the ids there
    are, and to how many calls each was given."""
    written: list[tuple[str, str, dict[str, object]]] = [
        (str(c["id"] or ""), c["name"], c["args"]) for c in message.tool_calls
    ]
    written += [
        (str(c["id"] or ""), c["name"] or "", {"unreadable": c["args"] or ""}) for c in message.invalid_tool_calls
    ]
    calls: list[tuple[str, ToolCall]] = []
    for n, (given, name, args) in enumerate(written):
        own = first = given or f"call_{place}_{n}"
        while own in taken:
            taken[first] += 1
            own = f"{first}_{taken[first]}"
        taken[own] = 1
        clean = _NAME.sub("_", name)[:64] or "unknown"
        calls.append((given, tool_call(name=clean, args=args, id=own)))
    return calls


def _result(found: ToolMessage | None, call: ToolCall) -> ToolMessage:
    if found is None:
        return ToolMessage(_NO_RESULT, tool_call_id=str(call["id"]), name=call["name"], status="error")
    update: dict[str, object] = {}
    if found.tool_call_id != call["id"]:
        update["tool_call_id"] = call["id"]
    if not isinstance(found.content, str):
        update["content"] = str(found.text) or json.dumps(found.content, ensure_ascii=False, default=str)
    if not str(update.get("content", found.content)).strip():
        update["content"] = _NO_CONTENT
    return found.model_copy(update=update) if update else found


def _has_content(message: HumanMessage) -> bool:
    return bool(str(message.text).strip()) or (isinstance(message.content, list) and bool(message.content))
