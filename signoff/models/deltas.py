"""A stream's pieces put together. Endpoints differ in how they cut tool calls; this accepts them all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn
from uuid import uuid4

from langchain_core.messages import AIMessage, AIMessageChunk, InvalidToolCall
from langchain_core.messages.ai import UsageMetadata, add_usage
from langchain_core.messages.tool import ToolCall, invalid_tool_call, tool_call

from signoff.models.continuation import KEY, Source
from signoff.models.gathered import Gathered

_JOINTS = "_-.:/"
"""Characters at which a name is not at its end."""
_SURROGATE = re.compile("[\ud800-\udfff]")

_REASONS = {
    "length": "length", "max_tokens": "length", "max_output_tokens": "length", "token_limit": "length",
    "model_length": "length", "model_context_window_exceeded": "length",
    "tool_calls": "tool_calls", "tool_use": "tool_calls", "function_call": "tool_calls", "tool_call": "tool_calls",
    "content_filter": "content_filter", "safety": "content_filter", "refusal": "content_filter",
    "sensitive": "content_filter", "recitation": "content_filter", "blocklist": "content_filter",
    "prohibited_content": "content_filter", "spii": "content_filter", "image_safety": "content_filter",
    "error": "error", "network_error": "error", "insufficient_system_resource": "error", "abort": "error",
    "cancelled": "error", "malformed_function_call": "error", "unexpected_tool_call": "error",
}  # fmt: skip
"""Why an answer ended, in the words of OpenAI's chat completions; anything else that is said means `stop`."""


@dataclass
class _Call:
    id: str = ""
    name: str = ""
    arguments: str = ""
    index: int | None = None
    told: bool = False
    named_again: bool = False
    """Its name came once more behind its whole arguments."""

    @property
    def whole(self) -> bool:
        """Its arguments are a JSON object."""
        return bool(self.arguments) and _arguments(self.arguments, True)[0] is not None


