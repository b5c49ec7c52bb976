"""Which tools a turn sees: ranked by likeness to the request, deterministic, at most a few, in a stable order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from signoff.caller import Caller
from signoff.text import tokens
from signoff.tools.contract import Tool
from signoff.tools.registry import Registry

# Weights of a tool's own words: what it is called and how people ask for it say more than its prose.
_NAME, _EXAMPLE, _DESCRIPTION, _PARAMETER = 1.0, 1.0, 0.6, 0.4


@dataclass(frozen=True)
class Match:
    """A tool and how well it fits a request, 0 to 1."""

    tool: Tool
    score: float


class Selector:
    """Ranks the tools of a registry. Words that all tools share weigh little, rare ones much."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._words = {t.name: _weights(t) for t in registry}
        self._examples = {t.name: [_topics(e.text) for e in t.examples] for t in registry}
        total = max(1, len(self._words))
        spread: dict[str, int] = {}
        for words in self._words.values():
            for w in words:
                spread[w] = spread.get(w, 0) + 1
        self._rarity = {w: math.log(1 + total / n) for w, n in spread.items()}
        self._unknown = math.log(1 + total / 2)

    def rank(self, text: str, caller: Caller) -> list[Match]:
        """The caller's tools by likeness to the text, best first; equals in the registry's order."""
        words = _topics(text)
        matches = [Match(t, self._score(t, words)) for t in self._registry if not t.roles or t.roles & caller.roles]
        return sorted(matches, key=lambda m: -m.score)

    def choose(self, texts: Iterable[str], caller: Caller, limit: int) -> list[str]:
        """Names of the tools to offer for these requests, in the registry's order, at most `limit`.

        Tools marked `always` come first, then each request's best in turn, so that no request of a composite
        message is left without its tool.
        """
        rankings = [self.rank(t, caller) for t in texts]
        chosen = [t.name for t in self._registry if t.always and (not t.roles or t.roles & caller.roles)][:limit]
        for place in range(len(self._registry)):
            for ranking in rankings:
                if place < len(ranking) and len(chosen) < limit and ranking[place].tool.name not in chosen:
                    chosen.append(ranking[place].tool.name)
        return [n for n in self._registry.names() if n in chosen]

    def _score(self, tool: Tool, words: frozenset[str]) -> float:
        if not words:
            return 0.0
        known = self._words[tool.name]
        total = sum(self._rarity.get(w, self._unknown) for w in words)
        fields = sum(self._rarity[w] * known[w] for w in words & known.keys()) / total
        alike = max((self._likeness(words, e) for e in self._examples[tool.name]), default=0.0)
        return 0.5 * min(1.0, fields) + 0.5 * alike

    def _likeness(self, a: frozenset[str], b: frozenset[str]) -> float:
        def weight(words: frozenset[str]) -> float:
            return sum(self._rarity.get(w, self._unknown) for w in words)

        return weight(a & b) / max(1e-9, math.sqrt(weight(a) * weight(b)))


def _topics(text: str) -> frozenset[str]:
    """A request's words without identifiers and numbers, which say which and not what."""
    return frozenset(t for t in tokens(text) if not any(c.isdigit() for c in t))


def _weights(tool: Tool) -> Mapping[str, float]:
    found: dict[str, float] = {}
    schema = tool.args.model_json_schema()
    parameters = " ".join(f"{n} {p.get('description', '')}" for n, p in schema.get("properties", {}).items())
    for text, weight in (
        (parameters.replace("_", " "), _PARAMETER),
        (tool.description, _DESCRIPTION),
        (" ".join(e.text for e in tool.examples), _EXAMPLE),
        (tool.name.replace("_", " "), _NAME),
    ):
        for word in _topics(text):
            found[word] = max(found.get(word, 0.0), weight)
    return found
