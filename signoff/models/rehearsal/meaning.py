"""How near a request is to the bound tools by what it means: the packaged encoder's vectors of their examples."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

from signoff.embedding import Encoder, packaged
from signoff.errors import SignoffError
from signoff.models.rehearsal.cards import Card

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_CODE = re.compile(r"(?<![A-Za-z])[A-Za-z]{0,6}[-_#]?\d{3,}[A-Za-z0-9_-]*")
TEXT_CHARS = 300
"""Characters of a request that are compared."""
_BEHIND = 0.15
"""What a description must be nearer by than an example: it speaks of more than one thing."""


@cache
def encoder() -> Encoder | None:
    """The packaged encoder, or None where it is not installed. It is loaded at the first call."""
    found = packaged()
    try:
        found.query("hello")
    except SignoffError:
        return None
    return found


class Meaning:
    """The vectors of a set of tools, made when they are first needed."""

    def __init__(self, cards: Sequence[Card]) -> None:
        self._cards = cards

    def scores(self, text: str) -> Mapping[str, float]:
        """The cosine of the text and each tool's likest example, -1 to 1; empty without an encoder."""
        import numpy as np

        model = encoder()
        if model is None or not text.strip() or not self._cards:
            return {}
        owners, vectors = self._vectors
        asked = model.query(_plain(text)[:TEXT_CHARS])
        found = np.full(len(self._cards), -1.0, dtype=np.float32)
        np.maximum.at(found, owners, vectors @ asked - self._behind)
        # Sums depend on the order of their terms in the last digits.
        return {c.name: round(float(s), 4) for c, s in zip(self._cards, found, strict=True)}

    @cached_property
    def _vectors(self) -> tuple[NDArray[np.intp], Floats]:
        import numpy as np

        model = encoder()
        assert model is not None
        rows = [(i, t) for i, t, _ in self._texts]
        return np.array([i for i, _ in rows], dtype=np.intp), model.queries([t for _, t in rows])

    @cached_property
    def _behind(self) -> Floats:
        import numpy as np

        return np.array([b for _, _, b in self._texts], dtype=np.float32)

    @cached_property
    def _texts(self) -> list[tuple[int, str, float]]:
        found: list[tuple[int, str, float]] = []
        for i, card in enumerate(self._cards):
            found.extend((i, _plain(s.text), 0.0) for s in card.samples)
            words = " ".join(card.name_words)
            found.append((i, f"{words}: {card.description}"[:TEXT_CHARS], _BEHIND if card.samples else 0.0))
        return found


def _plain(text: str) -> str:
    """Without codes, which say which one and not what is wanted."""
    return " ".join(_CODE.sub(" ", text).split()) or text
