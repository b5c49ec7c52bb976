"""Tokens as they are estimated before a call, and texts cut to fit."""

from __future__ import annotations

import json
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage


def estimate(messages: Sequence[BaseMessage]) -> int:
    """Tokens of messages, estimated high: a CJK character counts one, other text a third of its length."""
    return 4 * len(messages) + estimate_text("".join(written(m) for m in messages))


def estimate_text(text: str) -> int:
    """Tokens of a text, estimated high."""
    # A CJK character is three bytes in UTF-8 and most others one, which is much faster than looking at each.
    wide = (len(text.encode("utf-8", "replace")) - len(text)) // 2
    return wide + (len(text) - wide) // 3


def cut_middle(text: str, tokens: int) -> str:
    """The text with its middle left out, and that stated, so that it is estimated at no more than `tokens`.

    The mark itself takes about 20 tokens and is always there when anything is left out.
    """
    if estimate_text(text) <= tokens:
        return text
    low, high = 0, len(text)
    while low < high:
        kept = (low + high + 1) // 2
        if estimate_text(_without_middle(text, kept)) <= tokens:
            low = kept
        else:
            high = kept - 1
    return _without_middle(text, low)


def _without_middle(text: str, kept: int) -> str:
    head = (kept + 1) // 2
    tail = text[len(text) - (kept - head) :] if kept > head else ""
    return f"{text[:head]}\n[… {len(text) - kept} characters of the middle left out …]\n{tail}"


def written(message: BaseMessage) -> str:
    calls = message.tool_calls if isinstance(message, AIMessage) else ()
    return str(message.text) + "".join(
        f"{c['name']}{json.dumps(c['args'], ensure_ascii=False, default=str)}" for c in calls
    )
