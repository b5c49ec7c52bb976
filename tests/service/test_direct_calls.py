"""Calls of other programs: their own thread, the whole gateway, the same signatures."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from people import OTHER, REQUESTER, STRANGER, SUPERVISOR, refunds

from signoff import Desk, tool
from signoff.errors import NotFound
from signoff.service import calls
from signoff.service.calls import CallSession, call
from signoff.state import Status
from signoff.tools.envelope import Code

REFUND = {"order_id": "A1003", "reason": "arrived broken"}


def test_reads_of_a_session_share_a_thread_and_are_in_the_audit(desk: Desk) -> None:
    session = CallSession(desk, REQUESTER, "The program x")
    first, second = (session.call("query_order", {"order_id": o}) for o in ("A1001", "A1002"))
    assert first.thread == second.thread and first.result is not None and first.result.ok
    turn = desk.turn(first.thread)
    assert (turn.status, [s.tool for s in turn.steps]) == (Status.DONE, ["query_order"])
    assert turn.question == 'The program x called query_order with {"order_id": "A1002"}'
    assert [t.id for t in desk.threads(REQUESTER)] == [first.thread]


def test_a_thread_is_left_after_so_many_calls(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "THREAD_CALLS", 3)
    session = CallSession(desk, REQUESTER)
    threads = [session.call("query_order", {"order_id": "A1001"}).thread for _ in range(7)]
    assert [threads.count(t) for t in dict.fromkeys(threads)] == [3, 3, 1]


def test_calls_side_by_side_do_not_wait_for_each_other(open_desk: Callable[..., Desk]) -> None:
    together = Barrier(4, timeout=20)

    @tool(timeout_s=30)
    def meet(who: str) -> str:
        """Answers once all have come."""
        together.wait()
        return who

    session = CallSession(open_desk(tools=[meet]), REQUESTER)
    with ThreadPoolExecutor(4) as pool:
        met = list(pool.map(lambda who: session.call("meet", {"who": who}), "abcd"))
    assert [m.result.data for m in met if m.result is not None] == list("abcd")
    assert len({m.thread for m in met}) == 4
    assert session.call("query_order", {"order_id": "A1001"}).thread in {m.thread for m in met}


def test_a_question_that_waits_on_the_sessions_thread_does_not_stop_its_calls(desk: Desk) -> None:
    session = CallSession(desk, REQUESTER)
    thread = session.call("query_order", {"order_id": "A1003"}).thread
    assert desk.ask("Refund order A1003, it arrived broken", caller=REQUESTER, thread=thread).status is Status.WAITING
    for _ in range(2):
        made = session.call("query_order", {"order_id": "A1001"})
        assert made.result is not None and made.result.ok and made.thread != thread
    assert len(desk.approvals(REQUESTER)) == 1


def test_a_write_waits_on_a_thread_of_its_own_and_is_done_by_whoever_resumes_it(desk: Desk) -> None:
    session = CallSession(desk, REQUESTER)
    read = session.call("query_order", {"order_id": "A1003"})
    made = session.call("refund_order", REFUND)
    assert made.approval is not None and made.thread != read.thread and refunds(desk) == []
    assert session.call("query_order", {"order_id": "A1001"}).thread == read.thread
    assert desk.resume(made.thread, caller=REQUESTER).status is Status.WAITING
    desk.decide(made.approval.id, "approve", by=SUPERVISOR)
    for _ in range(2):
        assert desk.resume(made.thread, caller=REQUESTER).status is Status.DONE
    assert refunds(desk) == ["A1003"]


def test_a_rejected_write_does_nothing(desk: Desk) -> None:
    made = CallSession(desk, REQUESTER).call("refund_order", REFUND)
    assert made.approval is not None
    desk.decide(made.approval.id, "reject", by=SUPERVISOR, reason="no")
    assert desk.resume(made.thread, caller=REQUESTER).status is Status.REJECTED
    assert refunds(desk) == []


@pytest.mark.parametrize(
    ("tool", "args", "code"),
    [
        ("no_such_tool", {}, Code.UNKNOWN_TOOL),
        ("query_order", {}, Code.INVALID_ARGUMENTS),
        ("query_order", {"order_id": "A9999"}, Code.ORDER_NOT_FOUND),
        ("query_order", {"order_id": "G1001"}, Code.ORDER_NOT_FOUND),
        ("query_order", {"order_id": "A1001", "user": "u-42"}, Code.INVALID_ARGUMENTS),
        ("refund_order", {"order_id": "A1001", "reason": "I want it"}, Code.NOT_ELIGIBLE),
    ],
)
def test_what_is_wrong_with_a_call_is_in_its_result(desk: Desk, tool: str, args: dict[str, Any], code: Code) -> None:
    made = CallSession(desk, REQUESTER).call(tool, args)
    assert made.approval is None and made.result is not None and made.result.error is not None
    assert made.result.error.code is code


@pytest.mark.parametrize("stranger", [OTHER, STRANGER])
def test_nobody_calls_on_another_persons_thread(desk: Desk, stranger: Any) -> None:
    thread = CallSession(desk, REQUESTER).call("query_order", {"order_id": "A1001"}).thread
    with pytest.raises(NotFound):
        call(desk, "query_order", {"order_id": "A2001"}, caller=stranger, thread=thread)


def test_a_thread_that_waits_keeps_its_proposal(desk: Desk) -> None:
    made = CallSession(desk, REQUESTER).call("refund_order", REFUND)
    with pytest.raises(NotFound):
        call(desk, "query_order", {"order_id": "A1001"}, caller=REQUESTER, thread=made.thread)
    assert [a.id for a in desk.approvals(REQUESTER)] == [made.approval.id if made.approval else ""]


def test_a_conversation_goes_on_where_a_call_was_made(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk()
    thread = CallSession(desk, REQUESTER).call("query_order", {"order_id": "A1001"}).thread
    turn = desk.ask("订单 A1002 什么状态?", caller=REQUESTER, thread=thread)
    assert turn.status is Status.DONE and "A1002" in turn.answer
