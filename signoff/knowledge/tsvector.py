"""Search terms in PostgreSQL's full text: its own parser and dictionaries are left out, the terms are cut already."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from signoff.knowledge.glossary import occurrences
from signoff.knowledge.postings import HEAD, K1, B
from signoff.knowledge.query import Group

if TYPE_CHECKING:
    from signoff.knowledge.store import Candidate, Chunk

MAX_BYTES = 500
"""A longer term is known by its beginning and a hash; PostgreSQL takes no lexeme over 2 KB."""
_LAST = 16_383
"""The last position of a tsvector; what follows shares it."""


def vector(chunk: Chunk) -> str:
    """A chunk's terms as a literal of `tsvector`: those of title and headings in weight A.

    A gap keeps phrases from reaching out of the headings into the text.
    """
    places: dict[str, list[str]] = {}
    for at, term in enumerate(chunk.head, 1):
        places.setdefault(_lexeme(term), []).append(f"{min(at, _LAST)}A")
    for at, term in enumerate(chunk.body, len(chunk.head) + 2):
        places.setdefault(_lexeme(term), []).append(str(min(at, _LAST)))
    return " ".join(f"{lexeme}:{','.join(at)}" for lexeme, at in places.items())


def query(groups: Iterable[Group], *, weight: str = "") -> str:
    """What holds a word of one of the groups, as a literal of `tsquery`; `weight` A looks at headings only."""
    suffix = f":{weight}" if weight else ""
    words = sorted({w for g in groups for w in (*g.own, *g.variants)})
    return " | ".join("(" + " <-> ".join(_lexeme(t) + suffix for t in word) + ")" for word in words)


def matches(groups: Sequence[Group], allowed: str) -> tuple[str, dict[str, str]]:
    """SQL, and its parameters, for the chunks that hold a word: a row with `count`, `mean` and by group `f0`, `f1`, …
    even when there is none, beside the chunks' `row` by falling score.

    `allowed` selects number, chunks and terms of the documents. The score is BM25 over groups, each of
    which counts once in a text and `HEAD` times in its headings; `rescored` counts them out.
    """
    parameters = {"words": query(groups)}
    held, scores = [], []
    for i, group in enumerate(groups):
        parameters[f"q{i}"], parameters[f"h{i}"] = query([group]), query([group], weight="A")
        held.append(f", c.words @@ %(q{i})s::tsquery AS g{i}, c.words @@ %(h{i})s::tsquery AS h{i}")
        # 1 in the text alone, HEAD in headings alone or in both.
        times = f"(CASE WHEN h{i} THEN {HEAD} ELSE 1 END)"
        rare = f"ln(1 + (t.count - f.f{i} + 0.5) / (f.f{i} + 0.5))"
        scores.append(
            f"CASE WHEN g{i} THEN {rare} * {times} * {K1 + 1} / "
            f"({times} + {K1} * ({1 - B} + {B} * m.length / t.mean)) ELSE 0 END"
        )
    score = " + ".join(scores or ["0"])
    counts = ", ".join(["count(*) AS met", *(f"count(*) FILTER (WHERE g{i}) AS f{i}" for i in range(len(groups)))])
    return (
        f"""WITH allowed AS MATERIALIZED ({allowed}),
        met AS MATERIALIZED (
          SELECT c.row, c.id, c.start, c.length{"".join(held)}
          FROM chunk c JOIN allowed a ON a.number = c.document WHERE c.words @@ %(words)s::tsquery),
        t AS (SELECT coalesce(sum(chunks), 0)::float8 AS count,
          coalesce(sum(terms) / nullif(sum(chunks), 0), 0)::float8 AS mean FROM allowed),
        f AS (SELECT {counts} FROM met)
        SELECT t.count, t.mean, f.*, best.* FROM t CROSS JOIN f LEFT JOIN LATERAL (
          SELECT m.row FROM met m
          ORDER BY round(1e6 * ({score})) DESC, m.id, m.start LIMIT %(limit)s) best ON true""",
        parameters,
    )


def rescored(
    candidates: Sequence[Candidate], groups: Sequence[Group], frequency: Sequence[int], count: int, mean: float
) -> list[float]:
    """By candidate, BM25 over groups with every occurrence counted, as `signoff.knowledge.postings.best` has it."""
    rare = [math.log(1 + (count - f + 0.5) / (f + 0.5)) for f in frequency]
    return [round(sum(r * _worth(g, c, mean) for g, r in zip(groups, rare, strict=True)), 6) for c in candidates]


def _worth(group: Group, candidate: Candidate, mean: float) -> float:
    terms = {*candidate.head, *candidate.body}
    held = max(
        (
            HEAD * occurrences(word, candidate.head) + occurrences(word, candidate.body)
            for word in {*group.own, *group.variants}
            if terms.issuperset(word)
        ),
        default=0,
    )
    return held * (K1 + 1) / (held + K1 * (1 - B + B * candidate.length / (mean or 1.0)))


def _lexeme(term: str) -> str:
    data = term.encode("utf-8", "replace").replace(b"\0", b"")
    if len(data) > MAX_BYTES:
        data = data[:MAX_BYTES] + hashlib.sha256(data).hexdigest().encode()
    text = data.decode("utf-8", "ignore").replace("\\", "\\\\").replace("'", "''")
    return f"'{text}'"
