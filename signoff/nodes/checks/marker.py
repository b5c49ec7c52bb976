"""In an answer that stands on documents, every factual sentence is cited."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from signoff.knowledge import cite
from signoff.knowledge.contradiction import contradictions
from signoff.knowledge.glossary import concepts_of
from signoff.knowledge.reading import plain
from signoff.knowledge.values import contains
from signoff.nodes.checks.assertion import asserts, is_label, stated, unlabelled
from signoff.nodes.checks.citation import APPLIED, REFERENCE, names_only, unsupported
from signoff.nodes.checks.grounds import Finding, Grounds, Located
from signoff.nodes.checks.number import claimed
from signoff.nodes.checks.statement import claims, states
from signoff.text import language, normalise, shorten

_OWN_WORDS = 0.8
"""Share of a sentence's words that the person must have said for it to repeat them."""
_RECORDED = 0.5
"""Share of them that a record must hold."""

_ITEM = re.compile(r"[ \t]*(?:[-*•+]|\d{1,3}[.)）、])[ \t]*\S|[ \t]*\||[ \t]{2,}\S")
# Markers behind the last stop of a paragraph, a header's rule.
_BEHIND = re.compile(r"[.。!！?？][\"'”’)）」』*_]*\s*(?:[\[【][^\]】]{1,40}[\]】]\s*)+$")
_RULE = re.compile(r"\s*\n[ \t]*\|?[ \t]*:?-[\s:|-]*(?:\n|$)")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_BARE = re.compile(r"\W*(?:sources?|references?|see|来源|出处|参考|依据|参见|见)?\W*", re.IGNORECASE)


_HEARSAY = re.compile(
    r"\b(?:told|heard|said|says?|claim(?:s|ed)?|according to"
    r"|think|thinks|thought|believe[sd]?|assume[sd]?|mentioned|rumou?r)\b"
    r"|听|据说|告诉|说|以为|认为|觉得|声称"
)


@dataclass(frozen=True)
class Sentence:
    """A sentence of an answer with the passages it cites."""

    start: int
    end: int
    text: str
    numbers: tuple[int, ...]
    """Of its own markers."""
    covered: tuple[int, ...] = ()
    """Of the markers that stand for it elsewhere: at the end of its row of clauses, behind the last stop of its
    paragraph, at the line that introduces its list or table, or in a line of their own below it."""
    silent: bool = False
    """Whether it only names columns or sources."""


def check_unmarked(answer: str, grounds: Grounds) -> Iterator[Located]:
    """Factual sentences without a marker that no record and no word of the person bears out."""
    if not grounds.documented:
        return
    for s in sentences(answer):
        if s.numbers or claims(s.text) or not (said := _stated(s, grounds)):
            continue
        if s.covered:
            if (finding := unsupported(s.text, s.covered, grounds)) and not borne_out(said, grounds):
                yield Located(finding, s.start, s.end)
        elif not borne_out(said, grounds):
            yield Located(Finding("unsupported", shorten(s.text, 300), _message(grounds)), s.start, s.end)


def _stated(s: Sentence, grounds: Grounds) -> str:
    """What the sentence states; a heading or a line of sources states nothing where it is made of names."""
    label = is_label(s.text)
    if (label or s.silent) and all(names_only(cell, grounds) for cell in unlabelled(s.text).split("|")):
        return ""
    said = stated(unlabelled(s.text) if label else s.text)
    whole = len(re.findall(r"\w", said)) == len(re.findall(r"\w", normalise(cite.without_markers(s.text))))
    return s.text if whole else said


