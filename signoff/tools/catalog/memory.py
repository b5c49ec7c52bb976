"""Tools that remember what a person asks to have remembered, say it again, and forget it.

Both changes happen at once, as drafts. They touch nothing but the asking person's own memory, and each takes
the other back: what was remembered can be forgotten, and what was forgotten, which was only ever the person's
own words, is remembered again when they say it again. To have something forgotten is the person's right; it
waits for nobody, and it is complete. Only a turn that has read untrusted text puts both before the person
first, as it does with every draft.
"""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from signoff.caller import Caller
from signoff.errors import ToolError
from signoff.memory import Fact, Memory, asked_to_remember
from signoff.tools.catalog.wording import card_language, chosen, day, iso, known, paragraphs, source
from signoff.tools.contract import CallInfo, Change, Example, Preview, Risk
from signoff.tools.decorator import tool

Sort = Literal["semantic", "episodic", "procedural"]


def _spelled(value: Any) -> Any:
    return unicodedata.normalize("NFKC", value).strip().lstrip("#").lower() if isinstance(value, str) else value


MemoryId = Annotated[str, Field(pattern=r"^mem-[0-9a-f]{8}$", max_length=20), BeforeValidator(_spelled)]


def _source(lang: str) -> str:
    return source(lang, "what you asked to have remembered", "你要求记住的内容")


def _data(fact: Fact) -> dict[str, Any]:
    """A fact as tools show it, JSON-ready."""
    return {
        "memory_id": fact.id,
        "text": fact.text,
        "kind": fact.kind.value,
        "confidence": fact.confidence,
        "remembered_at": iso(fact.created),
        **known(said_again_at=iso(fact.updated) if fact.updated != fact.created else None),
        "expires_at": iso(fact.expires),
    }


def _preview_remember(
    text: str, kind: Sort, caller: Caller, memory: Memory, call: CallInfo, replaces: str | None = None
) -> Preview:
    lang = card_language(caller, call)
    _must_be_asked(call)
    old = memory.superseded(caller, text, source=call.said, replaces=replaces)
    text, _ = memory.acceptable(text, call.said)
    return Preview(
        title=chosen(lang, "Remember this in later conversations", "在以后的对话中记住这条内容"),
        changes=(Change(chosen(lang, "to remember", "要记住的内容"), old.text if old is not None else None, text),),
        reversible=True,
        why=chosen(lang, "It can be forgotten again at any time.", "随时可以再忘掉。"),
    )


def _render_remembered(data: Any, lang: str) -> str:
    if not data["text"]:
        return chosen(lang, "This was remembered and then forgotten.", "这条内容记住之后又被忘掉了。")
    until = day(data["expires_at"]) if data["expires_at"] else ""
    return paragraphs(
        [
            chosen(lang, f"I will remember: “{data['text']}”.", f"记住了:「{data['text']}」。"),
            chosen(
                lang,
                f"It takes the place of what you said before: “{data['replaces']}”.",
                f"它取代了你以前说的「{data['replaces']}」。",
            )
            if "replaces" in data
            else "",
            chosen(
                lang,
                f"It holds{f' until {until}' if until else ''}; you can have it forgotten at any time.",
                f"{f'有效期到 {until},' if until else ''}随时可以让我忘掉。",
            ),
            _source(lang),
        ]
    )


def _must_be_asked(call: CallInfo) -> None:
    if not asked_to_remember(call.said):
        raise ToolError(
            "INVALID_ARGUMENTS",
            "This was not remembered: the person did not ask for it.",
            zh="没有记住:你没有要求记住这件事。",
            hint="Go on without it; or ask the person whether it should be remembered.",
        )


def _remember(
    text: str,
    caller: Caller,
    memory: Memory,
    call: CallInfo,
    kind: Sort = "semantic",
    replaces: str | None = None,
) -> dict[str, Any]:
    _must_be_asked(call)
    fact = memory.remember(caller, text, source=call.said, call=call, kind=kind, replaces=replaces)
    before = next((f.text for f in memory.history(caller) if f.id == fact.supersedes), None)
    return {
        **_data(fact),
        **known(replaces=before if before and before != fact.text else None),
        "undo": {"tool": "forget_memory", "arguments": {"memory_id": fact.id}},
        "source": "the person's own words",
    }


