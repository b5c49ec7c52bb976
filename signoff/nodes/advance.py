"""How far the turn's plan is, after calls were answered."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.nodes.services import Services
from signoff.skills.plan import Outcome, advance
from signoff.state import TurnState
from signoff.tools.envelope import Code
from signoff.tools.invocation import Answer
from signoff.tools.limits import observation

_SETTLED = frozenset({Code.REJECTED, Code.EXPIRED, Code.WITHDRAWN, Code.OUTCOME_UNKNOWN})
"""Where people, or what happened, had the last word: the step is over, whatever the plan had hoped for."""


def move_on(turn: TurnState, answers: Sequence[Answer], services: Services) -> None:
    """Note what a round observed, and move the plan on by it. Code decides what a step has come to, not the model."""
    if seen := sorted({observation(a.result) for a in answers if a.result is not None}):
        turn["observed"] = [*turn["observed"], seen]
    skill = services.skills.get(turn["skill"]) if turn["skill"] else None
    if skill is None or not turn["plan"]:
        return
    outcomes = [_outcome(a, services) for a in answers if a.result is not None and not _over(a)]
    turn["plan"], turn["replans"] = advance(turn["plan"], outcomes, skill, turn["replans"])


def _over(answer: Answer) -> bool:
    """Whether a call was not made because the turn's budget is spent: that says nothing about its step."""
    error = answer.result.error if answer.result is not None else None
    return error is not None and error.code is Code.LIMIT_REACHED and not answer.result.metadata.get("attempt")  # type: ignore[union-attr]


def _outcome(answer: Answer, services: Services) -> Outcome:
    assert answer.result is not None
    error = answer.result.error
    tool = services.gateway.registry.get(answer.call.name)
    # What an outside source says of its failure is no text for a plan, which a model follows.
    foreign = tool is not None and tool.untrusted
    return Outcome(
        tool=answer.call.name,
        ok=answer.result.ok,
        data=answer.result.data,
        retryable=error is not None and (error.retryable or error.code is Code.UNSOURCED_IDENTIFIER),
        settled=error is not None and error.code in _SETTLED,
        why="" if error is None else f"{answer.call.name}: {error.code}" if foreign else error.message,
    )
