from __future__ import annotations

import json
import re
from typing import Any

import pytest
from bench import TOOLS
from pydantic import ValidationError

from signoff.errors import ConfigError
from signoff.text import language
from signoff.tools.catalog import service_tools
from signoff.tools.contract import Risk, Tool
from signoff.tools.registry import Registry

IDENTITY = {"user", "user_id", "tenant", "tenant_id", "caller", "role", "roles", "customer", "requester", "account"}
EXPECTED = {
    "query_order": Risk.READ,
    "list_my_orders": Risk.READ,
    "query_logistics": Risk.READ,
    "check_refund": Risk.READ,
    "refund_order": Risk.WRITE,
    "update_address": Risk.WRITE,
    "cancel_order": Risk.WRITE,
    "search_knowledge": Risk.READ,
    "create_ticket_draft": Risk.DRAFT,
    "submit_ticket": Risk.WRITE,
    "discard_ticket_draft": Risk.DRAFT,
    "list_my_tickets": Risk.READ,
    "query_ticket": Risk.READ,
    "read_result": Risk.READ,
    "remember": Risk.DRAFT,
    "recall_memory": Risk.READ,
    "forget_memory": Risk.DRAFT,
}
every_tool = pytest.mark.parametrize("tool", service_tools(), ids=lambda t: t.name)


def names(schema: Any) -> set[str]:
    """All property names at any depth."""
    if isinstance(schema, list):
        return {n for s in schema for n in names(s)}
    if not isinstance(schema, dict):
        return set()
    return set(schema.get("properties", ())) | {n for s in schema.values() for n in names(s)}


def test_the_service_desk_has_these_tools_with_these_risks() -> None:
    assert {t.name: t.risk for t in service_tools()} == EXPECTED
    with pytest.raises(ConfigError):
        Registry([*service_tools(), TOOLS["query_order"]])


@every_tool
def test_no_schema_has_a_parameter_for_who_is_asking_or_what_is_injected(tool: Tool) -> None:
    for strict in (False, True):
        found = names(tool.schema(strict=strict))
        assert not found & IDENTITY
        assert not found & tool.injects


@every_tool
def test_every_schema_is_closed_and_every_parameter_described(tool: Tool) -> None:
    parameters = tool.schema()["function"]["parameters"]
    assert parameters["additionalProperties"] is False
    for name, field in parameters["properties"].items():
        assert len(field.get("description", "")) > 10, name
    strict = tool.schema(strict=True)["function"]["parameters"]
    assert strict["required"] == list(strict["properties"])


@every_tool
def test_every_description_says_when_not_to_use_the_tool(tool: Tool) -> None:
    assert re.search(r"\b([Nn]ot|cannot|never)\b", tool.description)
    assert tool.description.endswith(".") and "\n" not in tool.description


@every_tool
def test_examples_are_in_both_languages_and_fit_the_schema(tool: Tool) -> None:
    assert 3 <= len(tool.examples) <= 6
    assert {language(e.text) for e in tool.examples} == {"zh", "en"}
    for example in tool.examples:
        tool.args.model_validate(dict(example.args))
        json.dumps(dict(example.args))
        for name in tool.identifiers & example.args.keys():
            assert str(example.args[name]) in example.text, "an example must not teach to make identifiers up"


@every_tool
def test_what_can_need_a_signature_has_a_card_and_shares_the_transaction(tool: Tool) -> None:
    assert tool.render is not None
    if tool.risk is Risk.READ:
        assert tool.effect == "none" and "tx" not in tool.injects
    else:
        assert tool.preview is not None
        if tool.effect == "local":
            assert "tx" in tool.injects
        else:
            # Outside the ledger's transaction: a crash must be able to ask what became of it.
            assert tool.reconcile is not None and "tx" not in tool.injects
    if tool.risk is Risk.DRAFT:
        assert tool.undo in TOOLS


def test_only_the_tool_that_shows_comments_is_marked_untrusted_and_none_sends_data_out() -> None:
    assert [t.name for t in service_tools() if t.untrusted] == ["query_ticket"]
    assert not any(t.egress for t in service_tools())


def test_refunds_are_grounded_in_the_return_policy() -> None:
    for name in ("check_refund", "refund_order"):
        assert "return policy" in TOOLS[name].grounds and "退货政策" in TOOLS[name].grounds


@pytest.mark.parametrize(
    ("tool", "parameter", "pattern"),
    [
        *((t, "order_id", "^[A-Z][0-9]{4,}$") for t in EXPECTED if "order_id" in TOOLS[t].args.model_fields),
        *((t, "ticket_id", "^T[0-9]{4,}$") for t in EXPECTED if "ticket_id" in TOOLS[t].args.model_fields),
    ],
)
def test_ids_have_their_pattern_in_the_schema_and_are_traced_to_a_source(
    tool: str, parameter: str, pattern: str
) -> None:
    assert TOOLS[tool].schema()["function"]["parameters"]["properties"][parameter]["pattern"] == pattern
    assert parameter in TOOLS[tool].identifiers


@pytest.mark.parametrize("written", ["A1003", "a1003", " A1003 ", "#A1003", "A1003"])
def test_an_order_number_may_be_written_in_these_ways(written: str) -> None:
    assert TOOLS["query_order"].args.model_validate({"order_id": written}).model_dump() == {"order_id": "A1003"}


@pytest.mark.parametrize(
    "written", ["", "1003", "A12", "AB1003", "A1003; DROP", "A1003\n", "A٣٣٣٣", "A" + "1" * 30, 1003, None, ["A1003"]]
)
def test_what_is_not_an_order_number_is_refused(written: Any) -> None:
    try:
        parsed = TOOLS["query_order"].args.model_validate({"order_id": written})
    except ValidationError:
        return
    # A line break at the end is white space like a blank one.
    assert written == "A1003\n" and parsed.model_dump() == {"order_id": "A1003"}


@pytest.mark.parametrize("extra", ["amount_yuan", "user", "tenant", "caller", "tx", "risk"])
def test_a_refund_takes_no_amount_and_no_identity_from_the_model(extra: str) -> None:
    with pytest.raises(ValidationError):
        TOOLS["refund_order"].args.model_validate({"order_id": "A1003", extra: "1.00"})
