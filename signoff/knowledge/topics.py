"""What a question names: the things that passages must speak of to answer it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from signoff.knowledge.query import Group, groups_of, is_identifier, place
from signoff.knowledge.terms import terms
from signoff.text import STOP_WORDS, language, normalise

# Nouns that name no topic: every rule has limits, and every question is about a case.
_GENERAL = """
policy policies rule rules regulation process procedure procedures limit limits information details detail requirement
requirements kind type types way ways condition conditions question problem issue company employee employees staff
people person colleague colleagues customer customers user users someone amount number period deadline list form step
steps part case example reason reasons document documents item items thing things standard maximum minimum total sum
政策 制度 规定 规则 办法 标准 限额 上限 额度 流程 程序 情况 问题 公司 员工 职工 人员 同事 用户 顾客 客户 时间 时候 时长
期限 手续 要求 条件 方式 方法 步骤 内容 信息 材料 东西 事情 原因 金额 数量 总数 数额 比例 钱 次数 天数
家里 个人 本人 大家
"""
# Behind one of these, or at the very beginning after an auxiliary, words name a thing.
_NAMING = re.compile(
    r"(?:^|[\s,;(])(?:a|an|the|my|our|your|his|her|their|this|that|these|those|any|some|no|for|in|on|at|of|about|with|"
    r"without|from|to|by|under|over|per|via|during|between|against|regarding|concerning|and|or|is|are|was|were|do|does|"
    r"did|can|could|will|would|should|which|what)\s+(?:\W*)$",
    re.IGNORECASE,
)
_GAP = re.compile(r"[\s\-的/]*")
# What in English stands behind a naming word without being a name: infinitives and participles of asking.
_VERBS = """
cover covered include included apply applied offer offered provide provided pay paid support supported wait bring keep
start begin end send reset change open close check choose become happen depend handle fix run write read mean count
arrange want wish belong concern refer receive expect plan decide try submit file
"""


def things(question: str) -> Iterator[tuple[str, list[Group]]]:
    """The things that a question names: their words as they stand there, and their groups."""
    placed = sorted(
        (
            (spot, g)
            for g in groups_of(question)
            if (spot := place(g, question)) and _may_name(g) and normalise(question[slice(*spot)]) not in STOP_WORDS
        ),
        key=lambda pair: pair[0],
    )
    runs: list[tuple[int, int, list[Group]]] = []
    for (start, end), group in placed:
        if runs and start < runs[-1][1]:
            runs[-1] = (runs[-1][0], max(end, runs[-1][1]), [*runs[-1][2], group])
        elif runs and _GAP.fullmatch(question[runs[-1][1] : start]):
            runs[-1] = (runs[-1][0], end, [*runs[-1][2], group])
        else:
            runs.append((start, end, [group]))
    for start, end, groups in runs:
        chinese = language(question[start:end]) == "zh"
        if chinese:
            groups = [g for g in groups if g.kind == "concept" or _is_noun(g, question)]
        if groups and (chinese or _names(question, start, groups)):
            yield part(question, groups), groups


def _may_name(group: Group) -> bool:
    if group.kind == "aside" or is_identifier(group):
        return False
    return not any(w[-1] in _terms_of(_GENERAL) for w in group.own) and not (
        group.kind == "word" and group.own[0][0] in _terms_of(_VERBS)
    )


def _names(question: str, start: int, groups: Sequence[Group]) -> bool:
    """Whether English words name a thing rather than tell what is done."""
    if any(g.kind == "concept" for g in groups):
        return True
    before = question[:start]
    capital = question[start : start + 1].isupper() and bool(before.strip())
    verb = terms(before.split()[-1]) if before.strip() else []
    return capital or bool(_NAMING.search(before)) or not before.strip() or bool(_terms_of(_VERBS).intersection(verb))


def _is_noun(group: Group, question: str) -> bool:
    word = group.own[0][0]
    return not word.isalpha() or word.isascii() or word in _nouns(question)


def part(question: str, groups: Sequence[Group]) -> str:
    """What stands in the question from the first to the last of the groups."""
    spots = [spot for g in groups if (spot := place(g, question)) is not None]
    return question[min(a for a, _ in spots) : max(b for _, b in spots)].strip() if spots else ""


@lru_cache(maxsize=64)
def _nouns(question: str) -> frozenset[str]:
    return frozenset(t for w in tagged(question, ("n",)) for t in (w, *terms(w)) if len(t) > 1)


def tagged(question: str, tags: tuple[str, ...]) -> list[str]:
    """Chinese words whose part of speech begins with one of the tags (of ICTCLAS), but single characters."""
    import rjieba

    return [w for w, t in rjieba.tag(normalise(question)) if t.startswith(tags) and len(w) > 1]


@lru_cache(maxsize=4)
def _terms_of(words: str) -> frozenset[str]:
    return frozenset(t for w in words.split() for t in terms(w))
