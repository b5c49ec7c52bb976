"""A mistaken tool name leads to the one that was meant, and to none when nothing is near."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.tools.catalog import service_tools
from signoff.tools.names import apart, nearest, words
from signoff.tools.registry import Registry

REGISTRY = Registry(service_tools())


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("queryOrder", "query_order"),
        ("QUERY-ORDER", "query_order"),
        ("queryorder", "query_order"),
        ("qurey_order", "query_order"),
        ("query_orders", "query_order"),
        ("mcp__orders__query_order", "query_order"),
        ("functions.refundOrder", "refund_order"),
        ("orders/cancel_order", "cancel_order"),
        ("get_order", "query_order"),
        ("lookup_ticket", "query_ticket"),
        ("add_ticket_draft", "create_ticket_draft"),
        ("change_address", "update_address"),
        ("server.change_address", "update_address"),
        ("refund", "refund_order"),
        ("cancel", "cancel_order"),
        ("list_tickets", "list_my_tickets"),
        ("search", "search_knowledge"),
        ("recall", "recall_memory"),
        ("rm_rf", None),
        ("launch_rocket", None),
        ("send_email", None),
        ("查询订单", None),
        ("", None),
        ("__", None),
        ("x" * 10_000, None),
    ],
)
def test_a_mistaken_name_leads_to_the_one_that_was_meant(name: str, meant: str | None) -> None:
    assert REGISTRY.nearest(name) == meant


@pytest.mark.parametrize(
    ("name", "meant"), [("read_file", "readFile"), ("READFILE", "readFile"), ("fs_list", "FSList")]
)
def test_names_in_other_styles_are_met_in_their_own(name: str, meant: str) -> None:
    assert nearest(name, ["readFile", "FSList"]) == meant


@given(st.text(max_size=40))
def test_any_name_leads_to_a_known_one_or_none(name: str) -> None:
    assert REGISTRY.nearest(name) in {None, *REGISTRY.names()}
    assert nearest(name, []) is None


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("getHTTPResponse", ("get", "http", "response")),
        ("on_behalf_of", ("on", "behalf", "of")),
        ("user-ID", ("user", "id")),
        ("用户_id", ("用户", "id")),
    ],
)
def test_a_names_words_do_not_depend_on_its_style(name: str, parts: tuple[str, ...]) -> None:
    assert words(name) == parts


@pytest.mark.parametrize(
    ("one", "other", "letters"),
    [
        ("send_mail", "send_mail", 0),
        ("send_mail", "send_mails", 1),
        ("send_mail", "send_nail", 1),
        ("send_mail", "end_mail", 1),
        ("send_mail", "sendMail", 1),
        ("send_mail", "sned_mail", 2),
        ("send_mail", "read_mail", 2),
        ("a", "abc", 2),
    ],
)
def test_letters_between_names_are_counted_both_ways(one: str, other: str, letters: int) -> None:
    assert apart(one, other) == apart(other, one) == letters
