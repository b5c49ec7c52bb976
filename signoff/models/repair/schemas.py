"""The tools that were offered: their names, their parameters, and what an untyped text means as one of these."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from signoff.models.repair.literals import Unreadable, literal, strict

_NAME = re.compile(r"[^\W\d][\w.\-/:]{0,127}")
_PREFIX = re.compile(r"(?:functions?|tools?|default_api|api|multi_tool_use)[.:/]")
_SPACES = ("function", "functions", "tool", "tools", "defaultapi", "api", "multitooluse")
_NUMBERED = re.compile(r"[:#][0-9]{1,4}$")
_KINDS: tuple[tuple[str, type | tuple[type, ...]], ...] = (
    ("boolean", bool), ("integer", int), ("number", (int, float)), ("string", str), ("array", list),
    ("object", dict), ("null", type(None)),
)  # fmt: skip


class Offered:
    """The tools of a turn, name to JSON Schema of the arguments; `open` when none are known."""

    def __init__(self, tools: Mapping[str, Mapping[str, Any]]) -> None:
        self._tools = tools
        self.open = not tools
        self._styles: dict[str, list[str]] = {}
        for name in tools:
            self._styles.setdefault(_style(name), []).append(name)

    def find(self, said: str) -> str | None:
        """The offered tool that a name means: as it stands, without a namespace, or in another style of writing.

        Where no tools are known, any identifier is a name.
        """
        name = said.strip().strip("\"'`*“”‘’「」 ")
        if name in self._tools:
            return name
        bare = self.bare(name)
        if bare in self._tools:
            return bare
        if self.open:
            return bare if _NAME.fullmatch(bare) else None
        meant = self._styles.get(_style(bare), [])
        return meant[0] if len(meant) == 1 and len(bare) <= 128 else None

    def begins(self, said: str) -> bool:
        """Whether a name that is still being written may become one of an offered tool."""
        begun = _style(self.bare(said))
        return any(style.startswith(begun) for style in (*self._styles, *_SPACES, "print"))

    def bare(self, name: str) -> str:
        """A name without the namespace and the number that some formats put round it."""
        return name if name in self._tools else _NUMBERED.sub("", _PREFIX.sub("", name, count=1))

    def schema(self, name: str) -> Mapping[str, Any]:
        """The schema of a tool's arguments; empty for one that is not known."""
        found = self._tools.get(self.find(name) or "")
        return found if isinstance(found, Mapping) else {}

    def properties(self, name: str) -> Mapping[str, Any]:
        """The schemas of a tool's parameters."""
        return _properties(self.schema(name))

    def required(self, name: str) -> list[str]:
        """The parameters that a tool must have."""
        given = self.schema(name).get("required")
        return [r for r in given if isinstance(r, str)] if isinstance(given, list) else []

    def only(self, name: str) -> str | None:
        """The one parameter that a value without a name can be meant for."""
        names = self.required(name) or list(self.properties(name))
        return names[0] if len(names) == 1 else None

    def complete(self, name: str, keys: Iterable[str]) -> bool:
        """Whether nothing can be missing: every parameter of a known tool is given."""
        properties = self.properties(name)
        return bool(properties) and set(properties) <= set(keys)

    def fits(self, name: str, args: Mapping[str, Any]) -> bool:
        """Whether the arguments are a call of this tool by their names, strictly: for forms an answer may have too."""
        found = self.find(name)
        if found is None or found not in self._tools:
            return False
        schema, properties = self.schema(found), self.properties(found)
        if not args:
            return not self.required(found)
        more = schema.get("additionalProperties")
        known = {_style(p) for p in properties}
        return all(_style(k) in known for k in args) or (not properties and bool(more or "properties" not in schema))

    def typed(self, name: str, key: str, text: str) -> Any:
        """A parameter's text as the value that its schema asks for."""
        schema = self.schema(name)
        properties = _properties(schema)
        inner = properties.get(key)
        if inner is None:
            inner = next((s for p, s in properties.items() if _style(p) == _style(key)), None)
        return typed(text, inner, schema)


