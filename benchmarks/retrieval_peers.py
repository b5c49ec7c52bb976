"""What benchmarks/retrieval.py measures, and the peers that Signoff stands beside."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from retrieval_corpus import Entry

from signoff.embedding import Encoder
from signoff.text import tokens

DEPTH = 10
VECTOR_STORE_LIMIT = 20_000
"""Passages above which LangChain's store is left out: it holds its vectors as Python numbers."""

Ranker = Callable[[str], Sequence[str]]
"""The ids of the passages for a question, best first."""


class Spent:
    """Seconds from its making to `stop`, on the clock and of the processor."""

    def __init__(self) -> None:
        self.clock_s, self.cpu_s = -time.perf_counter(), -time.process_time()

    def stop(self) -> Spent:
        """Itself, ended."""
        self.clock_s, self.cpu_s = self.clock_s + time.perf_counter(), self.cpu_s + time.process_time()
        return self


@dataclass(frozen=True)
class System:
    """Something that was filled and can be asked."""

    name: str
    rank: Ranker
    ingest: Spent
    """For all passages."""
    megabytes: float
    """On disk, or as it saves itself."""


def bm25s_of(entries: Sequence[Entry], home: Path) -> System:
    """bm25s with its defaults."""
    import bm25s
    import numpy as np

    spent = Spent()
    index = bm25s.BM25()
    index.index([tokens(e.whole) for e in entries], show_progress=False)
    spent.stop()
    index.save(str(home / "bm25s"), show_progress=False)
    ids = [e.id for e in entries]

    def rank(text: str) -> list[str]:
        known = [t for t in tokens(text) if t in index.vocab_dict]
        if not known:
            return []
        scores = index.get_scores(known)
        best = np.argsort(-scores, kind="stable")[:DEPTH]
        return [ids[i] for i in best if scores[i] > 0]

    return System("bm25s", rank, spent, _megabytes(home / "bm25s"))


def vector_store_of(entries: Sequence[Entry], encoder: Encoder, home: Path) -> System:
    """LangChain's default vector store with the same embeddings."""
    from langchain_core.vectorstores import InMemoryVectorStore

    spent = Spent()
    store = InMemoryVectorStore(encoder.embeddings)
    store.add_texts([e.whole for e in entries], ids=[e.id for e in entries])
    spent.stop()
    store.dump(str(home / "langchain" / "store.json"))

    def rank(text: str) -> list[str]:
        return [str(d.id) for d in store.similarity_search(text, k=DEPTH)]

    return System("LangChain", rank, spent, _megabytes(home / "langchain"))


def _megabytes(folder: Path) -> float:
    return sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()) / 1e6
