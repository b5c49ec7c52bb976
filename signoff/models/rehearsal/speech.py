"""What a clause does: asks, tells, or wants something done. A write is proposed for the last kind only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from signoff.models.rehearsal import lexicon, persons
from signoff.text import language

_QUOTATION = re.compile(
    r"[“\"「『][^”\"」』]{2,400}[”\"」』]|(?<!\w)'[^'\n]{2,200}'(?!\w)|https?://[!-~]+|"
    r"[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
)
"""What is quoted, and addresses: their words are nobody's wish."""
Force = Literal["order", "negated", "other"]

SUBCLAUSE = re.compile(r"[^,，;；:：。.!！?？\n]+(?:\.(?=\S)[^,，;；:：。.!！?？\n]+)*[,，;；:：。.!！?？\n]*")

_EN_WH = re.compile(
    r"\b(?:what|what's|which|when|where|where's|why|who|whose|how|whether|eligible|allowed|possible|policy|policies)\b"
    r"|\b(?:tell me (?:if|about)|see if|check if|find out|wonder(?:ing)?|know (?:if|about)|curious|explain|what if)\b",
    re.IGNORECASE,
)
_EN_AUX = re.compile(
    r"^\W*(?:(?:hi|hello|hey|ok|okay|and|so|but|well|also|then)\W+)*"
    r"(?:is|are|was|were|am|(?:do|does|did)(?! not\b|n't\b| please\b)|has|have you|have i|had|should|may|"
    r"might|must|will|shall|would it|"
    r"(?:can|could|would|will) (?!you\b|u\b|someone\b|somebody\b|anyone\b|the (?:desk|team)\b)\w+)\b",
    re.IGNORECASE,
)
_EN_TOLD = re.compile(
    r"^\W*(?:(?:and|but|because|since|as|so|hi|hello)\W+)*(?:i|it|we|they|he|she|this|that|there|my|the|"
    r"our|a|an|someone|something)\b(?=.*"
    r"\b(?:is|was|are|were|has|had|have|came|broke|got|bought|does|did|doesn't|didn't|don't|can't|won't|"
    r"isn't|wasn't|keeps|stopped|\w{3,}ed)\b)"
    r"|^\W*(?:it|that|there|this|he|she)'s\b|\bi (?:don't|do not|no longer|never|can't|didn't|bought|got|have|had)\b",
    re.IGNORECASE,
)
_ZH_TELLS = re.compile(r"[了过](?![吗么没])|坏|碎|不(?:能|行|了|亮|动|工作|好|对)|没(?:有|收|到|电|法)")
_EN_TOPIC = re.compile(r"\b(?:eligible|allowed|possible|policy|policies)\b", re.IGNORECASE)
_EN_POLITE = re.compile(
    r"\b(?:please|pls|plz|kindly)\b|\b(?:can|could|would|will|won't) (?:you|u|someone|somebody|anyone)\b|"
    r"\bwould you mind\b|"
    r"\bany chance you\b|\bmind\b",
    re.IGNORECASE,
)
_EN_WISH = re.compile(
    r"\b(?:want|wants|need|like|wish|love|prefer|help|asking|request|requesting|get|give|have|please|pls|"
    r"mind|let's|let us|ready|"
    r"decided|going|looking|hoping|trying|ask|demand|require|i'll take|initiate|issue|process|arrange|"
    r"set|create|add|file|open|raise|log|make|do|start|proceed with|"
    r"go ahead with|put in|apply for)\b",
    re.IGNORECASE,
)
_EN_BETWEEN = (
    r"(?:[\s,]+(?:want|wants|wanted|to|you|please|just|yet|actually|wish|need|like|me|a|an|any|the|my|be|been|get|have|go|"
    r"ahead|and|try|dare|ever|i|think|we|should|us|even|let|them|do|really|intend|plan|mean|asking|asked|for|currently|"
    r"now|already|anyone|anybody|somebody|it's|being|still|ask|or|cancel|change|refund|return))*[\s,]*$"
)
_EN_NEGATOR = re.compile(
    r"\b(?:don't|dont|do not|never|not|no need to|without|instead of|rather than|shouldn't|should not|avoid|"
    r"refuse to|stop|no)" + _EN_BETWEEN,
    re.IGNORECASE,
)
_EN_UNABLE = re.compile(
    r"\b(?:can't|cannot|can not|won't|will not|does not|doesn't|didn't|did not|hasn't|haven't|has not|have not|isn't|"
    r"wasn't|wouldn't|couldn't|unable to|failed to)" + _EN_BETWEEN,
    re.IGNORECASE,
)
_EN_SUBJECT = re.compile(
    r"\b(?:i|we|they|he|she|it|who|customers?|people|users?|one|can|could|may|might|did|does|do you|"
    r"do they|must not|if|when|"
    r"whenever|unless|before|after|until|once|while|since|because|said|says|that|already|been|was|were|"
    r"has|had|will|would|should|"
    r"able|unable|failed|forgot|wanted|tried|used|how|about)\s*$",
    re.IGNORECASE,
)
_EN_ARTICLE = re.compile(
    r"\b(?:the|my|a|an|this|that|any|of|your|our|his|her|their|another|no|each|every|last|previous|'s)\s*$", re.I
)
_EN_HEAD = re.compile(
    r"^[\s-]*(?:policy|policies|status|rules?|process|procedure|history|period|window|terms?|conditions?|"
    r"request|requests|fees?|"
    r"amount|records?|options?|deadline|id|number|form|link|button|email|details?|list|time|limit|logs?|"
    r"page|went|has|is|was|"
    r"will|takes?|took|arrives?|came|works?|eligib\w+)\b",
    re.IGNORECASE,
)

