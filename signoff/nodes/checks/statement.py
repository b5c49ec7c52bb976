"""Statements that something was done, as people and models make them in Chinese and English."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from signoff.knowledge import cite
from signoff.knowledge.reading import values
from signoff.knowledge.values import Day, Value
from signoff.nodes.checks import deeds
from signoff.text import normalise

MAX_CLAUSE = 300
"""Characters of a clause; a longer one is read in pieces."""

_CLAUSE = re.compile(
    r"[,，;；。!?！？\n]+(?!\d)|\s[-–—]+\s|——|\b(?:but|however|while|so|because|since)\b"
    r"|\band\b(?=\s+(?:i|we|the|your|it|that|this|order)\b)|但是?|不过|然而|因此|所以|因为|由于"
)
_IF_EN = re.compile(
    r"\b(?:if|once|when(?:ever)?|until|unless|whether|as soon as|in case|before|after|wait(?:ing|s)? for|assuming)\b"
)
_DOUBT_EN = re.compile(
    r"\b(?:not|never|no|none|nothing|neither|nor|nobody|without|unable|fail(?:s|ed)?|cannot|will|would|shall|should|could"
    r"|can|may|might|must|to be|being|going to|about to|any|each|every|needs?)\b|n['’]t\b"
)
_DOUBT_ZH = re.compile(
    r"如果|如需|如已|若|一旦|假如|要是|除非|是否|能否|可否|待|等到|需要?|必须|须|将(?=[于在会由])|即将|(?<![机社协])会(?!员|议)"
    r"|可以|可能|(?<![功性职智])能|应当|应该|想要?|正在|准备"
    r"|未|没|无法|不[能会可予得再是要用曾支]|尚|拒绝|失败|并非|之前|方可"
)
_AFTER_ZH = re.compile(
    r"\s*(?:之?后|以后|之?前|以前|时|的话|的(?!$|[。!！~了,，])|失败|不了|不成功|吗|么|与否|中(?!心))"
)
_QUESTION = re.compile(r"[?？][\"'”’)）*_\s]*$|[吗么][。.!！\s]*$")
# A text that the answer itself holds is not a change of anything.
_IN_ANSWER = re.compile(
    r"\b(?:summary|list|table|overview|answer|reply|below|above|following|steps)\b|如下|以下|上面|下面"
)


@dataclass(frozen=True)
class Claim:
    """A statement that something was done."""

    deed: str
    own: bool
    """Said of the desk itself: "I have cancelled", "已为您取消"."""
    ids: frozenset[str]
    """Identifiers of what it was done to; empty when the clause names none."""
    days: frozenset[Day]
    """Dates that the clause gives."""


def claims(sentence: str) -> list[Claim]:
    """The completion claims of one sentence; none in questions, negations, conditions, plans and the future."""
    text = normalise(cite.without_markers(sentence)).strip()
    if _QUESTION.search(text):
        return []
    found: dict[Claim, None] = {}
    for clause in _clauses(text):
        for pattern, read in _readers():
            for match in pattern.finditer(clause):
                if claim := read(clause, match):
                    found[claim] = None
    return list(found)


def _clauses(text: str) -> Iterator[str]:
    """The clauses of a sentence; what has no punctuation is cut, so that no text takes long."""
    for clause in _CLAUSE.split(text):
        for start in range(0, len(clause), MAX_CLAUSE):
            if (piece := clause[start : start + MAX_CLAUSE]).strip():
                yield piece


@lru_cache(maxsize=64)
def _values(clause: str) -> tuple[Value, ...]:
    return tuple(values(clause))


def states(words: str) -> frozenset[str]:
    """The deeds whose done form stands in a field's name or value, such as "cancelled at" or 已取消."""
    if _IF_EN.search(words) or _DOUBT_EN.search(words) or _DOUBT_ZH.search(words):
        return frozenset()
    past = [re.sub(r"\s+", " ", m[0]) for m in re.finditer(rf"\b(?:{deeds.participles()})\b", words)]
    done = [m[0] for m in re.finditer(deeds.verbs(), words) if not _AFTER_ZH.match(words[m.end() :])]
    return frozenset(d.name for d in (*map(deeds.deed_of_participle, past), *map(deeds.deed_of_verb, done)))


