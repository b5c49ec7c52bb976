"""Arguments that are lists or objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from signoff.models.rehearsal import addressees, choices, identifiers, lexicon, numerals, texts
from signoff.models.rehearsal.cards import Card, Parameter, Sample, parameters_of
from signoff.models.rehearsal.memory import Memory

if TYPE_CHECKING:
    from signoff.models.rehearsal.slots import Filling

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)
_COMMAS = re.compile(r"\s*(?:,\s*and\b|,|，|、|和|及|与|\band\b)\s*")


def inner(card: Card, p: Parameter) -> Card:
    """An object parameter as a tool of its own, with its part of the examples."""
    samples = tuple(Sample(s.text, s.args[p.name]) for s in card.samples if isinstance(s.args.get(p.name), Mapping))
    return Card(card.name, card.description, samples, tuple(parameters_of(p.schema, p.schema.get("$root") or {})))


def items(
    card: Card, p: Parameter, text: str, taken: Sequence[texts.Span], known: Memory, fill: Callable[[Card], Filling]
) -> list[Any]:
    """All values in the text that an array parameter's items admit."""
    node = p.schema.get("items")
    item = Parameter(p.name, {**node, "$root": p.schema.get("$root")} if isinstance(node, Mapping) else {}, p.required)
    if item.schema.get("enum"):
        return [c.value for c in choices.find_all(card, item, text)]
    if item.type in ("integer", "number"):
        return [int(c.value) if c.value == int(c.value) else c.value for c in numerals.counts(lexicon.fold(text))]
    if item.type == "object":
        filled = fill(inner(card, item))
        return filled.calls if filled.complete and filled.said else []
    samples = [v for s in card.samples for v in (s.args.get(p.name) or []) if isinstance(v, str)]
    if "email" in p.words or item.schema.get("format") == "email" or (samples and all(map(_EMAIL.fullmatch, samples))):
        return list(addressees.receivers(card, p, text, taken))
    flat = Card(card.name, "", tuple(Sample(v, {p.name: v}) for v in samples), (item,))
    if identifiers.is_identifier(flat, item):
        found = [i.value for i in identifiers.find(flat, item, text)]
        return found or (known.refer(flat, item, text, implicit=False) if p.required else [])
    return _names(card, p, text, taken)


def _names(card: Card, p: Parameter, text: str, taken: Sequence[texts.Span]) -> list[str]:
    """Names in a row: "invite Ann, Bob and Carl"."""
    rows = []
    for sample in card.samples:
        if isinstance(listed := sample.args.get(p.name), list) and (stretch := _stretch(sample.text, listed)):
            rows.append(Sample(sample.text, {**sample.args, p.name: stretch}))
    flat = Card(card.name, "", tuple(rows), ())
    candidates = [*texts.by_samples(flat, p, text, taken), *texts.by_leads(p, text, taken)]
    best = max(candidates, key=lambda c: c.weight, default=None)
    if best is None and (led := _behind_its_name(p, text)):
        return [name.strip() for name in _COMMAS.split(led) if name.strip()]
    if best is None or (best.weight < 1 and not p.required):
        return []
    return [name for name in _COMMAS.split(best.value) if name]


def _behind_its_name(p: Parameter, text: str) -> str:
    """ "with the options pizza, sushi and salad", 选项: 披萨、寿司: a list of two at least."""
    names = {p.name.replace("_", " "), lexicon.name_of(p.name, "zh")} | {w for w in p.words if not w.startswith("#")}
    for name in sorted(names, key=len, reverse=True):
        edge = r"\b" if name.isascii() else ""
        found = re.search(
            rf"{edge}{re.escape(name)}{edge}\s*(?:are|is|being|should be|有|是|为|包括|:|：|=)?\s*([^.;!?。；！？\n]+)",
            text,
            re.IGNORECASE,
        )
        if found and len([x for x in _COMMAS.split(found[1]) if x.strip()]) > 1:
            return found[1].strip()
    return ""


def _stretch(text: str, values: Sequence[Any]) -> str:
    """The part of an example's text from the first to the last listed value."""
    spots = [(text.find(str(v)), len(str(v))) for v in values]
    if not spots or any(a < 0 for a, _ in spots):
        return ""
    return text[min(a for a, _ in spots) : max(a + n for a, n in spots)]
