"""The desk's own prompt is nothing to tell a person: a weak model copies what it was sent."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from signoff.knowledge import cite
from signoff.models.view import INSTRUCTIONS
from signoff.nodes.checks.grounds import Finding, Grounds, Located
from signoff.text import normalise, shorten, tokens

_LEAST = 9
"""Words from which a sentence of the instructions is told by its words alone."""
_MESSAGE = "This repeats what the desk was told, not what was found: leave it out."


def check_echo(answer: str, grounds: Grounds) -> Iterator[Located]:
    """Sentences of the instructions, word for word."""
    for start, end in cite.spans(answer):
        text = answer[start:end]
        if normalise(text).strip(" -.") in _instructions():
            yield Located(Finding("unsupported", shorten(text, 300), _MESSAGE), start, end)


@cache
def _instructions() -> frozenset[str]:
    said = (normalise(INSTRUCTIONS[a:b]).strip(" -.") for a, b in cite.spans(INSTRUCTIONS))
    return frozenset(s for s in said if len(tokens(s, stop=False)) >= _LEAST)
