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
_EXAMPLE = re.compile(r'(?m)^Example: ".*" -> \{.*\}[ \t]*\n?')
"""An example of use, as tools write them into their descriptions."""
_OF_OBJECTS = {"type", "properties", "required", "additionalProperties", "title", "description"}
_IN_WORDS = {
    "type", "enum", "const", "anyOf", "items", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems",
    "maxItems", "format", "default", "description", "title", "examples",
}  # fmt: skip
"""What a line of words can say of an argument, or may leave to the tool's own check."""


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
    """The tools in words, one a paragraph: name, what it does, and its arguments, one a line."""
    return "\n".join(f"- {_name(t)}: {described(t)}\n{arguments(parameters_of(t))}".rstrip() for t in tools)


def listed(tools: Sequence[Mapping[str, Any]]) -> str:
    """The tools to choose among: name and what each does."""
    return "\n".join(f"- {_name(t)}: {described(t)}" for t in tools)


def described(tool: Mapping[str, Any]) -> str:
    """What a tool does, in its own words, without its examples of use.

    They are most of a description, a small machine reads a prompt slowly, and weak models take their values from them.
    """
    return _EXAMPLE.sub("", str(tool.get("function", tool).get("description", ""))).strip()


def arguments(schema: Mapping[str, Any]) -> str:
    """A tool's arguments in words, one a line; as JSON Schema where words do not say it all; nothing without any."""
    properties, required = schema.get("properties"), schema.get("required") or ()
    if not isinstance(properties, Mapping) or not properties:
        return ""
    kinds = {name: _kind(node) for name, node in properties.items()}
    if None in kinds.values() or set(schema) - _OF_OBJECTS:
        return "  arguments: " + json.dumps(_bare(schema), ensure_ascii=False, separators=(",", ":"))
    return "\n".join(
        f"  {name} ({kind}{', required' if name in required else ''}){_more(properties[name])}"
        for name, kind in kinds.items()
    )


def _name(tool: Mapping[str, Any]) -> str:
    return str(tool.get("function", tool)["name"])


def _kind(node: Any) -> str | None:
    """What an argument may be, in words; None where they would not say it all."""
    if not isinstance(node, Mapping) or set(node) - _IN_WORDS:
        return None
    if "enum" in node:
        return "one of " + ", ".join(json.dumps(v, ensure_ascii=False) for v in node["enum"])
    if "const" in node:
        return json.dumps(node["const"], ensure_ascii=False)
    if isinstance(given := node.get("anyOf"), list):
        # That it may be null says no more than that it may be left out.
        kinds = [_kind(n) for n in given if not (isinstance(n, Mapping) and n.get("type") == "null")]
        return None if None in kinds else " or ".join(str(k) for k in kinds)
    kind = node.get("type")
    if kind == "array":
        of = _kind(node.get("items", {}))
        return f"list of {of}" if of is not None else None
    if not isinstance(kind, str) or kind == "object":
        return None
    if "pattern" in node:
        kind += f" like {node['pattern']}"
    if "minimum" in node or "maximum" in node:
        kind += f" {node.get('minimum', '')}..{node.get('maximum', '')}"
    return kind


def _more(node: Mapping[str, Any]) -> str:
    """An argument's description, and its default where there is one that says something."""
    told = [str(node.get("description", "")).strip()]
    if node.get("default") not in (None, ""):
        told.append(f"Default: {json.dumps(node['default'], ensure_ascii=False)}.")
    words = " ".join(filter(None, told))
    return f": {words}" if words else ""


def _bare(node: Any) -> Any:
    """A schema without what only its maker needs."""
    if isinstance(node, list):
        return [_bare(n) for n in node]
    if not isinstance(node, Mapping):
        return node
    return {
        k: {n: _bare(v) for n, v in given.items()}
        if k in ("properties", "$defs") and isinstance(given, Mapping)
        else _bare(given)
        for k, given in node.items()
        if not (k == "title" and isinstance(given, str))
    }
