"""Sources that fail: what is asked again, how often, when a source is left alone, and what is said instead."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from envelopes import bare, envelopes, spans
from failing_source import Source, status, tools_on
from page_server import answer, serving
from people import REQUESTER, STRANGER
from scripted import ScriptedModel, call, calls

from signoff import Caller, Desk, tool
from signoff.graph.turn import Turn
from signoff.state import Status
from signoff.tools.breakers import Breakers

Open = Callable[..., Desk]


@pytest.fixture
def source() -> Iterator[Source]:
    with serving() as server:
        source = Source(server)
        yield source
        source.over()


@pytest.fixture
def open_bare(open_desk: Open, tmp_path: Path) -> Open:
    """Opens desks that have the test's own tools only."""
    return partial(open_desk, desk=bare(tmp_path))


@pytest.fixture
def ask(open_bare: Open, source: Source) -> Callable[..., tuple[Desk, Turn]]:
    """Ask a desk on the source with a script; returns the desk and the turn."""

    def one(*script: Any, **options: Any) -> tuple[Desk, Turn]:
        caller = options.pop("caller", REQUESTER)
        question = options.pop("question", "do it")
        desk = open_bare(model=ScriptedModel(lines=[*script, "So it stands."]), tools=tools_on(source), **options)
        return desk, desk.ask(question, caller=caller)

    return one


PASSING = {
    "429": status(429),
    "500": status(500),
    "502": status(502),
    "503": status(503),
    "a dropped connection": "drop",
    "half an answer": answer(200, {"Content-Length": "400"}, b"fin"),
}


@pytest.mark.parametrize("what", list(PASSING))
def test_a_read_marked_idempotent_is_tried_again_after_what_may_pass(what: str, source: Source, ask: Any) -> None:
    source.says(PASSING[what], PASSING[what])
    desk, turn = ask(call("steady"))
    [result] = envelopes(desk, turn)
    assert result.ok and result.data == {"text": "fine", "n": 0}
    assert source.asked == 3 and result.metadata["tries"] == 3
    assert [(s["name"], s["tried"]) for s in spans(desk, "retry")] == [("steady", 1), ("steady", 2)]


@pytest.mark.parametrize("what", list(PASSING))
def test_a_read_that_is_not_marked_is_tried_once(what: str, source: Source, ask: Any) -> None:
    source.says(PASSING[what])
    desk, turn = ask(call("once_only"))
    [result] = envelopes(desk, turn)
    assert source.asked == 1 and "tries" not in result.metadata
    assert result.error is not None and (result.error.code, result.error.retryable) == ("SERVICE_UNAVAILABLE", True)


@pytest.mark.parametrize("code", [400, 401, 403, 404, 409, 422])
def test_a_refusal_stays_one(code: int, source: Source, ask: Any) -> None:
    source.says(status(code), status(code), status(code))
    desk, turn = ask(call("steady"))
    [result] = envelopes(desk, turn)
    assert source.asked == 1
    assert result.error is not None and not result.error.retryable
    assert source.url not in str(result) and str(code) not in result.error.message


def test_what_never_passes_is_given_up_after_three_tries(source: Source, ask: Any) -> None:
    source.says(*[status(503)] * 9)
    desk, turn = ask(call("steady"), question="查一下")
    [result] = envelopes(desk, turn)
    assert source.asked == 3
    assert result.error is not None and result.error.code == "SERVICE_UNAVAILABLE"
    assert result.error.message == "steady 的数据源没有响应。"
    assert turn.status is Status.DONE


def test_a_time_out_is_tried_again(source: Source, ask: Any) -> None:
    source.says("hang")
    desk, turn = ask(call("hasty"))
    assert envelopes(desk, turn)[0].metadata["tries"] == 2
    source.says("hang", "hang", "hang", "hang")
    desk, turn = ask(call("hasty"))
    [result] = envelopes(desk, turn)
    assert source.asked == 3
    assert result.error is not None and result.error.code == "TIMEOUT"


def test_as_long_as_the_source_asks_to_wait_it_is_waited(source: Source, ask: Any) -> None:
    def until_then() -> bytes:
        return status(503, Retry_After=format_datetime(datetime.now(UTC) + timedelta(seconds=3), usegmt=True))

    source.says(status(429, Retry_After="1"), until_then)
    desk, turn = ask(call("steady"))
    assert envelopes(desk, turn)[0].ok
    first, second = spans(desk, "retry")
    assert first["wait_s"] >= 1
    # What is left until the moment that the header named; without it the wait would be shorter than half a second.
    assert 0.5 < second["wait_s"] <= 3


@pytest.mark.parametrize("seconds", ["3600", "119.9"])
def test_a_wait_beyond_the_turns_deadline_is_not_begun(seconds: str, source: Source, ask: Any) -> None:
    source.says(status(503, Retry_After=seconds))
    desk, turn = ask(call("steady"), max_work_s=60)
    [result] = envelopes(desk, turn)
    assert source.asked == 1 and spans(desk, "retry") == []
    assert result.error is not None and result.error.code == "SERVICE_UNAVAILABLE"


def test_a_read_that_hangs_does_not_outlive_the_turns_time(open_bare: Open) -> None:
    over = threading.Event()

    @tool(timeout_s=600.0)
    def patient() -> str:
        """Answers when it is let go."""
        over.wait(60)
        return "late"

    desk = open_bare(model=ScriptedModel(lines=[call("patient"), "Not now."]), tools=[patient], max_work_s=3)
    turn = desk.ask("do it", caller=REQUESTER)
    over.set()
    assert [s.outcome for s in turn.steps] == ["TIMEOUT"]


