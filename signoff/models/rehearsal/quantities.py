"""Arguments that are numbers, each filled with the number whose neighbouring words fit it best."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from signoff.models.rehearsal import dates, lexicon, numerals
from signoff.models.rehearsal.cards import Card, Parameter
from signoff.models.rehearsal.texts import Span


def assign(
    card: Card, parameters: Sequence[Parameter], text: str, taken: Sequence[Span], today: date | None
) -> tuple[Mapping[str, float], Sequence[Span]]:
    """Values for number parameters, and where they stand. An optional one takes only a number that fits it."""
    if not parameters:
        return {}, ()
    folded = lexicon.fold(text)
    used = [*taken, *((w.start, w.end) for w in (dates.days(folded, today) if today else ()))]
    found = [c for c in numerals.counts(folded) if not any(a < c.end and c.start < b for a, b in used)]
    pairs = [(_fit(card, p, folded, c), i, j) for i, p in enumerate(parameters) for j, c in enumerate(found)]
    values: dict[str, float] = {}
    spans: dict[int, Span] = {}
    for fit, i, j in sorted(pairs, key=lambda f: (-f[0], f[1], f[2])):
        p, count = parameters[i], found[j]
        if p.name in values or j in spans or not _in_range(p, count.value) or (not p.required and fit < 1):
            continue
        values[p.name] = int(count.value) if count.value == int(count.value) else count.value
        spans[j] = (count.start, count.end)
    return values, list(spans.values())


def _fit(card: Card, p: Parameter, folded: str, count: numerals.Count) -> float:
    """How well the words round a number fit the parameter's name, its examples and its description."""
    around = folded[max(0, count.start - 10) : count.start] + " " + folded[count.end : count.end + 10]
    here = set(lexicon.features(around)) | set(re.findall(r"[\u3400-\u9fff]", folded[count.end : count.end + 2]))
    named = {f for w in re.findall(r"[a-z]+", p.name.lower()) for f in lexicon.features(w)}
    learned = {f for s in card.samples if p.name in s.args for f in _round(s.text, s.args[p.name])}
    described = set(lexicon.features(p.text))
    return 2.0 * bool(here & named) + 1.5 * bool(here & learned) + 0.7 * bool(here & described)


def _in_range(p: Parameter, value: float) -> bool:
    low, high = p.schema.get("minimum"), p.schema.get("maximum")
    if p.type == "integer" and value != int(value):
        return False
    return (low is None or value >= low) and (high is None or value <= high)


def _round(text: str, value: object) -> set[str]:
    """Features of the words next to a number in an example."""
    at = text.find(str(value))
    if at < 0:
        return set()
    end = at + len(str(value))
    close = lexicon.fold(text[max(0, at - 8) : at] + " " + text[end : end + 8])
    return set(lexicon.features(close)) | set(re.findall(r"[\u3400-\u9fff]", text[end : end + 2]))
