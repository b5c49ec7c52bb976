"""Words with a slip of the finger in them: two letters changed about, one left out, or one typed twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from signoff.models.rehearsal import lexicon
from signoff.text import STOP_WORDS

_WORD = re.compile(r"(?<![A-Za-z0-9@._/'’-])[A-Za-z]{4,}(?![A-Za-z0-9@_/'’-]|\.\w)")


def mended(text: str) -> str:
    """The text with each unknown English word that is a slip away from one known word put right.

    Only such slips are mended: a letter for another one makes other words ("charge" and "change").
    """
    return _WORD.sub(lambda m: _right(m[0]), text)


@cache
def _right(word: str) -> str:
    folded = word.lower()
    if folded in STOP_WORDS or any(f.startswith("#") for f in lexicon.features(folded)):
        return word
    near = {w for w in _slips(folded) if w in _known()}
    return near.pop() if len(near) == 1 else word


def _slips(word: str) -> Iterator[str]:
    for i in range(len(word) - 1):
        if word[i] != word[i + 1]:
            yield word[:i] + word[i + 1] + word[i] + word[i + 2 :]
        else:
            yield word[:i] + word[i + 1 :]
    for i in range(len(word) + 1):
        yield from (word[:i] + c + word[i:] for c in "abcdefghijklmnopqrstuvwxyz")


@cache
def _known() -> frozenset[str]:
    return frozenset(w for w in lexicon.english_words() if len(w) >= 4)
