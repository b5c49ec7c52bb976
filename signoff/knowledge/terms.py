"""Search terms: the same on the index's side and on the question's."""

from __future__ import annotations

import re
from functools import cache

from signoff.text import normalise, tokens

# What the index's tokenizer would split anyway.
_JOINT = re.compile(r"[-_/.’](?=\D)|(?<=\D)[-_/.’]")

_ASKING = """
much many long tell know want need about get give say ask question explain find show look see make take go come
anything something someone anyone thing way like just also really very still yet now then all any each
currently exactly actually possible allow able must happen due per every other more most least mean means case
work use used using one two once okay ok thanks thank sorry excuse help hello hi dear company up out off only too
available
请问 问 问题 知道 告诉 说 说明 多少 多久 几 时候 时 需要 应该 必须 能否 是否 可否 多长 查 查询 查下 看 看看 了解 怎么办
介绍 解释 谢谢 您好 你好 麻烦 一个 一些 现在 目前 还是 如果 的话 吗 呀 啦 哦 嗯 不 不能 能 行 算 得 用 做 做些 去 来 会
上 下 里 中 后 前 之后 之前 以后 以前 内 之内 以内 以及 并且 而且 还有 同时 另外 关于 对于 公司 我查 想 为什么 原因
具体 详细 大概 一般 通常 情况 东西 事 事情 人 个 次 种 些 可以 有关 相关 最 最多 最少 至少 说说 讲讲 聊聊 谁 你是
"""
# Counts and units go with what is asked, not with its topic: 几天, 三万块, ten years.
_AMOUNT = re.compile(
    r"[第每数几多整]?[零一二两三四五六七八九十百千万亿几半]*"
    r"(?:[个件台家次天周月年块元钱级位名张笔项点条份倍度]|分钟?|小时|星期|工作日|时间|日)?"
)
_UNITS = """
day days week weeks month months year years hour hours minute minutes second seconds time times yuan rmb percent
one two three four five six seven eight nine ten twenty thirty fifty hundred thousand after before within during
last next more than less number new late early fast quickly soon long many much over into
"""


def terms(text: str) -> list[str]:
    """Terms of `text` in order, without stop words unless there is nothing else."""
    return tokens(_JOINT.sub(" ", normalise(text)))


def is_asking(term: str) -> bool:
    """Whether the term is a word of asking, which says nothing about the topic."""
    return term in _terms_of(_ASKING)


def is_amount(term: str) -> bool:
    """Whether the term is a number, a unit or both: 几天, 三万块, week."""
    return term in _terms_of(_UNITS) or term.isdigit() or bool(_AMOUNT.fullmatch(term))


@cache
def _terms_of(words: str) -> frozenset[str]:
    # At the first use, not at import: the tokenizer's dictionary takes its time to load.
    return frozenset(tokens(words, stop=False))
