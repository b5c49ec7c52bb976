"""What a person gives as a reason, as the matter of something new, or as what to search for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from signoff.models.rehearsal import lexicon, memory, speech
from signoff.models.rehearsal.cards import Card, Sample
from signoff.models.rehearsal.texts import COURTESY, Piece, Span, quoted, trimmed, until

_BECAUSE = re.compile(
    r"(?:\bbecause(?: of)?|\bsince\b|\bas(?= (?:it|the|i|we|they|my)\b)|\bdue to|"
    r"\bthe reason is(?: that)?|\breason:|\breason being|"
    r"原因(?:是|为)?[:：]?|理由(?:是|为)?[:：]?|因为|由于)\s*",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\b(?:about|regarding|saying|because|that|since|as|for|to say)\s+|关于|[,，]\s*(?:说|因为)|因为")
_TELLING = (
    r"\b(?:is|was|are|were|has|had|came|broke|does|did|never|no longer|isn't|wasn't|doesn't|didn't|won't|"
    r"arrived|stopped|\w{3,}ed)\b"
)

_SO = re.compile(
    r"\W*([^.!?;。！？；]{6,}?)(?:,?\s+(?:and )?(?:so|therefore|hence|thus)\s+(?!that\b|far\b|much\b|many\b)|"
    r"[,，]?\s*(?:所以|因此)\s*)",
    re.IGNORECASE,
)
"""A cause before what follows from it."""
_MATTER = re.compile(r"\b(?:about|regarding|concerning|because of)\s+([^.!?;。！？；]{3,})", re.IGNORECASE)
_GAPS = frozenset(
    "what what's is the a an in at on of for to and or how will would be it i me my we you do does can "
    "could please tell show there any "
    "about like with are was this that's check get give need want know right now".split()
)


def reason(card: Card, text: str, taken: Sequence[Span]) -> Piece | None:
    """Why, in the person's own words: what follows "because", else what is told beside the order."""
    because = _BECAUSE.search(text)
    if because and (piece := until(text, because.end(), "", (), long=True, verbatim=True)):
        return piece
    verbs = card.verbs | card.extra_verbs
    cause = _SO.match(text)
    if cause and speech.command(text[cause.end() :], verbs) and not speech.asks(cause[1]):
        return trimmed(text, *cause.span(1), 1.0, verbatim=True)
    told: list[Span] = []
    for part in speech.SUBCLAUSE.finditer(text):
        clause = part[0]
        spoken = lexicon.concepts(clause)
        looks = any(lexicon.is_look(c) for c in spoken) and not speech.command(clause, verbs)
        told_of = re.match(r"\W*(?:found|saw|noticed|发现|看到)(?![a-z])", clause, re.IGNORECASE)
        if (
            (looks and not told_of)
            or "reason" in spoken
            or speech.asks(clause)
            or speech.conditional(clause)
            or COURTESY.match(clause)
        ):
            continue
        order = speech.command(clause, verbs)
        start, stop = order if order else (0, len(clause))
        inner = _beside(
            clause, [(a - part.start(), b - part.start()) for a, b in taken if part.start() <= a < part.end()], order
        )
        named = set(lexicon.features(memory.without_picks(clause[slice(*inner)]))) if inner else set()
        if inner and named - card.objects and (not order or inner[0] >= stop or inner[1] <= start):
            told.append((part.start() + inner[0], part.start() + inner[1]))
    if not told:
        order = speech.command(text, verbs)
        matter = _MATTER.search(text, order[1]) if order else None
        return trimmed(text, *matter.span(1), 1.0, verbatim=True) if matter else None
    bare = text
    for a, b in taken:
        bare = bare[:a] + " " * (b - a) + bare[b:]
    start, stop = told[0][0], told[-1][1] if _adjacent(bare, told) else told[0][1]
    return trimmed(text, start, stop, 1.0, verbatim=True)


def content(card: Card, text: str, taken: Sequence[Span]) -> Piece | None:
    """What a new thing is about: behind a colon, quoted, behind "about", or beside the order to make it."""
    if match := re.search(r"[:：]\s*(?!\d)(?=\S)", text):
        return trimmed(text, match.end(), len(text), 1.0, verbatim=True)
    if piece := quoted(text):
        return piece
    verbs = card.verbs | card.extra_verbs
    order = speech.command(text, verbs)
    if order is None:
        return trimmed(text, 0, len(text), 0.6, verbatim=True)
    folded = lexicon.fold(text)
    about = _ABOUT.search(folded, order[1])
    if about and (piece := trimmed(text, about.end(), len(text), 0.9, verbatim=True)):
        return _without_asides(text, piece, taken)
    beside = [p for p in speech.SUBCLAUSE.finditer(text) if not p.start() <= order[0] < p.end()]
    told = [p.span() for p in beside if not COURTESY.match(p[0]) and not _covered(p, taken)]
    if told:
        start, stop = told[0][0], told[-1][1] if _adjacent(text, told) else told[0][1]
        return trimmed(text, start, stop, 0.9, verbatim=True)
    ends = max([order[1], *(f.end for f in lexicon.find(text) if "#" + f.concept in card.objects)])
    after = trimmed(text, ends, len(text), 0.7, verbatim=True)
    if after and len(after.value) > 2:
        return after
    before = trimmed(text, 0, order[0], 0.7, verbatim=True)
    return before if before and len(before.value) > 2 else trimmed(text, 0, len(text), 0.6, verbatim=True)


