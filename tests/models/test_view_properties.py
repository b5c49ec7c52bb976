"""Whatever the record and the budget: a prompt that every provider takes, with the question in it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest
from histories import Record, faults
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from signoff.models.budget import estimate, estimate_text
from signoff.models.history import HISTORY_TOKENS, marks, turns_of
from signoff.models.pairing import paired
from signoff.models.view import Brief, build
from signoff.nodes.route import new_turn
from signoff.state import Evidence

NOW = datetime(2026, 10, 31, 9, tzinfo=ZoneInfo("Asia/Shanghai"))
BUDGETS = (0, 400, 900, 1_500, 2_500, 4_000, 7_000, 12_000, 30_000)


def passages(n: int) -> list[Evidence]:
    return [
        Evidence(
            n=i,
            passage=f"p{i}",
            title="Handbook",
            place="Refunds",
            source="handbook.md",
            version="v1",
            page=None,
            trusted=i % 3 > 0,
            text="Refunds take 3 days. " * 40,
        )
        for i in range(1, n + 1)
    ]


def prompt(messages: list[AnyMessage], budget: int | None, n: int = 0, **brief: Any) -> list[BaseMessage]:
    told = Brief(desk="You serve the shop.", **brief)
    turn = new_turn("?")
    return build(messages, turn, passages(n), now=NOW, closing=None, brief=told, budget_tokens=budget)


def asked(view: list[BaseMessage]) -> str:
    """The current question with its blocks."""
    return next(str(m.text) for m in reversed(view) if isinstance(m, HumanMessage))


def least(messages: list[AnyMessage]) -> int:
    """What no budget can take away, reckoned apart from the code: the frame, the ends of the question, the round."""
    newest = next((m for m in reversed(paired(messages)) if not isinstance(m, ToolMessage)), None)
    calls = len(newest.tool_calls) if isinstance(newest, AIMessage) else 0
    written = estimate([newest]) if isinstance(newest, AIMessage) else 0
    return estimate([prompt([HumanMessage("?")], None)[0]]) + 400 + 150 * calls + written


def check(messages: list[AnyMessage], budget: int | None, n: int = 0) -> None:
    view = prompt(messages, budget, n)
    assert faults(view) == []
    words = str(next(m for m in reversed(messages) if isinstance(m, HumanMessage)).text)
    if words.strip():
        said = asked(view)
        assert words in said or (said.startswith(words[:20]) and "left out" in said and words[-8:] in said)
    if budget is not None:
        assert estimate(view) <= max(budget, least(messages))


@pytest.mark.parametrize("seed", range(12))
def test_every_cut_of_a_record_is_a_valid_prompt_within_its_budget(seed: int) -> None:
    messages = Record(seed).turns(14).turn(rounds=4, answered=False).messages
    starts = [i for i, m in enumerate(messages) if isinstance(m, HumanMessage)]
    for end in range(1, len(messages) + 1):
        for budget in (None, BUDGETS[end % len(BUDGETS)]):
            check(messages[:end], budget, n=end % 4)
    for start in starts[:3]:
        check(messages[start + 1 :], BUDGETS[start % len(BUDGETS)])


WORDS = st.one_of(st.text(max_size=40), st.just(""), st.just("订单 A1003 " * 400), st.just("x" * 9_000))
NAME = st.sampled_from(["query_order", "refund_order", "bad name!", ""])
ID = st.sampled_from(["c1", "c2", "c3", "c4", "c5"])
CONTENT = st.one_of(
    st.text(max_size=30),
    st.just('{"ok": true, "data": {"order_id": "A1"}, "error": null, "metadata": {"untrusted": true}}'),
    st.just("z" * 3_000),
    st.just('{"ok": false, "error": {"code": 3}}'),
)


@st.composite
def message(draw: st.DrawFn) -> BaseMessage:
    kind = draw(st.integers(0, 5))
    if kind == 0:
        return SystemMessage(draw(WORDS))
    if kind <= 2:
        return HumanMessage(draw(WORDS))
    if kind == 3:
        return AIMessage(draw(WORDS))
    if kind == 4:
        calls = [
            {
                "name": draw(NAME),
                "args": draw(st.sampled_from([{}, {"a": "q" * 900}])),
                "id": draw(ID),
                "type": "tool_call",
            }
            for _ in range(draw(st.integers(0, 2)))
        ]
        broken = [
            {"name": draw(NAME), "args": "{", "id": draw(ID), "error": "e", "type": "invalid_tool_call"}
            for _ in range(draw(st.integers(0, 1)))
        ]
        return AIMessage(draw(st.sampled_from(["", "one moment"])), tool_calls=calls, invalid_tool_calls=broken)
    return ToolMessage(draw(CONTENT), tool_call_id=draw(ID), name=draw(NAME))


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(messages=st.lists(message(), max_size=14), budget=st.one_of(st.none(), st.sampled_from(BUDGETS)))
def test_any_messages_in_any_order_make_a_valid_prompt(messages: list[BaseMessage], budget: int | None) -> None:
    record = cast("list[AnyMessage]", messages)
    check([*record, HumanMessage("Where is my order A1003?")], budget)
    assert faults(prompt(record, budget)) == []


@pytest.mark.parametrize("words", ["Where is order A1003, and why? " * 3_000, "请逐条核对下面的合同条款。" * 3_000])
@pytest.mark.parametrize("budget", [1_500, 4_000, 12_000])
def test_a_question_over_the_budget_keeps_its_beginning_and_end(words: str, budget: int) -> None:
    messages = [*Record(3).turns(5).messages, HumanMessage(f"Begin {words} the end")]
    view = prompt(messages, budget, 3)
    said = asked(view)
    assert estimate(view) <= budget and faults(view) == []
    assert said.startswith("Begin ") and "characters of the middle left out" in said and "the end" in said


@pytest.mark.parametrize("seed", range(4))
def test_earlier_turns_stay_within_their_tokens_and_the_prompt_grows_at_its_end_between_steps(seed: int) -> None:
    record = Record(100 + seed)
    before: list[BaseMessage] = []
    last = None
    steps = held = kept = 0
    for _ in range(60):
        record.turn()
        history = prompt([*record.messages, HumanMessage("and now?")], None)[1:-1]
        assert estimate(history) <= HISTORY_TOKENS
        at = marks(turns_of(paired(record.messages)), HISTORY_TOKENS)
        if at == last:
            assert history[: len(before)] == before
        else:
            steps += 1
        same = next((i for i, (a, b) in enumerate(zip(before, history, strict=False)) if a != b), len(before))
        held, kept = held + estimate(before), kept + estimate(before[:same])
        before, last = history, at
    # Measured: 11 to 17 steps in 60 turns, of which 4 or 5 fold; 75 to 80 % stays.
    assert steps < 25 and kept / held > 0.7, (steps, kept / held)


def test_a_smaller_budget_never_gives_a_longer_prompt_than_it_may() -> None:
    messages = Record(7).turns(30).turn(rounds=6, answered=False).messages
    sizes = [estimate(prompt(messages, b, 6)) for b in BUDGETS]
    assert all(size <= max(b, least(messages)) for size, b in zip(sizes, BUDGETS, strict=True))
    assert sizes[-1] > sizes[3] > 0
    assert estimate_text("") == 0


def test_the_same_record_gives_the_same_prompt() -> None:
    messages = Record(9).turns(25).messages
    assert prompt(messages, 3_000) == prompt(list(messages), 3_000)