def typed(text: str, schema: Any, root: Mapping[str, Any]) -> Any:
    """The value that a text stands for under a schema.

    Text stays as it is where only text may stand; of other kinds the one that the text spells counts, and text
    again where none does. Without a schema JSON is read as JSON, and the rest is text.
    """
    kinds = kinds_of(schema, root)
    if kinds == {"string"}:
        return _listed(text, schema)
    bare = text.strip()
    if not kinds or kinds - {"string"}:
        read = _value(bare, kinds)
        if read is not None and (not kinds or _kind(read[0], kinds)):
            return read[0]
    return text if not kinds or "string" in kinds else bare


def kinds_of(schema: Any, root: Mapping[str, Any], depth: int = 0) -> set[str]:
    """The JSON types that a schema allows; empty for any."""
    if not isinstance(schema, Mapping) or depth > 8:
        return set()
    if isinstance(ref := schema.get("$ref"), str) and ref.startswith("#/"):
        target: Any = root
        for part in ref[2:].split("/"):
            target = target.get(part) if isinstance(target, Mapping) else None
        return kinds_of(target, root, depth + 1)
    given = schema.get("type")
    if isinstance(given, str | list):
        kinds = {given} if isinstance(given, str) else {k for k in given if isinstance(k, str)}
        return kinds | ({"null"} if schema.get("nullable") is True else set())
    for word in ("anyOf", "oneOf", "allOf"):
        if isinstance(options := schema.get(word), list) and options:
            inner = [kinds_of(o, root, depth + 1) for o in options]
            if word == "allOf":
                return next((i for i in inner if i), set())
            return set() if any(not i for i in inner) else set().union(*inner)
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(values, list) and values:
        return {next(k for k, t in _KINDS if isinstance(v, t)) for v in values if isinstance(v, object)}
    return {"object"} if isinstance(schema.get("properties"), Mapping) else set()


def part(schema: Any, root: Mapping[str, Any], key: str | None) -> Any:
    """The schema of a member of an object, or of the items of a list (`key` None)."""
    if isinstance(schema, Mapping):
        if isinstance(ref := schema.get("$ref"), str) and ref.startswith("#/"):
            target: Any = root
            for step in ref[2:].split("/"):
                target = target.get(step) if isinstance(target, Mapping) else None
            schema = target
        for option in [schema, *_options(schema)]:
            found = option.get("items") if key is None else _properties(option).get(key)
            if found is not None:
                return found
    return None


def _options(schema: Any) -> list[Mapping[str, Any]]:
    if not isinstance(schema, Mapping):
        return []
    return [o for w in ("anyOf", "oneOf", "allOf") for o in schema.get(w) or () if isinstance(o, Mapping)]


def _properties(schema: Any) -> Mapping[str, Any]:
    found = schema.get("properties") if isinstance(schema, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _kind(value: Any, kinds: set[str]) -> bool:
    if isinstance(value, bool):
        return "boolean" in kinds
    if isinstance(value, float) and "integer" in kinds and value.is_integer():
        return True
    return any(k in kinds and isinstance(value, t) for k, t in _KINDS if k not in ("boolean", "string"))


def _value(text: str, kinds: set[str]) -> tuple[Any] | None:
    """A value that is no text, in a tuple; None where the text spells none."""
    found = strict(text)
    if found is None and kinds:
        if text in ("True", "False", "None") or text.casefold() in ("true", "false", "null"):
            return ({"true": True, "false": False}.get(text.casefold()),)
        if text[:1] not in "{[":
            return None
        try:
            found = literal(text)
        except Unreadable:
            return None
        if found.unclosed:
            return None
    if found is None or found.end != len(text) or isinstance(found.value, str):
        return None
    return (found.value,)


def _listed(text: str, schema: Any) -> str:
    values = schema.get("enum") if isinstance(schema, Mapping) else None
    if isinstance(values, list) and text not in values and text.strip() in values:
        return text.strip()
    return text


def _style(name: str) -> str:
    return re.sub(r"[\s_.-]+", "", unicodedata.normalize("NFKC", name).casefold())
