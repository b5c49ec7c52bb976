"""The lint says what makes tools unsafe or hard for models, and is silent about those that are sound."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from signoff import Example, tool
from signoff.embedding import packaged
from signoff.errors import UsageError
from signoff.tools.catalog import service_tools
from signoff.tools.catalog.finding import find_tools
from signoff.tools.contract import Preview, Tool
from signoff.tools.lint import RULES, Finding, Severity, leave_out, lint
from signoff.tools.parameter_rules import check, is_identity
from signoff.tools.registry import Registry

Text = Annotated[str, Field(max_length=50)]
BOTH = (Example("查库存", {"article": "a"}), Example("how many are left", {"article": "a"}))


class Person(BaseModel):
    """Somebody."""

    tenant_id: Annotated[str, Field(max_length=9, description="Where from.")]


def made(**options: Any) -> Any:
    return tool(**{"examples": BOTH, "name": "stock_level", **options})


@made()
def sound(article: Text) -> dict[str, Any]:
    """Says how many pieces of an article are in the warehouse. Not for prices.

    Args:
        article: The article's number, such as K-12.
    """
    return {}


@made()
def asks_who(article: Text, user_id: Text) -> dict[str, Any]:
    """Says how many pieces of an article are in the warehouse. Not for prices.

    Args:
        article: The article's number.
        user_id: Who asks.
    """
    return {}


@made(examples=())
def asks_whom(people: list[Person]) -> dict[str, Any]:
    """Invites people to the stock-taking. Not for meetings.

    Args:
        people: Who is invited.
    """
    return {}


@made(examples=[Example("how many K-12", {"item": "K-12"}), Example("还有多少", {})])
def wrong_examples(article: Text) -> dict[str, Any]:
    """Says how many pieces of an article are in the warehouse. Not for prices.

    Args:
        article: The article's number.
    """
    return {}


@made(examples=[Example("还有多少 K-12", {"article": "K-12"})])
def one_language(article: Text) -> dict[str, Any]:
    """Says how many pieces of an article are in the warehouse. Not for prices.

    Args:
        article: The article's number.
    """
    return {}


@made(examples=())
def bare(article: str, unit: Literal["piece", "box"] = "piece") -> dict[str, Any]:
    """Stock."""
    return {}


@made()
def long_winded(article: Text) -> dict[str, Any]:
    """Says how many pieces of an article are in the warehouse. Not for prices.

    Args:
        article: The article's number.
    """
    return {}


def preview(**_: Any) -> Preview:
    return Preview("Order more")


@made(risk="draft", preview=preview, undo="no_such_tool")
def no_way_back(article: Text) -> dict[str, Any]:
    """Orders more of an article from the supplier. Not for one that is in stock.

    Args:
        article: The article's number.
    """
    return {}


LONG = replace(long_winded, description=long_winded.description + " It counts them." * 80)


def rules(*tools: Tool, **options: Any) -> list[tuple[str, str]]:
    return [(f.tool, f.rule) for f in lint(Registry(tools), **options)]


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        (sound, []),
        (asks_who, ["identity-parameter", "invalid-example", "invalid-example"]),
        (asks_whom, ["identity-parameter", "no-examples"]),
        (wrong_examples, ["invalid-example", "invalid-example"]),
        (one_language, ["one-language"]),
        (
            bare,
            ["no-examples", "short-description", "undocumented-parameter", "undescribed-enum", "unbounded-text"],
        ),
        (LONG, ["long-description"]),
        (no_way_back, ["no-undo", "no-reconcile"]),
    ],
    ids=["sound", "who", "whom", "examples", "language", "bare", "long", "draft"],
)
def test_each_rule_finds_what_it_is_for(subject: Tool, expected: list[str]) -> None:
    assert rules(subject) == [("stock_level", rule) for rule in expected]


def variant(name: str, description: str) -> Tool:
    return replace(sound, name=name, description=description)


def test_tools_are_compared_with_one_another() -> None:
    price = variant("price_of", "Says what an article costs today. Not for stock.")
    assert rules(sound, price) == []
    assert rules(sound, variant("stock_levels", price.description)) == [("stock_levels", "similar-name")]
    assert rules(sound, variant("stockLevel", price.description)) == [("stockLevel", "similar-name")]
    assert rules(sound, variant("price_of", "Says what an article costs.")) == [("price_of", "no-exclusion")]
    twin = variant("count_pieces", "Says how many pieces of an article the warehouse has. Never for prices.")
    assert rules(sound, price, twin) == [("count_pieces", "overlap")]


@pytest.mark.parametrize(
    "told", ["For reserved pieces use stock_level.", "已预留的请看 stock_level。", "(stock_level counts all of them.)"]
)
def test_tools_that_name_one_another_do_not_overlap(told: str) -> None:
    twin = variant("count_pieces", f"Says how many pieces of an article are in the warehouse. {told}")
    assert rules(sound, twin) == []


def test_meaning_finds_overlaps_across_languages() -> None:
    english = variant("order_status", "Tells the status of an order. Not for parcels.")
    twin = variant("look_at_order", "查询订单状态。不用于包裹。")
    price = variant("price_of", "查询某种商品今天卖多少钱。不用于订单。")
    assert rules(english, twin, price) == []
    assert rules(english, twin, price, encoder=packaged()) == [("look_at_order", "overlap")]


@pytest.mark.parametrize(
    "name",
    "user userId user_id user-name USER_ID uid tenant tenant_id tenantName company_tenant role roles user_role caller "
    "caller_id on_behalf_of onBehalfOf behalf_of owner owner_id requester act_as runAs impersonate "
    "用户 用户id 租户 角色".split(),
)
def test_names_that_say_who_is_asking_are_known(name: str) -> None:
    assert is_identity(name)


@pytest.mark.parametrize(
    "name",
    "order_id query customer_phone username_format users_file rolex ownership_type attendees to recipient assignee "
    "user_agent user_story caller_notes_x tenancy 订单号 用户评价 __ name account_id".split(),
)
def test_names_of_things_are_not_taken_for_people(name: str) -> None:
    assert is_identity(name) == (name == "caller_notes_x")


@pytest.mark.parametrize(
    ("spec", "bounded"),
    [
        ({"type": "string"}, False),
        ({"type": "string", "maxLength": 5}, True),
        ({"type": "string", "enum": ["a"]}, True),
        ({"type": "string", "const": "a"}, True),
        ({"type": "string", "format": "date"}, True),
        ({"type": "string", "format": "email"}, False),
        ({"type": "string", "pattern": r"^[A-Z]\d{4}$"}, True),
        ({"type": "string", "pattern": r"^[A-Z*+]{2}\+\d{1,4}$"}, True),
        ({"type": "string", "pattern": r"^[A-Z]\d{4,}$"}, False),
        ({"type": "string", "pattern": r"^\w+$"}, False),
        ({"type": "string", "pattern": r"A\d"}, False),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, False),
        ({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]}, True),
        ({"type": "array", "items": {"type": "string"}}, False),
        ({"type": "object", "properties": {"x": {"type": "string", "description": "x"}}}, False),
        ({"type": "object", "additionalProperties": {"type": "string"}}, False),
        ({"type": ["string", "null"]}, False),
        ({"type": "integer"}, True),
        ({}, True),
    ],
)
def test_text_without_bounds_is_found_wherever_it_is_nested(spec: dict[str, Any], bounded: bool) -> None:
    found = [rule for rule, _ in check({"properties": {"p": {"description": "p", **spec}}})]
    assert found == ([] if bounded else ["unbounded-text"])


def test_the_shipped_tools_have_no_errors() -> None:
    found = lint(Registry([*service_tools(), find_tools]))
    assert [f for f in found if f.severity is Severity.ERROR] == []
    assert [f for f in found if f.tool == "find_tools"] == []


def test_errors_of_a_tool_come_first_and_tools_in_their_order() -> None:
    other = replace(asks_who, name="another", examples=(), description="Stock of an article.")
    found = lint(Registry([one_language, other]))
    assert [f.tool for f in found] == ["stock_level", "another", "another", "another"]
    assert [f.severity for f in found[1:]] == [Severity.ERROR, Severity.WARNING, Severity.WARNING]
    assert lint(Registry()) == []


def test_findings_can_be_left_out_by_rule_and_by_tool() -> None:
    registry = Registry([bare])
    found = lint(registry)
    assert leave_out(found, ["no-examples"], registry) == [f for f in found if f.rule != "no-examples"]
    assert leave_out(found, ["stock_level:no-examples"], registry) == leave_out(found, ["no-examples"], registry)
    assert leave_out(found, [], registry) == found
    for wrong, why in (("no-such-rule", "not a rule"), ("nobody:overlap", "no tool"), ("stock_level", "not a rule")):
        with pytest.raises(UsageError, match=why):
            leave_out(found, [wrong], registry)


def test_every_rule_has_a_severity() -> None:
    assert {Finding("t", rule, "").severity for rule in RULES} == set(Severity)
