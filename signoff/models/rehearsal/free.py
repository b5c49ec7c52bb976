"""Free text for an argument: by its label, by where the examples have theirs, or by what is left of the request."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff.models.rehearsal import contents, labels, lexicon, names, texts
from signoff.models.rehearsal.cards import Card, Parameter
from signoff.text import language

_PREPOSITION = re.compile(
    r"\s(?:by|since|with|due|until|before|after|over|under|from|for|in|on|at|to|as|and|which|that)(?:\s|$)",
    re.IGNORECASE,
)
_UNIT = r"(?:yuan|rmb|cny|dollars?|usd|euros?|eur|元|块钱?|美元|欧元)"
_BOUND = re.compile(
    rf"\b(?:under|below|over|above|at most|at least|up to|less than|more than|cheaper than|no more than|"
    rf"max(?:imum)?|min(?:imum)?|for)"
    rf"\s*[$¥€]?\d[\d,.]*\s*{_UNIT}?|(?:不超过|低于|高于|不低于|至少|最多|小于|大于)\s*\d[\d,.]*\s*{_UNIT}?的?|"
    rf"\d[\d,.]*\s*{_UNIT}?\s*(?:以下|以内|以上|之内|左右)的?",
    re.IGNORECASE,
)
_TOPICS = frozenset("query about what topic keyword keywords q search filter".split())
_ABOUT = re.compile(
    r"\b(?:about|regarding|concerning|mention(?:s|ing|ed)?|(?:news|notes?|anything|something|word|"
    r"progress|updates?|info) on)"
    r"\s+(?!me\b|it\b|that\b|this\b|you\b)([^,.;!?]+?)(?=\s+(?:in|from|for|of|during|this|last|next) |[,.;!?]|$)|"
    r"(?:关于|有关|提到|涉及)(?!我|你|您|自己)([^,，。;；!！?？]+?)(?:的?(?:内容|部分|事情?|信息|记录|说法|规定|情况)|的|$|"
    r"[,，。;；!！?？])",
    re.IGNORECASE,
)

_WITHIN = re.compile(
    r"https?://[!-~]+\s*(?:这个)?(?:网页|页面|网址|链接)?(?:里面?|中|上面?|内)[^,，。;；]{0,4}?(?:找|查|搜)(?:索|找)?(?:一?下)?([^,，。;；!！?？]+)|"
    r"\b(?:look for|search for|find(?: out)?)\s+([^,.;!?]+?)\s+(?:in|on|at|from)\s+https?://",
    re.IGNORECASE,
)
"""What is looked for in a page."""


def words(
    card: Card, p: Parameter, text: str, taken: Sequence[texts.Span], missing: Sequence[Parameter]
) -> texts.Piece | None:
    """The words of a text that an argument takes, or None. `missing` are the required ones that have no value."""
    label = texts.kind(p)
    quotations = [q for q in texts.quotations(text) if not any(a < q.end and q.start < b for a, b in taken)]
    if label == "content" and len(quotations) == 1 and not _twins(card):
        return quotations[0]
    if labels.kind(p) and (piece := labels.find(p, text, taken)):
        return piece
    if labels.kind(p) and len({labels.kind(q) for q in card.required if labels.kind(q)}) > 1 and _sends(card):
        # Where a title and a text are wanted, words without a label could be either.
        return labels.find(p, text, taken, weakly=True)
    if not p.required and label == "content" and (everything := _all(card, p, text)):
        return everything
    if not p.required and p.words & _TOPICS and (about := _ABOUT.search(text)):
        piece = texts.trimmed(text, *about.span(1 if about[1] else 2), 1.2)
        inside = piece and any(a < piece.end and piece.start < b for a, b in taken)
        return piece if piece and not inside else None
    if not p.required and label == "query" and (within := _WITHIN.search(text)):
        start, end = within.span(within.lastindex or 0)
        return texts.trimmed(text, start, end, 1.2)
    if not p.required and label == "query" and (topic := names.topic(text, taken)):
        return topic
    if not p.required and label == "content" and (word := _as_in_examples(card, p, text)):
        return word
    if label == "reason":
        found = contents.reason(card, text, taken)
        return found or (texts.Piece(text.strip(), 0, 0, 0.5) if p.required else None)
    if label == "query" and not card.writes:
        sampled = next(texts.by_samples(card, p, text, taken), None)
        if sampled and sampled.weight > 1:
            return sampled
        return _without_bounds(card, contents.query(text), taken) if p.required else None
    label = "content" if label == "query" else label
    best = max(
        [*texts.by_samples(card, p, text, taken), *texts.by_leads(p, text, taken)], key=lambda c: c.weight, default=None
    )
    if best and best.weight >= 1 and label != "content":
        return _short(card, p, text, best)
    if label == "content":
        if best and best.weight > 1 and p.required and ":" not in text and "：" not in text:
            return best
        explicit = contents.content(card, text, taken)
        if explicit and card.writes and explicit.weight < 0.9 and _only_orders(card, explicit.value):
            return None
        return explicit if p.required else (best if best and best.weight > 1.1 and not card.required else None)
    if not p.required:
        return None
    single = sum(1 for q in missing if q.type == "string") == 1
    found = best or (contents.residue(card, text, taken) if single else None)
    return _short(card, p, text, found) if found else None


def _as_in_examples(card: Card, p: Parameter, text: str) -> texts.Piece | None:
    """A word that an example gives for the argument and that stands in the text too, such as everything, 所有."""
    folded = lexicon.fold(text)
    for value in {
        v for s in card.samples if isinstance(v := s.args.get(p.name), str) and len(v) <= 12 and " " not in v
    }:
        edge = r"\b" if value.isascii() else ""
        if value.isalpha() and (match := re.search(rf"{edge}{re.escape(lexicon.fold(value))}{edge}", folded)):
            return texts.Piece(text[match.start() : match.end()], *match.span(), 1.2)
    return None


_EVERYTHING = re.compile(
    r"\b(?:everything|all of (?:it|that|them)|all (?:you|that you))\b|全都?(?=[删忘清抹])|全部|一切|统统|"
    r"所有|都(?=[删忘清抹])",
    re.I,
)


def _all(card: Card, p: Parameter, text: str) -> texts.Piece | None:
    """All there is, in the word that an example in the text's language has for it."""
    match = _EVERYTHING.search(text)
    if not match:
        return None
    values = [v for s in card.samples if isinstance(v := s.args.get(p.name), str) and _EVERYTHING.fullmatch(v)]
    found = next((v for v in values if language(v) == language(text)), None)
    return texts.Piece(found, match.start(), match.end(), 1.2) if found else None


