"""A question as it stands alone: what earlier questions of the conversation must add to it, and other wordings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from signoff import smalltalk
from signoff.knowledge.glossary import Mention, mentions
from signoff.knowledge.query import Group, groups_of
from signoff.knowledge.terms import terms
from signoff.knowledge.topics import things
from signoff.text import language, normalise

MAX_VARIANTS = 4
"""Wordings beside the first."""
MAX_HISTORY = 6
"""Earlier questions that are looked at."""
MAX_DROPPING = 10
"""Characters of a Chinese question that may leave its subject out."""
MAX_CHARS = 1_000
"""Of a longer question nothing is completed: it says enough."""

# Words of a line are alike: in a question that goes on from another, one takes the other's place.
_ALIKE = """
manager|managers|director|directors|intern|interns|contractor|contractors|supervisor|engineer|employee|employees|staff
经理|总监|实习生|外包|外包人员|主管|普通员工|正式员工|试用期员工|员工|高管|经理级
hotel|hotels|accommodation|lodging|meal|meals|food|taxi|taxis|train|trains|flight|flights|transport|fuel|parking
住宿|住宿费|酒店|餐费|餐补|吃饭|打车|出租车|火车|高铁|机票|飞机|交通|交通费|话费|油费|自驾|停车|停车费
annual leave|sick leave|maternity leave|paternity leave|marriage leave|bereavement leave|personal leave|unpaid leave
年假|病假|事假|婚假|产假|陪产假|丧假|育儿假|调休
speaker|speakers|headphone|headphones|charger|chargers|cable|cables|battery|laptop|phone|monitor|earbuds
音箱|耳机|充电器|数据线|电池|电脑|笔记本|手机|显示器|耳塞
credit card|debit card|bank transfer|balance|信用卡|借记卡|银行卡|余额|银行转账
return|returns|exchange|exchanges|refund|refunds|repair|repairs
退货|换货|退款|维修
sev1|sev2|sev3|一级故障|二级故障|三级故障
beijing|shanghai|shenzhen|guangzhou|hangzhou|chengdu|london|paris|berlin|new york|tokyo|singapore
北京|上海|深圳|广州|杭州|成都|一线城市|其他城市|伦敦|巴黎|柏林|纽约|东京|新加坡
windows|macos|linux|ubuntu|android|ios|iphone|mac
weekday|weekdays|weekend|weekends|public holiday|public holidays|night
工作日|周末|节假日|法定节假日|夜里|晚上
"""
# Concepts that can be asked of anything: alone they name no topic.
_FACETS = """
审批 申请 付款 费用 登记 期限 材料 标准 超出 财务 经理 人事 工作日 政策 响应 自费 发票 运费 报价 升级 优惠
"""

_LEAD_ZH = re.compile(
    r"^(?:那么|那|嗯|哦|好的?|另外|还有|再问一下|请问|以及|而且|同样|如果是|要是|换成|如果|对了)+[,，\s]*"
)
_TAIL_ZH = re.compile(r"(?:呢|怎么样|如何|怎么办|行吗|可以吗|也一样吗|也是吗|一样吗|吗)*\s*[?？。!！]*$")
_ELLIPSIS_ZH = re.compile(
    r"^(?:(?:那么|那|还有|另外|以及|好的?[,，])[,，\s]*)?(?:如果是|要是|换成|对于|对|如果)?"
    r"(?P<topic>[^,，?？。]{1,16}?)(?:的话|的)?(?:呢|也一样吗|也是吗|一样吗|也可以吗|也行吗|怎么样)\s*[?？]*$"
)
_ELLIPSIS_EN = re.compile(
    r"^(?:ok(?:ay)?[,.]?\s+|and\s+|but\s+|so\s+|then\s+)*"
    r"(?:what about|how about|and|what if it(?:'s| is)|same for|also)\s+"
    r"(?P<topic>[^?]{1,60}?)\s*(?:then|too|as well|though)?\s*\?*$"
    r"|^(?P<bare>(?:for|in|on|at|with|by|to|from|during)\s+[^?]{1,50}?)\s*\?*$",
    re.IGNORECASE,
)
_PREPOSED = re.compile(r"^(for|in|on|at|with|by|to|from|during|if)\s+(.+)$", re.IGNORECASE)
_PRONOUN_ZH = re.compile(
    r"它们?|(?<!其)[他她]们?(?!人)|其(?![他它实中余])|(?<![在从到去来])这(?:个|种|些|款|项|样|类|份|笔|条)?+(?![天周月年里儿边次么时])"
    r"|那(?:个|种|些|款|项|类|份|笔|条)(?![天周月年])|上面(?:说?的)?|刚才(?:说?的)?"
)
_PRONOUN_EN = re.compile(
    r"\b(?:it|its|they|them|their|theirs|this|these|those|that|one|ones|he|she|him|her|there|so)\b", re.IGNORECASE
)
# The pronoun stands for nothing said before.
_EXPLETIVE = re.compile(
    r"\b(?:is|was|isn't|would|will|does|can|may|how long does|how much does|what time is|when is)\s+it\b"
    r"(?=\s+(?:be\s+)?(?:possible|ok|okay|allowed|true|necessary|legal|safe|required|normal|take\s+(?:to|for|until)"
    r"|cost\s+to|mean\s+(?:if|when|that)|matter\s+(?:if|whether))\b)|\bit(?:'s| is) (?:possible|true|said)\b"
    r"|\b(?:is|are|was|were|will|would|if|whether|when|where)\s+there\b|\bthere\s+(?:is|are|was|were|any)\b"
    r"|\bthis (?:week|month|year|morning|time)\b|\b(?:do|think|say|hope) so\b|\bso (?:many|much|that|far|long)\b"
    r"|\bthat(?='s (?:all|it))|\bone[- ](?:time|day|week|month|year|line|person|night)\b|\bno one\b"
    r"|\b(?:know|sure|say|says|mean|means|ensure|check|think|assume|prove|so|true|such) that\b",
    re.IGNORECASE,
)
_DROPPING = re.compile(r"(?:还|也|都)?(?:需要|要|能|可以|会|得|用|多久|几天|谁|有没有|必须|应该)")
_OPENING = r"(?:how|what|who|when|where|which|why|can|may|do|does|is|are|must|should)\b"
_SPLIT = re.compile(
    r"[?？;；\n]+\s*|[。!！]\s*|(?<=[a-z\d)])[.]\s+(?=[A-Z])"
    r"|[,，]?\s*(?:另外|此外|还有就是|还有|并且|同时|顺便|以及)[,，]?\s*(?=.{0,14}(?:多|几|谁|吗|怎么|什么|哪|是否|能|可))"
    r"|[,，](?=(?:多|几|谁|怎么|什么|哪|是否|能不能|需要|要不要|要).{1,})"
    r"|,?\s+(?:and|also|and also|plus)\s+" + f"(?={_OPENING})",
    re.IGNORECASE,
)
_ASKING = (
    (re.compile(r"多久|多长时间|几天"), "how long"),
    (re.compile(r"多少钱|多少"), "how much"),
    (re.compile(r"什么时候|何时"), "when"),
    (re.compile(r"谁"), "who"),
    (re.compile(r"怎么|如何"), "how"),
    (re.compile(r"\bhow (?:long|many days)\b", re.IGNORECASE), "多久"),
    (re.compile(r"\bhow much\b", re.IGNORECASE), "多少钱"),
    (re.compile(r"\bwhen\b", re.IGNORECASE), "什么时候"),
    (re.compile(r"\bwho\b", re.IGNORECASE), "谁"),
    (re.compile(r"\bhow\b", re.IGNORECASE), "怎么"),
)


def rewrite(question: str, history: Sequence[str]) -> list[str]:
    """Wordings of a question to search with, the one that stands alone best first; empty for a blank one.

    `history` are the earlier questions of the conversation, the newest last. What a pronoun or an ellipsis leaves
    out is taken from the newest of them that names something. A question that says itself what it is about stays
    as it is. Further wordings are its parts, when it asks several things, and the other language, when the glossary
    has all of it.
    """
    asked = " ".join(question.split())
    if not asked:
        return []
    whole = _completed(asked, [" ".join(h.split()) for h in history][-MAX_HISTORY:])
    variants = parts_of(whole) or in_other_language(whole)
    if whole != asked and _topics(asked):
        variants.append(asked)
    return list(dict.fromkeys([whole, *variants]))[: 1 + MAX_VARIANTS]


def parts_of(question: str) -> list[str]:
    """The questions that a composite question holds, each standing alone; none when it is but one."""
    pieces = [p.strip(" ,，.。") for p in _SPLIT.split(question)]
    pieces = [p for p in pieces if p and _says_something(p) and smalltalk.kind(p) is None]
    if len(pieces) < 2:
        return []
    return [_completed(p, pieces[:i]) for i, p in enumerate(pieces)]


def in_other_language(question: str) -> list[str]:
    """The question's topics in the other language; nothing when the glossary lacks one, as that would ask for less."""
    groups = [g for g in groups_of(question) if g.kind != "aside"]
    if not groups or any(g.kind != "concept" for g in groups):
        return []
    spoken = language(question)
    asking = next((word for pattern, word in _ASKING if pattern.search(question) and language(word) != spoken), "")
    met = _distinct(mentions(question))
    words = [m.concept.named if spoken == "zh" else m.concept.chinese[0] for m in met]
    return [" ".join(filter(None, [*words, asking]))]


