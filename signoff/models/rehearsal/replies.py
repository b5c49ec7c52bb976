"""Replies to what the desk asked back, and clauses that say what is not meant."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff import smalltalk
from signoff.models.rehearsal import actions, lexicon, specials, speech
from signoff.models.rehearsal.cards import Card
from signoff.models.rehearsal.memory import Memory
from signoff.models.rehearsal.prompt import Prompt, Said
from signoff.models.rehearsal.slots import Filling, fill

_LABELLED = re.compile(
    r"\W*(?:the |it's |its )?(?:subject|title|body|text|message|content|主题|标题|正文|内容)\b", re.IGNORECASE
)
"""A reply that says itself what it is of, whatever else it holds: "subject Hi, body How are you?"."""
_ASKS_BACK = re.compile(r"[?？]|\bplease tell me\b|请告诉我", re.IGNORECASE)


def completed(prompt: Prompt) -> tuple[str, str]:
    """What was asked before the desk asked back, and all of it with the question, which answers that.

    The first is empty when the question is one of its own.
    """
    question, at = prompt.question, len(prompt.past)
    if not _answers(question):
        return "", question
    before: list[str] = []
    while (asked := _asked_back(prompt.past[:at])) is not None:
        before.insert(0, prompt.past[asked].text.rstrip(" ?？。.!！,，"))
        at = asked
        if not _answers(prompt.past[asked].text):
            break
    return ",".join(before), ",".join([*before, question])


def merged(card: Card, base: str, reply: str, known: Memory) -> Filling | None:
    """What the earlier request gives, with the reply for what it lacked; all of the reply for the only thing.

    None when something is lacking still.
    """
    filling = fill(card, base, known)
    if filling.complete or len(filling.calls) != 1:
        return None
    given = fill(card, reply, known)
    values = {p.name: given.calls[0][p.name] for p in filling.missing if given.calls and p.name in given.calls[0]}
    if len(filling.missing) == 1 and specials.takes_any_words(card, filling.missing[0]):
        values[filling.missing[0].name] = specials.whole(card, filling.missing[0], reply)
    if not {p.name for p in filling.missing} <= set(values):
        return None
    return Filling(calls=[{**filling.calls[0], **values}], said=filling.said | set(values))


def fuller(filling: Filling, given: Filling | None) -> Filling:
    """The filling with what a reply gives, where that is more: something it lacks, or all of an address."""
    if given is None:
        return filling
    if not filling.complete or len(filling.calls) != 1:
        return given
    args = filling.calls[0]
    longer = {
        k: v
        for k, v in given.calls[0].items()
        if k in given.said and isinstance(v, str) and isinstance(args.get(k), str) and v != args[k] and args[k] in v
    }
    if "," not in "".join(longer.values()) and "，" not in "".join(longer.values()):
        return filling
    return Filling(calls=[{**args, **longer}], said=filling.said)


def _answers(text: str) -> bool:
    """Whether a text could be an answer: it asks for nothing itself, and says only what was asked for."""
    if _LABELLED.match(text):
        return True
    bare = not speech.asks(text) and not actions.ordered(text) and len(text) < 400
    return bare and not speech.looks(text) and smalltalk.kind(text) in (None, "ok")


def _asked_back(past: Sequence[Said]) -> int | None:
    """Where the person's request stands that the desk's last answer asked back about; None when it asked nothing."""
    if not past or past[-1].who != "desk" or not _ASKS_BACK.search(past[-1].text):
        return None
    return next((i for i in range(len(past) - 1, -1, -1) if past[i].who == "person"), None)


def _negated(text: str) -> bool:
    return bool(re.search(r"\b(?:don't|do not|dont|never|no need|not)\b|不要|别|不用|不想|先不|无需|不必", text, re.I))


def without_spared(card: Card, text: str) -> str:
    """Without the clauses that say not to do what the tool does: their identifiers are not meant."""
    if not card.writes:
        return text
    kept = list(text)
    for part in speech.SUBCLAUSE.finditer(text):
        verbs = card.verbs | {f.concept for f in lexicon.find(part[0]) if lexicon.is_action(f.concept)}
        if (
            (_negated(part[0]) or speech.spared(part[0], verbs))
            and speech.mentions(part[0], verbs)
            and not speech.wants(part[0], card.verbs | card.extra_verbs)
        ):
            kept[part.start() : part.end()] = " " * (part.end() - part.start())
    return "".join(kept)
