"""Markers put where a passage fully supports a sentence: what code can mend is not sent back to a model."""

from __future__ import annotations

import re
from collections.abc import Mapping

from signoff.knowledge import cite
from signoff.knowledge.contradiction import contradictions
from signoff.knowledge.glossary import concepts_of
from signoff.knowledge.reading import plain
from signoff.knowledge.values import contains
from signoff.nodes.checks.assertion import asserts
from signoff.nodes.checks.citation import unsupported
from signoff.nodes.checks.grounds import Grounds
from signoff.nodes.checks.marker import Sentence, borne_out, is_reference, sentences
from signoff.nodes.checks.number import claimed
from signoff.nodes.checks.statement import claims
from signoff.text import language

# A stop with what closes it, at the end of a sentence; a table's row ends with its bar.
_STOP = re.compile(r"(?:[ \t]*\||[.。!！?？;；…]+[\"'”’)）」』*_]*|[*_]+)\s*$")


def attach(answer: str, grounds: Grounds) -> str:
    """The answer with the markers that are beyond doubt.

    Behind an unmarked factual sentence goes the marker of the passage that fully supports it: all its values, its
    yes and no, most of its words. A sentence's only marker that names the wrong passage is corrected where exactly
    one other fully supports it. Nothing else changes; attaching again changes nothing.
    """
    if not grounds.evidence_texts:
        return answer
    for s in reversed(sentences(answer)):
        answer = answer[: s.start] + _mended(s, grounds) + answer[s.end :]
    return answer


def support(sentence: str, n: int, grounds: Grounds) -> float:
    """How fully passage `n` supports the sentence, 0 to 1; 0 when it does not beyond doubt."""
    text, claim = grounds.evidence_texts[n], cite.without_markers(sentence)
    known = plain(text)
    stated = claimed(sentence, grounds)
    if not all(contains(grounds.evidence_values[n], v, known) for v in stated):
        return 0.0
    if cite.polarity(claim, text) or contradictions(claim, text, grounds.alike):
        return 0.0
    if language(claim) == language(text):
        share = cite.overlap(claim, text)
        return share if share >= cite.MOSTLY and (stated or len(cite.content(claim)) > 1) else 0.0
    near = grounds.alike(claim, text) if grounds.alike is not None else None
    asked = concepts_of(claim)
    share = len(asked & concepts_of(text)) / len(asked) if len(asked) > 1 else 0.0
    if near is not None:
        return near if near >= grounds.alike_floor and (share >= cite.MOSTLY or stated) else 0.0
    return share if share >= cite.MOSTLY and stated else 0.0


def _mended(s: Sentence, grounds: Grounds) -> str:
    if s.silent or is_reference(s.text) or claims(s.text):
        return s.text
    if s.numbers:
        return _corrected(s, grounds)
    if not grounds.documented or not asserts(s.text):
        return s.text
    if s.covered and not unsupported(s.text, s.covered, grounds):
        return s.text
    if borne_out(s.text, grounds):
        return s.text
    fully = _fully(s.text, grounds)
    return _marked(s.text, max(fully, key=lambda n: (fully[n], -n))) if fully else s.text


def _corrected(s: Sentence, grounds: Grounds) -> str:
    found = cite.markers(s.text)
    if len(found) != 1 or len(s.numbers) != 1:
        return s.text
    n = s.numbers[0]
    if n in grounds.evidence_texts and not unsupported(s.text, [n], grounds):
        return s.text
    fully = [k for k in _fully(s.text, grounds) if k != n]
    if len(fully) != 1:
        return s.text
    marker = found[0]
    shown = re.sub(r"\d{1,3}", str(fully[0]), s.text[marker.start : marker.end], count=1)
    return s.text[: marker.start] + shown + s.text[marker.end :]


def _fully(sentence: str, grounds: Grounds) -> Mapping[int, float]:
    shares = {n: support(sentence, n, grounds) for n in grounds.evidence_texts}
    return {n: share for n, share in shares.items() if share > 0}


def _marked(sentence: str, n: int) -> str:
    stop = _STOP.search(sentence)
    end = stop.start() if stop else len(sentence.rstrip())
    return f"{sentence[:end].rstrip()} [{n}]{sentence[end:]}"