def _completed(question: str, history: Sequence[str]) -> str:
    """The question with what it leaves out."""
    if len(question) > MAX_CHARS or smalltalk.kind(question) is not None:
        return question
    before = _standing(history)
    if not before:
        return question
    if (topic := _left_over(question)) is not None:
        return _in_place(topic, before)
    if _refers(question) or not _topics(question) or _drops_subject(question):
        if not _topics(question) and not _asks(question) and not _has_concept(question):
            return question
        return _about([text for text, _ in things(before)], question)
    return question


def _standing(history: Sequence[str]) -> str:
    """The newest question of the conversation that names something, itself completed."""
    for i in range(len(history) - 1, -1, -1):
        if smalltalk.kind(history[i]) is None and len(history[i]) <= MAX_CHARS:
            whole = _completed(history[i], history[:i])
            if any(g.kind != "aside" for g in groups_of(whole)) and (_topics(whole) or _asks(whole)):
                return whole
    return ""


def _left_over(question: str) -> str | None:
    """The topic that is all an elliptic question says: 那电子产品呢, and for managers?"""
    if language(question) == "zh":
        found = _ELLIPSIS_ZH.match(question)
        topic = found["topic"].strip() if found else ""
        topic = _LEAD_ZH.sub("", topic)
        if not topic or _PRONOUN_ZH.fullmatch(topic) or re.search(r"多|几|谁|怎么|什么|哪|吗", topic):
            return None
        return topic
    found = _ELLIPSIS_EN.match(question)
    topic = (found["topic"] or found["bare"] or "").strip(" .,") if found else ""
    starts_question = re.match(
        r"(?:how|what|who|when|where|which|why|can|may|do|does|is|are|must|should)\b", topic, re.I
    )
    if not topic or starts_question or _PRONOUN_EN.fullmatch(topic):
        return None
    return topic


