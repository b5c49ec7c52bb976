"""Ranking: what may be read is decided first, in SQL; what is ranked and counted is only that."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from signoff.caller import Caller
from signoff.knowledge.glossary import mentions, occurrences
from signoff.knowledge.terms import QUESTION_WORDS, is_identifier, terms
from signoff.text import language

CANDIDATES = 80
"""Passages that are ranked exactly, out of all that match."""
COVERAGE_FLOOR = 0.4
"""Share of the question's weight that a passage must hold to count as relevant."""
SCORE_FLOOR = 0.35
"""Share of the best passage's score below which a passage is left out."""
FOREIGN = 0.8
"""What a passage in another language than the question's keeps of its score."""
_K1, _B, _HEAD, _SYNONYM = 1.2, 0.4, 1.0, 0.75
_MIN_COUNT = 200
"""A small collection says little about how rare a word is; it is treated as one of this many passages."""

# Parameters: tenant, roles (a JSON list), today (ISO).
READABLE = """
  d.tenant IN ('*', :tenant)
  AND (NOT EXISTS (SELECT 1 FROM reader r WHERE r.document = d.id)
       OR EXISTS (SELECT 1 FROM reader r JOIN json_each(:roles) j ON j.value = r.role WHERE r.document = d.id))
"""
NEWER = """
  EXISTS (SELECT 1 FROM document n WHERE n.tenant = d.tenant AND n.key = d.key AND n.rank > d.rank
          AND (n.valid_from IS NULL OR n.valid_from <= :today))
"""
CURRENT = f"""
  (d.valid_from IS NULL OR d.valid_from <= :today) AND (d.valid_to IS NULL OR d.valid_to >= :today) AND NOT {NEWER}
"""
_ALLOWED = f"WITH allowed AS MATERIALIZED (SELECT d.id FROM document d WHERE {READABLE} AND {CURRENT})"


@dataclass(frozen=True)
class Group:
    """One thing the question is about: its word, and words that mean the same."""

    own: tuple[tuple[str, ...], ...]
    variants: frozenset[tuple[str, ...]]
    topic: bool
    """False for identifiers: they are in records, not in documents, and do not decide relevance."""

    def query(self) -> str:
        """As an FTS5 expression."""
        return " OR ".join(_expression(v) for v in sorted({*self.own, *self.variants}))


@dataclass(frozen=True)
class Hit:
    """A row of `passage` with its score; comparable within one search only."""

    row: int
    score: float


def access(caller: Caller, today: date) -> dict[str, str]:
    """The access filter's parameters."""
    return {
        "tenant": caller.tenant,
        "roles": json.dumps(sorted(caller.roles)),
        "today": today.isoformat(),
    }


def groups_of(text: str) -> list[Group]:
    """What a question asks about: concepts of the glossary first, then the words they leave over.

    A noun beside an identifier ("order A1001") names a record, not the topic.
    """
    found = terms(text)
    beside = {t for i, t in enumerate(found) if any(map(is_identifier, found[max(0, i - 1) : i + 2]))}
    named = [m for m in mentions(text) if not all(len(w) == 1 and w[0] in beside for w in m.words)]
    groups = [Group(m.words, m.concept.variants, True) for m in named]
    taken = {t for t in found if t in beside and not is_identifier(t) and any(m.covers(t) for m in mentions(text))}
    for term in dict.fromkeys(found):
        if term in taken or term in QUESTION_WORDS or any(m.covers(term) for m in named):
            continue
        groups.append(Group(((term,),), frozenset(), not is_identifier(term)))
    return groups


def rank(tx: sqlite3.Connection, caller: Caller, today: date, text: str, limit: int) -> list[Hit]:
    """The relevant passages that the caller may read today, best first; none when nothing is relevant.

    Word statistics are counted over readable passages only, so that neither the order nor a score tells
    anything about documents of others.
    """
    groups = groups_of(text)
    if not any(g.topic for g in groups):
        return []
    may = access(caller, today)
    count, mean = tx.execute(
        f"{_ALLOWED} SELECT count(*), avg(length) FROM passage WHERE document IN allowed", may
    ).fetchone()
    if not count:
        return []
    weights = {g: _idf(_frequency(tx, may, g), count) for g in groups}
    candidates = tx.execute(
        f"""{_ALLOWED} SELECT p.row, p.length, d.language, w.head, w.body
        FROM words w JOIN passage p ON p.row = w.rowid JOIN document d ON d.id = p.document
        WHERE words MATCH :query AND p.document IN allowed ORDER BY bm25(words, 2.0, 1.0), p.id LIMIT :candidates""",
        {**may, "query": " OR ".join(g.query() for g in groups), "candidates": CANDIDATES},
    ).fetchall()
    asked = sum(w for g, w in weights.items() if g.topic)
    spoken = language(text)
    hits: list[Hit] = []
    for row in candidates:
        counts = {g: _count(g, row["head"].split(), row["body"].split()) for g in groups}
        held = sum(weights[g] for g in groups if g.topic and counts[g])
        if held < COVERAGE_FLOOR * asked:
            continue
        norm = _K1 * (1 - _B + _B * row["length"] / mean)
        score = sum(weights[g] * n * (_K1 + 1) / (n + norm) for g, n in counts.items() if n)
        near = 1.0 if row["language"] == spoken else FOREIGN
        hits.append(Hit(row["row"], near * score * held / asked))
    hits.sort(key=lambda h: -h.score)
    return [h for h in hits[:limit] if h.score >= SCORE_FLOOR * hits[0].score]


def _frequency(tx: sqlite3.Connection, may: Mapping[str, str], group: Group) -> int:
    return int(
        tx.execute(
            f"""{_ALLOWED} SELECT count(*) FROM words w JOIN passage p ON p.row = w.rowid
            WHERE words MATCH :query AND p.document IN allowed""",
            {**may, "query": group.query()},
        ).fetchone()[0]
    )


def _idf(frequency: int, count: int) -> float:
    n = max(count, _MIN_COUNT)
    return math.log(1 + (n - frequency + 0.5) / (max(frequency, 1) + 0.5))


def _count(group: Group, head: Sequence[str], body: Sequence[str]) -> float:
    """Occurrences of the group's words, those in title and headings counting more, synonyms less."""
    best = 0.0
    for word in {*group.own, *group.variants}:
        factor = 1.0 if word in group.own else _SYNONYM
        best = max(best, factor * (occurrences(word, body) + _HEAD * occurrences(word, head)))
    return best


def _expression(word: tuple[str, ...]) -> str:
    return "(" + " + ".join('"' + t.replace('"', '""') + '"' for t in word) + ")"
