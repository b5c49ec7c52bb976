"""Free text in a request: where an argument's words stand, learned from where they stand in the examples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from signoff.models.rehearsal import lexicon, speech
from signoff.models.rehearsal.cards import Card, Parameter, Sample

Span = tuple[int, int]

REASONS = frozenset("reason why cause purpose justification motive grounds".split())
QUERIES = frozenset("query q question keyword keywords search term terms topic".split())
CONTENTS = frozenset(
    "title subject summary headline description details detail content body message text note notes comment comments memo issue "
    "problem request task what item expression instruction feedback".split()
)
_PLACES = frozenset("city location place destination address where country region town area venue origin".split())
_PEOPLE = frozenset(
    "recipient person attendee employee assignee guest visitor name who contact customer user colleague".split()
)

_LEADS = {
    "place": (r"(?:address is|located at|deliver(?:ed)? to|sent? (?:it )?to|ship(?:ped)? to|to|in|at|for|near|of)\s+",
              r"(?:地址[是为:：]|改成|改为|改到|换成|换到|换为|更新为|变更为|寄到|寄往|送到|送至|搬到|到|去|往|在|是|为)"),
    "person": (r"(?:named|called|for|to|with|by|invite|notify|tell|remind)\s+", r"(?:通知|邀请|提醒|转给|派给|指派给|分配给|发给|给|和|跟|叫|为|帮)"),
    "content": (r"(?:titled|entitled|called|named|saying|that says|that reads|with the (?:title|text|message|subject)|about|regarding|subject:?|"
                r"title:?)\s+", r"(?:标题[是为:：]|主题[是为:：]|内容[是为:：]|名为|叫做?|关于|备注[:：]?|写着|说)"),
}  # fmt: skip
_WEAK = frozenset(
    "to in at for of on with from by about a an the is as into and my 到 为 成 给 在 叫 是 去 从 的 , : ,".split()
)
_TAIL = re.compile(
    r"(?:[\s,，。.!！?？;；、]|\b(?:please|pls|thanks|thank you|thx|asap|instead|right away|now|on|at|for|from|by|in|to|the|of|with|and|is|be|about|then)\b\.?$|"
    r"(?:谢谢|多谢|拜托|可以吗|好吗|行吗|吧|吗|呢|一下|的|了|在|从|到|于|和|并|是|那里|那边|怎么样|如何)$)+$",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"^(?:[\s,，。.!！?？;；:：、]|请问|麻烦|帮我|请帮我|请|我想知道|我想|我要|想|告诉我|查一下|查询|查查|查|看看|看一下|看下|一下|下|那|那么|关于|的|"
    r"\b(?:please|what about|how about|and|the|is|it|that)\s+)+",
    re.IGNORECASE,
)
_TELLING = r"\b(?:is|was|are|were|has|had|came|broke|does|did|never|no longer|isn't|wasn't|doesn't|didn't|won't|arrived|stopped|\w{3,}ed)\b"
_ASIDE = re.compile(r"^(?:[\s,，。.!！?？;；:：、]|\b(?:please|pls|and|so|that)\s+|请问|麻烦)+", re.IGNORECASE)
_CLOSE = re.compile(
    r"(?:[\s,，。.!！?？;；、]|\b(?:please|pls|thanks|thank you|thx)\b\.?$|(?:谢谢|多谢|拜托|可以吗|好吗|行吗|吧|呢)$)+$",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[“\"「『《]([^”\"」』》]{1,400})[”\"」』》]|(?<!\w)'([^']{2,200})'(?!\w)")
_BECAUSE = re.compile(
    r"(?:\bbecause(?: of)?|\bsince\b|\bas(?= (?:it|the|i|we|they|my)\b)|\bdue to|\bthe reason is(?: that)?|\breason:|\breason being|"
    r"原因(?:是|为)?[:：]?|理由(?:是|为)?[:：]?|因为|由于)\s*",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"^\W*(?:(?:hi|hello|hey|please|pls|thanks?(?: you)?(?: (?:so|very) much)?|thx|asap|no hurry|ok|okay|dear \w+|good (?:morning|afternoon|evening)|"
    r"谢谢|多谢|你好|您好|麻烦了?|拜托|请|好的|那|嗯|越快越好|尽快)\W*)*$",
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
        ("reason", REASONS),
        ("query", QUERIES),
        ("place", _PLACES),
        ("content", CONTENTS),
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
            piece = _until(text, match.end(), "", taken, long=long, verbatim=label == "content")
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


def reason(card: Card, text: str, taken: Sequence[Span]) -> Piece | None:
    """Why, in the person's own words: what follows "because", else what is told beside the order."""
    if match := _BECAUSE.search(text):
        if piece := _until(text, match.end(), "", (), long=True, verbatim=True):
            return piece
    verbs = card.verbs | card.extra_verbs
    told: list[Span] = []
    for part in speech.SUBCLAUSE.finditer(text):
        clause = part[0]
        if _COURTESY.match(clause) or speech.asks(clause) or "reason" in lexicon.concepts(clause):
            continue
        order = speech.command(clause, verbs)
        start, stop = order if order else (0, len(clause))
        inner = _beside(
            clause, [(a - part.start(), b - part.start()) for a, b in taken if part.start() <= a < part.end()], order
        )
        if inner and (not order or inner[0] >= stop or inner[1] <= start):
            told.append((part.start() + inner[0], part.start() + inner[1]))
    if not told:
        return None
    start, stop = told[0][0], told[-1][1] if _adjacent(text, told) else told[0][1]
    return _trimmed(text, start, stop, 1.0, verbatim=True)


