"""A server's JSON Schema as a closed pydantic model: shown to models word for word, enforced by `jsonschema`."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model, model_serializer, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError, SchemaError, SchemaValidator, core_schema

from signoff.errors import ConfigError
from signoff.text import shorten
from signoff.tools.contract import INJECTABLE
from signoff.tools.mcp.references import written_out

_PLAIN = re.compile(r"[^\W\d_][\w-]*")
_MOST_ERRORS = 5
REST = "further_arguments"
"""The field that holds the arguments of a schema which names no end of them."""


class Arguments(BaseModel):
    """Base of the models that `arguments_model` makes. Dumps the arguments under the server's own names."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    shown: ClassVar[dict[str, Any]] = {}
    names: ClassVar[dict[str, str]] = {}
    """Fields by the server's name of the parameter."""
    required: ClassVar[frozenset[str]] = frozenset()
    rest: ClassVar[bool] = False
    errors_in: ClassVar[Callable[[Mapping[str, Any]], list[InitErrorDetails]]]

    @model_validator(mode="before")
    @classmethod
    def _by_schema(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        named = {k: v for k, v in given.items() if k in cls.names}
        more = {k: v for k, v in given.items() if k not in cls.names}
        wrong = (
            [] if cls.rest else [InitErrorDetails(type="extra_forbidden", loc=(k,), input=v) for k, v in more.items()]
        )
        wrong += cls.errors_in({k: v for k, v in given.items() if k in cls.names or cls.rest})
        if wrong:
            raise ValidationError.from_exception_data(cls.__name__, wrong[:_MOST_ERRORS])
        return {**named, REST: more} if cls.rest else named

    @model_serializer(mode="plain")
    def _under_the_servers_names(self) -> dict[str, Any]:
        return self.given({n: getattr(self, n) for n in type(self).model_fields})

    @classmethod
    def given(cls, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments as the server is sent them, from field values; what was not given is left out."""
        named = {n: fields[f] for n, f in cls.names.items() if fields[f] is not None or n in cls.required}
        return {**named, **(fields[REST] if cls.rest else {})}

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The server's own schema, without references."""
        return copy.deepcopy(cls.shown)


def arguments_model(label: str, schema: Mapping[str, Any]) -> type[Arguments]:
    """The model of a tool's arguments. Raises `ConfigError`, without a subject, for a schema that is none."""
    from jsonschema import exceptions, validators  # type: ignore[import-untyped]

    if not isinstance(schema, Mapping) or schema.get("type", "object") != "object":
        raise ConfigError("its schema is not of an object")
    shown = written_out(schema)
    dialect = validators.validator_for(schema, default=validators.Draft202012Validator)
    try:
        dialect.check_schema(dict(schema))
    except (exceptions.SchemaError, RecursionError) as error:
        raise ConfigError(f"its schema is not valid: {shorten(getattr(error, 'message', 'too deep'), 160)}") from None
    required = frozenset(r for r in schema.get("required", ()) if isinstance(r, str))
    properties = _properties(shown)
    check = _checker(dialect, dict(schema))
    names: dict[str, str] = {}
    fields: dict[str, Any] = {}
    for i, (name, of) in enumerate(properties.items()):
        plain = _PLAIN.fullmatch(name) and not name.startswith("model_") and not hasattr(BaseModel, name)
        at = name if plain and name not in INJECTABLE | {REST} else f"argument_{i}"
        names[name] = at
        default: Any = ... if name in required else _default(of, dialect)
        fields[at] = (Any, Field(default, alias=None if at == name else name))
    rest = bool(schema.get("additionalProperties"))
    if rest:
        fields[REST] = (dict[str, Any], Field(default_factory=dict))
    model: type[Arguments] = create_model(label, __base__=Arguments, **fields)
    model.shown, model.names, model.required, model.rest, model.errors_in = shown, names, required, rest, check
    return model


def _properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that a schema names, those of its alternatives too."""
    found = dict(schema["properties"]) if isinstance(schema.get("properties"), Mapping) else {}
    for key in ("allOf", "anyOf", "oneOf", "then", "else"):
        branches = schema.get(key, ())
        for branch in branches if isinstance(branches, list) else [branches]:
            if isinstance(branch, Mapping):
                found = {**_properties(branch), **found}
    for name in schema.get("required", ()):
        found.setdefault(name, {})
    return found


def _default(of: Any, dialect: Any) -> Any:
    """A parameter's own default, where it is one that the server would take."""
    if not isinstance(of, Mapping) or of.get("default") is None or _checker(dialect, dict(of))(of["default"]):
        return None
    return copy.deepcopy(of["default"])


def _checker(dialect: Any, schema: dict[str, Any]) -> Callable[[Any], list[InitErrorDetails]]:
    from jsonschema import exceptions
    from referencing import Registry

    # An empty registry: a reference to another document is never fetched.
    validator = _linear(dialect)(schema, registry=Registry())

    def check(given: Any) -> list[InitErrorDetails]:
        try:
            found = sorted(validator.iter_errors(given), key=lambda e: list(map(str, e.absolute_path)))
        except Exception:
            # A schema that cannot be followed, such as one that refers to itself without end.
            return [InitErrorDetails(type=PydanticCustomError("schema", "cannot be checked"), loc=(), input=None)]
        wrong = []
        for error in found[:_MOST_ERRORS]:
            deepest = exceptions.best_match([error]) or error
            loc = tuple(deepest.absolute_path)
            if deepest.validator == "required":
                missing = next((r for r in deepest.validator_value if r not in deepest.instance), "")
                wrong.append(InitErrorDetails(type="missing", loc=(*loc, missing), input=None))
                continue
            said = shorten(deepest.message, 200)
            wrong.append(InitErrorDetails(type=PydanticCustomError("schema", said), loc=loc, input=deepest.instance))
        return wrong

    return check


@lru_cache(maxsize=16)
def _linear(dialect: Any) -> Any:
    """The dialect with patterns, which are a server's own, matched in linear time: `re` does not promise that."""
    from jsonschema import validators

    return validators.extend(dialect, {"pattern": _pattern, "patternProperties": _pattern_properties})


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> SchemaValidator | None:
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError:
        # Look-around and back-references are left to the server.
        return None


def _matches(pattern: str, text: str) -> bool:
    compiled = _compiled(pattern)
    return compiled is None or compiled.isinstance_python(text)


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[Any]:
    from jsonschema import exceptions

    if isinstance(instance, str) and not _matches(pattern, instance):
        yield exceptions.ValidationError(f"does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Mapping[str, Any], instance: Any, _: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    for pattern, of in patterns.items():
        for key, value in instance.items():
            if _compiled(pattern) is not None and _matches(pattern, key):
                yield from validator.descend(value, of, path=key, schema_path=pattern)
