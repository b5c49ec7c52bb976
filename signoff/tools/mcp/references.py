"""JSON Schema without references: `$ref` into the same document is written out, any other is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from signoff.errors import ConfigError

_DEPTH = 64
_NODES = 20_000
_MAPS = frozenset({"properties", "patternProperties", "dependentSchemas"})
_VALUES = frozenset({"const", "default", "enum", "examples"})


def written_out(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with every local reference replaced by what it refers to.

    A schema that contains itself is cut where it begins again: there, anything is admitted. Raises
    `ConfigError` for a reference to another document, for one that leads nowhere, and for a schema that is
    too deep or too large.
    """
    count = 0

    def walk(node: Any, within: tuple[str, ...], depth: int) -> Any:
        nonlocal count
        count += 1
        if depth > _DEPTH or count > _NODES:
            raise ConfigError("its schema is too deep or too large")
        if isinstance(node, list):
            return [walk(n, within, depth + 1) for n in node]
        if not isinstance(node, Mapping):
            return node
        ref = node.get("$ref", node.get("$dynamicRef"))
        if isinstance(ref, str):
            if ref in within:
                return {k: v for k, v in node.items() if k == "description"}
            target = _target(schema, ref)
            beside = {k: v for k, v in node.items() if k not in ("$ref", "$dynamicRef")}
            if not isinstance(target, Mapping):
                return target
            return walk({**target, **beside}, (*within, ref), depth + 1)
        return {
            k: {n: walk(p, within, depth + 1) for n, p in v.items()}
            if k in _MAPS and isinstance(v, Mapping)
            else v
            if k in _VALUES
            else walk(v, within, depth + 1)
            for k, v in node.items()
            if k not in ("$defs", "definitions", "$schema", "$id", "$anchor", "$dynamicAnchor", "$comment")
        }

    found: dict[str, Any] = walk(schema, (), 0)
    return found


def _target(schema: Mapping[str, Any], ref: str) -> Any:
    if not ref.startswith("#"):
        raise ConfigError("its schema refers to another document")
    node: Any = schema
    for part in ref[1:].split("/")[1:] if ref not in ("#", "#/") else ():
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(node, Mapping) and key in node:
            node = node[key]
        elif isinstance(node, list) and key.isdecimal() and int(key) < len(node):
            node = node[int(key)]
        else:
            raise ConfigError(f"its schema refers to {ref}, which is not in it")
    if ref.startswith("#") and ref not in ("#", "#/") and not ref.startswith("#/"):
        raise ConfigError(f"its schema refers to {ref}, which is not in it")
    return node
