"""What a question asks about, as groups of words that mean the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from signoff.knowledge.glossary import mentions
from signoff.knowledge.terms import is_amount, is_asking, terms

MAX_CHARS = 2_000
"""Of a longer text only the beginning is searched for."""
MAX_GROUPS = 32

_RECORDS = frozenset("order ticket parcel refund 订单 工单 单号 编号 快递".split())
"""Stems of nouns that name a record when an identifier stands beside them."""
_IDENTIFIER = re.compile(r"(?=.*\d)[a-z0-9]+(?:\.[a-z0-9]+)*")
_GREETING = re.compile(r"\b(?:good (?:morning|afternoon|evening|night|day)|see you|take care)\b", re.IGNORECASE)
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
