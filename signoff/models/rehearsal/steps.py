"""The steps of a turn: one a request, what serves it, and which results belong to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from signoff.models.rehearsal.cards import Card
from signoff.models.rehearsal.prompt import Result
from signoff.models.rehearsal.slots import Filling


@dataclass
class Step:
    """One request and what serves it."""

    text: str
    kind: str
    """`talk`, `tool`, `ask`, `knowledge`, `others`, `unable`, `spared` (the person said not to),
    `withdrawn` or `dropped` (a yes or a no to a change that no longer waits), `in part` (only possible as a whole)
    or `later` (of a plan, and not due)."""
    card: Card | None = None
    filling: Filling = field(default_factory=Filling)
    first: list[tuple[Card, dict[str, Any]]] = field(default_factory=list)
    """Reads that are made before the tool can be called."""
    held: bool = False
    """A write that waits for what the reads say."""
    topic: str = ""
    planned: bool = False
    """Of the plan that a skill gave the turn."""


def served(step: Step, results: Sequence[Result]) -> list[Result]:
    """The results of this turn that belong to a step, its preliminary reads included."""
    first = [r for c, args in step.first for r in results if r.tool == c.name and r.args == args]
    return first + own(step, results)


def own(step: Step, results: Sequence[Result]) -> list[Result]:
    """The results of the step's own tool."""
    if step.card is None:
        return []
    alike = [r for r in results if r.tool == step.card.name]
    exact = [r for r in alike if r.args in step.filling.calls]
    if exact or step.filling.said & {p.name for p in step.card.required}:
        return exact
    return alike


_VERDICT = re.compile(r"(?:able|ible|allowed|permitted|possible|free|valid|approved|ok)$|^(?:can|may)_|^in_stock$")


def refused(results: Sequence[Result]) -> bool:
    """Whether reads say that what depends on them is not to be done.

    A field that gives a verdict decides (`refundable`, `can_cancel`); without one, any field that says no.
    """
    return any(not r.ok or (isinstance(r.data, dict) and not _admits(r.data)) for r in results)


def _admits(data: dict[str, Any]) -> bool:
    verdicts = [v for k, v in data.items() if isinstance(v, bool) and _VERDICT.search(str(k))]
    return all(verdicts) if verdicts else not any(v is False for v in data.values())


def needed(card: Card, args: dict[str, Any]) -> dict[str, Any]:
    """The arguments without which the call could not be made."""
    return {p.name: args[p.name] for p in card.required if p.name in args}


def merged(steps: list[Step]) -> list[Step]:
    """Without a step that repeats one before it: the same write, or a read of the same thing."""
    kept: list[Step] = []
    for step in steps:
        if not any(_repeats(step, k) for k in kept):
            kept.append(step)
    return kept


def _repeats(step: Step, before: Step) -> bool:
    card = step.card
    if card is None or card != before.card or step.kind != before.kind or step.kind == "ask":
        return card is None and step.kind == before.kind and step.kind in ("others", "spared")
    if card.writes or not card.required:
        return step.filling.calls == before.filling.calls
    return [needed(card, a) for a in step.filling.calls] == [needed(card, a) for a in before.filling.calls]
