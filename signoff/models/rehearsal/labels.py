"""Texts behind their own label: "subject Lunch", 主题是…, "saying that …", 正文:…."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff.models.rehearsal.addressees import ANSWERS_TO
from signoff.models.rehearsal.cards import Parameter
from signoff.models.rehearsal.texts import Piece, Span, trimmed, until

_TITLE = (
    r"\b(?:with (?:the |a )?)?(?:subject(?: line)?|title|headline)(?![a-z])\s*(?:is\b|of|as|should be|being|=|:|"
    r"是|为|叫|写)?\s*",
    r"\b(?:titled|entitled)\s+",
    r"(?:主题|标题|题目|抬头)\s*(?:是|为|叫|写成?|用|:)?\s*",
)
_BODY = (
    r"\b(?:(?:with (?:the |a )?)?(?:body|text|content|message)\s*(?:(?:is|of|as|should (?:be|say)|being|"
    r"reads?|saying|=|:|是|为|写)\s*|(?=[\"'“])))",
    r"(?:[,;]|\band|\bwith)\s*(?:the |a )?(?:body|text|message|content)\s+",
    r"\b(?:saying|says?|that says|which says|that reads|to say|stating|tell(?:ing)? (?:him|her|them|everyone)|"
    r"to (?:tell|inform|let) (?:him|her|them)(?: know)?|letting (?:him|her|them) know|informing (?:him|her|them)|"
    r"let (?:him|her|them) know)(?: (?:that|of))?\s*:?\s*",
    r"(?:正文|内容|邮件内容|消息内容|信息内容)\s*(?:是|为|写|:)?\s*",
    r"(?:告诉|通知|告知|跟|和|对)(?:他们?|她们?|对方|大家)(?:说)?\s*(?:一下|一声)?[,:]?\s*|(?:写上?|写着|"
    r"说|写道)\s*:?\s*",
)
_ANSWERS_TO = rf"[,;.。，]\s*(?:and\s+|请|另外)*(?:the |any |all )?{ANSWERS_TO}"
_BODY_WEAK = (r"\b(?:that|about)\s+", r"关于\s*")
_KINDS = {
    "title": (frozenset({"subject", "title", "headline", "heading"}), _TITLE),
    "body": (frozenset({"body", "content", "message", "text", "note"}), _BODY),
}
_QUOTES = re.compile(r"\s*[“\"「『](?P<a>[^”\"」』]+)[”\"」』]|\s*'(?P<b>[^']+)'(?!\w)")


def kind(parameter: Parameter) -> str:
    """`title` or `body` for a parameter that takes one, else empty."""
    if parameter.type != "string" or parameter.schema.get("enum") or parameter.pattern:
        return ""
    return next((k for k, (names, _) in _KINDS.items() if parameter.words & names), "")


def find(parameter: Parameter, text: str, taken: Sequence[Span], *, weakly: bool = False) -> Piece | None:
    """The text behind the parameter's label, up to the next label or the end; in quotes, what they hold."""
    label = kind(parameter)
    folded = _folded(text)
    own = _KINDS[label][1] + (_BODY_WEAK if weakly and label == "body" else ())
    others = [p for k, (_, patterns) in _KINDS.items() if k != label for p in patterns]
    for pattern in own:
        for match in re.finditer(pattern, folded):
            if any(a <= match.start() < b for a, b in taken):
                continue
            if quote := _QUOTES.match(text, match.end()):
                group = "a" if quote["a"] else "b"
                return Piece(quote[group].strip(), *quote.span(group), 1.5)
            end = _until(folded, match.end(), others, short=label == "title")
            piece = _title(text, match.end(), end, taken) if label == "title" else _body(text, match.end(), end)
            if piece and not re.fullmatch(r"(?:is|are|was|the|a|an|of|to|email|mail|message)", piece.value.lower()):
                return piece
    return None


def _title(text: str, start: int, end: int, taken: Sequence[Span]) -> Piece | None:
    """Up to what belongs to another argument: a day, an address."""
    inside = [a for a, _ in taken if start < a < end]
    found = until(text[:end], start, "", [(min(inside), end)] if inside else [], long=not inside, verbatim=True)
    if found and inside:
        # What led to the other argument is left over: "Roadmap on".
        found = trimmed(text, found.start, found.end, 1.4)
    return Piece(found.value, found.start, found.end, 1.4) if found else None


def _body(text: str, start: int, end: int) -> Piece | None:
    words = text[start:end].strip(" \t\n,，;；:：")
    return Piece(words, start, end, 1.4) if words else None


def _until(folded: str, start: int, others: Sequence[str], *, short: bool) -> int:
    ends = [len(folded), *(m.start() for m in re.finditer(_ANSWERS_TO, folded) if m.start() > start)]
    joined = r"[\s,;.。]*(?:\b(?:and|with|the|a)\s+)*"
    for pattern in others:
        ends += [m.start() for m in re.finditer(joined + f"(?:{pattern})", folded) if m.start() > start]
    if short:
        ends += [
            m.start()
            for m in re.finditer(
                r"[;\n]|\.(?=\s|$)|。|,(?=\s*(?:and\s+)?(?:the |tell|say|ask|let|that|正文|内容|告诉|通知|"
                r"说|to\s))|,\s*[\u3400-\u9fff]",
                folded,
            )
            if m.start() > start
        ]
    return min(ends)


def _folded(text: str) -> str:
    return text.lower().translate(str.maketrans("，：；", ",:;")) if len(text.lower()) == len(text) else text
