"""What words and what meaning found, joined into one order."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from signoff.knowledge.scoring import Scored
from signoff.knowledge.store import Near

K = 60
"""How little the first places stand out; the value of Cormack, Clarke and Büttcher, SIGIR 2009."""
OWN_WORDS = 0.5
"""What words weigh beside meaning, for a chunk in the question's language."""
OTHER_WORDS = 0.4
"""The same for a chunk in another language, which only the glossary and names can meet."""
NEAREST = 80
"""Chunks that are looked at by meaning."""
MOST_NEAR = 2.0
"""Nearness that counts; beyond it two chunks are equally near."""

T = TypeVar("T", bound=Hashable)


def joined(
    words: Sequence[Scored], near: Sequence[Near], spoken: str, nearness: Callable[[float], float]
) -> dict[int, float]:
    """By passage its merit, best first: a weighted sum of what its best chunks come to by words and by meaning.

    By words that is the share of the question that a chunk speaks of, times its score beside the best one's; by meaning
    its nearness. Bruch, Gai and Ingber (TOIS 2023) find such a sum better than reciprocal ranks; here it is so by far
    where question and answer are in different languages: ranks do not tell that the best by words is a poor one
    (`benchmarks/retrieval.py` prints both).
    """
    best = words[0].score if words else 1.0
    by_words: dict[int, float] = {}
    by_meaning: dict[int, float] = {}
    weights: dict[int, float] = {}
    for s in words:
        by_words.setdefault(s.passage, s.share * s.score / best)
        weights[s.passage] = OWN_WORDS if s.language == spoken else OTHER_WORDS
    for n in near:
        by_meaning.setdefault(n.passage, min(nearness(n.similarity), MOST_NEAR))
        weights[n.passage] = OWN_WORDS if n.language == spoken else OTHER_WORDS
    # Behind so many others, what words alone found is about as near as the last of them.
    least = min(by_meaning.values()) if len(near) >= NEAREST else 0.0
    return ordered({p: w * by_words.get(p, 0.0) + (1 - w) * by_meaning.get(p, least) for p, w in weights.items()})


def by_rank(rankings: Iterable[Sequence[T]]) -> dict[T, float]:
    """Reciprocal rank fusion: by item the sum over the rankings of `1 / (K + place)`, best first. For measuring."""
    sums: dict[T, float] = {}
    for ranking in rankings:
        for place, item in enumerate(dict.fromkeys(ranking), 1):
            sums[item] = sums.get(item, 0.0) + 1 / (K + place)
    return ordered(sums)


def ordered(merits: dict[T, float]) -> dict[T, float]:
    """Best first; of equal ones the one that was met first stays first."""
    return dict(sorted(merits.items(), key=lambda pair: -pair[1]))