def content(card: Card, text: str, taken: Sequence[Span]) -> Piece | None:
    """What a new thing is about: behind a colon, quoted, behind "about", or beside the order to make it."""
    if match := re.search(r"[:：]\s*(?!\d)(?=\S)", text):
        return _trimmed(text, match.end(), len(text), 1.0, verbatim=True)
    if piece := quoted(text):
        return piece
    verbs = card.verbs | card.extra_verbs
    order = speech.command(text, verbs)
    if order is None:
        return _trimmed(text, 0, len(text), 0.6, verbatim=True)
    folded = lexicon.fold(text)
    if match := re.compile(
        r"\b(?:about|regarding|saying|because|that|since|as|for|to say)\s+|关于|[,，]\s*(?:说|因为)|因为"
    ).search(folded, order[1]):
        if piece := _trimmed(text, match.end(), len(text), 0.9, verbatim=True):
            return _without_asides(text, piece, taken)
    beside = [p for p in speech.SUBCLAUSE.finditer(text) if not p.start() <= order[0] < p.end()]
    told = [p.span() for p in beside if not _COURTESY.match(p[0]) and not _covered(p, taken)]
    if told:
        start, stop = told[0][0], told[-1][1] if _adjacent(text, told) else told[0][1]
        return _trimmed(text, start, stop, 0.9, verbatim=True)
    ends = max([order[1], *(f.end for f in lexicon.find(text) if "#" + f.concept in card.objects)])
    after = _trimmed(text, ends, len(text), 0.7, verbatim=True)
    if after and len(after.value) > 2:
        return after
    before = _trimmed(text, 0, order[0], 0.7, verbatim=True)
    return before if before and len(before.value) > 2 else _trimmed(text, 0, len(text), 0.6, verbatim=True)


def query(text: str) -> Piece | None:
    """What to search for: a quotation, else the words behind the asking for it, else all words."""
    if piece := quoted(text):
        return piece
    looks = [f for f in lexicon.find(text) if lexicon.is_look(f.concept) and f.start < 16]
    start = looks[0].end if looks else 0
    if lead := re.match(
        r"\s*(?:me\b|for\b|up\b|about\b|on\b|一下|下|关于|有关|[:：])+\s*", text[start:], re.IGNORECASE
    ):
        start += lead.end()
    found = _trimmed(text, start, len(text), 0.5, verbatim=True)
    return found if found and lexicon.features(found.value) else _trimmed(text, 0, len(text), 0.5, verbatim=True)


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
    pieces = [p for a, b in runs if (p := _trimmed(text, a, b, 0.4)) and lexicon.features(p.value)]
    return max(pieces, key=lambda p: len(p.value), default=None)


_GAPS = frozenset(
    "what what's is the a an in at on of for to and or how will would be it i me my we you do does can could please tell show there any "
    "about like with are was this that's check get give need want know right now".split()
)


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
        if at > 0 and (piece := _trimmed(text, 0, at, 0.9)) and not _crosses(piece, taken):
            yield piece
        return
    for anchor, weight in anchors:
        for match in re.finditer(re.escape(anchor), folded):
            bounded = anchor[0] >= "\u3400" or _whole_word(folded, match.start(), match.end())
            if bounded and (piece := _until(text, match.end(), ends, taken, long=long, verbatim=verbatim)):
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


