"""How far the turn's plan is, after calls were answered."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.nodes.services import Services
from signoff.skills.plan import Outcome, advance
from signoff.state import TurnState
from signoff.tools.envelope import Code
from signoff.tools.invocation import Answer
from signoff.tools.limits import observation

_SETTLED = frozenset(
    {Code.REJECTED, Code.EXPIRED, Code.WITHDRAWN, Code.CANCELLED, Code.OUTCOME_UNKNOWN, Code.REPEATED_CALL}
)
"""Where people, or what happened, had the last word: the step is over, whatever the plan had hoped for."""


def move_on(turn: TurnState, answers: Sequence[Answer], services: Services) -> None:
    """Note what a round observed, and move the plan on by it. Code decides what a step has come to, not the model."""
    if seen := sorted({observation(a.result) for a in answers if a.result is not None}):
        turn["observed"] = [*turn["observed"], seen]
    skill = services.skills.get(turn["skill"]) if turn["skill"] else None
    if skill is None or not turn["plan"]:
        return
    outcomes = [_outcome(a) for a in answers if a.result is not None]
    turn["plan"], turn["replans"] = advance(turn["plan"], outcomes, skill, turn["replans"])


def _outcome(answer: Answer) -> Outcome:
    assert answer.result is not None
    error = answer.result.error
    return Outcome(
        tool=answer.call.name,
        ok=answer.result.ok,
        data=answer.result.data,
        retryable=error is not None and (error.retryable or error.code is Code.UNSOURCED_IDENTIFIER),
        settled=error is not None and error.code in _SETTLED,
        why=error.message if error is not None else "",
    )
