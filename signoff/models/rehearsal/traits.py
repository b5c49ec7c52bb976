"""What a tool is about: the features of its name, description, parameters and examples, weighed."""

from __future__ import annotations

import re
from collections.abc import Mapping

from signoff.models.rehearsal import lexicon, names, places, texts
from signoff.models.rehearsal.cards import Card

NAME, EXAMPLE, DESCRIPTION, PARAMETER = 1.2, 1.0, 0.6, 0.35
"""What a word counts for by where a tool has it."""
_CODE = re.compile(r"(?<![A-Za-z])[A-Za-z]{0,6}[-_#]?\d[A-Za-z0-9_-]*")
_NET = re.compile(r"https?://[!-~]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)
_TIMES = re.compile(
    r"(?:(?<=\d)|(?<=\bone)|(?<=\btwo)|(?<=\bthree)|(?<=\bfour)|(?<=\bfive)|(?<=\bsix)|(?<=\bseven)|"
    r"(?<=\beight)|(?<=\bnine)|(?<=\bten)|(?<=teen)|(?<=twelve)|(?<=ty))\s*times\b",
    re.IGNORECASE,
)
"""Between two numbers, where it says nothing of clocks."""
_NEWEST = re.compile(
    r"\b(?:last|latest|newest|recent|first|top)\s+(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten)\b|"
    r"(?:最近|最新|最后|前)的?\s*(?:\d+|[一二两三四五六七八九十]+)\s*[个笔单条张份件]?",
    re.IGNORECASE,
)
"""How many are wanted."""


def weights(card: Card) -> dict[str, float]:
    """The features of all that a tool says of itself, each with what it counts for."""
    weights: dict[str, float] = {}

    def take(text: str, weight: float) -> None:
        for feature, own in lexicon.features(text).items():
            weights[feature] = max(weights.get(feature, 0.0), weight * own)

    take(" ".join(card.name_words), NAME)
    take(card.description, DESCRIPTION)
    for p in card.parameters:
        take(masked(f"{p.name.replace('_', ' ')} {p.text}"), PARAMETER)
        take(" ".join(str(v).replace("_", " ") for v in p.schema.get("enum") or ()), PARAMETER)
    rows = examples(card)
    for feature in {f for t in rows for f in t}:
        own = max(t.get(feature, 0.0) for t in rows)
        # A word of one example among many may be there by chance.
        share = sum(1 for t in rows if feature in t) / len(rows)
        weights[feature] = max(weights.get(feature, 0.0), EXAMPLE * own * (0.5 + 0.5 * share))
    return weights


def examples(card: Card) -> list[Mapping[str, float]]:
    """The features of each of its examples."""
    return [lexicon.features(masked(_stripped(card, s.text, s.args))) for s in card.samples]


def _stripped(card: Card, text: str, args: Mapping[str, object]) -> str:
    """An example's words without its free values: they are one person's, not the tool's."""
    for name, value in args.items():
        p = card.parameter(name)
        named = p is not None and bool(names.kind(p) or (not p.required and texts.kind(p) == "query"))
        if (
            isinstance(value, str)
            and (named or len(value) > 12 or not value.isascii())
            and value in text
            and len(value) < len(text) * 0.8
        ):
            text = text.replace(value, " ")
    return text


def masked(text: str) -> str:
    """A text without codes, numbers and names of places, which say nothing of what is wanted."""
    text = _NET.sub(lambda m: " " * len(m[0]), text)
    for place in places.find(text):
        text = text[: place.start] + " " * len(place.value) + text[place.end :]
    return _CODE.sub(" ", _TIMES.sub(" ", _NEWEST.sub(" ", text)))