_ZH_WH = re.compile(
    r"什么(?!时候都)|怎么|怎样|如何|为何|为啥|啥|多少|多久|多长|哪(?!怕)|几(?=天|个|号|点|时|次|元|块|日|"
    r"月|周)|是否|谁|何时|咋|"
    r"能不能|可不可以|可否|能否|有没有|是不是|要不要|会不会|该不该|需不需要|行不行|好不好|退不退|"
    r"政策|规定|条件|流程|条款|制度|标准|规则"
)
_ZH_ASKS = re.compile(r"(?:吗|么|没有|没|呢)[\s?？。!！~]*$|[?？]\s*$")
_ZH_POLITE = re.compile(
    r"(?:能|可以|能不能|可不可以|能否|可否|是否可以|方便|行不行|好不好|麻烦|劳烦|请|拜托|帮忙)?(?:你|"
    r"您)?(?:们)?(?:帮|替|给我|为我|把|麻烦|请您?|请你|劳驾)|"
    r"(?:好吗|行吗|可以吗|可以么|好不好|行不行|谢谢)[\s?？。!！~]*$"
)
_ZH_WH_MASK = re.compile(r"能不能|可不可以|可否|能否|是否可以|行不行|好不好|怎么样$")
_ZH_NOT_NEGATION = re.compile(
    r"要不(?!要)|不如|不好意思|不小心|不得不|能不能|可不可以|是不是|要不要|会不会|不想要了?|不要了|不喜欢|"
    r"不合适|不需要了|"
    r"不用了(?=[,，])|用不上|用不了|不能用|不好用|不工作|没用|不行了?|不对|不符|不满意|不久|不错|不见|"
    r"不够|没收到|没到货|不然|不急|不同"
)
_ZH_NEGATOR = re.compile(
    r"(?:不要|别|不用|不想|不需要|无需|不必|先不|暂不|勿|禁止|请勿|不是|并非|没说|没让|没有要|不打算|不准备|不该|"
    r"不应该|暂时不|不再|免得|以免|避免|拒绝|停止)[^,，;；。!！?？]{0,6}$|"
    r"不(?:再|给我|帮我|直接|马上|立即|申请|进行|办理|自动|随便|擅自)*$"
)
_ZH_UNABLE = re.compile(
    r"(?:不能|无法|没法|不可以|不可|不得|没|未|没有|还没|尚未)(?:再|给我|帮我|直接|马上|立即|申请|被|进行|办理|自动|把|用)*$"
)
_ZH_HEAD = re.compile(
    r"^的?(?:政策|规则|规定|进度|状态|记录|流程|条件|金额|期限|期|标准|说明|时间|要求|须知|方式|情况|服务(?!器)|"
    r"手续费|费用|费|到账|结果|原因|问题|历史|"
    r"明细|列表|信息|率|单号|制度|条款|渠道|政策|入口|时限|之前|以前|前(?!的)|之后|后|时候|时,|需要|要多|"
    r"要几|怎|会(?!议)|能|可以|可不|是|有|"
    r"到哪|走到|为什么|失败|成功|处理|审核|了没|了吗|过吗|没|(?:过|了|好)?的(?!话))"
)
_ZH_ABILITY = re.compile(r"(?:能|可以|可|能够|还能|允许|应该)(?:再|直接)?$")
_ZH_INQUIRE = re.compile(
    r"(?:了解|咨询|问一下|问问|问下|想问|请问|知道|关于|看看|看一下|看下|查一下|查查|查下|查询|查看|查|"
    r"说说|介绍|解释|确认|检查|核实|讲讲|说明|记得|听说|"
    r"如果|要是|假如|万一|假设|若|比如)[^,，;；。!！?？]{0,8}$"
)
_ZH_TOLD = re.compile(
    r"(?:已经?|曾经?|刚刚?|上次|之前|昨天|客服|他|她|他们|朋友|对方|商家|卖家|系统|自动|被|说要?|答应|"
    r"承诺|正在|在(?!\S{1,8}[里上中内下]))[^,，;；。!！?？]{0,4}$"
)
_ZH_WISH = re.compile(
    r"(?:帮|请|要|想|把|给我|给他|麻烦|替|希望|打算|决定|申请|需要|直接|马上|立刻|立即|赶紧|尽快|就|再|先|"
    r"顺便|然后|那|现在)"
)
_ZH_CONDITIONAL = re.compile(r"的话|如果|要是|假如|若")


