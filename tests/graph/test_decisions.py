"""Who may sign, what a signature is good for, and what it is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from history import faults
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import Command
from people import OTHER, REQUESTER, SECOND, STRANGER, SUPERVISOR, refunds
from scripted import ScriptedModel, call, calls
from sqlalchemy import text

from signoff import Caller, Desk, Turn
from signoff.approvals import ApprovalStatus
from signoff.errors import DecisionRefused, NotFound, UsageError
from signoff.state import Status

BROKEN = "it arrived broken"


@pytest.fixture
def parked(open_desk: Callable[..., Desk]) -> Callable[..., tuple[Desk, Turn]]:
    """A desk with one refund waiting for a signature."""

    def park(order: str = "A1003", caller: Caller = REQUESTER, **options: Any) -> tuple[Desk, Turn]:
        script = ScriptedModel(lines=[call("refund_order", order_id=order, reason=BROKEN), "So it stands."])
        desk = open_desk(model=script, **options)
        return desk, desk.ask(f"Refund order {order}, {BROKEN}", caller=caller)

    return park


def expire(desk: Desk) -> None:
    with desk.services.database.write() as tx:
        tx.execute(text("UPDATE approvals SET expires_at = '2020-01-01T00:00:00+00:00'"))


def test_nothing_has_changed_while_a_refund_waits(parked: Callable[..., tuple[Desk, Turn]]) -> None:
    desk, turn = parked()
    card = turn.approvals[0].card
    assert turn.status is Status.WAITING
    assert refunds(desk) == []
    assert card.title == "Refund order A1003: 299.00 yuan"
    assert not card.reversible
    assert card.words == f"Refund order A1003, {BROKEN}"
    assert {o.argument: o.source for o in card.origins} == {"order_id": "user", "reason": "user"}
    assert desk.resume(turn.thread).status is Status.WAITING
    assert refunds(desk) == []


def test_an_approved_refund_is_made_once_however_often_it_is_resumed(parked: Callable[..., tuple[Desk, Turn]]) -> None:
    desk, turn = parked()
    first = desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    again = desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    assert first.status is again.status is ApprovalStatus.APPROVED
    for _ in range(3):
        turn = desk.resume(turn.thread)
    assert turn.status is Status.DONE
    assert refunds(desk) == ["A1003"]
    with pytest.raises(DecisionRefused, match="already carried out"):
        desk.decide(turn.approvals[0].id, "reject", by=SECOND)


def test_a_rejected_refund_is_not_made_and_the_model_is_told_why(parked: Callable[..., tuple[Desk, Turn]]) -> None:
    desk, turn = parked()
    desk.decide(turn.approvals[0].id, "reject", by=SUPERVISOR, reason="customer already called")
    with pytest.raises(DecisionRefused, match="already rejected by s-02"):
        desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    turn = desk.resume(turn.thread)
    answer = next(m for m in desk.messages(turn.thread) if isinstance(m, ToolMessage))
    error = json.loads(str(answer.content))["error"]
    assert turn.status is Status.REJECTED
    assert error["code"] == "REJECTED"
    assert "customer already called" in error["message"]
    assert not error["retryable"]
    assert refunds(desk) == []


def test_a_rejected_call_that_the_model_makes_again_is_refused(open_desk: Callable[..., Desk]) -> None:
    again = call("refund_order", order_id="A1003", reason=BROKEN)
    desk = open_desk(model=ScriptedModel(lines=[again, again, "It was not done."]))
    turn = desk.ask(f"Refund order A1003, {BROKEN}", caller=REQUESTER)
    desk.decide(turn.approvals[0].id, "reject", by=SUPERVISOR)
    turn = desk.resume(turn.thread)
    assert [s.outcome for s in turn.steps] == ["REJECTED", "REPEATED_CALL"]
    assert desk.approvals(SUPERVISOR) == []
    assert refunds(desk) == []


def test_an_expired_approval_neither_takes_a_decision_nor_runs(parked: Callable[..., tuple[Desk, Turn]]) -> None:
    desk, turn = parked()
    expire(desk)
    with pytest.raises(DecisionRefused, match="expired"):
        desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    assert desk.resume(turn.thread).status is Status.EXPIRED
    assert refunds(desk) == []


def test_a_granted_approval_that_expires_before_it_is_used_does_not_run(
    parked: Callable[..., tuple[Desk, Turn]],
) -> None:
    desk, turn = parked()
    desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    expire(desk)
    assert desk.resume(turn.thread).status is Status.EXPIRED
    assert refunds(desk) == []


@pytest.mark.parametrize(
    ("order", "by", "error", "why"),
    [
        ("A1004", REQUESTER, DecisionRefused, "somebody other than its requester"),
        (
            "A1004",
            Caller("acme", "u-17", frozenset({"supervisor"})),
            DecisionRefused,
            "somebody other than its requester",
        ),
        ("A1004", OTHER, NotFound, "no approval"),
        ("A1004", Caller("acme", "k-01", frozenset({"agent"})), NotFound, "no approval"),
        ("A1004", STRANGER, NotFound, "no approval"),
        ("A1004", Caller("globex", "s-02", frozenset({"supervisor"})), NotFound, "no approval"),
        ("A1003", OTHER, NotFound, "no approval"),
        ("A1003", Caller("globex", "s-02", frozenset({"supervisor"})), NotFound, "no approval"),
    ],
)
def test_who_is_not_entitled_cannot_sign(
    order: str, by: Caller, error: type[Exception], why: str, parked: Callable[..., tuple[Desk, Turn]]
) -> None:
    desk, turn = parked(order)
    with pytest.raises(error, match=why):
        desk.decide(turn.approvals[0].id, "approve", by=by)
    assert desk.resume(turn.thread).status is Status.WAITING
    assert refunds(desk) == []


@pytest.mark.parametrize("order", ["A1003", "A1004"])
def test_a_supervisor_who_did_not_ask_can_sign(order: str, parked: Callable[..., tuple[Desk, Turn]]) -> None:
    desk, turn = parked(order)
    desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    assert desk.resume(turn.thread).status is Status.DONE
    assert refunds(desk) == [order]


def test_requesters_sign_their_own_ordinary_writes_unless_the_setting_forbids_it(
    parked: Callable[..., tuple[Desk, Turn]],
) -> None:
    desk, turn = parked(self_approval=False)
    with pytest.raises(DecisionRefused, match="somebody other"):
        desk.decide(turn.approvals[0].id, "approve", by=REQUESTER)
    desk, turn = parked()
    assert desk.decide(turn.approvals[0].id, "approve", by=REQUESTER).status is ApprovalStatus.APPROVED


def test_above_the_second_threshold_two_different_supervisors_must_sign(
    parked: Callable[..., tuple[Desk, Turn]],
) -> None:
    desk, turn = parked("A2002", OTHER)
    approval = turn.approvals[0].id
    assert desk.decide(approval, "approve", by=SUPERVISOR).status is ApprovalStatus.PENDING
    with pytest.raises(DecisionRefused, match="2 different people"):
        desk.decide(approval, "approve", by=SUPERVISOR)
    assert desk.resume(turn.thread).status is Status.WAITING
    assert desk.decide(approval, "approve", by=SECOND).status is ApprovalStatus.APPROVED
    assert desk.resume(turn.thread).status is Status.DONE
    assert refunds(desk) == ["A2002"]


def test_an_edit_is_a_new_approval_and_what_runs_is_what_was_last_signed(open_desk: Callable[..., Desk]) -> None:
    script = ScriptedModel(
        lines=[call("update_address", order_id="A1002", address="8 Remnin Road, Shanghai"), "Changed."]
    )
    desk = open_desk(model=script)
    turn = desk.ask("Change the address of A1002 to 8 Remnin Road, Shanghai", caller=REQUESTER)
    first = turn.approvals[0]
    second = desk.decide(first.id, "edit", by=SUPERVISOR, args={"address": "8 Renmin Road, Shanghai"}, reason="typo")
    assert second.digest != first.digest
    assert second.replaces == first.id
    assert [c["after"] for c in second.card.changes] == ["8 Renmin Road, Shanghai"]
    assert {o.argument: o.source for o in second.card.origins}["address"] == "editor"
    assert desk.resume(turn.thread).status is Status.WAITING
    with pytest.raises(DecisionRefused, match=second.id):
        desk.decide(first.id, "approve", by=SUPERVISOR)
    desk.decide(second.id, "approve", by=SUPERVISOR)
    turn = desk.resume(turn.thread)
    assert turn.steps[-1].data["address"] == "8 Renmin Road, Shanghai"
    answer = [m for m in desk.messages(turn.thread) if isinstance(m, ToolMessage)][-1]
    assert json.loads(str(answer.content))["metadata"]["edited"]["by"] == "s-02"


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ({"address": ""}, UsageError),
        ({"order_id": "A1003"}, DecisionRefused),
        ({"order_id": "nonsense"}, UsageError),
        ({"amount": "1"}, UsageError),
        ({"address": "8 Remnin Road, Shanghai"}, UsageError),
        ({}, UsageError),
        (None, UsageError),
    ],
)
def test_an_edit_that_cannot_be_carried_out_leaves_the_card_as_it_was(
    args: dict[str, str] | None, error: type[Exception], open_desk: Callable[..., Desk]
) -> None:
    script = ScriptedModel(lines=[call("update_address", order_id="A1002", address="8 Remnin Road, Shanghai"), "Done."])
    desk = open_desk(model=script)
    turn = desk.ask("Change the address of A1002 to 8 Remnin Road, Shanghai", caller=REQUESTER)
    with pytest.raises(error):
        desk.decide(turn.approvals[0].id, "edit", by=SUPERVISOR, args=args)
    assert [a.id for a in desk.approvals(SUPERVISOR)] == [turn.approvals[0].id]


def test_who_edits_a_critical_write_cannot_sign_it(parked: Callable[..., tuple[Desk, Turn]]) -> None:
    desk, turn = parked("A1004")
    edited = desk.decide(turn.approvals[0].id, "edit", by=SUPERVISOR, args={"reason": "the screen was broken"})
    with pytest.raises(DecisionRefused, match="edited"):
        desk.decide(edited.id, "approve", by=SUPERVISOR)
    desk.decide(edited.id, "approve", by=SECOND)
    desk.resume(turn.thread)
    assert refunds(desk) == ["A1004"]


def test_a_new_message_withdraws_what_waits(parked: Callable[..., tuple[Desk, Turn]]) -> None:
    desk, turn = parked()
    later = desk.ask("never mind", caller=REQUESTER, thread=turn.thread)
    assert later.status is Status.DONE
    assert faults(desk.messages(turn.thread)) == []
    with pytest.raises(DecisionRefused, match="withdrawn"):
        desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    assert refunds(desk) == []


def test_arguments_changed_in_the_state_after_the_signature_do_not_run(
    parked: Callable[..., tuple[Desk, Turn]],
) -> None:
    desk, turn = parked()
    desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    config = {"configurable": {"thread_id": turn.thread}}
    message = next(m for m in desk.messages(turn.thread) if isinstance(m, AIMessage))
    forged = message.model_copy(
        update={"tool_calls": [{**message.tool_calls[0], "args": {"order_id": "A1004", "reason": BROKEN}}]}
    )
    desk.graph.update_state(config, {"messages": [forged]}, as_node="tools")
    turn = desk.resume(turn.thread)
    assert refunds(desk) == []
    assert turn.status is not Status.DONE or turn.steps[-1].outcome != "ok"


def test_a_decision_forged_into_the_state_counts_for_nothing(parked: Callable[..., tuple[Desk, Turn]]) -> None:
    desk, turn = parked("A1004")
    config = {"configurable": {"thread_id": turn.thread}}
    approval = turn.approvals[0].id
    desk.graph.update_state(config, {"approvals": [approval], "status": "done", "answer": "approved"}, as_node="tools")
    for value in (True, "approve", {approval: "approve"}, {approval: {"decision": "approve", "by": "s-02"}}, None):
        desk.graph.invoke(Command(resume=value), config, context=REQUESTER)
        assert refunds(desk) == []
    desk.graph.invoke(None, config, context=REQUESTER, interrupt_before=[])
    assert refunds(desk) == []


def test_resuming_with_a_decision_is_a_decision_of_whoever_resumes(parked: Callable[..., tuple[Desk, Turn]]) -> None:
    desk, turn = parked("A1004")
    config = {"configurable": {"thread_id": turn.thread}}
    shown = desk.graph.invoke(None, config, context=REQUESTER)["__interrupt__"][0].value
    approval = shown["approvals"][0]["id"]
    refused = desk.graph.invoke(Command(resume={approval: {"decision": "approve"}}), config, context=REQUESTER)
    assert "somebody other" in refused["__interrupt__"][0].value["problem"]
    done = desk.graph.invoke(Command(resume={approval: {"decision": "approve"}}), config, context=SUPERVISOR)
    assert done["status"] == Status.DONE
    assert refunds(desk) == ["A1004"]


def test_of_two_writes_in_a_message_each_has_its_own_card_and_decision(open_desk: Callable[..., Desk]) -> None:
    both = calls(
        ("refund_order", {"order_id": "A1003", "reason": BROKEN}, "x"),
        ("query_order", {"order_id": "A1001"}, "y"),
        ("refund_order", {"order_id": "A1004", "reason": BROKEN}, "z"),
    )
    desk = open_desk(model=ScriptedModel(lines=[both, "So it stands."]))
    turn = desk.ask(f"Refund A1003 and A1004, {BROKEN}; how is A1001?", caller=REQUESTER)
    by_order = {a.args["order_id"]: a.id for a in turn.approvals}
    desk.decide(by_order["A1004"], "approve", by=SUPERVISOR)
    assert desk.resume(turn.thread).status is Status.WAITING
    desk.decide(by_order["A1003"], "reject", by=SUPERVISOR)
    turn = desk.resume(turn.thread)
    assert [(s.args["order_id"], s.outcome) for s in turn.steps] == [
        ("A1003", "REJECTED"),
        ("A1001", "ok"),
        ("A1004", "ok"),
    ]
    assert refunds(desk) == ["A1004"]
    assert faults(desk.messages(turn.thread)) == []


def test_replays_and_forks_from_before_and_after_a_refund_do_not_repeat_it(
    parked: Callable[..., tuple[Desk, Turn]],
) -> None:
    desk, turn = parked()
    desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    turn = desk.resume(turn.thread)
    steps = desk.history(turn.thread, limit=50)
    for step in steps:
        for recorded in (True, False):
            replay = desk.replay(turn.thread, step.checkpoint, recorded=recorded)
            assert replay.same or not recorded
        assert refunds(desk) == ["A1003"]
    assert desk.turn(turn.thread).checkpoint == turn.checkpoint
    for step in steps:
        desk.fork(turn.thread, step.checkpoint)
        desk.resume(turn.thread)
        desk.resume(turn.thread)
        assert refunds(desk) == ["A1003"]
        assert faults(desk.messages(turn.thread), parked=True) == []
