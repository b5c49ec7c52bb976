"""What an answer must pass before a person sees it: pure functions of the answer and its grounds."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff.knowledge import cite
from signoff.nodes.checks.attachment import attach
from signoff.nodes.checks.citation import check_citations
from signoff.nodes.checks.claim import check_claims
from signoff.nodes.checks.echo import check_echo
from signoff.nodes.checks.grounds import Finding, Grounds, Located
from signoff.nodes.checks.leak import check_leaks, masked
from signoff.nodes.checks.marker import check_unmarked
from signoff.nodes.checks.number import check_numbers
from signoff.nodes.checks.record import check_records
from signoff.nodes.checks.repair import NO_DOCUMENT, NOTHING, tidy, without_findings, without_text
from signoff.state import Citation, Evidence

__all__ = ["Finding", "Grounds", "attach", "check", "citations", "degrade"]

_CHECKS = (check_citations, check_numbers, check_claims, check_leaks, check_unmarked, check_records, check_echo)
_MAX_PASSES = 8
# A yes or no whose reasons are gone.
_BARE_ANSWER = re.compile(
    r"\W*(?:yes|no|sure|of course|是的?|对的?|可以的?|不可以|不能|不行|能|好的|当然(?:可以)?)\W*", re.IGNORECASE
)


def check(answer: str, grounds: Grounds) -> list[Finding]:
    """What in `answer` nothing supports, in the order of the text; empty for an answer that may go out.

    Never raises, whatever the text.
    """
    return list(dict.fromkeys(located.finding for located in _located(answer, grounds)))


def degrade(answer: str, findings: Sequence[Finding], grounds: Grounds) -> str:
    """The answer without what is unsupported; checked again, it has no finding.

    Sentences go, of a citation that does not exist only its marker, and secrets are blacked out. When
    nothing is left, one honest sentence in the asker's language.
    """
    text = masked(answer, grounds.language)
    for _ in range(_MAX_PASSES):
        located = _located(text, grounds)
        if not located:
            break
        text = masked(without_findings(text, located, grounds), grounds.language)
    known = set(check(answer, grounds))
    text = without_text(tidy(text), [f for f in findings if f.kind != "leak" and f not in known])
    left = re.search(r"\w", cite.without_markers(text)) and not (grounds.documented and _BARE_ANSWER.fullmatch(text))
    if not left or _located(text, grounds):
        return (NO_DOCUMENT if grounds.documented else NOTHING)["zh" if grounds.language == "zh" else "en"]
    return text


def citations(answer: str, evidence: Sequence[Evidence]) -> list[Citation]:
    """The evidence that the answer cites, in the order of its numbers."""
    cited = {n for m in cite.markers(answer) for n in m.numbers}
    return [
        Citation(
            n=e["n"],
            passage=e["passage"],
            title=e["title"],
            place=e["place"],
            source=e["source"],
            version=e["version"],
            page=e.get("page"),
        )
        for e in sorted(evidence, key=lambda e: e["n"])
        if e["n"] in cited
    ]


def _located(answer: str, grounds: Grounds) -> list[Located]:
    found = [located for find in _CHECKS for located in find(answer, grounds)]
    return sorted(found, key=lambda located: (located.start, located.end))
