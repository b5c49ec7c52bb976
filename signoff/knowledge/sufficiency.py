"""Whether passages speak of everything that a question is about, and other words to look for the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from signoff.knowledge.glossary import mentions
from signoff.knowledge.passages import Passage
from signoff.knowledge.query import Group
from signoff.knowledge.rewrite import in_other_language, parts_of
from signoff.knowledge.topics import part, tagged, things
from signoff.text import language, normalise

MAX_OTHERS = 2
"""Other wordings that are searched for."""
MAX_MISSING = 5

SPOKEN_OF = 0.9
"""Nearness from which on a passage speaks of a phrase of a few words."""
APART = 0.2
"""How much nearer to the passages the question must be without a phrase, for the phrase to be what they lack."""
NAME_APART = 0.03
"""The same for a proper name, which moves the meaning of a question little."""

Meaning = Callable[[Sequence[str]], list[float]]
"""How near the passages are to each of some texts, on the scale of `relevance.Scale`."""


@dataclass(frozen=True)
class Sufficiency:
    """Whether the passages cover the question."""

    enough: bool
    missing: tuple[str, ...] = ()
    """What no passage speaks of, in the question's words."""


def assess(question: str, passages: Sequence[Passage], meaning: Meaning | None = None) -> Sufficiency:
    """Which of the things that the question names no passage speaks of: by words, through the glossary, by meaning.

    Amounts, identifiers, verbs and nouns such as `policy` name nothing here. A word that stands in no glossary can
    hardly be met in a passage of the other language: without `meaning` it is not held against it.
    """
    told = [_tells(p) for p in passages]
    missing: list[str] = []
    for text, groups in things(question):
        open_ = [g for g in groups if not any(_pattern(g).search(t) for t in told)]
        if not open_:
            continue
        if told and groups[-1] in open_ and len(open_) == 1 < len(groups):
            # 酒店预订, hotel booking: what it is about is met.
            continue
        foreign = bool(told) and not any(p.language == language(question) for p in passages)
        if foreign and meaning is None and all(g.kind == "word" for g in open_):
            continue
        missing.append(part(question, open_) or text)
    missing = list(dict.fromkeys(missing))[:MAX_MISSING]
    if missing and told and meaning is not None:
        missing = _apart(question, missing, meaning)
    return Sufficiency(bool(told) and not missing, tuple(missing))


def other_words(question: str, missing: Sequence[str]) -> list[str]:
    """At most two other wordings of what is missing: its parts, its other names, the other language.

    None of them asks for less than was asked: what they find would not be about the question.
    """
    wordings: list[str] = []
    whole = len(missing) > 0 and all(text in missing for text, _ in things(question))
    if whole:
        wordings += parts_of(question)
        wordings += in_other_language(question)
    else:
        wordings += [p for p in parts_of(question) if any(m in p for m in missing)]
        wordings += [w for m in missing for w in [*in_other_language(m), m] if _in_glossary(m)]
    asked = normalise(question).strip()
    return [w for w in dict.fromkeys(wordings) if normalise(w).strip() != asked][:MAX_OTHERS]


def _in_glossary(phrase: str) -> bool:
    """Whether a phrase names something of the glossary: alone it can be searched for."""
    return next(mentions(phrase), None) is not None


def _apart(question: str, phrases: Sequence[str], meaning: Meaning) -> list[str]:
    """Those of the phrases that the passages say nothing like, and without which they are nearer to the question."""
    without = [question.replace(p, " " if p.isascii() else "", 1) for p in phrases]
    whole, *rest = meaning([question, *phrases, *without])
    alone, less = rest[: len(phrases)], rest[len(phrases) :]
    return [
        p
        for p, near, left in zip(phrases, alone, less, strict=True)
        if near < SPOKEN_OF and left - whole >= (NAME_APART if _is_name(p, question) else APART)
    ]


def _is_name(phrase: str, question: str) -> bool:
    if language(phrase) == "zh":
        return any(w in phrase for w in tagged(question, ("nr", "ns", "nt", "nz")))
    return any(c.isupper() for c in phrase) and not question.startswith(phrase) and not question.isupper()


def _tells(passage: Passage) -> str:
    return normalise(f"{passage.title}\n{passage.place}\n{passage.text}")


@lru_cache(maxsize=512)
def _pattern(group: Group) -> re.Pattern[str]:
    """What a text holds that speaks of the group: a Chinese word as it is, the stem of another at a word's start."""
    words = sorted({*group.own, *group.variants})
    return re.compile("|".join(r"[^\w]{1,3}".join(_stemmed(t) for t in w) for w in words))


def _stemmed(term: str) -> str:
    if not term.isascii():
        return re.escape(term)
    # The stemmer writes polici for policy and policies.
    stem = re.escape(term[:-1]) + "[iy]" if term.endswith("i") and len(term) > 2 else re.escape(term)
    return rf"(?<![a-z0-9]){stem}[a-z]*"
