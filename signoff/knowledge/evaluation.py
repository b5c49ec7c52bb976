"""How well the documents answer a desk's own questions, in measures."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from signoff.caller import Caller
from signoff.errors import UsageError
from signoff.knowledge.cases import Case
from signoff.knowledge.passages import Document, Passage
from signoff.text import normalise

DEPTH = 10
"""Passages that are looked at for a question."""
CUTS = (1, 5, 10)
"""Numbers of first passages that recall is told for."""

Search = Callable[[str, int], Sequence[Passage]]
"""A question and how many passages at most; those found, best first."""
Ranks = tuple[int | None, ...]
"""By target its place from 1; None when it was not found."""


@dataclass(frozen=True)
class Outcome:
    """What was found for a case."""

    case: Case
    ranks: Ranks
    """By target; empty for a case that must find nothing."""
    found: tuple[Passage, ...]
    """The first `DEPTH`, best first."""
    seconds: float

    @property
    def missed(self) -> bool:
        """Whether a target is not among what was found, or something was found where nothing may be."""
        return bool(self.found) if self.case.none else None in self.ranks

    @property
    def lacking(self) -> tuple[str, ...]:
        """The targets that were not found."""
        return tuple(t for t, r in zip(self.case.targets, self.ranks, strict=False) if r is None)


@dataclass(frozen=True)
class Measures:
    """Measures over questions that have an answer, and times over all; shares from 0 to 1."""

    questions: int
    """Those that have an answer."""
    recall: dict[int, float]
    """By number of first passages: mean share of a question's targets that are among them."""
    mrr: float
    """Mean reciprocal rank of the first target among the first ten; 0 for a question without."""
    empty: float
    """Share of the questions with an answer for which nothing at all was found."""
    without: int
    """Questions for which nothing may be found."""
    silent: float
    """Share of those for which nothing was; 1 when there are none."""
    p50_ms: float
    p95_ms: float

    @classmethod
    def of(
        cls, ranks: Sequence[Ranks], seconds: Sequence[float], *, empty: int = 0, without: int = 0, silent: int = 0
    ) -> Measures:
        """The measures of questions with these places of their targets; the rest are numbers of questions."""
        count = len(ranks)
        return cls(
            questions=count,
            recall={k: _mean([recall(r, k) for r in ranks]) for k in CUTS},
            mrr=_mean([reciprocal_rank(r) for r in ranks]),
            empty=empty / count if count else 0.0,
            without=without,
            silent=silent / without if without else 1.0,
            p50_ms=percentile(seconds, 0.5) * 1e3,
            p95_ms=percentile(seconds, 0.95) * 1e3,
        )


@dataclass(frozen=True)
class Evaluation:
    """A run over cases."""

    outcomes: tuple[Outcome, ...]
    unknown: tuple[str, ...] = field(default=())
    """Expected names that no document bears: mistyped, removed, or not for the caller."""

    @property
    def measures(self) -> Measures:
        """Over all cases."""
        asked = [o for o in self.outcomes if not o.case.none]
        unasked = [o for o in self.outcomes if o.case.none]
        return Measures.of(
            [o.ranks for o in asked],
            [o.seconds for o in self.outcomes],
            empty=sum(not o.found for o in asked),
            without=len(unasked),
            silent=sum(not o.found for o in unasked),
        )

    @property
    def misses(self) -> tuple[Outcome, ...]:
        """The cases that did not come out as they should, in their order."""
        return tuple(o for o in self.outcomes if o.missed)

    def record(self) -> dict[str, Any]:
        """A JSON-ready form, without the passages' texts."""
        return {
            **asdict(self.measures),
            "recall": {str(k): v for k, v in self.measures.recall.items()},
            "unknown": list(self.unknown),
            "cases": [
                {
                    "question": o.case.question,
                    "as": None if o.case.caller is None else o.case.caller.name,
                    "none": o.case.none,
                    "targets": list(o.case.targets),
                    "ranks": list(o.ranks),
                    "missed": o.missed,
                    "found": [
                        {"id": p.id, "title": p.title, "place": p.place, "source": p.source, "score": p.score}
                        for p in o.found
                    ],
                    "ms": round(o.seconds * 1e3, 3),
                }
                for o in self.outcomes
            ],
        }


def evaluate(
    cases: Iterable[Case],
    search: Search,
    *,
    documents: Sequence[Document] = (),
    search_as: Callable[[Caller], Search] | None = None,
) -> Evaluation:
    """Ask each case's question and look where its targets are among the first ten passages.

    `documents` are those that the asking caller may read: their keys count as names, and with them the expected
    names that none of them bears are told. `search_as` gives the search for a case with a caller of its own.
    Raises `UsageError` for such a case without `search_as`, and what the search raises.
    """
    asked = list(cases)
    names = {d.id: _names(d.id, d.key, d.title, d.source) for d in documents}
    outcomes = tuple(_asked(c, _search_of(c, search, search_as), names) for c in asked)
    return Evaluation(outcomes, _unknown(outcomes, names) if documents else ())


def recall(ranks: Ranks, cut: int) -> float:
    """Share of the targets that are among the first `cut`; 0 without targets."""
    return sum(r is not None and r <= cut for r in ranks) / len(ranks) if ranks else 0.0


def reciprocal_rank(ranks: Ranks, cut: int = DEPTH) -> float:
    """1 / rank of the first target among the first `cut`, else 0."""
    first = min((r for r in ranks if r is not None), default=0)
    return 1 / first if 0 < first <= cut else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest of the values that at least `share` of them do not exceed (nearest rank); 0 of none."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)) - 1, 0)] if ordered else 0.0


def _search_of(case: Case, search: Search, search_as: Callable[[Caller], Search] | None) -> Search:
    if case.caller is None:
        return search
    if search_as is None:
        raise UsageError(f"The question {case.question!r} is asked as {case.caller.name}: that is not possible here.")
    return search_as(case.caller)


def _asked(case: Case, search: Search, names: dict[str, frozenset[str]]) -> Outcome:
    started = time.perf_counter()
    found = tuple(search(case.question, DEPTH))[:DEPTH]
    seconds = time.perf_counter() - started
    if case.none:
        return Outcome(case, (), found, seconds)
    holding = [all(_spaced(c) in _spaced(p.text) for c in case.contains) for p in found]
    ranks = tuple(
        next((i for i, p in enumerate(found, 1) if holding[i - 1] and _is(p, target, names)), None)
        for target in case.expected or ("",)
    )
    return Outcome(case, ranks, found, seconds)


def _is(passage: Passage, target: str, names: dict[str, frozenset[str]]) -> bool:
    if not target:
        return True
    known = _names(passage.id, passage.document, passage.title, passage.source)
    return _spaced(target) in known | names.get(passage.document, frozenset())


def _unknown(outcomes: Sequence[Outcome], names: dict[str, frozenset[str]]) -> tuple[str, ...]:
    known = frozenset().union(*names.values())
    return tuple(
        dict.fromkeys(
            name
            for o in outcomes
            if o.case.caller is None
            for name in o.lacking
            # A passage's id begins with its document's.
            if o.case.expected and _spaced(name) not in known and name.strip().rpartition(".")[0] not in names
        )
    )


def _names(*names: str) -> frozenset[str]:
    """Names in the form that they are compared in; of a file's path also the one without its suffix."""
    stems = (n.rpartition(".")[0] for n in names[-1:])
    return frozenset(_spaced(n) for n in (*names, *stems) if n)


def _spaced(text: str) -> str:
    return " ".join(normalise(text).split())


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
