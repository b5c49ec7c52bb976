"""Calls as JSON objects: `{"name": …, "arguments": {…}}` and its many cousins, alone or in a list.

The pairs of keys are those of the Hermes, Llama 3 (`parameters`), Command-R (`tool_name`), LangChain (`action`,
`action_input`) and OpenAI (`function`, `tool_calls`) formats, as their chat templates and documentation give them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from signoff.models.repair.literals import Literal, Unreadable, arguments, literal
from signoff.models.repair.reading import Body, Draft
from signoff.models.repair.schemas import Offered
from signoff.models.repair.source import Source

_NAMES = ("name", "tool_name", "function_name", "function", "tool", "action", "recipient_name", "api_name")
_ARGS = ("arguments", "parameters", "args", "params", "input", "tool_input", "action_input", "kwargs", "argument")
_BESIDE = frozenset("id type tool_call_id call_id index thought thoughts reason description".split())
_LISTS = ("tool_calls", "tool_uses", "function_calls", "calls", "actions")
_ONE = ("tool_call", "function_call", "call")
_BEGIN = re.compile(r"\{|\[\s{0,64}[\[{\]]")
_LEAKED = re.compile(r"([^\W\d][\w.\-/:]{0,127})\s{0,8}([({（]|(?=\s[^\W\d]\w{0,63}\s?=))")
_PAIR = re.compile(
    r"\s{0,8}[,，]?\s{0,8}(?P<key>[^\W\d]\w{0,63})\s?=\s?"
    r"(?P<value>\"[^\"\n]{0,2000}\"|'[^'\n]{0,2000}'|[^\s,，=\"'()（）]{1,500})"
)
_EXTRA = re.compile(r"\s{0,32}[}\]]{1,3}(?=\s{0,32}(?:</|<\||<[｜]|```|$))")
NO_TOOL = frozenset(("directly_answer", "directly-answer"))
"""What Command-R calls when it calls nothing."""


def body(src: Source, at: int) -> Body | None:
    """Reads one object or list of calls at a position; None where there is none, or it is not calls."""
    if not _BEGIN.match(src.text, at):
        return None
    try:
        found = literal(src.text, at)
    except Unreadable as error:
        raw = src.text[at : error.at]
        if error.cut:
            return Body([Draft("", None, raw, why="cut off")], len(src.text), cut=True)
        return Body([Draft("", None, raw, why="not readable as JSON")], max(error.at, at + 1), kind="json")
    made = drafts(found.value, src.text[at : found.end], src.offered)
    if made is None:
        return None
    end = found.end
    if extra := _EXTRA.match(src.text, end):
        found.mends.add("extra_bracket")
        end = extra.end()
    for draft in made:
        draft.mends |= found.mends
    if found.at_end and made and not _whole(found, made[-1], src.offered):
        last = made.pop()
        last.why = "cut off"
        return Body([*made, Draft(last.name, None, last.raw, why="cut off")], end, cut=True, kind="json")
    return Body(made, end, kind="json")


def drafts(value: Any, raw: str, offered: Offered) -> list[Draft] | None:
    """The calls that a value is: an object or a list of objects. None where any of them is not a call."""
    if isinstance(value, list):
        inner = [drafts(item, _text(item), offered) for item in value]
        if not inner or any(i is None or isinstance(v, list) for i, v in zip(inner, value, strict=True)):
            return None
        return [d for i in inner for d in i or ()]
    if not isinstance(value, dict):
        return None
    for key in (*_LISTS, *_ONE):
        if isinstance(held := value.get(key), dict | list) and not isinstance(value.get("name"), str):
            return drafts(held, raw, offered)
    if isinstance(held := value.get("function"), dict) and not isinstance(value.get("name"), str):
        return drafts(held, raw, offered)
    name_key = next((k for k in _NAMES if isinstance(value.get(k), str)), None)
    if name_key is None:
        return _keyed(value, raw, offered)
    args_key = next((k for k in _ARGS if k in value), None)
    draft = Draft(value[name_key], {}, raw)
    if args_key is None:
        rest = {k: v for k, v in value.items() if k != name_key}
        named = {k: v for k, v in rest.items() if k in offered.properties(draft.name) or k not in _BESIDE}
        if named and offered.fits(draft.name, named):
            draft.args = named
            draft.mends.add("flat_arguments")
        elif named:
            return None
        else:
            draft.args = None
            draft.why = "it has no arguments"
    else:
        draft.args = opened(value[args_key], draft.mends)
        if draft.args is None:
            draft.args = _alone(value[args_key], draft, offered)
    if _described(draft.args, offered.properties(draft.name)):
        draft.why = "it repeats the tool's description"
    return [settled(draft, offered)]


def opened(value: Any, mends: set[str]) -> dict[str, Any] | None:
    """Arguments as an object, taken out of text that holds them, twice over if need be; None where they are none."""
    for _ in range(3):
        if value is None or value == [] or (isinstance(value, str) and not value.strip()):
            return {}
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            value = value[0]
        if isinstance(value, dict):
            return value
        if not isinstance(value, str):
            return None
        text = value.strip()
        try:
            found = literal(text)
        except Unreadable:
            return None
        if found.unclosed or found.end != len(text):
            return None
        value = found.value
        mends.add("double_encoded")
        mends |= found.mends
    return value if isinstance(value, dict) else None


def settled(draft: Draft, offered: Offered) -> Draft:
    """Takes arguments out of a name they leaked into, and decides whether a call without any is one."""
    if (not draft.args and offered.find(draft.name) is None) or (offered.open and "(" in draft.name):
        leaked = _LEAKED.match(draft.name.strip())
        known = leaked is not None and offered.find(leaked[1]) is not None
        if leaked and known and (args := _inside(draft.name.strip(), leaked, offered)) is not None:
            draft.name, draft.args, draft.why = leaked[1], args, ""
            draft.mends.add("leaked_arguments")
    if draft.args is None and draft.why == "it has no arguments" and offered.find(draft.name) is not None:
        known = not offered.open and not offered.required(draft.name)
        if known:
            draft.args, draft.why = {}, ""
            draft.mends.add("no_arguments")
    return draft


def _inside(name: str, leaked: re.Match[str], offered: Offered) -> dict[str, Any] | None:
    at = leaked.end()
    try:
        found = literal(name, at - 1) if leaked[2] == "{" else arguments(name, at)
    except Unreadable:
        args, end = pairs(name, at, leaked[1], offered)
        return args if args and name[end:].strip() in ("", ")", "）") else None
    if found.unclosed or name[found.end :].strip() or not isinstance(found.value, dict) or "" in found.value:
        return None
    return found.value


def pairs(text: str, at: int, name: str, offered: Offered) -> tuple[dict[str, Any], int]:
    """`id=A1, amount="3"` as arguments of a tool, and where they end; values without marks are typed by the schema."""
    args: dict[str, Any] = {}
    while pair := _PAIR.match(text, at):
        value = pair["value"]
        bare = value[1:-1] if value[0] in "\"'" else value
        args[pair["key"]] = offered.typed(name, pair["key"], bare)
        at = pair.end()
    return args, at


def _alone(value: Any, draft: Draft, offered: Offered) -> dict[str, Any] | None:
    """A single value in the place of the arguments: that of the one parameter it can be meant for."""
    only = offered.only(draft.name)
    if only is not None and isinstance(value, str | int | float | bool):
        draft.mends.add("plain_input")
        return {only: value}
    draft.why = "its arguments are not an object"
    return None


def _keyed(value: Mapping[str, Any], raw: str, offered: Offered) -> list[Draft] | None:
    """`{"get_order": {"id": …}}`, as Apertus writes calls."""
    if not value or not all(isinstance(v, dict) and offered.find(k) is not None for k, v in value.items()):
        return None
    return [Draft(k, v, raw, mends=set() if len(value) == 1 else {"keyed_calls"}) for k, v in value.items()]


def _described(args: Any, properties: Mapping[str, Any]) -> bool:
    """Whether these are no arguments but the schema of them, repeated from the prompt."""
    return (
        isinstance(args, dict)
        and args.get("type") == "object"
        and isinstance(args.get("properties"), dict)
        and "properties" not in properties
    )


def _whole(found: Literal, last: Draft, offered: Offered) -> bool:
    """Whether a value that the output ended in before its brackets were closed has lost nothing.

    The arguments' own bracket is closed: they are whole. It alone is missing too: they are whole only when every
    parameter of the tool is there, for otherwise another may have been about to follow.
    """
    if last.args is None or last.why or "no_arguments" in last.mends:
        return False
    levels = (2 if isinstance(found.value, list) else 1) - ("flat_arguments" in last.mends)
    missing = found.unclosed - levels
    return missing <= 0 or (missing == 1 and offered.complete(last.name, last.args))


def _text(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""
