"""OpenAI's responses (https://platform.openai.com/docs/api-reference/responses)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import wire_rules as wire
import wire_thoughts as thoughts
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from wire_server import KEY, Asked, Event, Fault, Sent

_FIELDS = (
    "stream", "store", "tools", "tool_choice", "parallel_tool_calls", "max_output_tokens", "temperature", "top_p",
    "text", "instructions", "reasoning", "include",
)  # fmt: skip
_LONGEST_ID = 64
_ENCRYPTED = "reasoning.encrypted_content"
_PARTS = {"user": "input_text", "system": "input_text", "developer": "input_text", "assistant": "output_text"}


class OpenAIResponses:
    """`POST /v1/responses`."""

    name = "responses"
    prefix = "/v1"

    def __init__(self) -> None:
        self.memory = thoughts.Memory()

    def read(self, sent: Sent) -> Asked:
        if sent.path != "/v1/responses":
            raise Fault(f"Invalid URL (POST {sent.path})", 404)
        wire.keyed(sent, "authorization", f"Bearer {KEY}")
        body = wire.only(sent.body, "body", ("model", "input"), _FIELDS)
        if body.get("store") is not False:
            raise Fault("store: false is expected; without it the provider keeps the conversation")
        if "max_output_tokens" in body:
            wire.positive(body["max_output_tokens"], "max_output_tokens")
        tools = [_tool(t, f"tools[{i}]") for i, t in enumerate(body.get("tools", ()))]
        wire.distinct((t["function"]["name"] for t in tools), "tools")
        choice = body.get("tool_choice", "auto")
        if choice not in ("auto", "none", "required"):
            raise Fault("Invalid value for 'tool_choice'")
        if "tool_choice" in body and not tools:
            raise Fault("'tool_choice' is only allowed when 'tools' are specified.")
        text = wire.only(body.get("text", {}), "text", (), ("format", "verbosity"))
        wire.form(text.get("format"), "text.format", body["input"], flat=True)
        reasons = str(body["model"]).startswith("gpt-5")
        if "include" in body and body["include"] != [_ENCRYPTED]:
            raise Fault(f"include: {body['include']!r} is not supported")
        if "include" in body and not reasons:
            raise Fault("Encrypted content is not supported with this model.")
        messages = _messages(body["input"])
        self._check_reasoning(body["input"])
        thinks = {"thinks": reasons and "include" in body}
        return Asked(body["model"], messages, tools, choice, bool(body.get("stream")), thinks)

    def _check_reasoning(self, given: list[dict[str, Any]]) -> None:
        """Items of reasoning are as they were handed out, and those of calls since the last question are there."""
        question = max((i for i, item in enumerate(given) if item.get("role") == "user"), default=-1)
        before: dict[str, Any] | None = None
        calls: list[dict[str, Any]] = []
        for i, item in enumerate([*given, {"type": "end"}]):
            kind = item.get("type", "message")
            if kind == "function_call":
                calls.append({"name": item["name"], "args": json.loads(item["arguments"])})
                continue
            if calls:
                handed = self.memory.of(calls)
                if handed is not None and before is None and i > question:
                    raise Fault("Item of type 'function_call' was provided without its required 'reasoning' item.")
                if before is not None and before != handed:
                    raise Fault("The encrypted content of an item of type 'reasoning' could not be verified.")
                before, calls = None, []
            if kind == "message" and item.get("role") == "assistant" and before is not None:
                continue
            if before is not None:
                raise Fault(f"Item '{before['id']}' of type 'reasoning' was provided without its following item.")
            if kind == "reasoning":
                before = wire.only(item, f"input[{i}]", ("type", "id", "summary", "encrypted_content"))

    def _items(self, answer: AIMessage, asked: Asked) -> list[dict[str, Any]]:
        said = thoughts.thought(answer)
        if not said or not asked.extra["thinks"]:
            return _items(answer)
        seal = thoughts.sealed(said)
        summary = [{"type": "summary_text", "text": t} for t in said.split("\n\n")]
        item = {"type": "reasoning", "id": f"rs_{seal[:8]}", "summary": summary, "encrypted_content": seal}
        return [self.memory.hand(answer, item), *_items(answer)]

    def refusal(self, fault: Fault) -> dict[str, Any]:
        error = {"message": str(fault), "type": "invalid_request_error", "param": None, "code": None}
        return {"error": error}

    def whole(self, answer: AIMessage, asked: Asked) -> dict[str, Any]:
        made = _response(asked, "completed", self._items(answer, asked), _usage(answer))
        if wire.cut_off(answer):
            made |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
        return made

    def events(self, answer: AIMessage, asked: Asked) -> Iterator[Event]:
        numbers = count()

        def event(kind: str, **fields: Any) -> Event:
            return kind, {"type": kind, "sequence_number": next(numbers), **fields}

        yield event("response.created", response=_response(asked, "in_progress", []))
        yield event("response.in_progress", response=_response(asked, "in_progress", []))
        for at, item in enumerate(self._items(answer, asked)):
            here = {"output_index": at, "item_id": item["id"]}
            begun = {**item, "status": "in_progress"}
            if item["type"] == "reasoning":
                # What is encrypted differs until the item is done.
                first = {**item, "summary": [], "encrypted_content": "not yet"}
                yield event("response.output_item.added", output_index=at, item=first)
                for n, told in enumerate(item["summary"]):
                    part = {**told, "text": ""}
                    yield event("response.reasoning_summary_part.added", **here, summary_index=n, part=part)
                    for piece in wire.pieces(told["text"]):
                        yield event("response.reasoning_summary_text.delta", **here, summary_index=n, delta=piece)
                    yield event("response.reasoning_summary_part.done", **here, summary_index=n, part=told)
            elif item["type"] == "message":
                part = item["content"][0]
                yield event("response.output_item.added", output_index=at, item={**begun, "content": []})
                yield event("response.content_part.added", **here, content_index=0, part={**part, "text": ""})
                for piece in wire.pieces(part["text"]):
                    yield event("response.output_text.delta", **here, content_index=0, delta=piece, logprobs=[])
                yield event("response.output_text.done", **here, content_index=0, text=part["text"], logprobs=[])
                yield event("response.content_part.done", **here, content_index=0, part=part)
            else:
                yield event("response.output_item.added", output_index=at, item={**begun, "arguments": ""})
                for piece in wire.pieces(item["arguments"]):
                    yield event("response.function_call_arguments.delta", **here, delta=piece)
                yield event(
                    "response.function_call_arguments.done", **here, name=item["name"], arguments=item["arguments"]
                )
            yield event("response.output_item.done", output_index=at, item=item)
        whole = self.whole(answer, asked)
        yield event(f"response.{whole['status']}", response=whole)


def _messages(given: Any) -> list[BaseMessage]:
    if not isinstance(given, list) or not given:
        raise Fault("input: a list of items is expected")
    made: list[BaseMessage] = []
    called: dict[str, str] = {}
    answered: set[str] = set()
    before, kind = "", ""
    for i, item in enumerate(given):
        where = f"input[{i}]"
        before, kind = kind, item.get("type", "message") if isinstance(item, dict) else ""
        match kind:
            case "message":
                if set(called) != answered:
                    raise Fault(f"No tool output found for function call {sorted(set(called) - answered)[0]}.")
                role, text = _message(item, where)
                if role in ("system", "developer") and i:
                    raise Fault(f"{where}: the system message must be the first")
                made += [{"user": HumanMessage, "assistant": AIMessage}.get(role, SystemMessage)(t) for t in text]
            case "function_call":
                # An item's own id would be one that the provider gave and keeps; nothing is kept.
                wire.only(item, where, ("type", "call_id", "name", "arguments"), ("status",))
                call_id = _call_id(item, where)
                if call_id in called:
                    raise Fault(f"{where}.call_id: duplicate value {call_id}")
                if before == "function_call_output" and set(called) != answered:
                    raise Fault(f"{where}: a call between the outputs of others")
                called[call_id] = wire.named(item["name"], f"{where}.name")
                args = wire.arguments(item["arguments"], f"{where}.arguments")
                call = {"id": call_id, "name": item["name"], "args": args, "type": "tool_call"}
                last = made[-1] if made else None
                if isinstance(last, AIMessage) and before in ("message", "function_call"):
                    made[-1] = AIMessage(last.content, tool_calls=[*last.tool_calls, call])
                else:
                    made.append(AIMessage("", tool_calls=[call]))
            case "function_call_output":
                wire.only(item, where, ("type", "call_id", "output"))
                call_id = _call_id(item, where)
                if call_id not in called or call_id in answered:
                    raise Fault(f"No tool call found for function call output with call_id {call_id}.")
                answered.add(call_id)
                made.append(ToolMessage(wire.worded(item["output"], f"{where}.output"), tool_call_id=call_id))
            case "reasoning":
                if set(called) != answered:
                    raise Fault(f"{where}: reasoning between a call and its output")
            case _:
                raise Fault(f"{where}.type: {kind!r} is not supported")
    if set(called) != answered:
        raise Fault(f"No tool output found for function call {sorted(set(called) - answered)[0]}.")
    return made


def _message(item: dict[str, Any], where: str) -> tuple[str, list[str]]:
    wire.only(item, where, ("role", "content"), ("type", "status"))
    role, content = item["role"], item["content"]
    if role not in _PARTS:
        raise Fault(f"{where}.role: {role!r} is not one of user, assistant, system, developer")
    if isinstance(content, str):
        return role, [wire.worded(content, f"{where}.content")]
    if not isinstance(content, list) or not content:
        raise Fault(f"{where}.content: a text or a list of parts is expected")
    texts = []
    for n, part in enumerate(content):
        wire.only(part, f"{where}.content[{n}]", ("type", "text"), ("annotations",))
        if part["type"] != _PARTS[role]:
            raise Fault(f"{where}.content[{n}].type: {part['type']} is not {_PARTS[role]}")
        texts.append(wire.worded(part["text"], f"{where}.content[{n}].text"))
    return role, texts


def _call_id(item: dict[str, Any], where: str) -> str:
    call_id = item["call_id"]
    if not isinstance(call_id, str) or not 0 < len(call_id) <= _LONGEST_ID:
        raise Fault(f"{where}.call_id: a string of 1 to {_LONGEST_ID} characters is expected")
    return call_id


def _tool(tool: Any, where: str) -> dict[str, Any]:
    # Without `strict` the provider would make the tool strict, and the model fill in what may be left out.
    wire.only(tool, where, ("type", "name", "parameters", "strict"), ("description",))
    name = wire.named(tool["name"], f"{where}.name")
    parameters = wire.schema(tool["parameters"], f"Invalid schema for function {name!r}")
    return wire.tool(name, tool.get("description", ""), parameters)


def _items(answer: AIMessage) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if text := str(answer.text):
        part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
        items.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]})
    for n, (call_id, name, args) in enumerate(wire.wanted(answer)):
        items.append(
            {"type": "function_call", "id": f"fc_{n}", "call_id": call_id, "name": name, "arguments": args,
             "status": "completed"}
        )  # fmt: skip
    return items


def _response(
    asked: Asked, status: str, output: list[dict[str, Any]], usage: dict[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "id": "resp_1", "object": "response", "created_at": 1_793_412_000, "status": status, "error": None,
        "incomplete_details": None, "instructions": None, "max_output_tokens": None, "metadata": {},
        "model": f"{asked.model}-2026-01-01", "output": output, "parallel_tool_calls": True,
        "previous_response_id": None, "reasoning": {"effort": None, "summary": None}, "store": False,
        "temperature": 1.0, "text": {"format": {"type": "text"}}, "tool_choice": asked.choice, "tools": [],
        "top_p": 1.0, "truncation": "disabled", "usage": usage, "user": None,
    }  # fmt: skip


def _usage(answer: AIMessage) -> dict[str, Any]:
    prompt, completion = wire.spent(answer)
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": prompt // 2},
        "output_tokens": completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": prompt + completion,
    }
