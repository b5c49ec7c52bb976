"""The card: everything an approver needs, exactly, whatever the texts on it are."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from signoff.approvals import Approval, ApprovalStatus, Card, Decision, Origin, Rule
from signoff.caller import Caller
from signoff.cli.card import draw_card

NOW = datetime(2026, 10, 31, 2, 0, tzinfo=UTC)

HOSTILE = (
    "[bold red]pay[/] [link=https://evil.example]here[/link] [/]",
    "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "\x1b[2J\x1b[31mcleared",
    "\x9b31mC1 colour\x90",
    "safe\u202eDEVIL\u2066\u200b",
    "one\ntwo\r\nthree\ttab",
    "│ Risk  none │\n╰────╯",
    "a" * 300,
    "长" * 300,
    "\ud800 lone",
)


def approval(**changes: Any) -> Approval:
    """An approval of a refund, in English."""
    card = Card(
        title="Refund order A1003: 299.00 yuan",
        changes=[
            {"field": "order status", "before": "delivered", "after": "refunded"},
            {"field": "refund", "before": None, "after": "299.00 yuan to bank card ****0754"},
        ],
        why="Money that was paid back cannot be called in again.",
        evidence=["Order A1003 was signed for on 2026-10-29."],
        origins=[Origin("order_id", "A1003", "user", "what was asked: Refund order A1003")],
        words="Refund order A1003, it arrived broken",
    )
    made = Approval(
        id="ap-0f1e6887d09d",
        digest="d",
        call_digest="d",
        thread="th-1",
        turn="t",
        call="c",
        tool="refund_order",
        version="1",
        args={"order_id": "A1003", "reason": "arrived broken"},
        requester=Caller("acme", "u-17"),
        risk="write",
        rule=Rule(frozenset({"agent", "supervisor"}), by_requester=True),
        status=ApprovalStatus.PENDING,
        card=card,
        created_at=NOW,
        expires_at=NOW + timedelta(hours=23, minutes=59),
    )
    return replace(made, **changes)


def drawn(shown: Approval, width: int = 80, *, unicode: bool = True, colour: bool = False) -> str:
    """The card as a terminal of this width gets it."""
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=colour, color_system="standard" if colour else None)
    console.print(draw_card(shown, zone="Asia/Shanghai", width=width, unicode=unicode, now=NOW))
    return file.getvalue()


def words(card: str) -> str:
    """The card's text on one line, without its frame."""
    return " ".join(" ".join(line.strip("│ ") for line in card.splitlines()).split())


def test_the_card_says_what_to_what_by_whom_and_until_when() -> None:
    shown = words(drawn(approval(), 120))
    for part in (
        "ap-0f1e6887d09d",
        "Refund order A1003: 299.00 yuan",
        "delivered → refunded",
        "— → 299.00 yuan to bank card ****0754",
        "cannot be undone. Money that was paid back cannot be called in again.",
        "write: changes records",
        "the requester, or one person with the role agent or supervisor",
        "2026-11-01 09:59:00 (Asia/Shanghai), in 23 h 59 min",
        "acme/u-17",
        "“Refund order A1003, it arrived broken”",
        'refund_order(order_id="A1003", reason="arrived broken")',
        "order_id = A1003: the requester's words (what was asked: Refund order A1003)",
        "Order A1003 was signed for on 2026-10-29.",
        "th-1",
    ):
        assert part in shown


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (Rule(frozenset({"supervisor"}), by_requester=False), "one person with the role supervisor, not the requester"),
        (
            Rule(frozenset({"supervisor"}), by_requester=False, count=2),
            "2 different people with the role supervisor, not the requester",
        ),
    ],
)
def test_the_card_says_who_decides(rule: Rule, told: str) -> None:
    assert told in words(drawn(approval(rule=rule, risk="critical"), 120))


def test_labels_are_in_the_language_of_the_cards_words() -> None:
    zh = replace(approval().card, title="订单 A1003 退款 299.00 元", words="A1003 收到就坏了，给我退款")
    assert "谁可批准" in drawn(approval(card=zh)) and "Who decides" not in drawn(approval(card=zh))
    assert "Who decides" in drawn(approval())
    english = approval(card=zh, requester=Caller("acme", "u-17", locale="en"))
    assert "Who decides" in drawn(english)


