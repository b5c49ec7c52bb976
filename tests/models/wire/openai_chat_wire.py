"""OpenAI's chat completions (https://platform.openai.com/docs/api-reference/chat)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import wire_rules as wire
import wire_thoughts as thoughts
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from wire_server import KEY, Asked, Event, Fault, Sent

_FIELDS = (
    "stream", "stream_options", "tools", "tool_choice", "parallel_tool_calls", "max_tokens", "max_completion_tokens",
    "temperature", "top_p", "stop", "response_format", "n", "seed",
)  # fmt: skip
_LONGEST_ID = 40
"""What OpenAI takes as the id of a call."""


class OpenAIChat:
    """`POST /v1/chat/completions`."""

    name = "openai"
    prefix = "/v1"
    field = ""
    """Where what was thought is told and taken; OpenAI has no such field, and refuses it."""
    every_turn = False
    """Whether it wants something there for the calls of every turn."""

    def __init__(self) -> None:
        self.memory = thoughts.Memory()

    def read(self, sent: Sent) -> Asked:
        if sent.path != "/v1/chat/completions":
            raise Fault(f"Invalid URL (POST {sent.path})", 404)
        wire.keyed(sent, "authorization", f"Bearer {KEY}")
        body = wire.only(sent.body, "body", ("model", "messages"), _FIELDS)
        for most in ("max_tokens", "max_completion_tokens"):
            if most in body:
                wire.positive(body[most], most)
        stream = body.get("stream", False)
        if "stream_options" in body:
            if not stream:
                raise Fault("The 'stream_options' parameter is only allowed when 'stream' is enabled.")
            wire.only(body["stream_options"], "stream_options", (), ("include_usage",))
        tools = [_tool(t, f"tools[{i}]") for i, t in enumerate(body.get("tools", ()))]
        if "tools" in body and not tools:
            raise Fault("Invalid 'tools': empty array. Expected an array with minimum length 1.")
        wire.distinct((t["function"]["name"] for t in tools), "tools")
        for only_with_tools in ("tool_choice", "parallel_tool_calls"):
            if only_with_tools in body and not tools:
                raise Fault(f"'{only_with_tools}' is only allowed when 'tools' are specified.")
        choice = body.get("tool_choice", "auto")
        if choice not in ("auto", "none", "required"):
            raise Fault("Invalid value for 'tool_choice'")
        wire.form(body.get("response_format"), "response_format", body["messages"])
        usage = bool((body.get("stream_options") or {}).get("include_usage"))
        messages = [_without(m, self.field) for m in body["messages"]]
        made = _messages(messages)
        self._check_reasoning(body["messages"])
        return Asked(body["model"], made, tools, choice, bool(stream), {"usage": usage})

    def _check_reasoning(self, given: list[dict[str, Any]]) -> None:
        """What was thought before calls of the turn is there as it was, and of other turns' something."""
        if not self.field:
            return
        question = max((i for i, m in enumerate(given) if m["role"] == "user"), default=-1)
        for i, message in enumerate(given):
            calls = [
                {"name": c["function"]["name"], "args": json.loads(c["function"]["arguments"])}
                for c in message.get("tool_calls") or ()
            ]
            said, handed = message.get(self.field), self.memory.of(calls) if calls else None
            if calls and i > question and handed is not None and said != handed:
                raise Fault(f"The `{self.field}` in the thinking mode must be passed back to the API: messages[{i}]")
            if calls and self.every_turn and not said:
                raise Fault(f"Missing `{self.field}` field in the assistant message at message index {i}.")
            if said is not None and (message["role"] != "assistant" or not isinstance(said, str)):
                raise Fault(f"messages[{i}].{self.field}: a string of the assistant's is expected")

    def refusal(self, fault: Fault) -> dict[str, Any]:
        error = {"message": str(fault), "type": "invalid_request_error", "param": None, "code": None}
        return {"error": error}

    def whole(self, answer: AIMessage, asked: Asked) -> dict[str, Any]:
        calls = [
            {"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in wire.wanted(answer)
        ]
        message: dict[str, Any] = {"role": "assistant", "content": str(answer.text) or None, "refusal": None}
        if calls:
            message["tool_calls"] = calls
        if self.field and (said := thoughts.thought(answer)):
            message[self.field] = self.memory.hand(answer, said)
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _reason(answer)}
        return {**_head(asked), "object": "chat.completion", "choices": [choice], "usage": _usage(answer)}

    def events(self, answer: AIMessage, asked: Asked) -> Iterator[Event]:
        head = {**_head(asked), "object": "chat.completion.chunk"}

        def chunk(delta: dict[str, Any], finish: str | None = None) -> Event:
            more = {"usage": None} if asked.extra["usage"] else {}
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
            return None, {**head, "choices": [choice], **more}

        yield chunk({"role": "assistant", "content": "" if str(answer.text) else None})
        if self.field and (said := thoughts.thought(answer)):
            for piece in wire.pieces(self.memory.hand(answer, said)):
                yield chunk({self.field: piece})
        for piece in wire.pieces(str(answer.text)):
            yield chunk({"content": piece})
        for index, (call_id, name, args) in enumerate(wire.wanted(answer)):
            function = {"name": name, "arguments": ""}
            yield chunk({"tool_calls": [{"index": index, "id": call_id, "type": "function", "function": function}]})
            for piece in wire.pieces(args):
                yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
        yield chunk({}, _reason(answer))
        if asked.extra["usage"]:
            yield None, {**head, "choices": [], "usage": _usage(answer)}
        yield None, "[DONE]"


