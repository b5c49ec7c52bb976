"""Every limit ends a turn by its name, in words that say what is known, what is missing and how to go on."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from envelopes import bare, envelopes
from people import OTHER, REQUESTER, STRANGER
from scripted import ScriptedModel, call, calls

from signoff import Desk, Preview, Tool, tool
from signoff.state import Status
from signoff.telemetry.spans import spans as span_rows

Open = Callable[..., Desk]
QUESTIONS = {"en": "tell me about all the shelves", "zh": "把所有货架的情况告诉我"}
SPLIT = {"en": "each in a message of its own", "zh": "每条消息只问其中一件"}
OPEN = {"en": f"Still open: {QUESTIONS['en']}", "zh": f"尚未完成：{QUESTIONS['zh']}"}


def shelf_tools() -> list[Tool]:
    """A read whose results differ, one whose results do not, and one that takes its time."""

    @tool(render=lambda data, lang: f"货架 {data['n']} 有零件。" if lang == "zh" else f"Shelf {data['n']} has parts.")
    def shelf(n: int) -> dict[str, int]:
        """Says what is on a shelf."""
        return {"n": n}

    @tool
    def weather(n: int) -> str:
        """Says what the weather is; it is always the same."""
        return "It rains."

    @tool
    def slow(n: int) -> dict[str, int]:
        """Says what is on a far shelf."""
        threading.Event().wait(0.3)
        return {"n": n}

    return [shelf, weather, slow]


def hungry(name: str = "shelf", several: int = 1) -> ScriptedModel:
    """A model that never has enough, whatever it is told."""
    numbers = count(1)
    return ScriptedModel(lines=[lambda _: calls(*[(name, {"n": next(numbers)}, "") for _ in range(several)])])


@pytest.fixture
def open_shelves(open_desk: Open, tmp_path: Path) -> Open:
    return partial(open_desk, desk=bare(tmp_path), tools=shelf_tools())


LIMITS: dict[str, tuple[dict[str, Any], Callable[[], ScriptedModel], str, str]] = {
    "max_rounds": ({"max_rounds": 3}, hungry, "3 tool rounds", "3 轮工具调用"),
    "max_model_calls": ({"max_model_calls": 2}, hungry, "2 model calls", "2 次模型调用"),
    "max_tool_calls": ({"max_tool_calls": 4}, partial(hungry, several=3), "4 tool calls", "4 次工具调用"),
    "max_prompt_tokens": ({"max_prompt_tokens": 1_900}, hungry, "1900 prompt tokens", "1900 个提示词"),
    "max_completion_tokens": ({"max_completion_tokens": 100}, hungry, "100 completion tokens", "100 个输出"),
    "max_cost": (
        {"max_cost_yuan": "0.05", "price_prompt_yuan": "0", "price_completion_yuan": "1000"},
        hungry,
        "0.05 yuan",
        "0.05 元",
    ),
    "max_work_s": ({"max_work_s": 1.2}, partial(hungry, "slow"), "1.2 seconds of work", "1.2 秒"),
    "daily_quota": ({"daily_calls": 3}, hungry, "today's quota", "今天的额度"),
    "no_progress": ({}, partial(hungry, "weather"), "found nothing new", "没有得到新的信息"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("limit", list(LIMITS))
def test_each_limit_ends_the_turn_by_its_name(limit: str, language: str, open_shelves: Open) -> None:
    options, model, en, zh = LIMITS[limit]
    desk = open_shelves(model=model(), **{"max_rounds": 30, **options})
    turn = desk.ask(QUESTIONS[language], caller=REQUESTER)
    assert (turn.status, turn.limited) == (Status.EXHAUSTED, limit)
    words = en if language == "en" else zh
    assert turn.limit is not None and words in turn.limit
    assert words in turn.answer
    if limit not in ("max_work_s", "no_progress"):
        # What is known, what is missing, how to split the task.
        assert ("Shelf 1 has parts." if language == "en" else "货架 1 有零件。") in turn.answer
    assert OPEN[language] in turn.answer and SPLIT[language] in turn.answer
    assert _counted(desk, turn.thread) == limit
    # A thread that was closed is not wedged.
    model_after = ScriptedModel(lines=["Fine."])
    if limit != "daily_quota":
        after = open_shelves(model=model_after).ask("hello", caller=REQUESTER, thread=turn.thread)
        assert (after.status, after.limited) == (Status.DONE, "")


def _counted(desk: Desk, thread: str) -> str:
    """The limit's name as the trace of the turn has it, for counting."""
    desk.services.tracer.flush()
    with desk.services.database.read() as tx:
        wanted = span_rows.select().where(span_rows.c.kind == "turn", span_rows.c.thread == thread)
        return str(tx.execute(wanted).mappings().one()["attributes"]["limited"])


