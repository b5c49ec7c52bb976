"""Vectors in memory: what is near a question, among the chunks that may be read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 4_096
"""Vectors that are kept, read and multiplied together."""
SPARSE = 8
"""Of a block of which less than one in so many may be read, those are taken out first."""


def pack(vector: NDArray[np.float32]) -> bytes:
    """A vector of shape (d,) as it is stored: half precision, little-endian."""
    return np.asarray(vector).astype("<f2").tobytes()


@dataclass(frozen=True)
class Matrix:
    """The vectors of one model as they were at one moment; later ones share its blocks."""

    blocks: tuple[NDArray[np.float32], ...]
    """Each of shape (BLOCK, d); the last is filled up to `size`."""
    chunks: NDArray[np.int64]
    documents: NDArray[np.int64]
    """By vector: row of its chunk, number of its document."""
    stale: NDArray[np.bool_]
    """By vector: whether a newer one took its place."""

    @classmethod
    def empty(cls) -> Matrix:
        """Of no vectors."""
        return cls((), np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.bool_))

    @property
    def size(self) -> int:
        """Vectors, stale ones included."""
        return len(self.chunks)

    @property
    def dimension(self) -> int:
        """Of each vector; 0 when there is none."""
        return int(self.blocks[0].shape[1]) if self.blocks else 0

    def extended(self, rows: Iterable[tuple[int, int, bytes]]) -> Matrix:
        """With more vectors: (chunk, document, packed). Those that the same documents had are stale then.

        A vector of another dimension than the first is left out.
        """
        blocks, chunks, documents = list(self.blocks), [self.chunks], [self.documents]
        size, width = self.size, 2 * self.dimension
        rows = iter(rows)
        while taken := list(islice(rows, BLOCK - size % BLOCK)):
            width = width or len(taken[0][2])
            fit = [r for r in taken if len(r[2]) == width and width]
            values = np.frombuffer(b"".join(r[2] for r in fit), "<f2").reshape(len(fit), -1)
            if fit:
                if size % BLOCK == 0:
                    blocks.append(np.empty((BLOCK, width // 2), np.float32))
                # Beyond the size of every matrix that shares the block: nobody reads there yet.
                blocks[-1][size % BLOCK : size % BLOCK + len(fit)] = values
                chunks.append(np.fromiter((r[0] for r in fit), np.int64, len(fit)))
                documents.append(np.fromiter((r[1] for r in fit), np.int64, len(fit)))
                size += len(fit)
        fresh = np.concatenate(documents[1:]) if documents[1:] else np.empty(0, np.int64)
        stale = np.concatenate([self.stale | np.isin(self.documents, fresh), np.zeros(len(fresh), np.bool_)])
        return Matrix(tuple(blocks), np.concatenate(chunks), np.concatenate(documents), stale)

    def among(self, documents: NDArray[np.int64]) -> NDArray[np.bool_]:
        """By vector: whether it is searched when these documents may be read."""
        allowed: NDArray[np.bool_] = np.isin(self.documents, documents) & ~self.stale
        return allowed

    def nearest(
        self, vector: NDArray[np.float32], allowed: NDArray[np.bool_], limit: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Chunks and similarities of the `limit` nearest among the allowed, and of all that tie with the last.

        Similarities are rounded: the last bits of a product depend on where a vector stands in its block, and that
        depends on documents of others.
        """
        asked = np.ascontiguousarray(vector, np.float32)
        found, similar = [], []
        for number, block in enumerate(self.blocks):
            start = number * BLOCK
            within = np.flatnonzero(allowed[start : start + BLOCK])
            if not len(within):
                continue
            # Not a product of matrices: its threads wait for each other longer than they work when processors are busy.
            if len(within) * SPARSE < BLOCK:
                scores = np.vecdot(block[within], asked)
            else:
                scores = np.vecdot(block[: self.size - start], asked)[within]
            found.append(within + start)
            similar.append(scores)
        if not found:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        at = np.concatenate(found)
        similarities: NDArray[np.float64] = np.concatenate(similar, dtype=np.float64).round(6).clip(-1.0, 1.0)
        best = leading(similarities, limit)
        return self.chunks[at[best]], similarities[best]


def leading(scores: NDArray[np.float64], limit: int) -> NDArray[np.intp]:
    """Where the `limit` highest scores are, and up to three times as many that tie with the last; in no order."""
    if limit < 1:
        return np.arange(0)
    if len(scores) <= limit:
        return np.arange(len(scores))
    last = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    above, level = np.flatnonzero(scores > last), np.flatnonzero(scores == last)
    return np.concatenate([above, level[: 4 * limit - len(above)]])
