"""The actions that a text speaks of, and those that it orders."""

from __future__ import annotations

from signoff.models.rehearsal import lexicon, speech
from signoff.models.rehearsal.cards import Card

CHANGES = frozenset(
    "refund cancel change delete close approve reject assign transfer pay reset restart disable enable lock unlock "
    "rename merge archive publish deploy grant".split()
)
"""Actions that change what is there, whoever does them; to print or to send something may be to show it."""


def named(text: str) -> frozenset[str]:
    """The action concepts that a text speaks of."""
    return frozenset(f.concept for f in lexicon.find(speech.unquoted(text)) if lexicon.is_action(f.concept))


def ordered(text: str) -> frozenset[str]:
    """The action concepts that a text orders."""
    return frozenset(a for a in named(text) if speech.wants(text, frozenset({a})))


def adds(text: str) -> set[str]:
    """Actions that make something new, in words that mean nothing else: to open an order may be to look at it."""
    made = {f.concept for f in lexicon.find(text) if f.word not in ("open", "file", "raise", "register")}
    return made & {"create", "submit", "add", "report_fault"}


def own_verbs(card: Card) -> frozenset[str]:
    """The first word of the name of a tool whose action the vocabulary does not know."""
    if card.verbs or not card.name_words:
        return frozenset()
    return frozenset({card.name_words[0]})
