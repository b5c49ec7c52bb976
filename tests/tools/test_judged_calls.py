"""A tool that judges each of its calls: some run at once, some are signed off, some by somebody else, some never."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from envelopes import bare, envelopes
from people import REQUESTER, SECOND, SUPERVISOR
from scripted import ScriptedModel, call, calls

from signoff import Caller, Desk, Preview, Risk, Tool, ToolError, tool
from signoff.errors import DecisionRefused
from signoff.state import Status

Open = Callable[..., Desk]
VERDICTS = {"look": Risk.READ, "note": Risk.DRAFT, "move": Risk.WRITE, "burn": Risk.CRITICAL}

done: list[str] = []


def judging_tools() -> list[Tool]:
    """A write that judges by its argument, and a page that taints a turn."""

    def judge(what: str, caller: Caller) -> Risk:
        if what.startswith("bug"):
            raise RuntimeError("password=hunter2")
        if what.startswith("forbid"):
            raise ToolError("FORBIDDEN", f"{what} is never done.", zh=f"{what} 从不执行。", hint="Say so.")
        if what.startswith("mine") and caller.user == "u-17":
            return Risk.READ
        return VERDICTS.get(what.split()[0], Risk.WRITE)

    def card(what: str, caller: Caller) -> Preview:
        return Preview(f"Do {what}")

    @tool(risk="write", effect="outside", assess=judge, preview=card, injects=("caller",))
    def act(what: str, caller: Caller) -> str:
        """Does what it is told. Not for anything else."""
        done.append(what)
        return f"{what}: done"

    @tool(untrusted=True)
    def page(n: int = 0) -> str:
        """Reads a page from outside."""
        return "look and move and burn"

    return [act, page]


@pytest.fixture
def open_judging(open_desk: Open, tmp_path: Path) -> Callable[..., Desk]:
    """Opens a desk with the tool and a script."""
    done.clear()

    def one(*lines: Any, **options: Any) -> Desk:
        model = ScriptedModel(lines=[*lines, "So it stands."])
        return partial(open_desk, desk=bare(tmp_path))(model=model, tools=judging_tools(), **options)

    return one


def test_a_call_that_is_judged_a_read_runs_at_once_and_as_often_as_one(open_judging: Any) -> None:
    desk = open_judging(call("act", what="look 1"), call("act", what="look 1"), call("act", what="look 1"))
    turn = desk.ask("look 1", caller=REQUESTER)
    assert [s.outcome for s in turn.steps] == ["ok", "ok", "REPEATED_CALL"]
    assert done == ["look 1", "look 1"] and desk.approvals(REQUESTER, status=None) == []


def test_a_judgement_may_look_at_who_asks(open_judging: Any) -> None:
    desk = open_judging(call("act", what="mine"), "So.", call("act", what="mine"))
    assert desk.ask("mine", caller=REQUESTER).status is Status.DONE
    assert desk.ask("mine", caller=SUPERVISOR).status is Status.WAITING


def test_a_call_that_is_judged_a_write_waits_and_its_requester_may_sign(open_judging: Any) -> None:
    desk = open_judging(call("act", what="move 1"))
    turn = desk.ask("move 1", caller=REQUESTER)
    assert (turn.status, done) == (Status.WAITING, [])
    assert turn.approvals[0].risk == "write"
    desk.decide(turn.approvals[0].id, "approve", by=REQUESTER)
    assert desk.resume(turn.thread).status is Status.DONE and done == ["move 1"]


def test_a_call_that_is_judged_critical_is_signed_by_somebody_else(open_judging: Any) -> None:
    desk = open_judging(call("act", what="burn 1"))
    turn = desk.ask("burn 1", caller=REQUESTER)
    [approval] = turn.approvals
    assert approval.risk == "critical"
    with pytest.raises(DecisionRefused):
        desk.decide(approval.id, "approve", by=REQUESTER)
    assert desk.resume(turn.thread).status is Status.WAITING and done == []
    desk.decide(approval.id, "approve", by=SUPERVISOR)
    desk.resume(turn.thread)
    assert done == ["burn 1"]


@pytest.mark.parametrize(
    ("question", "words"), [("forbid it", "forbid 1 is never done."), ("别做", "forbid 1 从不执行。")]
)
def test_a_call_that_is_forbidden_reaches_nobody(question: str, words: str, open_judging: Any) -> None:
    desk = open_judging(call("act", what="forbid 1"))
    turn = desk.ask(question, caller=REQUESTER)
    [result] = envelopes(desk, turn)
    assert result.error is not None and (result.error.code, result.error.message) == ("FORBIDDEN", words)
    assert desk.approvals(SUPERVISOR, status=None) == [] and done == []


def test_a_judge_that_fails_lets_nothing_through(open_judging: Any) -> None:
    desk = open_judging(call("act", what="bug"))
    turn = desk.ask("bug", caller=REQUESTER)
    assert [s.outcome for s in turn.steps] == ["INTERNAL"] and done == []
    assert "hunter2" not in str(desk.messages(turn.thread))


def test_in_one_message_each_call_is_judged_for_itself(open_judging: Any) -> None:
    words = ("move 1", "look 2", "forbid 3", "burn 4", "look 5", "note 6")
    desk = open_judging(calls(*[("act", {"what": w}, f"c{i}") for i, w in enumerate(words)]))
    turn = desk.ask("do all of it", caller=REQUESTER)
    assert [s.outcome for s in turn.steps] == ["waiting", "ok", "FORBIDDEN", "waiting", "ok", "APPROVAL_REQUIRED"]
    assert sorted(done) == ["look 2", "look 5"]
    assert [a.risk for a in turn.approvals] == ["write", "critical"]


EDITS = [
    ("move 1", "look 2", "write"),
    ("move 1", "burn 2", "critical"),
    ("burn 1", "move 2", "write"),
]


@pytest.mark.parametrize(("before", "after", "risk"), EDITS)
def test_an_edit_is_judged_anew(before: str, after: str, risk: str, open_judging: Any) -> None:
    desk = open_judging(call("act", what=before))
    turn = desk.ask(before, caller=REQUESTER)
    edited = desk.decide(turn.approvals[0].id, "edit", by=SUPERVISOR, args={"what": after})
    assert edited.risk == risk and done == []
    desk.resume(turn.thread)
    # What an editor wrote is signed off like any other call, even where it would have run at once.
    assert done == []
    if risk == "critical":
        with pytest.raises(DecisionRefused):
            desk.decide(edited.id, "approve", by=REQUESTER)
    # A critical call is signed by neither its requester nor whoever edited it.
    desk.decide(edited.id, "approve", by=SECOND)
    assert [s.outcome for s in desk.resume(turn.thread).steps] == ["ok"]
    assert done == [after]


@pytest.mark.parametrize("after", ["forbid 2", "bug 2"])
def test_an_edit_to_something_forbidden_is_refused_and_leaves_the_approval_as_it_was(
    after: str, open_judging: Any
) -> None:
    desk = open_judging(call("act", what="move 1"))
    turn = desk.ask("move 1", caller=REQUESTER)
    with pytest.raises(DecisionRefused) as refused:
        desk.decide(turn.approvals[0].id, "edit", by=REQUESTER, args={"what": after})
    assert "hunter2" not in str(refused.value)
    desk.decide(turn.approvals[0].id, "approve", by=REQUESTER)
    desk.resume(turn.thread)
    assert done == ["move 1"]


def test_what_was_signed_is_judged_again_when_it_is_carried_out(open_judging: Any) -> None:
    desk = open_judging(call("act", what="move 1"))
    turn = desk.ask("move 1", caller=REQUESTER)
    desk.decide(turn.approvals[0].id, "approve", by=REQUESTER)
    VERDICTS["move"] = Risk.READ
    try:
        assert [s.outcome for s in desk.resume(turn.thread).steps] == ["ok"]
    finally:
        VERDICTS["move"] = Risk.WRITE
    assert done == ["move 1"]


def test_after_untrusted_text_a_judged_read_still_runs_and_a_judged_write_is_marked(open_judging: Any) -> None:
    both = calls(("act", {"what": "look 1"}, "a"), ("act", {"what": "move 2"}, "b"))
    desk = open_judging(call("page"), both)
    turn = desk.ask("read the page and look 1 and move 2", caller=REQUESTER)
    assert [s.outcome for s in turn.steps] == ["ok", "ok", "waiting"]
    assert any("page" in w for w in turn.approvals[0].card.warnings)
    assert done == ["look 1"]


@pytest.mark.parametrize("edited", [False, True])
def test_what_became_critical_since_it_was_signed_is_not_carried_out(edited: bool, open_judging: Any) -> None:
    desk = open_judging(call("act", what="burn 1" if edited else "move 1"))
    turn = desk.ask("do it", caller=REQUESTER)
    [approval] = turn.approvals
    if edited:
        approval = desk.decide(approval.id, "edit", by=SUPERVISOR, args={"what": "move 1"})
    desk.decide(approval.id, "approve", by=REQUESTER)
    VERDICTS["move"] = Risk.CRITICAL
    try:
        assert [s.outcome for s in desk.resume(turn.thread).steps] == ["CONFLICT"]
    finally:
        VERDICTS["move"] = Risk.WRITE
    assert done == []
