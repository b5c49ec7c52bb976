"""What the turn before left open, and a short reply to it: a yes, a no, a word of signing, or of taking back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from signoff.memory.asking import agreed_to_replace, asked_to_remember
from signoff.models.rehearsal import lexicon, phrases, speech
from signoff.models.rehearsal.cards import Card
from signoff.models.rehearsal.prompt import Prompt, Result
from signoff.models.rehearsal.slots import Filling
from signoff.models.rehearsal.steps import Step
from signoff.text import normalise

_YES = (
    r"\b(?:yes|yeah|yep|yup|ya|sure|ok(?:ay)?|go ahead|right|correct|exactly|of course|certainly|fine|agreed?|"
    r"do (?:so|it)|confirm(?:ed)?|absolutely|definitely|indeed|please do|"
    r"(?:sounds|looks) (?:good|fine|right|ok(?:ay)?)|proceed)\b"
    r"|是的?|对的?|好的?|嗯+|可以的?|行|没错|要的?|确认|当然|没问题|就这样|确定"
)
_NO = (
    r"\b(?:no|nope|not|don['’]?t|never ?mind|cancel|stop|forget|leave|keep|drop|skip|withdraw)\b"
    r"|不|别|算了|取消|撤回|撤销|保留|留着|放弃|免了"
)
_SIGN = (
    r"\b(?:i )?(?:hereby )?(?:approved?|approving|sign(?:ed)?(?: (?:it )?off)?|authori[sz]ed?|grant(?:ed)?|"
    r"consent(?:ed)?|accept(?:ed)?|permit(?:ted)?|allow(?:ed)?|lgtm)\b"
    r"|同意|批准|准了?许?|通过|签字|签署|签了|签核|审批|授权|核准|许可|批了"
)
_REPLACE = (
    r"\b(?:replace[ds]?|updated?|change[ds]?|overwrite|supersedes?|use|swap|switch|give way|new(?:er)?|old(?:er)?|"
    r"previous|latest|first|second|fact|memory|address|keep|remember|save)\b"
    r"|替换|取代|代替|覆盖|更新|换|改|用|新的?|旧的?|原来的?|以前的?|之前的?|最新的?|后面的?|掉|记住?|记"
)
_FILL = (
    r"\b(?:please|pls|plz|just|then|so|that|this|it|them|those|these|both|all|the|with|by|for|my|me|is|are|was|of|to|i|we|you|"
    r"and|now|one|ones|will|can|do|a|an|in|order|thanks?|thank|from|as|on|instead|let|should|yours?|side)\b"
    r"|请|那|就|吧|了|啊|呀|哦|哈|呢|把|的|它|这个?|那个?|这[条笔次单项]|那[条笔次单项]|一下|我|你|您|帮我|谢谢|都|全部?|即可|"
    r"为准|以|成|给|来|先|再|也|去|直接|掉"
)
_AGAIN = (
    r"\b(?:again|once more|another time|re-?propose|re-?submit|ask|propose|try|submit|request|resend)\b"
    r"|再|重新|重来|重提|提交?|发起|申请|试|一次|一遍|出来|提出"
)
_GIVEN = re.compile(r"\b(\w+)='([^'\n]+)'")


def _made_of(text: str, *words: str) -> bool:
    """Whether a text says nothing beyond these kinds of words and those that fill."""
    rest = re.sub("|".join((*words, _FILL)), " ", normalise(text), flags=re.IGNORECASE)
    return not re.search(r"\w", rest)


def _says(words: str, text: str) -> bool:
    return bool(re.search(words, normalise(text)))


def agrees(text: str) -> bool:
    """Whether a text is a yes and nothing else."""
    return _says(_YES, text) and not declines(text) and _made_of(text, _YES)


def declines(text: str) -> bool:
    """Whether a short text says no, or to leave it."""
    masked = re.sub(r"\bno problem\b|没问题|不错|对不", " ", normalise(text))
    return bool(re.search(_NO, masked)) and len(text) <= 60


def replied(prompt: Prompt, cards: Sequence[Card]) -> list[Step]:
    """The steps that a short reply to what the turn before left open leads to; none when it is no such reply."""
    if _told_to_drop(prompt):
        return [Step(prompt.question, "spared")]
    last = _last_turn(prompt)
    conflicts = [(r, given) for r in last if (given := _asked_for(r))]
    if conflicts:
        return _resolved(prompt, cards, conflicts)
    if withdrawn := [r for r in last if r.error.get("code") == "WITHDRAWN"]:
        return _unsigned(prompt, withdrawn)
    if _told(prompt, "withdrawn") and (before := [r for r in _turn_before(prompt) if _withdrawn(r)]):
        words = prompt.question
        again = _made_of(words, _YES, _AGAIN, *_names(before)) and _says(f"{_YES}|{_AGAIN}", words)
        return _calls(prompt, cards, [(r, r.args) for r in before]) if again and not declines(words) else []
    return []


def _told_to_drop(prompt: Prompt) -> bool:
    """Whether the desk has asked something back, and the person says to leave it."""
    if (
        not prompt.past
        or prompt.past[-1].who != "desk"
        or not re.search(r"[?？]|\bplease tell me\b|请告诉我", prompt.past[-1].text, re.I)
    ):
        return False
    if any(r.error.get("code") == "CONFLICT" for r in _last_turn(prompt)):
        return False
    words = prompt.question
    return bool(_DROPPED.search(normalise(words))) and _made_of(
        words, _NO, r"\b(?:oh|well|actually|mind|never|forget)\b|哦|唉"
    )


_DROPPED = re.compile(
    r"\b(?:never ?mind|forget (?:it|about it|that)|leave it|drop it|skip it)\b|^\W*(?:还是)?算了|不用了|免了"
)


def undoing(prompt: Prompt, cards: Sequence[Card], text: str) -> Step | None:
    """For an action that was done in the conversation and is now not wanted: the call that its result names as undo.

    None when the text turns down nothing of the kind, or when it was undone already.
    """
    undone: set[str] = set()
    for result in (s.result for s in reversed(prompt.past) if s.result and s.result.ok):
        undo = result.data.get("undo") if isinstance(result.data, dict) else None
        name, args = (undo.get("tool"), undo.get("arguments")) if isinstance(undo, dict) else (None, None)
        done = frozenset(c for c in lexicon.concepts(result.tool.replace("_", " ")) if lexicon.is_action(c))
        turned_down = speech.spared(text, done) or _unwanted(text, result)
        if isinstance(name, str) and isinstance(args, dict) and turned_down and not result.untrusted:
            if result.tool in undone:
                return None
            return call(name, args, text, prompt, cards) or Step(text, "unable")
        if isinstance(name, str):
            undone.add(name)
    return None


_UNWANTED = re.compile(
    r"\b(?:throw|toss|chuck)\b.{0,30}\baway\b|\b(?:scrap|bin|trash|ditch|discard|drop|get rid of|no need for|"
    r"(?:don['’]?t|do not|no longer) (?:want|need))\b|(?:不|甭)(?:再)?(?:要|需要|想要|用)(?:了|啦|吧|$|"
    r"\W)|作废|扔[掉了]|丢[掉了]|删[掉了除]|撤[掉了销回]",
    re.IGNORECASE,
)


def _unwanted(text: str, result: Result) -> bool:
    """Whether a text says that the thing which a call made, and which it names or points at, is not wanted."""
    if speech.asks(text) or not _UNWANTED.search(normalise(text)):
        return False
    made = {
        f for w in result.tool.split("_") for f in lexicon.features(w) if not lexicon.is_action(f.removeprefix("#"))
    }
    made |= {"#draft_state"} if "draft" in result.tool else set()
    here = set(lexicon.features(text))
    return bool(here & made) or bool(re.search(r"\bdraft\b|草稿", normalise(text)) and "draft" in result.tool)


def call(name: str, args: dict[str, Any], text: str, prompt: Prompt, cards: Sequence[Card]) -> Step | None:
    """A step that calls a tool by name; it looks for the tool first when it is not offered."""
    card = next((c for c in cards if c.name == name), None)
    if card is not None:
        return Step(text, "tool", card, Filling(calls=[args], said=set(args)))
    finder = next((c for c in cards if c.finds_tools and len(c.required) == 1), None)
    if finder is None or any(r.tool == finder.name for r in prompt.results):
        return None
    return Step(text, "tool", finder, Filling(calls=[{finder.required[0].name: name.replace("_", " ")}]))


def _calls(prompt: Prompt, cards: Sequence[Card], wanted: Sequence[tuple[Result, dict[str, Any]]]) -> list[Step]:
    steps = [call(r.tool, args, prompt.question, prompt, cards) for r, args in wanted]
    return [s or Step(prompt.question, "unable") for s in steps]


def _last_turn(prompt: Prompt) -> list[Result]:
    """The results since the person's words before the question."""
    found: list[Result] = []
    for said in reversed(prompt.past):
        if said.who == "person":
            break
        if said.result:
            found.insert(0, said.result)
    return found


