"""Looks for another tool when none that is bound does what is asked, and uses what is found."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from signoff.memory.asking import asked_to_remember
from signoff.models.rehearsal import actions, contents, keeping, lexicon, memory, selection, speech, traits
from signoff.models.rehearsal.cards import Card
from signoff.models.rehearsal.prompt import Prompt
from signoff.models.rehearsal.slots import Filling
from signoff.models.rehearsal.steps import Step

_ANOTHER = re.compile(r"\b(?:another|one more)\b|再[^,，。]{0,3}个", re.IGNORECASE)
_ENOUGH, _ALIKE = 0.3, 0.6
"""Score from which a found tool is used, where it does the action that is ordered, and where none is known."""


def step(
    text: str,
    prompt: Prompt,
    cards: Sequence[Card],
    selector: selection.Selector,
    fill: Callable[[Card, str, str], Filling],
    *,
    order: bool,
) -> Step | None:
    """The search for a tool, or the call of the one that it found; None where documents are asked first.

    `order` says that something is to be done: documents do nothing.
    """
    finder = next((c for c in cards if c.finds_tools and len(c.required) == 1), None)
    if finder is None or not lexicon.features(traits.masked(text)):
        return None
    if not order and (prompt.passages or any(c.searches for c in cards)):
        return None
    made = [r for r in prompt.results if r.tool == finder.name]
    if not made:
        words = contents.query(traits.masked(text))
        query = words.value if words else text
        return Step(text, "tool", finder, Filling(calls=[{finder.required[0].name: query[:200]}]))
    named = [n for r in made if r.ok for n in _names(r.data)]
    ranked = {s.card.name: s.score for s in selector.rank(text)}
    usable = [c for c in cards if c.name in named and (not c.writes or not speech.asks(text))]
    usable = [c for c in usable if _fits(c, text, ranked.get(c.name, 0.0), selector)]
    best = max(usable, key=lambda c: (ranked.get(c.name, 0.0), -named.index(c.name)), default=None)
    if best is None:
        return Step(text, "unable")
    filling = fill(best, text, text)
    return Step(text, "tool" if filling.complete else "ask", best, filling)


def _fits(card: Card, text: str, score: float, selector: selection.Selector) -> bool:
    """Whether a found tool does what is asked: a search by likeness finds something for almost everything."""
    if keeping.keeps(card) and not asked_to_remember([text]):
        return False
    ordered = actions.ordered(text)
    if ordered and not any(selector.speaks_of(card, "#" + a) for a in ordered):
        return False
    if not selector.on_its_object(card, text):
        return False
    if ordered & card.verbs and (memory.points(text) or _ANOTHER.search(text)):
        return True
    return score >= (_ENOUGH if ordered else _ALIKE)


def _names(data: object) -> list[str]:
    if not isinstance(data, dict):
        return []
    listed = next((v for v in data.values() if isinstance(v, list)), [])
    return [n for row in listed if isinstance(n := row.get("name") if isinstance(row, dict) else row, str)]
