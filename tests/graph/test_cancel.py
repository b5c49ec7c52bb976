"""A run that is cancelled ends at a step's edge, and the thread goes on from there."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event as Flag
from threading import Thread
from typing import Any

import pytest
from history import faults
from people import REQUESTER, STRANGER
from scripted import stamp_tool
from streamed import StreamedModel, whole

from signoff import Desk, tool
from signoff.errors import NotFound
from signoff.graph.turn import Event, Turn
from signoff.state import Status

Open = Callable[..., Desk]


def watched(desk: Desk, thread: str, found: list[Any]) -> Thread:
    """A run in a thread of its own, whose events are put into `found`."""

    def run() -> None:
        found.extend(desk.ask_events("Where is order A1001?", caller=REQUESTER, thread=thread))

    started = Thread(target=run)
    started.start()
    return started


def types(found: list[Any]) -> list[str]:
    return [e.type for e in found if isinstance(e, Event)]


def test_while_a_silent_model_is_asked(open_desk: Open) -> None:
    asked, over = Flag(), Flag()
    model = StreamedModel(answers=[[asked.set, lambda: over.wait(30), "Late."], ["It was delivered."]])
    desk, found = open_desk(model=model), []
    running = watched(desk, "t", found)
    assert asked.wait(20) and desk.cancel("t", caller=REQUESTER)
    running.join(20)
    assert not running.is_alive()
    over.set()
    assert types(found)[-2:] == ["cancelled", "final"] and isinstance(found[-1], Turn)
    assert found[-1].status is Status.RUNNING
    turn = desk.resume("t")
    assert (turn.status, turn.answer) == (Status.DONE, "It was delivered.")
    assert faults(desk.messages("t")) == []


def test_between_two_steps_with_the_step_under_way_finished(open_desk: Open) -> None:
    begun, go_on = Flag(), Flag()

    @tool
    def slow_look(words: str) -> dict[str, str]:
        """Looks slowly. Not for anything else."""
        begun.set()
        go_on.wait(20)
        return {"looked": words}

    model = StreamedModel(answers=[[whole(0, "slow_look", words="order A1001")], ["It was seen."]])
    desk, found = open_desk(model=model, tools=[slow_look]), []
    running = watched(desk, "t", found)
    assert begun.wait(20) and desk.cancel("t")
    go_on.set()
    running.join(20)
    assert "cancelled" in types(found) and types(found).count("tool_end") == 1
    assert model.asked == 1
    again = desk.ask("Hello again", caller=REQUESTER, thread="t")
    assert again.status is Status.DONE and faults(desk.messages("t")) == []


def test_nothing_is_cancelled_where_nothing_runs(desk: Desk) -> None:
    turn = desk.ask("Refund order A1003, it arrived broken", caller=REQUESTER)
    assert turn.status is Status.WAITING
    assert desk.cancel(turn.thread) is False
    assert desk.resume(turn.thread).status is Status.WAITING
    with pytest.raises(NotFound):
        desk.cancel(turn.thread, caller=STRANGER)
    with pytest.raises(NotFound):
        desk.cancel("nowhere")


def test_a_change_that_is_under_way_is_made_whole(open_desk: Open, tmp_path: Any) -> None:
    file = tmp_path / "stamps"
    model = StreamedModel(answers=[[whole(0, "stamp", words="order A1001")], ["It is stamped."]])
    desk = open_desk(model=model, tools=[stamp_tool(file)])
    waiting = desk.ask("Stamp order A1001", caller=REQUESTER)
    desk.decide(waiting.approvals[0].id, "approve", by=REQUESTER)
    found: list[Any] = []
    for item in desk.resume_events(waiting.thread):
        found.append(item)
        if isinstance(item, Event) and item.type == "tool_end":
            assert desk.cancel(waiting.thread)
    assert "cancelled" in types(found) and file.read_text().count("\n") == 1
    turn = desk.resume(waiting.thread)
    assert (turn.status, turn.answer) == (Status.DONE, "It is stamped.")
    assert file.read_text().count("\n") == 1
