"""When two facts cannot both hold, and which of such contradictions are asked about before the newer one wins.

A light preference gives way to a newer one at once. What money, parcels, signatures and standing rules hang on
does not: unless the person's own words say that it has changed, they are asked first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from signoff.memory.lexicon import concept_of
from signoff.memory.spoken import negated
from signoff.text import STOP_WORDS, normalise, tokens


@dataclass(frozen=True)
class Weight:
    """Why a contradiction is asked about: what it is about, in both languages."""

    en: str
    zh: str


HOME = Weight("where you live or can be reached by post", "你的住址")
DELIVERY = Weight("where things are sent", "收货地址")
PAYMENT = Weight("how you pay, are paid back or invoiced", "付款、退款或开票方式")
APPROVER = Weight("who signs things off", "审批人")
RULE = Weight("a standing rule", "一条固定规则")
SAME = Weight("the same thing as something else", "另一条内容所说的同一件事")

_BY_KEY = (
    ("delivery", DELIVERY),
    ("payment", PAYMENT),
    ("refund", PAYMENT),
    ("invoice", PAYMENT),
    ("approver", APPROVER),
    ("home", HOME),
    ("address", HOME),
)

_RULE = re.compile(
    r"\b(?:always|never|under no circumstances|at all times|without exception|by no means|must(?: not)?|every time)\b"
    r"|一律|统一|永远|从不|绝不|决不|绝对不|务必|必须|始终|任何时候|无论如何|千万|总是|不得|不准|不许|都(?:要|得|用"
    r"|请|不|别|必)|每次"
)
_ASIDE = frozenset(
    "always alway never not no cannot dont doesnt wont cant without please do does did must should ever time times at"
    " all circumstance circumst under exception from now on future go forward i me my want like wish would d ll"
    " 一律 统一 永远 从不 绝不 决不 绝对 务必 必须 始终 任何 时候 任何时候 无论如何 千万 总是"
    " 不得 不准 不许 都 每次 以后 今后 往后 不 不要 别 勿 无需"
    " 不用 不能 没 请 要 希望 想 喜欢 得 可以 再 也 我 从现在 从现在起 现在 起".split()
)


def opposed(new: str, old: str) -> bool:
    """Whether one text denies what the other says, in the same words: "always call me", "never call me"."""
    if negated(new) == negated(old):
        return False
    here, there = _core(new), _core(old)
    return bool(here) and here == there


def weight(key: str | None, old: str) -> Weight | None:
    """Why replacing `old`, which gives the attribute `key` its value (None for no attribute), must be asked about.

    None when it need not be: the newer fact simply takes its place.
    """
    words = set((key or "").split())
    if words & {"contact", "language"}:
        # How to be reached before a delivery is not where it goes.
        return RULE if is_rule(old) else None
    for word, why in _BY_KEY:
        if word in words:
            return why
    return RULE if is_rule(old) else None


def is_rule(text: str) -> bool:
    """Whether a text sets a rule without exceptions: always, never, 一律, 绝不."""
    return bool(_RULE.search(normalise(text)))


def _core(text: str) -> frozenset[str]:
    found = (t for t in tokens(text) if t not in STOP_WORDS and t not in _ASIDE and not re.search(r"n['’]t$", t))
    return frozenset(concept_of(t) for t in found)
