"""Free text in a request: where an argument's words stand, learned from where they stand in the examples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from signoff.models.rehearsal import lexicon
from signoff.models.rehearsal.cards import Card, Parameter, Sample

Span = tuple[int, int]

_REASONS = frozenset("reason why cause purpose justification motive grounds".split())
_QUERIES = frozenset("query q question keyword keywords search term terms topic".split())
_CONTENTS = frozenset(
    "title subject summary headline description details detail content body message text note notes "
    "comment comments memo issue "
    "problem request task what item expression instruction feedback".split()
)
_PLACES = frozenset("city location place destination address where country region town area venue origin".split())
_PEOPLE = frozenset(
    "author owner sender reviewer manager approver teacher host organizer member recipient person "
    "attendee employee assignee guest visitor name who contact customer user colleague".split()
)

_LEADS = {
    "place": (
        r"(?:address[^:,]{0,24}:|address is|located at|deliver(?:ed)? to|sent? (?:it )?to|"
        r"ship(?:ped)? to|to|in|at|for|near|of)\s+",
        r"(?:地址[是为:：]|改成|改为|改到|换成|换到|换为|更新为|变更为|寄到|寄往|送到|送至|搬到|到|去|往|在|是|为)",
    ),
    "person": (
        r"(?:named|called|for|to|with|by|invite|notify|tell|remind)\s+",
        r"(?:通知|邀请|提醒|转给|派给|指派给|分配给|发给|给|和|跟|叫|为|帮)",
    ),
    "content": (
        r"(?:titled|entitled|called|named|saying|that says|that reads|with the (?:title|text|message|subject)|about|"
        r"regarding|subject:?|title:?)\s+",
        r"(?:标题[是为:：]|主题[是为:：]|内容[是为:：]|名为|叫做?|关于|备注[:：]?|写着|说)",
    ),
}
"""What leads to such an argument, in English and in Chinese."""

_WEAK = frozenset(
    "to in at for of on with from by about a an the is as into and my 把 将 到 为 成 给 在 叫 是 去 从 的 , : ,".split()
)
_TAIL = re.compile(
    r"(?:[\s,，。.!！?？;；、]|\b(?:please|pls|thanks|thank you|thx|asap|instead|right away|now|on|at|for|"
    r"from|by|in|to|the|of|with|and|is|be|about|then)\b\.?$|"
    r"(?:谢谢|多谢|拜托|可以吗|好吗|行吗|吧|吗|呢|一下|的|了|在|从|到|于|和|并|是|那里|那边|怎么样|如何)$)+$",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"^(?:[\s,，。.!！?？;；:：、]|请问|麻烦|帮我|请帮我|请|我想知道|我想|我要|想|告诉我|查一下|查询|查查|"
    r"查|看看|看一下|看下|一下|下|那|那么|关于|的|"
    r"\b(?:please|what about|how about|and|the|is|it|that)\s+)+",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"^(?:[\s,，。.!！?？;；:：、]|\b(?:please|pls|and|so|that)\s+|请问|麻烦)+", re.IGNORECASE)
_CLOSE = re.compile(
    r"(?:[\s,，。.!！?？;；、]|\b(?:please|pls|thanks|thank you|thx)\b\.?$|(?:谢谢|多谢|拜托|可以吗|好吗|"
    r"行吗|吧|呢)$)+$",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[“\"「『《]([^”\"」』》]{1,400})[”\"」』》]|(?<!\w)'([^']{2,200})'(?!\w)")
COURTESY = re.compile(
    r"^\W*(?:(?:hi|hello|hey|please|pls|thanks?(?: you)?(?: (?:so|very) much)?|thx|asap|no hurry|ok|okay|yes|yeah|sure|"
    r"dear \w+|good (?:morning|afternoon|evening)|"
    r"谢谢[你您啦了哈]*|多谢[啦了]?|你好|您好|麻烦了?|拜托|请|好的|是的?|对|那|嗯|越快越好|尽快)\W*)*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Piece:
    """A stretch of the person's words."""

    value: str
    start: int
    end: int
    weight: float
    """How surely these are the words; below 1 only for an argument that must be given."""


