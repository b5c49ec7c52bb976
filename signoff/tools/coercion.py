"""Arguments as a model wrote them, made what the schema asks for where only one thing can be meant."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any

from signoff.telemetry.redaction import redact
from signoff.text import shorten
from signoff.tools import notations
from signoff.tools.explanation import explain
from signoff.tools.shapes import DEPTH, choices, fits, listed, named, nullable

__all__ = ["LABELS", "coerce", "explain"]

LABELS = "x-labels"
"""Schema key with other words for the values of an enum: `{"high": ["高", "urgent"]}`."""

_UNREAD = object()
"""No reading was found, or more than one."""
_NULLS = ("null", "None")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SEPARATORS = re.compile(r"[,，、;；\n]")


def coerce(
    args: Mapping[str, Any], schema: Mapping[str, Any], *, today: date | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Arguments normalised by their JSON Schema (inlined), and a sentence for each change.

    Read where only one thing can be meant: numbers, truth values and dates in other notations (see `notations`),
    enum values in other spellings or by their `x-labels`, parameter names in another style, JSON text where an
    object or array belongs, one value where a list of such belongs, quotation marks round a value with a pattern,
    and `"null"` or `"None"` where null may stand. What the schema takes already stays as it is (but for that null),
    and what fits nothing too: validation then says so. Text stays text, so an identifier such as "00123" is never
    made a number. With `today`, the business date, words such as 明天 and yesterday are dates. Idempotent; never
    raises; the arguments given are not changed.
    """
    work = _Coercion(today)
    result = work.object(dict(args), dict(schema), "", 0)
    return result, work.notes


