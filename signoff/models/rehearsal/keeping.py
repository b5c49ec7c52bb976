"""Wishes to have something remembered, in whatever words they are made."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff.memory.asking import asked_to_remember
from signoff.memory.spoken import bare, pointed_at
from signoff.models.rehearsal import speech, sums
from signoff.models.rehearsal.cards import Card, Parameter
from signoff.models.rehearsal.memory import Memory
from signoff.models.rehearsal.prompt import Prompt
from signoff.models.rehearsal.slots import Filling, fill
from signoff.models.rehearsal.steps import Step

_EDGE = re.compile(
    r"(?P<keep>(?:[,，]\s*(?:and\s+|also\s+)*|\s+and\s+)"
    r"(?=(?:please |pls |also )*(?:remember that|note that|keep in mind|don'?t forget)|"
    r"(?:请|帮我|另外|还有|顺便|也)*(?:记住|记一下|记下|记得|别忘)))|"
    r"[,，]\s*(?=另外|顺便|顺带|然后|接着|再帮|同时|and (?:also|then|what|how)|also|then)|"
    r"\s+and (?=what|how|tell me)",
    re.IGNORECASE,
)
"""Where a sentence may be parted; `keep` before words that ask to remember, the rest before words that ask for more."""
_SENTENCE = re.compile(r"[^.!?。！？;；\n]+(?:\.(?=\S)[^.!?。！？;；\n]*)*[.!?。！？;；\n]*")


def steps(text: str, prompt: Prompt, cards: Sequence[Card]) -> tuple[list[Step], str]:
    """A step for each sentence that asks to have something remembered, and the text without these sentences."""
    keeper = next((c for c in cards if c.writes and "remember" in c.verbs and _words_of(c)), None)
    if keeper is None:
        return [], text
    found: list[Step] = []
    rest = ""
    for sentence in _parts(text):
        step = _step(keeper, sentence.strip(), prompt) if asked_to_remember([sentence]) else None
        if step is None:
            rest += sentence
        else:
            found.append(step)
    return found, rest


def _parts(text: str) -> list[str]:
    """Sentences, parted too where "remember" begins one within, or where something else is asked for beside it."""
    parts: list[str] = []
    for sentence in _SENTENCE.findall(text):
        at = 0
        for edge in _EDGE.finditer(sentence):
            tail = sentence[edge.end() :]
            if edge["keep"] or speech.asks(tail) or speech.looks(tail) or sums.expression(tail):
                parts.append(sentence[at : edge.end()])
                at = edge.end()
        parts.append(sentence[at:])
    return parts


def _step(card: Card, sentence: str, prompt: Prompt) -> Step | None:
    parameter = _words_of(card)
    if parameter is None:
        return None
    said = [sentence, *(s.text for s in reversed(prompt.past) if s.who == "person")]
    words = bare(sentence) or pointed_at(said)
    if not words:
        return Step(sentence, "ask", card, Filling(missing=[parameter]))
    more = fill(card, sentence, Memory(prompt), implicit=False)
    args = {k: v for k, v in (more.calls[0] if more.calls else {}).items() if k in more.said and k != parameter.name}
    return Step(sentence, "tool", card, Filling(calls=[{parameter.name: words, **args}], said={parameter.name}))


def _words_of(card: Card) -> Parameter | None:
    """The one argument that takes what is to be remembered."""
    return card.required[0] if len(card.required) == 1 and card.required[0].type == "string" else None
