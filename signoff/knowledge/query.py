"""What a question asks about, as groups of words that mean the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from signoff.knowledge.glossary import mentions
from signoff.knowledge.terms import is_amount, is_asking, terms
from signoff.text import language, tokens

MAX_CHARS = 2_000
"""Of a longer text only the beginning is searched for."""
MAX_GROUPS = 32
MAX_SHOWN = 40
"""Characters of a group's words, where they are shown."""

_RECORDS = frozenset("order ticket parcel refund 订单 工单 单号 编号 快递".split())
"""Stems of nouns that name a record when an identifier stands beside them."""
_IDENTIFIER = re.compile(r"(?=.*\d)[a-z0-9]+(?:\.[a-z0-9]+)*")
_GREETING = re.compile(r"\b(?:good (?:morning|afternoon|evening|night|day)|see you|take care)\b", re.IGNORECASE)
_RUN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+|(?:(?![\u3400-\u9fff\uf900-\ufaff])[^\W_]|['’_.-])+")
_LUMPED = re.compile(r"(?:能|可|没|还|不|要|想|该|会|被|再|已|没有|可以)(?=[\u4e00-\u9fff])")

GroupKind = Literal["concept", "word", "aside"]


@dataclass(frozen=True)
class Group:
    """One thing the question speaks of: its words, and words that mean the same."""

    own: tuple[tuple[str, ...], ...]
    variants: frozenset[tuple[str, ...]]
    kind: GroupKind
    """`concept` is in the glossary; `aside` (an amount, a unit) helps to rank but does not make relevant."""

    def match(self) -> str:
        """As an FTS5 expression."""
        return " OR ".join(_phrase(w) for w in sorted({*self.own, *self.variants}))


def groups_of(text: str) -> list[Group]:
    """The groups of a question: concepts of the glossary first, then the words that they leave over.

    A noun beside an identifier ("order A1001") names a record, not the topic.
    """
    text = _GREETING.sub(" ", text[:MAX_CHARS])
    found = [t for term in terms(text) for t in _unlumped(term)]
    names = {i for i, t in enumerate(found) if _IDENTIFIER.fullmatch(t)}
    beside = {t for i, t in enumerate(found) if t in _RECORDS and names & {i - 1, i + 1}}
    met = list(mentions(text, found))
    asked = [m for m in met if not all(w[-1] in beside for w in m.words)]
    groups = [Group(m.words, m.concept.variants, "concept") for m in asked]
    for term in dict.fromkeys(found):
        if term in beside or is_asking(term) or any(m.covers(term) for m in met):
            continue
        aside = is_amount(term)
        groups.append(Group(((term,),), frozenset(), "aside" if aside else "word"))
    return groups[:MAX_GROUPS]


def is_identifier(group: Group) -> bool:
    """Whether the group is a name such as A1001: no topic unless a document speaks of it."""
    return group.kind == "word" and bool(_IDENTIFIER.fullmatch(group.own[0][0]))


def _unlumped(term: str) -> list[str]:
    """能报 is 报: the tokenizer keeps a modal verb with a short verb."""
    return [_LUMPED.sub("", term, count=1)] if 1 < len(term) <= 3 and _LUMPED.match(term) else [term]


def _phrase(word: tuple[str, ...]) -> str:
    return "(" + " + ".join('"' + t.replace('"', '""') + '"' for t in word) + ")"


def place(group: Group, text: str) -> tuple[int, int] | None:
    """Where `text` first names the group: start and end; None when it cannot be told."""
    spots = _spots(text)
    for word in group.own:
        if (start := text.find(word[0])) >= 0 and not word[0].isascii():
            return start, start + len(word[0])
        parts = [spots[t] for t in word if t in spots]
        if len(parts) == len(word):
            return min(a for a, _ in parts), max(b for _, b in parts)
    return None


def shown(group: Group, text: str) -> str:
    """The group as `text` writes it."""
    spot = place(group, text)
    return text[slice(*spot)] if spot and spot[1] - spot[0] <= MAX_SHOWN else " ".join(group.own[0])


@lru_cache(maxsize=256)
def _spots(text: str) -> dict[str, tuple[int, int]]:
    """Start and end of each search term where it stands first."""
    found: dict[str, tuple[int, int]] = {}
    for run in _RUN.finditer(text):
        if language(run[0]) == "zh":
            for piece in tokens(run[0], stop=False):
                if (start := text.find(piece, run.start(), run.end())) >= 0:
                    found.setdefault(_unlumped(piece)[0], (start, start + len(piece)))
        else:
            for term in (t for part in (run[0], *re.split(r"['’_.-]", run[0])) for t in terms(part)):
                found.setdefault(term, run.span())
    return found
