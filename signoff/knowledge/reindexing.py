"""Documents embedded anew for the model that the settings name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from signoff.errors import ConfigError
from signoff.knowledge.builder import EMBEDDED_AT_ONCE
from signoff.knowledge.ingest import Progress
from signoff.knowledge.store import Store

if TYPE_CHECKING:
    from signoff.embedding import Encoder
    from signoff.knowledge.store import Floats


def reindex(
    store: Store,
    encoder: Encoder | None,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> int:
    """Give every document vectors of the encoder's model; returns how many documents needed them.

    One transaction a document. Until all are done, those that are not yet are found by words alone; a run that was
    cut short is gone on with by the next. Raises `ConfigError` without an encoder, `ProviderError`, `StoreError`.
    """
    if encoder is None:
        raise ConfigError(
            "SIGNOFF_EMBEDDINGS is none, so there is nothing to embed: name a model, such as use, and try again."
        )
    if store.model() != encoder.model:
        # A model that does not answer must not cost the vectors there are.
        encoder.documents(["Documents are embedded anew."])
        store.set_model(encoder.model)
    waiting = store.outdated()
    tell = progress or (lambda _: None)
    chunks = done = 0
    for done, ident in enumerate(waiting):
        tell(Progress(done, len(waiting), chunks, 0, ident))
        texts = store.texts(ident)
        vectors: list[tuple[int, Floats]] = []
        for start in range(0, len(texts), EMBEDDED_AT_ONCE):
            if stop is not None and stop():
                return done
            batch = texts[start : start + EMBEDDED_AT_ONCE]
            vectors += zip((n for n, _ in batch), encoder.documents([t for _, t in batch]), strict=True)
        store.set_vectors(ident, encoder.model, vectors)
        chunks += len(vectors)
    tell(Progress(len(waiting), len(waiting), chunks, 0, ""))
    return len(waiting)
