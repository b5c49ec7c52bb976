"""Anthropic's messages (https://docs.anthropic.com/en/api/messages)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import wire_rules as wire
import wire_thoughts as thoughts
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from wire_server import KEY, Asked, Event, Fault, Sent

_FIELDS = (
    "stream", "system", "tools", "tool_choice", "temperature", "top_p", "top_k", "stop_sequences", "metadata",
    "thinking",
)  # fmt: skip
_LEAST_BUDGET = 1_024
_VERSION = re.compile(r"20\d\d-\d\d-\d\d")
_ID = re.compile(r"[a-zA-Z0-9_-]+")


class Anthropic:
    """`POST /v1/messages`."""

    name = "anthropic"
    prefix = ""
    prompt_at_the_end = True
    """Whether the last event tells the prompt's tokens again, as Anthropic's does and endpoints like it need not."""

    def __init__(self) -> None:
        self.memory = thoughts.Memory()

    def read(self, sent: Sent) -> Asked:
        if sent.path != "/v1/messages":
            raise Fault(f"Not found: {sent.path}", 404)
        # Its clients send the key as a bearer since 2026; with the first version of the API it has its own header.
        if "authorization" in sent.headers:
            wire.keyed(sent, "authorization", f"Bearer {KEY}")
        else:
            wire.keyed(sent, "x-api-key")
        if not _VERSION.fullmatch(sent.headers.get("anthropic-version", "")):
            raise Fault("anthropic-version: header is required")
        body = wire.only(sent.body, "body", ("model", "messages", "max_tokens"), _FIELDS)
        wire.positive(body["max_tokens"], "max_tokens")
        tools = [_tool(t, f"tools.{i}") for i, t in enumerate(body.get("tools", ()))]
        wire.distinct((t["function"]["name"] for t in tools), "tools")
        choice = "auto"
        if "tool_choice" in body:
            if not tools:
                raise Fault("tool_choice may only be specified while providing tools")
            given = wire.only(body["tool_choice"], "tool_choice", ("type",), ("disable_parallel_tool_use",))
            choice = {"auto": "auto", "any": "required", "none": "none"}.get(given["type"], "")
            if not choice:
                raise Fault(f"tool_choice.type: {given['type']!r} is not one of auto, any, none")
        thinks = _thinking(body, choice)
        messages = _messages(body["messages"])
        self._check_thoughts(body["messages"], thinks)
        if not tools and any(isinstance(m, ToolMessage) for m in messages):
            raise Fault("Requests which have tool_use or tool_result blocks in messages must define tools")
        told = [*_system(body.get("system")), *messages]
        return Asked(body["model"], told, tools, choice, bool(body.get("stream")), {"thinks": bool(thinks)})

    def _check_thoughts(self, given: list[dict[str, Any]], thinks: str) -> None:
        """Blocks of thinking are as they were handed out, and calls under way begin with them."""
        begun = _loop(given)
        for i, message in enumerate(given):
            blocks = message["content"] if isinstance(message["content"], list) else []
            had = [b for b in blocks if b.get("type") in ("thinking", "redacted_thinking")]
            calls = [{"name": b["name"], "args": b["input"]} for b in blocks if b.get("type") == "tool_use"]
            if had and not thinks:
                raise Fault("When `thinking` is disabled, an assistant message cannot contain `thinking`.")
            for block in had:
                if block != _signed(block):
                    raise Fault(f"messages.{i}.content.0: Invalid `signature` in `thinking` block")
            handed = self.memory.of(calls)
            if had and handed is not None and had != handed:
                raise Fault(f"messages.{i}.content.0: `thinking` blocks in an assistant message cannot be modified.")
            if thinks == "enabled" and i == begun and calls and (not had or blocks[0] != had[0]):
                kind = blocks[0]["type"]
                raise Fault(f"messages.{i}.content.0.type: Expected `thinking` or `redacted_thinking`, found `{kind}`.")
            if thinks and begun is not None and i > begun and handed and not had:
                raise Fault(f"messages.{i}: the `thinking` blocks of this message are missing.")

    def refusal(self, fault: Fault) -> dict[str, Any]:
        return {"type": "error", "error": {"type": "invalid_request_error", "message": str(fault)}}

    def whole(self, answer: AIMessage, asked: Asked) -> dict[str, Any]:
        content = [*self._thoughts(answer, asked)]
        content += [{"type": "text", "text": str(answer.text)}] if str(answer.text) else []
        content += [{"type": "tool_use", "id": i, "name": n, "input": json.loads(a)} for i, n, a in wire.wanted(answer)]
        prompt, completion = wire.spent(answer)
        usage = {**_prompt_usage(prompt), "output_tokens": completion}
        return {**_head(asked), "content": content, "stop_reason": _reason(answer), "usage": usage}

    def events(self, answer: AIMessage, asked: Asked) -> Iterator[Event]:
        def event(kind: str, **fields: Any) -> Event:
            return kind, {"type": kind, **fields}

        prompt, completion = wire.spent(answer)
        usage = {**_prompt_usage(prompt), "output_tokens": 1}
        yield event("message_start", message={**_head(asked), "content": [], "stop_reason": None, "usage": usage})
        yield event("ping")
        index = 0
        for index, block in enumerate(self._thoughts(answer, asked), 1):
            here = index - 1
            if block["type"] == "redacted_thinking":
                yield event("content_block_start", index=here, content_block=block)
            else:
                empty = {"type": "thinking", "thinking": "", "signature": ""}
                yield event("content_block_start", index=here, content_block=empty)
                for piece in wire.pieces(block["thinking"]):
                    yield event("content_block_delta", index=here, delta={"type": "thinking_delta", "thinking": piece})
                signed = {"type": "signature_delta", "signature": block["signature"]}
                yield event("content_block_delta", index=here, delta=signed)
            yield event("content_block_stop", index=here)
        if text := str(answer.text):
            yield event("content_block_start", index=index, content_block={"type": "text", "text": ""})
            for piece in wire.pieces(text):
                yield event("content_block_delta", index=index, delta={"type": "text_delta", "text": piece})
            yield event("content_block_stop", index=index)
            index += 1
        for at, (call_id, name, args) in enumerate(wire.wanted(answer), index):
            block = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
            yield event("content_block_start", index=at, content_block=block)
            # The first piece is empty, and no arguments are no piece at all.
            for piece in ("", *wire.pieces(args if args != "{}" else "")):
                delta = {"type": "input_json_delta", "partial_json": piece}
                yield event("content_block_delta", index=at, delta=delta)
            yield event("content_block_stop", index=at)
        delta = {"stop_reason": _reason(answer), "stop_sequence": None}
        again = _prompt_usage(prompt) if self.prompt_at_the_end else {}
        yield event("message_delta", delta=delta, usage={**again, "output_tokens": completion})
        yield event("message_stop")

    def _thoughts(self, answer: AIMessage, asked: Asked) -> list[dict[str, Any]]:
        """The blocks before an answer: what was thought, and what is not for the client to read."""
        said = thoughts.thought(answer)
        if not asked.extra["thinks"] or not said:
            return []
        blocks = [_signed({"type": "thinking", "thinking": said})]
        if answer.additional_kwargs.get("redacted"):
            blocks.append({"type": "redacted_thinking", "data": thoughts.sealed("redacted")})
        made: list[dict[str, Any]] = self.memory.hand(answer, blocks)
        return made


def _thinking(body: dict[str, Any], choice: str) -> str:
    """How it is to think, and what may not be asked for beside that."""
    given = body.get("thinking")
    if given is None:
        return ""
    kind = given.get("type") if isinstance(given, dict) else None
    match kind:
        case "disabled" | "adaptive":
            wire.only(given, "thinking", ("type",), ("display",))
        case "enabled":
            budget = wire.only(given, "thinking", ("type", "budget_tokens"), ("display",))["budget_tokens"]
            if not isinstance(budget, int) or budget < _LEAST_BUDGET:
                raise Fault("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
            if budget >= body["max_tokens"]:
                raise Fault("`max_tokens` must be greater than `thinking.budget_tokens`.")
        case _:
            raise Fault(f"thinking.type: {kind!r} is not one of enabled, adaptive, disabled")
    if kind == "disabled":
        return ""
    if choice == "required":
        raise Fault("Thinking may not be enabled when tool_choice forces tool use.")
    if body.get("temperature", 1) != 1 or "top_k" in body:
        raise Fault("`temperature` may only be set to 1, and `top_k` not at all, when thinking is enabled.")
    return str(kind)


def _loop(given: list[dict[str, Any]]) -> int | None:
    """Where the calls under way began: the first assistant message behind the last that is the person's alone."""
    for i in range(len(given) - 1, -1, -1):
        content = given[i]["content"]
        results = isinstance(content, list) and any(b.get("type") == "tool_result" for b in content)
        if given[i]["role"] == "user" and not results:
            return i + 1 if i + 1 < len(given) else None
    return None