def test_what_a_model_says_when_it_is_asked_to_close_is_the_answer(open_shelves: Open) -> None:
    def say(messages: Any) -> Any:
        last = str(messages[-1].content)
        if "<close>" not in last:
            return call("shelf", n=len(messages))
        assert "3 tool rounds" in last and "what is missing" in last and "split" in last
        return "Three shelves have parts; ask for the others one by one."

    model = ScriptedModel(lines=[say])
    turn = open_shelves(model=model, max_rounds=3).ask(QUESTIONS["en"], caller=REQUESTER)
    assert (turn.limited, model.offered[-1]) == ("max_rounds", [])
    assert turn.answer == "Three shelves have parts; ask for the others one by one."


def test_the_last_call_allowed_is_not_the_end_of_a_turn_that_needs_no_more(open_shelves: Open) -> None:
    model = ScriptedModel(lines=[call("shelf", n=1), call("shelf", n=2), "Both have parts."])
    turn = open_shelves(model=model, max_tool_calls=2).ask(QUESTIONS["en"], caller=REQUESTER)
    assert (turn.status, turn.limited, turn.usage["tool_calls"]) == (Status.DONE, "", 2)


def test_calls_beyond_the_limit_are_told_and_not_made(open_shelves: Open) -> None:
    message = calls(*[("shelf", {"n": n}, f"c{n}") for n in range(5)])
    desk = open_shelves(model=ScriptedModel(lines=[message, message]), max_tool_calls=3)
    turn = desk.ask(QUESTIONS["en"], caller=REQUESTER)
    assert [s.outcome for s in turn.steps] == ["ok"] * 3 + ["LIMIT_REACHED"] * 2
    assert "3 tool calls are used up" in str(envelopes(desk, turn)[-1])


def test_refused_calls_take_none_of_the_turns_calls(open_shelves: Open) -> None:
    model = ScriptedModel(lines=[call("shelf", n="many"), call("shelves", n=1), call("shelf", n=1), "So."])
    turn = open_shelves(model=model, max_tool_calls=1).ask(QUESTIONS["en"], caller=REQUESTER)
    assert [s.outcome for s in turn.steps] == ["INVALID_ARGUMENTS", "UNKNOWN_TOOL", "ok"]
    assert (turn.status, turn.usage["tool_calls"]) == (Status.DONE, 1)


