"""Orders for a part of what can only be done as a whole: 100 yuan of an order that is refunded in full."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff.models.rehearsal import lexicon, pending, phrases, speech
from signoff.models.rehearsal.cards import Card
from signoff.models.rehearsal.prompt import Prompt

_WHOLE_ONLY = re.compile(
    r"\b(?:whole|full|entire|total)\b(?: \w+){0,2} ?(?:amount|sum|price|payment|order)|全额|整单|全部金额|全款",
    re.IGNORECASE,
)
_COUNT = (
    r"(?:\d[\d,]*(?:\.\d+)?|(?:(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|sixty|"
    r"seventy|eighty|ninety|hundred|thousand)[ -]?)+)"
)
_UNIT = r"(?:yuan|rmb|cny|dollars?|usd|euros?|eur|bucks|kuai)"
_SUM = rf"(?:[$¥€£￥]\s?\d[\d,]*(?:\.\d+)?|{_COUNT}\s?{_UNIT}\b)"
_COUNT_ZH = r"(?:\d[\d,]*(?:\.\d+)?|[一二两三四五六七八九十百千万]+)"
_SUM_ZH = rf"(?:[¥￥]\s?\d[\d,.]*|{_COUNT_ZH}\s?(?:元|块钱?|圆|人民币|rmb|yuan))"
_SHARE = (
    r"\d+(?:\.\d+)?\s?(?:%|percent\b|per cent\b)|\bhalf(?: of)?\b|"
    r"\b(?:a|one|two|three) (?:third|quarter|fifth)s?(?: of)?\b|"
    r"\bpart(?:ial(?:ly)?| of)\b|\ba (?:part|portion|fraction|share)(?: of)?\b|\bsome of (?:it|the)\b|\bpartly\b|"
    r"\b(?:only |just )?(?:one|two|three|\d+) of (?:the|its|my|them)\b(?: \w+){0,2}|"
    r"一半|半价|半款|一部分|部分|百分之[\d一二两三四五六七八九十]+|[一二三四五六七八九]分之[一二三四五六七八九]|"
    r"[一二两三四五六七八九]成|其中(?:的)?(?:一|两|二|三|\d)?(?:件|个|样|部分)?|里面?的?(?:一|两)(?:件|个)"
)
_PARTS = (
    rf"(?<![\w.]){_SUM}",
    _SUM_ZH,
    _SHARE,
    r"(?:只|仅|就|先)(?:要|想|需要)?退(?:款|还|回|给我|我)*\s?\d+(?:\.\d+)?(?![\d天日号个年月-])",
    r"退(?:给)?我\s?\d+(?:\.\d+)?(?![\d天日号个年月-])",
)
_PART = re.compile("|".join(_PARTS), re.IGNORECASE)
_ALL = re.compile(
    r"\b(?:whole|full|fully|entire|all|complete(?:ly)?|100\s?%|everything)\b|全额|全部|整单|全款|所有|百分之百|都退",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:cost|costs|paid|pay|spent|worth|priced?|charged|over|above|below|under|more|less)\b[^,.;]{0,24}$"
    r"|(?:花|付|价|值|买|超过|高于|低于|支付|原价|总共|一共)[^,，。;；]{0,8}$",
    re.IGNORECASE,
)
_TOLD_AFTER = re.compile(r"^\s?(?:的订单|那单|那笔|的那|买|order\b)", re.IGNORECASE)
_WHY = re.compile(r"\b(?:because|since|due to|as it|as the|reason)\b|因为|由于|原因", re.IGNORECASE)


def in_part(card: Card, text: str) -> bool:
    """Whether a text orders for a part of something what the tool can only do for all of it."""
    whole_only = _WHOLE_ONLY.search(card.description) or "cancel" in card.verbs
    if not card.writes or not whole_only or _ALL.search(text):
        return False
    if any(p.type in ("number", "integer") or "amount" in p.words for p in card.parameters):
        return False
    return any(True for _ in _found(card, text))


def whole_of(text: str) -> str:
    """The same order without its part."""
    return " ".join(_PART.sub(lambda m: _verb(m[0]), text).split())


def asked(prompt: Prompt) -> str:
    """What was ordered in part before the desk asked whether it should be the whole; empty when it did not ask."""
    past = prompt.past
    if not past or past[-1].who != "desk" or not phrases.is_phrase("only whole", past[-1].text):
        return ""
    return next((s.text for s in reversed(past) if s.who == "person"), "")


def answered(text: str) -> bool | None:
    """Whether the reply is a yes to the whole, a no, or (None) something else."""
    said = _ALL.sub(" ", text)
    if pending.declines(text):
        return False
    bare = re.sub(r"\b(?:amount|sum|refund|order)\b|金额|退款?|办理?", " ", said)
    return True if pending.agrees(f"yes {bare}") and (pending.agrees(bare) or said != text) else None


def _found(card: Card, text: str) -> Sequence[re.Match[str]]:
    found = []
    for part in speech.SUBCLAUSE.finditer(text):
        clause = part[0]
        if why := _WHY.search(clause):
            clause = clause[: why.start()]
        ordered = speech.mentions(clause, card.verbs)
        for match in _PART.finditer(clause):
            left, right = clause[: match.start()], clause[match.end() :]
            if _TOLD.search(left) or _TOLD_AFTER.search(right):
                continue
            alone = not set(lexicon.features(left + " " + right)) - {"#yuan", "back", "元"}
            if ordered or alone or re.search(r"\b(?:only|just)\b|只|仅", left + right[:6]):
                found.append(match)
    return found


def _verb(part: str) -> str:
    return "退款" if "退" in part else " "
