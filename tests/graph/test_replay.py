"""Replays are exact, change nothing, and say where they differ; forks go on from where they were made."""

from __future__ import annotations

from collections.abc import Callable

from history import faults
from langchain_core.messages import HumanMessage
from people import REQUESTER, SUPERVISOR, refunds
from scripted import ScriptedModel, call

from signoff import Desk
from signoff.errors import NotFound
from signoff.state import Status


def three_turns(open_desk: Callable[..., Desk]) -> tuple[Desk, str]:
    """A thread with a look-up, a signed refund and small talk."""
    desk = open_desk(
        model=ScriptedModel(
            lines=[
                call("query_order", order_id="A1001"),
                "A1001 was signed for on 2026-10-22.",
                call("refund_order", order_id="A1003", reason="it arrived broken"),
                "Order A1003 was refunded.",
                "Hello.",
            ]
        )
    )
    thread = desk.ask("How is A1001?", caller=REQUESTER).thread
    turn = desk.ask("Refund order A1003, it arrived broken", caller=REQUESTER, thread=thread)
    desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    desk.resume(thread)
    desk.ask("hello", caller=REQUESTER, thread=thread)
    return desk, thread


def test_a_recorded_replay_from_every_checkpoint_is_exact(open_desk: Callable[..., Desk]) -> None:
    desk, thread = three_turns(open_desk)
    steps = desk.history(thread, limit=100)
    assert len(steps) > 12
    for step in steps:
        replay = desk.replay(thread, step.checkpoint, recorded=True)
        assert replay.same, (step, replay.differences)
    assert refunds(desk) == ["A1003"]
    assert {s.checkpoint for s in desk.history(thread, limit=100)} == {s.checkpoint for s in steps}


def test_a_replay_with_another_model_says_where_it_differs(open_desk: Callable[..., Desk]) -> None:
    desk, thread = three_turns(open_desk)
    first = desk.history(thread, limit=100)[-1]
    desk.close()
    other = open_desk(model=ScriptedModel(lines=[call("list_my_orders"), "You have six orders."]))
    replay = other.replay(thread, first.checkpoint)
    assert not replay.same
    assert "query_order then, list_my_orders now" in " ".join(replay.differences)
    assert other.replay(thread, first.checkpoint, recorded=True).same


def test_a_replay_proposes_nothing(open_desk: Callable[..., Desk]) -> None:
    desk, thread = three_turns(open_desk)
    first = desk.history(thread, limit=100)[-1]
    desk.close()
    eager = open_desk(
        model=ScriptedModel(lines=[call("refund_order", order_id="A1001", reason="it arrived broken"), "So."])
    )
    eager.replay(thread, first.checkpoint)
    assert eager.approvals(SUPERVISOR) == []
    assert refunds(eager) == ["A1003"]


def test_a_fork_with_other_words_becomes_the_threads_present(open_desk: Callable[..., Desk]) -> None:
    desk, thread = three_turns(open_desk)
    steps = desk.history(thread, limit=100)
    end_of_first = next(s for s in reversed(steps) if not s.next)
    desk.close()
    other = open_desk(model=ScriptedModel(lines=["Good morning."]))
    turn = other.fork(thread, end_of_first.checkpoint, "good morning")
    assert (turn.status, turn.answer) == (Status.DONE, "Good morning.")
    asked = [str(m.content) for m in other.messages(thread) if isinstance(m, HumanMessage)]
    assert asked == ["How is A1001?", "good morning"]
    assert faults(other.messages(thread)) == []
    assert len(other.history(thread, limit=100)) > len(steps)


def test_pruned_threads_stay_readable_and_deleted_ones_are_gone(open_desk: Callable[..., Desk]) -> None:
    desk, thread = three_turns(open_desk)
    before = [m.id for m in desk.messages(thread)]
    assert desk.prune(thread, keep=2) > 0
    assert [m.id for m in desk.messages(thread)] == before
    assert len(desk.history(thread, limit=100)) == 2
    assert desk.ask("hello", caller=REQUESTER, thread=thread).status is Status.DONE
    desk.delete(thread, caller=REQUESTER)
    for gone in (lambda: desk.messages(thread), lambda: desk.resume(thread), lambda: desk.history(thread)):
        try:
            gone()
        except NotFound:
            continue
        raise AssertionError("a deleted thread was found")
    assert refunds(desk) == ["A1003"]
    assert desk.threads(REQUESTER) == []
