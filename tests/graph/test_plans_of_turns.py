"""A skill's plan in a turn: code says which step has come, when one is done, and when it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from envelopes import envelopes
from people import REQUESTER, SUPERVISOR
from scripted import ScriptedModel, call, calls

from signoff import Desk, Preview, Tool, ToolError, tool
from signoff.state import Status

Open = Callable[..., Desk]

SKILL = """\
---
name: stocktaking
description: Count the parts in a room, weigh them, and note down the stock once it is signed off.
allowed-tools: count_parts weigh_parts note_stock
metadata:
  triggers: take stock; 盘点
---
Count and weigh first, then note the stock.

## Steps
1. `count_parts`, `weigh_parts`: how many there are and what they weigh. Done when `count_parts.total > 0`.
2. `note_stock`: what was counted.
"""
PROFILE = """\
title = "Stocktaking"
knowledge = false
plugins = false
tools = ["read_result"]
skills = ["stocktaking"]
"""

noted: list[int] = []


def stock_tools() -> list[Tool]:
    """Two reads, a write for the last step, and one tool that no step has."""

    @tool
    def count_parts(room: str) -> dict[str, int]:
        """Counts the parts in a room."""
        if room == "cellar":
            raise ToolError("SERVICE_UNAVAILABLE", "The cellar is dark.", zh="地下室没有灯。", retryable=True)
        if room == "vault":
            raise ToolError("FORBIDDEN", "The vault is closed.", zh="金库已关闭。")
        return {"total": {"hall": 12, "attic": 0}.get(room, 3)}

    @tool
    def weigh_parts(room: str) -> dict[str, int]:
        """Weighs the parts in a room."""
        return {"kg": 40}

    @tool(risk="write", effect="outside", preview=lambda total: Preview(f"Note {total}"))
    def note_stock(total: int) -> dict[str, int]:
        """Notes the stock down."""
        noted.append(total)
        return {"noted": total}

    @tool(risk="write", effect="outside", preview=lambda text: Preview("Put up"))
    def put_up(text: str) -> str:
        """Puts a notice up. No step of any skill."""
        noted.append(-1)
        return text

    return [count_parts, weigh_parts, note_stock, put_up]


@pytest.fixture
def open_stock(open_desk: Open, tmp_path: Path) -> Callable[..., Desk]:
    """Opens a desk whose only skill is stocktaking, with a script."""
    noted.clear()
    folder = tmp_path / "skills" / "stocktaking"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL, "utf-8")
    (tmp_path / "stock.toml").write_text(PROFILE, "utf-8")

    def one(*lines: Any, **options: Any) -> Desk:
        model = ScriptedModel(lines=[*lines, "So it stands."])
        return open_desk(desk=str(tmp_path / "stock.toml"), model=model, tools=stock_tools(), **options)

    return one


def states(desk: Desk, thread: str) -> list[str]:
    """How far each step of the turn's plan is."""
    state = desk.graph.get_state({"configurable": {"thread_id": thread}})
    return [s["state"] for s in state.values["turn"]["plan"]]


def look(room: str) -> Any:
    return calls(("count_parts", {"room": room}, "a"), ("weigh_parts", {"room": room}, "b"))


def test_the_steps_are_gone_through_and_the_write_is_signed_off(open_stock: Any) -> None:
    desk = open_stock(look("hall"), call("note_stock", total=12))
    turn = desk.ask("take stock of the hall, 12 I think", caller=REQUESTER)
    assert turn.status is Status.WAITING and states(desk, turn.thread) == ["done", "open"]
    desk.decide(turn.approvals[0].id, "approve", by=REQUESTER)
    turn = desk.resume(turn.thread)
    assert (turn.status, noted) == (Status.DONE, [12])
    assert states(desk, turn.thread) == ["done", "done"]


@pytest.mark.parametrize("question", ["take stock of the hall", "盘点一下 hall"])
def test_a_write_before_its_step_reaches_nobody_and_is_made_when_the_step_has_come(
    question: str, open_stock: Any
) -> None:
    early, count = call("note_stock", total=12), call("count_parts", room="hall")
    desk = open_stock(early, count, early, call("weigh_parts", room="hall"), early)
    turn = desk.ask(question, caller=REQUESTER)
    assert [s.outcome for s in turn.steps] == ["CONFLICT", "ok", "CONFLICT", "ok", "waiting"]
    first, _, second, _ = envelopes(desk, turn)
    assert first.error is not None and first.error.retryable
    assert "count_parts" in first.error.message and "weigh_parts" in first.error.message
    assert second.error is not None and second.error.message in (
        "Step 1 comes first: weigh_parts.", "要先完成第 1 步：weigh_parts。",
    )  # fmt: skip
    assert len(desk.approvals(SUPERVISOR, status=None)) == 1 and noted == []


def test_a_write_beside_the_reads_it_should_be_made_of_is_too_early(open_stock: Any) -> None:
    together = calls(
        ("count_parts", {"room": "hall"}, "a"),
        ("weigh_parts", {"room": "hall"}, "b"),
        ("note_stock", {"total": 9}, "c"),
    )
    desk = open_stock(together)
    turn = desk.ask("take stock of the hall", caller=REQUESTER)
    assert [s.outcome for s in turn.steps] == ["ok", "ok", "CONFLICT"]


def test_a_write_that_no_step_has_is_not_held_back(open_stock: Any) -> None:
    desk = open_stock(call("put_up", text="counting today"))
    assert desk.ask("take stock of the hall", caller=REQUESTER).status is Status.WAITING


