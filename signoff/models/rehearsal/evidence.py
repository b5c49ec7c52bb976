"""Sentences of the evidence that answer a question, quoted as they stand, each with its marker."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from signoff.models.rehearsal import lexicon
from signoff.models.rehearsal.excerpts import Excerpt, excerpts
from signoff.models.rehearsal.numerals import counts
from signoff.models.rehearsal.prompt import Passage
from signoff.text import language

_ORDERS = re.compile(
    r"ignore (?:all |any |the |your )*(?:previous|above|prior|earlier|instruction)|disregard|system prompt|"
    r"you (?:must|are now|should now)|忽略.{0,8}(?:指令|指示|以上|之前|前面)|无视.{0,8}(?:指令|指示|规则)|你现在是|"
    r"你必须",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"几(?:天|个|号|点|次|年|月|种|小时|块|元)|多少(?:钱|天|个|次|元)?|多久|多长(?:时间)?|什么|怎么(?:样|办)?|如何|"
    r"哪[些个里种]?|是否|\b(?:how (?:many|much|long|often|far|soon|do|can|to)|what|which|who|when|where|why|can|could|"
    r"may|does|do|is|are)\b",
    re.IGNORECASE,
)
_FOR_A_NUMBER = re.compile(
    r"how (?:much|many|long|often|far|soon)|\bwhen\b|\blimit\b|\bmaximum\b|"
    r"多少|多久|几|多长|标准|限额|上限|期限|什么时候"
)
_HAS_NUMBER = re.compile(r"\d|[一二两三四五六七八九十]+(?:天|日|个|年|月|小时|元)")
_EXCEPTION = re.compile(r"不再|除外|不适用|另行|超过.{0,8}(?:才|的)|\bexcept|\bunless\b|\bno longer\b|\bnot apply")
_FORM = frozenset("#look #list #search #track #read #count #reason #time #amount #place #date #number #content".split())
"""Concepts that say what form the answer has, not what it is about."""
_VERSION = re.compile(r"\d+")
_ENOUGH = 0.5
"""Share of what the question is about that a passage must speak of."""


@dataclass(frozen=True)
class Quote:
    """A sentence and the number of its passage."""

    sentence: str
    n: int
    score: float
    """Share of what the question is about that the sentence and its headings speak of, 0 to 1."""


def gives_orders(text: str) -> bool:
    """Whether a text reads like an order to an assistant: it is not quoted."""
    return bool(_ORDERS.search(text))


def quotes(question: str, passages: Sequence[Passage], *, limit: int = 2, hint: str = "") -> list[Quote]:
    """The sentences that share most with the question, at most `limit`, best first.

    `hint` is more that the answer speaks of, such as a result: it decides between sentences that are equal.
    Empty when no passage speaks of enough of it. Trusted passages go before others, a newer version of one
    document before an older one. A sentence that tries to give orders is not quoted.
    """
    topic = _topic(question)
    if not topic:
        return []
    rows = [(p, e) for p in _current(passages) for e in excerpts(p.text) if not _ORDERS.search(e.text)]
    rarity = _rarity([lexicon.features(f"{p.title} {e.about}") for p, e in rows])
    ranked = []
    for order, (p, e) in enumerate(rows):
        own, head = _within(topic, e.about), _within(topic, p.title)
        share = sum(topic[f] for f in own | head) / sum(topic.values())
        if share >= _ENOUGH and (own or _HAS_NUMBER.search(e.text)):
            weight = sum(topic[f] * rarity.get(f, 1.0) * (1.0 if f in own else 0.6) for f in own | head)
            rank = weight / sum(topic.values()) + _fits(question, e) + _shared(e.about, hint) - 0.01 * order
            rank -= 0.0 if p.trusted else 0.5
            # What a result speaks of beside the question may be another matter, such as an exchange.
            rank -= 0.5 if hint and _actions(e.text) - _actions(question) - _actions(hint) - {"apply"} else 0.0
            ranked.append((rank, Quote(e.text, p.n, share)))
    ranked.sort(key=lambda r: -r[0])
    kept: list[tuple[float, Quote]] = []
    for rank, quote in ranked:
        if len(kept) == limit or (kept and rank < 0.75 * kept[0][0]):
            break
        if all(_differs(quote.sentence, k.sentence) for _, k in kept):
            kept.append((rank, quote))
    return [quote for _, quote in kept]


def _topic(question: str) -> Mapping[str, float]:
    """What the question is about, without what makes it a question and without codes."""
    bare = re.sub(r"(?<![A-Za-z])[A-Za-z]{0,3}\d{3,}", " ", _ASKING.sub(" ", question))
    found = lexicon.features(bare)
    content = {f: w for f, w in found.items() if f not in _FORM and not f.replace(".", "").isdigit()}
    return content or found


def _within(topic: Mapping[str, float], text: str) -> set[str]:
    own = lexicon.features(text)
    return {f for f in topic if f in own or (len(f) == 1 and f in text)}


def _fits(question: str, excerpt: Excerpt) -> float:
    """What speaks for a sentence beside its words: a number where one is asked for, and no exception to the rule."""
    score = 0.0
    folded = lexicon.fold(question)
    if _FOR_A_NUMBER.search(folded) and _HAS_NUMBER.search(excerpt.text):
        score += 0.4
    if _EXCEPTION.search(excerpt.text) and not _EXCEPTION.search(folded):
        score -= 0.3
    if any(re.search(rf"(?<!\d){n}(?!\d)", excerpt.text) for n in re.findall(r"(?<![\d.])\d{3,}(?![\d.])", folded)):
        score += 0.6
    asked = [c.value for c in counts(folded) if c.value >= 100]
    stated = [c.value for c in counts(lexicon.fold(excerpt.text)) if c.value >= 100]
    if asked and len(stated) == 2 and min(stated) <= asked[0] <= max(stated):
        score += 0.4
    return score


def _actions(text: str) -> set[str]:
    return {c for c in lexicon.concepts(text) if lexicon.is_action(c)}


def _shared(excerpt: str, hint: str) -> float:
    """Share of an excerpt's words that the hint has too."""
    own, other = set(lexicon.features(excerpt)), set(lexicon.features(hint))
    return len(own & other) / len(own) if own else 0.0


def _current(passages: Sequence[Passage]) -> list[Passage]:
    """Without passages of an older version of a document that is there in a newer one."""
    newest: dict[str, tuple[int, ...]] = {}
    for p in passages:
        document = p.title.partition(" > ")[0]
        newest[document] = max(newest.get(document, ()), _version(p))
    return [p for p in passages if _version(p) == newest[p.title.partition(" > ")[0]]]


def _version(passage: Passage) -> tuple[int, ...]:
    stated = passage.origin.removesuffix(", untrusted").rpartition(", ")[2]
    return tuple(int(n) for n in _VERSION.findall(stated))


def _rarity(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    df: dict[str, int] = {}
    for row in rows:
        for feature in row:
            df[feature] = df.get(feature, 0) + 1
    return {f: 0.5 + math.log((len(rows) + 2) / (n + 0.5)) for f, n in df.items()}


def _differs(one: str, other: str) -> bool:
    a, b = set(lexicon.features(one)), set(lexicon.features(other))
    return language(one) == language(other) and len(a & b) < 0.7 * max(1, min(len(a), len(b)))