def _twins(card: Card) -> bool:
    """Whether a title and a text are wanted, either of which may be quoted."""
    return len([q for q in card.required if texts.kind(q) in ("content", "query") and q.type == "string"]) > 1


def _only_orders(card: Card, words: str) -> bool:
    """Whether words say nothing but what is to be done: "create a poll" is no question for a poll."""
    told = set(lexicon.features(words))
    return all(f in card.objects or (f.startswith("#") and lexicon.is_action(f[1:])) for f in told)


def _short(card: Card, p: Parameter, text: str, piece: texts.Piece) -> texts.Piece:
    """A name of one word, as all examples have it, ends where a preposition leads to something else."""
    values = [str(s.args[p.name]) for s in card.samples if p.name in s.args]
    if not values or any(" " in v for v in values):
        return piece
    plain = all(v.isascii() for v in values) and piece.value[:1].isascii()
    cut = (re.search(r"\s*[\u3400-\u9fff]", piece.value) if plain else None) or _PREPOSITION.search(piece.value)
    shorter = texts.trimmed(text, piece.start, piece.start + cut.start(), piece.weight) if cut else None
    return shorter or piece


def _without_bounds(card: Card, piece: texts.Piece | None, taken: Sequence[texts.Span]) -> texts.Piece | None:
    """What to look for, without the bounds that are arguments of their own: "under 200 yuan", 300 元以下的."""
    if piece is None or not any(q.type in ("integer", "number") for q in card.parameters):
        return piece
    if not any(piece.start <= a < piece.end for a, _ in taken):
        return piece
    rest = _BOUND.sub(" ", piece.value)
    own = [w for w in card.name_words if rest.lower().startswith(w)]
    rest = re.sub(r"^\s*[:：]\s*", "", rest[len(own[0]) :] if own else rest)
    rest = " ".join(rest.split()).strip(" ,，。的")
    return texts.Piece(rest, piece.start, piece.end, piece.weight) if lexicon.features(rest) else piece


_NOTHING = re.compile(
    r"(?:so far|until now|up to now|by now|right now|now|today|yet|already|at all|exactly|again|before|lately|"
    r"recently|anyway|目前|现在|到现在|至今|为止|到底|以前|之前)",
    re.IGNORECASE,
)
"""Words of when and how, which are no matter."""


def certain(card: Card, p: Parameter, piece: texts.Piece, text: str) -> bool:
    """Whether words are sure enough for an argument that need not be given: more than the tool's own words,
    and less than all that was said."""
    if piece.weight < 1 or len(piece.value) > 0.85 * len(text.strip()):
        return False
    if _NOTHING.fullmatch(piece.value):
        return False
    if texts.kind(p) == "reason" or labels.kind(p):
        return True
    told = set(lexicon.features(piece.value))
    return bool({f for f in told if not f.startswith("#")} or told - card.objects - _own(card))


def _own(card: Card) -> set[str]:
    return set(lexicon.features(" ".join(card.name_words)))


def _sends(card: Card) -> bool:
    """Whether the two go to somebody: a letter's subject and text are never the same words."""
    return any(p.words & {"to", "recipient", "recipients", "email", "receiver"} for p in card.parameters)