def kind(parameter: Parameter) -> str:
    """`reason`, `query`, `content`, `place`, `person` or `other`, from the parameter's name."""
    words = parameter.words
    for label, names in (
        ("reason", _REASONS),
        ("query", _QUERIES),
        ("place", _PLACES),
        ("content", _CONTENTS),
        ("person", _PEOPLE),
    ):
        if words & names:
            return label
    return "other"


def by_samples(card: Card, parameter: Parameter, text: str, taken: Sequence[Span]) -> Iterator[Piece]:
    """Words that stand where the examples have theirs, surest first."""
    pieces: list[Piece] = []
    for sample in card.samples:
        value = sample.args.get(parameter.name)
        if isinstance(value, str) and (at := lexicon.fold(sample.text).find(lexicon.fold(value))) >= 0:
            left, right = _surroundings(sample, parameter.name, at, at + len(value))
            words = kind(parameter) in ("content", "reason")
            pieces.extend(_anchored(text, left, right, taken, long=_long(value), verbatim=words))
    yield from sorted(pieces, key=lambda p: -p.weight)


def by_leads(parameter: Parameter, text: str, taken: Sequence[Span]) -> Iterator[Piece]:
    """Words behind what usually leads to such an argument."""
    label = kind(parameter)
    if label not in _LEADS:
        return
    folded = lexicon.fold(text)
    for n, lead in enumerate(_LEADS[label]):
        for match in re.finditer(lead if n else r"\b" + lead, folded):
            long = label == "place" and "address" in parameter.words
            piece = until(text, match.end(), "", taken, long=long, verbatim=label == "content")
            if piece:
                strong = len(match[0].split()[0]) > 3 if n == 0 else len(match[0]) > 1
                yield Piece(piece.value, piece.start, piece.end, 1.05 if strong else 0.5)


def quoted(text: str) -> Piece | None:
    """The first quotation."""
    match = _QUOTED.search(text)
    if not match:
        return None
    group = 1 if match[1] else 2
    return Piece(match[group].strip(), *match.span(group), 1.0)


def quotations(text: str) -> list[Piece]:
    """All quotations, in order."""
    return [Piece(m[g].strip(), *m.span(g), 1.2) for m in _QUOTED.finditer(text) for g in (1 if m[1] else 2,)]


def _surroundings(sample: Sample, name: str, start: int, end: int) -> tuple[str, str]:
    """What is left and right of the value in an example, up to the next other value."""
    left, right = lexicon.fold(sample.text[:start]), lexicon.fold(sample.text[end:])
    for other, value in sample.args.items():
        if other != name and isinstance(value, str | int) and str(value):
            folded = lexicon.fold(str(value))
            if folded in left:
                left = left[left.rindex(folded) + len(folded) :]
            if folded in right:
                right = right[: right.index(folded)]
    return left, right


def _anchored(
    text: str, left: str, right: str, taken: Sequence[Span], *, long: bool, verbatim: bool
) -> Iterator[Piece]:
    folded = lexicon.fold(text)
    stop = re.match(r"\s*([a-z]+(?:\s+[a-z]+)?|[\u3400-\u9fff]{1,3})", right)
    ends = stop[1] if stop else ""
    anchors = list(_suffixes(left.rstrip()))
    if not left.strip() and ends:
        # The value opens the example: what stands before the words that follow it.
        at = folded.find(ends[:2] if ends[0] >= "\u3400" else ends)
        if at > 0 and (piece := trimmed(text, 0, at, 0.9)) and not _crosses(piece, taken):
            yield piece
        return
    for anchor, weight in anchors:
        for match in re.finditer(re.escape(anchor), folded):
            bounded = anchor[0] >= "\u3400" or _whole_word(folded, match.start(), match.end())
            if bounded and (piece := until(text, match.end(), ends, taken, long=long, verbatim=verbatim)):
                yield Piece(piece.value, piece.start, piece.end, weight)


