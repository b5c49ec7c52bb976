"""A stream's pieces put together. Endpoints differ in how they cut tool calls; this accepts them all."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn
from uuid import uuid4

from langchain_core.messages import AIMessage, AIMessageChunk, InvalidToolCall
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import ToolCall, invalid_tool_call, tool_call

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass
class _Call:
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass
class Deltas:
    """One answer as it streams in.

    A tool-call fragment belongs to the call of its index. One without an index belongs to the call of its
    id, or else to the last call. An id or a name that is sent again with every fragment is taken once; a new
    id at an index that is taken starts another call, for some endpoints number every call 0.
    """

    text: str = ""
    finish_reason: str = ""
    model: str = ""
    usage: UsageMetadata | None = None
    _calls: list[_Call] = field(default_factory=list)
    _at: dict[int, _Call] = field(default_factory=dict)
    _told: int = 0

    def add(self, chunk: AIMessageChunk) -> str:
        """Take one piece in and return the text it brought."""
        piece = _SURROGATE.sub("\ufffd", str(chunk.text))
        self.text += piece
        for fragment in chunk.tool_call_chunks:
            self._add_fragment(fragment)
        self.finish_reason = str(chunk.response_metadata.get("finish_reason") or self.finish_reason)
        self.model = str(chunk.response_metadata.get("model_name") or self.model)
        reported = chunk.usage_metadata
        # Some endpoints report a running total with every piece: the largest is the answer's.
        largest = self.usage["total_tokens"] if self.usage else 0
        if reported and reported["input_tokens"] > 0 and reported["total_tokens"] >= largest:
            self.usage = reported
        return piece

    def completed(self) -> list[tuple[str, dict[str, Any]]]:
        """The calls, each told once and in order, that are whole although the answer is not: another has begun."""
        found: list[tuple[str, dict[str, Any]]] = []
        while self._told < len(self._calls) - 1:
            call = self._calls[self._told]
            args, _ = _arguments(call.arguments, True)
            if args is None or not call.name:
                break
            found.append((call.name, args))
            self._told += 1
        return found

    @property
    def empty(self) -> bool:
        """Neither text nor a call has come."""
        return not self.text.strip() and not self._calls

    def message(self) -> AIMessage:
        """The answer as a fresh message; calls whose arguments are no JSON object are `invalid_tool_calls`."""
        calls: list[ToolCall] = []
        broken: list[InvalidToolCall] = []
        for n, call in enumerate(self._calls):
            call_id = call.id or f"call_{uuid4().hex}"
            cut = self.finish_reason == "length" and n == len(self._calls) - 1
            args, why = _arguments(call.arguments, cut)
            if args is None or not call.name:
                raw = _SURROGATE.sub("\ufffd", call.arguments)
                broken.append(invalid_tool_call(name=call.name, args=raw, id=call_id, error=why or "no tool is named"))
            else:
                calls.append(tool_call(name=call.name, args=args, id=call_id))
        return AIMessage(content=self.text, tool_calls=calls, invalid_tool_calls=broken)

    def _add_fragment(self, fragment: Mapping[str, Any]) -> None:
        index = fragment.get("index")
        call_id, name, args = (str(fragment.get(k) or "") for k in ("id", "name", "args"))
        call = self._find(index if isinstance(index, int) else None, call_id, bool(name))
        # Complete arguments followed by a name and more arguments: a second call under the same id or index.
        if call is None or (name and args and call.arguments and _arguments(call.arguments, True)[0] is not None):
            call = _Call()
            self._calls.append(call)
        if isinstance(index, int):
            self._at[index] = call
        call.id = call.id or call_id
        if name != call.name:
            call.name += name
        call.arguments += args

    def _find(self, index: int | None, call_id: str, named: bool) -> _Call | None:
        if index is not None:
            at = self._at.get(index)
            return None if at and call_id and at.id and call_id != at.id else at
        if call_id:
            return next((c for c in reversed(self._calls) if c.id == call_id), None)
        last = self._calls[-1] if self._calls else None
        return None if last and named and last.arguments else last


def _arguments(raw: str, cut: bool) -> tuple[dict[str, Any] | None, str]:
    if not raw.strip():
        return (None, "the arguments were cut off") if cut else ({}, "")
    try:
        value = json.loads(raw, strict=False, parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None, "the arguments were cut off" if cut else "the arguments are not valid JSON"
    if not isinstance(value, dict):
        return None, "the arguments are not a JSON object"
    return value, ""


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
