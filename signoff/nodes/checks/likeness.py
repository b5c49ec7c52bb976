"""Similarity of a sentence and what a passage says, by the same model that searches the documents."""

from __future__ import annotations

from collections.abc import Iterable

from signoff.embedding import Encoder
from signoff.errors import SignoffError


class Likeness:
    """Cosine similarity of two texts, -1 to 1; None once the model could not be used. For one answer."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._vectors: dict[str, list[float]] = {}
        self._failed = False

    def __call__(self, one: str, other: str) -> float | None:
        self.prime((one, other))
        if self._failed:
            return None
        return sum(a * b for a, b in zip(self._vectors[one], self._vectors[other], strict=True))

    def prime(self, texts: Iterable[str]) -> None:
        """Embed in one go what will be compared."""
        new = [t for t in dict.fromkeys(texts) if t not in self._vectors]
        if not new or self._failed:
            return
        try:
            vectors = self._encoder.queries(new)
        except SignoffError:
            self._failed = True
            return
        self._vectors |= {t: [float(x) for x in v] for t, v in zip(new, vectors, strict=True)}
