"""`find_tools`: what else the desk can do, for those who may use it, short enough to be shown whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError
from tool_sets import CALLER, SUPERVISOR, many, numbered

from signoff.caller import Caller
from signoff.tools.catalog import service_tools
from signoff.tools.catalog.finding import MOST, find_tools
from signoff.tools.contract import Risk
from signoff.tools.registry import Registry
from signoff.tools.selection import Selector

SERVICE = Registry([*service_tools(), find_tools])


def found(query: str, caller: Caller = CALLER, registry: Registry = SERVICE) -> dict[str, Any]:
    selector = Selector(registry, encoder=None)
    data: dict[str, Any] = find_tools.fn(query=query, caller=caller, selector=selector, registry=registry)
    assert data == json.loads(json.dumps(data))
    return data


@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("change a delivery address", "update_address"),
        ("修改收货地址", "update_address"),
        ("submit a ticket", "submit_ticket"),
        ("查物流", "query_logistics"),
    ],
)
def test_it_finds_the_tool_for_a_step_and_says_how_to_call_it(query: str, tool: str) -> None:
    data = found(query)
    assert data["tools"][0] == tool
    assert data["tools"] == [t["name"] for t in data["found"]]
    entry = data["found"][0]
    own = SERVICE.get(tool)
    assert own and entry["risk"] == own.risk.value and entry["does"]
    assert all(name in entry["parameters"] for name in own.args.model_fields)


@pytest.mark.parametrize(
    ("query", "tool"), [("where has the courier got to", "query_logistics"), ("换一个寄送地点", "update_address")]
)
def test_it_finds_by_meaning_what_words_have_not_found(query: str, tool: str) -> None:
    assert tool not in found(query)["tools"][:1]
    selector = Selector(SERVICE)
    data = find_tools.fn(query=query, caller=CALLER, selector=selector, registry=SERVICE)
    assert data["tools"][0] == tool


def test_optional_parameters_are_marked() -> None:
    entry = next(t for t in found("list my orders")["found"] if t["name"] == "list_my_orders")
    assert entry["parameters"] == "status?, limit?"


def test_it_finds_at_most_eight_and_stays_short() -> None:
    data = found("measure the pressure of a boiler gauge", registry=Registry(numbered(i) for i in range(20)))
    assert len(data["tools"]) == MOST
    assert len(json.dumps(found("order ticket refund address 订单 工单 退款"), ensure_ascii=False)) < 3_500


def test_it_finds_only_what_the_caller_may_use_and_never_what_is_offered_anyway() -> None:
    registry = many()
    assert "approve_leave" in found("approve leave", SUPERVISOR, registry)["tools"]
    assert "approve_leave" not in found("approve leave", CALLER, registry)["tools"]
    assert "read_on" not in found("read on in a long result", CALLER, registry)["tools"]
    assert "find_tools" not in found("find tools")["tools"]


def test_nothing_found_is_said_in_both_languages() -> None:
    data = found("zzz qqq")
    assert data["tools"] == [] and data["searched"] == len(SERVICE) - 1
    assert find_tools.render
    assert "None of the" in find_tools.render(data, "en") and "做不到" in find_tools.render(data, "zh")


@pytest.mark.parametrize(("lang", "head"), [("en", "next step"), ("zh", "下一步")])
def test_what_was_found_is_put_into_words(lang: str, head: str) -> None:
    assert find_tools.render
    said = find_tools.render(found("submit a ticket"), lang)
    assert head in said.splitlines()[0] and "submit_ticket(ticket_id)" in said


def test_it_is_a_harmless_read_that_is_always_offered() -> None:
    assert find_tools.risk is Risk.READ and find_tools.always and not find_tools.egress
    for wrong in ({}, {"query": "  "}, {"query": "x" * 201}, {"query": "x", "user": "u-42"}):
        with pytest.raises(ValidationError):
            find_tools.args.model_validate(wrong)
