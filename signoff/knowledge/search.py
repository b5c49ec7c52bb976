"""Search: words and meaning, joined, and only what is about the question. The same for every store."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Literal, TypeVar, cast

from signoff import workers
from signoff.errors import ConfigError, ProviderError
from signoff.knowledge.duplicates import merged
from signoff.knowledge.fusion import NEAREST, by_rank, ordered
from signoff.knowledge.passages import Filter, Passage
from signoff.knowledge.query import MAX_CHARS, groups_of
from signoff.knowledge.relevance import Scale
from signoff.knowledge.scoring import Scored, scored
from signoff.knowledge.store import Access, Store
from signoff.knowledge.sufficiency import Meaning, Sufficiency, assess
from signoff.knowledge.wording import Hit, Wording
from signoff.text import language

if TYPE_CHECKING:
    from signoff.embedding import Encoder
    from signoff.knowledge.rerank import Reranker
    from signoff.knowledge.store import Floats

Leg = Literal["lexical", "dense"]
LEGS: tuple[Leg, ...] = ("lexical", "dense")

CANDIDATES = 80
"""Chunks that are ranked exactly by words, out of all that hold one."""
POOL = 30
"""Passages at most that are reranked and searched for near duplicates."""
MAX_QUERIES = 6
"""Wordings of one question that are searched for; further ones are left out."""
CLOSE = 0.8
"""Share of the best relevant passage's merit from which another one counts as relevant too."""
VARIANT = 0.9
"""What a passage that only a further wording found keeps of its merit."""

T = TypeVar("T")


@dataclass(frozen=True)
class Found:
    """What a search found, and how it went."""

    passages: list[Passage] = field(default_factory=list)
    """Best first; none when nothing is about the question."""
    sufficiency: Sufficiency = field(default_factory=lambda: Sufficiency(False))
    warnings: list[str] = field(default_factory=list)
    """A sentence for each thing that went wrong and was done without."""


