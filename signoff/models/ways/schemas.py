"""Tool schemas as endpoints need them: strict, bounded, or told in words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_LONG = 500
"""Characters of a string that the schema leaves open: a weak model under a grammar else never ends one."""
_MANY = 16
"""Items of a list that the schema leaves open."""
_PLAIN_PATTERN = re.compile(r"\^[A-Za-z0-9\[\]{},_\-+*?.|/: ]+\$")
_DROPPED_STRICT = ("default", "examples", "title")


def parameters_of(tool: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments."""
    given = tool.get("function", tool).get("parameters")
    return dict(given) if isinstance(given, Mapping) else {"type": "object", "properties": {}}


def by_name(tools: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Name to schema of the arguments."""
    return {str(t.get("function", t)["name"]): parameters_of(t) for t in tools}


def strict(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool with `strict: true`: every property required, optional ones nullable, nothing further allowed.

    As it is when its schema has what OpenAI's strict mode does not take
    (https://platform.openai.com/docs/guides/structured-outputs#supported-schemas).
    """
    function = dict(tool.get("function", tool))
    if function.get("strict"):
        return dict(tool)
    made = _strict(parameters_of(tool))
    if made is None:
        return dict(tool)
    return {"type": "function", "function": {**function, "parameters": made, "strict": True}}


def _strict(node: Any) -> Any:
    """None where a node cannot be strict."""
    if not isinstance(node, Mapping):
        return node
    if {"oneOf", "allOf", "not", "patternProperties", "if", "dependentRequired"} & set(node):
        return None
    made = {k: v for k, v in node.items() if k not in _DROPPED_STRICT}
    if node.get("type") == "object" or "properties" in node:
        if node.get("additionalProperties") not in (None, False) or not isinstance(node.get("properties", {}), Mapping):
            return None
        required = set(node.get("required") or ())
        properties: dict[str, Any] = {}
        for name, child in node.get("properties", {}).items():
            fixed = _strict(child)
            if fixed is None:
                return None
            properties[name] = fixed if name in required else _nullable(fixed)
        made |= {"type": "object", "properties": properties, "required": list(properties)}
        made["additionalProperties"] = False
    for key in ("items", "anyOf", "$defs"):
        if key in node:
            inner = node[key]
            if isinstance(inner, Mapping) and key == "$defs":
                parts: Any = {k: _strict(v) for k, v in inner.items()}
                bad = None in parts.values()
            elif isinstance(inner, list):
                parts = [_strict(v) for v in inner]
                bad = None in parts
            else:
                parts = _strict(inner)
                bad = parts is None
            if bad:
                return None
            made[key] = parts
    if node and not ({"type", "anyOf", "$ref", "enum", "const", "properties"} & set(node)):
        return None
    return made


def _nullable(node: Any) -> dict[str, Any]:
    kind = node.get("type")
    if isinstance(kind, list):
        return node if "null" in kind else {**node, "type": [*kind, "null"]}
    if kind == "null" or any(isinstance(n, Mapping) and n.get("type") == "null" for n in node.get("anyOf", ())):
        return dict(node)
    return {"anyOf": [node, {"type": "null"}]}


def without_nulls(args: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments without the nulls that stand for what strict mode would not let the model leave out."""
    properties, required = schema.get("properties"), schema.get("required") or ()
    if not isinstance(properties, Mapping):
        return args
    return {k: v for k, v in args.items() if v is not None or k in required or k not in properties}


def bounded(node: Any) -> Any:
    """A schema under which any answer ends: strings and lists have a longest length.

    Patterns that grammars such as llama.cpp's cannot read are left out: the tool gateway validates all the same.
    """
    if isinstance(node, list):
        return [bounded(n) for n in node]
    if not isinstance(node, Mapping):
        return node
    made: dict[str, Any] = {}
    for key, given in node.items():
        if key in ("properties", "$defs") and isinstance(given, Mapping):
            made[key] = {n: bounded(v) for n, v in given.items()}
        elif key not in ("default", "examples", "title", "format"):
            made[key] = given if key in ("enum", "const", "required") else bounded(given)
    pattern = made.get("pattern")
    if pattern is not None and not (isinstance(pattern, str) and _PLAIN_PATTERN.fullmatch(pattern)):
        del made["pattern"]
    kind = made.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    if "string" in kinds and not {"enum", "const", "pattern"} & set(made):
        made["maxLength"] = min(int(made.get("maxLength") or _LONG), _LONG)
    if "array" in kinds:
        made["maxItems"] = min(int(made.get("maxItems") or _MANY), _MANY)
    if "object" in kinds and "properties" in made:
        made.setdefault("additionalProperties", False)
    return made


def catalogue(tools: Sequence[Mapping[str, Any]]) -> str:
    """The tools in words, one a paragraph: name, description, JSON Schema of the arguments."""
    lines = []
    for tool in tools:
        function = tool.get("function", tool)
        schema = json.dumps(parameters_of(tool), ensure_ascii=False, separators=(",", ":"))
        lines.append(f"- {function['name']}: {function.get('description', '')}\n  arguments: {schema}")
    return "\n".join(lines)
