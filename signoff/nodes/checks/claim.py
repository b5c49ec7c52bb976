"""Nothing is said to be done unless a change of this conversation did it, or a record says so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from signoff.knowledge import cite
from signoff.knowledge.reading import values
from signoff.nodes.checks import deeds
from signoff.nodes.checks.grounds import Finding, Grounds, Located, Record
from signoff.nodes.checks.statement import Claim, claims, states
from signoff.text import normalise, shorten

# Of these a record often gives the day without the word: an order was placed, a parcel shipped.
_DATED = frozenset({"book", "create", "finish", "ship", "pay", "submit", "approve", "update", "close", "send"})


def check_claims(answer: str, grounds: Grounds) -> Iterator[Located]:
    """Statements of completion that no change, record or earlier message bears out."""
    said = _Said(grounds)
    for start, end in cite.spans(answer):
        sentence = answer[start:end]
        for claim in claims(sentence):
            if said.bears_out(claim) or _is_quoted(sentence, claim, grounds):
                continue
            message = (
                f"Nothing in this conversation did this ({claim.deed}): no write ended with ok true. "
                "Say what was really done, or that it was not done."
            )
            yield Located(Finding("claim", shorten(sentence, 300), message), start, end)
            break


class _Said:
    """What the conversation's records and messages bear out."""

    def __init__(self, grounds: Grounds) -> None:
        self._grounds = grounds

    def bears_out(self, claim: Claim) -> bool:
        records = self._grounds.records
        if any(_did(r, claim) for r in records):
            return True
        if claim.deed == "submit" and any(not r.ok and "approval_required" in r.text.lower() for r in records):
            return True
        if any(_agrees(told, claim) for told in self._told):
            return True
        return not claim.own and any(_states(r, claim) for r in (*records, self._grounds.earlier))

    @cached_property
    def _told(self) -> list[Claim]:
        return [c for line in self._grounds.remarks for s in cite.sentences(line) for c in claims(s)]


def _did(record: Record, claim: Claim) -> bool:
    """Whether the record is a change that went through and is what the claim speaks of."""
    if not (record.ok and record.changes and _names(f"{record.tool}\n{record.text}", claim.ids)):
        return False
    named = deeds.deeds_named(record.tool)
    general = claim.deed in ("finish", "approve") or not named
    return general or claim.deed in named or _states(record, replace(claim, ids=frozenset()))


def _states(record: Record, claim: Claim) -> bool:
    """Whether a record says that it is so, whoever did it."""
    return any(_says(part, claim) for part in record.parts if _names(part, claim.ids))


def _says(part: str, claim: Claim) -> bool:
    if claim.deed in _DATED and claim.days and claim.days <= {d for v in values(part) for d in v.days}:
        return True
    for line in part.split("\n"):
        if any(_agrees(told, claim, ids=False) for s in cite.sentences(line) for told in claims(s)):
            return True
        # A bare state ("status: cancelled", "取消") or a date of it ("cancelled at: 2026-10-20").
        key, _, value = line.lower().partition(": ")
        if any(len(words) <= 60 and claim.deed in states(words) for words in (key, value)):
            return True
    return False


def _agrees(told: Claim, claim: Claim, *, ids: bool = True) -> bool:
    same = told.deed == claim.deed or claim.deed == "finish" or (told.deed, claim.deed) == ("submit", "create")
    return same and (not ids or claim.ids <= told.ids or not told.ids)


def _names(text: str, ids: frozenset[str]) -> bool:
    lower = text.lower()
    return all(i in lower for i in ids) and ids <= {v.name for v in values(text)} if ids else True


def _is_quoted(sentence: str, claim: Claim, grounds: Grounds) -> bool:
    """Whether a cited passage itself says that it was done, of nobody's order and not of this desk."""
    if claim.own or claim.ids or re.search(r"\b(?:your|you|my|i|we)\b|您|你|我", normalise(sentence)):
        return False
    passages = [grounds.evidence_texts.get(n, "") for m in cite.markers(sentence) for n in m.numbers]
    return any(_agrees(told, claim) for text in passages for s in cite.sentences(text) for told in claims(s))
