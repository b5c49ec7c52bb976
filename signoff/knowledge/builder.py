"""A source as a store takes it: passages with their chunks, terms and vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from typing import TYPE_CHECKING

from signoff.knowledge.glossary import index_terms
from signoff.knowledge.identity import passage_id, rank
from signoff.knowledge.load import Source
from signoff.knowledge.split import Piece, passages_of
from signoff.knowledge.store import Chunk, StoredDocument, StoredPassage, embedded_text

if TYPE_CHECKING:
    from signoff.embedding import Encoder
    from signoff.knowledge.store import Floats

EMBEDDED_AT_ONCE = 64
"""Chunks between two looks at whether to stop."""


class Builder:
    """Makes stored documents. Without an encoder they have no vectors."""

    def __init__(self, encoder: Encoder | None, today: date, check: Callable[[], None]) -> None:
        """`check` is called before each batch of vectors, and may raise."""
        self._encoder = encoder
        self._today = today.isoformat()
        self._check = check

    def build(self, source: Source, ident: str, *, root: str, file: str, digest: str, model: str) -> StoredDocument:
        """The document as it is stored. Raises what the encoder raises."""
        return StoredDocument(
            id=ident,
            tenant=source.tenant,
            key=source.key,
            version=source.version,
            rank=rank(source.version),
            title=source.title,
            language=source.language,
            root=root,
            file=file,
            trusted=source.trusted,
            roles=source.roles,
            owner=source.owner,
            tags=source.tags,
            valid_from=_iso(source.valid_from),
            valid_to=_iso(source.valid_to),
            digest=digest,
            model=model,
            added=self._today,
            passages=tuple(self._passages(source, ident)),
        )

    def _passages(self, source: Source, ident: str) -> Iterator[StoredPassage]:
        pieces = passages_of(source.blocks)
        vectors = self._vectors(source.title, pieces)
        seen: dict[tuple[str, str], int] = {}
        heads: dict[str, tuple[str, ...]] = {}
        for piece in pieces:
            copy = seen[piece.place, piece.text] = seen.get((piece.place, piece.text), 0) + 1
            if piece.place not in heads:
                heads[piece.place] = tuple(index_terms(f"{source.title} {piece.place}"))
            chunks = tuple(
                Chunk(a, b, heads[piece.place], tuple(index_terms(piece.text[a:b])), next(vectors, None))
                for a, b in piece.chunks
            )
            name = passage_id(ident, piece.place, piece.text, copy)
            yield StoredPassage(name, piece.place, piece.page, piece.text, chunks)

    def _vectors(self, title: str, pieces: list[Piece]) -> Iterator[Floats]:
        """The chunks' vectors, in order, made as they are needed."""
        if self._encoder is None:
            return
        texts = [embedded_text(title, p.place, p.text[a:b]) for p in pieces for a, b in p.chunks]
        for start in range(0, len(texts), EMBEDDED_AT_ONCE):
            self._check()
            yield from self._encoder.documents(texts[start : start + EMBEDDED_AT_ONCE])


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
