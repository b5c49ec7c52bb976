"""Past results brought down to their refs: summary, key fields and ref, copied by code, with their marks of trust."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from signoff.models.budget import cut_middle, estimate_text
from signoff.models.facts import UNTRUSTED, plain

KEPT_CHARS = 480
"""Characters of a result that is not worth shrinking."""
_TEXT_TOKENS = 120
_MOST_TOKENS = 400
"""Of a shrunk result; one whose key fields are more keeps fewer rows of its lists."""
_ROWS = (12, 4, 1)
_FIELDS = 24
_PARTS = 16
_PART = re.compile(r'"([\w.-]{1,40})":\s*("(?:[^"\\\n]){1,80}"|-?\d[\d.]{0,18})(?=\s*[,}\]\n])')
"""A short field in a piece of JSON that was cut off."""
_MARKS = ("tool", "risk", "untrusted", "note", "edited")
_TRIMMED = ("ref", "total")


def shrunk(messages: Sequence[BaseMessage], *, stub: bool = False) -> list[BaseMessage]:
    """The messages with results shrunk and long arguments cut; each call keeps its result.

    With `stub` a result is its outcome and its ref only.
    """
    view: list[BaseMessage] = []
    for m in messages:
        if isinstance(m, ToolMessage):
            short = _brief(str(m.content), stub)
            view.append(m if short == m.content else m.model_copy(update={"content": short}))
        elif isinstance(m, AIMessage) and any(_long(c["args"]) for c in m.tool_calls):
            calls = [tool_call(name=c["name"], args=_cut(c["args"]), id=c["id"]) for c in m.tool_calls]
            view.append(AIMessage(str(m.text), id=m.id, tool_calls=calls))
        else:
            view.append(m)
    return view


@lru_cache(maxsize=4096)
def _brief(content: str, stub: bool) -> str:
    """A result's content, shrunk; never longer than it was."""
    if len(content) <= KEPT_CHARS and not stub:
        return content
    untrusted = UNTRUSTED in content
    try:
        envelope = json.loads(content)
    except ValueError:
        envelope = None
    if not isinstance(envelope, dict) or not isinstance(envelope.get("ok"), bool):
        if estimate_text(content) <= _TEXT_TOKENS:
            return content
        text = cut_middle(content, _TEXT_TOKENS)
        return text if not untrusted or UNTRUSTED in text else f"{{{UNTRUSTED}}}\n{text}"
    metadata = envelope.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    untrusted = untrusted or metadata.get("untrusted") is True
    marks = {k: v for k in _MARKS if isinstance(v := metadata.get(k), str | bool) and (len(str(v)) <= 80)}
    if untrusted:
        marks["untrusted"] = True
    short: dict[str, Any] = {"ok": envelope["ok"]}
    data = envelope.get("data")
    if stub:
        short["data"] = _refs(data)
    elif data is not None:
        fields = (_key_fields(data, untrusted, rows) for rows in _ROWS)
        short["data"] = next((f for f in fields if estimate_text(_json(f)) <= _MOST_TOKENS), _refs(data))
        if isinstance(summary := metadata.get("summary"), str):
            marks["summary"] = cut_middle(summary, _TEXT_TOKENS)
    if isinstance(error := envelope.get("error"), dict):
        told = ("code",) if stub else ("code", "message", "hint", "retryable")
        short["error"] = {
            k: cut_middle(v, _TEXT_TOKENS) if isinstance(v, str) else v
            for k in told
            if isinstance(v := error.get(k), str | bool)
        }
    short["metadata"] = {**marks, "shortened": True}
    text = _json(short)
    return text if estimate_text(text) < estimate_text(content) else content


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _refs(data: Any) -> dict[str, Any]:
    return {k: data[k] for k in _TRIMMED if isinstance(data.get(k), str | int)} if isinstance(data, dict) else {}


def _key_fields(data: Any, untrusted: bool, rows: int) -> Any:
    """Identifiers, amounts, dates, states and names of a result, in its own shape; the first of long lists."""
    if isinstance(data, dict):
        if _trimmed(data):
            return {**_refs(data), **_parts(f"{data['head']}\n{data['tail']}", untrusted)}
        kept: dict[str, Any] = {}
        for key, value in data.items():
            if len(key) > 60:
                continue
            if len(kept) >= _FIELDS:
                kept["left_out"] = len(data) - _FIELDS
                break
            if key in ("undo", "next") and not untrusted and len(str(value)) <= 300:
                kept[key] = value
            elif isinstance(value, dict | list):
                if inner := _key_fields(value, untrusted, rows):
                    kept[key] = inner
            elif plain(key, value, untrusted):
                kept[key] = value
        return kept
    if isinstance(data, list):
        shown = [row for r in data[:rows] if (row := _key_fields(r, untrusted, rows)) not in ({}, [], None)]
        return [*shown, f"… {len(data)} entries"] if shown and len(data) > rows else shown
    return data if plain("result", data, untrusted) or (not untrusted and len(str(data)) <= KEPT_CHARS) else None


def _trimmed(data: Mapping[str, Any]) -> bool:
    return all(isinstance(data.get(k), str) for k in ("head", "tail", "ref"))


def _parts(text: str, untrusted: bool) -> dict[str, Any]:
    """Key fields in a text that was cut out of JSON: all values of a name, in order, as far as there is room."""
    found: dict[str, list[Any]] = {}
    for n, match in enumerate(m for m in _PART.finditer(text) if plain(m[1], _value(m[2]), untrusted)):
        if n == _PARTS:
            break
        found.setdefault(match[1], []).append(_value(match[2]))
    return {k: v[0] if len(v) == 1 else v for k, v in found.items()}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _long(args: Mapping[str, Any]) -> bool:
    return any(estimate_text(str(v)) > 2 * _TEXT_TOKENS for v in args.values())


def _cut(args: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with long ones cut in their middle; a long list or object becomes a text."""
    return {
        k: cut_middle(v if isinstance(v, str) else _json(v), 2 * _TEXT_TOKENS)
        if estimate_text(str(v)) > 2 * _TEXT_TOKENS
        else v
        for k, v in args.items()
    }
