"""Wishes to speak to a person rather than to the desk, and the same turned down: how they are said."""

from __future__ import annotations

import re
from typing import Final, Literal

CONCEPT: Final = "hand_over"

_WHO = (
    r"(?:(?:a|an|the|some|another|your|any|actual|real|live|human|customer|service|support|care|sales|proper) )*"
    r"(?:humans?|persons?|people|agents?|representatives?|reps?|operators?|someone|somebody|anyone|anybody|supervisors?|"
    r"staff|advis[eo]rs?|specialists?|customer (?:service|support|care)|managers?)\b(?!['’])"
)
_BOT = r"(?:(?:a|an|the|this|some|stupid|your|with|to) )*(?:chat)?(?:bots?|robots?|machines?|computers?|ai|software)\b"

_AGAINST_BOTS = (
    re.compile(
        r"(?:don['’]?t|do not|won['’]?t|no longer|not|stop|hate|tired|sick|enough|instead|rather than)"
        r"(?: (?:want|wanna|like|going|to|of|having|keep|be|with))*"
        rf"(?: (?:talk|speak|chat|deal|argu|writ)(?:e|ing)?)?(?: (?:of|with|to|by))* {_BOT}[^,.;!?]*"
    ),
    re.compile(
        r"(?:不想|不要|不愿意?|别|受够了?|讨厌|烦死|拒绝|不跟|不和)(?:再|继续|让|用|跟|和|与|对着|看|给我|一个|这个?|"
        r"那个?|你们?的?|当|是|听|同)*机器人[^,，。;；!！?？]*"
    ),
)
"""Those that deny the machine, and so ask for a person."""

SAID = (
    re.compile(rf"(?:speak|talk|chat|speaking|talking|chatting)(?= (?:to|with) {_WHO})"),
    re.compile(
        r"(?:connect|transfer|put|switch|pass|direct|refer|route|hand)"
        rf"(?= (?:me|us|this|it)(?: (?:through|over|on))?(?: (?:to|with))? {_WHO})"
    ),
    re.compile(rf"(?:get|give|find|fetch)(?= (?:me|us) (?!some(?:one|body)['’]){_WHO}(?! (?:number|phone|name|list)))"),
    re.compile(r"reach(?= (?:(?:a|an|the|real|live|human) )+(?:human|person|agent|representative|operator)\b)"),
    re.compile(r"(?:human|representative|agent)(?= (?:needed|required|necessary|please|now|any ?more)\b)"),
    re.compile(r"(?:humans?|agents?|representatives?)(?=[ ,.!?]*$)"),
    *_AGAINST_BOTS,
    re.compile(
        r"(?:转接?|找|接|叫|换|要|喊|来)(?:给|到|成|去)?(?:一?个|位)?"
        r"(?:真人|真的人|活人|人(?=来(?!修|拿|取|搬|装)|[,，。!！吧]|$)|客服(?!电话|号码|时间|工号|邮箱)|坐席|话务员|接线员|工作人员)"
    ),
    re.compile(
        r"(?:跟|和|与|同)(?:一?个|位)?(?:真人|活人|人(?=说|聊|谈)|客服|坐席|工作人员)(?=说|聊|谈|讲|沟通|对话|交流)"
    ),
)
"""Beside the words of the vocabulary: what says so in parts that stand apart."""

_TURNED_DOWN = re.compile(
    r"\b(?:don['’]?t|do not|no longer|never mind|nevermind|no need|not|no|without|forget|stop|needn['’]?t|won['’]?t|"
    r"cancel|withdraw|undo|revoke|retract|take back)\b"
    r"(?: [\w'’]+){0,6}? ?$|"
    r"(?:不用|不需要?|不要|不必|无需|无须|别|不想|先不|暂不|不再?|取消|撤回|撤销|收回)[^,，。;；!！?？]{0,5}$",
)
_DONE_WITHOUT = re.compile(
    r"^[^,.;!?]{0,30}\b(?:not|no longer|n['’]t|isn['’]?t) (?:needed|required|necessary|wanted)\b|"
    r"^[^,，。;；!！?？]{0,6}(?:不用|不需要|不必|不要)了?"
)
_REACHES = re.compile(
    r"\b(?:can|could|may|might|would|will|want|need|like|let|please|possible|any way|able|how (?:do|can|could) i|"
    r"is there|are there|do you have|anyone|someone)\b|"
    r"(?:能|可以|可否|想|要|让|请|帮|给我|麻烦|怎么|如何|怎样|有没有|有|在吗|转|找|接)"
)

_ABOUT = re.compile(
    r"\b(?:hours?|numbers?|phone|open|opens|closed?|when|why|who|fees?|cost|costs)\b|几点|时间|电话|号码|什么是|是什么|为什么|收费|费用"
)


def force(clause: str, start: int, end: int) -> Literal["order", "negated"] | None:
    """`order` or `negated` where a clause (folded) wishes for a person at a place, or wishes for none.

    To ask whether or how one can speak to somebody is to ask for it. None where it only speaks of it.
    """
    left, right, word = clause[:start], clause[end:], clause[start:end]
    if any(p.fullmatch(word) for p in _AGAINST_BOTS):
        return "order"
    if _TURNED_DOWN.search(left) or _DONE_WITHOUT.search(right):
        return "negated"
    asked = re.search(r"[?？]|[吗么]\W*$|^\W*(?:can|could|may|is|are|do|does|how|what|who|why|when|where)\b", clause)
    if asked is None:
        return None
    return "order" if _REACHES.search(clause) and not _ABOUT.search(clause) else None
