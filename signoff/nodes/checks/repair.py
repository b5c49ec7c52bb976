"""An answer cut down to what is supported."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff.knowledge import cite
from signoff.nodes.checks.grounds import Finding, Grounds, Located
from signoff.nodes.checks.leak import REQUEST

NOTHING = {
    "zh": "我没有找到能够支持这一点的文档或记录。",
    "en": "I found no document or record that says so.",
}
"""What is left to say when nothing was supported."""
NO_DOCUMENT = {
    "zh": "我没有找到这样说的文档。",
    "en": "I found no document that says so.",
}
"""The same where documents were asked for."""


def without_findings(answer: str, located: Sequence[Located], grounds: Grounds) -> str:
    """The answer without the sentences of the findings.

    Of a citation that does not exist only the marker goes, if something else bears the sentence out.
    """
    doomed = {
        (f.start, f.end)
        for f in located
        if f.finding.kind in ("number", "claim", "unsupported") or f.finding.text == REQUEST
    }
    missing = {f.finding.text.strip("[]") for f in located if f.finding.kind == "citation"}
    pieces: list[str] = []
    end = 0
    for start, stop in cite.spans(answer):
        sentence = _unmarked(answer[start:stop], missing)
        bare = sentence != answer[start:stop] and not cite.markers(sentence)
        gone = (start, stop) in doomed or (bare and cite.overlap(sentence, grounds.borne) < cite.OVERLAP_FLOOR)
        pieces += [answer[end:start], "" if gone else sentence]
        end = stop
    return tidy("".join((*pieces, answer[end:])))


def without_text(answer: str, findings: Sequence[Finding]) -> str:
    """The answer without the sentences that hold a finding's text; for findings of other checks."""
    kept = answer
    for finding in findings:
        if finding.text and finding.text in kept:
            doomed = [(a, b) for a, b in cite.spans(kept) if finding.text in kept[a:b]]
            for a, b in reversed(doomed):
                kept = kept[:a] + kept[b:]
            if finding.text in kept:
                kept = kept.replace(finding.text, "")
    return tidy(kept)


def tidy(answer: str) -> str:
    """No empty bullets, no introductions of lists that are gone, no piles of blank lines."""
    lines = [line.rstrip() for line in answer.split("\n")]
    kept: list[str] = []
    for i, line in enumerate(lines):
        if re.fullmatch(r"\s*+(?:[-*•>]|\d{1,3}[.)、])?\s*+(?:\*\*)?\s*+", line) and line.strip():
            continue
        if line.endswith((":", "：")) and not re.match(r"\s*(?:[-*•]|\d{1,3}[.)、])", line):
            behind = next((later for later in lines[i + 1 :] if re.sub(r"[-*•>\d.)、\s]", "", later)), "")
            if not behind or behind.endswith((":", "：")):
                continue
        kept.append(line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def _unmarked(sentence: str, missing: set[str]) -> str:
    """The sentence without the numbers in `missing`, and without a marker that has none left."""
    for marker in reversed(cite.markers(sentence)):
        left = [n for n in marker.numbers if str(n) not in missing]
        if len(left) < len(marker.numbers):
            text = "".join(f"[{n}]" for n in left)
            before = sentence[: marker.start] if text else sentence[: marker.start].rstrip(" ")
            sentence = before + text + sentence[marker.end :]
    return sentence
