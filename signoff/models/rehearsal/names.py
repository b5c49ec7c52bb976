"""Proper names behind or before the word for what they name: the project apollo, apollo 项目, 只算 apollo."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from signoff.models.rehearsal import lexicon, periods
from signoff.models.rehearsal.cards import Card, Parameter
from signoff.models.rehearsal.texts import Piece, Span
from signoff.text import STOP_WORDS, language

_KINDS = {
    "project": r"项目|projects?",
    "team": r"团队|小组|组|teams?",
    "department": r"部门|departments?|dept",
    "customer": r"客户|customers?|clients?",
    "client": r"客户|customers?|clients?",
    "product": r"产品|products?",
    "service": r"服务|services?",
    "channel": r"频道|群|channels?",
    "repo": r"仓库|代码库|repo(?:sitory|s)?",
    "repository": r"仓库|代码库|repo(?:sitory|s)?",
    "branch": r"分支|branch(?:es)?",
    "database": r"数据库|databases?",
    "region": r"地区|区域|regions?",
    "category": r"类别|分类|categor(?:y|ies)",
    "campaign": r"活动|campaigns?",
    "supplier": r"供应商|suppliers?|vendors?",
    "vendor": r"供应商|suppliers?|vendors?",
}
_LATIN = r"[A-Za-z](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?"
_QUOTED = r"[“\"「『《]([^”\"」』》]{1,60})[”\"」』》]"
_ONLY_ZH = r"(?:只|仅|单独)(?:需要|需|要|限于|限|含|包括|包含|统计|计算|算|看|管|写|查|针对)*(?:一下)?\s*"
_ONLY_EN = (
    r"\b(?:only|just|solely|limited to|restricted to|restrict(?: it)? to)"
    r"(?:\s+(?:for|the|on|about|of|at|look|looking|count|counts?|include|includes|cover|covers?|to|with|sum|use|project))*\s+"
)
_CUT = re.compile(
    r".*(?:只算|只看|只统计|只要|仅限|仅|那块|这块|部分|只放|放|用|取|列|留|算|看|查|把|为|给|对|按|在|和|"
    r"及|与|的|了|一下|下|周|是|写|出|要|统计|汇总|关于|请|我们?|这个|那个|哪个|每个|各个?)"
)
_BEFORE = re.compile(rf"(?<![A-Za-z0-9_.@/-])({_LATIN}?)(?:['’]s|\s*的)\s*$")
_BEHIND = re.compile(
    rf"\s*(?:(?:(?:of|for|on|about|only|the|just|to|counts?|covers?|only for)(?![a-z])|计算|算|看|是|为|按|"
    rf"用|取)\s*)+({_LATIN})"
)
_SUBJECT = re.compile(
    rf"\b(?:is|does|did|has|was|can|will|has)\s+({_LATIN})\s+(?:over|under|have|above|below|within|still|"
    rf"spend|spent|cost|use|used|need|stay|on|exceed|going)\b",
    re.IGNORECASE,
)
_ADJECTIVE = re.compile(
    r"(?:ed|ing|able|ible|al|ive|ous|less|ful|ent|ant|ic|ish|ary|ory|ly|est|ier|er|due)$", re.IGNORECASE
)
"""Ends of words that say what something is like."""
_NONE = frozenset(
    "the a an this that my our your all every each which what whole new old other it its team week month report budget "
    "bit part side section piece look category "
    "weekly last next please only just and or for of to in on with issue issues notes note progress work summary "
    "now today one any some me us still total whole entire overall full remaining current annual monthly yearly open "
    "markdown json csv ok iso excel pdf word email open done closed spent left budget budgets issue two "
    "three weekly this next previous many much few several other more most those these no never else same own "
    "free real sure good instance example everyone everybody anyone work home fun "
    "been being ever yet just also then he she you they we i "
    "various certain first second third critical urgent minor major high low normal old unassigned".split()
)


def kind(parameter: Parameter) -> str:
    """What a parameter names, such as `project`; empty when its name says nothing that is known."""
    if parameter.type != "string" or parameter.schema.get("enum") or parameter.pattern:
        return ""
    return next((k for k in _KINDS if k in parameter.words), "")


def find(card: Card, parameter: Parameter, text: str, taken: Sequence[Span]) -> Piece | None:
    """The name that a text gives for a parameter of a known kind, or None. Never a word of the vocabulary."""
    pieces = [
        p
        for p in _candidates(card, kind(parameter), text)
        if _is_name(p.value) and not any(a < p.end and p.start < b for a, b in (*taken, *periods.spans(text)))
    ]
    return max(pieces, key=lambda p: p.weight, default=None)


def _candidates(card: Card, kind: str, text: str) -> Iterator[Piece]:
    words = _KINDS[kind]
    rules = (
        (rf"(?:{words})\s*(?:是|为|叫|名为|named|called|[:：])?\s*{_QUOTED}", 1.5),
        (rf"{_QUOTED}\s*(?:这个|那个)?(?:{words})", 1.5),
        (rf"(?<![A-Za-z0-9_.@/-])({_LATIN})\s*(?:这个|那个|的)?\s*(?:{words})(?![a-z])", 1.4),
        (rf"(?:\b|(?<=[\u3400-\u9fff]))(?:{words})\s*(?:是|为|叫|名为|named|called|[:：#])?\s*({_LATIN})", 1.3),
        (rf"{_ONLY_ZH}({_LATIN})", 1.2),
        (rf"{_ONLY_EN}({_LATIN})", 1.2),
        (rf"\bfor\s+(?:the\s+)?({_LATIN})(?:\s+\w+)?\s+only\b", 1.2),
        (rf"(?<![A-Za-z0-9_.@/-])({_LATIN})\s+[a-z]+\s+only\b", 1.1),
        (rf"(?<![A-Za-z0-9_.@/-])({_LATIN})\s+only\b", 1.1),
        (rf"\b(?:for|by|in|of)\s+(?:the\s+)?({_LATIN})(?=\s*[?.!]*$)", 1.0),
    )
    for pattern, weight in rules:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            yield Piece(match[1].strip().removesuffix("'s"), *match.span(1), weight)
    yield from _unknown_words(text)
    # 青鸟项目, 只算青鸟: the name ends with the word, or with the clause.
    for match in re.finditer(rf"([\u3400-\u9fff]{{2,16}}?)(?:{words})", text):
        yield from _chinese(match[1], match.start(1), 1.3)
    for match in re.finditer(rf"{_ONLY_ZH}([\u3400-\u9fff]{{2,6}}?)(?:的|{words}|$|[,，。;；!！?？\s])", text):
        yield from _chinese(match[1], match.start(1), 1.2)
    for match in re.finditer(
        r"(?:^|[,，。;；\s])([\u3400-\u9fff]{2,6}?)(?:还|总共|一共|目前|现在|已经|到底|是不是)*(?:剩|花|用[了掉]|超|占)",
        text,
    ):
        yield from _chinese(match[1], match.start(1), 1.0)
    if (about := _PROGRESS.search(text)) and kind == "project":
        yield from _chinese(about[1], about.start(1), 1.0)
    yield from _of_objects(card, text)


def _unknown_words(text: str) -> Iterator[Piece]:
    """In Chinese any word in Latin letters, in English what stands as a subject: "does borealis have"."""
    if language(text) == "zh":
        for match in re.finditer(rf"(?<![A-Za-z0-9_.@/:-])(?a:{_LATIN})(?![A-Za-z0-9_@/:])", text):
            yield Piece(match[0], match.start(), match.end(), 1.0)
    for match in _SUBJECT.finditer(text):
        yield Piece(match[1], match.start(1), match.end(1), 1.0)


def _of_objects(card: Card, text: str) -> Iterator[Piece]:
    """Beside the word for the tool's own thing: apollo's budget, budget for apollo, apollo 的预算, 预算算 apollo."""
    folded = lexicon.fold(text)
    for hit in lexicon.find(text):
        if "#" + hit.concept not in card.objects or lexicon.is_look(hit.concept):
            continue
        if wide := re.match(
            r"\s*(?:这块|部分)?(?:只|仅)?(?:算|看|按|统计|是|用|[:：])\s*([\u3400-\u9fff]{2,6})(?=$|\W)",
            folded[hit.end :],
        ):
            yield from _chinese(wide[1], hit.end + wide.start(1), 1.05)
        if owned := re.search(r"([\u3400-\u9fff]{2,10})的\s*$", folded[: hit.start]):
            yield from _chinese(owned[1], owned.start(1), 1.05)
        next_to = re.search(rf"(?<![A-Za-z0-9_.@/'’-])({_LATIN})\s+$", folded[: hit.start])
        if next_to and not _ADJECTIVE.search(next_to[1]):
            at = next_to.start(1)
            yield Piece(text[at : at + len(next_to[1])], at, at + len(next_to[1]), 1.02)
        if opening := re.search(r"(?:^|[,，。;；!！?？\s])([\u3400-\u9fff]{2,6})$", folded[: hit.start]):
            yield from _chinese(opening[1], opening.start(1), 1.02)
        for match in (_BEFORE.search(folded[: hit.start]), _BEHIND.match(folded[hit.end :])):
            if match:
                at = match.start(1) if match.re is _BEFORE else hit.end + match.start(1)
                yield Piece(text[at : at + len(match[1])], at, at + len(match[1]), 1.05)


def topic(text: str, taken: Sequence[Span]) -> Piece | None:
    """The one name in a Chinese text that is in Latin letters, or the project that is named: what it is about."""
    pieces = [
        p
        for p in [*_unknown_words(text), *_projects(text)]
        if _is_name(p.value) and not any(a < p.end and p.start < b for a, b in (*taken, *periods.spans(text)))
    ]
    return pieces[0] if pieces and len({p.value for p in pieces}) == 1 else None


_PROGRESS = re.compile(r"([\u3400-\u9fff]{2,8})(?:这边|那边)?的?(?:进展|进度|动态)")


def _projects(text: str) -> Iterator[Piece]:
    for match in _PROGRESS.finditer(text):
        yield from _chinese(match[1], match.start(1), 1.0)
    words = _KINDS["project"]
    for match in re.finditer(
        rf"(?<![A-Za-z0-9_.@/-])({_LATIN})\s*(?:这个|那个|的)?\s*(?:{words})(?![a-z])", text, re.I
    ):
        yield Piece(match[1], *match.span(1), 1.2)
    for match in re.finditer(rf"([\u3400-\u9fff]{{2,16}}?)(?:{words})", text):
        yield from _chinese(match[1], match.start(1), 1.2)


def _chinese(run: str, start: int, weight: float) -> Iterator[Piece]:
    cut = _CUT.match(run)
    name = run[cut.end() :] if cut else run
    if 2 <= len(name) <= 8:
        yield Piece(name, start + len(run) - len(name), start + len(run), weight)


def _is_name(value: str) -> bool:
    folded = value.casefold()
    if folded in _NONE or folded in STOP_WORDS or len(value) < 2:
        return False
    if language(value) == "zh":
        if re.search(
            r"多少|什么|啥|^有|哪|几|怎|全部|所有|[各每]个?|一共|总共|我们|你们|他们|大家|团队|公司|部门|整体|[本上下这那][个]?[周月季年]|[今去明]年|[年月]份?$|季度|整个|这些|那些|哪些|项目|目前|现在|剩余|剩下",
            value,
        ):
            return False
        return sum(len(f.word) for f in lexicon.find(value)) < len(value)
    return bool([f for f in lexicon.features(value) if not f.startswith("#")])