def _ids_near(clause: str, start: int, end: int) -> frozenset[str]:
    """Identifiers named last before the verb, joined ones together; else those behind it."""
    found = [v for v in _values(clause) if v.kind == "id"]
    before = [v for v in found if v.start < start]
    if not before:
        return frozenset(v.name for v in found if v.start >= end)
    kept = [before.pop()]
    while before and re.fullmatch(
        r"\s*(?:and|or|&|\+|/|,|、|和|与|及|以及|还有)?\s*(?:orders?|订单)?\s*",
        clause[before[-1].start + len(before[-1].text) : kept[-1].start],
    ):
        kept.append(before.pop())
    return frozenset(v.name for v in kept)


def _english(clause: str, match: re.Match[str]) -> Claim | None:
    g = match.groupdict()
    before, own = clause[: match.start()], bool(g.get("self"))
    if _IF_EN.search(before) or _DOUBT_EN.search(match[0]) or (not own and _DOUBT_EN.search(before[-48:])):
        return None
    if re.search(r"\b(?:will|would|may|might|could|should|must|can)\s+$", before):
        return None
    kind = deeds.deed_of_participle(re.sub(r"\s+", " ", match["verb"]))
    own = own or bool(re.search(r"\bby (?:me|us)\b", clause[match.end() :]))
    if not own and not kind.reported:
        return None
    if kind.name == "create" and _IN_ANSWER.search(clause):
        return None
    return _claim(kind.name, own, clause, match)


def _noun(clause: str, match: re.Match[str]) -> Claim | None:
    before = clause[: match.start()]
    if _IF_EN.search(before) or _DOUBT_EN.search(before[-48:]) or _DOUBT_EN.search(match[0]):
        return None
    return _claim("finish", False, clause, match)


def _exclaimed(clause: str, match: re.Match[str]) -> Claim | None:
    return Claim("finish", True, frozenset(), frozenset())


def _chinese(clause: str, match: re.Match[str]) -> Claim | None:
    before, behind = clause[: match.start()], clause[match.end() :]
    if (
        _DOUBT_ZH.search(before[-14:])
        or _AFTER_ZH.match(behind)
        or re.match(r"\s*(?:如果|若|一旦|当|请(?!假))", clause)
    ):
        return None
    kind = deeds.deed_of_verb(match["verb"])
    own = bool(re.search(r"[为帮替给][您你]", before[-8:] + match[0]) or re.match(r"\s*我(?!们?的|司)", clause))
    if (not own and not kind.reported) or (kind.name == "create" and _IN_ANSWER.search(clause)):
        return None
    return _claim(kind.name, own, clause, match)


def _claim(name: str, own: bool, clause: str, match: re.Match[str]) -> Claim:
    if name == "finish":
        name = deeds.noun_deed(clause) or name
    days = frozenset(d for v in _values(clause) for d in v.days)
    return Claim(name, own, _ids_near(clause, match.start(), match.end()), days)


_Reader = Callable[[str, re.Match[str]], Claim | None]


