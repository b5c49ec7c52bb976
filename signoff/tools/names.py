"""Tool names that are nearly right: another case or style, a server's prefix, a letter too many, a part of the name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

_PREFIX = re.compile(r"^.*(?:__|[./:#])(?=.)")
_CLOSE = 0.72
"""Likeness of two names, 0 to 1, from which one may be a slip for the other."""

_VERBS = (
    frozenset("get query lookup find fetch show read view retrieve check search describe".split()),
    frozenset("create add new make open insert draft".split()),
    frozenset("delete remove drop discard erase".split()),
    frozenset("update change edit modify set".split()),
    frozenset("list browse all".split()),
)
"""Verbs that stand for one another at the beginning of names."""


def words(name: str) -> tuple[str, ...]:
    """A name's words, whatever its style: `queryOrder`, `query-order` and `QUERY_ORDER` are alike."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return tuple(w.casefold() for w in re.split(r"[\W_]+", parted) if w)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that a mistaken one is most likely meant for, or None when none is near.

    In this order: the same words in another style; the same after a prefix (`server__name`, `functions.name`); the
    same with a verb for another (`get_order`, `query_order`); the name that begins with its words, or has
    them all; the name that is alike letter by letter. Of equally near ones, the first.
    """
    names = {n: words(n) for n in known}
    asked = words(name)
    bare = words(_PREFIX.sub("", name.strip()))
    for wanted in (asked, bare):
        if wanted:
            for candidate, own in names.items():
                if own == wanted or "".join(own) == "".join(wanted):
                    return candidate
    for wanted in (asked, bare):
        for candidate, own in names.items():
            if wanted[1:] and wanted[1:] == own[1:] and any({wanted[0], own[0]} <= verbs for verbs in _VERBS):
                return candidate
    for wanted in (asked, bare):
        holding = [n for n, own in names.items() if wanted and set(wanted) <= set(own)]
        begun = [n for n in holding if names[n][: len(wanted)] == wanted]
        if holding:
            return (begun or holding)[0]
    best, likeness = None, _CLOSE
    for candidate, own in names.items():
        for wanted in {asked, bare}:
            alike = SequenceMatcher(None, "_".join(wanted), "_".join(own)).ratio()
            shared = len(set(wanted) & set(own)) / max(1, len({*wanted, *own}))
            if (score := max(alike, 0.5 * alike + 0.5 * shared)) > likeness:
                best, likeness = candidate, score
    return best


def apart(one: str, other: str) -> int:
    """Letters to add, drop or change between two names, up to 2 (2 means two or more). Case and style count as 1."""
    if one == other:
        return 0
    if words(one) == words(other):
        return 1
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1:
        return 2
    at = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) == len(long):
        return 1 if short[at + 1 :] == long[at + 1 :] else 2
    return 1 if short[at:] == long[at + 1 :] else 2
