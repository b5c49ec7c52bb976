"""Whether a sentence states a fact that a document would have to say, or only talks."""

from __future__ import annotations

import re

from signoff.knowledge import cite
from signoff.knowledge.polarity import signs
from signoff.knowledge.reading import values
from signoff.knowledge.units import features
from signoff.text import normalise

_TODAY = re.compile(r"\W*(?:today is|it is now|今天是)[^,，。.]{1,30}[.。]?\s*$")
_HEADING = re.compile(
    r"#{1,6}\s|\s*(?:\*\*|__)[^*_]{0,79}[^*_.。!！](?:\*\*|__)\s*[:：]?\s*$|\s*\|?[\s:|-]+\|?\s*$|\s*(?:```|~~~)"
)
_QUESTION = re.compile(r"(?:[?？]|[吗呢么])[\"'”’)）*_。.!！~\s]*$")
# "Returning goods is forbidden?" asks nothing that it does not say.
_ASKS = re.compile(
    r"\b(?:what|which|who(?:se|m)?|when|where|why|how|anything|something|else)\b"
    r"|(?:^|[,，.。!！;；:：]|\b(?:and|or|but|so)\b)\W*(?:do(?:es)?|did|is|are|was|were|am|can|could|would|will|shall|should"
    r"|may|might|must|has|have|had|need|any|want|ready|ok|okay|right)\b"
    r"|[吗呢么谁哪几怎]|什么|多少|是否|能否|可否|是不是|有没有|要不要|能不能|可不可以|何时|何地|为何|如何|对不对|对吧|请问"
)
_LEAD_IN = re.compile(r"[:：][\s*_]*$")
# "I can confirm that the limit is 5 days" states the limit: what stands before is no statement of the desk's.
_PREFACE = re.compile(
    r"^\W*(?:(?:answer|result|conclusion|reason|why|note|答案|结论|回答|原因|说明)\W{0,3}[:：]\W*"
    r"|(?:yes|no|sure|okay|ok|right|well|so|in short|in summary|overall|please note|note)\b[,:;.!\s]*(?:that\b)?\s*"
    r"|(?:i|we)(?:['’]ll)? (?:can |could |will |would )?(?:tell you|assure you|confirm)\b[,:]?\s+(?:that\b\s*)?"
    r"(?!about|what|how|more|whether|if|which|when|where|who|why|the status)"
    r"|(?:i|we) (?:can |could |have |just )*(?:confirm(?:ed)?|found(?: out)?|see|read|say|tell you|checked"
    r"|looked(?: it)? up"
    r"|understand|know)(?: (?:in|from) [^,]{1,40})?[,:]?\s+that\b\s*"
    r"|(?:according to|as per|based on|per|under|as stated in) [^,，]{1,80}[,，]\s*"
    r"|(?:好的|是的|对的?|可以的?|当然|简而言之|总之|总的来说|请注意|注意|您好|你好)[,，。!！:：\s]*"
    r"|(?:目前|暂时|现在|另外|那么|不过|所以|因此)?[,，]?(?:我|我们)(?:已经?|可以|能|会|将|想|要)*(?:确认|查到|看到|了解到"
    r"|查询到|(?:明确地?)?告[诉知][您你]|向[您你]保证)[了过]?(?:,|，|:|：)?"
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
    r".{0,60}\b(?:found|says?|mentions?|speaks?|states?|covers? this|available)\b|\b(?:i|we) (?:have )?found nothing\b"
    r"|\bnothing (?:was|is"
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
_LEADING = re.compile(
    r"^\W*here (?:is|are)\b|\b(?:as follows|the following|are|is)\b(?=\W*$)|关于|有关|(?:具体)?(?:如下|以下)|(?<=[定则款容])是(?=\W*$)",
    re.IGNORECASE,
)
_WORDS_OF_COURTESY = 6
_CLAUSE = re.compile(
    r"([,，;；:：](?!\d)|\b(?:so|therefore|hence|thus)\b(?! (?:that|far|long|many|much))|所以|因此|因而|——|\s[–—]\s)"
)
# What goes on with what stands before it: "whether guests may park", "check your order and draft a ticket".
_CONDITION = re.compile(
    r"\W*(?:if|when|once|unless|in case|in doubt|in that case|for (?:more|other|further|details|now)|otherwise|as of"
    r"|at present"
    r"|如果|若|如有|如需|如您|如你|假如|需要时|有需要|其他|具体|详细|(?:unfortunately|however|currently|目前|暂时|另外|不过|很?抱歉|对不起)\W*$)"
)
_CONTINUED = re.compile(
    r"\W*(?:(?:and|or|but|nor|then|also|yet|just|either)\b\W*)*(?:(?:whether|that|which|who|how|when|where|what|why|about|nor|as well"
    r"|for (?:example|instance)|e\.?g\.?|such as|including|because|look|check|answer|prepare|search|find|found|help|draft|create"
    r"|submit|file|explain|show|book|refund|update|could not|couldn['’]t|cannot find|looked|searched|read)\b"
    r"|(?:也|还|并|再)?(?:(?:可以|能)?帮[您你]|由我|然后|是否|以及|包括|例如|比如|查一?[询看下]?|等[您你]|以便|无法确认|不能确认|不确定|未找到))"
)
# Whom the desk does not serve: "other people's data cannot be reached from here".
_ELSEWHERE = re.compile(
    r"\W*(?:and |but )?(?:data of |that of )?(?:other|another) [^,，]{1,60}\b(?:can ?not|not|unavailable)\b[^,，]{0,20}"
    r"\b(?:reached|seen|available|shown|accessed|looked up)\b|\W*(?:其他|别的?|他)[人用客公][^,，]{0,30}(?:看不到|查不到|[不无]法?能?(?:查|看|访问|提供))"
)
_SHORT = 2
"""Words of a clause that only goes on with a list: "refunds, and tickets"."""


def asserts(sentence: str) -> bool:
    """Whether the sentence states something that somebody could look up: not a greeting, a question, an offer, a
    heading, a lead-in, a source, nor what the desk itself did, can do or did not find."""
    return not is_label(sentence) and bool(stated(sentence))


def is_label(sentence: str) -> bool:
    """Whether the sentence has the form of a heading, a lead-in or a line of sources."""
    text = cite.without_markers(sentence).strip()
    return bool(_HEADING.match(text) or _SOURCE.match(text) or _LEAD_IN.search(normalise(text)))


def unlabelled(sentence: str) -> str:
    """The words of a heading, a lead-in or a line of sources."""
    text = cite.without_markers(sentence).strip()
    return re.sub(r"^[\W_]+|[\W_]+$", "", _LEADING.sub("", _SOURCE.sub("", text)))


def stated(sentence: str) -> str:
    """The clauses of a sentence that state something; empty for mere talk.

    What is talk covers its own clause: "I found no exception, so goods may be returned" states that they may.
    """
    said = normalise(cite.without_markers(sentence).strip())
    if not re.search(r"\w", said) or _TODAY.match(said):
        return ""
    base = said if _UNFOUND.search(_CLAUSE.split(said, maxsplit=1)[0]) else _bare(said)
    pieces = ["", *_CLAUSE.split(base)]
    found: list[str] = []
    talk = conditional = False
    for i in range(0, len(pieces) - 1, 2):
        link, piece = pieces[i], pieces[i + 1]
        if not re.search(r"\w", _bare(piece)):
            continue
        last = i + 2 >= len(pieces)
        if not last and _CONDITION.match(piece) and not _UNFOUND.search(piece) and not {v.kind for v in values(piece)}:
            conditional = True
            continue
        if _is_talk(piece) or (talk and _goes_on(piece, link)):
            # A greeting has no continuation.
            talk = not _COURTESY.match(piece)
        elif _says(_bare(piece)):
            found.append(link + piece)
            talk = False
    if found and _QUESTION.search(said) and _ASKS.search(said):
        # A question's own clauses ask; what is stated before it stays.
        found = [] if conditional or len(found) < 2 or _ASKS.search(found[0]) else found[:-1]
    return "".join(found).strip(" ,，;；:：")


def _bare(text: str) -> str:
    while match := _PREFACE.match(text):
        text = text[match.end() :]
    return text


def _is_talk(piece: str) -> bool:
    rest = _bare(piece)
    kinds = {v.kind for v in values(rest)} - {"ordinal"}
    if _QUESTION.search(rest) and _ASKS.search(rest):
        return True
    if _UNFOUND.search(piece):
        return True
    if _DESK.search(rest) and kinds <= {"id"}:
        return True
    if kinds:
        return False
    return bool(_ADVICE.match(rest)) or bool(_COURTESY.match(rest) and len(features(rest)) < _WORDS_OF_COURTESY)


def _goes_on(piece: str, link: str) -> bool:
    if link in ("so", "所以", "因此", "因而", "therefore", "hence", "thus") or values(piece):
        return False
    said = signs(piece)
    if _ELSEWHERE.match(piece):
        return True
    if _CONTINUED.match(piece):
        return not (said.refused or said.allowed) or bool(
            re.match(r"\W*(?:(?:and|or)\b\W*)*(?:whether|which|是否|(?:也|还|并|再)?(?:可以|能)?帮[您你])", piece)
        )
    return len(cite.content(piece)) <= _SHORT and not (said.refused or said.allowed or said.negated) and link in ",，"


def _says(rest: str) -> bool:
    return bool(features(rest)) or bool({v.kind for v in values(rest)} - {"ordinal"})
