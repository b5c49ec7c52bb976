"""Splits a message into requests and says what kind each is: rules first, then likeness, always a default.

What stays open is put to the router's model, where there is one: see `router`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from signoff import smalltalk
from signoff.caller import Caller
from signoff.state import Intent
from signoff.text import language, normalise, tokens
from signoff.tools.selection import Match, Selector

SURE = 0.34
"""Likeness from which the best tool is taken to be meant."""
POSSIBLE = 0.12
"""Likeness from which a tool may be meant."""

# A connective parts two requests only where something that can be asked for stands on both sides.
_CONNECTIVE = re.compile(
    r"[;；\n]+|[,，。!！?？]?\s*(?:并且|顺便|顺带|然后|接着|另外|此外|还有|同时|以及|再帮我|再看看|再查|，再|，并|，也)"
    r"|[.?!]\s+(?=[A-Z])|[。？！?!]\s*"
    r"|,?\s+(?:and then|and also|and|then|also|plus|as well as)\s+",
    re.IGNORECASE,
)
_DEPENDS = re.compile(r"然后|接着|再|then|after that", re.IGNORECASE)
_FOREIGN = re.compile(
    r"(?:用户|客户|会员|账号|账户|同事)\s*[:：#]?\s*([a-z0-9][\w.-]*)"
    r"|(?<![\w-])(?:user|customer|account|client|tenant)\s+[:#]?\s*([a-z]*-?\d[\w.-]*)"
    r"|(?<![\w-])([a-z][\w.-]{2,})'s\s+(?:orders?|tickets?|data|records?|refunds?|address|account)"
    r"|(?<![\w-])([a-z][\w.-]{2,})\s*(?:公司)?的(?:订单|工单|数据|退款|地址|记录)",
    re.IGNORECASE,
)
_NOT_FOREIGN = frozenset("my your today yesterday last this that it the order what who let here there".split())


@dataclass(frozen=True)
class Reading:
    """What a message asks for."""

    intents: list[Intent]
    confidence: float
    """Of the intent that the words say least of."""
    foreign: str | None
    """Whose data other than the caller's was named, if anybody's."""
    named: tuple[str, ...] = ()
    """Tools that the router's model named; the turn sees them."""


def read(text: str, selector: Selector, caller: Caller) -> Reading:
    """Split a message and judge each part. The default kind is `other`: everything may be needed."""
    parts = _parts(text, selector, caller)
    intents = [_judge(p, selector, caller) for p in parts]
    for i, intent in enumerate(intents):
        if i and _DEPENDS.search(text[: text.find(intent["text"])][-8:]):
            intent["after"] = [i - 1]
    return Reading(intents, min(i["confidence"] for i in intents), _foreign(text, caller))


def _parts(text: str, selector: Selector, caller: Caller) -> list[str]:
    """Candidate parts, merged again where two neighbours do not ask for two different things."""
    merged: list[str] = []
    start = 0
    edges = [(m.start(), m.end()) for m in _CONNECTIVE.finditer(text)] + [(len(text), len(text))]
    begun = 0
    for stop, after in edges:
        part = text[begun:stop].strip(" ,，。.?？!！")
        if part:
            if merged and not _own_request(part, merged[-1], selector, caller):
                merged[-1] = text[start:stop].strip()
            else:
                start = begun
                merged.append(part)
        begun = after
    return merged or [text.strip()]


def _own_request(part: str, before: str, selector: Selector, caller: Caller) -> bool:
    """Whether a part asks for something by itself, other than the part before it does."""
    if smalltalk.kind(before):
        return True
    if len(tokens(part)) < (1 if language(part) == "zh" else 2):
        return False
    here, there = selector.rank(part, caller)[:1], selector.rank(before, caller)[:1]
    if not here or here[0].score < POSSIBLE:
        return False
    return not there or here[0].tool.name != there[0].tool.name or there[0].score < POSSIBLE


def _judge(text: str, selector: Selector, caller: Caller) -> Intent:
    # "Yes" and "OK" are answers to something: what it was, the turn before tells.
    if smalltalk.kind(text) not in (None, "ok"):
        return Intent(text=text, kind="small_talk", tools=[], confidence=1.0, after=[])
    ranking = selector.rank(text, caller)
    likely = [m for m in ranking if m.score >= POSSIBLE][:4]
    best = likely[0].score if likely else 0.0
    if best < POSSIBLE:
        return Intent(text=text, kind="other", tools=[], confidence=best, after=[])
    names = [m.tool.name for m in likely]
    if best < SURE or _searches(likely[0]):
        return Intent(text=text, kind="knowledge", tools=names, confidence=best, after=[])
    return Intent(text=text, kind="task", tools=names, confidence=min(1.0, best), after=[])


def _searches(match: Match) -> bool:
    return "knowledge" in match.tool.injects


def _foreign(text: str, caller: Caller) -> str | None:
    for match in _FOREIGN.finditer(normalise(text)):
        name = next(g for g in match.groups() if g)
        if name not in _NOT_FOREIGN and name not in (normalise(caller.user), normalise(caller.tenant)):
            return name
    return None
