"""Whether what was found is about the question: words and meaning are asked together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from signoff.knowledge.scoring import COVERAGE_FLOOR, Scored

if TYPE_CHECKING:
    from signoff.embedding import Encoder

SCORE_FLOOR = 0.35
"""Share of the best chunk's score by words below which words say nothing of relevance."""
ALONE = 1.15
"""Nearness from which on meaning alone makes relevant."""
ALONE_FOREIGN = 1.0
"""The same for a passage in another language than the question's, which words can hardly meet."""
_COVERED, _NEAR = 2.0, 0.5
"""What coverage and nearness weigh; together they must come to 1: half of the question's words do without any
nearness, and a third of them with two thirds of it. These values were found with the sample documents and
benchmarks/retrieval_data."""

# A question, what answers it, and by their order what answers none of the others.
_PAIRS = (
    ("How long may I keep a library book?", "Books are lent for four weeks and can be renewed once at the desk."),
    ("图书馆的书可以借多久", "图书借期为四周,可以在服务台续借一次。"),
    ("Which platform does the night train leave from?", "Sleeper trains to the south depart from track nine."),
    ("夜车从哪个站台发车", "开往南方的卧铺列车从九号站台出发。"),
    ("Can I water the tomatoes at noon?", "Vegetables are best watered in the early morning or in the evening."),
    ("中午可以给番茄浇水吗", "蔬菜最好在清晨或者傍晚浇水。"),
)
_BETWEEN = 0.75
"""Where the line runs between what unrelated and what related texts come to, for a model that names none."""


@dataclass(frozen=True)
class Scale:
    """A model's similarities, from texts that have nothing in common to those that answer the question."""

    unrelated: float
    relevant: float

    @classmethod
    def of(cls, encoder: Encoder) -> Scale:
        """Measured with a few texts of its own. Raises what the encoder raises."""
        import numpy as np

        asked = encoder.queries([question for question, _ in _PAIRS])
        told = encoder.documents([answer for _, answer in _PAIRS])
        similar = asked @ told.T
        # The same pair stands twice, in both languages.
        topic = np.arange(len(_PAIRS)) // 2
        apart = topic[:, None] != topic[None, :]
        unrelated, related = float(similar[apart].mean()), float(similar[~apart].mean())
        named = encoder.relevant
        relevant = unrelated + _BETWEEN * (related - unrelated) if named is None else named
        # A model that cannot tell them apart makes nothing relevant by meaning.
        return cls(unrelated, relevant) if relevant > unrelated else cls(unrelated, float("inf"))

    def nearness(self, similarity: float) -> float:
        """0 for what has nothing in common, 1 for what is relevant, more for what is nearer."""
        return max(similarity - self.unrelated, 0.0) / (self.relevant - self.unrelated)


def by_words(words: Scored | None, best: float) -> bool:
    """Whether a passage is relevant by its words alone, with `best` the best score by words for this wording."""
    return words is not None and words.relevant and words.score >= SCORE_FLOOR * best


def by_both(words: Scored | None, best: float, nearness: float, *, foreign: bool) -> bool:
    """Whether words and meaning together make a passage relevant.

    Little of the question in words needs some nearness; none of it needs much. `foreign`: in another language than
    the question's.
    """
    if nearness >= (ALONE_FOREIGN if foreign else ALONE):
        return True
    covered = 0.0
    if words is not None and words.score >= SCORE_FLOOR * best:
        # A passage that shares but one word must cover more: its coverage counts for less.
        covered = words.coverage * COVERAGE_FLOOR / words.floor
    return _COVERED * covered + _NEAR * nearness >= 1
