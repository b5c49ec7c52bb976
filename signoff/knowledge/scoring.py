"""How well a chunk's words answer a question: BM25 over groups of words, and the share of the question it speaks of."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from signoff.knowledge.glossary import occurrences
from signoff.knowledge.query import Group, is_identifier
from signoff.knowledge.store import Candidate, Lexical

COVERAGE_FLOOR = 0.45
"""Share of the question's weight that a chunk must hold to count as relevant."""
WORD_FLOOR = 0.6
"""The same for a chunk that shares but one word with the question, and that no word of the glossary."""
FOREIGN = 0.8
"""What a chunk in another language than the question's keeps of its score."""

_TITLE = 0.3
"""What a concept counts more for relevance when it stands in the title or a heading."""
_EARLY = 0.15
"""What a document's first passage gains: the main rule stands early. The next gains half of it, and so on."""
_K1, _B, _HEAD, _SYNONYM = 1.2, 0.4, 1.0, 0.75
_CONCEPT, _ELSEWHERE, _NOWHERE = 1.6, 0.25, 0.5
_MIN_COUNT = 200
"""A small collection says little about how rare a word is; it is treated as one of this many chunks."""


@dataclass(frozen=True)
class Scored:
    """A chunk with what its words are worth; scores are comparable within one question only."""

    chunk: int
    passage: int
    language: str
    score: float
    coverage: float
    """Share of the question's weight that the chunk speaks of, 0 to 1; words that can hardly stand in a chunk of
    its language count little."""
    share: float
    """The same with all words counting in full."""
    floor: float
    """The coverage from which on it is relevant."""
    met: tuple[int, ...]
    """The groups it holds, by their place in the question."""

    @property
    def relevant(self) -> bool:
        """Whether it speaks of enough of the question."""
        return self.coverage >= self.floor


def scored(lexical: Lexical, groups: Sequence[Group], spoken: str, *, alone: bool = True) -> list[Scored]:
    """The candidates, best first, whether or not they are relevant. `spoken` is the question's language.

    Where words are asked `alone`, one that stands nowhere counts half: it is often an idle one. Where meaning is
    asked too, that tells idle words from missing ones.
    """
    nowhere = _NOWHERE if alone else 1.0
    asked = [
        _Asked(g, _valued(g), _idf(f, lexical.count), f > 0, spoken, nowhere)
        for g, f in zip(groups, lexical.frequency, strict=True)
    ]
    wanted = frozenset(t for a in asked for word, _ in a.words for t in word)
    mean = lexical.mean_length or 1.0
    found = [s for c in lexical.candidates if (s := _score(c, asked, wanted, mean, alone)).score > 0]
    found.sort(key=lambda s: -s.score)
    return found


@dataclass(frozen=True)
class _Asked:
    """A group with what is known of its words in the readable chunks."""

    group: Group
    words: tuple[tuple[tuple[str, ...], float], ...]
    """Its words with what each counts."""
    weight: float
    """The rarer, the more."""
    known: bool
    """Whether any chunk holds it."""
    spoken: str
    """The question's language."""
    nowhere: float
    """What is left of its weight when no chunk holds it."""

    def bearing(self, met: bool, language: str) -> float:
        """How much it counts for relevance whether a chunk in that language speaks of the group."""
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
                    # A word can hardly stand in a chunk of another language.
                    return self.weight * _ELSEWHERE
                return self.weight if self.known else self.weight * self.nowhere


def _score(found: Candidate, asked: Sequence[_Asked], wanted: frozenset[str], mean: float, alone: bool) -> Scored:
    """BM25 over groups, times the share of the question that the chunk speaks of."""
    head, body = _Terms(found.head, wanted), _Terms(found.body, wanted)
    counts = [_count(a, head, body) for a in asked]
    bearings = [a.bearing(n > 0, found.language) for a, n in zip(asked, counts, strict=True)]
    met = [(a.group, b) for a, n, b in zip(asked, counts, bearings, strict=True) if n and b]
    titled = sum(b for g, b in met if g.kind == "concept" and any(head.count(w) for w in g.variants))
    spoken_of = sum(b for _, b in met) + _TITLE * titled
    coverage = min(spoken_of / (sum(bearings) or 1.0), 1.0)
    # For a chunk in the question's language the same. Where meaning is asked too, that finds the other language's
    # chunks, and words need not guess what they might say.
    share = min(spoken_of / (sum(a.bearing(True, found.language) for a in asked) or 1.0), 1.0)
    single = len(met) == 1 and met[0][0].kind == "word"
    norm = _K1 * (1 - _B + _B * found.length / mean)
    score = sum(a.weight * n * (_K1 + 1) / (n + norm) for a, n in zip(asked, counts, strict=True) if n)
    near = 1.0 if not asked or found.language == asked[0].spoken else FOREIGN
    return Scored(
        chunk=found.chunk,
        passage=found.passage,
        language=found.language,
        score=near * (1 + _EARLY / (1 + found.ordinal)) * score * (coverage if alone else math.sqrt(coverage * share)),
        coverage=coverage,
        share=share,
        floor=WORD_FLOOR if single else COVERAGE_FLOOR,
        met=tuple(i for i, n in enumerate(counts) if n),
    )


def _idf(frequency: int, count: int) -> float:
    n = max(count, _MIN_COUNT)
    return math.log(1 + (n - frequency + 0.5) / (frequency + 0.5))


class _Terms:
    """The search terms of a chunk's part, those that are asked for counted once."""

    def __init__(self, terms: Sequence[str], wanted: frozenset[str]) -> None:
        self._terms = terms
        self._counts = Counter([t for t in terms if t in wanted])

    def count(self, word: tuple[str, ...]) -> int:
        """How often the terms of `word` follow each other."""
        known = self._counts
        if not known or word[0] not in known:
            return 0
        if len(word) == 1:
            return known[word[0]]
        return occurrences(word, self._terms) if all(t in known for t in word) else 0


def _count(asked: _Asked, head: _Terms, body: _Terms) -> float:
    """Occurrences of the group's words, those in title and headings counting more, synonyms less."""
    return max(factor * (body.count(word) + _HEAD * head.count(word)) for word, factor in asked.words)


def _valued(group: Group) -> tuple[tuple[tuple[str, ...], float], ...]:
    words = {**dict.fromkeys(group.variants, _SYNONYM), **dict.fromkeys(group.own, 1.0)}
    return tuple(words.items())