@cache
def _readers() -> tuple[tuple[re.Pattern[str], _Reader], ...]:
    past, verb = deeds.participles(), deeds.verbs()
    soft = r"(?:\s+(?:now|already|just|successfully|also|both|all|been|fully|automatically|then|duly|since))*"
    noun = (
        r"refund|cancell?ation|update|change|request|submission|return|payment|ticket|order|application|booking"
        r"|transfer|reimbursement|operation|action|deletion"
    )
    thing = rf"(?:{noun}|address|password|account|e-?mail|message|room|meeting|form|report|money|amount|changes)"
    which = rf"(?:[a-z-]+\s+){{0,2}}?{thing}(?:\s+\S*\d\S*)?"
    manner = (
        r"(?:[为帮替给][您你]|成功|全部|都|全额?|原路径?|如数|一并|重新|再次|及时|统一|现|同时|自动|直接|按要求|顺利"
        r"|立即|正式|刚刚?|被|由我们?|将其|把它)*"
    )
    patterns: tuple[tuple[str, _Reader], ...] = (
        # has been refunded, was cancelled
        (rf"(?<![a-z])(?:has|have|had|was|were|['’]s|['’]ve){soft}\s+(?P<verb>{past})\b", _english),
        # I cancelled, we have refunded, I've just updated
        (rf"\b(?P<self>i|we)(?:['’]ve|['’]d|\s+have|\s+had)?{soft}\s+(?P<verb>{past})\b", _english),
        # I went ahead and cancelled it; it was changed and refunded
        (
            r"\b(?:(?P<self>i|we)(?:['’]ve)?|has|have|was|were)\b[^,;]{1,60}?\band\s+(?:also\s+|then\s+)?"
            rf"(?P<verb>{past})\b",
            _english,
        ),
        # is now cancelled, got refunded
        (rf"\b(?:(?:is|are)\s+(?:now|already|successfully)|got){soft}\s+(?P<verb>{past})\b", _english),
        (rf"(?<!be )(?<!been )\bsuccessfully\s+(?P<verb>{past})\b", _english),
        (rf"(?<!be )(?<!been )\b(?P<verb>{past})\s+successfully\b", _english),
        # Refunded 299.00 yuan; Cancelled order A1002; Refunded.
        (
            rf"^\W*(?P<verb>{past})\b(?=\s*$|\s*[.!]"
            r"|\s+(?:(?:the|your|it|this|that)\b|(?:order|ticket)\s+\S*\d|\d|[¥$]|[a-z]+-?\d))",
            _english,
        ),
        # Address updated! Refund issued: R1003; the ticket is submitted
        (
            rf"^\W*(?:(?:the|your|this|my)\s+)?{which}\s+(?P<verb>{past})(?=\W*$|\s*[:(])",
            _english,
        ),
        (
            rf"\b(?:the|your|this)\s+{which}\s+(?:is|are)\s+(?P<verb>{past})(?=\W*$|\s+and\b)",
            _english,
        ),
        # the refund is complete, your request for A1003 went through
        (
            rf"\b(?:{noun})(?:\s+(?:of|for|on|to)(?:\s+\S+){{1,4}}?|\s+\S*\d\S*)?\s*(?:"
            r"(?:is|was|has been|['’]s)(?:\s+(?:now|already|all))*"
            r"\s+(?:complete|successful|done|final|through|in effect|settled)\b"
            r"|succeeded\b|went through\b|has gone through\b|successful\b|complete\s*$)",
            _noun,
        ),
        (
            r"^\W*(?:(?:it['’]s |it is )?(?:all )?(?:done|set|completed?|finished)|success(?:ful)?"
            r"|搞定|完成|办好|成功|已?办妥|好)了?\W*$",
            _exclaimed,
        ),
        # 已退款, 已经为您取消, 已于 10 月 30 日退款
        (rf"已经?(?:于.{{1,18}}?|按.{{1,10}}?|在.{{1,18}}?)?{manner}(?P<verb>{verb})", _chinese),
        (rf"已经?{manner}(?:将|把)[^,，。;]{{1,30}}?(?P<verb>{verb})", _chinese),
        # 退款成功, 修改完成; 成功取消
        (rf"(?P<verb>{verb})已?(?:成功|完成|完毕|好了|到账|生效|妥了)", _chinese),
        (rf"成功{manner}(?P<verb>{verb})", _chinese),
        # 我帮您取消了; 订单被取消了
        (rf"(?P<verb>{verb})[好完掉成]?了(?!\s*[吗么解])", _chinese),
    )
    return tuple((re.compile(pattern), reader) for pattern, reader in patterns)
