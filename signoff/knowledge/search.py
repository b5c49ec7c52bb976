"""Ranking: what may be read is decided first, in SQL; what is ranked and counted is only that."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from signoff.caller import Caller
from signoff.knowledge.glossary import occurrences
from signoff.knowledge.query import Group, groups_of, is_identifier
from signoff.text import language

CANDIDATES = 80
"""Passages that are ranked exactly, out of all that match."""
COVERAGE_FLOOR = 0.45
"""Share of the question's weight that a passage must hold to count as relevant."""
WORD_FLOOR = 0.6
"""The same for a passage that shares but one word with the question, and that no word of the glossary."""
SCORE_FLOOR = 0.35
"""Share of the best passage's score below which a passage is left out."""
FOREIGN = 0.8
"""What a passage in another language than the question's keeps of its score."""
_TITLE = 0.3
"""What a concept counts more for relevance when it stands in the title or a heading."""
_EARLY = 0.15
"""What a document's first passage gains: the main rule stands early. The next gains half of it, and so on."""
_K1, _B, _HEAD, _SYNONYM = 1.2, 0.4, 1.0, 0.75
_CONCEPT, _ELSEWHERE, _NOWHERE = 1.6, 0.25, 0.5
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


def rank(tx: sqlite3.Connection, caller: Caller, today: date, text: str, limit: int) -> list[Hit]:
    """The relevant passages that the caller may read today, best first; none when nothing is relevant.

    Word statistics are counted over readable passages only, so that neither the order nor a score tells
    anything about documents of others.
    """
    groups = groups_of(text)
    if not groups:
        return []
    may = access(caller, today)
    count, mean = tx.execute(
        f"{_ALLOWED} SELECT count(*), avg(length) FROM passage WHERE document IN allowed", may
    ).fetchone()
    if not count:
        return []
    frequency = {g: _frequency(tx, may, g) for g in groups}
    asked = [_Asked(g, _idf(f, count), f > 0, language(text)) for g, f in frequency.items()]
    candidates = tx.execute(
        f"""{_ALLOWED} SELECT p.row, p.length, p.ordinal, d.language, w.head, w.body
        FROM words w JOIN passage p ON p.row = w.rowid JOIN document d ON d.id = p.document
        WHERE words MATCH :query AND p.document IN allowed ORDER BY bm25(words, 2.0, 1.0), p.id LIMIT :candidates""",
        {**may, "query": " OR ".join(g.match() for g in groups), "candidates": CANDIDATES},
    ).fetchall()
    hits = [Hit(row["row"], score) for row in candidates if (score := _score(row, asked, mean)) > 0]
    hits.sort(key=lambda h: -h.score)
    return [h for h in hits[:limit] if h.score >= SCORE_FLOOR * hits[0].score]


@dataclass(frozen=True)
class _Asked:
    """A group with what is known of its words in the readable passages."""

    group: Group
    weight: float
    """The rarer, the more."""
    known: bool
    """Whether any passage holds it."""
    spoken: str
    """The question's language."""

    def bearing(self, met: bool, language: str) -> float:
        """How much it counts for relevance whether a passage in that language speaks of the group."""
        match self.group.kind:
            case "concept":
                return self.weight * _CONCEPT if self.known else 0.0
            case "aside":
                return 0.0
            case "word":
                if not self.known and is_identifier(self.group):
                    # It is in the records, not in the documents.
                    return 0.0
                if self.known and self.spoken == "zh" and self.group.own[0][0].isascii():
                    # VPN in a Chinese question is what it is about.
                    return self.weight * _CONCEPT
                if not met and language != self.spoken:
                    # A word can hardly stand in a passage of another language.
                    return self.weight * _ELSEWHERE
                # A word that stands nowhere is often an idle one.
                return self.weight if self.known else self.weight * _NOWHERE


def _score(row: sqlite3.Row, asked: Sequence[_Asked], mean: float) -> float:
    """BM25 over groups, times the share of the question that the passage speaks of; 0 when it is not relevant."""
    head, body = row["head"].split(), row["body"].split()
    counts = [_count(a.group, head, body) for a in asked]
    bearings = [a.bearing(n > 0, row["language"]) for a, n in zip(asked, counts, strict=True)]
    met = [(a, b) for a, n, b in zip(asked, counts, bearings, strict=True) if n and b]
    titled = sum(b for a, b in met if a.group.kind == "concept" and _count(a.group, head, ()))
    share = min(sum(b for _, b in met) + _TITLE * titled, sum(bearings)) / (sum(bearings) or 1.0)
    single = len(met) == 1 and met[0][0].group.kind == "word"
    if share < (WORD_FLOOR if single else COVERAGE_FLOOR):
        return 0.0
    norm = _K1 * (1 - _B + _B * row["length"] / mean)
    score = sum(a.weight * n * (_K1 + 1) / (n + norm) for a, n in zip(asked, counts, strict=True) if n)
    near = 1.0 if row["language"] == asked[0].spoken else FOREIGN
    return float(near * (1 + _EARLY / (1 + row["ordinal"])) * score * share)


def _frequency(tx: sqlite3.Connection, may: Mapping[str, str], group: Group) -> int:
    return int(
        tx.execute(
            f"""{_ALLOWED} SELECT count(*) FROM words w JOIN passage p ON p.row = w.rowid
            WHERE words MATCH :query AND p.document IN allowed""",
            {**may, "query": group.match()},
        ).fetchone()[0]
    )


def _idf(frequency: int, count: int) -> float:
    n = max(count, _MIN_COUNT)
    return math.log(1 + (n - frequency + 0.5) / (frequency + 0.5))


def _count(group: Group, head: Sequence[str], body: Sequence[str]) -> float:
    """Occurrences of the group's words, those in title and headings counting more, synonyms less."""
    best = 0.0
    for word in {*group.own, *group.variants}:
        factor = 1.0 if word in group.own else _SYNONYM
        best = max(best, factor * (occurrences(word, body) + _HEAD * occurrences(word, head)))
    return best
