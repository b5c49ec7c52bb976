"""What a model thought before it called tools, as its provider wants it back with their results: kept beside the
message as plain data, put back in that provider's form, and given to nobody else.

- Anthropic: `thinking` blocks with their signatures and `redacted_thinking` blocks, unchanged and in their places
  (https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks).
- Gemini: the `thoughtSignature` of each part that had one; the third generation refuses a request in which the first
  call of a step lacks it (https://ai.google.dev/gemini-api/docs/thought-signatures).
- OpenAI's responses: `reasoning` items with their `encrypted_content`, before the calls they led to
  (https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items).
- Chat completions: `reasoning_content`, `reasoning` or `reasoning_details`, each under the name under which it came.
  OpenAI's own answers have none of them, and strict servers refuse fields that they do not know; DeepSeek, Moonshot
  and Zhipu want them while tools are called (https://api-docs.deepseek.com/guides/thinking_mode,
  https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model,
  https://docs.bigmodel.cn/cn/guide/capabilities/thinking-mode). So what came is returned to where it came from,
  within the turn, and else nothing. Gemini's signatures stand there in a call's `extra_content`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage

from signoff.models.profile import ModelProfile

KEY = "continuation"
"""Where a message has it in its `additional_kwargs`."""
OPTION = "return_reasoning"
"""The field of a profile's `options`: false returns none of chat completions' reasoning; true also says of messages
whose reasoning is not known that there was some."""
FIELDS = "reasoning_fields"
"""Chat completions' fields of reasoning, in the `additional_kwargs` of what passes between gateway and chat model."""
EXTRAS = "call_extras"
"""`extra_content` of chat completions' calls, as `FIELDS`; by the call's id."""
SIGNATURES = "__gemini_function_call_thought_signatures__"
"""Where LangChain's Gemini model gives and takes the signatures of calls, by the call's id."""

Kind = Literal["anthropic", "google", "openai", "openai-responses"]

BLOCKS: dict[str, tuple[str, ...]] = {
    "anthropic": ("thinking", "redacted_thinking"),
    "google": ("thinking",),
    "openai": (),
    "openai-responses": ("reasoning",),
}
_NAMES = ("reasoning_content", "reasoning", "reasoning_details")
MOST_CHARS = 400_000
"""Of one message's; more would be kept in every checkpoint of the turn."""


@dataclass(frozen=True)
class Source:
    """Who gave an answer: what it thought goes back to the same model at the same address only."""

    kind: Kind
    model: str
    endpoint: str
    """A digest of the address, which may hold a name or a password."""

    @classmethod
    def of(cls, profile: ModelProfile) -> Source | None:
        """A profile's; None where nothing is ever returned."""
        kind: Kind
        match profile.provider:
            case "anthropic":
                kind = "anthropic"
            case "google":
                kind = "google"
            case "openai" if profile.options.get("use_responses_api"):
                kind = "openai-responses"
            case "openai" if profile.options.get(OPTION) is not False:
                kind = "openai"
            case _:
                return None
        address = (profile.base_url or "").strip().rstrip("/")
        return cls(kind, profile.model_id, sha256(address.encode()).hexdigest()[:16])


def settled(data: Mapping[str, Any], places: Sequence[int], message: AIMessage) -> dict[str, Any]:
    """The data of a message whose calls were put in another order: `places` has for each call, readable ones first,
    where it stood."""
    now = {was: at for at, was in enumerate(places)}
    kept = [p for p in data["parts"] if "call" not in p or p["call"] in now]
    parts = [{**p, "call": now[p["call"]]} if "call" in p else p for p in kept]
    return {**data, "calls": _named(message), "parts": parts}


def restored(messages: Sequence[BaseMessage], source: Source | None) -> list[BaseMessage]:
    """The messages with what `source` thought in the form its LangChain model takes it in; what others thought, and
    what no longer fits its message, is left out."""
    return [_restored(m, source) if isinstance(m, AIMessage) and KEY in m.additional_kwargs else m for m in messages]


def begins_with_thought(messages: Sequence[BaseMessage]) -> bool:
    """Whether the calls under way, if there are any, began with a block of thinking; of restored messages.

    Anthropic refuses a request with thinking whose calls under way began without
    (https://platform.claude.com/docs/en/build-with-claude/extended-thinking#toggling-thinking-modes-in-conversations).
    """
    first: AIMessage | None = None
    for m in reversed(messages):
        if m.type in ("human", "system") and first is not None:
            break
        if isinstance(m, AIMessage) and m.tool_calls:
            first = m
    if first is None:
        return True
    content = first.content if isinstance(first.content, list) else []
    return bool(content) and isinstance(content[0], dict) and content[0].get("type") in BLOCKS["anthropic"]


