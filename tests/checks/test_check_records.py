"""What an answer says of a record was looked up."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from signoff.nodes.checks import Grounds, check, degrade
from signoff.text import language

QUESTIONS = {"en": "What is the status of order A1001?", "zh": "订单 A1001 什么状态"}
STATES = [
    "The status of order A1001 is paid.",
    "The order A1001 was delivered on time.",
    "Order A1001: shipped.",
    "订单 A1001 已发货。",
    "A1001 这单目前正在派送。",
]
TALKS = [
    "I could not find order A1001.",
    "I did not look up order A1001.",
    "Order A1001 cannot be looked up at the moment.",
    "Why do you want to refund A1001?",
    "To refund order A1001 I need the reason.",
    "The parcel is on its way.",
    "抱歉，我没有查到订单 A1001。",
    "要为订单 A1001 退款，请告诉我原因。",
]
LOOKED = {
    "tool": "query_order",
    "args": {"order_id": "A1001"},
    "risk": "read",
    "ok": True,
    "data": {"order_id": "A1001", "status": "paid, shipped, delivered on time, 已发货, 正在派送"},
    "error": None,
    "summary": "",
}


def findings(answer: str, *results: Any, history: str = "") -> list[str]:
    grounds = Grounds(
        question=QUESTIONS[language(answer)],
        language=language(answer),
        evidence=[],
        results=list(results),
        history=history,
        today=date(2026, 10, 31),
    )
    return [f.message for f in check(answer, grounds) if "looked up" in f.message]


@pytest.mark.parametrize("answer", STATES)
def test_a_statement_of_a_record_that_nobody_looked_up_is_found(answer: str) -> None:
    assert len(findings(answer)) == 1


@pytest.mark.parametrize("answer", STATES)
def test_a_record_that_a_tool_was_asked_for_may_be_spoken_of(answer: str) -> None:
    assert findings(answer, LOOKED) == []
    refused = {**LOOKED, "ok": False, "data": None, "error": {"code": "NOT_FOUND", "message": "No such order."}}
    assert findings(answer, refused) == []


@pytest.mark.parametrize("answer", TALKS)
def test_who_asks_or_says_that_nothing_was_found_states_nothing(answer: str) -> None:
    assert findings(answer) == []


def test_what_an_earlier_turn_looked_up_counts() -> None:
    assert findings(STATES[0], history='{"ok": true, "data": {"order_id": "A1001", "status": "paid"}}') == []


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (
            "It takes a while. Never guess an identifier: use what was said or found, or ask for it.",
            "It takes a while.",
        ),
        ("Tools act for the person who asks, and for nobody else. It takes a while.", "It takes a while."),
        ("<result>It takes a while.</result>", "It takes a while."),
    ],
)
def test_what_the_desk_was_told_is_not_told_on(answer: str, kept: str) -> None:
    grounds = Grounds(question="how long", language="en", evidence=[], results=[], history="", today=date(2026, 10, 31))
    found = check(answer, grounds)
    assert [f.kind for f in found] and degrade(answer, found, grounds) == kept