def _until(
    text: str, start: int, ends: str, taken: Sequence[Span], *, long: bool, verbatim: bool = False
) -> Piece | None:
    """From `start` to the words that end it, the next value found elsewhere, or the clause's end."""
    folded = lexicon.fold(text)
    stop = len(text)
    if ends and (at := folded.find(ends, start + 1)) > 0:
        stop = at
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
    return _trimmed(text, start, stop, 1.0, verbatim=verbatim)


def _runs_on(rest: str) -> bool:
    """Whether what follows a comma still belongs to a long value such as an address."""
    following = re.split(r"[,，;；。!！?？]", rest, maxsplit=1)[0]
    if courtesy := _CLOSE.search(following):
        following = following[: courtesy.start()]
    if not following.strip() or _COURTESY.match(following) or len(following) > 60:
        return False
    if any(lexicon.is_action(f.concept) or lexicon.is_look(f.concept) for f in lexicon.find(following)):
        return False
    return not re.search(
        r"\b(?:i|it|it's|we|please|thanks|because|since|so|my|that|is|was)\b|我|谢|麻烦|因为|原来|之前|请|帮|就行|即可|可以",
        following,
        re.I,
    )


def _trimmed(text: str, start: int, end: int, weight: float, *, verbatim: bool = False) -> Piece | None:
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


def _beside(clause: str, taken: Sequence[Span], order: Span | None) -> Span | None:
    """What a clause says beside its identifiers, and beside the order when it holds one."""
    start, end = 0, len(clause)
    if order:
        after = max([order[1], *(b for _, b in taken)])
        rest = clause[after:]
        told = re.match(
            rf"\s*(?:[,，–—-]+\s*)?(?=(?:(?:it|which|they|this|that|the|my)\b.*{_TELLING}|{_TELLING}|(?:wrong|too)\b)|[\u3400-\u9fff]{{3,}})",
            rest,
        )
        return (after + told.end(), end) if told and not re.match(r"\s*(?:的|吧|谢谢|这个|这单|订单)", rest) else None
    for a, b in sorted(taken):
        if not clause[start:a].strip(" #订单号order,，"):
            start = b
    words = clause[start:end].strip(" \t,，。.!！?？;；")
    return (start, end) if len(words) > 1 and re.search(r"[a-z]{2,}|[\u3400-\u9fff]{2,}", words.lower()) else None


def _adjacent(text: str, spans: Sequence[Span]) -> bool:
    return all(not text[a[1] : b[0]].strip(" ,，、。.") for a, b in zip(spans, spans[1:], strict=False))


def _covered(part: re.Match[str], taken: Sequence[Span]) -> bool:
    """A clause that holds a value found elsewhere and hardly anything more, such as "very urgent"."""
    inside = sum(min(b, part.end()) - max(a, part.start()) for a, b in taken if a < part.end() and part.start() < b)
    return inside > 0 and len(part[0].strip(" ,，。.!！")) - inside <= 10


def _whole_word(text: str, start: int, end: int) -> bool:
    return not re.search(r"[a-z0-9']$", text[:start]) and not (
        text[end - 1].isalnum() and re.match(r"[a-z0-9']", text[end:])
    )


def _crosses(piece: Piece, taken: Sequence[Span]) -> bool:
    return any(a < piece.end and piece.start < b for a, b in taken)


def _without_asides(text: str, piece: Piece, taken: Sequence[Span]) -> Piece:
    parts = list(speech.SUBCLAUSE.finditer(text, piece.start))
    while len(parts) > 1 and (_covered(parts[-1], taken) or _COURTESY.match(parts[-1][0])):
        parts.pop()
    return _trimmed(text, piece.start, parts[-1].end(), piece.weight, verbatim=True) or piece if parts else piece


def _words_outside(sample: Sample) -> set[str]:
    text = sample.text
    for value in sample.args.values():
        text = text.replace(str(value), " ")
    return set(lexicon.features(text))


def _long(value: str) -> bool:
    return bool(re.search(r"[,，]", value)) or len(value) > 24