class _Coercion:
    def __init__(self, today: date | None) -> None:
        self._today = today
        self.notes: list[str] = []

    def object(self, value: dict[str, Any], schema: dict[str, Any], path: str, depth: int) -> dict[str, Any]:
        properties = named(schema.get("properties"))
        more = schema.get("additionalProperties")
        names = self._names(value, schema, properties, path) if properties else {}
        out: dict[str, Any] = {}
        for key, item in value.items():
            name = names.get(key, key)
            inner = properties.get(name, more if isinstance(more, dict) else None)
            place = f"{path}.{name}" if path else str(name)
            out[name] = item if inner is None else self.value(item, inner, place, depth + 1)
        return out

    def value(self, value: Any, schema: dict[str, Any], path: str, depth: int, labels: Any = None) -> Any:
        """The value as the schema takes it; notes what was changed."""
        if depth > DEPTH:
            return value
        labels = schema.get(LABELS, labels)
        options = choices(schema)
        meant = isinstance(value, str) and value in _NULLS and any(nullable(o) for o in options)
        if meant and not any(fits(value, o) for o in options if "enum" in o or "const" in o):
            return self._note(path, value, None)
        if isinstance(value, str) and (text := self._decimal(value, options, schema, path)) is not None:
            return self._note(path, value, text)
        if any(fits(value, o) for o in options):
            return self._inside(value, options, path, depth, labels)
        return self._read(value, [o for o in options if not nullable(o)], schema, path, depth, labels)

    def _inside(self, value: Any, options: list[dict[str, Any]], path: str, depth: int, labels: Any) -> Any:
        """A value that fits can hold what is only valid after a change of its own: whole numbers given as 3.0."""
        fitting = [o for o in options if fits(value, o)]
        if isinstance(value, float) and all(o.get("type") == "integer" for o in fitting):
            return self._note(path, value, int(value))
        if isinstance(value, dict | list) and len(fitting) == 1:
            return self._nested(value, fitting[0], path, depth, labels)
        return value

    def _read(
        self, value: Any, options: list[dict[str, Any]], schema: dict[str, Any], path: str, depth: int, labels: Any
    ) -> Any:
        found: list[tuple[Any, list[str]]] = []
        about = f"{path.rpartition('.')[2]} {schema.get('description', '')}"
        for option in options:
            trial = _Coercion(self._today)
            read = trial._as(value, option, path, depth, labels, about)
            # Of several readings only a whole one counts; the only one may be mended further by the model.
            if read is _UNREAD or (len(options) > 1 and not fits(read, option)):
                continue
            if not any(type(read) is type(other) and read == other for other, _ in found):
                found.append((read, trial.notes))
        if len(found) != 1:
            return value
        read, notes = found[0]
        self.notes += notes
        return read

    def _as(self, value: Any, schema: dict[str, Any], path: str, depth: int, labels: Any, about: str) -> Any:
        """The value read as one plain schema, or `_UNREAD`."""
        kind = schema.get("type")
        if "enum" in schema or "const" in schema:
            return self._changed(path, value, _label(value, schema, labels))
        if kind in ("object", "array") and isinstance(value, str) and value.strip()[:1] in ("{", "["):
            opened = _json(value)
            if isinstance(opened, dict if kind == "object" else list):
                self._note(path, value, opened)
                return self._nested(opened, schema, path, depth, labels)
        if (kind == "object" and isinstance(value, dict)) or (kind == "array" and isinstance(value, list)):
            return self._nested(value, schema, path, depth, labels)
        if kind == "array":
            return self._one(value, schema, path, depth, labels)
        return self._changed(path, value, self._plain(value, schema, about))

    def _nested(self, value: Any, schema: dict[str, Any], path: str, depth: int, labels: Any) -> Any:
        if depth >= DEPTH:
            return value
        if isinstance(value, dict):
            return self.object(value, schema, path, depth + 1)
        first, rest = listed(schema.get("prefixItems")), schema.get("items")
        out = []
        for i, item in enumerate(value):
            inner = first[i] if i < len(first) else rest if isinstance(rest, dict) else None
            out.append(item if inner is None else self.value(item, inner, f"{path}[{i}]", depth + 1, labels))
        return out

    def _one(self, value: Any, schema: dict[str, Any], path: str, depth: int, labels: Any) -> Any:
        """One value where a list belongs. Text with separators may be several, so it stays."""
        inner = schema.get("items")
        opened = _json(value) if isinstance(value, str) and value.strip().startswith("{") else None
        if isinstance(opened, dict):
            value = opened
        several = isinstance(value, str) and (_SEPARATORS.search(value) or value.strip().startswith("["))
        # In a list of lists it cannot be told which of them was left out.
        if value is None or not isinstance(inner, dict) or several or path.endswith("]"):
            return _UNREAD
        self._note(path, value, [value])
        item = self.value(value, inner, f"{path}[0]", depth + 1, labels)
        return [item] if any(fits(item, o) for o in choices(inner)) else _UNREAD

    def _plain(self, value: Any, schema: dict[str, Any], about: str) -> Any:
        match schema.get("type"), value:
            case "boolean", int() | float() if not isinstance(value, bool) and value in (0, 1):
                return bool(value)
            case "boolean", str() if (said := notations.truth(value)) is not None:
                return said
            case "integer", str() if (read := notations.number(value, about=about)) is not None:
                return int(read) if read == int(read) else _UNREAD
            case "number", str() if (read := notations.number(value, about=about)) is not None:
                return _number(read)
            case "string", _:
                return self._text(value, schema)
        return _UNREAD

    def _text(self, value: Any, schema: dict[str, Any]) -> Any:
        form = schema.get("format")
        text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if form in ("date", "date-time", "time") and isinstance(text, str) and len(text) <= 100:
            read: Any
            if form == "date":
                read = notations.day(text, today=self._today)
            elif form == "time":
                read = notations.clock_time(text)
            else:
                read = notations.moment(text, today=self._today)
            return _UNREAD if read is None else read if isinstance(read, str) else read.isoformat()
        if isinstance(value, str):
            bare = notations.unquoted(value)
            if bare != value and fits(bare, schema):
                return bare
        return _UNREAD

    def _decimal(self, value: str, options: list[dict[str, Any]], schema: dict[str, Any], path: str) -> str | None:
        """A number for a decimal, whose schema is that of a number or, second, any text: kept as text, which is exact.

        What such a parameter takes as it is stays as it is.
        """
        kinds = [o.get("type") for o in options if not nullable(o)]
        if kinds != ["number", "string"] or _DECIMAL.fullmatch(value):
            return None
        read = notations.number(value, about=f"{path.rpartition('.')[2]} {schema.get('description', '')}")
        return None if read is None else f"{read:f}"

    def _names(
        self, value: dict[str, Any], schema: dict[str, Any], properties: dict[str, dict[str, Any]], path: str
    ) -> dict[str, str]:
        """Given names that are a parameter's in another style, where only one is meant and none is given."""
        required = schema.get("required")
        closed = schema.get("additionalProperties") is False
        meant: dict[str, list[str]] = {}
        for key in value:
            if isinstance(key, str) and key not in properties and len(key) <= 100:
                meant.setdefault(_name(key), []).append(key)
        names: dict[str, str] = {}
        if not meant:
            return names
        styles: dict[str, list[str]] = {}
        for name in properties:
            styles.setdefault(_name(name), []).append(name)
        for style, keys in meant.items():
            targets = styles.get(style, [])
            if len(keys) != 1 or len(targets) != 1 or targets[0] in value:
                continue
            # Where more properties are allowed, a name that is not known is valid as it is.
            if closed or (isinstance(required, list) and targets[0] in required):
                names[keys[0]] = targets[0]
                self.notes.append(redact(f"{path}{'.' if path else ''}{shorten(keys[0], 60)} read as {targets[0]}"))
        return names

    def _changed(self, path: str, value: Any, read: Any) -> Any:
        return read if read is _UNREAD else self._note(path, value, read)

    def _note(self, path: str, value: Any, read: Any) -> Any:
        self.notes.append(redact(f"{shorten(path, 80)}: {_shown(value)} read as {_shown(read)}"))
        return read


