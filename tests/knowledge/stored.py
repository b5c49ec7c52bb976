"""Documents for the tests of stores, and what a store must answer, worked out in the plainest way."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from signoff.knowledge.passages import Filter
from signoff.knowledge.query import Group
from signoff.knowledge.store import Access, Chunk, StoredDocument, StoredPassage

if TYPE_CHECKING:
    from signoff.knowledge.store import Floats

TODAY = "2026-10-31"
MODEL = "test/8"
ANY = Filter()
ACME = Access("acme", "ann", (), TODAY)


def vector(text: str, dimension: int = 8) -> Floats:
    """A direction of the text's own."""
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8], "big")
    found = np.random.default_rng(seed).normal(size=dimension).astype(np.float32)
    return np.asarray(found / np.linalg.norm(found), np.float32)


def document(ident: str, *texts: str, head: str = "", chunk_words: int = 6, **fields: Any) -> StoredDocument:
    """A document whose passages are `texts`; its words are what stands between spaces."""
    model = fields.setdefault("model", MODEL)
    passages = []
    for number, text in enumerate(texts):
        chunks, at = [], 0
        words = text.split(" ")
        for start in range(0, len(words), chunk_words):
            span = " ".join(words[start : start + chunk_words])
            embedded = vector(span, int(model.rpartition("/")[2])) if model else None
            chunks.append(Chunk(at, at + len(span), tuple(head.split()), tuple(span.split()), embedded))
            at += len(span) + 1
        passages.append(StoredPassage(f"{ident}.{number:03}", f"Part {number}", number + 1, text, tuple(chunks)))
    given: dict[str, Any] = {
        "tenant": "*",
        "key": ident,
        "version": "1",
        "rank": fields.get("version", "1"),
        "title": f"On {ident}",
        "language": "en",
        "root": "/docs",
        "file": f"{ident}.md",
        "trusted": True,
        "roles": (),
        "owner": "",
        "tags": (),
        "valid_from": None,
        "valid_to": None,
        "digest": f"digest of {ident}",
        "added": "2026-10-01",
        **fields,
    }
    return StoredDocument(id=ident, passages=tuple(passages), **given)


def group(*words: str, variants: Iterable[str] = ()) -> Group:
    """A group of words, each a term or terms between spaces."""
    return Group(tuple(tuple(w.split()) for w in words), frozenset(tuple(w.split()) for w in variants), "word")


def readable(documents: Sequence[StoredDocument], access: Access, narrowed: Filter = ANY) -> list[StoredDocument]:
    """Those in force that the caller may read and the filter leaves."""

    may = [
        d
        for d in documents
        if d.tenant in ("*", access.tenant)
        and d.owner in ("", access.user)
        and (not d.roles or set(d.roles) & set(access.roles))
        and (d.valid_from is None or d.valid_from <= access.today)
        and (d.valid_to is None or d.valid_to >= access.today)
    ]
    return [
        d
        for d in may
        if not any(n.tenant == d.tenant and n.key == d.key and n.rank > d.rank for n in may)
        and (not narrowed.documents or {d.id, d.key} & set(narrowed.documents))
        and d.file.startswith(narrowed.source)
        and narrowed.language in ("", d.language)
        and (not narrowed.tags or set(narrowed.tags) & set(d.tags))
        and (d.trusted or not narrowed.trusted_only)
    ]


def ranked(documents: Sequence[StoredDocument], groups: Sequence[Group]) -> list[tuple[str, int]]:
    """Passage id and start of the chunks that hold a word, by BM25 over groups, best first."""
    chunks = [(p.id, c) for d in documents for p in d.passages for c in p.chunks]
    mean = sum(len(c.head) + len(c.body) for _, c in chunks) / max(len(chunks), 1)
    times = [[_times(g, c) for g in groups] for _, c in chunks]
    frequency = [sum(row[i] > 0 for row in times) for i in range(len(groups))]
    found = []
    for (ident, chunk), row in zip(chunks, times, strict=True):
        length = (len(chunk.head) + len(chunk.body)) / (mean or 1)
        score = sum(
            math.log(1 + (len(chunks) - f + 0.5) / (f + 0.5)) * n * 2.2 / (n + 1.2 * (0.6 + 0.4 * length))
            for n, f in zip(row, frequency, strict=True)
        )
        if any(row):
            found.append((-round(score, 4), ident, chunk.start))
    return [(ident, start) for _, ident, start in sorted(found)]


def _times(group: Group, chunk: Chunk) -> int:
    return max(2 * _occurrences(w, chunk.head) + _occurrences(w, chunk.body) for w in {*group.own, *group.variants})


def _occurrences(word: tuple[str, ...], terms: tuple[str, ...]) -> int:
    return sum(terms[i : i + len(word)] == word for i in range(len(terms)))