class Search:
    """Searches a store. May be shared between threads."""

    def __init__(self, store: Store, encoder: Encoder | None = None, reranker: Reranker | None = None) -> None:
        self._store = store
        self._encoder = encoder
        self._reranker = reranker
        self._scale: Scale | None = None

    def find(
        self,
        access: Access,
        queries: Sequence[str] | str,
        *,
        limit: int = 5,
        narrowed: Filter | None = None,
        deadline_s: float | None = None,
        judged: bool = True,
    ) -> Found:
        """The passages that answer a question, of what the caller may read and is in force.

        `queries` are wordings of the same question, the best first. After `deadline_s` seconds an endpoint is no
        longer waited for. What an endpoint fails at is done without, and said in `warnings`. With `judged` it is also
        judged what of the question they leave open, which takes about as long again. Raises `StoreError`.
        """
        asked = _distinct([queries] if isinstance(queries, str) else queries)
        if limit < 1 or not asked:
            return Found()
        narrowed = narrowed or Filter()
        until = None if deadline_s is None else time.monotonic() + deadline_s
        warnings: list[str] = []
        vectors = self._vectors(asked, until, warnings)
        wordings = [self._wording(access, narrowed, q, v) for q, v in zip(asked, vectors, strict=True)]
        hits = self._hits(wordings, POOL)
        hits = self._reranked(access, asked[0], hits, until, warnings)
        passages, rows = self._passages(access, hits, limit)
        if passages and self._encoder is not None and not self._store.model():
            warnings.append("Searched by words alone: the documents have no vectors. Run `signoff knowledge reindex`.")
        if not judged:
            return Found(passages, Sufficiency(bool(passages)), warnings)
        meaning = self._meaning(access, narrowed, rows, until) if vectors[0] is not None else None
        return Found(passages, self._assessed(asked[0], passages, meaning, warnings), warnings)

    def ranked(
        self,
        access: Access,
        query: str,
        limit: int,
        *,
        legs: Sequence[Leg] = LEGS,
        narrowed: Filter | None = None,
        ranks: bool = False,
    ) -> list[tuple[int, float]]:
        """Passage rows with their scores, best first, whether or not they are relevant: for measuring.

        With `ranks` the legs are joined by reciprocal rank, which is how most systems do it.

        Raises what the encoder raises, and `StoreError`.
        """
        asked = query[:MAX_CHARS]
        vector = self._encoder.query(asked) if "dense" in legs and self._encoder and asked.strip() else None
        wording = self._wording(access, narrowed or Filter(), asked, vector, lexical="lexical" in legs, most=limit)
        if tuple(legs) == ("lexical",):
            pairs = [(s.passage, s.score) for s in wording.words]
        elif tuple(legs) == ("dense",):
            pairs = [(n.passage, n.similarity) for n in wording.near]
        else:
            near = [n.passage for n in wording.near]
            joint = by_rank([[s.passage for s in wording.words], near]) if ranks else wording.merits(self._scaled())
            pairs = list(joint.items())
        best: dict[int, float] = {}
        for row, score in pairs:
            best.setdefault(row, score)
        return list(best.items())[:limit]

    def _vectors(self, asked: Sequence[str], until: float | None, warnings: list[str]) -> list[Floats | None]:
        """The wordings' vectors; None without an encoder, and for all when it fails."""
        encoder, held = self._encoder, self._store.model()
        none: list[Floats | None] = [None] * len(asked)
        if encoder is None or not held:
            return none

        def embed() -> list[Floats | None]:
            if encoder.model != held:
                raise ConfigError(
                    f"the documents have vectors of {held}, and the setting is {encoder.model}. "
                    "Run `signoff knowledge reindex`."
                )
            self._scaled()
            return list(encoder.queries(asked))

        try:
            return _by(until, embed)
        except TimeoutError:
            warnings.append("Searched by words alone: the embedding model did not answer in time.")
        except (ProviderError, ConfigError) as error:
            warnings.append(f"Searched by words alone: {error}")
        return none

    def _scaled(self) -> Scale | None:
        if self._scale is None and self._encoder is not None:
            self._scale = Scale.of(self._encoder)
        return self._scale

    def _wording(
        self,
        access: Access,
        narrowed: Filter,
        text: str,
        vector: Floats | None,
        *,
        lexical: bool = True,
        most: int = 0,
    ) -> Wording:
        groups = groups_of(text) if lexical else []
        words: list[Scored] = []
        if groups:
            met = self._store.lexical(access, narrowed, groups, max(CANDIDATES, 2 * most))
            words = scored(met, groups, language(text), alone=vector is None)
        near = (
            self._store.dense(access, narrowed, vector, self._encoder.model, max(NEAREST, 2 * most))
            if vector is not None and self._encoder
            else []
        )
        return Wording(text, groups, vector, words, near)

    def _hits(self, wordings: Sequence[Wording], limit: int) -> list[Hit]:
        """The relevant passages, best first."""
        merits: dict[int, float] = {}
        for i, wording in enumerate(wordings):
            for row, merit in wording.merits(self._scale).items():
                merits[row] = max(merits.get(row, 0.0), VARIANT * merit if i else merit)
        merits = ordered(merits)
        admitted = {r: w for r in merits if (w := next((w for w in wordings if w.admits(r, self._scale)), None))}
        least = CLOSE * max((merits[r] for r in admitted), default=float("inf"))
        if wordings[0].vector is not None:
            # What is nearly as good as what is about the question is about it too.
            near = {r: w for r, m in merits.items() if m >= least and (w := next(w for w in wordings if w.met(r)))}
            admitted = {**near, **admitted}
        found = [hit for r, w in admitted.items() if (hit := w.hit(r, merits[r], self._scale)) is not None]
        return sorted(found, key=lambda h: -h.score)[:limit]

    def _reranked(
        self, access: Access, question: str, hits: list[Hit], until: float | None, warnings: list[str]
    ) -> list[Hit]:
        if self._reranker is None or len(hits) < 2:
            return hits
        passages = self._store.passages(access, [h.passage for h in hits])
        texts = self._store.chunk_texts(access, [h.chunk for h in hits])
        known = [h for h in hits if h.passage in passages and h.chunk in texts]
        documents = [
            "\n".join(filter(None, (passages[h.passage].title, passages[h.passage].place, texts[h.chunk])))
            for h in known
        ]
        left = None if until is None else until - time.monotonic()
        scores = self._reranker.scores(question, documents, warnings, left_s=left)
        judged = [replace(h, reranked=scores[i], score=scores[i]) for i, h in enumerate(known) if i in scores]
        judged.sort(key=lambda h: -h.score)
        if not judged:
            return hits
        # What the reranker left out stays behind, in its order; its score must not seem better.
        least = judged[-1].score
        rest = [replace(h, score=min(h.score, least)) for i, h in enumerate(known) if i not in scores]
        return judged + rest

    def _passages(self, access: Access, hits: Sequence[Hit], limit: int) -> tuple[list[Passage], frozenset[int]]:
        """The first `limit` passages, near duplicates joined, and their rows; read with the caller's access."""
        rows = self._store.passages(access, [h.passage for h in hits])
        spans = self._store.spans(access, [h.chunk for h in hits])
        found = [
            replace(rows[h.passage], score=round(h.score, 6), match=spans.get(h.chunk, (0, 0)), reason=h.reason)
            for h in hits
            if h.passage in rows
        ]
        best = merged(found, limit)
        kept = {p.id for p in best}
        return best, frozenset(row for row, p in rows.items() if p.id in kept)

    def _assessed(
        self, question: str, passages: Sequence[Passage], meaning: Meaning | None, warnings: list[str]
    ) -> Sufficiency:
        try:
            return assess(question, passages, meaning)
        except TimeoutError:
            warnings.append("What the passages lack was judged by words alone: the embedding model took too long.")
        except ProviderError as error:
            warnings.append(f"What the passages lack was judged by words alone: {error}")
        return assess(question, passages)

    def _meaning(self, access: Access, narrowed: Filter, rows: frozenset[int], until: float | None) -> Meaning | None:
        """How near passages are to texts; None when meaning is not searched by."""
        encoder, scale = self._encoder, self._scale
        if encoder is None or scale is None or not rows:
            return None

        def near(texts: Sequence[str]) -> list[float]:
            told = []
            for vector in _by(until, lambda: encoder.queries(texts)):
                found = self._store.dense(access, narrowed, vector, encoder.model, NEAREST)
                told.append(max((scale.nearness(n.similarity) for n in found if n.passage in rows), default=0.0))
            return told

        return near


def _distinct(queries: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(q[:MAX_CHARS] for q in queries if q.strip()))[:MAX_QUERIES]


def _by(until: float | None, work: Callable[[], T]) -> T:
    """What `work` gives, waited for until then. Raises `TimeoutError`, and what `work` raises."""
    if until is None:
        return work()
    answer: SimpleQueue[tuple[T | None, Exception | None]] = SimpleQueue()

    def run() -> None:
        try:
            answer.put((work(), None))
        except Exception as error:
            answer.put((None, error))

    workers.start(run)
    try:
        result, error = answer.get(timeout=max(until - time.monotonic(), 0.0))
    except Empty:
        raise TimeoutError from None
    if error is not None:
        raise error
    return cast(T, result)
