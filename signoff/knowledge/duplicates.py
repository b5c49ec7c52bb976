"""Near duplicates: passages that say the same, almost word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from signoff.knowledge.passages import Passage
from signoff.text import normalise

ALIKE = 0.9
"""Jaccard resemblance of the shingles from which on two texts count as the same (Broder 1997)."""
SHINGLE_CHARS = 5

_BETWEEN = re.compile(r"[\W_]+")
# What makes a rule another rule, however alike the rest of its words: numbers and negations.
_DECISIVE = re.compile(
    r"\d+(?:[.,:/]\d+)*|[零一二两三四五六七八九十百千万亿半]+"
    r"|\b(?:not|no|never|none|without|cannot|except|only|must|may)\b|n['’]t\b|[不没无未勿免须必仅只可]"
)


def merged(passages: Sequence[Passage], limit: int) -> list[Passage]:
    """The first `limit` of the passages without near duplicates; what stays names the others' titles in `also`.

    The better one stays, but a trusted one is never left out for one that is not. Passages in two languages are no
    duplicates, nor are those that differ in a number or a negation.
    """
    kept: list[Passage] = []
    marks: list[_Mark] = []
    for passage in passages:
        mark = _Mark(passage)
        twin = next((i for i, known in enumerate(marks) if known.same(mark)), None)
        if twin is None:
            if len(kept) < limit:
                kept.append(passage)
                marks.append(mark)
            continue
        first = kept[twin]
        if passage.trusted and not first.trusted:
            stays = replace(passage, score=first.score, reason=first.reason, also=first.also)
            kept[twin], marks[twin] = _naming(stays, first), mark
        else:
            kept[twin] = _naming(first, passage)
    return kept


class _Mark:
    """What tells a text from others; the dear part is found out only when the cheap one agrees."""

    def __init__(self, passage: Passage) -> None:
        self._language = passage.language
        self._plain = _BETWEEN.sub(" ", normalise(passage.text)).strip()
        self._text = passage.text

    def same(self, other: _Mark) -> bool:
        """Whether both are in one language and say almost the same."""
        lengths = sorted((len(self._plain), len(other._plain)))
        if self._language != other._language or lengths[0] < ALIKE * lengths[1] - SHINGLE_CHARS:
            return False
        if self._decisive != other._decisive:
            return False
        return self._plain == other._plain or _alike(self._shingles, other._shingles)

    @cached_property
    def _decisive(self) -> list[str]:
        return _DECISIVE.findall(normalise(self._text))

    @cached_property
    def _shingles(self) -> frozenset[str]:
        text = self._plain
        return frozenset(text[i : i + SHINGLE_CHARS] for i in range(max(len(text) - SHINGLE_CHARS + 1, 1)))


def _naming(passage: Passage, other: Passage) -> Passage:
    if other.document == passage.document:
        return passage
    return replace(passage, also=tuple(dict.fromkeys([*passage.also, other.title])))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= ALIKE * len(one | other)