def _restored(message: AIMessage, source: Source | None) -> AIMessage:
    more = {k: v for k, v in message.additional_kwargs.items() if k != KEY}
    data = message.additional_kwargs[KEY]
    bare = message.model_copy(update={"additional_kwargs": more})
    if source is None or not _fits(data, source, message):
        return bare
    ids = [str(c["id"]) for c in message.tool_calls]
    parts: list[dict[str, Any]] = data["parts"]
    match source.kind:
        case "openai":
            extras = {ids[p["call"]]: p["extra"] for p in parts if "extra" in p and p["call"] < len(ids)}
            return bare.model_copy(
                update={"additional_kwargs": {**more, FIELDS: data.get("fields") or {}, EXTRAS: extras}}
            )
        case "google":
            signed = {ids[p["call"]]: p["signature"] for p in parts if "call" in p and "signature" in p}
            return bare.model_copy(
                update={
                    "content": [b for b in _content(message, parts, source.kind) if b["type"] != "call"],
                    "additional_kwargs": {**more, SIGNATURES: signed},
                    "response_metadata": {**message.response_metadata, "model_provider": "google_genai"},
                }
            )
    content = []
    for block in _content(message, parts, source.kind):
        if block["type"] != "call":
            content.append(block)
            continue
        call = message.tool_calls[block["call"]]
        if source.kind == "anthropic":
            content.append({"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]})
        else:
            args = json.dumps(call["args"], ensure_ascii=False)
            made = {"type": "function_call", "call_id": call["id"], "name": call["name"], "arguments": args}
            content.append(made)
    return bare.model_copy(update={"content": content})


def _content(message: AIMessage, parts: Sequence[Mapping[str, Any]], kind: Kind) -> Iterator[dict[str, Any]]:
    """The blocks of a message in their places. A text that was mended since stands whole where the first text stood,
    and bears no signature."""
    text = str(message.text)
    same = sum(p.get("text", 0) for p in parts) == len(text)
    place, calls = 0, set(range(len(message.tool_calls)))
    for part in parts:
        if "text" in part and (same or not place):
            piece = text[place : place + part["text"]] if same else text
            place += len(piece)
            marks = {"phase": part["phase"]} if "phase" in part else {}
            if same and "signature" in part:
                marks["extras"] = {"signature": part["signature"]}
            if piece or "extras" in marks:
                yield {"type": "text", "text": piece, **marks}
        elif "call" in part:
            if text and not place and kind != "google":
                place = len(text)
                yield {"type": "text", "text": text}
            calls.discard(part["call"])
            yield {"type": "call", "call": part["call"]}
        elif "block" in part:
            yield dict(part["block"])
    if text and not place:
        yield {"type": "text", "text": text}
    for call in sorted(calls):
        yield {"type": "call", "call": call}


def _fits(data: Any, source: Source, message: AIMessage) -> bool:
    """Whether it is of this model, and of this message as it stands; records can be written by others."""
    if not isinstance(data, dict) or message.invalid_tool_calls or not isinstance(message.content, str):
        return False
    if not message.tool_calls:
        return False
    if (data.get("provider"), data.get("model"), data.get("endpoint")) != (source.kind, source.model, source.endpoint):
        return False
    parts, fields = data.get("parts"), data.get("fields", {})
    if data.get("calls") != _named(message) or not isinstance(parts, list) or not isinstance(fields, dict):
        return False
    calls = [p.get("call") for p in parts if isinstance(p, dict) and "call" in p]
    if len(set(map(str, calls))) != len(calls) or not set(fields) <= set(_NAMES):
        return False
    return all(isinstance(p, dict) and _sound(p, source.kind, len(message.tool_calls)) for p in parts)


def _sound(part: Mapping[str, Any], kind: Kind, calls: int) -> bool:
    if "block" in part:
        return isinstance(part["block"], dict) and part["block"].get("type") in BLOCKS[kind]
    if not isinstance(part.get("signature", ""), str):
        return False
    number, most = (part["call"], calls - 1) if "call" in part else (part.get("text"), MOST_CHARS)
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= most


def _named(message: AIMessage) -> list[str]:
    return [c["name"] for c in message.tool_calls] + [c["name"] or "" for c in message.invalid_tool_calls]
