"""Which facts belong into a prompt: standing rules always, others when the words at hand are about them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff.memory.contradiction import is_rule
from signoff.memory.fact import Fact, Kind
from signoff.memory.lexicon import CHANNELS, LANGUAGES, concept_of, terms
from signoff.memory.subject import subject
from signoff.text import normalise

STANDING = 10
"""Newest standing rules that are taken along."""
SHARE = 0.25
"""Of a fact's own words that must be spoken of."""

_CONDITION = re.compile(
    r"\b(?:when|whenever|if|unless|before|after|while|in case|for (?!me\b|now\b|all\b|every)|about|during|on (?:mon"
    r"|tues|wednes|thurs"
    r"|fri|satur|sun)day)\b|如果|要是|假如|的?时候?[,，]|时(?:[,，]|请|要|都|先|用|给)"
    r"|(?<![以今往日此])[前后](?:[,，]|请|要|都|先)|遇到|凡是|关于|对于|只要"
)
_OF_ANSWERS = re.compile(
    r"^(?:(?:please|always|never|only|just|from now on|going forward|in (?:the )?future|do not|don['’]?t|you should"
    r"|i want you to"
    r"|i(?:['’]d| would) like you to|kindly|be sure to|make sure to)[\s,]+)*"
    r"(?:answer|reply|respond|write|speak|talk|address me|call me|keep (?:your |the |all )?(?:answers?|replies"
    r"|responses|it|things)"
    r"|use (?:metric|imperial|short|simple|formal|informal|plain|bullet|\w+ (?:units?|format|language|tone|words))"
    r"|summari[sz]e|be (?:brief|concise|short|formal|polite|direct)|format|start|end|greet|translate|explain)\b"
    r"|\b(?:i (?:like|prefer|want)|i(?:['’]d| would) (?:like|prefer)) (?:your |my |the )?(?:\w+ ){0,2}(?:answers"
    r"|replies|responses)\b"
    r"|(?:用|以|拿|改用|使用|说|讲).{0,8}(?:回答|回复|答复|沟通|交流|跟我说|和我说|对话|中文|英文|英语|日语|普通话)"
    r"|(?:回答|回复|答复)(?:我)?(?:请|要|都|时|得|尽量|简|短|详|用|的)|^(?:请|以后|今后|就|都|可以)*(?:叫|称呼|喊)我"
    r"|(?:喜欢|希望|要|想要|偏好).{0,4}(?:的)(?:回答|回复|答复)$"
)
_FAINT = frozenset(
    "prefer want need use get go make take give show know see find think say tell ask help work come good new old more"
    " day time now today week month year one first last number thing way please thank always never only also"
    " 喜欢 想 要 需要 使用 用 看 看看 查 查看 查询 知道 觉得 帮忙 问 问题 工作 今天 现在 明天 时候 一个"
    " 每次 以后 都 个 次 天 号 上 下 里 能 会".split()
)
"""What so many requests hold that sharing it says nothing."""
_CODE = re.compile(r"(?=[a-z-]*\d)[a-z]*-?\d{3,}")


def relevant(facts: Sequence[Fact], words: str, *, limit: int) -> list[Fact]:
    """Of current facts (newest first) those for a prompt: standing rules, then what the words are about, best first.

    At most `limit`, or as many as there are standing rules.
    """
    rules = [f for f in facts if standing(f)][:STANDING]
    spoken_of = _about(words)
    scored = [(f, _share(f, spoken_of)) for f in facts if f not in rules]
    near = [f for f, share in sorted(scored, key=lambda p: -p[1]) if share >= SHARE]
    return [*rules, *near[: max(0, limit - len(rules))]]


def standing(fact: Fact) -> bool:
    """Whether a fact says how to serve this person whatever they ask: how to answer, how to address them.

    What is procedural holds always unless it names its occasion; of other facts only what is said about answers.
    """
    flat = normalise(fact.text).strip(" .。!！")
    found = subject(fact.text)
    conditional = bool(_CONDITION.search(flat)) and not is_rule(flat)
    if found is not None and found.key in ("language", "name"):
        return not conditional
    if fact.kind is Kind.PROCEDURAL:
        return not conditional
    return not conditional and fact.kind is Kind.SEMANTIC and bool(_OF_ANSWERS.search(flat))


def _about(words: str) -> frozenset[str]:
    return terms(words) - _FAINT_TERMS


def _share(fact: Fact, spoken_of: frozenset[str]) -> float:
    """How much of what a fact is about is spoken of, 0 to 1."""
    own = terms(fact.text) - _FAINT_TERMS
    found = subject(fact.text)
    key = frozenset(found.key.split()) if found is not None else frozenset()
    shared = own & spoken_of
    if codes := {w for w in own if _CODE.fullmatch(w)}:
        # What is said of order A1003 says nothing of A1001.
        return 1.0 if codes & spoken_of else 0.0
    named = len(key & spoken_of) / len(key) if key else 0.0
    return max(named, len(shared) / len(own) if own else 0.0)


_FAINT_TERMS = frozenset({*_FAINT, *(concept_of(w) for w in _FAINT)}) - CHANNELS.keys() - LANGUAGES.keys()