def sentences(answer: str) -> list[Sentence]:
    """The sentences of an answer, each with its own markers and with those that stand for it elsewhere."""
    found = [
        Sentence(a, b, answer[a:b], tuple(dict.fromkeys(n for m in cite.markers(answer[a:b]) for n in m.numbers)))
        for a, b in cite.spans(answer)
    ]
    for i in range(len(found) - 2, -1, -1):
        s, after = found[i], found[i + 1]
        if s.numbers or "\n" in answer[s.end : after.start]:
            continue
        if s.text.endswith(("；", ";")) or _BEHIND.search(after.text) or after.covered:
            found[i] = replace(s, covered=after.numbers or after.covered)
    for i, s in enumerate(found):
        before = found[i - 1] if i else s
        if (
            before is not s
            and "\n" not in answer[before.end : s.start]
            and (before.silent or is_reference(before.text))
        ) or (s.text.startswith("|") and _RULE.match(answer, s.end)):
            found[i] = replace(s, silent=True)
    return _with_blocks(found, answer)


def is_reference(sentence: str) -> bool:
    """Whether the sentence only lists a source."""
    return bool(REFERENCE.match(sentence))


def _with_blocks(found: list[Sentence], answer: str) -> list[Sentence]:
    """With the markers of lead-ins, and of lines of markers below, for the lists, tables and paragraphs they are of."""
    lead: tuple[int, ...] = ()
    block: list[int] = []
    fenced = before = False
    for i, s in enumerate(found):
        line = answer[answer.rfind("\n", 0, s.start) + 1 : s.end]
        opens = bool(_FENCE.match(line))
        if s.numbers and _BARE.fullmatch(cite.without_markers(s.text)):
            for k in block:
                found[k] = replace(found[k], covered=found[k].covered or s.numbers)
            block, lead = [], ()
            continue
        item = bool(_ITEM.match(line)) or fenced or opens
        if i and answer.count("\n", found[i - 1].end, s.start) > 1 and not (item and before):
            block = []
        before = item
        if item:
            if not s.numbers and lead:
                found[i] = replace(s, covered=s.covered or lead)
        else:
            lead = s.numbers if s.numbers and re.search(r"[:：]\W*$", cite.without_markers(s.text)) else ()
        fenced ^= opens
        if not s.numbers:
            block.append(i)
    return found


def borne_out(sentence: str, grounds: Grounds) -> bool:
    """Whether this conversation's records, or what the person said of their own case, say so."""
    return _is_recorded(sentence, grounds) or _is_repeated(sentence, grounds)


def _is_recorded(sentence: str, grounds: Grounds) -> bool:
    record = grounds.recorded
    if not record:
        return False
    stated = claimed(sentence, grounds)
    known = plain(record)
    if not all(contains(grounds.recorded_values, v, known, grounds.today) for v in stated):
        return False
    told = [v for some in grounds.evidence_values.values() for v in some]
    documents = plain("\n".join(grounds.evidence_texts.values()))
    if any(not contains(told, v, documents, grounds.today) for v in stated):
        # Only a record has this value, so the sentence speaks of the record.
        return True
    if any(r.changes or not r.ok for r in grounds.records) and states(normalise(sentence)):
        return True
    if language(sentence) == language(record) and cite.overlap(sentence, record) >= _RECORDED:
        return True
    asked = concepts_of(sentence)
    return bool(stated and asked) and len(asked & concepts_of(record)) >= _RECORDED * len(asked)


def _is_repeated(sentence: str, grounds: Grounds) -> bool:
    # What somebody is said to have said is not the person's own case, nor is what they take for the rule.
    own = (s for s in cite.sentences(grounds.question) if asserts(s) and not _HEARSAY.search(normalise(s)))
    words = "\n".join(own)
    if not words or language(words) != language(sentence) or not APPLIED.search(normalise(sentence)):
        return False
    if any(contradictions(sentence, text, grounds.alike) for text in grounds.evidence_texts.values()):
        return False
    return (
        not cite.missing_values(sentence, grounds.spoken_values, words, today=grounds.today)
        and cite.overlap(sentence, words) >= _OWN_WORDS
        and not contradictions(sentence, words)
    )


def _message(grounds: Grounds) -> str:
    if not grounds.evidence_texts:
        return "No document was found for this: leave it out, and say that you found no document that says so."
    known = ", ".join(f"[{n}]" for n in sorted(grounds.evidence_texts))
    return f"This cites nothing: put the marker of the passage that says it behind it ({known}), or leave it out."
