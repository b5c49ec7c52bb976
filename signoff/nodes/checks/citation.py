"""Every cited passage exists and says what the sentence says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from signoff.knowledge import cite
from signoff.knowledge.contradiction import contradictions, replaced
from signoff.knowledge.polarity import signs
from signoff.knowledge.reading import plain, values
from signoff.knowledge.values import Value, contains
from signoff.nodes.checks.assertion import stated
from signoff.nodes.checks.grounds import Finding, Grounds, Located
from signoff.nodes.checks.number import claimed
from signoff.text import language, normalise, shorten

# A line that only lists a source: "[1] Return policy", "Source: [1]", "来源:[1]《退货政策》".
REFERENCE = re.compile(
    r"\W{0,20}(?:sources?|references?|see|来源|出处|参考|依据|参见|见)?\W{0,20}[\[【]\s*\^?\d", re.IGNORECASE
)
# Speaks of the person's own case, as records have it.
APPLIED = re.compile(
    r"\b(?:your|yours|it|its|this|these|they|no|yes|(?:the|that) (?:order|parcel|package|product|item|ticket"
    r"|request))\b"
    r"|[您你]的?|[该这此]|订单|包裹|工单|^\W*(?:不|可以|能|can ?not|can)"
)

_NAMING = re.compile(r"^\W*(?:sources?|references?|see|来源|出处|参考|依据|参见|见)\b", re.IGNORECASE)
_JOINED = re.compile(
    r"\W*?(?:[,，;；:：—–]|\b(?:and|but|so|while|therefore|which)\b|而且|并且|所以|因此|但是?|同时)\s*(?:(?:and|but|so)\b\s*)?"
)
_SHORT = 2
"""Words of a heading that is too short to state anything."""
_NAMED = 0.99
"""Share of its words that must be in the names of the evidence or in the question."""
_QUOTED = 0.8
"""The same where a passage says it."""


def check_citations(answer: str, grounds: Grounds) -> Iterator[Located]:
    """Markers without evidence, and sentences that their passages do not support."""
    for start, end in cite.spans(answer):
        sentence = answer[start:end]
        numbers = [n for m in cite.markers(sentence) for n in m.numbers]
        if not numbers:
            continue
        for n in dict.fromkeys(numbers):
            if n not in grounds.evidence_texts:
                known = ", ".join(f"[{k}]" for k in sorted(grounds.evidence_texts)) or "none"
                message = f"There is no evidence [{n}]: remove the marker, or cite one of: {known}."
                yield Located(Finding("citation", f"[{n}]", message), start, end)
        if finding := unsupported(sentence, numbers, grounds) or _behind(sentence, numbers, grounds):
            yield Located(finding, start, end)


def unsupported(sentence: str, numbers: Sequence[int], grounds: Grounds) -> Finding | None:
    """What of the sentence the passages of these numbers do not bear out; numbers of no passage count for nothing."""
    cited = [n for n in dict.fromkeys(numbers) if n in grounds.evidence_texts]
    if not cited:
        return None
    lacking = _lacking(sentence, cited, grounds)
    for part, own in _parts(sentence):
        known = [n for n in own if n in grounds.evidence_texts]
        lacking += [v.text for v in _foreign(part, known, grounds) if known and contains(_told(cited, grounds), v)]
    if not lacking:
        return None
    names = ", ".join(f"[{n}]" for n in cited)
    what = "; ".join(dict.fromkeys(lacking))
    message = f"{names} does not say this ({what}): say only what it says, or cite another passage."
    return Finding("unsupported", shorten(sentence, 300), message)


def names_only(text: str, grounds: Grounds) -> bool:
    """Whether a heading or a line of sources is made of titles, places and sources, or too short to state anything."""
    words = cite.content(text)
    said = signs(text)
    if len(words) <= _SHORT and not (said.negated or said.allowed or said.refused) and not values(text):
        return True
    if cite.overlap(text, grounds.names) >= _NAMED:
        return True
    return any(
        cite.overlap(text, known) >= _QUOTED and not cite.polarity(text, known) and not contradictions(text, known)
        for known in grounds.evidence_texts.values()
    )


def _behind(sentence: str, numbers: Sequence[int], grounds: Grounds) -> Finding | None:
    """What stands behind the last marker is a clause of its own: "7 days [1], and used goods as well"."""
    found = cite.markers(sentence)
    tail = sentence[found[-1].end :] if grounds.documented and found else ""
    said = stated(_JOINED.sub("", tail, count=1)) if _JOINED.match(tail) else ""
    cited = [n for n in dict.fromkeys(numbers) if n in grounds.evidence_texts]
    if not said or not cited:
        return None
    passages = "\n\f".join(grounds.evidence_texts[n] for n in cited)
    known = f"{grounds.recorded}\n{passages}"
    missing = [] if language(said) != language(known) else sorted(cite.content(said) - cite.content(known))
    lacking = _lacking(said, cited, grounds)
    if missing and cite.overlap(said, known) < cite.MOSTLY:
        lacking.append("its wording")
    if not lacking:
        return None
    message = f"No passage is cited for {shorten(said, 100)!r}: cite the one that says it, or leave it out."
    return Finding("unsupported", shorten(sentence, 300), message)


def _lacking(sentence: str, cited: Sequence[int], grounds: Grounds) -> list[str]:
    claim = cite.without_markers(sentence)
    passages = "\n\f".join(grounds.evidence_texts[n] for n in cited)
    foreign = _foreign(sentence, cited, grounds)
    own = len(claimed(sentence, grounds)) > len(foreign)
    recorded = plain(f"{grounds.recorded}\n{passages}")
    spoken = plain(f"{grounds.spoken}\n{passages}")
    lacking = []
    # A record does not stand for a passage that gives another value for the same thing.
    other = {v.text for v in replaced(claim, passages)} if foreign and not own else set()
    for v in foreign:
        if v.text not in other and contains(grounds.recorded_values, v, recorded, grounds.today):
            continue
        # What the person said is a condition ("after 5 years of service"), never all that a rule says.
        if own and contains(grounds.spoken_values, v, spoken, grounds.today):
            continue
        # A value that is nowhere is the number check's finding.
        if contains(grounds.all_values, v, grounds.everything, grounds.today):
            lacking.append(v.text)
    # A sentence that applies a policy to a record says more than the policy: the record speaks too.
    applied = any(r.ok for r in grounds.records) and bool(APPLIED.search(normalise(claim)))
    concluding = bool(foreign) or applied
    if not concluding:
        if wrong := cite.polarity(claim, passages):
            lacking.append(wrong)
        lacking += contradictions(claim, passages, grounds.alike)
    text = f"{grounds.recorded}\n{passages}" if concluding else passages
    reference = REFERENCE.match(sentence) and names_only(_NAMING.sub("", claim), grounds)
    if not reference and not cite.overlaps(claim, text, alike=grounds.alike, alike_floor=grounds.alike_floor):
        lacking.append("its wording")
    return lacking


def _foreign(sentence: str, cited: Sequence[int], grounds: Grounds) -> list[Value]:
    """Values of the sentence that the cited passages do not have."""
    known = plain("\n".join(grounds.evidence_texts[n] for n in cited))
    told = _told(cited, grounds)
    return [v for v in claimed(sentence, grounds) if not contains(told, v, known, grounds.today)]


def _told(cited: Sequence[int], grounds: Grounds) -> list[Value]:
    return [v for n in cited for v in grounds.evidence_values[n]]


def _parts(sentence: str) -> list[tuple[str, tuple[int, ...]]]:
    """The parts of a sentence that has markers in several places, each with its own; none where they are in one."""
    groups: list[tuple[str, tuple[int, ...]]] = []
    end = 0
    for marker in cite.markers(sentence):
        before = sentence[end : marker.start]
        if groups and not re.search(r"\w", before):
            groups[-1] = (groups[-1][0], groups[-1][1] + marker.numbers)
        else:
            groups.append((before, marker.numbers))
        end = marker.end
    if len(groups) < 2:
        return []
    # What stands behind the last marker may go with any.
    return groups