def _signed(block: dict[str, Any]) -> dict[str, Any]:
    """The block as the server signs it."""
    if block.get("type") == "redacted_thinking":
        return {"type": "redacted_thinking", "data": thoughts.sealed("redacted")}
    said = str(block.get("thinking"))
    return {"type": "thinking", "thinking": said, "signature": thoughts.sealed("thinking", said)}


def _system(given: Any) -> list[BaseMessage]:
    if given is None:
        return []
    if isinstance(given, str):
        return [SystemMessage(wire.worded(given, "system"))]
    blocks = [wire.only(b, f"system.{i}", ("type", "text"), ("cache_control",)) for i, b in enumerate(given)]
    return [SystemMessage("\n".join(wire.worded(b["text"], "system") for b in blocks))]


def _messages(given: Any) -> list[BaseMessage]:
    if not isinstance(given, list) or not given:
        raise Fault("messages: at least one message is required")
    made: list[BaseMessage] = []
    seen: set[str] = set()
    open_calls: list[str] = []
    before = None
    for i, message in enumerate(given):
        where = f"messages.{i}"
        wire.only(message, where, ("role", "content"))
        role = message["role"]
        if role not in ("user", "assistant"):
            raise Fault(f"{where}.role: {role!r} is not one of user, assistant")
        if i == 0 and role != "user":
            raise Fault("messages: first message must use the user role")
        if role == before:
            raise Fault(f'messages: roles must alternate between "user" and "assistant", but found two {role} in a row')
        before = role
        if role == "assistant":
            said = _assistant(_blocks(message["content"], where), where, seen)
            open_calls = [str(c["id"]) for c in said.tool_calls]
            made.append(said)
        else:
            made += _user(_blocks(message["content"], where), where, open_calls)
            open_calls = []
    if before == "assistant":
        raise Fault("This model does not support assistant message prefill. The last message must be the user's.")
    return made


