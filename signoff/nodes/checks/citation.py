"""Every cited passage exists and says what the sentence says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from signoff.knowledge import cite
from signoff.knowledge.reading import plain
from signoff.knowledge.values import contains
from signoff.nodes.checks.grounds import Finding, Grounds, Located
from signoff.nodes.checks.number import claimed
from signoff.text import shorten

# A line that only lists a source: "[1] Return policy", "Source: [1]", "来源:[1]《退货政策》".
_REFERENCE = re.compile(
    r"\W{0,20}(?:sources?|references?|see|来源|出处|参考|依据|参见|见)?\W{0,20}[\[【]\s*\^?\d", re.IGNORECASE
)


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
        cited = [n for n in dict.fromkeys(numbers) if n in grounds.evidence_texts]
        if cited:
            yield from _unsupported(sentence, cited, grounds, start, end)


def _unsupported(sentence: str, cited: list[int], grounds: Grounds, start: int, end: int) -> Iterator[Located]:
    claim = cite.without_markers(sentence)
    passages = "\n".join(grounds.evidence_texts[n] for n in cited)
    told = [v for n in cited for v in grounds.evidence_values[n]]
    text = f"{grounds.spoken}\n{passages}"
    known, spoken = plain(passages), plain(text)
    foreign = [v for v in claimed(sentence, grounds) if not contains(told, v, known, grounds.today)]
    lacking = [
        v.text
        for v in foreign
        if not contains(grounds.spoken_values, v, spoken, grounds.today)
        # A value that is nowhere is the number check's finding.
        and contains(grounds.all_values, v, grounds.everything, grounds.today)
    ]
    # A sentence that applies a policy to a record says more than the policy: the record speaks too.
    concluding = bool(foreign) or any(r.ok for r in grounds.records)
    if not concluding and (wrong := cite.polarity(claim, passages)):
        lacking.append(wrong)
    if not _REFERENCE.match(sentence) and not cite.overlaps(claim, text if concluding else passages):
        lacking.append("its wording")
    if lacking:
        names = ", ".join(f"[{n}]" for n in cited)
        message = f"{names} does not say this ({'; '.join(lacking)}): say only what it says, or cite another passage."
        yield Located(Finding("unsupported", shorten(sentence, 300), message), start, end)