def _in_place(topic: str, before: str) -> str:
    """The earlier question with the new topic in the place of what is alike there, or beside it."""
    bare = _PREPOSED.match(topic)
    subject = bare[2] if bare else topic
    # "a debit card" for "card" in "to a card".
    subject = re.sub(r"^(?:the|a|an|my|our|your)\s+(?=\w)", "", subject, flags=re.IGNORECASE)
    plain = normalise(subject)
    for line in _alike():
        if any(_holds(plain, w) for w in line):
            # 餐费 does not take the place of 餐费.
            for word in sorted(line, key=len, reverse=True):
                spot = _find(normalise(before), word)
                if spot is not None and not _holds(plain, word) and len(normalise(before)) == len(before):
                    return before[: spot[0]] + subject + before[spot[1] :]
    if bare and (same := re.search(rf"\b{bare[1]}\s+(?!how\b|what\b)[^,?]+?(?=[,?]|$)", before, re.IGNORECASE)):
        return before[: same.start()] + topic + before[same.end() :]
    if language(before) == "zh":
        owner = re.match(r"^([^的,，?？]{2,10})的(?=.)", before)
        if owner and _topics(owner[1]) and _topics(before[owner.end() :]):
            return f"{subject}的{before[owner.end() :]}"
    stop = before.rstrip(" ?？。.!！")
    if language(topic) == "zh" or language(before) == "zh":
        return f"{topic} {before}"
    return f"{stop} {topic if bare else f'for {topic}'}?"


