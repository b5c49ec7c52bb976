"""A plan: the steps of a chosen skill, and how far they are. Pure functions on plain values that the state keeps.

Code decides when a step is done, when one may not be begun yet, and when the plan has failed; a model only sees it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signoff.skills.skill import Skill
from signoff.state import PlanStep

REPLANS = 1
"""Times in a turn that a failed step may be tried another way."""


@dataclass(frozen=True)
class Outcome:
    """How one call of a step's tool ended."""

    tool: str
    ok: bool
    data: Any = None
    retryable: bool = False
    """Whether the same or corrected arguments may still succeed."""
    settled: bool = False
    """Whether people or the outside had the last word: rejected, expired, unknown."""
    why: str = ""


def begin(skill: Skill, offered: Collection[str]) -> list[PlanStep]:
    """The plan at the beginning. A step none of whose tools is at hand is left out."""
    plan: list[PlanStep] = []
    for step in skill.steps:
        tools = [t for t in step.tools if t in offered]
        if step.tools and not tools:
            continue
        plan.append(
            PlanStep(
                n=len(plan) + 1,
                tools=tools,
                text=step.text,
                condition=str(step.condition) if step.condition is not None and step.condition.tool in tools else "",
                done=[],
                state="open" if tools else "answer",
                why="",
            )
        )
    return plan


def advance(
    plan: Sequence[PlanStep], outcomes: Sequence[Outcome], skill: Skill, replans: int
) -> tuple[list[PlanStep], int]:
    """The plan after a round, and how often it has been replanned.

    A step whose tool failed stays open once, to be tried another way, if that can still succeed; otherwise it has
    failed, and the steps after it are dropped.
    """
    moved = [PlanStep(**{**step, "done": list(step["done"])}) for step in plan]
    for step in moved:
        if step["state"] != "open":
            continue
        mine = [o for o in outcomes if o.tool in step["tools"]]
        # Of several calls of a tool one that succeeded is enough, in whatever order they were made.
        good = [o.tool for o in mine if (o.ok and _holds(step, o, skill)) or o.settled]
        step["done"] = list(dict.fromkeys([*step["done"], *good]))
        step["why"] = "" if mine else step["why"]
        if bad := [o for o in mine if o.tool not in step["done"]]:
            # All failures of a round are one: they are answered by one new plan.
            # A result that only lacks what the step needs may be had with other arguments.
            worst = next((o for o in bad if not (o.retryable or o.ok)), bad[0])
            step["why"] = worst.why or f"{worst.tool} did not give {step['condition']}"
            if (worst.retryable or worst.ok) and replans < REPLANS:
                replans += 1
            else:
                step["state"] = "failed"
        if step["state"] == "open" and set(step["tools"]) <= set(step["done"]):
            step["state"] = "done"
        if step["state"] == "failed":
            for later in moved[step["n"] :]:
                later["state"] = "dropped" if later["state"] == "open" else later["state"]
        if step["state"] == "open":
            break
    return moved, replans


def failed(plan: Sequence[PlanStep]) -> PlanStep | None:
    """The step that ended the plan, if one did."""
    return next((s for s in plan if s["state"] == "failed"), None)


def premature(plan: Sequence[PlanStep], tool: str) -> PlanStep | None:
    """The open step that comes before the first one with this tool; None when the tool's turn has come."""
    for step in plan:
        if tool in step["tools"]:
            return None
        if step["state"] == "open":
            return step if any(tool in s["tools"] for s in plan) else None
    return None


def render(plan: Sequence[PlanStep]) -> str:
    """The plan as a model reads it: a line a step, the next one marked."""
    lines = []
    following = next((s["n"] for s in plan if s["state"] in ("open", "answer")), None)
    for step in plan:
        mark = "next" if step["n"] == following else step["state"]
        left = [t for t in step["tools"] if t not in step["done"]]
        calls = f" ({', '.join(left if mark == 'next' else step['tools'])})" if step["tools"] else ""
        why = f" Before: {step['why']}" if step["why"] else ""
        lines.append(f"{step['n']}. [{mark}]{calls} {step['text']}.{why}")
    return "\n".join(lines)


def _holds(step: Mapping[str, Any], outcome: Outcome, skill: Skill) -> bool:
    for known in skill.steps:
        if known.condition is not None and str(known.condition) == step["condition"]:
            return known.condition.tool != outcome.tool or known.condition.holds(outcome.data)
    return True
