"""Sentences of the evidence that answer a question, quoted as they stand, each with its marker."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from signoff.models.rehearsal import lexicon
from signoff.models.rehearsal.prompt import Passage
from signoff.text import language

_SENTENCE = re.compile(r"[^。！？!?\n]+?(?:[。！？!?]+|\.(?=\s|$)|(?=\n)|$)")
_BULLET = re.compile(r"^\s*(?:[-*+•>]|\d{1,2}[.)、)])\s+")
_ORDERS = re.compile(
    r"ignore (?:all |any |the |your )*(?:previous|above|prior|earlier|instruction)|disregard|"
    r"system prompt|you (?:must|are now|should now)|"
    r"忽略.{0,8}(?:指令|指示|以上|之前|前面)|无视.{0,8}(?:指令|指示|规则)|你现在是|你必须",
    re.IGNORECASE,
)
_VERSION = re.compile(r"\d+")
_ASKED_THINGS = frozenset(
    "#look #list #search #track #read #count #reason #time #amount #place #date #number #content".split()
)


@dataclass(frozen=True)
class Quote:
    """A sentence and the number of its passage."""

    sentence: str
    n: int
    score: float


def quotes(question: str, passages: Sequence[Passage], *, limit: int = 2) -> list[Quote]:
    """The sentences that share most with the question, at most `limit`, best passage first.

    Empty when no sentence shares enough. Trusted passages go before others, a newer version of one document
    before an older one. A sentence that tries to give orders is not quoted.
    """
    asked = _topic(question)
    if not asked:
        return []
    current = _current(passages)
    sentences = [(p, s) for p in current for s in _sentences(p.text)]
    if not sentences:
        return []
    rarity = _rarity([lexicon.features(f"{p.title} {s}") for p, s in sentences])
    mass = sum(w * rarity.get(f, 1.0) for f, w in asked.items())
    scored = []
    for order, (p, s) in enumerate(sentences):
        if _ORDERS.search(s):
            continue
        own = {*lexicon.features(s), *(f for f in asked if len(f) == 1 and f in s)}
        head = lexicon.features(p.title)
        hits = {f: w for f, w in asked.items() if f in own or f in head}
        score = sum(w * rarity.get(f, 1.0) * (1.0 if f in own else 0.6) for f, w in hits.items()) / mass
        score += _answers(question, s)
        if hits and any(f in own for f in asked):
            scored.append((score - 0.003 * order - (0.0 if p.trusted else 0.3), Quote(s, p.n, score)))
    scored.sort(key=lambda q: -q[0])
    best = [q for rank, q in scored if rank >= 0.34]
    if not best:
        return []
    kept = [best[0]]
    for quote in best[1:]:
        if len(kept) >= limit or quote.score < 0.8 * best[0].score:
            break
        if all(_differs(quote.sentence, k.sentence) for k in kept):
            kept.append(quote)
    return kept


def _topic(question: str) -> Mapping[str, float]:
    found = lexicon.features(re.sub(r"(?<![A-Za-z])[A-Za-z]{0,3}\d{3,}", " ", question))
    content = {f: w for f, w in found.items() if f not in _ASKED_THINGS}
    return content or found


def _answers(question: str, sentence: str) -> float:
    """A question for a number or a time is answered by a sentence that has one."""
    folded = lexicon.fold(question)
    if re.search(r"how (?:much|many|long|often|far|soon)|多少|多久|几|多长|标准|限额|when\b|什么时候|上限", folded):
        return 0.15 if re.search(r"\d|[一二两三四五六七八九十]+(?:天|日|个|年|月|小时|元)", sentence) else 0.0
    return 0.0


def _current(passages: Sequence[Passage]) -> list[Passage]:
    """Without passages of an older version of a document that is there in a newer one."""
    newest: dict[str, tuple[int, ...]] = {}
    for p in passages:
        document = p.title.partition(" > ")[0]
        newest[document] = max(newest.get(document, ()), _version(p))
    return [p for p in passages if _version(p) == newest[p.title.partition(" > ")[0]]]


def _version(passage: Passage) -> tuple[int, ...]:
    return tuple(int(n) for n in _VERSION.findall(passage.origin.rpartition(", ")[2].replace("untrusted", "")))


def _sentences(text: str) -> list[str]:
    found = []
    for line in text.splitlines():
        if line.lstrip().startswith("#") or set(line.strip()) <= set("-|=: "):
            continue
        for match in _SENTENCE.finditer(line):
            sentence = _BULLET.sub("", match[0]).strip()
            if len(sentence) > 3:
                found.append(sentence)
    return found


def _rarity(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    df: dict[str, int] = {}
    for row in rows:
        for feature in row:
            df[feature] = df.get(feature, 0) + 1
    return {f: math.log((len(rows) + 2) / (n + 0.5)) for f, n in df.items()}


def _differs(one: str, other: str) -> bool:
    a, b = set(lexicon.features(one)), set(lexicon.features(other))
    return language(one) == language(other) and len(a & b) < 0.7 * max(1, min(len(a), len(b)))
