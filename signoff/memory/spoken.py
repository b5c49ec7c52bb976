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
    r"(?:please|pls|plz|kindly|ok(?:ay)?|yes|hi|hello|hey|oh|and|also|so|well|just|now|then|can you|could you|would you"
    r"|will you|let['’]?s|i(?:'d| would) like you to|i (?:want|need) you to|you should|make sure (?:that )?(?:you|to)"
    r"|be sure to|try to|for me)\b"
)
_ASKED_EN = re.compile(
    rf"^(?:(?:{_POLITE})[\s,:]*)*"
    r"(?:(?:do not|don['’]?t|never|not)(?: you)?(?: ever)? forget|remember|memori[sz]e|keep in mind|bear in mind"
    r"|(?:keep|bear) (?:this|that|it) in mind|(?:note|jot|write|take)(?: (?:this|that|it))? down|note(?: to self)?"
    r"|(?:make|take|keep)(?: (?:a|mental|quick|little))* notes?(?: of)?|(?:save|store|record|log)"
    r"(?: (?:this|that|it))?(?: (?:to|in|into) (?:your |the |long-term )*memory)?|(?:commit|add)(?: (?:this|that|it))?"
    r" to (?:your |the |long-term )*memory|keep (?:it |this )?on (?:file|record)|fyi|for (?:the|your) record"
    r"|be aware|learn"
    r"|for your information|(?:just )?so (?:that )?you know|for (?:future|later) reference|for next time"
    r"|(?:please )?know)\b"
    r"(?:\s+(?:this|it|down|for me|for (?:later|next time|the future|future reference)))*[\s,:：–—-]*"
    r"(?:(?:that|about me|to)\b[\s,:]*)?",
    re.IGNORECASE,
)
_ASKED_ZH = re.compile(
    r"^(?:请|麻烦|劳烦|帮我|帮忙|帮|替我|给我|我(?:想|要|希望)(?=你|您|让|请)|让|你|您|能|能不能|可以|可否|要|得|那"
    r"|好的?|嗯|另外|还有|也|再|以下|一下"
    r"|千万|一定|务必|(?:以后|今后|下次)(?=都?记)|都|[\s,，:：])*"
    r"(?:记住|记下来?|记一[下记]|记着|记得|记好|记牢|记个(?:事|笔记)?|记录(?:一?下来?)?|做个?(?:笔记|记录|备注"
    r"|备忘)|牢记|谨记|铭记|切记|记(?=[:：,，])"
    r"|别忘[了记]?|不要忘[了记]?|不能忘[了记]?|勿忘|备忘|备注一?下?|(?:保存|存)(?:一下|下来)?|留个?(?:底|备注|记录)"
    r"|请?(?:注意|知悉)(?=[,，:：我一]))"
    r"(?:一下|这一?点|这件事|这个|哦|啊|呀|了|住|[\s,，:：—-])*"
)
_AFTER = re.compile(
    r"[\s,，;；。.!！]*(?:[,，;；。.!\s](?:and |so )?(?:please |pls )?(?:remember|keep|bear|note|save|store|write|jot"
    r"|(?:don['’]?t|do not|never) forget)"
    r"(?: (?:that|this|it|in mind|down|for (?:later|next time|me)))*|please|pls|thanks|thank you|ok(?:ay)?"
    r"|(?:请|麻烦|千万|一定)*(?:你|您)?(?:要|帮我|给我)*(?:记住|记一[下记]|记下来?|记着|记好|记得|别忘[了记]?"
    r"|不要忘[了记]?|备注一下)"
    r"(?:这一?点|这个|哦|啊|了|吧|呀|一下)*|谢谢|拜托|好吗|可以吗|行吗|[吗么])?"
    r"[\s,，;；。.!！]*$",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"(?:this|that|it|me|these|those|them|so|the (?:above|following|same)|what i (?:just )?said|everything|something"
    r"|这个?|那个?|它|这些|那些|这件事|那件事|这一?点|上面的?|刚才(?:说)?的?|我说的话?)?[\s.。!！?？]*",
    re.IGNORECASE,
)

_ASKING = re.compile(
    r"[?？]|[吗么呢]\W*$|什么|怎么|哪|多少|是否|能不能"
    r"|^\W*(?:what|where|when|who|why|how|which|can|could|do|does|did|is|are|will|would|should|please|hi|hello"
    r"|thanks?)\b"
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
    if not exact <= _content(passage) or negated(fact) != negated(passage):
        return None
    return Spoken(shorten(passage, WORDS_CHARS), round(-count / len(wanted), 2))


def _content(text: str) -> frozenset[str]:
    return frozenset(t for t in tokens(text) if t not in STOP_WORDS and t not in _PERSON)


def _compact(text: str) -> str:
    return "".join(c for c in normalise(text) if c.isalnum())


def negated(text: str) -> bool:
    """Whether a text denies something; not forgetting is no denial."""
    return bool(_NEGATION.search(_DO_NOT_FORGET.sub(" ", normalise(text))))