_OFFERED = re.compile(
    r"^\W*(?:(?:do|does|did) (?:you|we|they|the \w+) (?:have|carry|sell|stock|offer)|(?:is|are) there|have you got|got)"
    r"(?: (?:any|a|an|some))?\s+|^(?:请问)?(?:你们)?(?:有没有|有)(?=\S{2})",
    re.IGNORECASE,
)


def query(text: str) -> Piece | None:
    """What to search for: a quotation, else the words behind the asking for it, else all words."""
    if piece := quoted(text):
        return piece
    looks = [f for f in lexicon.find(text) if lexicon.is_look(f.concept) and f.start < 16]
    offered = _OFFERED.match(text)
    start = offered.end() if offered else looks[0].end if looks else 0
    if lead := re.match(
        r"\s*(?:me\b|for\b|up\b|about\b|on\b|一下|下|关于|有关|[:：])+\s*", text[start:], re.IGNORECASE
    ):
        start += lead.end()
    found = trimmed(text, start, len(text), 0.5, verbatim=True)
    return found if found and lexicon.features(found.value) else trimmed(text, 0, len(text), 0.5, verbatim=True)


def residue(card: Card, text: str, taken: Sequence[Span]) -> Piece | None:
    """The longest stretch that is none of the tool's own words, for the one argument that must be in there."""
    folded = lexicon.fold(text)
    covered = [False] * len(folded)
    own = " ".join([card.name.replace("_", " "), card.description])
    known = set(lexicon.features(own)) | {f for s in card.samples for f in _words_outside(s)}
    for start, end in (*taken, *((f.start, f.end) for f in lexicon.find(text))):
        covered[start:end] = [True] * (end - start)
    for word in re.finditer(r"[a-z']+|[\u3400-\u9fff]+?(?=的|$|[^\u3400-\u9fff])|\S", folded):
        plain = lexicon.features(word[0])
        if (
            word[0] in _GAPS
            or word[0] in "的,，。.!！?？;；:："
            or (plain and set(plain) <= known)
            or (not plain and word[0].isascii())
        ):
            covered[word.start() : word.end()] = [True] * len(word[0])
    runs = [
        m.span()
        for m in re.finditer(r"\S(?:[^\n]*\S)?", "".join("\n" if c else t for c, t in zip(covered, text, strict=True)))
    ]
    pieces = [p for a, b in runs if (p := trimmed(text, a, b, 0.4)) and _names_something(p.value)]
    return max(pieces, key=lambda p: len(p.value), default=None)


def _names_something(words: str) -> bool:
    return bool(lexicon.features(words)) and not re.fullmatch(r"[会是有能可要][不没][会是有能可要]以?", words)


def _beside(clause: str, taken: Sequence[Span], order: Span | None) -> Span | None:
    """What a clause says beside its identifiers, and beside the order when it holds one."""
    start, end = 0, len(clause)
    if order:
        after = max([order[1], *(b for _, b in taken)])
        rest = clause[after:]
        told = re.match(
            rf"\s*(?:[,，–—-]+\s*)?(?=(?:(?:it|which|they|this|that|the|my)\b.*{_TELLING}|{_TELLING}|"
            rf"(?:wrong|too)\b)|[\u3400-\u9fff]{{3,}})",
            rest,
        )
        return (after + told.end(), end) if told and not re.match(r"\s*(?:的|吧|谢谢|这个|这单|订单)", rest) else None
    for a, b in sorted(taken):
        if not re.sub(r"订单号?|\border\b|[\s#,，]", "", clause[start:a]):
            start = b
    words = clause[start:end].strip(" \t,，。.!！?？;；")
    return (start, end) if len(words) > 1 and re.search(r"[a-z]{2,}|[\u3400-\u9fff]{2,}", words.lower()) else None


def _adjacent(text: str, spans: Sequence[Span]) -> bool:
    return all(not text[a[1] : b[0]].strip(" ,，、。.") for a, b in pairwise(spans))


def _covered(part: re.Match[str], taken: Sequence[Span]) -> bool:
    """A clause that holds a value found elsewhere and hardly anything more, such as "very urgent"."""
    inside = sum(min(b, part.end()) - max(a, part.start()) for a, b in taken if a < part.end() and part.start() < b)
    return inside > 0 and len(part[0].strip(" ,，。.!！")) - inside <= 10


def _without_asides(text: str, piece: Piece, taken: Sequence[Span]) -> Piece:
    parts = list(speech.SUBCLAUSE.finditer(text, piece.start))
    while len(parts) > 1 and (_covered(parts[-1], taken) or COURTESY.match(parts[-1][0])):
        parts.pop()
    return trimmed(text, piece.start, parts[-1].end(), piece.weight, verbatim=True) or piece if parts else piece


def _words_outside(sample: Sample) -> set[str]:
    text = sample.text
    for value in sample.args.values():
        text = text.replace(str(value), " ")
    return set(lexicon.features(text))
