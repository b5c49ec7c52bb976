"""Rules that the formats share, and an answer's parts as they encode them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from langchain_core.messages import AIMessage
from wire_server import KEY, Fault, Sent, no_constant

TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_KEY_HEADERS = ("authorization", "x-api-key", "x-goog-api-key", "api-key")


def keyed(sent: Sent, header: str, value: str = KEY) -> None:
    """The provider's own key header, and no other that might carry a key."""
    if sent.headers.get(header) != value:
        raise Fault(f"{header} does not hold the key", 401)
    for other in _KEY_HEADERS:
        if other != header and other in sent.headers:
            raise Fault(f"{other}: no such header is read; it may hold another provider's key", 401)
    if "key" in sent.query:
        raise Fault("the key stands in the address", 401)
    if not sent.headers.get("content-type", "").startswith("application/json"):
        raise Fault("content-type must be application/json", 415)


def only(node: Any, where: str, required: Iterable[str] = (), optional: Iterable[str] = ()) -> dict[str, Any]:
    """An object with these fields and no others."""
    if not isinstance(node, dict):
        raise Fault(f"{where}: an object is expected")
    needed = set(required)
    if missing := needed - set(node):
        raise Fault(f"{where}: {sorted(missing)[0]}: field required")
    if further := set(node) - needed - set(optional):
        raise Fault(f"{where}: {sorted(further)[0]}: extra inputs are not permitted")
    return node


def worded(text: Any, where: str) -> str:
    """A text that says something."""
    if not isinstance(text, str):
        raise Fault(f"{where}: a string is expected")
    if not text.strip():
        raise Fault(f"{where}: text content must be non-empty")
    return text


def named(name: Any, where: str) -> str:
    """A tool's name."""
    if not isinstance(name, str) or not TOOL_NAME.fullmatch(name):
        raise Fault(f"{where}: string should match ^[a-zA-Z0-9_-]{{1,64}}$")
    return name


def positive(value: Any, where: str) -> None:
    """A count of tokens."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise Fault(f"{where}: a positive integer is expected")


def distinct(names: Iterable[str], where: str) -> None:
    """No name stands there twice."""
    listed = list(names)
    if len(set(listed)) != len(listed):
        raise Fault(f"{where}: names must be unique")


def arguments(text: Any, where: str) -> dict[str, Any]:
    """Arguments as OpenAI's formats have them: a string that is a JSON object."""
    if not isinstance(text, str):
        raise Fault(f"{where}: a string is expected")
    try:
        made = json.loads(text, parse_constant=no_constant)
    except ValueError:
        raise Fault(f"{where}: not JSON") from None
    if not isinstance(made, dict):
        raise Fault(f"{where}: not a JSON object")
    return made


def schema(node: Any, where: str) -> dict[str, Any]:
    """A tool's schema: valid JSON Schema (draft 2020-12) of type object, and lists say what they hold."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    if not isinstance(node, dict) or node.get("type") != "object":
        raise Fault(f'{where}: schema must be a JSON Schema of type "object"')
    try:
        Draft202012Validator.check_schema(node)
    except SchemaError as error:
        raise Fault(f"{where}: {error.message}") from None
    if barred := {"oneOf", "anyOf", "allOf", "enum", "not"} & set(node):
        raise Fault(f"{where}: {sorted(barred)[0]} is not supported at the top level")
    for key in node.get("required", ()):
        if key not in node.get("properties", {}):
            raise Fault(f"{where}: required {key} is no property")
    _lists(node, where)
    return node


def _lists(node: Any, where: str) -> None:
    if isinstance(node, list):
        for inner in node:
            _lists(inner, where)
    elif isinstance(node, dict):
        if node.get("type") == "array" and "items" not in node and "prefixItems" not in node:
            raise Fault(f"{where}: array schema missing items")
        for inner in node.values():
            _lists(inner, where)


def tool(name: str, description: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """A tool as the brain is given it."""
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def pieces(text: str, size: int = 7) -> Iterator[str]:
    """A text in pieces of a few characters."""
    for start in range(0, len(text), size):
        yield text[start : start + size]


def spent(answer: AIMessage) -> tuple[int, int]:
    """Tokens of the prompt and of the answer."""
    usage = answer.usage_metadata
    return (usage["input_tokens"], usage["output_tokens"]) if usage else (50, 10)


def wanted(answer: AIMessage) -> list[tuple[str, str, str]]:
    """The answer's calls: id, name, and arguments as they are written, valid or not."""
    sound = [(str(c["id"]), c["name"], json.dumps(c["args"], ensure_ascii=False)) for c in answer.tool_calls]
    return [*sound, *((str(c["id"]), c["name"] or "", c["args"] or "") for c in answer.invalid_tool_calls)]


def form(given: Any, where: str, messages: Any, *, flat: bool = False) -> None:
    """The form of an answer: JSON mode wants the word in the messages, a schema wants a name."""
    if given is None:
        return
    match given.get("type") if isinstance(given, dict) else None:
        case "text":
            only(given, where, ("type",))
        case "json_object":
            only(given, where, ("type",))
            if "json" not in json.dumps(messages).lower():
                raise Fault("'messages' must contain the word 'json' in some form, to use 'json_object'.")
        case "json_schema":
            inner = given if flat else only(given, where, ("type", "json_schema"))["json_schema"]
            only(inner, where, ("name", "schema"), ("type", "strict", "description"))
            named(inner["name"], f"{where}.name")
            schema(inner["schema"], f"{where}.schema")
        case kind:
            raise Fault(f"{where}.type: {kind!r} is not supported")


def cut_off(answer: AIMessage) -> bool:
    """Whether the answer ends at the output limit."""
    return answer.response_metadata.get("finish_reason") == "length"
