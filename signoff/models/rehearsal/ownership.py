"""Whether somebody else's data is asked for: users, colleagues, other companies."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff.models.rehearsal import identifiers, lexicon
from signoff.models.rehearsal.cards import Card

_OTHERS = re.compile(
    r"(?:用户|客户|会员|账号|账户|员工|租户|同事|用户名)\s*[:：#为是]?\s*(?:[a-z]*[-_]?\d[\w-]*|[a-z][\w.-]*)"
    r"|(?:别人|其他人|他人|其他用户|别的用户|其他客户|所有人|所有用户|全部用户|全公司|大家|每个人|同事|"
    r"我同事|我朋友|我老婆|我老公|隔壁\w{0,3})的"
    r"|\b(?:user|customer|account|client|tenant|member|employee|company)\s+(?:id\s+|number\s+|named\s+|"
    r"called\s+)?[:#]?\s*[a-z]*[-_]?\d[\w-]*"
    r"|\b(?:tenant|company)\s+[a-z][\w-]+"
    r"|\b(?:everyone|everybody|someone else|somebody else)(?:'s|s')"
    r"|\b(?:of|for|from|belonging to)\s+(?:everyone|everybody|someone else|somebody else)\b"
    r"|\b(?:other (?:people|user|customer|client|person)|"
    r"another (?:user|customer|person|tenant)|"
    r"all (?:users|customers|people))(?:'s|s'|s)?\b"
    r"|\b(?!(?:it|what|that|let|today|tomorrow|yesterday|who|where|there|here|how|week|month|year|order|"
    r"ticket|parcel|one|she|he|when|why)'s)(?![a-z]*-?\d)([a-z][\w-]+)'s\s+"
    r"(?:orders?|tickets?|data|records?|refunds?|parcels?|addresse?s?|accounts?|information|details|history|purchases)"
    r"|(?<![a-z0-9-])(?![a-z]\d{3})[a-z][a-z-]{2,}\d{0,3}\s*(?:公司|用户|租户)?的(?:所有|全部)?(?:订单|"
    r"工单|数据|退款|地址|记录|物流|快递|信息)"
    r"|"
    r"[赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕张孔曹严华金魏陶姜谢邹喻苏潘葛范彭鲁韦马方俞任袁柳唐罗薛雷贺倪汤][\u4e00-\u9fff]{1,2}的(?:所有|"
    r"全部)?(?:订单|工单|数据|退款|地址|记录|物流|快递|信息)"
)
_CODE = re.compile(
    r"(?<![a-z0-9-])([a-z]{1,4}-\d{1,6})'s\s+(?:orders?|tickets?|data|records?|refunds?|parcels?|addresse?s?|account)|"
    r"(?<![a-z0-9-])([a-z]{1,4}-\d{1,6})\s*的(?:所有|全部)?(?:订单|工单|数据|退款|地址|记录|物流|快递|信息)|"
    r"\b(?:orders?|tickets?|data|records|refunds?|parcels?|addresse?s?)\s+(?:of|for|from|belonging to)\s+"
    r"([a-z]{1,4}-\d{1,6})\b"
)
"""Data of somebody who is named by a code, such as `u-42`."""
_NAMED = re.compile(
    r"\bwhat (?:[A-Z][a-z]+ ){1,2}(?:has|have|had|did|bought|ordered|asked|returned)\b|"
    r"\b(?:orders?|tickets?|parcels?|refunds?|purchases|records?|address(?:es)?|data) (?:of|for|from|by|belonging to) "
    r"(?!(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday"
    r"|Thursday|Friday|Saturday|Sunday)\b)[A-Z][a-z]+(?: [A-Z][a-z]+)?(?![\w@])|"
    r"\b(?:has|have|did|does|is) (?!I\b)[A-Z][a-z]+ [A-Z][a-z]+ (?:order|ordered|buy|bought|return|"
    r"returned|get|got|have)\b"
)
"""Data of somebody who is named."""
_WHOSE = frozenset(
    "#user #customer #employee #tenant #account user customer employee tenant owner person caller member".split()
)


def others(text: str, cards: Sequence[Card]) -> bool:
    """Whether other people's data is asked for, and no tool takes a person."""
    if any(p.words & _WHOSE for c in cards for p in c.parameters):
        return False
    folded = lexicon.fold(text)
    if (code := _CODE.search(folded)) and not _known(next(g for g in code.groups() if g), cards):
        return True
    if _NAMED.search(text):
        return True
    match = _OTHERS.search(folded)
    return bool(match) and not re.fullmatch(r"(?:my|our|your)\b.*", match[0] if match else "")


def _known(code: str, cards: Sequence[Card]) -> bool:
    """Whether a tool takes such a code, which then is no person's."""
    return any(
        identifiers.is_identifier(c, p) and identifiers.has_form(c, p) and identifiers.find(c, p, code)
        for c in cards
        for p in c.parameters
    )
