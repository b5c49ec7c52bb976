"""What selection saves and how often it is right, measured on a desk's own tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from signoff.caller import Caller
from signoff.text import language
from signoff.tools.registry import Registry
from signoff.tools.selection import Selector

PLACES = (1, 4, 8)
"""The places up to which accuracy is counted."""


@dataclass(frozen=True)
class Choice:
    """The tools that a turn with these words would see."""

    text: str
    tools: tuple[str, ...]
    tokens: int
    """Estimated tokens of their block."""


@dataclass(frozen=True)
class Miss:
    """An example whose own tool was not the first, when the example itself was left out."""

    tool: str
    text: str
    place: int
    """Of the tool, from 1."""
    first: str
    """The tool that came first."""


@dataclass(frozen=True)
class Accuracy:
    """How many examples found their tool among the first 1, 4 and 8, each left out of the index for its own try."""

    language: str
    """`zh`, `en`, or `all`."""
    examples: int
    shares: tuple[float, ...]
    """In the order of `PLACES`, each 0 to 1."""


@dataclass(frozen=True)
class Report:
    """The whole of it."""

    tools: int
    limit: int
    """Tools that a turn sees at most."""
    dense: bool
    """Whether meaning was compared, or words alone."""
    all_tokens: int
    """Estimated tokens of the block with every tool the caller may use."""
    choices: tuple[Choice, ...]
    accuracy: tuple[Accuracy, ...]
    misses: tuple[Miss, ...]

    @property
    def chosen_tokens(self) -> float:
        """Estimated tokens of the block with selection, on average over the choices."""
        return mean(c.tokens for c in self.choices) if self.choices else 0.0


def report(registry: Registry, selector: Selector, caller: Caller, limit: int, texts: Sequence[str] = ()) -> Report:
    """Measure for one caller: with these texts, or with the tools' own examples when there are none."""
    usable = [t for t in registry if not t.roles or t.roles & caller.roles]
    asked = list(texts) or [e.text for t in usable for e in t.examples]
    choices = []
    for text in asked:
        chosen = selector.choose([text], caller, limit)
        choices.append(Choice(text, tuple(chosen), registry.tokens(chosen)))
    places: dict[str, list[int]] = {"all": []}
    misses = []
    for tool in usable:
        for example in tool.examples:
            names = [m.tool.name for m in selector.without(tool, example).rank(example.text, caller)]
            place = names.index(tool.name) + 1
            for group in ("all", language(example.text)):
                places.setdefault(group, []).append(place)
            if place > 1:
                misses.append(Miss(tool.name, example.text, place, names[0]))
    return Report(
        tools=len(usable),
        limit=limit,
        dense=selector.dense,
        all_tokens=registry.tokens([t.name for t in usable]),
        choices=tuple(choices),
        accuracy=tuple(
            Accuracy(group, len(found), tuple(mean(p <= k for p in found) for k in PLACES))
            for group, found in sorted(places.items())
            if found
        ),
        misses=tuple(sorted(misses, key=lambda m: -m.place)),
    )
