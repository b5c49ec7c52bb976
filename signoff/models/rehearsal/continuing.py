"""Questions that go on with the last result: the same for another place or project, or a sum with what came out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff.models.rehearsal import contents, identifiers, lexicon, memory, specials, speech, sums, texts, traits
from signoff.models.rehearsal.cards import Card
from signoff.models.rehearsal.memory import Memory
from signoff.models.rehearsal.prompt import Prompt
from signoff.models.rehearsal.slots import Filling, fill
from signoff.models.rehearsal.steps import Step

_FOLLOW_UP = re.compile(
    r"^\W*(?:那么?|and|what about|how about|ok(?:ay)?,? (?:and|what about)|换成|还有)\s*[,，]?", re.IGNORECASE
)


def step(text: str, prompt: Prompt, cards: Sequence[Card], *, bare: bool = True) -> Step | None:
    """The step of a text that goes on with the last result; with `bare` only when it asks for nothing by itself."""
    if calculated := _calculated(text, prompt, cards):
        return calculated
    return None if bare and not _bare(text) else _again(text, prompt, cards)


def _again(text: str, prompt: Prompt, cards: Sequence[Card]) -> Step | None:
    """ "And in Shanghai?": the last read again, with the value that is new."""
    last = next((s.result for s in reversed(prompt.past) if s.result), None)
    card = next((c for c in cards if last and c.name == last.tool and not c.writes), None)
    bare = not lexicon.features(traits.masked(text)) or re.search(r"呢[\s?？。]*$", text)
    if not last or not card or not (bare or _FOLLOW_UP.match(text)):
        return None
    rest = _FOLLOW_UP.sub("", text, count=1).strip(" ?？。.!！呢吗")
    filling = fill(card, rest, Memory(prompt), implicit=False)
    picked = {p.name for p in card.required if memory.picks(rest) and identifiers.is_identifier(card, p)}
    fresh = {k: v for k, v in filling.calls[0].items() if k in filling.said | picked}
    if not fresh and len(rest) <= 30:
        given = [
            p.name
            for p in sorted(card.parameters, key=lambda p: not p.required)
            if isinstance(last.args.get(p.name), str) and not identifiers.is_identifier(card, p)
        ]
        fresh = specials.swapped(card, given[0], rest, str(last.args[given[0]])) if given and rest else {}
    if not fresh:
        return None
    return Step(text, "tool", card, Filling(calls=[{**last.args, **fresh}], said=set(fresh)))


def _bare(text: str) -> bool:
    """Whether a text asks for nothing that the vocabulary knows: "and borealis?"."""
    features = lexicon.features(traits.masked(text))
    led = _FOLLOW_UP.match(text) and len(text) <= 40
    return not features or bool(led and not any(f.startswith("#") for f in features))


def _calculated(text: str, prompt: Prompt, cards: Sequence[Card]) -> Step | None:
    """A sum that goes on with the last one's result."""
    last = next((s.result for s in reversed(prompt.past) if s.result), None)
    card = next((c for c in cards if last and c.name == last.tool and last.ok), None)
    p = next((p for p in card.required if specials.kind(card, p) == "sum"), None) if card else None
    if last is None or card is None or p is None:
        return None
    made = sums.continued(text, str(last.args.get(p.name, "")))
    return Step(text, "tool", card, Filling(calls=[{p.name: made}], said={p.name})) if made else None


def looked_in(steps: Sequence[Step]) -> list[Step]:
    """ "Open the page and find the price": what no tool finds by itself is looked for in what is read before it."""
    kept: list[Step] = []
    for step in steps:
        before = kept[-1] if kept else None
        card = before.card if before and before.kind == "tool" else None
        topic = (
            next((p for p in card.parameters if not p.required and texts.kind(p) == "query"), None) if card else None
        )
        words = contents.query(step.text) if topic and speech.looks(step.text) else None
        open_ = step.kind in ("knowledge", "unable") or (step.card is not None and step.card.finds_tools)
        if before and topic and words and open_ and topic.name not in before.filling.said:
            for args in before.filling.calls:
                args[topic.name] = words.value
        else:
            kept.append(step)
    return kept