def _remember_anyway(**call: Any) -> dict[str, Any] | None:
    """What became of a call that was cut off: it is carried out, which for the same call happens once."""
    try:
        return _remember(**call)
    except ToolError:
        return None


@tool(
    risk=Risk.DRAFT,
    effect="outside",
    injects=("caller", "memory", "call"),
    timeout_s=20.0,
    preview=_preview_remember,
    render=_render_remembered,
    reconcile=_remember_anyway,
    # An id that is none of the person's own facts is refused by memory itself; it comes from an error, which is
    # no source.
    identifiers=(),
    undo="forget_memory",
    examples=(
        Example("remember that I like short answers", {"text": "I like short answers"}),
        Example("记住我喜欢靠窗的座位", {"text": "我喜欢靠窗的座位"}),
        Example("Please keep in mind that my office is on floor 5", {"text": "my office is on floor 5"}),
        Example("请记一下,我周三下午都不在", {"text": "我周三下午都不在"}),
        Example("Please note that I am out every Friday", {"text": "I am out every Friday"}),
        Example("以后都用英文回答我,别忘了", {"text": "以后都用英文回答我", "kind": "procedural"}),
    ),
)
def remember(
    text: Annotated[str, Field(min_length=2, max_length=300)],
    caller: Caller,
    memory: Memory,
    call: CallInfo,
    kind: Sort = "semantic",
    replaces: MemoryId | None = None,
) -> dict[str, Any]:
    """Remembers (记住, 记下, 记着) something about the person asking for later conversations, such as a preference or
    a habit. Only when they ask for it, and only in their own words. Never for secrets, numbers of documents and
    cards, or health; not for what records and documents say.

    Args:
        text: What to remember, copied from what the person said, in their words and language.
        kind: semantic for what is so, episodic for what happened, procedural for how to do something.
        replaces: The memory_id that gives way, only after the person was asked and said that it should; else leave out.
    """
    return _remember(text, caller, memory, call, kind, replaces)


def _render_recalled(data: Any, lang: str) -> str:
    lines = [
        chosen(lang, "- “{}” ({}, said on {}{})", "- 「{}」({},{} 说的{})").format(
            f["text"],
            f["memory_id"],
            day(f.get("said_again_at") or f["remembered_at"]),
            chosen(lang, ", holds until {}", ",有效期到 {}").format(day(f["expires_at"])) if f["expires_at"] else "",
        )
        for f in data["facts"]
    ]
    if not lines:
        none = chosen(lang, "You have not asked me to remember anything.", "你还没有让我记住任何内容。")
        return paragraphs([none, _source(lang)])
    head = chosen(lang, f"You asked me to remember ({data['total']}):", f"你让我记住了 {data['total']} 条:")
    if data["matched"] is False:
        head = chosen(
            lang,
            f"Nothing of what you asked me to remember is about “{data['about']}”. All of it ({data['total']}):",
            f"你让我记住的内容中没有与「{data['about']}」有关的。全部 {data['total']} 条:",
        )
    elif data["matched"]:
        head = chosen(lang, "You asked me to remember:", "你让我记住了:")
    return paragraphs([head, *lines, _source(lang)])


@tool(
    injects=("caller", "memory"),
    render=_render_recalled,
    examples=(
        Example("what did I ask you to remember?"),
        Example("我让你记住了什么?"),
        Example("What do you know about me?"),
        Example("你还记得我的哪些事"),
        Example("Do you remember how I like my answers?", {"about": "how I like my answers"}),
        Example("你记得我的联系方式偏好吗", {"about": "联系方式偏好"}),
    ),
)
def recall_memory(
    caller: Caller,
    memory: Memory,
    about: Annotated[str, Field(max_length=200)] | None = None,
    limit: Annotated[int, Field(ge=1, le=50)] = 20,
) -> dict[str, Any]:
    """Lists what the person asking has asked to have remembered in earlier conversations: their preferences and
    habits, newest first. Not for what records and documents say, and it cannot see what others asked for.

    Args:
        about: What it should be about, in the person's words; leave it out for everything.
        limit: How many to show at most.
    """
    everything = memory.recall(caller, limit=10_000)
    found = memory.recall(caller, about, limit=10_000) if about else everything
    shown = (found or everything)[:limit]
    return {
        **known(about=about),
        "matched": bool(found) if about and len(found) != len(everything) else None,
        "facts": [_data(f) for f in shown],
        "total": len(everything),
        "shown": len(shown),
        "scope": "only the memory of the person asking",
        "source": "what the person asked to have remembered",
    }


