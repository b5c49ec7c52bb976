"""A thread parked under another version of the graph is closed in the open."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from history import faults
from langchain_core.messages import ToolMessage
from people import REQUESTER, SUPERVISOR, refunds
from scripted import ScriptedModel, call

from signoff import Desk
from signoff.errors import DecisionRefused
from signoff.state import GRAPH_VERSION, Status


@pytest.mark.parametrize("approved", [True, False])
@pytest.mark.parametrize("question", ["Refund order A1003, it arrived broken", "订单 A1003 坏了,退款"])
def test_what_waits_is_withdrawn_and_said_so(question: str, approved: bool, open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(model=ScriptedModel(lines=[call("refund_order", order_id="A1003", reason="broken"), "Hello."]))
    turn = desk.ask(question, caller=REQUESTER)
    if approved:
        desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    desk.services.threads.touch(turn.thread, version="0")

    turn = desk.resume(turn.thread)
    assert turn.status is Status.WITHDRAWN
    assert ("upgraded" if question.isascii() else "升级") in turn.answer
    assert refunds(desk) == []
    assert faults(desk.messages(turn.thread)) == []
    with pytest.raises(DecisionRefused, match="withdrawn"):
        desk.decide(turn.approvals[0].id, "reject", by=SUPERVISOR)
    record = desk.services.threads.find(turn.thread)
    assert record is not None and record.graph_version == GRAPH_VERSION
    assert desk.ask("hello", caller=REQUESTER, thread=turn.thread).answer == "Hello."


def test_a_server_that_knows_no_versions_does_not_run_what_another_graph_proposed(
    open_desk: Callable[..., Desk],
) -> None:
    desk = open_desk(
        model=ScriptedModel(lines=[call("refund_order", order_id="A1003", reason="broken"), "It was withdrawn."])
    )
    turn = desk.ask("Refund order A1003, it arrived broken", caller=REQUESTER)
    desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    config = {"configurable": {"thread_id": turn.thread}}
    desk.graph.update_state(config, {"version": "0"}, as_node="tools")
    turn = desk.resume(turn.thread)
    assert (turn.status, turn.steps[-1].outcome) == (Status.WITHDRAWN, "WITHDRAWN")
    assert refunds(desk) == []


def test_a_new_message_on_an_outdated_thread_is_answered(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(model=ScriptedModel(lines=[call("refund_order", order_id="A1003", reason="broken"), "Hello."]))
    turn = desk.ask("Refund order A1003, it arrived broken", caller=REQUESTER)
    desk.services.threads.touch(turn.thread, version="0")
    assert desk.ask("hello", caller=REQUESTER, thread=turn.thread).answer == "Hello."
    answers = [str(m.content) for m in desk.messages(turn.thread) if isinstance(m, ToolMessage)]
    assert len(answers) == 1 and "WITHDRAWN" in answers[0]