def _refers(question: str) -> bool:
    """Whether a pronoun stands for something said before: nothing that it could stand for comes first in here."""
    if language(question) == "zh":
        found = _PRONOUN_ZH.search(question)
    else:
        blank = _EXPLETIVE.sub(lambda m: "·" * len(m[0]), question)
        found = _PRONOUN_EN.search(blank)
    return found is not None and not _topics(question[: found.start()])


def _drops_subject(question: str) -> bool:
    """Whether a short Chinese question begins with what is asked: 要上传照片吗. One that names a topic says enough."""
    if language(question) != "zh" or len(question) > MAX_DROPPING or not _DROPPING.match(question):
        return False
    return not any(g.kind == "concept" and not _is_facet(g) for g in groups_of(question))


def _about(topics: Sequence[str], question: str) -> str:
    """The question with what it is about put before it, or in its pronoun's place."""
    named = normalise(question)
    new = [t for t in topics if normalise(t) not in named]
    if not new:
        return question
    if language(question) == "zh":
        stripped = _LEAD_ZH.sub("", question)
        pronoun = re.match(r"^(?:它们?|其|这个?|那个)(的?)", stripped)
        if pronoun and len(new) == 1:
            return new[0] + pronoun[1] + stripped[pronoun.end() :]
        return f"{' '.join(new)} {stripped}"
    return f"{' '.join(new)}: {question}"


def _topics(question: str) -> list[str]:
    """What the question names, but what can be asked of anything."""
    return [text for text, groups in things(question) if not all(_is_facet(g) for g in groups)]


def _is_facet(group: Group) -> bool:
    return group.kind == "concept" and bool(_facet_terms() & {w[0] for w in group.variants})


def _asks(question: str) -> bool:
    """Whether there is a question at all, such as 多久? or why?"""
    return bool(
        re.search(r"[?？]|多|几|谁|怎么|什么|哪|吗|为啥|为何", question) or re.match(_OPENING, question, re.IGNORECASE)
    )


def _has_concept(question: str) -> bool:
    return any(g.kind == "concept" for g in groups_of(question))


def _says_something(piece: str) -> bool:
    return any(g.kind == "concept" or (g.kind == "word" and _asks(piece)) for g in groups_of(piece))


def _distinct(met: Iterable[Mention]) -> list[Mention]:
    """Without those whose words are but parts of another's: leave in sick leave, 假 in 病假."""
    found = list(met)
    return [m for m in found if not any(o is not m and all(_inside(w, o) for w in m.words) for o in found)]


def _inside(word: tuple[str, ...], other: Mention) -> bool:
    if word[0].isascii():
        return any(len(o) > len(word) and set(word) <= set(o) for o in other.words)
    return any(len(o[0]) > len(word[0]) and word[0] in o[0] for o in other.words)


def _holds(text: str, word: str) -> bool:
    return _find(text, word) is not None


def _find(text: str, word: str) -> tuple[int, int] | None:
    pattern = rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])" if word.isascii() else re.escape(word)
    found = re.search(pattern, text)
    return found.span() if found else None


@cache
def _alike() -> tuple[tuple[str, ...], ...]:
    """Each line with its words of both languages apart: what is joined are lines of one language."""
    return tuple(tuple(line.split("|")) for line in _ALIKE.strip().splitlines())


@cache
def _facet_terms() -> frozenset[str]:
    return frozenset(t for w in _FACETS.split() for t in terms(w))