def _preview_forget(
    caller: Caller, memory: Memory, call: CallInfo, what: str = "", memory_id: str | None = None
) -> Preview:
    # The card outlives the memory, so it says which and how many, and not what they say.
    found = memory.find(caller, memory_id or what, said=call.said, call=call)
    lang = card_language(caller, call)
    word = chosen(lang, "remembered on", "记住于")
    return Preview(
        title=chosen(lang, f"Forget what was remembered ({len(found)})", f"忘掉 {len(found)} 条记住的内容"),
        changes=tuple(Change(f.id, f"{word} {day(f.created.isoformat())}", None) for f in found),
        reversible=True,
        why=chosen(
            lang,
            "The text is deleted for good; it is remembered again when the person says it again.",
            "内容会彻底删除;本人再说一次即可重新记住。",
        ),
    )


def _render_forgotten(data: Any, lang: str) -> str:
    count, days = data["count"], sorted({day(f["remembered_at"]) for f in data["forgotten"]})
    when = f"{days[0]}" if len(days) == 1 else chosen(lang, f"{days[0]} to {days[-1]}", f"{days[0]} 至 {days[-1]}")
    return paragraphs(
        [
            chosen(
                lang,
                f"I have forgotten {count} thing{'s' if count > 1 else ''} that you had asked me to remember ({when}). "
                "What it said is gone from my memory for good; say it again to have it remembered again.",
                f"已忘掉你让我记住的 {count} 条内容({when}),长期记忆里不再有它;想恢复的话,再说一次让我记住即可。",
            ),
            _source(lang),
        ]
    )


def _forget(
    caller: Caller, memory: Memory, call: CallInfo, what: str = "", memory_id: str | None = None
) -> dict[str, Any]:
    gone = memory.forget(caller, memory_id or what, call=call, said=call.said)
    return {
        "forgotten": [{"memory_id": f.id, "kind": f.kind.value, "remembered_at": iso(f.created)} for f in gone],
        "count": len(gone),
        "undo": {"tool": "remember", "how": "the person says it again"},
        "source": "what the person asked to have remembered",
    }


def _forget_anyway(**call: Any) -> dict[str, Any] | None:
    """What became of a call that was cut off: it is carried out, which for the same call happens once."""
    try:
        return _forget(**call)
    except ToolError:
        return None


@tool(
    risk=Risk.DRAFT,
    effect="outside",
    injects=("caller", "memory", "call"),
    timeout_s=20.0,
    preview=_preview_forget,
    render=_render_forgotten,
    reconcile=_forget_anyway,
    identifiers=("memory_id",),
    undo="remember",
    examples=(
        Example("forget it"),
        Example("忘掉我的联系方式偏好", {"what": "联系方式偏好"}),
        Example("Forget that I like short answers", {"what": "I like short answers"}),
        Example("忘了吧,不用记了"),
        Example("Delete everything you remember about me", {"what": "everything"}),
        Example("清除你对我的所有记忆", {"what": "所有"}),
    ),
)
def forget_memory(
    caller: Caller,
    memory: Memory,
    call: CallInfo,
    what: Annotated[str, Field(max_length=300)] = "",
    memory_id: MemoryId | None = None,
) -> dict[str, Any]:
    """Forgets (忘记, 忘掉, 别记) something that the person asking had asked to have remembered; it is deleted for good.
    Only when they ask for it. Not for records and drafts, which have their own tools, and not when "forget it"
    means that a request is dropped.

    Args:
        what: Which one, in the person's words, or everything; empty for what was just remembered or spoken of.
        memory_id: The memory's id as recall_memory shows it, such as mem-0a1b2c3d, when it is known.
    """
    return _forget(caller, memory, call, what, memory_id)
