"""Every limit has a name and ends a turn exactly when it is used up."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from people import OTHER, REQUESTER, STRANGER

from signoff.clock import Clock
from signoff.records.database import Database
from signoff.tools.envelope import Code, ToolResult
from signoff.tools.limits import (
    Budget,
    Limit,
    Spent,
    Used,
    observation,
    progress,
    purge_quotas,
    quota_metadata,
    reached,
    sentence,
    spend,
    today,
    used,
)

DAY = date(2026, 10, 31)

CASES: list[tuple[Limit, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    (Limit.MAX_ROUNDS, {"max_rounds": 8}, {"rounds": 7}, {"rounds": 8}),
    (Limit.MAX_MODEL_CALLS, {"max_model_calls": 2}, {"model_calls": 1}, {"model_calls": 3}),
    (Limit.MAX_TOOL_CALLS, {"max_tool_calls": 5}, {"tool_calls": 4}, {"tool_calls": 5}),
    (Limit.MAX_PROMPT_TOKENS, {"max_prompt_tokens": 60_000}, {"prompt_tokens": 59_999}, {"prompt_tokens": 60_000}),
    (Limit.MAX_COMPLETION_TOKENS, {"max_completion_tokens": 9}, {"completion_tokens": 8}, {"completion_tokens": 9}),
    (
        Limit.MAX_COST,
        {"max_cost_yuan": Decimal("0.30")},
        {"cost_yuan": Decimal("0.29")},
        {"cost_yuan": Decimal("0.1") + Decimal("0.2")},
    ),
    (Limit.MAX_WORK_S, {"max_work_s": 120.0}, {"work_s": 119.9}, {"work_s": 120.0}),
    (Limit.DAILY_QUOTA, {"daily_calls": 3}, {"today": Used(2, 10**9)}, {"today": Used(3, 0)}),
    (Limit.DAILY_QUOTA, {"daily_tokens": 100}, {"today": Used(10**9, 99)}, {"today": Used(0, 100)}),
]


@pytest.mark.parametrize(("limit", "budget", "below", "at"), CASES)
def test_a_limit_is_reached_when_all_of_it_is_spent(
    limit: Limit, budget: dict[str, Any], below: dict[str, Any], at: dict[str, Any]
) -> None:
    assert reached(Spent(**below), Budget(**budget)) is None
    assert reached(Spent(**at), Budget(**budget)) is limit


def test_without_numbers_nothing_is_limited() -> None:
    spent = Spent(10**9, 10**9, 10**9, 10**9, 10**9, Decimal(10**9), 1e9, Used(10**9, 10**9))
    assert reached(spent, Budget(), prompt_tokens=10**9) is None


def test_the_next_prompt_must_fit_into_what_is_left() -> None:
    budget = Budget(max_prompt_tokens=1_000)
    assert reached(Spent(prompt_tokens=900), budget, prompt_tokens=100) is None
    assert reached(Spent(prompt_tokens=900), budget, prompt_tokens=101) is Limit.MAX_PROMPT_TOKENS


def test_of_several_limits_the_first_in_order_is_named() -> None:
    budget = Budget(max_rounds=1, max_work_s=1.0, daily_calls=1)
    assert reached(Spent(rounds=1, work_s=2, today=Used(1, 0)), budget) is Limit.MAX_ROUNDS
    assert reached(Spent(work_s=2, today=Used(1, 0)), budget) is Limit.MAX_WORK_S


@given(st.builds(Spent, *[st.integers(0, 20)] * 5), st.builds(Budget, *[st.none() | st.integers(1, 20)] * 3))
def test_spending_more_never_lifts_a_limit(spent: Spent, budget: Budget) -> None:
    more = Spent(spent.rounds + 1, spent.model_calls + 1, spent.tool_calls + 1, spent.prompt_tokens)
    assert reached(spent, budget) is None or reached(more, budget) is not None


@pytest.mark.parametrize("limit", list(Limit))
def test_every_limit_is_said_in_both_languages(limit: Limit) -> None:
    budget = Budget(8, 9, 10, 11, 12, Decimal("0.30"), 120.0, 13, 14)
    zh, en = sentence(limit, budget, "zh"), sentence(limit, budget, "en")
    assert any("\u4e00" <= c <= "\u9fff" for c in zh)
    assert en.isascii()
    assert "None" not in en + zh and "{" not in en + zh


def test_the_number_of_the_limit_is_in_its_sentence() -> None:
    budget = Budget(max_rounds=8, max_cost_yuan=Decimal("0.30"), max_work_s=120.0)
    assert "8 tool rounds" in sentence(Limit.MAX_ROUNDS, budget, "en")
    assert "0.30 元" in sentence(Limit.MAX_COST, budget, "zh")
    assert "120 seconds" in sentence(Limit.MAX_WORK_S, budget, "en")


@pytest.mark.parametrize(
    ("rounds", "learns"),
    [
        ([], True),
        ([["a"]], True),
        ([["a"], ["a"]], True),
        ([["a"], ["a"], ["a"]], False),
        ([["a"], ["b"], ["a"]], True),
        ([["a"], ["b"], ["a"], ["b"]], False),
        ([["a"], ["b"], ["a"], ["b", "c"]], True),
        ([["a"], [], []], False),
        ([[], []], False),
        ([["a"], ["a"], ["b"], ["a"]], True),
        ([["a", "b"], ["b"], ["a"], ["c"]], True),
    ],
)
def test_progress_ends_with_two_rounds_in_a_row_that_add_nothing(rounds: list[list[str]], learns: bool) -> None:
    assert progress(rounds) is learns


def test_the_number_of_idle_rounds_can_be_chosen() -> None:
    same = [["a"]] * 4
    assert [progress(same, idle) for idle in (1, 2, 3, 4, 5)] == [False, False, False, True, True]


def test_the_same_content_is_the_same_observation_whatever_its_metadata() -> None:
    first = ToolResult.done({"a": 1, "b": [2]}, ms=3, tool="x")
    assert observation(first) == observation(ToolResult.done({"b": [2], "a": 1}, ms=99, tries=2))
    others = [
        ToolResult.done({"a": 1, "b": [3]}),
        ToolResult.done(None),
        ToolResult.refused(Code.NOT_FOUND, "no order A1"),
        ToolResult.refused(Code.NOT_FOUND, "no order A2"),
        ToolResult.refused(Code.CONFLICT, "no order A2"),
        ToolResult.done("\ud800"),
    ]
    assert len({observation(r) for r in [first, *others]}) == 7


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "desk.db")
    database.create(quota_metadata)
    yield database
    database.close()


def test_what_is_spent_adds_up_by_person_and_day(database: Database) -> None:
    with database.write() as tx:
        assert spend(tx, REQUESTER, DAY, 1, 100) == Used(1, 100)
        assert spend(tx, REQUESTER, DAY, 2, 50) == Used(3, 150)
        assert spend(tx, OTHER, DAY, 1, 7) == Used(1, 7)
        assert spend(tx, STRANGER, DAY, 1, 9) == Used(1, 9)
        assert spend(tx, REQUESTER, DAY + timedelta(days=1), 1, 1) == Used(1, 1)
    with database.read() as tx:
        assert used(tx, REQUESTER, DAY) == Used(3, 150)
        assert used(tx, OTHER, DAY + timedelta(days=1)) == Used()


def test_what_is_rolled_back_was_not_spent(database: Database) -> None:
    with pytest.raises(RuntimeError), database.write() as tx:
        spend(tx, REQUESTER, DAY, 1, 100)
        raise RuntimeError
    with database.read() as tx:
        assert used(tx, REQUESTER, DAY) == Used()


def test_nothing_can_be_given_back(database: Database) -> None:
    with database.write() as tx, pytest.raises(ValueError):
        spend(tx, REQUESTER, DAY, -1, 0)


def _spend_often(path: str) -> None:
    database = Database(Path(path))
    for _ in range(50):
        with database.write() as tx:
            spend(tx, REQUESTER, DAY, 1, 3)
    database.close()


def test_two_processes_lose_nothing_of_each_other(database: Database) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_spend_often, args=(str(database.path),)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [p.exitcode for p in processes] == [0, 0]
    with database.read() as tx:
        assert used(tx, REQUESTER, DAY) == Used(100, 300)


def test_old_days_can_be_removed(database: Database) -> None:
    with database.write() as tx:
        for back in range(5):
            spend(tx, REQUESTER, DAY - timedelta(days=back), 1, 1)
        assert purge_quotas(tx, DAY - timedelta(days=1)) == 3
        assert used(tx, REQUESTER, DAY - timedelta(days=1)) == Used(1, 1)


def test_the_day_of_a_quota_goes_on_when_the_business_clock_stands_still() -> None:
    fixed = datetime(2020, 1, 1, tzinfo=UTC)
    there, here = Clock("Pacific/Kiritimati", fixed), Clock("Pacific/Pago_Pago", fixed)
    assert today(there) > today(here) > date(2025, 1, 1)
    assert today(Clock(fixed=fixed, ahead=timedelta(days=400))) > today(Clock(fixed=fixed))
