"""A server's JSON Schema as our arguments: shown as it is, enforced as it says, closed."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from signoff.errors import ConfigError
from signoff.tools.mcp.arguments import arguments_model

NESTED = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {
        "who": {"$ref": "#/definitions/person", "description": "Whose it is."},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1},
        "size": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
        "how": {"oneOf": [{"const": "fast"}, {"type": "object", "required": ["s"]}]},
        "limit": {"type": "integer", "default": 10},
    },
    "required": ["who"],
    "definitions": {
        "person": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "boss": {"$ref": "#/definitions/person"}},
            "required": ["name"],
            "additionalProperties": False,
        }
    },
}


def accepted(schema: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    return arguments_model("t", schema).model_validate(value).model_dump(mode="json")


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ({"who": {"name": "x"}}, {"who": {"name": "x"}, "limit": 10}),
        (
            {"who": {"name": "x", "boss": {"name": "y"}}, "limit": 3},
            {"who": {"name": "x", "boss": {"name": "y"}}, "limit": 3},
        ),
        ({"who": {"name": "x"}, "tags": ["a", "b"], "size": 2, "how": "fast"}, None),
        ({"who": {"name": "x"}, "how": {"s": 1}, "size": None}, {"who": {"name": "x"}, "how": {"s": 1}, "limit": 10}),
    ],
)
def test_what_fits_the_schema_is_sent_as_it_was_given(value: dict[str, Any], sent: dict[str, Any] | None) -> None:
    assert accepted(NESTED, value) == (sent if sent is not None else {**value, "limit": 10})


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({}, ("who",)),
        ({"who": {}}, ("who", "name")),
        ({"who": {"name": 1}}, ("who", "name")),
        ({"who": {"name": "x", "boss": {"nme": "y"}}}, ("who", "boss", "name")),
        ({"who": {"name": "x"}, "tags": []}, ("tags",)),
        ({"who": {"name": "x"}, "tags": ["c"]}, ("tags", 0)),
        ({"who": {"name": "x"}, "size": 0}, ("size",)),
        ({"who": {"name": "x"}, "how": {}}, ("how", "s")),
        ({"who": {"name": "x"}, "surprise": 1}, ("surprise",)),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(value: dict[str, Any], where: tuple[Any, ...]) -> None:
    with pytest.raises(ValidationError) as wrong:
        accepted(NESTED, value)
    assert where in {e["loc"] for e in wrong.value.errors()}


def test_the_model_is_shown_the_servers_schema_without_references() -> None:
    shown = arguments_model("t", NESTED).model_json_schema()
    assert "$ref" not in json.dumps(shown)
    assert shown["required"] == ["who"]
    assert shown["properties"]["tags"] == NESTED["properties"]["tags"]
    assert shown["properties"]["who"]["description"] == "Whose it is."
    assert shown["properties"]["who"]["properties"]["name"] == {"type": "string"}


def test_names_that_python_or_pydantic_would_not_have_are_kept() -> None:
    names = ["first-name", "_hidden", "class", "json", "model_config", "call", "caller", "a b", "名字", "", "$x", "1st"]
    schema = {"type": "object", "properties": {n: {"type": "string"} for n in names}, "required": names}
    value = {n: n for n in names}
    assert accepted(schema, value) == value


def test_a_null_that_is_required_is_sent_and_one_that_is_not_is_left_out() -> None:
    null = {"type": ["string", "null"]}
    schema = {"type": "object", "properties": {"a": null, "b": null}, "required": ["a"]}
    assert accepted(schema, {"a": None, "b": None}) == {"a": None}


def test_further_arguments_are_taken_only_where_the_schema_says_so() -> None:
    schema = {"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "integer"}}
    assert accepted(schema, {"a": "x", "b": 1}) == {"a": "x", "b": 1}
    with pytest.raises(ValidationError):
        accepted(schema, {"b": "x"})


def test_parameters_of_alternatives_are_parameters() -> None:
    schema = {
        "type": "object",
        "oneOf": [
            {"properties": {"id": {"type": "string"}}, "required": ["id"]},
            {"properties": {"name": {"type": "string"}}, "required": ["name"]},
        ],
    }
    assert accepted(schema, {"id": "x"}) == {"id": "x"}
    for wrong in ({}, {"id": "x", "name": "y"}, {"other": 1}):
        with pytest.raises(ValidationError):
            accepted(schema, wrong)


def test_a_default_that_the_schema_itself_refuses_is_not_sent() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "default": "ten"}, "b": {"default": None}}}
    assert accepted(schema, {}) == {}


def test_a_servers_pattern_is_matched_in_linear_time() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
    assert accepted(schema, {"a": "aaa"}) == {"a": "aaa"}
    with pytest.raises(ValidationError):
        accepted(schema, {"a": "a" * 60_000 + "b"})


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "string"}, "not of an object"),
        ({"type": "object", "properties": {"a": {"type": "strange"}}}, "not valid"),
        ({"type": "object", "properties": {"a": {"$ref": "https://evil.example/s.json"}}}, "another document"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}}, "which is not in it"),
    ],
)
def test_a_schema_that_is_none_is_refused_in_words(schema: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        arguments_model("t", schema)


def test_a_schema_that_is_endless_or_huge_does_not_hang() -> None:
    loop = {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}}
    with pytest.raises(ValidationError):
        accepted(loop, {"a": 1})
    deep: dict[str, Any] = {}
    for _ in range(200):
        deep = {"type": "object", "properties": {"x": deep}}
    with pytest.raises(ConfigError, match="too deep"):
        arguments_model("t", deep)
    wide = {f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 4} for i in range(30)}
    with pytest.raises(ConfigError, match="too deep or too large"):
        arguments_model(
            "t", {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {**wide, "d30": {}}}
        )


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=6), VALUES, max_size=5))
def test_any_value_of_any_named_parameter_comes_out_as_it_went_in(value: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": {n: {} for n in value}, "required": list(value)}
    model = arguments_model("t", schema).model_validate(value)
    assert model.model_dump(mode="json") == value
    assert type(model).given({n: getattr(model, n) for n in type(model).model_fields}) == value


@settings(deadline=None)
@given(VALUES, VALUES)
def test_no_arguments_and_no_schema_raise_anything_else(schema: Any, value: Any) -> None:
    with suppress(ConfigError, ValidationError):
        arguments_model("t", {"type": "object", "properties": {"a": schema}}).model_validate({"a": value})