def _blocks(content: Any, where: str) -> list[dict[str, Any]]:
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list) or not content:
        raise Fault(f"{where}: all messages must have non-empty content")
    return content


def _text(block: dict[str, Any], where: str) -> str:
    wire.only(block, where, ("type", "text"), ("cache_control",))
    return wire.worded(block["text"], f"{where}: text content blocks")


def _assistant(blocks: list[dict[str, Any]], where: str, seen: set[str]) -> AIMessage:
    texts, calls = [], []
    for n, block in enumerate(blocks):
        at = f"{where}.content.{n}"
        match block.get("type"):
            case "text":
                texts.append(_text(block, at))
                if calls:
                    raise Fault(f"{at}: text behind tool_use")
            case "thinking":
                wire.only(block, at, ("type", "thinking", "signature"))
                if texts or calls:
                    raise Fault(f"{at}: thinking behind text or tool_use")
            case "redacted_thinking":
                wire.only(block, at, ("type", "data"))
            case "tool_use":
                wire.only(block, at, ("type", "id", "name", "input"), ("cache_control",))
                if not isinstance(block["id"], str) or not _ID.fullmatch(block["id"]):
                    raise Fault(f"{at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
                if block["id"] in seen:
                    raise Fault("messages: `tool_use` ids must be unique")
                seen.add(block["id"])
                if not isinstance(block["input"], dict):
                    raise Fault(f"{at}.tool_use.input: Input should be a valid dictionary")
                name = wire.named(block["name"], f"{at}.tool_use.name")
                calls.append({"id": block["id"], "name": name, "args": block["input"], "type": "tool_call"})
            case kind:
                raise Fault(f"{at}: {kind!r} is not a block of an assistant's message")
    return AIMessage("".join(texts), tool_calls=calls)


def _user(blocks: list[dict[str, Any]], where: str, open_calls: list[str]) -> list[BaseMessage]:
    made: list[BaseMessage] = []
    left = list(open_calls)
    for n, block in enumerate(blocks):
        at = f"{where}.content.{n}"
        match block.get("type"):
            case "text":
                if left:
                    raise Fault(
                        f"{where}: `tool_use` ids were found without `tool_result` blocks immediately after: {left}"
                    )
                made.append(HumanMessage(_text(block, at)))
            case "tool_result":
                wire.only(block, at, ("type", "tool_use_id", "content"), ("is_error", "cache_control"))
                if any(isinstance(m, HumanMessage) for m in made):
                    raise Fault(f"{at}: `tool_result` blocks must stand before text")
                if block["tool_use_id"] not in left:
                    raise Fault(f"{at}: unexpected `tool_use_id` found in `tool_result` blocks: {block['tool_use_id']}")
                left.remove(block["tool_use_id"])
                content = block["content"]
                if isinstance(content, list):
                    content = "".join(_text(b, f"{at}.content") for b in content)
                made.append(ToolMessage(wire.worded(content, at), tool_call_id=block["tool_use_id"]))
            case kind:
                raise Fault(f"{at}: {kind!r} is not a block of a user's message")
    if left:
        raise Fault(f"{where}: `tool_use` ids were found without `tool_result` blocks immediately after: {left}")
    return made


def _tool(tool: Any, where: str) -> dict[str, Any]:
    wire.only(tool, where, ("name", "input_schema"), ("description", "type", "cache_control", "strict"))
    name = wire.named(tool["name"], f"{where}.name")
    return wire.tool(name, tool.get("description", ""), wire.schema(tool["input_schema"], f"{where}.input_schema"))


def _head(asked: Asked) -> dict[str, Any]:
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": asked.model, "stop_sequence": None}


def _reason(answer: AIMessage) -> str:
    if wire.cut_off(answer):
        return "max_tokens"
    return "tool_use" if wire.wanted(answer) else "end_turn"


def _prompt_usage(prompt: int) -> dict[str, Any]:
    """Anthropic counts what was read from its cache beside the other tokens of the prompt."""
    return {
        "input_tokens": prompt - prompt // 2,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": prompt // 2,
    }
