"""Whether a value has the form that a JSON Schema (inlined) asks for, and the parts a schema has."""

from __future__ import annotations

import math
import re
from datetime import datetime, time
from functools import lru_cache
from typing import Any

DEPTH = 32
"""Levels of a value, or a schema, that are looked at."""
_LONGEST = 1_000


def named(value: Any) -> dict[str, dict[str, Any]]:
    """The schemas of an object's properties."""
    return {k: v for k, v in value.items() if isinstance(v, dict)} if isinstance(value, dict) else {}


def listed(value: Any) -> list[dict[str, Any]]:
    """The schemas of a list's first items."""
    return [v if isinstance(v, dict) else {} for v in value] if isinstance(value, list) else []


def nullable(option: dict[str, Any]) -> bool:
    """Whether a plain schema is that of null."""
    return option.get("type") == "null"


def choices(schema: dict[str, Any], depth: int = 0) -> list[dict[str, Any]]:
    """The plain schemas of which one must fit, each with the description of what it is in."""
    about = {k: schema[k] for k in ("description",) if k in schema}
    for word in ("anyOf", "oneOf"):
        if isinstance(given := schema.get(word), list) and depth < 4:
            inner = [c for c in given if isinstance(c, dict)]
            return [o for c in inner for o in choices({**about, **c}, depth + 1)] or [{}]
    if isinstance(kinds := schema.get("type"), list):
        return [{**schema, "type": kind} for kind in kinds] or [{}]
    return [schema]


_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str, "integer": (int, float), "number": (int, float), "boolean": bool, "array": list, "object": dict,
    "null": type(None),
}  # fmt: skip


def fits(value: Any, schema: dict[str, Any], depth: int = 0) -> bool:
    """Whether a value has the schema's form. Bounds and lengths are left to validation."""
    if depth > DEPTH:
        return True
    if "const" in schema:
        return _same(value, schema["const"])
    if isinstance(allowed := schema.get("enum"), list):
        return any(_same(value, a) for a in allowed)
    if any(isinstance(schema.get(word), list) for word in ("anyOf", "oneOf")) or isinstance(schema.get("type"), list):
        return any(fits(value, o, depth + 1) for o in choices(schema))
    kind = schema.get("type")
    expected = _TYPES.get(kind) if isinstance(kind, str) else None
    if expected is None:
        return True
    if not isinstance(value, expected) or (isinstance(value, bool) and kind != "boolean"):
        return False
    match value:
        case float() if kind == "integer":
            return math.isfinite(value) and value == int(value)
        case str():
            return _formed(value, schema)
        case list():
            first, rest = listed(schema.get("prefixItems")), schema.get("items")
            inner = [first[i] if i < len(first) else rest if isinstance(rest, dict) else {} for i in range(len(value))]
            return all(fits(v, s, depth + 1) for v, s in zip(value, inner, strict=True))
        case dict():
            properties, more = named(schema.get("properties")), schema.get("additionalProperties")
            if any(name not in value for name in schema.get("required") or ()):
                return False
            if more is False and any(name not in properties for name in value):
                return False
            others = more if isinstance(more, dict) else {}
            return all(fits(v, properties.get(k, others), depth + 1) for k, v in value.items())
    return True


def _same(value: Any, allowed: Any) -> bool:
    return type(value) is type(allowed) and bool(value == allowed)


def _formed(text: str, schema: dict[str, Any]) -> bool:
    pattern = schema.get("pattern")
    # Validation looks for patterns in time that grows with the text; `re` may not, so long text is left to it.
    if (
        isinstance(pattern, str)
        and len(text) <= _LONGEST
        and (rule := _compiled(pattern)) is not None
        and not rule.search(text)
    ):
        return False
    try:
        match schema.get("format"):
            case "date":
                # A midnight is a date too.
                whole = datetime.fromisoformat(text)
                return re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is not None and whole.time() == time()
            case "date-time":
                datetime.fromisoformat(text)
                return re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is not None
            case "time":
                time.fromisoformat(text)
                return ":" in text
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1_000)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern)
    except re.error:
        return None
