"""Whether a sentence states a fact that a document would have to say, or only talks."""

from __future__ import annotations

import re

from signoff.knowledge import cite
from signoff.knowledge.reading import values
from signoff.knowledge.units import features
from signoff.text import normalise

_TODAY = re.compile(r"\W*(?:today is|it is now|今天是)[^,，。.]{1,30}[.。]?\s*$")
_HEADING = re.compile(
    r"#{1,6}\s|\s*(?:\*\*|__)[^*_]{0,79}[^*_.。!！](?:\*\*|__)\s*[:：]?\s*$|\s*\|?[\s:|-]+\|?\s*$|\s*(?:```|~~~)"
)
_QUESTION = re.compile(r"[?？][\"'”’)）*_\s]*$|[吗呢][。.!！~\s]*$")
_LEAD_IN = re.compile(r"[:：][\s*_]*$")
# "I can confirm that the limit is 5 days" states the limit: what stands before is no statement of the desk's.
_PREFACE = re.compile(
    r"^\W*(?:(?:answer|result|conclusion|reason|why|note|答案|结论|回答|原因|说明)\W{0,3}[:：]\W*"
    r"|(?:yes|no|sure|okay|ok|right|well|so|in short|in summary|overall|please note|note)\b[,:;.!\s]*(?:that\b)?\s*"
    r"|(?:i|we) (?:can |could |have |just )*(?:confirm(?:ed)?|found(?: out)?|see|read|say|tell you|checked"
    r"|looked(?: it)? up"
    r"|understand|know)(?: (?:in|from) [^,]{1,40})?[,:]?\s+that\b\s*"
    r"|(?:according to|as per|based on|per|under|as stated in) [^,，]{1,80}[,，]\s*"
    r"|(?:好的|是的|对的?|可以的?|当然|简而言之|总之|总的来说|请注意|注意|您好|你好)[,，。!！:：\s]*"
    r"|(?:我|我们)(?:已经?|可以|能)?(?:确认|查到|看到|了解到|查询到|告诉您|告诉你)[了过]?(?:,|，|:|：)?"
    r"|(?:根据|按照|依据|依照|按|据)[^,，]{1,60}[,，]\s*)",
)
_DESK = re.compile(
    r"^\W*(?:(?:sorry|unfortunately|however|but|and|then|for now|so)\b[,\s]*)*"
    r"(?:i(?:['’](?:m|ll|ve|d)| am| will| can| could| would| have| had| did| do|\b)(?! confirm)"
    r"|let me|let us|shall i|should i|would you|could you|can you|do you|tell me|feel free|just (?:say|tell|ask)"
    r"|my instructions|none of my tools|nothing (?:has been|was|is) (?:changed|done)|as an? (?:assistant|desk))"
    r"|^\W*(?:抱歉|很抱歉|对不起|不好意思|目前|暂时|另外|不过|但是?|所以|因此|那么)*[,，]?\s*"
    r"(?:我(?!们?公司|司|们的?规)(?:会|将|可以|能|无法|不能|没有?|已|先|再|再?帮|来|这就|只能|还|也|想|需要"
    r"|并没|查|找|暂|目前|是|不)"
    r"|(?:需要|要不要|是否需要|您可以告诉|你可以告诉|请告诉|请告知|请提供|请补充|请问|请确认|请稍|麻烦|如需"
    r"|如果需要|如有|有需要)|没有(?:做|进行)任何|我的工具|没有工具|现有工具)"
)
_UNFOUND = re.compile(
    r"\b(?:i|we) (?:have |could |did )?(?:found? no|not find|n['’]t find|find no|saw no|have no|not have)\b"
    r"|\bcould(?: not|n['’]t) (?:be found|find)\b|\bno (?:document|passage|policy|source|evidence|record"
    r"|information)s?\b"
    r".{0,60}\b(?:found|says?|mentions?|speaks?|states?|covers? this|available)\b|\bnothing (?:was|is"
    r"|has been) found\b"
    r"|\b(?:documents?|evidence|passages?|sources?|polic(?:y|ies)|handbook)\b.{0,30}\b(?:do(?:es)?(?: not"
    r"|n['’]t)|did(?: not|n['’]t))"
    r" (?:say|mention|state|specify|speak|tell|answer|address)\b"
    r"|(?:没有?|未能?|无法)(?:在.{1,20}中?)?(?:找到|查到|检索到|看到|搜到|发现)"
    r"|(?:文档|资料|文件|政策|制度|规定|手册|证据|记录|知识库|信息)[里中内]?(?:都|均|并)?(?:没有|未)(?:说明"
    r"|提到|提及|写明|写|规定|涉及|给出|回答|记载)(?!理由)"
)
_COURTESY = re.compile(
    r"^\W*(?:hello|hi|hey|dear|good (?:morning|afternoon|evening)|thanks?|thank you|you['’]re welcome|welcome"
    r"|sure|of course"
    r"|certainly|great|okay|ok|yes|no|sorry|hope|glad|happy to|best regards|regards|here (?:is|are)"
    r"|see (?:below|above)|have a)\b"
    r"|^\W*(?:你好|您好|谢谢|感谢|不客气|好的|当然|抱歉|希望|祝|欢迎|以下是|如下|以上[是就]|综上|是的|可以"
    r"|不可以|不能|不行|能|对)"
)
_ADVICE = re.compile(
    r"^\W*(?:(?:for (?:more|other|further)|in (?:case of )?doubt|otherwise|if [^,]{1,60}|如有|如果[^,，]{1,30}"
    r"|其他|具体|详细)[^,，]{0,30}[,，]\s*)?"
    r"(?:please\s+)?(?:contact|ask|check|consult|get in touch|reach out|talk to|let|provide|tell|try"
    r"|i(?:['’]d)? (?:suggest|recommend)"
    r"|请(?:您|你)?(?:联系|咨询|向|与|提供|告知|告诉|核对|确认|参考|查看|查阅|以|尝试|换)|建议(?:您|你)?(?:联系"
    r"|咨询|向|与|核对|确认|查看|查阅|参考))"
)
_SOURCE = re.compile(
    r"^[\W_]*(?:sources?|references?|see also|based on|来源|出处|参考(?:资料|文档)?|依据|参见)[\s*_]*[:：]",
    re.IGNORECASE,
)
_WORDS_OF_COURTESY = 6


def asserts(sentence: str) -> bool:
    """Whether the sentence states something that somebody could look up: not a greeting, a question, an offer, a
    heading, a lead-in, a source, nor what the desk itself did, can do or did not find."""
    text = cite.without_markers(sentence).strip()
    if not re.search(r"\w", text) or _HEADING.match(text) or _SOURCE.match(text):
        return False
    said = normalise(text)
    if _QUESTION.search(said) or _LEAD_IN.search(said) or _UNFOUND.search(said) or _TODAY.match(said):
        return False
    rest = said
    while match := _PREFACE.match(rest):
        rest = rest[match.end() :]
    if not re.search(r"\w", rest):
        return False
    stated = {v.kind for v in values(rest)} - {"ordinal"}
    has_values = bool(stated)
    if _DESK.search(rest) and stated <= {"id"}:
        return False
    if _ADVICE.match(rest) and not has_values:
        return False
    spoken = features(rest)
    if _COURTESY.match(rest) and not has_values and len(spoken) < _WORDS_OF_COURTESY:
        return False
    return bool(spoken) or has_values