@dataclass
class Deltas:
    """One answer as it streams in.

    A tool-call fragment belongs to the call of its index. One without an index belongs to the call of its
    id, or else to the last call. An id or a name that is sent again with every fragment is taken once; a new
    id at an index that is taken starts another call, for some endpoints number every call 0. So does another
    name, unless it goes on with a name that is not at its end yet.
    """

    summed: bool = False
    """Whether usage comes in parts that are added, as LangChain's Gemini and Anthropic models give it; some
    OpenAI-compatible endpoints report a running total, of which the largest is the answer's."""
    names: frozenset[str] = frozenset()
    """Tools that were offered: they tell a name that was cut from two names."""
    source: Source | None = None
    """Who answers, if what was thought is to be returned there with the results of calls."""
    text: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    model: str = ""
    usage: UsageMetadata | None = None
    _sum: UsageMetadata | None = None
    _calls: list[_Call] = field(default_factory=list)
    _at: dict[int, _Call] = field(default_factory=dict)
    _gathered: Gathered = field(init=False)

    def __post_init__(self) -> None:
        self._gathered = Gathered(self.source)

    def add(self, chunk: AIMessageChunk) -> str:
        """Take one piece in and return the text it brought."""
        piece = _SURROGATE.sub("\ufffd", str(chunk.text))
        self.text += piece
        self.reasoning += _SURROGATE.sub("\ufffd", "".join(_thoughts(chunk)))
        for fragment in chunk.tool_call_chunks:
            self._add_fragment(fragment)
        self._gathered.add(chunk)
        said = chunk.response_metadata
        if reason := said.get("finish_reason") or said.get("stop_reason"):
            self.finish_reason = _REASONS.get(str(reason).lower(), "stop")
        self.model = str(said.get("model_name") or said.get("model") or self.model)
        self._add_usage(chunk.usage_metadata)
        return piece

    def completed(self) -> list[tuple[str, dict[str, Any]]]:
        """The calls, each told once and in order, that are whole although the answer is not: another has begun."""
        found: list[tuple[str, dict[str, Any]]] = []
        for call in self._calls[:-1]:
            if call.told:
                continue
            args, _ = _arguments(call.arguments, True)
            if args is None or not call.name:
                break
            found.append((call.name, args))
            call.told = True
        return found

    @property
    def begun(self) -> bool:
        """Anything of an answer has come."""
        return bool(self.text or self.reasoning or self._calls)

    @property
    def empty(self) -> bool:
        """Neither text nor a call has come."""
        return not self.text.strip() and not self._calls

    def message(self) -> AIMessage:
        """The answer as a fresh message; calls whose arguments are no JSON object are `invalid_tool_calls`.

        What its provider wants back is in `additional_kwargs["continuation"]`, its calls by their places among the
        readable calls and then the others.
        """
        calls: list[ToolCall] = []
        broken: list[InvalidToolCall] = []
        given: tuple[list[str], list[str]] = ([], [])
        for call in self._ordered():
            call_id = call.id or f"call_{uuid4().hex}"
            cut = self.finish_reason == "length" and call is self._calls[-1]
            args, why = _arguments(call.arguments, cut)
            if args is None or not call.name:
                raw = _SURROGATE.sub("\ufffd", call.arguments)
                broken.append(invalid_tool_call(name=call.name, args=raw, id=call_id, error=why or "no tool is named"))
                given[1].append(call.id)
            else:
                calls.append(tool_call(name=call.name, args=args, id=call_id))
                given[0].append(call.id)
        more: dict[str, Any] = {"reasoning": self.reasoning} if self.reasoning.strip() else {}
        if (data := self._gathered.data([*given[0], *given[1]])) is not None:
            more[KEY] = data
        return AIMessage(content=self.text, tool_calls=calls, invalid_tool_calls=broken, additional_kwargs=more)

    def _ordered(self) -> list[_Call]:
        """In the order of their indexes, where each has one of its own; else as they came."""
        indexes = [c.index for c in self._calls if c.index is not None]
        if len(set(indexes)) < len(self._calls):
            return self._calls
        return sorted(self._calls, key=lambda c: c.index or 0)

    def _add_usage(self, reported: UsageMetadata | None) -> None:
        if not reported:
            return
        if self.summed:
            self._sum = add_usage(self._sum, reported)
            # Endpoints of Anthropic's form may tell the prompt's tokens where LangChain does not look.
            self.usage = self._sum if self._sum["input_tokens"] > 0 else None
            return
        largest = self.usage["total_tokens"] if self.usage else 0
        if reported["input_tokens"] > 0 and reported["total_tokens"] >= largest:
            self.usage = reported

    def _add_fragment(self, fragment: Mapping[str, Any]) -> None:
        index = fragment.get("index")
        index = index if isinstance(index, int) and not isinstance(index, bool) else None
        call_id, name = (str(fragment.get(k) or "") for k in ("id", "name"))
        given = fragment.get("args")
        args = given if isinstance(given, str) else "" if given is None else json.dumps(given, ensure_ascii=False)
        call = self._find(index, call_id, bool(name))
        if call is None or self._begins(call, call_id, name, given):
            # A second call may come with nothing but its arguments behind its name.
            call = _Call(index=index, name="" if name or call is None else call.name)
            self._calls.append(call)
        if index is not None:
            self._at[index] = call
        call.id = call.id or call_id
        if name != call.name:
            call.name += name
        elif name and not args and call.whole:
            call.named_again = True
        call.arguments += args

    def _begins(self, call: _Call, call_id: str, name: str, given: Any) -> bool:
        """Whether a fragment begins another call where `call` stands, although neither id nor index says so."""
        args = given if isinstance(given, str) else "{}" if given else ""
        if not name or name == call.name:
            return bool(args.strip()) and (bool(name) or call.named_again) and call.whole
        if not call.name:
            return bool(args) and call.whole
        if call.arguments:
            return call.whole or not (call_id and call_id == call.id)
        if call_id and call_id == call.id:
            return False
        return not self._goes_on(call, name, bare=given is None)

    def _goes_on(self, call: _Call, name: str, *, bare: bool) -> bool:
        """Whether a name is a further piece of the name of a call that has no arguments yet."""
        joined, known = call.name + name, self.names
        if call.name in known and name in known:
            return False
        if any(n.startswith(joined) for n in known):
            return True
        if known and (call.name in known or name in known):
            return call.name[-1] in _JOINTS and call.name not in known
        if call.name[-1] in _JOINTS or name[0] in _JOINTS:
            return True
        # Nobody is known by such a name. What is numbered apart is one call; else a call begins with its arguments.
        return bare or len({c.index for c in self._calls} - {None}) > 1

    def _find(self, index: int | None, call_id: str, named: bool) -> _Call | None:
        by_id = next((c for c in reversed(self._calls) if c.id == call_id), None) if call_id else None
        if index is not None:
            at = self._at.get(index)
            if at is None:
                # A known id under a new number, and no name: the number counts the fragments.
                return None if named else by_id
            return by_id if call_id and at.id and call_id != at.id and not named else self._same(at, call_id)
        if call_id:
            return by_id
        last = self._calls[-1] if self._calls else None
        return None if last and named and last.arguments else last

    @staticmethod
    def _same(at: _Call, call_id: str) -> _Call | None:
        return None if call_id and at.id and call_id != at.id else at


def _thoughts(chunk: AIMessageChunk) -> Iterator[str]:
    """The reasoning in a piece: beside the text, or as a block of the content."""
    for name in ("reasoning", "reasoning_content"):
        if isinstance(said := chunk.additional_kwargs.get(name), str):
            yield said
            break
    for block in chunk.content if isinstance(chunk.content, list) else ():
        if isinstance(block, dict) and block.get("type") in ("thinking", "reasoning"):
            yield str(block.get("thinking") or block.get("reasoning") or "")


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
