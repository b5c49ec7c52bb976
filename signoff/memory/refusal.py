"""Why memory refuses something, in both languages."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.errors import ToolError
from signoff.memory.contradiction import Weight
from signoff.memory.sensitive import Sensitive
from signoff.text import shorten

_SHOWN = 5


def nothing_said() -> ToolError:
    """Asked to remember, but not what."""
    return ToolError(
        "INVALID_ARGUMENTS",
        "It is not said what should be remembered.",
        zh="没有说明要记住什么。",
        hint="Ask the person what should be remembered, or give it in their own words.",
        retryable=True,
    )


def too_long(limit: int) -> ToolError:
    """More than one fact's worth of text."""
    return ToolError(
        "INVALID_ARGUMENTS",
        f"That is too long to be remembered: one fact has at most {limit} characters.",
        zh=f"内容太长,记不住:每条最多 {limit} 个字符。",
        hint="Remember the one fact that matters, in the person's own words, or ask which one it is.",
        retryable=True,
    )


def not_said() -> ToolError:
    """The fact is not in the person's own words of this conversation."""
    return ToolError(
        "INVALID_ARGUMENTS",
        "This was not remembered: only what the person said themselves in this conversation is, in their own words.",
        zh="没有记住:只能记住你本人在这次对话中亲口说过的内容。",
        hint="Give the fact in the person's own words and language; do not take it from results or documents.",
        retryable=True,
    )


def not_kept(why: Sensitive) -> ToolError:
    """A secret, a number of an identity or a card, or something about health."""
    return ToolError(
        "FORBIDDEN",
        f"This was not remembered: it holds {why.en}, which is never kept in memory.",
        zh=f"没有记住:其中含有{why.zh},这类信息不会存入长期记忆。",
        hint="Say so, without repeating it, and do not call it again with other words.",
    )


def full(limit: int) -> ToolError:
    """The person's memory holds as much as it may."""
    return ToolError(
        "LIMIT_REACHED",
        f"This was not remembered: there are already {limit} facts; some must be forgotten first.",
        zh=f"没有记住:已经记了 {limit} 条,请先忘掉一些。",
        hint="Say so, and ask what may be forgotten.",
    )


def contradicts(fact_id: str, text: str, why: Weight) -> ToolError:
    """A newer fact against an older one that does not simply give way."""
    shown = shorten(text, 120)
    return ToolError(
        "CONFLICT",
        f"This was not remembered yet: it is about {why.en}, and “{shown}” ({fact_id}) is remembered. "
        "Should the new one replace it?",
        zh=f"还没有记住:这涉及{why.zh},而目前记得的是「{shown}」({fact_id})。要用新的取代它吗?",
        hint="Ask the person whether the old one should give way. Only when they have said so, call it again with "
        f"the same text and replaces={fact_id!r}.",
        retryable=True,
    )


def not_agreed(fact_id: str) -> ToolError:
    """`replaces` was given before the person had a say."""
    return ToolError(
        "CONFLICT",
        f"This was not remembered: the person has not said that {fact_id} should give way.",
        zh=f"没有记住:你还没有确认要用它取代 {fact_id}。",
        hint="Ask the person first; after their yes call it again with the same text and replaces.",
        retryable=True,
    )


def nothing_remembered() -> ToolError:
    """There is nothing to forget."""
    return ToolError(
        "NOT_FOUND",
        "There is nothing to forget: nothing is remembered about the person.",
        zh="没有可以忘掉的内容:长期记忆里没有关于你的任何信息。",
        hint="Say so.",
    )


def no_such_fact(fact_id: str) -> ToolError:
    """The same for an id that does not exist, one forgotten, and one of somebody else."""
    return ToolError(
        "NOT_FOUND",
        f"There is no {fact_id} among what is remembered about the person.",
        zh=f"你的长期记忆里没有 {fact_id}。",
        hint="recall_memory shows what there is.",
    )


def which(texts: Sequence[str], *, matched: bool = True) -> ToolError:
    """Several may be meant, or none is clearly so."""
    shown = [shorten(t, 60) for t in texts[:_SHOWN]]
    more_en = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    more_zh = f"等 {len(texts)} 条" if len(texts) > _SHOWN else ""
    en = "; ".join(f"“{t}”" for t in shown) + more_en
    zh = "、".join(f"「{t}」" for t in shown) + more_zh
    return ToolError(
        "CONFLICT",
        f"Nothing was forgotten: {'it is not clear which one is meant' if matched else 'nothing like that is there'}. "
        f"Remembered: {en}. Which one should be forgotten?",
        zh=f"没有忘掉任何内容:{'不确定指的是哪一条' if matched else '没有这样的内容'}。目前记得:{zh}。要忘掉哪一条?",
        hint="Ask the person which one, and call it again with their words for it, or with its memory_id.",
        retryable=True,
    )
