"""JSON Schema as models' endpoints take it: without references, plain or strict."""

from __future__ import annotations

from typing import Any


def inline(schema: dict[str, Any]) -> dict[str, Any]:
    """Resolve `$defs` in place (many endpoints do not follow references) and drop pydantic's titles."""
    definitions = schema.get("$defs", {})

    def walk(node: Any, depth: int) -> Any:
        if depth > 24:
            return {}
        if isinstance(node, list):
            return [walk(n, depth + 1) for n in node]
        if not isinstance(node, dict):
            return node
        if ref := node.get("$ref"):
            target = definitions.get(str(ref).rsplit("/", 1)[-1], {})
            return walk({**target, **{k: v for k, v in node.items() if k != "$ref"}}, depth + 1)
        return {
            k: ({n: walk(p, depth + 1) for n, p in v.items()} if k == "properties" else walk(v, depth + 1))
            for k, v in node.items()
            if k != "$defs" and not (k == "title" and isinstance(v, str))
        }

    result: dict[str, Any] = walk(schema, 0)
    result.setdefault("properties", {})
    return result


def without_labels(node: Any) -> Any:
    """The schema without what is for code only: keys that begin with `x-`."""
    if isinstance(node, list):
        return [without_labels(n) for n in node]
    if not isinstance(node, dict):
        return node
    return {
        k: {n: without_labels(p) for n, p in v.items()}
        if k == "properties" and isinstance(v, dict)
        else without_labels(v)
        for k, v in node.items()
        if not k.startswith("x-")
    }


def strict_form(node: Any) -> Any:
    """OpenAI's strict form: every property required, optional ones nullable, unsupported keywords dropped."""
    if isinstance(node, list):
        return [strict_form(n) for n in node]
    if not isinstance(node, dict):
        return node
    dropped = {"default", "format", "minLength", "maxLength", "examples", "uniqueItems"}
    out = {k: strict_form(v) for k, v in node.items() if k not in dropped and k != "properties"}
    if "properties" in node:
        required = set(node.get("required", ()))
        out["properties"] = {
            n: strict_form(p) if n in required else _nullable(strict_form(p)) for n, p in node["properties"].items()
        }
        out["required"] = list(node["properties"])
        out["additionalProperties"] = False
    return out


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    options = schema.get("anyOf")
    if options is not None:
        return schema if {"type": "null"} in options else {**schema, "anyOf": [*options, {"type": "null"}]}
    if isinstance(schema.get("type"), str) and "enum" not in schema:
        return {**schema, "type": [schema["type"], "null"]}
    text = schema.get("description")
    return {"anyOf": [schema, {"type": "null"}], **({"description": text} if text else {})}
