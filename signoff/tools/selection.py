"""Which tools a turn sees: ranked by likeness to the request, deterministic, at most a few, in a stable order."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from signoff.caller import Caller
from signoff.embedding import Encoder, packaged
from signoff.errors import SignoffError
from signoff.tools.contract import Example, Tool
from signoff.tools.likeness import Meanings, Profile, Words
from signoff.tools.registry import Registry

PACKAGED = packaged()
"""The encoder of every selector that is given no other; nothing is loaded yet."""

DENSE_ABOVE = 24
"""Tools up to which words alone decide: among few they nearly always do, and no model need be loaded."""

_OF_WORDS = 0.2
"""How much shared words add to likeness of meaning. They only add: a tool that is described in another language than
the request shares none, and must lose nothing by that."""


@dataclass(frozen=True)
class Match:
    """A tool and how well it fits a request, 0 to 1."""

    tool: Tool
    score: float


@dataclass
class _Index:
    tools: Sequence[Tool]
    profiles: Mapping[str, Profile]
    words: Words
    meanings: Meanings | None = None


class Selector:
    """Ranks the tools of a registry; tools that are added to it later are taken in. May be shared between threads.

    Above `dense_above` tools, and in a deep ranking, the meaning that `encoder` finds counts beside words; None: words
    alone. A desk whose encoder fails goes on with words, and `fault` says so.
    """

    def __init__(
        self,
        registry: Registry,
        *,
        encoder: Encoder | None = PACKAGED,
        dense_above: int = DENSE_ABOVE,
    ) -> None:
        self._registry = registry
        self._encoder = encoder
        self._dense_above = dense_above
        self._profiles: dict[str, Profile] = {}
        self._index: _Index | None = None
        self._lock = threading.Lock()
        self.fault = ""

    @property
    def dense(self) -> bool:
        """Whether a turn's tools are chosen by meaning too; the model is loaded to find out."""
        return len(self._registry) > self._dense_above and self._meanings(self._current()) is not None

    def rank(self, text: str, caller: Caller, *, deep: bool = False) -> list[Match]:
        """The caller's tools by likeness to the text, best first; equals in the registry's order.

        `deep` compares meaning however few tools there are: it may load the model, which takes seconds.
        """
        scores = self._scores(text, deep)
        matches = [Match(t, scores[t.name]) for t in self._registry if t.name in scores and _may_use(caller, t)]
        return sorted(matches, key=lambda m: -m.score)

    def choose(self, texts: Iterable[str], caller: Caller, limit: int, pinned: Sequence[str] = ()) -> list[str]:
        """Names of the tools to offer for these requests, in the registry's order, at most `limit`.

        The tools marked `always` come first; then the `pinned` ones, such as a skill's, as far as the desk has them
        and the caller may use them; then each request's best in turn, so that no request of a composite message
        is left without its tool. Call it once a turn: the same block of tools lets a provider's cache hold.
        """
        allowed = {t.name: t for t in self._registry if _may_use(caller, t)}
        chosen = dict.fromkeys([n for n, t in allowed.items() if t.always] + [n for n in pinned if n in allowed])
        rankings = [self.rank(t, caller) for t in texts] if len(chosen) < limit else []
        for place in range(len(allowed)):
            for ranking in rankings:
                if place < len(ranking) and len(chosen) < limit:
                    chosen.setdefault(ranking[place].tool.name)
        kept = set(list(chosen)[: max(0, limit)])
        return [n for n in allowed if n in kept]

    def without(self, tool: Tool, example: Example) -> Selector:
        """The same selector for a registry in which the tool lacks that example."""
        index = self._current()
        reduced = replace(tool, examples=tuple(e for e in tool.examples if e is not example))
        other = Selector(
            Registry(reduced if t is tool else t for t in self._registry),
            encoder=self._encoder,
            dense_above=self._dense_above,
        )
        other._profiles = {**index.profiles, tool.name: Profile.of(reduced)}
        other.fault = self.fault
        return other

    def _scores(self, text: str, deep: bool) -> dict[str, float]:
        index = self._current()
        scores = index.words.scores(text)
        dense = deep or len(index.tools) > self._dense_above
        if dense and (meanings := self._meanings(index)) is not None:
            meant = meanings.scores(text)
            scores = {n: 1 - (1 - meant[n]) * (1 - _OF_WORDS * s) for n, s in scores.items()}
        # Sums depend on the order of their terms in the last digits, and so would the order of equals.
        return {n: round(s, 6) for n, s in scores.items()}

    def _current(self) -> _Index:
        with self._lock:
            if self._index is None or len(self._index.tools) != len(self._registry):
                tools = list(self._registry)
                self._profiles = {t.name: self._profiles.get(t.name) or Profile.of(t) for t in tools}
                self._index = _Index(tools, self._profiles, Words(self._profiles))
            return self._index

    def _meanings(self, index: _Index) -> Meanings | None:
        with self._lock:
            if index.meanings is not None or self.fault or self._encoder is None:
                return index.meanings
            try:
                index.meanings = Meanings(index.tools, self._encoder)
            except SignoffError as error:
                # Whatever a model does, a turn must still get its tools.
                self.fault = f"Tools are chosen by words alone: {error}"
            return index.meanings


def _may_use(caller: Caller, tool: Tool) -> bool:
    return not tool.roles or bool(tool.roles & caller.roles)