def _turn_before(prompt: Prompt) -> list[Result]:
    people = [i for i, s in enumerate(prompt.past) if s.who == "person"]
    between = prompt.past[people[-2] : people[-1]] if len(people) > 1 else ()
    return [s.result for s in between if s.result]


def _withdrawn(result: Result) -> bool:
    return result.error.get("code") == "WITHDRAWN"


def _asked_for(result: Result) -> dict[str, str]:
    """The arguments that a conflict asks to be called again with, once the person has agreed."""
    hint = str(result.error.get("hint") or "")
    if result.ok or result.error.get("code") != "CONFLICT" or "again" not in hint:
        return {}
    return dict(_GIVEN.findall(hint))


def _resolved(prompt: Prompt, cards: Sequence[Card], conflicts: Sequence[tuple[Result, dict[str, str]]]) -> list[Step]:
    words = prompt.question
    ids = [re.escape(v) for _, given in conflicts for v in given.values()]
    if not _made_of(words, _YES, _REPLACE, _NO, *ids):
        return []
    kept = re.sub(r"\b(?:keep|remember|save) (?:it |this |that )?(?:the )?new\w*", " ", normalise(words))
    if declines(kept):
        return [Step(words, "spared")]
    if not (agreed_to_replace([words]) and asked_to_remember([words])):
        return []
    return _calls(prompt, cards, [(r, {**r.args, **given}) for r, given in conflicts])