@pytest.mark.parametrize("source", ["untrusted", "nowhere"])
def test_values_from_untrusted_text_or_nowhere_are_red(source: Any) -> None:
    card = replace(approval().card, origins=[Origin("order_id", "A9999", source, "ticket T1001")])
    shown = drawn(approval(card=card), colour=True)
    line = next(line for line in shown.splitlines() if "A9999:" in line)
    assert "\x1b[1;31m" in line


def test_warnings_are_red_and_whole() -> None:
    warning = "order_id came from untrusted text (ticket T1001)"
    shown = drawn(approval(card=replace(approval().card, warnings=[warning])), colour=True)
    line = next(line for line in shown.splitlines() if warning in line)
    assert "\x1b[1;31m" in line


def test_what_cannot_be_seen_in_an_argument_is_shown_and_warned_of() -> None:
    shown = words(drawn(approval(args={"order_id": "A1003", "reason": "ok\u202e"}), 120))
    assert 'reason="ok\\u202e"' in shown
    assert "reason holds characters that cannot be seen" in shown


def test_decisions_and_edits_are_on_the_card() -> None:
    signed = approval(
        status=ApprovalStatus.APPROVED,
        edited_by="s-02",
        replaces="ap-000000000000",
        decisions=(Decision("s-03", "approve", NOW, "called the customer"),),
    )
    shown = words(drawn(signed, 120))
    assert "approved · ap-0f1e6887d09d" in shown
    assert "s-02, in place of ap-000000000000" in shown
    assert "s-03, approved, 2026-10-31 10:00:00: “called the customer”" in shown


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_breaks_out_of_the_card(text: str, width: int) -> None:
    _assert_contained(_everywhere(text), width)


@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=80), width=st.integers(60, 120))
def test_any_text_stays_inside_the_card(text: str, width: int) -> None:
    _assert_contained(_everywhere(text), width)


@pytest.mark.parametrize("asked", [10, 60, 100, 400])
def test_the_card_is_60_to_120_columns_wide(asked: int) -> None:
    file = io.StringIO()
    Console(file=file, width=500).print(draw_card(approval(), zone="UTC", width=asked, now=NOW))
    assert {cell_len(line) for line in file.getvalue().splitlines()} == {max(60, min(120, asked))}


def test_a_terminal_without_unicode_gets_ascii() -> None:
    assert (
        drawn(approval(card=replace(approval().card, warnings=["mind"]), args={}), unicode=False)
        .replace("“", '"')
        .replace("”", '"')
        .isascii()
    )


def test_money_and_ids_are_never_broken_across_lines() -> None:
    card = replace(approval().card, evidence=[f"{'x' * n} refund R1003 of 1234567.89 yuan" for n in range(60)])
    shown = drawn(approval(card=card), 60)
    assert shown.count("1234567.89") == shown.count("R1003") == 60


def _everywhere(text: str) -> Approval:
    card = Card(
        title=text,
        changes=[{"field": text, "before": text, "after": text}],
        why=text,
        evidence=[text],
        origins=[Origin(text, text, "untrusted", text)],
        words=text,
        warnings=[text],
    )
    return approval(card=card, args={"reason": text, text: [text]}, decisions=(Decision("s-02", "edit", NOW, text),))


def _assert_contained(shown: Approval, width: int) -> None:
    lines = drawn(shown, width, colour=False).splitlines()
    assert {cell_len(line) for line in lines} == {width}
    assert all(line[0] in "╭│╰" and line[-1] in "╮│╯" for line in lines)
    assert all(c.isprintable() or c in "\u3000" for line in lines for c in line)
    # Rich itself writes no links and no styles that a text asked for.
    coloured = drawn(shown, width, colour=True)
    assert "\x1b]" not in coloured and "\x1b[2J" not in coloured and "\x1b[31mcleared" not in coloured
