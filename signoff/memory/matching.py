"""Which facts a request is about: by id, by words that both share, or by what was just spoken of."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from signoff.memory import refusal
from signoff.memory.fact import Fact
from signoff.memory.lexicon import terms
from signoff.memory.subject import subject
from signoff.text import normalise, tokens

SURE = 0.6
"""Share of a request's words that a fact must hold to be the one meant."""
NEAR = 3
"""Newest messages of the person in which "it" finds what it points at."""

_ID = re.compile(r"mem-[0-9a-f]{8}", re.IGNORECASE)
_EVERYTHING = re.compile(
    r"\b(?:every ?thing|all(?: of)?(?: (?:it|them|that|this|my|the|your))?(?: (?:facts|memories|memory|things))?"
    r"|every (?:fact|memory|single thing)|whole|entire)\b|全部|所有|一切|统统|都(?=忘|删|清|不要|去掉)"
    r"|清空|全(?=忘|删|清)",
)
_POINTS = re.compile(
    r"\W*(?:it|that|this|that one|this one|the last(?: one| thing)?|the latest|what i (?:just )?said|those|them|these"
    r"|它|这个|那个|这条|那条|这件事|那件事|刚才(?:的|那条|说的)?(?:话|事)?|上一条|最后一条)?\W*",
)
_OF_MEMORY = re.compile(r"\b(?:remember\w*|memor(?:y|ies|ize)|forg[eo]t\w*|know about me)\b|记(?!录)|忘")


def ranked(query: str, facts: Sequence[Fact]) -> list[tuple[Fact, float]]:
    """Facts that share words with the query, likest first, equals in the given order, each with how like, 0 to 1.

    A query about nothing in particular gives all of them.
    """
    wanted = terms(query)
    if not wanted:
        return [(f, 1.0) for f in facts]
    held = [_about(f) for f in facts]
    # A word that no fact has says no more than one that a single fact has.
    weight = {w: math.log(1 + len(facts) / max(1, sum(w in h for h in held))) for w in wanted}
    total = sum(weight.values())
    scored = [(f, sum(weight[w] for w in wanted & h) / total) for f, h in zip(facts, held, strict=True)]
    return sorted(((f, s) for f, s in scored if s > 0), key=lambda p: -p[1])


def meant(what: str, facts: Sequence[Fact], *, said: Sequence[str] = (), thread: str = "") -> list[Fact]:
    """The facts (newest first) that a person wants forgotten.

    Raises `ToolError` NOT_FOUND when there is none, and CONFLICT, with those it may be, when it is not clear:
    what is forgotten does not come back, so nothing is guessed.
    """
    flat = normalise(what.strip() or (said[0] if said else ""))
    if ids := [i.lower() for i in _ID.findall(flat)]:
        if missing := [i for i in ids if i not in {f.id for f in facts}]:
            raise refusal.no_such_fact(missing[0])
        return [f for f in facts if f.id in ids]
    if not facts:
        raise refusal.nothing_remembered()
    if not terms(flat):
        if _EVERYTHING.search(flat):
            if said and not _EVERYTHING.search(normalise(said[0])):
                raise refusal.which([f.text for f in facts])
            return list(facts)
        if not _POINTS.fullmatch(flat) and not _OF_MEMORY.search(flat):
            raise refusal.which([f.text for f in facts])
        return [_pointed_at(facts, said, thread)]
    found = ranked(flat, facts)
    best = [f for f, score in found if score >= SURE and score >= found[0][1] - 1e-9]
    if len(best) > 1 and _EVERYTHING.search(flat):
        return best
    if len(best) != 1:
        raise refusal.which([f.text for f in (best or [f for f, _ in found] or facts)], matched=bool(found))
    return best


def _pointed_at(facts: Sequence[Fact], said: Sequence[str], thread: str) -> Fact:
    """The fact that was just remembered in this thread, or the only one, when memory was just spoken of."""
    near = [normalise(words) for words in said[:NEAR]]
    for fact in facts:
        if fact.source.thread == thread and any(normalise(fact.source.words)[:80].rstrip("…") in n for n in near):
            return fact
    if len(facts) == 1 and any(_OF_MEMORY.search(words) for words in near[1:2]):
        return facts[0]
    raise refusal.which([f.text for f in facts])


def _about(fact: Fact) -> frozenset[str]:
    """A fact's words, with the name of the attribute that it gives a value."""
    found = subject(fact.text)
    words = terms(fact.text) | frozenset(tokens(fact.text))
    if found is not None and found.key == "name":
        # "Call me Bob" is not about telephones.
        words -= {"contact", "phone"}
    return words | frozenset(found.key.split() if found else ())