def _names(results: Sequence[Result]) -> list[str]:
    """What the calls are spoken of by: the words of their tools' names, in both languages, and their identifiers."""
    spoken = " ".join(r.tool.replace("_", " ") for r in results)
    known = {f.concept for f in lexicon.find(spoken)}
    words = [re.escape(w) for c in known for w in lexicon.words_of(c)]
    values = [re.escape(normalise(v)) for r in results for v in r.args.values() if isinstance(v, str) and len(v) < 20]
    return [r"(?:" + "|".join(sorted([*words, *values], key=len, reverse=True)) + r")"] if words or values else []


def _unsigned(prompt: Prompt, withdrawn: Sequence[Result]) -> list[Step]:
    """The answer to a yes, or a no, that was typed while a change waited to be signed off."""
    words = prompt.question
    if agrees(words) or (_says(_SIGN, words) and _made_of(words, _YES, _SIGN, *_names(withdrawn))):
        return [Step(words, "dropped" if declines(words) else "withdrawn", topic=withdrawn[0].tool)]
    if declines(words) and _made_of(words, _NO, _YES, _SIGN, *_names(withdrawn)):
        return [Step(words, "dropped", topic=withdrawn[0].tool)]
    return []


def _told(prompt: Prompt, key: str) -> bool:
    """Whether the desk's last words were a certain phrase."""
    last = prompt.past[-1].text if prompt.past and prompt.past[-1].who == "desk" else ""
    return phrases.is_phrase(key, last)
