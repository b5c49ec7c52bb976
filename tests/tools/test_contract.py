"""A tool is made from a typed function, and its schema is what endpoints take."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from signoff import Change, Example, Preview, Risk, tool
from signoff.errors import ConfigError
from signoff.tools.registry import Registry


class Guest(BaseModel):
    """Somebody invited."""

    name: str
    seats: int = 1


def preview(**_: Any) -> Preview:
    return Preview("Book a room", [Change("room", None, "Oak")])


@tool(
    risk="write",
    injects=("caller", "clock"),
    preview=preview,
    examples=[Example("Book Oak for Ann", {"room_id": "R-1", "guests": [{"name": "Ann"}]})],
)
def book_room(
    room_id: Annotated[str, Field(pattern=r"^R-\d+$")],
    guests: list[Guest],
    caller: Any,
    clock: Any,
    kind: Literal["talk", "meal"] = "talk",
    deposit: Annotated[Decimal, Field(ge=0)] | None = None,
) -> dict[str, Any]:
    """Books a room.

    Not for desks.

    Args:
        room_id: The room's number,
            as on its door.
        guests: Who comes.
    """
    return {}


def test_the_schema_comes_from_the_signature() -> None:
    spec = book_room.schema()["function"]
    parameters = spec["parameters"]
    assert set(parameters["properties"]) == {"room_id", "guests", "kind", "deposit"}
    assert parameters["required"] == ["room_id", "guests"]
    assert parameters["additionalProperties"] is False
    assert parameters["properties"]["kind"]["enum"] == ["talk", "meal"]
    assert parameters["properties"]["room_id"] == {
        "type": "string",
        "pattern": r"^R-\d+$",
        "description": "The room's number, as on its door.",
    }
    assert parameters["properties"]["guests"]["items"]["required"] == ["name"]
    assert "$ref" not in str(parameters) and "$defs" not in str(parameters)
    assert spec["description"].startswith("Books a room. Not for desks.")
    assert '"Book Oak for Ann"' in spec["description"]


def test_the_strict_schema_requires_everything_and_makes_optional_things_nullable() -> None:
    function = book_room.schema(strict=True)["function"]
    parameters = function["parameters"]
    assert function["strict"] is True

    def check(node: Any) -> None:
        if isinstance(node, dict):
            if "properties" in node:
                assert node["required"] == list(node["properties"])
                assert node["additionalProperties"] is False
            assert "default" not in node
            for child in node.values():
                check(child)
        elif isinstance(node, list):
            for child in node:
                check(child)

    check(parameters)
    assert {"type": "null"} in parameters["properties"]["kind"]["anyOf"]


def test_identifiers_are_found_by_their_names() -> None:
    assert book_room.identifiers == {"room_id"}


def _undocumented(x: str) -> None: ...


def _untyped(x) -> None:  # type: ignore[no-untyped-def]
    """Does."""


def _starred(*xs: str) -> None:
    """Does."""


def _plain(x: str) -> None:
    """Does."""


@pytest.mark.parametrize(
    ("fn", "options", "why"),
    [
        (_undocumented, {}, "docstring"),
        (_untyped, {}, "no type"),
        (_starred, {}, "named"),
        (_plain, {"risk": "write"}, "preview"),
        (_plain, {"injects": ["user"]}, "injects"),
        (_plain, {"injects": ["caller"]}, "no such parameter"),
        (_plain, {"name": "not a name"}, "letters"),
    ],
)
def test_a_function_that_cannot_be_a_tool_is_refused_with_the_reason(fn: Any, options: Any, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        tool(**options)(fn)


def test_two_tools_of_one_name_are_an_error() -> None:
    with pytest.raises(ConfigError, match="book_room"):
        Registry([book_room, book_room])
    assert book_room.risk is Risk.WRITE
