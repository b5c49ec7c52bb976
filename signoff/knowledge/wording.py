"""What one wording of a question met, and which of it is about the question."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from signoff.knowledge.fusion import joined
from signoff.knowledge.query import Group, shown
from signoff.knowledge.relevance import Scale, by_both, by_words
from signoff.knowledge.scoring import Scored
from signoff.knowledge.store import Near
from signoff.text import language

if TYPE_CHECKING:
    from signoff.knowledge.store import Floats

FOREIGN = 0.85
"""What a passage in another language than the question's keeps of its merit."""


@dataclass(frozen=True)
class Wording:
    """One wording of the question with what it met."""

    text: str
    groups: list[Group]
    vector: Floats | None
    words: list[Scored]
    near: list[Near]

    def merits(self, scale: Scale | None) -> dict[int, float]:
        """By passage what it is worth as an answer, best first. Without a scale words decide."""
        if self.vector is None or scale is None:
            best = self.words[0].score if self.words else 1.0
            return {p: s.score / best for p, s in self._words.items()}
        return joined(self.words, self.near, language(self.text), scale.nearness)

    def met(self, passage: int) -> bool:
        """Whether it met a passage at all."""
        return passage in self._words or passage in self._near

    def admits(self, passage: int, scale: Scale | None) -> bool:
        """Whether a passage is about this wording of the question. Without a scale words decide."""
        words, near = self._words.get(passage), self._near.get(passage)
        best = self.words[0].score if self.words else 0.0
        if self.vector is None or scale is None:
            return by_words(words, best)
        if words is None and near is None:
            return False
        # What is not among the nearest is no nearer than the last of them.
        farthest = self.near[-1].similarity if self.near else scale.unrelated
        held = words or near
        foreign = held is not None and held.language != language(self.text)
        return by_both(words, best, scale.nearness(near.similarity if near else farthest), foreign=foreign)

    def hit(self, passage: int, score: float, scale: Scale | None) -> Hit | None:
        """A passage as met by this wording; None when it was not met."""
        words, near = self._words.get(passage), self._near.get(passage)
        held = words if words is not None and (near is None or words.relevant) else near
        if held is None:
            return None
        named = tuple(dict.fromkeys(shown(self.groups[i], self.text) for i in words.met)) if words else ()
        # Of two that answer, the one that the person can read stands first.
        foreign = scale is not None and held.language != language(self.text)
        worth = FOREIGN * score if foreign else score
        return Hit(passage, held.chunk, worth, named, near.similarity if near else None)

    @cached_property
    def _words(self) -> dict[int, Scored]:
        """By passage its best chunk by words."""
        best: dict[int, Scored] = {}
        for s in self.words:
            best.setdefault(s.passage, s)
        return best

    @cached_property
    def _near(self) -> dict[int, Near]:
        """By passage its best chunk by meaning."""
        best: dict[int, Near] = {}
        for n in self.near:
            best.setdefault(n.passage, n)
        return best


@dataclass(frozen=True)
class Hit:
    """A relevant passage with the chunk that it was found by."""

    passage: int
    chunk: int
    score: float
    words: tuple[str, ...]
    similarity: float | None
    reranked: float | None = None

    @property
    def reason(self) -> str:
        """In a few words."""
        parts = [f"words: {', '.join(self.words)}"] if self.words else []
        parts += [f"meaning {self.similarity:.2f}"] if self.similarity is not None else []
        parts += [f"reranked {self.reranked:.2f}"] if self.reranked is not None else []
        return "; ".join(parts)
