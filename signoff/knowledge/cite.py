"""Citations: markers in an answer, and whether a passage says what the sentence before the marker says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from signoff.knowledge.contradiction import Alike, contradictions, prime
from signoff.knowledge.glossary import concepts_of, mentions
from signoff.knowledge.polarity import denial, is_negated, signs
from signoff.knowledge.reading import plain, values
from signoff.knowledge.split import sentences, spans
from signoff.knowledge.terms import is_amount, is_asking, terms
from signoff.knowledge.units import units
from signoff.knowledge.values import Value, contains
from signoff.text import language

__all__ = ["Marker", "contains", "markers", "missing_values", "sentences", "spans", "supports", "without_markers"]

OVERLAP_FLOOR = 0.3
"""Share of a sentence's words that the passage must hold, in the same language."""

MOSTLY = 0.6
"""From this share of words on, wording alone decides that a passage speaks of what the sentence speaks of."""
_LESS_ALIKE = 0.15
"""By how much less alike a passage in another language may be that speaks of the same concepts."""
_MAX_RANGE = 20

_NUMBERS = r"\^?\d{1,3}(?:\s{0,3}[-–—~,，、]\s{0,3}\^?\d{1,3})*"
_MARKER = re.compile(rf"[\[【]\s{{0,3}}({_NUMBERS})\s{{0,3}}[\]】]")

_LABEL = re.compile(r"(?:(?<=› )|^[ \t]*)\d{1,2}(?=[.)、][ \t])", re.MULTILINE)


@dataclass(frozen=True)
class Marker:
    """A citation marker such as `[1]`, `[1, 3]`, `[1-3]`, `【1】` or `[^1]`, where it stands in the text."""

    numbers: tuple[int, ...]
    start: int
    end: int


def markers(text: str) -> list[Marker]:
    """The citation markers of `text`, in order."""
    return [Marker(_numbers(m[1]), m.start(), m.end()) for m in _MARKER.finditer(text)]


def without_markers(text: str) -> str:
    """The text as it reads without its markers."""
    return re.sub(r"(?<![ \t])[ \t]*" + _MARKER.pattern, "", text)


def supports(sentence: str, passage_text: str, *, alike: Alike | None = None, alike_floor: float = 1.0) -> list[str]:
    """What of `sentence` the passage does not say; empty when it supports it.

    Values (numbers, amounts, dates, times, identifiers) are compared in their normal form, whatever the
    language; a negation needs one in the passage, and no unit of the passage that speaks of the same may say
    otherwise. The rest is compared by words, through the glossary where the languages differ; where words cannot
    decide, by similarity from `alike_floor` on. Hand in the passage's title and headings with its text.
    """
    claim = without_markers(sentence)
    lacking = [v.text for v in missing_values(claim, values(without_labels(passage_text), words=True), passage_text)]
    if wrong := polarity(claim, passage_text):
        lacking.append(wrong)
    lacking += contradictions(claim, passage_text, alike)
    if not overlaps(claim, passage_text, alike=alike, alike_floor=alike_floor):
        lacking.append("its wording")
    return list(dict.fromkeys(lacking))


def without_labels(text: str) -> str:
    """The text without the numbers of its headings and list items."""
    return _LABEL.sub(" ", text)


def missing_values(
    text: str, sources: Sequence[Value], source_text: str = "", *, today: date | None = None
) -> list[Value]:
    """The values of `text` that are not among `sources`, nor, for identifiers, in `source_text`."""
    known = plain(source_text)
    return [v for v in values(text) if not contains(sources, v, known, today)]


def polarity(claim: str, passage: str) -> str:
    """The negation of `claim` when nothing in the passage is denied at all; empty otherwise."""
    negation = denial(claim)
    return f"the negation {negation!r}" if negation and not is_negated(passage) else ""


def overlaps(claim: str, passage: str, *, alike: Alike | None = None, alike_floor: float = 1.0) -> bool:
    """Whether the passage speaks of what the sentence speaks of."""
    foreign = language(claim) != language(passage)
    if not foreign:
        own = len(content(claim))
        share = overlap(claim, passage)
        if own < 3 or share >= MOSTLY:
            return True
        enough = share >= OVERLAP_FLOOR
        said = signs(claim)
        if not enough and (said.negated or said.allowed or said.refused):
            # Likeness is blind to yes and no: where that is stated, the words must be there.
            return False
    else:
        asked = {m.concept for m in mentions(claim)}
        told = asked & concepts_of(passage)
        if len(told) > 1 and len(told) >= MOSTLY * len(asked):
            alike_floor -= _LESS_ALIKE
        enough = len(asked) < 2 or bool(told)
    near = _nearest(claim, passage, alike) if alike is not None else None
    return enough if near is None else near >= alike_floor


def _nearest(claim: str, passage: str, alike: Alike) -> float | None:
    """The similarity of the passage, or of the part of it that is most alike."""
    parts = [passage, *dict.fromkeys(u.text for u in units(passage))]
    prime(alike, [claim, *parts])
    known = [n for n in (alike(claim, part) for part in parts) if n is not None]
    return max(known, default=None)


def overlap(claim: str, passage: str) -> float:
    """Share of the claim's words that the passage holds, words of one concept counting as one; 0 for none."""
    own = content(claim)
    told = concepts_of(passage)
    alike = {t for m in mentions(claim) if m.concept in told for t in own if m.covers(t)}
    return len((own & _terms_of(passage)) | alike) / len(own) if own else 0.0


@lru_cache(maxsize=256)
def _terms_of(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def content(text: str) -> set[str]:
    """The words of a text that say what it is about."""
    return {t for t in terms(text) if not is_asking(t) and not is_amount(t) and not re.search(r"\d", t)}


def _numbers(inside: str) -> tuple[int, ...]:
    """The numbers of a marker, each of a range among them."""
    found: list[int] = []
    for first, last in re.findall(r"(\d+)(?:\s*[-–—~]\s*\^?(\d+))?", inside):
        a, b = int(first), int(last or first)
        found += range(a, b + 1) if a <= b < a + _MAX_RANGE else (a, b)
    return tuple(dict.fromkeys(found))
