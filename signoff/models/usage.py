"""Tokens counted without a tokenizer: a conservative estimate where a provider reports none."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
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


def _count_message(message: BaseMessage) -> int:
    total = count_tokens(str(message.text))
    if isinstance(message, AIMessage):
        for call in message.tool_calls:
            total += count_tokens(call["name"] + json.dumps(call["args"], ensure_ascii=False, default=str))
        for broken in message.invalid_tool_calls:
            total += count_tokens((broken["name"] or "") + (broken["args"] or ""))
    return total