def _suffixes(left: str) -> Iterator[tuple[str, float]]:
    """Ends of the words before a value, longest first, with how much they prove."""
    if left and left[-1] >= "\u3400":
        run = re.search(r"[\u3400-\u9fff]+$", left)
        chars = run[0] if run else ""
        for n in range(min(5, len(chars)), 0, -1):
            if n > 1 or chars[-1] in _WEAK:
                yield chars[-n:], 1.0 + n / 10 if n > 1 else 0.5
        return
    words = re.findall(r"[a-z0-9']+|[:：]", left)
    for n in range(min(3, len(words)), 0, -1):
        tail = words[-n:]
        if n > 1 or tail[0] not in _WEAK or tail[0] in ("to", "in", "for", "about", "at", "with", "of", ":"):
            weight = 1.0 + n / 10 if any(w not in _WEAK for w in tail) else 0.5
            yield " ".join(tail) if ":" not in tail else tail[-1], weight


def until(
    text: str, start: int, ends: str, taken: Sequence[Span], *, long: bool, verbatim: bool = False
) -> Piece | None:
    """From `start` to the words that end it, the next value found elsewhere, or the clause's end."""
    folded = lexicon.fold(text)
    stop = len(text)
    if ends and (found := re.compile(_bounded(ends)).search(folded, start + 1)):
        stop = found.start()
    stop = min([stop, *(a for a, _ in taken if a >= start and not long)])
    if any(a <= start < b for a, b in taken):
        return None
    for mark in re.finditer(
        r"[,，;；。!！?？\n]|\.(?=\s|$)|\s(?:and|but|because|since)\s|并且|然后|因为", folded[start:stop]
    ):
        runs_on = long and mark[0] in ",，" and _runs_on(text[start + mark.end() : stop])
        if mark[0].strip() == "and" and not long:
            continue
        if not runs_on:
            stop = start + mark.start()
            break
    return trimmed(text, start, stop, 1.0, verbatim=verbatim)


def _runs_on(rest: str) -> bool:
    """Whether what follows a comma still belongs to a long value such as an address."""
    following = re.split(r"[,，;；。!！?？]", rest, maxsplit=1)[0]
    if courtesy := _CLOSE.search(following):
        following = following[: courtesy.start()]
    if not following.strip() or COURTESY.match(following) or len(following) > 60:
        return False
    if any(lexicon.is_action(f.concept) or lexicon.is_look(f.concept) for f in lexicon.find(following)):
        return False
    return not re.search(
        r"\b(?:i|it|it's|we|please|thanks|because|since|so|my|that|is|was)\b|我|谢|麻烦|因为|原来|之前|请|"
        r"帮|就行|即可|可以",
        following,
        re.I,
    )


def trimmed(text: str, start: int, end: int, weight: float, *, verbatim: bool = False) -> Piece | None:
    """Without what leads to a value and what follows it; `verbatim` keeps all but courtesy and punctuation."""
    raw = text[start:end]
    head = (_ASIDE if verbatim else _HEAD).match(raw)
    lead = head.end() if head and head.end() < len(raw) else 0
    body = raw[lead:]
    if tail := (_CLOSE if verbatim else _TAIL).search(body):
        body = body[: tail.start()]
    start += lead + len(body) - len(body.lstrip(" \t“\"「『《'("))
    body = body.strip(" \t“”\"「」『』《》'")
    return Piece(body, start, start + len(body), weight) if body else None


def _bounded(words: str) -> str:
    return re.escape(words) if words[0] >= "\u3400" else rf"\b{re.escape(words)}\b"


def _whole_word(text: str, start: int, end: int) -> bool:
    return not re.search(r"[a-z0-9']$", text[:start]) and not (
        text[end - 1].isalnum() and re.match(r"[a-z0-9']", text[end:])
    )


def _crosses(piece: Piece, taken: Sequence[Span]) -> bool:
    return any(a < piece.end and piece.start < b for a, b in taken)


def _long(value: str) -> bool:
    return bool(re.search(r"[,，]", value)) or len(value) > 24
