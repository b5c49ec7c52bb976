"""Whether a fact is what the person said: in their own words, in this conversation, and not turned round."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from signoff.text import STOP_WORDS, normalise, shorten, tokens

ENOUGH = 0.75
"""Share of a fact's words that one passage of what was said must hold."""
LOOK_BACK = 20
"""Newest messages of the person that a fact may come from."""
WORDS_CHARS = 300

_PERSON = frozenset("user users customer client person they them their he she his her 用户 客户 本人 他 她".split())
_CLAUSE = re.compile(r"[,，;；。!！?？\n]+|\.(?=\s|$)|\s+[-–—]\s+|\s+but\s+|但是?|不过|而是")
_NEGATION = re.compile(
    r"\b(?:not|never|cannot|without|nor|neither|none|dont|doesnt|wont|cant|no(?!\.?\s*\d))\b|n['’]t\b"
    r"|不(?!错|久|仅|同|过)|(?<![特分级类个区性辨])别(?![人的名处墅])|没(?!问题)|勿|无[需法须]|未(?!来)|从不|停止|拒绝"
)
_DO_NOT_FORGET = re.compile(r"\b(?:do not|don['’]?t|never)\s+forget\b|(?:不要|不能|别)忘(?:记|了|掉)?|勿忘")

_POLITE = (
    r"(?:please|pls|kindly|ok(?:ay)?|hi|hello|hey|and|also|so|well|just|now|can you|could you|would you|will you"
    r"|i(?:'d| would) like you to|i want you to|you should|for me)\b"
)
_ASKED_EN = re.compile(
    rf"^(?:(?:{_POLITE})[\s,:]*)*"
    r"(?:(?:do not|don['’]?t|never) forget|remember|memori[sz]e|keep in mind|bear in mind|note down|note(?: to self)?"
    r"|make a note(?: of)?|take(?: a)? note(?: of)?|save|store|record|write down|fyi|for the record"
    r"|for (?:future reference|next time))\b"
    r"(?:\s+(?:this|it|down|for me|for (?:later|next time|the future|future reference)))*[\s,:：–—-]*"
    r"(?:(?:that|about me|to)\b[\s,:]*)?",
    re.IGNORECASE,
)
_ASKED_ZH = re.compile(
    r"^(?:请|麻烦|劳烦|帮我|帮忙|帮|替我|给我|你|您|要|得|那|好的?|嗯|另外|还有|也|再|以下|一下|[\s,，:：])*"
    r"(?:记住|记下来?|记一下|记着|记得|记录一?下?|牢记|别忘[了记]?|不要忘[了记]?|勿忘|备忘|备注一?下?|保存一?下?|存一下)"
    r"(?:一下|这一?点|这件事|这个|哦|啊|了|住|[\s,，:：—-])*"
)
_AFTER = re.compile(
    r"[\s,，;；。.!！]*(?:[,，;；。.!\s](?:and )?(?:please |pls )?(?:remember|keep|note|save|store)"
    r"(?: (?:that|this|it|in mind|down|for (?:later|next time|me)))*|please|pls|thanks|thank you"
    r"|请?(?:你|您)?(?:帮我)?(?:记住|记一下|记下来?|记着|别忘了?|不要忘了?|备注一下)(?:这一?点|这个|哦|啊|了|吧|一下)*|谢谢|拜托)?"
    r"[\s,，;；。.!！]*$",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"(?:this|that|it|me|these|those|them|so|the (?:above|following|same)|what i (?:just )?said|everything|something"
    r"|这个?|那个?|它|这些|那些|这件事|那件事|这一?点|上面的?|刚才(?:说)?的?|我说的话?)?[\s.。!！?？]*",
    re.IGNORECASE,
)