class ThinkingChat(OpenAIChat):
    """An endpoint of this form that tells what it thinks, as DeepSeek's and Moonshot's do."""

    name = "thinking"
    field = "reasoning_content"


class StrictThinkingChat(ThinkingChat):
    """One that wants it of every turn (https://api-docs.deepseek.com/guides/thinking_mode#tool-calls)."""

    name = "thinking-always"
    every_turn = True


class ReasoningChat(OpenAIChat):
    """One that calls it `reasoning`, as vLLM, Ollama and Groq do."""

    name = "reasoning"
    field = "reasoning"


def _without(message: Any, field: str) -> Any:
    return {k: v for k, v in message.items() if not field or k != field} if isinstance(message, dict) else message


def _messages(given: Any) -> list[BaseMessage]:
    if not isinstance(given, list) or not given:
        raise Fault("Invalid 'messages': empty array. Expected an array with minimum length 1.")
    made: list[BaseMessage] = []
    seen: set[str] = set()
    open_calls: list[str] = []
    for i, message in enumerate(given):
        where = f"messages[{i}]"
        role = message.get("role") if isinstance(message, dict) else None
        if open_calls and role != "tool":
            raise Fault(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                f"'tool_call_id'. The following tool_call_ids did not have response messages: {open_calls}"
            )
        match role:
            case "system" | "developer":
                wire.only(message, where, ("role", "content"))
                if i:
                    raise Fault(f"{where}: the system message must be the first")
                made.append(SystemMessage(wire.worded(message["content"], where)))
            case "user":
                wire.only(message, where, ("role", "content"), ("name",))
                made.append(HumanMessage(wire.worded(message["content"], where)))
            case "assistant":
                made.append(_assistant(message, where, seen))
                open_calls = [str(c["id"]) for c in made[-1].tool_calls]  # type: ignore[attr-defined]
            case "tool":
                wire.only(message, where, ("role", "content", "tool_call_id"))
                if message["tool_call_id"] not in open_calls:
                    raise Fault(
                        f"{where}: messages with role 'tool' must be a response to a preceding message with "
                        f"'tool_calls': {message['tool_call_id']}"
                    )
                open_calls.remove(message["tool_call_id"])
                content = wire.worded(message["content"], where)
                made.append(ToolMessage(content, tool_call_id=message["tool_call_id"]))
            case _:
                raise Fault(f"{where}.role: {role!r} is not one of system, assistant, user, tool")
    if open_calls:
        raise Fault(f"The following tool_call_ids did not have response messages: {open_calls}")
    if isinstance(made[-1], AIMessage | SystemMessage):
        raise Fault("the last message must be the person's or a tool's")
    return made


def _assistant(message: dict[str, Any], where: str, seen: set[str]) -> AIMessage:
    wire.only(message, where, ("role",), ("content", "tool_calls", "name"))
    calls = message.get("tool_calls")
    content = message.get("content")
    if "tool_calls" in message and (not isinstance(calls, list) or not calls):
        raise Fault(f"Invalid '{where}.tool_calls': empty array. Expected an array with minimum length 1.")
    # With calls the content may be null; an empty text is taken by OpenAI, and not by all that speak its format.
    if content is not None or not calls:
        wire.worded(content, f"{where}.content")
    made = []
    for n, call in enumerate(calls or ()):
        at = f"{where}.tool_calls[{n}]"
        wire.only(call, at, ("id", "type", "function"))
        function = wire.only(call["function"], f"{at}.function", ("name", "arguments"))
        call_id = call["id"]
        if not isinstance(call_id, str) or not 0 < len(call_id) <= _LONGEST_ID:
            raise Fault(f"Invalid '{at}.id': a string of 1 to {_LONGEST_ID} characters is expected, got {call_id!r}")
        if call_id in seen:
            raise Fault(f"{at}.id: duplicate value {call_id}")
        seen.add(call_id)
        if call["type"] != "function":
            raise Fault(f"{at}.type: function is expected")
        args = wire.arguments(function["arguments"], f"{at}.function.arguments")
        made.append({"id": call_id, "name": wire.named(function["name"], at), "args": args, "type": "tool_call"})
    return AIMessage(content or "", tool_calls=made)


def _tool(tool: Any, where: str) -> dict[str, Any]:
    wire.only(tool, where, ("type", "function"))
    function = wire.only(tool["function"], f"{where}.function", ("name",), ("description", "parameters", "strict"))
    name = wire.named(function["name"], f"{where}.function.name")
    parameters = wire.schema(function.get("parameters", {"type": "object"}), f"Invalid schema for function {name!r}")
    return wire.tool(name, function.get("description", ""), parameters)


def _head(asked: Asked) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "created": 1_793_412_000, "model": f"{asked.model}-2026-01-01"}


def _reason(answer: AIMessage) -> str:
    if wire.cut_off(answer):
        return "length"
    return "tool_calls" if wire.wanted(answer) else "stop"


def _usage(answer: AIMessage) -> dict[str, Any]:
    prompt, completion = wire.spent(answer)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": prompt // 2},
    }
