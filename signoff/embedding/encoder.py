"""One way to turn texts into vectors, whatever model is behind it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from signoff import workers
from signoff.errors import ProviderRejected, ProviderUnavailable, SignoffError

if TYPE_CHECKING:
    import numpy as np
    from langchain_core.embeddings import Embeddings
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

TEXT_CHARS = 2_000
"""Characters of a text that are looked at: a chunk with its title has fewer, and every usual model takes as many."""

_KEPT_QUERIES = 8_192
_PROBE = "A refund takes three days. 退款需要三天。"


class Encoder:
    """A model of LangChain's `Embeddings` as unit vectors: checked, in batches, its query vectors remembered.

    Nothing is loaded or asked before the first text. May be shared between threads. Every method that embeds raises
    `ConfigError` (the model is not installed, a setting is wrong), `ProviderUnavailable` or `ProviderRejected`.
    """

    def __init__(
        self,
        load: Callable[[], Embeddings],
        name: str,
        *,
        dimension: int | None = None,
        batch: int = 32,
        relevant: float | None = None,
        supports: float | None = None,
    ) -> None:
        self.name = name
        """As in the setting: `use`, `openai:bge-m3`."""
        self.relevant = relevant
        """Similarity of a question (`query`) and a passage (`documents`) above which this is probably about that, in
        whatever languages; None: not known for this model."""
        self.supports = supports
        """Similarity of a sentence (`query`) and the likest sentence of a passage (each in `documents`) above which
        the passage, in another language, probably says it; None: not known."""
        self._load = load
        self._batch = batch
        self._dimension = dimension
        self._embeddings: Embeddings | None = None
        self._queries: OrderedDict[str, Floats] = OrderedDict()
        self._loading = threading.Lock()
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"Encoder({self.name!r})"

    @property
    def dimension(self) -> int:
        """Numbers of a vector. An endpoint is asked once, with a text of no meaning."""
        if self._dimension is None:
            self._of_documents([_PROBE])
        assert self._dimension is not None
        return self._dimension

    @property
    def model(self) -> str:
        """`name/dimension`: vectors of another model cannot be compared with this one's."""
        return f"{self.name}/{self.dimension}"

    @property
    def embeddings(self) -> Embeddings:
        """The model itself, as LangChain knows it."""
        with self._loading:
            if self._embeddings is None:
                self._embeddings = self._load()
            return self._embeddings

    def documents(self, texts: Sequence[str]) -> Floats:
        """Vectors of what is searched: float32 (len(texts), d), in order, of length 1; of a blank text all zero."""
        import numpy as np

        readable = [clean(t) for t in texts]
        filled = [i for i, t in enumerate(readable) if t]
        parts = [
            self._of_documents([readable[i] for i in filled[start : start + self._batch]])
            for start in range(0, len(filled), self._batch)
        ]
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        if parts:
            vectors[filled] = np.concatenate(parts)
        return vectors

    def queries(self, texts: Sequence[str]) -> Floats:
        """Vectors of what is asked, shaped as those of `documents`, and of texts that are compared with one another.

        Each text is embedded once; the least recently used of 8,192 is forgotten.
        """
        import numpy as np

        readable = [clean(t) for t in texts]
        with self._lock:
            known = {t: self._queries[t] for t in readable if t in self._queries}
        if new := [t for t in dict.fromkeys(readable) if t and t not in known]:
            known |= dict(zip(new, self._of_queries(new), strict=True))
        with self._lock:
            for text, vector in known.items():
                self._queries[text] = vector
                self._queries.move_to_end(text)
            while len(self._queries) > _KEPT_QUERIES:
                self._queries.popitem(last=False)
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(readable):
            if text:
                vectors[row] = known[text]
        return vectors

    def query(self, text: str) -> Floats:
        """The vector of a question, float32 (d,), of length 1; of a blank text all zero."""
        vector: Floats = self.queries([text])[0]
        return vector

    def warm(self) -> None:
        """Load the model in another thread, so that the first question need not wait; what fails is told to that."""

        def load() -> None:
            try:
                if warm := getattr(self.embeddings, "warm", None):
                    warm()
            except Exception:
                return

        workers.start(load)

    def _of_documents(self, texts: list[str]) -> Floats:
        with self._failing():
            rows = self.embeddings.embed_documents(texts)
        return self._checked(rows, len(texts))

    def _of_queries(self, texts: list[str]) -> Floats:
        import numpy as np

        parts = []
        with self._failing():
            # LangChain's interface asks for one query at a time; models that take several at once are faster so.
            together = getattr(self.embeddings, "embed_queries", None)
            for start in range(0, len(texts), self._batch):
                batch = texts[start : start + self._batch]
                rows = together(batch) if together else [self.embeddings.embed_query(t) for t in batch]
                parts.append(self._checked(rows, len(batch)))
        joined: Floats = np.concatenate(parts)
        return joined

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except SignoffError:
            raise
        except Exception as error:
            # Its text may hold a key or what was embedded.
            raise ProviderUnavailable(
                f"The embedding model {self.name} failed ({type(error).__name__}): try again, or name another in "
                "SIGNOFF_EMBEDDINGS."
            ) from error

    def _checked(self, rows: Any, count: int) -> Floats:
        """The rows as unit vectors. Raises `ProviderRejected` when they are not one vector a text."""
        import numpy as np

        try:
            vectors = np.asarray(rows, dtype=np.float64)
        except (TypeError, ValueError):
            vectors = np.zeros(0)
        if vectors.ndim != 2 or vectors.shape[0] != count or not vectors.shape[1]:
            raise self._rejected("did not give one vector for each text")
        if self._dimension not in (None, vectors.shape[1]):
            raise self._rejected(f"gave vectors of {vectors.shape[1]} numbers, and of {self._dimension} before")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise self._rejected("gave a vector that is zero or holds something other than numbers")
        self._dimension = vectors.shape[1]
        unit: Floats = (vectors / lengths).astype(np.float32)
        return unit

    def _rejected(self, what: str) -> ProviderRejected:
        return ProviderRejected(
            f"The embedding model {self.name} {what}: check SIGNOFF_EMBEDDINGS and SIGNOFF_EMBEDDINGS_BASE_URL."
        )


def clean(text: str) -> str:
    """A text that every model takes: without NUL, lone surrogates and blanks around it, cut to `TEXT_CHARS`."""
    return text[: 2 * TEXT_CHARS].replace("\0", " ").encode("utf-8", "replace").decode("utf-8").strip()[:TEXT_CHARS]
