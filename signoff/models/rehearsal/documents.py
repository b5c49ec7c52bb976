"""Which questions documents answer rather than a tool: those about rules, and those that no tool fits well."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff.models.rehearsal import evidence, identifiers, lexicon, memory, speech
from signoff.models.rehearsal.cards import Card
from signoff.models.rehearsal.prompt import Prompt
from signoff.models.rehearsal.selection import Scored
from signoff.models.rehearsal.slots import Filling

_CODED = re.compile(r"(?<![A-Za-z0-9./_-])[A-Za-z]{1,4}-?\d{3,}(?![A-Za-z0-9_]|\.\d)")
_MINE = re.compile(r"\b(?:my|mine|i|me)\b|我的?", re.IGNORECASE)
_OWN = re.compile(
    r"\b(?:my|mine|i|me|we|our|any|which|how many|what (?:orders?|tickets?))\b|我|咱|哪[些几个]|有没有|"
    r"几[个单笔张条件]|多少[个单笔张条件]",
    re.IGNORECASE,
)
"""Words of one's own things, or of some of them."""
_IN_GENERAL = re.compile(
    r"^\W*(?:is it (?:possible|allowed|ok(?:ay)?|permitted) to\b(?!.*\bmy\b)|"
    r"(?:do|are|can|will|should) (?:all |most )?(?!(?:this|things)\b)[a-z]{3,}s\b(?!.*\bmy (?:order|parcel|"
    r"package|refund|ticket)))",
    re.IGNORECASE,
)
"""Questions about what holds for all things of a kind."""
_GENERAL = frozenset({"policy", "document", "warranty"})
_HOW = re.compile(
    r"\b(?:how (?:do|can|to|does|long|many|much)|what (?:is|are) (?:the|our|your)|when do|who (?:do|can|"
    r"should))\b|怎么|如何|多久|流程|条件",
    re.I,
)


def foreign_code(text: str, cards: Sequence[Card]) -> bool:
    """Whether a text names something by a code that no offered tool takes."""
    return bool(_CODED.search(text)) and not any(
        identifiers.find(c, p, text)
        for c in cards
        for p in c.required
        if identifiers.is_identifier(c, p) and identifiers.has_form(c, p)
    )


def answer(text: str, best: Scored, filling: Filling, prompt: Prompt) -> bool:
    """Whether documents answer a question that no tool fits well and that is not about one's own records."""
    if best.card.writes or filling.said or best.score >= 2.0 or _MINE.search(text) or not speech.asks(text):
        return False
    return any(q.score >= 0.6 for q in evidence.quotes(text, prompt.passages))


def rules(text: str, best: Scored, filling: Filling, prompt: Prompt, cards: Sequence[Card]) -> bool:
    """Whether a question is about rules in general rather than about one record."""
    if best.card.writes:
        return False
    if not filling.said and _IN_GENERAL.search(text) and not memory.pronoun(text) and speech.asks(text):
        return any(c.searches or c.finds_tools for c in cards) or bool(evidence.quotes(text, prompt.passages))
    if memory.points(text):
        return False
    if filling.complete:
        own = "my" in best.card.name_words and speech.asks(text) and not speech.looks(text)
        return own and not _OWN.search(text) and any(c.searches or c.finds_tools for c in cards)
    if not any(identifiers.is_identifier(best.card, p) for p in filling.missing):
        return False
    documents = bool(evidence.quotes(text, prompt.passages)) or any(c.searches or c.finds_tools for c in cards)
    general = bool(lexicon.concepts(text) & _GENERAL) or bool(_HOW.search(text)) or not _MINE.search(text)
    return documents and speech.asks(text) and general