def unquoted(text: str) -> str:
    """A text with quotations and addresses blanked out, at the same length: their words order and ask nothing."""
    return _QUOTATION.sub(lambda m: m[0][0] + "·" * (len(m[0]) - 2) + m[0][-1], text)


def asks(clause: str) -> bool:
    """Whether a clause is a question rather than an order to do something."""
    clause = unquoted(clause)
    if language(clause) == "zh":
        polite = bool(_ZH_POLITE.search(clause))
        rest = _ZH_WH_MASK.sub("", clause) if polite else clause
        return bool(_ZH_WH.search(rest)) or (bool(_ZH_ASKS.search(clause)) and not polite)
    return _en_asks(clause, clause)


def _en_asks(clause: str, until: str) -> bool:
    """Whether a clause is a question as far as `until`: "change where it is delivered" is none."""
    if _EN_WH.search(until) or _EN_AUX.search(clause):
        return True
    return clause.rstrip().endswith(("?", "？")) and not _EN_POLITE.search(clause)


def tells(clause: str) -> bool:
    """Whether a clause only tells something: no question, no looking for, but a subject and what it does or is."""
    if asks(clause) or any(lexicon.is_look(c) for c in lexicon.concepts(clause)):
        return False
    return bool(_EN_TOLD.search(clause) or _ZH_TELLS.search(clause))


def looks(text: str) -> bool:
    """Whether a text says in so many words to look something up."""
    return any(lexicon.is_look(c) for c in lexicon.concepts(text))


def conditional(clause: str) -> bool:
    """Whether what is wanted depends on something: "if it can be returned, refund it"."""
    return bool(_ZH_CONDITIONAL.search(clause) or re.search(r"\bif\b|\bprovided\b|\bas long as\b", clause, re.I))


def wants(text: str, verbs: frozenset[str], words: frozenset[str] = frozenset()) -> bool:
    """Whether the person wants one of the actions done now.

    `verbs` are action concepts, `words` further (folded) words that name the action. Each place where one
    stands is judged by what is around it: negated, asked about, told about, or used as a noun is no order.
    """
    return command(text, verbs, words) is not None