def _shown(value: Any) -> str:
    try:
        text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return shorten(text, 60)


def _number(read: Decimal) -> int | float | object:
    number = int(read) if read == int(read) and "." not in str(read) else float(read)
    return number if math.isfinite(number) else _UNREAD


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _name(name: str) -> str:
    return re.sub(r"[\s_-]+", "", unicodedata.normalize("NFKC", name).casefold())


def _spelling(value: Any) -> str:
    return re.sub(r"[\s_\-]+", "", notations.folded(str(value)))


def _label(value: Any, schema: dict[str, Any], labels: Any) -> Any:
    """The one value of an enum that is meant: by its own spelling, by its labels, or by those in the description."""
    allowed = [schema["const"]] if "const" in schema else schema["enum"]
    if not isinstance(value, str | int) or isinstance(value, bool) or not isinstance(allowed, list):
        return _UNREAD
    if len(said := _spelling(value)) > 100 or not said:
        return _UNREAD
    own = [a for a in allowed if isinstance(a, str | int) and not isinstance(a, bool) and _spelling(a) == said]
    if not own:
        known = dict(labels) if isinstance(labels, dict) else {}
        told = str(schema.get("description", ""))
        own = [
            a
            for a in allowed
            if isinstance(a, str)
            and any(said == _spelling(label) for label in (*_listed(known.get(a)), *_described(a, told)))
        ]
    return own[0] if len(own) == 1 else _UNREAD


def _listed(labels: Any) -> list[Any]:
    return labels if isinstance(labels, list) else [labels] if isinstance(labels, str) else []


@lru_cache(maxsize=1_000)
def _described(value: str, description: str) -> tuple[str, ...]:
    """Labels that a description gives behind a value, as in `high (高)`."""
    return tuple(re.findall(rf"(?<![\w-]){re.escape(value)}\s?[(（]([^()（）]{{1,40}})[)）]", description))