@pytest.mark.parametrize("period", [1, 2, 3])
def test_identical_calls_in_turn_are_not_made_a_third_time_and_end_the_turn(period: int, open_shelves: Open) -> None:
    # Written differently each time: what counts is what is meant.
    ways: list[Callable[[int], Any]] = [lambda n: n, lambda n: str(n), lambda n: float(n), lambda n: f" {n} "]
    lines = [call("shelf", n=ways[i // period % 4](i % period)) for i in range(30)]
    desk = open_shelves(model=ScriptedModel(lines=lines), max_rounds=30)
    turn = desk.ask(QUESTIONS["en"], caller=REQUESTER)
    assert (turn.status, turn.limited) == (Status.EXHAUSTED, "no_progress")
    assert len(turn.steps) <= 5


@pytest.mark.parametrize("period", [1, 2, 3])
def test_the_third_identical_call_is_refused_whatever_stands_between(period: int, open_shelves: Open) -> None:
    lines = [call("shelf", n=i % period) for i in range(3 * period)]
    desk = open_shelves(model=ScriptedModel(lines=[*lines, "So."]), max_rounds=30, max_idle_rounds=20)
    turn = desk.ask(QUESTIONS["en"], caller=REQUESTER)
    assert [s.outcome for s in turn.steps] == ["ok"] * 2 * period + ["REPEATED_CALL"] * period
    refused = envelopes(desk, turn)[-1].error
    assert refused is not None and not refused.retryable and "earlier answer" in refused.hint


def test_a_model_that_calls_what_does_not_exist_for_ever_makes_no_progress(open_shelves: Open) -> None:
    turn = open_shelves(model=ScriptedModel(lines=[call("shelves", n=1)]), max_rounds=30).ask("go", caller=REQUESTER)
    assert (turn.status, turn.limited) == (Status.EXHAUSTED, "no_progress")
    assert len(turn.steps) == 3


def test_one_new_observation_is_progress(open_shelves: Open) -> None:
    lines = [call("weather", n=1), call("weather", n=2), call("shelf", n=1), call("weather", n=3), call("shelf", n=2)]
    turn = open_shelves(model=ScriptedModel(lines=[*lines, "So."])).ask(QUESTIONS["en"], caller=REQUESTER)
    assert turn.status is Status.DONE and len(turn.steps) == 5


def test_money_is_counted_exactly(open_shelves: Open) -> None:
    desk = open_shelves(
        model=ScriptedModel(lines=[call("shelf", n=1), "So."]), price_prompt_yuan="0", price_completion_yuan="0.1"
    )
    turn = desk.ask(QUESTIONS["en"], caller=REQUESTER)
    # Two calls of ten tokens at 0.1 yuan a million.
    assert Decimal(turn.usage["cost_yuan"]) == Decimal("0.000002")


def used_up(desk: Desk, caller: Any, model: ScriptedModel) -> bool:
    """Whether a person's quota is used up; then the model is not asked at all."""
    before = len(model.prompts)
    turn = desk.ask(QUESTIONS["en"], caller=caller)
    if turn.limited != "daily_quota":
        return False
    assert turn.status is Status.EXHAUSTED and len(model.prompts) == before
    assert "today's quota" in turn.answer and OPEN["en"] in turn.answer
    return True


def test_a_days_quota_is_one_persons_over_all_threads_and_desks(open_shelves: Open) -> None:
    models = [ScriptedModel(lines=["Fine."]) for _ in range(2)]
    desks = [open_shelves(model=m, daily_calls=5) for m in models]
    ended = [used_up(desks[n % 2], REQUESTER, models[n % 2]) for n in range(8)]
    assert ended == [False] * 5 + [True] * 3
    assert sum(len(m.prompts) for m in models) == 5
    # Other people, also of the same name elsewhere, have a quota of their own.
    assert not used_up(desks[0], OTHER, models[0]) and not used_up(desks[0], STRANGER, models[0])


def test_a_quota_of_tokens_counts_prompt_and_completion(open_shelves: Open) -> None:
    model = ScriptedModel(lines=["Fine."])
    desk = open_shelves(model=model, daily_tokens=1_500)
    turns = 0
    while not used_up(desk, REQUESTER, model):
        turns += 1
        assert turns < 50
    assert turns >= 1


def _ask_often(home: str, desk: str, times: int) -> None:
    with Desk.open(home, desk=desk, model=ScriptedModel(lines=["Fine."]), daily_calls=1_000) as opened:
        for _ in range(times):
            opened.ask("hello there", caller=REQUESTER)


def test_a_days_quota_holds_between_processes(open_shelves: Open, home: Path, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_ask_often, args=(str(home), bare(tmp_path), 4)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [p.exitcode for p in processes] == [0, 0]
    model = ScriptedModel(lines=["Fine."])
    desk = open_shelves(model=model, daily_calls=9)
    assert [used_up(desk, REQUESTER, model) for _ in range(2)] == [False, True]


def test_threads_that_ask_at_once_cannot_spend_more_than_one_call_each_beyond_the_quota(open_shelves: Open) -> None:
    model = ScriptedModel(lines=["Fine."])
    desk = open_shelves(model=model, daily_calls=4)
    asking = [threading.Thread(target=desk.ask, args=("hello",), kwargs={"caller": REQUESTER}) for _ in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert 4 <= len(model.prompts) <= 8
    assert used_up(desk, REQUESTER, model)


def test_waiting_for_a_signature_is_not_work(open_desk: Open, tmp_path: Path) -> None:
    @tool(risk="write", effect="outside", preview=lambda **_: Preview("Move"))
    def move(n: int) -> int:
        """Moves something."""
        return n

    model = ScriptedModel(lines=[call("move", n=1), "Moved."])
    desk = open_desk(desk=bare(tmp_path), model=model, tools=[move], max_work_s=4)
    turn = desk.ask("move 1", caller=REQUESTER)
    threading.Event().wait(4.1)
    desk.decide(turn.approvals[0].id, "approve", by=REQUESTER)
    turn = desk.resume(turn.thread)
    assert (turn.status, turn.limited) == (Status.DONE, "")