@pytest.mark.parametrize("what", ["drop", status(503), status(429, Retry_After="0"), status(500)])
def test_a_write_whose_connection_breaks_is_made_once_and_its_outcome_unknown(
    what: Any, source: Source, ask: Any
) -> None:
    source.says(what)
    desk, turn = ask(call("post"))
    assert turn.status is Status.WAITING and source.asked == 0
    desk.decide(turn.approvals[0].id, "approve", by=REQUESTER)
    turn = desk.resume(turn.thread)
    assert [s.outcome for s in turn.steps] == ["OUTCOME_UNKNOWN"]
    desk.resume(turn.thread)
    for step in desk.history(turn.thread):
        desk.replay(turn.thread, step.checkpoint)
    assert source.asked == 1


@pytest.mark.parametrize(("n", "outcome"), [(1, "ok"), (2, "CANCELLED")])
def test_a_write_that_can_be_looked_for_is_looked_for_and_not_made_again(
    n: int, outcome: str, source: Source, ask: Any
) -> None:
    source.says("drop")
    desk, turn = ask(call("put", n=n), question=f"put {n}")
    desk.decide(turn.approvals[0].id, "approve", by=REQUESTER)
    turn = desk.resume(turn.thread)
    assert [s.outcome for s in turn.steps] == [outcome]
    assert source.asked == 1
    if outcome == "ok":
        assert turn.steps[0].data == {"found": 1}


def test_a_draft_whose_connection_breaks_is_made_once(source: Source, ask: Any) -> None:
    source.says("drop", "drop")
    _, turn = ask(call("sketch"))
    assert [s.outcome for s in turn.steps] == ["OUTCOME_UNKNOWN"]
    assert source.asked == 1


class Hand:
    """A clock that a test turns by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_source_that_keeps_failing_is_left_alone_then_tried_by_one_call(open_bare: Open, source: Source) -> None:
    hand = Hand()
    model = ScriptedModel(lines=[])
    desk = open_bare(model=model, tools=tools_on(source))
    desk.services.gateway.asking.breakers = Breakers(threshold=3, open_s=30, clock=hand)

    def ask(n: int, caller: Caller = REQUESTER, name: str = "once_only") -> Any:
        model.lines[:], model._said = [call(name, n=n), "So it stands."], 0
        return envelopes(desk, desk.ask("do it", caller=caller))[0]

    source.says(*[status(503)] * 3)
    for n in range(3):
        assert ask(n).error.code == "SERVICE_UNAVAILABLE"
    assert source.asked == 3
    shut = ask(4)
    assert source.asked == 3
    assert shut.error.code == "SERVICE_UNAVAILABLE" and "not asked again for 30 s" in shut.error.message
    # Another tenant, and another tool, have breakers of their own.
    assert ask(5, STRANGER).ok and ask(5, name="steady").ok
    assert source.asked == 5

    hand.now += 31
    source.says(status(503))
    assert ask(6).error.message == "once_only's source does not answer."
    assert ask(7).error.message.startswith("once_only failed several times in a row")
    assert source.asked == 1
    hand.now += 31
    source.says()
    assert ask(8).ok and ask(9).ok
    assert source.asked == 2


def test_refusals_do_not_open_the_breaker(open_bare: Open, source: Source) -> None:
    model = ScriptedModel(lines=[])
    desk = open_bare(model=model, tools=tools_on(source))
    source.says(*[status(403)] * 9)
    for n in range(9):
        model.lines[:], model._said = [call("once_only", n=n), "So it stands."], 0
        desk.ask("do it", caller=REQUESTER)
    assert source.asked == 9
    assert desk.services.gateway.asking.breakers.report() == []


@pytest.mark.parametrize(
    ("question", "summary"),
    [
        ("do it", "It says old. (from 3 h ago: the source cannot be asked now)"),
        ("查一下", "有结果。（数据源暂时不可用，这是 3 h 前的结果）"),
    ],
)
def test_a_fallback_is_labelled_as_stale_with_its_age(question: str, summary: str, source: Source, ask: Any) -> None:
    source.says(status(503))
    desk, turn = ask(call("cached"), question=question)
    [result] = envelopes(desk, turn)
    assert result.ok and result.data == {"text": "old", "n": 0}
    assert result.metadata["stale"]["age"] == "3 h"
    assert datetime.fromisoformat(result.metadata["stale"]["as_of"]) < datetime.now(UTC) - timedelta(hours=3)
    assert result.metadata["summary"] == summary == turn.steps[0].summary


def test_while_the_breaker_is_open_the_fallback_answers_without_asking(open_bare: Open, source: Source) -> None:
    model = ScriptedModel(lines=[calls(*[("cached", {"n": n}, f"c{n}") for n in range(4)]), "So it stands."])
    desk = open_bare(model=model, tools=tools_on(source), parallel_reads=1)
    desk.services.gateway.asking.breakers = Breakers(threshold=2, open_s=600)
    source.says(*["drop"] * 4)
    results = envelopes(desk, desk.ask("do it", caller=REQUESTER))
    assert [r.data["text"] for r in results] == ["old"] * 4
    assert source.asked == 2


def test_a_fallback_that_fails_too_leaves_the_sources_own_failure(source: Source, ask: Any) -> None:
    source.says("drop")
    desk, turn = ask(call("cached", n=13))
    [result] = envelopes(desk, turn)
    assert result.error is not None and result.error.code == "SERVICE_UNAVAILABLE"
    assert "remembered" not in result.error.message


def test_a_fresh_answer_is_not_called_stale(source: Source, ask: Any) -> None:
    source.says()
    desk, turn = ask(call("cached"))
    [result] = envelopes(desk, turn)
    assert "stale" not in result.metadata and result.metadata["summary"] == "It says fine."
