"""Whether a message that is still coming may be a call without marks: known from its first characters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from signoff.models.repair.schemas import Offered

_LABELS = (
    "action", "tool", "function", "toolcall", "toolcalls", "functioncall", "functioncalls", "apicall", "apicalls",
    "call", "calls", "calling", "invoke", "thought", "thoughts", "reasoning", "question", "行动", "动作", "工具",
    "操作", "调用工具", "使用工具", "工具名", "工具名称", "函数", "工具调用", "函数调用", "调用函数", "调用", "思考",
    "想法", "思路", "推理", "问题",
)  # fmt: skip
"""What `react` and `loose` begin with, without spaces and in small letters."""
_LABEL = re.compile(r"[\s>*_#]{0,16}(?P<words>[^\s:：>*_#][^\n:：]{0,24})?(?P<colon>[:：])?")
_BETWEEN = re.compile(r"[\s*_-]+")
_FENCE = re.compile(r"```[ \t]{0,4}[\w+\-]{0,20}[ \t]{0,8}\n?\s{0,64}")
_OPENING = "[`*\"'\\[\\s]{0,16}(?:print\\(\\s{0,8})?"
_NAME = r"(?P<name>[^\W\d](?:[\w.\-]{0,126}\w)?)"
_MORE = "[`*\"']{0,2}\\s{0,4}[:：]?\\s{0,8}"
_CALLED = re.compile(rf"{_OPENING}{_NAME}{_MORE}(?:[{{（(]|[^\W\d]\w{{0,63}}\s?=)")
_GROWING = re.compile(rf"{_OPENING}(?:(?P<name>[^\W\d][\w.\-]{{0,127}})(?P<more>{_MORE}(?:[^\W\d]\w{{0,63}}\s?)?))?")
_LISTED = re.compile(r"\[\s{0,64}(?P<more>[{\[]|\Z)?")


def begins_call(text: str, tools: Mapping[str, Mapping[str, Any]] | None) -> bool | None:
    """True for a beginning of a call or of markup, False for words, None while either may come.

    `tools` are those offered, name to schema of the arguments; None where they are not known, so that every name may
    be one of a tool.
    """
    if not text:
        return None
    if text[0] in "<◁" or text.startswith((">>>", "]<")):
        return True
    if text in (">", ">>", "]"):
        return None
    offered = None if tools is None else Offered(tools)
    if offered is not None and offered.open:
        # Where no tools are offered, only what has marks is a call.
        return False
    found = (_object(text), _fenced(text, tools), _label(text), _named(text, offered))
    return True if True in found else None if None in found else False


def _object(text: str) -> bool | None:
    if text[0] == "{":
        return True
    listed = _LISTED.match(text)
    if listed is None or listed["more"] is None:
        return False
    return True if listed["more"] else None


def _fenced(text: str, tools: Mapping[str, Mapping[str, Any]] | None) -> bool | None:
    if text[:3] != "```":
        return None if text in ("`", "``") else False
    fence = _FENCE.match(text)
    if fence is None or fence.end() >= len(text):
        return None
    if text.startswith("```", fence.end()):
        return False
    return begins_call(text[fence.end() : fence.end() + 512], tools)


def _label(text: str) -> bool | None:
    head = _LABEL.match(text)
    if head is None:
        return False
    words = _BETWEEN.sub("", head["words"] or "").casefold()
    if head["colon"]:
        return words in _LABELS
    if head.end() < len(text):
        return False
    return None if any(label.startswith(words) for label in _LABELS) else False


def _named(text: str, offered: Offered | None) -> bool | None:
    called = _CALLED.match(text)
    if called and (offered is None or offered.find(called["name"]) is not None):
        return True
    growing = _GROWING.fullmatch(text)
    if growing is None:
        return False
    name = growing["name"]
    if name is None:
        return None
    if offered is None:
        return None if name.isascii() else False
    known = offered.find(name) is not None if growing["more"] else offered.begins(name)
    return None if known else False
