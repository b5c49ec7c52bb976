"""How alike a request and a tool are: by the words they share, and by what they mean."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from signoff.text import tokens
from signoff.tools.contract import Tool

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from signoff.embedding import Encoder

    Floats = NDArray[np.float32]

# Weights of a tool's own words: what it is called and how people ask for it say more than its prose.
_NAME, _EXAMPLE, _DESCRIPTION, _PARAMETER = 1.0, 1.0, 0.6, 0.4

# Shares of a tool's vector beside its purpose, which has 1; and what an example must be nearer by than the whole.
_OF_NAME, _OF_PARAMETERS, _OF_EXAMPLES, _BEHIND = 0.5, 0.3, 0.5, 0.1
# A cosine up to the first counts as nothing. The power brings what is above it to the scale of words: the thresholds of
# routing then lie where half of the right tools are above the one from which a tool is taken to be meant.
_UNLIKE, _POWER = 0.1, 0.7

TEXT_CHARS = 500
"""Characters of a request that are compared: time grows with them, and what it is about stands at its start."""

EXCLUSION = re.compile(
    r"\bnot (?:for|when|if|to|meant|used?|suitable|available)\b|\b(?:do|does|is|are|must|can|may)(?: not|n't)\b"
    r"|\bcannot\b|\bnever\b|\bonly (?:for|when|if|after|with|on|in)\b|\binstead\b|\bunless\b|\brather than\b"
    r"|\buse \w+_\w+"
    r"|不(?:用于|适用|能|可|要|得|会|支持|包括|含|是)|请?[勿别](?:用|把|在)|而非|并非|仅限|仅用于|仅在|只(?:用于|能|在|限)"
    r"|除外|除非|[改请]用",
    re.IGNORECASE,
)
"""Words with which a description says when not to use a tool, or which other one."""

_SENTENCE = re.compile(r"(?<=[。;；!！?？])\s*|(?<=[.])\s+")


def purpose(description: str) -> str:
    """What a description says the tool is for, without the sentences that say what it is not for."""
    kept = [s for s in _SENTENCE.split(description) if s and not EXCLUSION.search(s)]
    return " ".join(kept) or description


def spaced(name: str) -> str:
    """A name in words: `queryOrder` and `query_order` are `query order`."""
    return " ".join(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ").split())


def topics(text: str) -> frozenset[str]:
    """A text's words without identifiers and numbers, which say which and not what."""
    return frozenset(t for t in tokens(text) if not any(c.isdigit() for c in t))


@dataclass(frozen=True)
class Profile:
    """A tool's words, as they are compared with a request's."""

    words: Mapping[str, float]
    """Each with its weight, 0 to 1."""
    examples: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, tool: Tool) -> Profile:
        """Read a tool."""
        found: dict[str, float] = {}
        for text, weight in (
            (parameters(tool).replace("_", " "), _PARAMETER),
            (tool.description, _DESCRIPTION),
            (" ".join(e.text for e in tool.examples), _EXAMPLE),
            (spaced(tool.name), _NAME),
        ):
            for word in topics(text):
                found[word] = max(found.get(word, 0.0), weight)
        return cls(found, tuple(topics(e.text) for e in tool.examples))


def parameters(tool: Tool) -> str:
    """Names and descriptions of a tool's parameters, one after the other."""
    return " ".join(f"{n} {p.get('description', '')}" for n, p in tool.parameters.get("properties", {}).items())


class Words:
    """Likeness by shared words. Those that all tools share weigh little, rare ones much."""

    def __init__(self, profiles: Mapping[str, Profile]) -> None:
        self._profiles = profiles
        total = max(1, len(profiles))
        spread: dict[str, int] = {}
        for profile in profiles.values():
            for w in profile.words:
                spread[w] = spread.get(w, 0) + 1
        self._rarity = {w: math.log(1 + total / n) for w, n in spread.items()}
        self._unknown = math.log(1 + total / 2)
        self._weights = {e: self._weight(e) for p in profiles.values() for e in p.examples}

    def scores(self, text: str) -> dict[str, float]:
        """Each tool's likeness to a request, 0 to 1: half its own words, half its likest example."""
        words = topics(text)
        total = self._weight(words)
        return {name: self._score(p, words, total) if words else 0.0 for name, p in self._profiles.items()}

    def likeness(self, one: frozenset[str], other: frozenset[str]) -> float:
        """Of two sets of words, 0 to 1: the cosine of their weights."""
        shared = self._weight(one & other)
        return shared / math.sqrt(self._weight(one) * self._weight(other)) if shared else 0.0

    def _score(self, profile: Profile, words: frozenset[str], total: float) -> float:
        fields = sum(self._rarity[w] * profile.words[w] for w in words if w in profile.words) / total
        alike = 0.0
        for example in profile.examples:
            if shared := words & example:
                alike = max(alike, self._weight(shared) / math.sqrt(total * self._weights[example]))
        return 0.5 * min(1.0, fields) + 0.5 * alike

    def _weight(self, words: Iterable[str]) -> float:
        return sum(self._rarity.get(w, self._unknown) for w in words)


class Meanings:
    """Likeness by meaning: the cosine of vectors, brought to the scale of `Words`.

    A tool has one vector, of its purpose, name, parameters and examples, and one for each example. The weights were
    set on the half of benchmarks/tool_catalogue that is marked for tuning.
    """

    def __init__(self, tools: Sequence[Tool], encoder: Encoder) -> None:
        import numpy as np

        self._encoder = encoder
        self._names = [t.name for t in tools]
        owners = [i for i, t in enumerate(tools) for _ in t.examples]
        texts = [e.text for t in tools for e in t.examples]
        size = len(tools)
        every = encoder.queries(
            [
                *(purpose(t.description) for t in tools),
                *(spaced(t.name) for t in tools),
                *(parameters(t).replace("_", " ") for t in tools),
                *texts,
            ]
        )
        own = every[:size] + _OF_NAME * every[size : 2 * size] + _OF_PARAMETERS * every[2 * size : 3 * size]
        self._examples, self._owners = every[3 * size :], np.array(owners, dtype=np.intp)
        average = np.zeros_like(own)
        np.add.at(average, self._owners, self._examples)
        self._vectors = _unit(own + _OF_EXAMPLES * _unit(average))

    def scores(self, text: str) -> dict[str, float]:
        """Each tool's likeness to a request, 0 to 1."""
        import numpy as np

        asked = self._encoder.query(text[:TEXT_CHARS])
        cosines = self._vectors @ asked
        np.maximum.at(cosines, self._owners, self._examples @ asked - _BEHIND)
        scaled = np.clip((cosines - _UNLIKE) / (1 - _UNLIKE), 0.0, 1.0) ** _POWER
        return dict(zip(self._names, map(float, scaled), strict=True))


def _unit(rows: Floats) -> Floats:
    import numpy as np

    unit: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return unit