def test_without_the_skill_there_is_no_plan(open_stock: Any) -> None:
    desk = open_stock(call("note_stock", total=12))
    turn = desk.ask("note 12 down", caller=REQUESTER)
    assert (turn.status, states(desk, turn.thread)) == (Status.WAITING, [])


def test_the_model_is_shown_the_plan_and_what_went_wrong(open_stock: Any) -> None:
    desk = open_stock(call("count_parts", room="cellar"), look("hall"), call("note_stock", total=12))
    desk.ask("take stock of the cellar or the hall", caller=REQUESTER)
    plans = [str(p[-1].content) for p in desk.services.model.endpoints[0]._model.prompts]
    assert "1. [next] (count_parts, weigh_parts)" in plans[0] and "2. [open] (note_stock)" in plans[0]
    assert "Before: The cellar is dark." in plans[1]
    assert "2. [next] (note_stock)" in plans[2] and "Before" not in plans[2]


def test_a_step_that_failed_is_planned_anew_once(open_stock: Any) -> None:
    desk = open_stock(call("count_parts", room="cellar"), look("hall"), call("note_stock", total=12))
    turn = desk.ask("take stock of the cellar or the hall", caller=REQUESTER)
    assert (turn.status, states(desk, turn.thread)) == (Status.WAITING, ["done", "open"])


FAILING = [
    # Tried another way once, then it has failed.
    ([call("count_parts", room="cellar"), call("count_parts", room="cellar")], "The cellar is dark", "地下室没有灯"),
    # A refusal that stands fails at once.
    ([call("count_parts", room="vault")], "The vault is closed", "金库已关闭"),
]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("case", range(len(FAILING)))
def test_a_step_that_cannot_be_done_ends_the_turn_with_what_is_known(case: int, language: str, open_stock: Any) -> None:
    lines, en, zh = FAILING[case]
    desk = open_stock(call("weigh_parts", room="hall"), *lines, call("note_stock", total=12))
    turn = desk.ask("take stock of it" if language == "en" else "盘点一下", caller=REQUESTER)
    assert (turn.status, turn.limited) == (Status.EXHAUSTED, "plan_failed")
    assert turn.limit is not None and (en if language == "en" else zh) in turn.limit
    assert turn.answer and states(desk, turn.thread) == ["failed", "dropped"]
    assert desk.approvals(SUPERVISOR, status=None) == [] and noted == []
    assert [s.outcome for s in turn.steps][-1] in ("SERVICE_UNAVAILABLE", "FORBIDDEN")


def test_a_result_that_does_not_meet_the_steps_condition_is_had_another_way_once(open_stock: Any) -> None:
    desk = open_stock(look("attic"), call("count_parts", room="hall"), call("note_stock", total=12))
    turn = desk.ask("take stock of the attic or the hall", caller=REQUESTER)
    assert (turn.status, states(desk, turn.thread)) == (Status.WAITING, ["done", "open"])


def test_a_result_that_does_not_meet_the_steps_condition_again_is_a_failure(open_stock: Any) -> None:
    desk = open_stock(look("attic"), call("count_parts", room="attic"))
    turn = desk.ask("take stock of the attic", caller=REQUESTER)
    assert (turn.status, turn.limited) == (Status.EXHAUSTED, "plan_failed")
    assert turn.limit is not None and "count_parts.total > 0" in turn.limit


@pytest.mark.parametrize("decision", ["reject", "withdraw"])
def test_what_people_decided_settles_the_last_step(decision: str, open_stock: Any) -> None:
    desk = open_stock(look("hall"), call("note_stock", total=12))
    turn = desk.ask("take stock of the hall", caller=REQUESTER)
    if decision == "withdraw":
        after = desk.ask("never mind", caller=REQUESTER, thread=turn.thread)
        assert after.status is Status.DONE and states(desk, turn.thread) == []
    else:
        desk.decide(turn.approvals[0].id, "reject", by=REQUESTER, reason="counted wrongly")
        after = desk.resume(turn.thread)
        assert (after.status, after.limited) == (Status.REJECTED, "")
    assert noted == []


def test_the_plan_is_of_its_turn_only(open_stock: Any) -> None:
    desk = open_stock(call("count_parts", room="vault"), "Not possible.", call("note_stock", total=3))
    first = desk.ask("take stock of the vault", caller=REQUESTER)
    assert first.limited == "plan_failed"
    second = desk.ask("note 3 down", caller=REQUESTER, thread=first.thread)
    assert (second.status, second.limited) == (Status.WAITING, "")


def test_a_tool_of_which_one_call_succeeded_is_done(open_stock: Any) -> None:
    for rooms in (("vault", "hall"), ("hall", "vault"), ("cellar", "hall")):
        counts = [("count_parts", {"room": r}, f"c{i}") for i, r in enumerate(rooms)]
        desk = open_stock(calls(*counts, ("weigh_parts", {"room": "hall"}, "w")), call("note_stock", total=12))
        turn = desk.ask("take stock of both", caller=REQUESTER)
        assert (turn.status, states(desk, turn.thread)) == (Status.WAITING, ["done", "open"])


def test_several_failures_in_one_round_are_planned_anew_once(open_stock: Any) -> None:
    dark = calls(("count_parts", {"room": "cellar"}, "a"), ("count_parts", {"room": "cellar"}, "b"))
    desk = open_stock(dark, look("hall"), call("note_stock", total=12))
    turn = desk.ask("take stock of the cellar or the hall", caller=REQUESTER)
    assert (turn.status, states(desk, turn.thread)) == (Status.WAITING, ["done", "open"])
