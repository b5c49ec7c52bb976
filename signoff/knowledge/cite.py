"""Citations: markers in an answer, and whether a passage says what the sentence before the marker says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from signoff.knowledge.glossary import concepts_of, mentions
from signoff.knowledge.reading import plain, values
from signoff.knowledge.split import sentences, spans
from signoff.knowledge.terms import is_amount, is_asking, terms
from signoff.knowledge.values import Value, contains
from signoff.text import language, normalise

__all__ = ["Marker", "contains", "markers", "missing_values", "sentences", "spans", "supports", "without_markers"]

OVERLAP_FLOOR = 0.3
"""Share of a sentence's words that the passage must hold, in the same language."""

_MARKER = re.compile(r"[\[【]\s{0,3}\^?(\d{1,3}(?:\s{0,3}[,，、]\s{0,3}\^?\d{1,3})*)\s{0,3}[\]】]")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|unable|exclude[sd]?|excluding|forbidden|prohibited|refuse[sd]?)\b"
    r"|n['’]t\b|[不没无未勿]|禁止|除外|拒绝|作废"
)
# Words that hold a negation's sign but negate nothing.
_APPARENT = re.compile(
    r"\bnot only\b|\b(?:not|no) (?:more|less|later|longer|fewer|earlier) than\b|\bnot exceed(?:ing)?\b"
    r"|\bno\. ?\d|\bno[- ]reason\b"
    r"|无理由|不仅|不但|不过(?=[,，])|不管|不论|无论|不同|不少于|不超过|不低于|不高于|不晚于|不满|不足|不断|不久|未来|没问题|不好意思|不客气"
)
_ALLOWED = re.compile(
    r"\b(?:can|may|able|allowed|eligible|covered|possible|permitted|free)\b|可以|可(?=[以退换用享在按])|能(?!源|力|量|效)|支持|允许|免费|适用"
)
_REFUSED = re.compile(
    r"\b(?:can ?not|may not|not (?:be )?(?:allowed|eligible|covered|possible|permitted|supported|returned|refunded)"
    r"|excluded|never|nobody|forbidden|prohibited|no longer)\b|can['’]t"
    r"|不支持|不可以?|不能|不得|不再|禁止|不适用|不予|不允许|无法"
)


@dataclass(frozen=True)
class Marker:
    """A citation marker such as `[1]` or `[1, 3]`, where it stands in the text."""

    numbers: tuple[int, ...]
    start: int
    end: int


def markers(text: str) -> list[Marker]:
    """The citation markers of `text`, in order."""
    return [Marker(tuple(int(n) for n in re.findall(r"\d+", m[1])), m.start(), m.end()) for m in _MARKER.finditer(text)]


def without_markers(text: str) -> str:
    """The text as it reads without its markers."""
    return re.sub(r"(?<![ \t])[ \t]*" + _MARKER.pattern, "", text)


def supports(sentence: str, passage_text: str) -> list[str]:
    """What of `sentence` the passage does not say; empty when it supports it.

    Values (numbers, amounts, dates, times, identifiers) are compared in their normal form, whatever the
    language; a negation needs one in the passage, and a permission must not be refused there. The rest is
    compared by words, through the glossary where the languages differ. Hand in the passage's title and
    headings with its text.
    """
    claim = without_markers(sentence)
    lacking = [v.text for v in missing_values(claim, values(passage_text, words=True), passage_text)]
    if wrong := polarity(claim, passage_text):
        lacking.append(wrong)
    if not overlaps(claim, passage_text):
        lacking.append("its wording")
    return lacking


def missing_values(
    text: str, sources: Sequence[Value], source_text: str = "", *, today: date | None = None
) -> list[Value]:
    """The values of `text` that are not among `sources`, nor, for identifiers, in `source_text`."""
    known = plain(source_text)
    return [v for v in values(text) if not contains(sources, v, known, today)]


def polarity(claim: str, passage: str) -> str:
    """The words of `claim` whose yes or no the passage does not share; empty when it does."""
    said = normalise(claim)
    real = _APPARENT.sub(" ", said)
    negation = _NEGATION.search(real)
    source = normalise(passage)
    if negation:
        return "" if _NEGATION.search(_APPARENT.sub(" ", source)) else f"the negation {negation[0]!r}"
    allowed = _ALLOWED.search(real)
    if not allowed or language(claim) != language(passage):
        return ""
    own = _content(claim)
    granted: list[set[str]] = []
    refused: list[set[str]] = []
    for sentence in _with_lead_in(source):
        shared = own & _content(sentence)
        if len(shared) >= 0.6 * max(len(own), 1):
            (refused if _REFUSED.search(_APPARENT.sub(" ", sentence)) else granted).append(shared)
    wrong = any(not any(r <= g for g in granted) for r in refused)
    return f"the permission {allowed[0]!r}" if wrong else ""


def overlaps(claim: str, passage: str) -> bool:
    """Whether the passage speaks of what the sentence speaks of."""
    if language(claim) != language(passage):
        asked = [m.concept for m in mentions(claim)]
        told = concepts_of(passage)
        return len(asked) < 2 or any(c in told for c in asked)
    return len(_content(claim)) < 3 or overlap(claim, passage) >= OVERLAP_FLOOR


def overlap(claim: str, passage: str) -> float:
    """Share of the claim's words that the passage holds, words of one concept counting as one; 0 for none."""
    own = _content(claim)
    told = concepts_of(passage)
    alike = {t for m in mentions(claim) if m.concept in told for t in own if m.covers(t)}
    return len((own & _terms_of(passage)) | alike) / len(own) if own else 0.0


@lru_cache(maxsize=256)
def _terms_of(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _content(text: str) -> set[str]:
    return {t for t in terms(text) if not is_asking(t) and not is_amount(t) and not re.search(r"\d", t)}


def _with_lead_in(text: str) -> Iterable[str]:
    """Sentences; an item of a list with the line or heading that introduces the list."""
    lead = ""
    for sentence in sentences(text):
        if sentence.startswith(("- ", "* ")):
            yield f"{lead} {sentence}"
        else:
            lead = sentence
            yield sentence
