"""Wishes to have something remembered, in whatever words they are made."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from signoff import smalltalk
from signoff.memory.asking import asked_to_remember
from signoff.memory.spoken import bare, pointed_at
from signoff.models.rehearsal import speech, sums, texts
from signoff.models.rehearsal.cards import Card, Parameter
from signoff.models.rehearsal.memory import Memory
from signoff.models.rehearsal.prompt import Prompt
from signoff.models.rehearsal.slots import Filling, fill
from signoff.models.rehearsal.steps import Step
from signoff.text import language

_EDGE = re.compile(
    r"(?P<keep>(?:[,，]\s*(?:and\s+|also\s+)*|\s+and\s+)"
    r"(?=(?:please |pls |also )*(?:remember that|note that|keep in mind|don'?t forget)|"
    r"(?:请|帮我|另外|还有|顺便|也)*(?:记住|记一下|记下|记得|别忘)))|"
    r"[,，]\s*(?=另外|顺便|顺带|然后|接着|再帮|同时|and (?:also|then|what|how)|also|then)|"
    r"\s+and (?=what|how|tell me)",
    re.IGNORECASE,
)
"""Where a sentence may be parted; `keep` before words that ask to remember, the rest before words that ask for more."""
_TASK = re.compile(
    r"\W*(?:(?:please|pls|and|also)\W+)*(?:(?:do not|don['’]?t|never) forget|remember) to\s+|"
    r"(?:请|你|您|一定|千万|也|还有|另外|[,，\s])*(?:别忘[了记]?|不要忘[了记]?|记得|记住)(?=帮我|给我|替我|要?把|去|告诉我|查|看|发给?我)",
    re.IGNORECASE,
)
"""The lead of a task: what follows may be to be done rather than to be remembered."""
_SENTENCE = re.compile(r"[^.!?。！？;；\n]+(?:\.(?=\S)[^.!?。！？;；\n]*)*[.!?。！？;；\n]*")


def keeps(card: Card) -> bool:
    """Whether a tool remembers what it is given."""
    return card.writes and "remember" in card.verbs and _words_of(card) is not None


def steps(text: str, prompt: Prompt, cards: Sequence[Card], orders: Callable[[str], bool]) -> tuple[list[Step], str]:
    """A step for each sentence that asks to have something remembered, and the text without these sentences.

    Where no tool that remembers is offered, it is looked for. `orders` says whether words order a change that an
    offered tool makes: "don't forget to cancel A1002" is to be done and not to be remembered.
    """
    keeper = next((c for c in cards if keeps(c)), None)
    finder = next((c for c in cards if c.finds_tools and len(c.required) == 1), None)
    if keeper is None and finder is None:
        return [], text
    found: list[Step] = []
    rest = ""
    for sentence in _parts(text):
        asked = asked_to_remember([sentence])
        if asked and (_KEPT.search(sentence) or texts.COURTESY.match(sentence)):
            asked = False
        task = _TASK.match(sentence) if asked else None
        if task and (orders(sentence[task.end() :]) or speech.looks(sentence[task.end() :])):
            rest += sentence[task.end() :]
            continue
        if asked and not _KEEP.search(sentence) and _of_a_change(sentence, cards):
            asked = False
        step = None
        if asked and keeper is not None:
            step = _step(keeper, sentence.strip(), prompt)
        elif (
            asked
            and finder is not None
            and bare(sentence)
            and smalltalk.kind(sentence) is None
            and not orders(sentence)
        ):
            step = _searched(finder, sentence, prompt)
        if step is None:
            rest += sentence
        else:
            found.append(step)
    return found, rest


_KEEP = re.compile(r"\b(?:remember|note|keep in mind|forget|memori[sz]e|from now on)\b|记|忘|以后", re.IGNORECASE)
_KEPT = re.compile(
    r"[你您](?:都|还|已经?|帮我|替我|给我|为我|关于我|的)*记[住得下着录]?[了过]?的|"
    r"\b(?:everything|all|whatever|anything|what|things?|facts?|notes?|stuff)(?: that)? you(?:['’]ve| have|"
    r" still| already| do)* "
    r"(?:remember(?:ed)?|noted|stored|saved|kept)\b",
    re.IGNORECASE,
)
"""What is remembered already."""
_NAMED = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{1,4}-?\d{3,}")


def _of_a_change(sentence: str, cards: Sequence[Card]) -> bool:
    """Whether a sentence speaks of a change to one thing that is named: "never refund A1003" is nothing to keep."""
    verbs = frozenset[str]().union(*(c.verbs for c in cards if c.writes))
    return bool(_NAMED.search(sentence)) and speech.mentions(sentence, verbs)


def _searched(finder: Card, sentence: str, prompt: Prompt) -> Step:
    """The search for a tool that remembers; when it has found none, none does it."""
    if any(r.tool == finder.name for r in prompt.results):
        return Step(sentence, "unable")
    words = "记住这件事" if language(sentence) == "zh" else "remember this"
    return Step(sentence, "tool", finder, Filling(calls=[{finder.required[0].name: words}]))


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
    more = fill(card, words, Memory(prompt), implicit=False)
    args = {k: v for k, v in (more.calls[0] if more.calls else {}).items() if k in more.said and k != parameter.name}
    return Step(sentence, "tool", card, Filling(calls=[{parameter.name: words, **args}], said={parameter.name}))


def _words_of(card: Card) -> Parameter | None:
    """The one argument that takes what is to be remembered."""
    return card.required[0] if len(card.required) == 1 and card.required[0].type == "string" else None
