"""Plans: when a step is done, when it is tried again, and when the plan has failed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.skills.condition import Condition
from signoff.skills.plan import Outcome, advance, begin, failed, premature, render
from signoff.skills.skill import Skill, SkillStep

OFFERED = ("notes", "count", "write")


def skill(condition: str | None = None) -> Skill:
    """Two reads side by side, then a write, then the answer."""
    return Skill(
        name="s",
        description="d",
        instructions="i",
        tools=OFFERED,
        steps=(
            SkillStep(("notes", "count"), "look", Condition.parse(condition) if condition else None),
            SkillStep(("write",), "write it"),
            SkillStep((), "say so"),
        ),
        folder=Path(),
    )


def states(plan: list) -> list[str]:  # type: ignore[type-arg]
    """The states of its steps."""
    return [s["state"] for s in plan]


def test_a_step_is_done_when_all_its_tools_have_answered() -> None:
    s = skill()
    plan = begin(s, OFFERED)
    assert states(plan) == ["open", "open", "answer"]
    plan, _ = advance(plan, [Outcome("notes", True)], s, 0)
    assert states(plan) == ["open", "open", "answer"] and "[next] (count)" in render(plan)
    plan, _ = advance(plan, [Outcome("count", True)], s, 0)
    assert states(plan) == ["done", "open", "answer"]
    plan, _ = advance(plan, [Outcome("write", True)], s, 0)
    assert states(plan) == ["done", "done", "answer"]


def test_a_change_waits_for_the_steps_before_it() -> None:
    s = skill()
    plan = begin(s, OFFERED)
    early = premature(plan, "write")
    assert early is not None and early["n"] == 1
    assert premature(plan, "notes") is None
    assert premature(plan, "something_else") is None
    plan, _ = advance(plan, [Outcome("notes", True), Outcome("count", True)], s, 0)
    assert premature(plan, "write") is None


def test_a_failure_that_may_pass_is_tried_another_way_once() -> None:
    s = skill()
    plan, replans = advance(begin(s, OFFERED), [Outcome("notes", False, retryable=True, why="busy")], s, 0)
    assert states(plan)[0] == "open" and replans == 1 and "busy" in render(plan)
    plan, replans = advance(plan, [Outcome("notes", False, retryable=True, why="busy")], s, replans)
    assert states(plan) == ["failed", "dropped", "answer"]
    step = failed(plan)
    assert step is not None and step["why"] == "busy"


def test_a_failure_that_cannot_pass_ends_the_plan_at_once() -> None:
    s = skill()
    plan, _ = advance(begin(s, OFFERED), [Outcome("notes", False, why="no docs"), Outcome("count", True)], s, 0)
    assert states(plan) == ["failed", "dropped", "answer"]


def test_a_refused_signature_settles_a_step() -> None:
    s = skill()
    plan, _ = advance(begin(s, OFFERED), [Outcome("notes", True), Outcome("count", True)], s, 0)
    plan, _ = advance(plan, [Outcome("write", False, settled=True, why="rejected")], s, 0)
    assert states(plan) == ["done", "done", "answer"]


def test_a_result_that_does_not_meet_the_condition_is_a_failure() -> None:
    s = skill("count.total > 0")
    both = [Outcome("notes", True, {}), Outcome("count", True, {"total": 0})]
    plan, replans = advance(begin(s, OFFERED), both, s, 0)
    assert states(plan)[0] == "open" and "count.total > 0" in render(plan)
    plan, _ = advance(plan, both, s, replans)
    assert states(plan)[0] == "failed"
    both = [Outcome("notes", True, {}), Outcome("count", True, {"total": 3})]
    plan, _ = advance(begin(s, OFFERED), both, s, 0)
    assert states(plan)[0] == "done"


def test_steps_without_a_tool_at_hand_are_left_out() -> None:
    plan = begin(skill(), ("notes", "count"))
    assert [(s["n"], s["tools"]) for s in plan] == [(1, ["notes", "count"]), (2, [])]


@pytest.mark.parametrize(
    ("text", "data", "holds"),
    [
        ("a.x > 3", {"x": 4}, True),
        ("a.x > 3", {"x": "4.5"}, True),
        ("a.x > 3", {"x": 3}, False),
        ("a.x.y == open", {"x": {"y": "open"}}, True),
        ("a.x == true", {"x": True}, True),
        ("a.x != 1", {"x": 2}, True),
        ("a.x != 1", {}, False),
        ("a.x exists", {"x": 0}, True),
        ("a.x exists", {"x": []}, False),
        ("a.x exists", {}, False),
        ("a.x > 3", {"x": "many"}, False),
        ("a.x > 3", [1], False),
    ],
)
def test_a_condition_looks_at_one_field(text: str, data: object, holds: bool) -> None:
    assert Condition.parse(text).holds(data) is holds


@pytest.mark.parametrize("text", ["", "a", "a.b", "a.b =>", "a.b ~ 3", "> 3"])
def test_what_is_no_condition_is_said_so(text: str) -> None:
    with pytest.raises(ValueError, match="is no condition"):
        Condition.parse(text)


@given(
    st.lists(
        st.builds(
            Outcome,
            st.sampled_from([*OFFERED, "other"]),
            st.booleans(),
            retryable=st.booleans(),
            settled=st.booleans(),
            why=st.text(max_size=5),
        ),
        max_size=12,
    )
)
def test_a_plan_never_goes_back(outcomes: list[Outcome]) -> None:
    s = skill()
    plan, replans = begin(s, OFFERED), 0
    for outcome in outcomes:
        before = plan
        plan, replans = advance(plan, [outcome], s, replans)
        for old, new in zip(before, plan, strict=True):
            assert old["state"] == "open" or new["state"] == old["state"]
            assert set(old["done"]) <= set(new["done"])
        assert states(plan)[1] != "done" or states(plan)[0] == "done"
        assert replans <= 1