_REQUEST = re.compile(
    r"\b(?:remember\w*|memor(?:y|i[sz]e)|in mind|notes?|forget|save|store|record|down|for the record|fyi"
    r"|next time|future|from now on|going forward|henceforth|always|never|every time|for later|know that)\b"
    r"|记(?!录)|忘|备注|备忘|保存|存[一下]|以后|今后|下次|往后|将来|从现在起|一直|总是|每次"
)
_YES = re.compile(
    r"\W*(?:(?:yes|yeah|yep|sure|ok(?:ay)?|please|do|it|so|that|go ahead|right|correct|exactly|是的?|对的?|好的?|嗯"
    r"|可以|行|没错|请|要的?|确认|吧)\W*){1,5}"
)
_ASKING = re.compile(
    r"[?？]|[吗么呢]\W*$|什么|怎么|哪|多少|是否|能不能"
    r"|^\W*(?:what|where|when|who|why|how|which|can|could|do|does|did|is|are|will|would|should|please|hi|hello|thanks?)\b"
)


@dataclass(frozen=True)
class Spoken:
    """Where the person said a fact."""

    words: str
    """The passage that says it, at most 300 characters."""
    share: float
    """Of the fact's words that the passage holds, 0 to 1; 1 too when it holds the fact word for word."""


def bare(text: str) -> str:
    """The fact itself, without the words that ask to have it remembered; empty when nothing else was said."""
    text = " ".join(text.split()).strip(" \"'“”「」『』")
    for lead in (_ASKED_EN, _ASKED_ZH):
        text = lead.sub("", text, count=1)
    text = _AFTER.sub("", text, count=1).strip(" \"'“”「」『』,，;；:：?？")
    text = re.sub(r"^(?:that|to) (?=\w)", "", text)
    return "" if _NOTHING.fullmatch(text) else text


def asked_to_remember(said: Sequence[str]) -> bool:
    """Whether the newest of the person's messages asks for something to be kept for later, or says yes to it."""
    newest = normalise(said[0]) if said else ""
    return bool(_REQUEST.search(newest) or _YES.fullmatch(newest))


def pointed_at(said: Sequence[str]) -> str:
    """What "remember that" points at: what the person told in the message before; empty when they told nothing."""
    before = said[1].strip() if len(said) > 1 else ""
    return (
        "" if _ASKING.search(normalise(before)) or _ASKED_EN.match(before) or _ASKED_ZH.match(before) else bare(before)
    )


def spoken(fact: str, said: Sequence[str]) -> Spoken | None:
    """The passage in the person's messages (newest first) that says the fact; None when none does.

    It must hold most of the fact's words, all of its numbers and codes, and be negated as the fact is: "I do
    not like calls" does not say "likes calls".
    """
    wanted = _content(fact)
    if not wanted:
        return None
    best: Spoken | None = None
    for message in said[:LOOK_BACK]:
        found = _passage(fact, wanted, message)
        if found is not None and found.share >= ENOUGH and (best is None or found.share > best.share):
            best = found
    return best


def _passage(fact: str, wanted: frozenset[str], message: str) -> Spoken | None:
    """The shortest run of clauses that holds most of the wanted words."""
    edges = [0, *(m.end() for m in _CLAUSE.finditer(message)), len(message)]
    clauses = [(a, b) for a, b in itertools.pairwise(edges) if message[a:b].strip()][:200]
    words = [_content(message[a:b]) for a, b in clauses]
    runs: list[tuple[int, int, int, int]] = []
    for i in range(len(clauses)):
        held: frozenset[str] = frozenset()
        for j in range(i, min(len(clauses), i + 8)):
            held |= words[j] & wanted
            verbatim = _compact(fact) in _compact(message[clauses[i][0] : clauses[j][1]])
            count = len(wanted) if verbatim else len(held)
            runs.append((-count, clauses[j][1] - clauses[i][0], clauses[i][0], clauses[j][1]))
            if count == len(wanted):
                break
    if not runs:
        return None
    count, _, start, end = min(runs)
    passage = message[start:end].strip(" ,，;；")
    exact = {w for w in wanted if any(c.isdigit() for c in w)}
    if not exact <= _content(passage) or _negated(fact) != _negated(passage):
        return None
    return Spoken(shorten(passage, WORDS_CHARS), round(-count / len(wanted), 2))


def _content(text: str) -> frozenset[str]:
    return frozenset(t for t in tokens(text) if t not in STOP_WORDS and t not in _PERSON)


def _compact(text: str) -> str:
    return "".join(c for c in normalise(text) if c.isalnum())


def _negated(text: str) -> bool:
    return bool(_NEGATION.search(_DO_NOT_FORGET.sub(" ", normalise(text))))
