"""What a server thinks, signs and remembers: an answer's thought is in `additional_kwargs["thought"]`."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from typing import Any

from langchain_core.messages import AIMessage
from wire_rules import wanted


def thought(answer: AIMessage) -> str:
    """What an answer was thought to be; empty when nothing was."""
    return str(answer.additional_kwargs.get("thought") or "")


def sealed(*words: str) -> str:
    """A text that only the server can make of these words, in base64."""
    return base64.b64encode(hashlib.sha256(json.dumps(["seal", *words]).encode()).digest()).decode()


class Memory:
    """What was handed out, by the calls that it came with: their ids are the client's to choose."""

    def __init__(self) -> None:
        self._handed: dict[str, Any] = {}

    def hand(self, answer: AIMessage, given: Any) -> Any:
        """Remembers what an answer's calls came with, and gives it back."""
        if calls := [(n, json.loads(a)) for _, n, a in wanted(answer) if _readable(a)]:
            self._handed[_key(calls)] = given
        return given

    def of(self, calls: Iterable[dict[str, Any]]) -> Any:
        """What these calls came with; None when the server has not made them."""
        return self._handed.get(_key([(c["name"], c["args"]) for c in calls]))


def _key(calls: list[tuple[str, Any]]) -> str:
    return json.dumps(calls, sort_keys=True)


def _readable(arguments: str) -> bool:
    try:
        json.loads(arguments)
    except ValueError:
        return False
    return True
