"""Threads with signatures, changed minds and wrong calls, through each provider's wire format, streamed and whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from history import faults
from langchain_core.messages import AIMessage
from langchain_core.messages.tool import invalid_tool_call
from people import REQUESTER, SUPERVISOR, refunds
from scripted import ScriptedModel, call, calls
from wire_desks import FORMATS

from signoff import Desk
from signoff.state import Status

DeskOn = Callable[..., Any]
WAYS = [(f, s) for f in FORMATS for s in (True, False)]
pytestmark = [pytest.mark.slow, pytest.mark.parametrize(("format", "stream"), WAYS)]


def test_a_thread_goes_on_after_a_rejection_an_edit_and_a_withdrawal(
    format: str,
    stream: bool,
    desk_on: DeskOn,
) -> None:
    desk: Desk
    desk, server = desk_on(format, stream=stream)
    turn = desk.ask("Refund order A1003, it arrived broken", caller=REQUESTER)
    thread = turn.thread
    desk.decide(turn.approvals[0].id, "reject", by=SUPERVISOR, reason="customer already called")
    turn = desk.resume(thread)
    assert turn.status is Status.REJECTED
    assert "customer already called" in turn.answer
    turn = desk.ask("把 A1002 的收货地址改成上海市人民路8号", caller=REQUESTER, thread=thread)
    edited = desk.decide(turn.approvals[0].id, "edit", by=SUPERVISOR, args={"address": "上海市人民路8号 🏠 2 楼"})
    desk.decide(edited.id, "approve", by=SUPERVISOR)
    assert "上海市人民路8号 🏠 2 楼" in desk.resume(thread).answer
    turn = desk.ask("Refund order A1004, the screen is broken", caller=REQUESTER, thread=thread)
    assert turn.status is Status.WAITING
    turn = desk.ask("What is the status of order A1006?", caller=REQUESTER, thread=thread)
    assert turn.status is Status.DONE
    assert "A1006" in turn.answer
    assert refunds(desk) == []
    assert {asked.stream for asked in server.asked} == {stream}
    assert faults(desk.messages(thread)) == []


def test_wrong_calls_are_answered_each_and_the_turn_goes_on(
    format: str,
    stream: bool,
    desk_on: DeskOn,
) -> None:
    broken: AIMessage = call("query_order", order_id=17)
    if format in ("openai", "responses") or (format == "anthropic" and stream):
        raw = invalid_tool_call(name="query_order", args='{"order_id": A1001', id="b", error="")
        broken = AIMessage("", invalid_tool_calls=[raw])
    answer = "好的 👩🏽‍💻: “A1001” was signed for on 2026-10-22,\n签收 — فهمت."
    brain = ScriptedModel(
        lines=[
            calls(("query_order", {"order_id": "A1001"}, "same"), ("query_logistics", {"order_id": "A1001"}, "same")),
            calls(("query_order", {"order_id": "A1001"}, "same"), ("list_my_orders", {}, "other")),
            broken,
            call("no_such_tool", "again", x={"y": ["{", "“”", None]}),
            answer,
        ]
    )
    desk, server = desk_on(format, brain, stream=stream)
    turn = desk.ask("订单 A1001 什么状态?", caller=REQUESTER)
    assert turn.status is Status.DONE
    assert turn.answer == answer
    results = [m for m in server.asked[-1].messages if m.type == "tool"]
    made = [c for m in server.asked[-1].messages if isinstance(m, AIMessage) for c in m.tool_calls]
    assert len(results) == len(made) == 6
    assert faults(desk.messages(turn.thread)) == []