def command(text: str, verbs: frozenset[str], words: frozenset[str] = frozenset()) -> tuple[int, int] | None:
    """Where in the text the first order to do one of the actions stands, or None."""
    return next((span for span, force in _uses(text, verbs, words) if force == "order"), None)


def spared(text: str, verbs: frozenset[str], words: frozenset[str] = frozenset()) -> bool:
    """Whether the person says not to do one of the actions, and nowhere to do it."""
    forces = {force for _, force in _uses(text, verbs, words)}
    return "negated" in forces and "order" not in forces


def denies(text: str) -> bool:
    """Whether a text has a word of negation anywhere."""
    return bool(re.search(r"\b(?:don't|do not|dont|never|no need|not)\b|不|别|没|勿|无需", text, re.IGNORECASE))


def mentions(text: str, verbs: frozenset[str]) -> bool:
    """Whether any of the actions is spoken of at all."""
    return bool(lexicon.concepts(text) & verbs)


def _uses(text: str, verbs: frozenset[str], words: frozenset[str]) -> Iterator[tuple[tuple[int, int], Force]]:
    """Each place where an action is named, with the force it has there."""
    for part in SUBCLAUSE.finditer(unquoted(text)):
        clause = part[0]
        folded = lexicon.fold(clause)
        hits = [(f.start, f.end, f.concept) for f in lexicon.find(clause) if f.concept in verbs]
        hits += [(*m.span(), "") for w in words for m in re.finditer(_word(w), folded)]
        for start, end, concept in sorted(hits):
            wish = persons.force(folded, start, end) if concept == persons.CONCEPT else None
            force = wish or (_zh_force if folded[start] >= "\u3400" else _en_force)(folded, start, end)
            yield (part.start() + start, part.start() + end), force


def _zh_force(clause: str, start: int, end: int) -> Force:
    left, right = clause[:start], clause[end:]
    masked = _ZH_NOT_NEGATION.sub(lambda m: "〇" * len(m[0]), clause)[:start]
    if asks(clause):
        return "other"
    if _ZH_UNABLE.search(masked):
        return "other"
    if _ZH_NEGATOR.search(masked):
        return "negated"
    if _ZH_ABILITY.search(left) or _ZH_INQUIRE.search(left) or _ZH_HEAD.search(right):
        return "other"
    wish = bool(_ZH_WISH.search(left))
    if re.match(r"(?:成功|掉)?(?:了|过)(?!吧|它|这|那)", right) and not wish:
        return "other"
    return "order" if wish or not _ZH_TOLD.search(left) else "other"


def _en_force(clause: str, start: int, end: int) -> Force:
    left, word, right = clause[:start], clause[start:end], clause[end:]
    if _en_asks(clause, left + word) or _EN_TOPIC.search(right):
        return "other"
    if _EN_UNABLE.search(left):
        return "other"
    if _EN_NEGATOR.search(left):
        return "negated"
    wish = bool(_EN_WISH.search(left))
    if re.search(r"ed$", word):
        if wish and re.search(r"\b(?:don't|dont|do not|never|not)\b", left):
            return "negated"
        told = re.search(r"\b(?:been|was|were|is|are|already|has|had|i|we|they|you|he|she)\s*(?:just\s*)?$", left)
        return "order" if wish and not told else "other"
    if word.endswith("ing"):
        return "order" if wish or _EN_POLITE.search(left) else "other"
    if _EN_HEAD.search(right):
        return "other"
    if _EN_ARTICLE.search(left):
        # "the refund" is spoken of; "I want a refund", "process the refund" is an order.
        spoken_of = re.search(r"\b(?:about|of|for|status|on)\s+(?:\w+\s+)?$", left)
        return "order" if wish and not spoken_of else "other"
    if re.search(r"\bto\s*(?:be\s*)?$", left):
        return "order" if wish else "other"
    return "other" if _EN_SUBJECT.search(left) else "order"


def _word(word: str) -> str:
    return re.escape(word) if word[0] >= "\u3400" else rf"(?<![a-z]){re.escape(word)}(?![a-z])"
