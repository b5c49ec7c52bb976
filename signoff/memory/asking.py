"""Whether a person's words ask to have something kept, agree to it, or say that something is different now.

What only looks like asking is taken out first ("do you remember …?", "don't remember this", 我不记得了); what is
then left must ask.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from signoff.text import normalise

READ_CHARS = 4_000
"""Of a message that are read for this."""

_SENTENCE = re.compile(r"[^.!?。!?;；\n]+(?:\.(?=\S)[^.!?。!?;；\n]*)*[.!?。!?;；\n]*")
_REST = r"[^.!?,，。;；]*"

# ---- what looks like asking and is not -----------------------------------------------------------------------------

_HOLD = r"(?:remember|memori[sz]e|recall|note|save|store|record|write down|keep in mind|bear in mind)"
_NEAR_MISSES = (
    # Do you remember my office? What you remember of me.
    re.compile(
        r"\b(?:do|does|did|have|has|had|if|as|what|which|when|how|who|whatever|anything|everything|all"
        r"|things?)(?:n['’]t)?"
        r" (?:you|we|he|she|they|it|anyone|the desk|i)(?: (?:still|even|also|already|really|ever|actually|not|just))*"
        rf" {_HOLD}\b[^.!;]*"
    ),
    # What did I ask you to remember?
    re.compile(
        r"\b(?:what|which|everything|anything|whatever|all|things?|stuff|did|have|had)\b[^.!?;]{0,60}"
        rf"\b(?:ask|asked|tell|told|want|wanted|said)\b[^.!?;]{{0,20}}\b{_HOLD}\b[^.!;]*"
    ),
    # Can you remember my office? But: can you remember that it is on floor 5?
    re.compile(
        r"\b(?:can|could|will|would)(?:n['’]t)? you(?: (?:still|even|also|ever|actually))* remember\b"
        r"(?!\s*(?:that|this|it|these|the following|[:,]|for|i\b|i['’]|we\b|to\b|my\b[^?]*\b(?:is|are)\b|always"
        r"|please))"
        r"[^.!;]*"
    ),
    # I don't remember the number.
    re.compile(
        r"\b(?:i|we)(?:['’](?:ll|d|ve|m))?(?: (?:do|did|can|could|will|would|should|have|had|must|am|was|don['’]?t"
        r"|didn['’]?t|couldn['’]?t|wouldn['’]?t|haven['’]?t|can['’]?t|won['’]?t|cannot|not|never|no longer|barely"
        r"|hardly|still|just|now|only|vaguely|clearly|distinctly|always|able|unable|to|trying|try|tried|really|even"
        rf"|ever|quite|also|already|actually)){{0,5}} (?:remember|forget)\b{_REST}"
    ),
    re.compile(
        r"\b(?:do not|don['’]?t|never|no need (?:for you )?to|need ?n['’]t|need not|should ?n['’]t|should not"
        r"|must ?n['’]t"
        r"|must not|stop|without|not|rather you did ?n['’]t|cannot|can['’]t)"
        r"(?: (?:have|need|want|like|wish|bother|try|wanted|you|to|ever|even|please|be|just|actually|really|asked|me))*"
        r" (?:remember|memori[sz]|not(?=e\b|ing\b)|sav(?=e\b|ing\b)|stor(?=e\b|ing\b)|record|keep|writ|jot|log(?=\b"
        r"|ging)"
        rf"|mak(?:e|ing) (?:a )?note|tak(?:e|ing) (?:a )?note)\w*\b{_REST}"
    ),
    re.compile(
        r"\bremember(?:\s*\?|\s+me\s*(?:\?|$)|\s+(?:when|how (?:you|we|i)|what (?:you|we)|the (?:time|day|days"
        r"|last))\b[^.!;]*)"
    ),
    re.compile(r"\b(?:easy|hard|difficult|impossible|nothing|something to|a day|days|worth) (?:to )?remember\b[^.!;]*"),
    re.compile(
        r"(?<!make )(?<!take )(?<!keep )(?<!made )\b(?:the|a|an|this|that|my|your|any|each|no|every|left|leave"
        r"|delivery|credit"
        r"|shipping|order|thank-you|release|sticky) notes?\b"
    ),
    re.compile(
        r"(?<![帮给替为跟和对请让])(?:我们?|他们?|她们?|俺|咱们?)(?:还|也|都|只|依稀|隐约|好像|才|就|不太|不|没|总"
        r"|一直)*记(?:得|住|起|着)" + _REST
    ),
    re.compile(
        r"(?:不|别|勿|莫|没|未|无|甭)(?:要|用|必|需要?|想|许|准|能|可以|应该|该|再|得)*(?:让|叫|请)?(?:你|您)?(?:再"
        r"|去|来|帮我|给我|替我)*"
        r"(?:记|保存|存(?=[了下着起])|备注|备忘)(?:住|下来?|得|着|录|一下|了|这|那|它|我)*"
    ),
    re.compile(r"记不[住得清起]" + _REST),
    re.compile(r"(?:不要?|别|勿|不用|不必)(?:再)?把[^,，。;；!！?？]{1,20}?(?:记(?:住|下来?|着)?|保存|存)" + _REST),
    re.compile(
        r"(?<![请让叫要望])(?:你|您)们?(?:还|都|是否|是不是|可|也|应该|到底|有没有|会不会|有|会|能|真的)*记(?:得|住"
        r"|着|下|录|了)"
        r"(?:[^,，。;；!！?？]*?(?:(?<!好)(?<!行)(?<!可以)(?<!能)[吗么]|没有?(?=[?？]|$)|什么|哪些?|多少|几|谁"
        r"|啥)[^,，。;；!！]*"
        r"|[^,，。;；!！?？好行]*[?？])"
    ),
    re.compile(
        r"(?:让|叫|要求?|请)(?:你|您)们?(?:帮我)?(?:记|保存|存)[^,，。;；!！?？]*(?:什么|哪些?|多少|啥"
        r"|[吗么]\W*$)[^,，。;；!！]*"
    ),
    re.compile(
        r"我(?:之前|以前|上次|刚才|刚刚|曾经?|都|昨天|已经?)*(?:让|叫|要求?)(?:你|您)记(?:住|下来?|得|着)?(?:了|过|的)"
        + _REST
    ),
    re.compile(
        r"(?:有没有|是否|还|能不能|可不可以|会不会|你会|你能|能|会)(?:帮我)?记(?:得|住|下来?|着|了)?"
        r"(?:吗|么|没|多少|多久|什么|几|哪|我是谁|我吗)[^,，。;；!！]*"
        r"|(?:还|是否|有没有|还是否)(?:都|会)?记(?:得|住|着|下)[^,，。;；!！]*"
        r"|记(?:得|住|下来?|了|着)(?:了|过)?(?:吗|么|没有?(?=\W*$)|什么|哪些?|多少|啥|不(?=\W*$)|我吗"
        r"|我是谁)[^,，。;；!！]*"
    ),
    re.compile(r"[登标日书笔惦死印游杂传]记(?!得|住)|记[者号性账忆帐载分]|(?<![请我你,，:：])记录(?!一?下|下来)"),
    re.compile(r"(?:以后|下次|下回|将来)(?:再(?!也)|还|会|能|可以|怎么|不会|有机会|考虑|说)" + _REST),
)

# ---- what asks -----------------------------------------------------------------------------------------------------

_START = (
    r"(?:^|[,，:：]\s*|[-–—]\s+|\b(?:and|but|so|also|then|or)\s+)"
    r"(?:(?:please|pls|plz|kindly|just|also|then|now|so|and|ok(?:ay)?|hi|hello|hey|yes|well|oh|btw|by the way"
    r"|can you|could you"
    r"|would you|will you|you should|you can|you may|you must|do|i want you to|i(?:['’]d| would) like you to"
    r"|i need you to"
    r"|i ask you to|let['’]?s|make sure (?:you|to)|be sure to|try to|remember to)[\s,:：]*)*"
)
_DO = (
    r"(?:answer|reply|respond|use|send|call|contact|e-?mail|text|message|ship|deliver|write|speak|talk|ask|check"
    r"|refund|pay"
    r"|include|add|give|tell|show|put|keep|leave|address|notify|inform|cc|copy|book|order|pick|choose|reach|phone"
    r"|ring|offer"
    r"|translate|format|list|start|end|sign|confirm|charge|bill|invoice|open|cite|quote|mention|assume|treat|let"
    r"|make|do|have"
    r"|wrap|pack|schedule|avoid|skip|go|summari[sz]e|explain|round|convert|say|greet|refer)"
)
_ASKS = re.compile(
    r"\bremember\b|\bmemori[sz]e\b|\b(?:keep|bear|hold)(?: [\w'’-]+){0,6} in (?:your )?mind\b"
    r"|\b(?:do not|don['’]?t|never|not)(?: you)?(?: (?:ever|you|please))* forget\b|\b(?:no|without) forgetting\b"
    r"|\bnote(?: down)?(?: (?:for|to) [\w ]{3,20}?)?\s*(?:[:,]|(?:that|this|it|down|the following|my|i|i['’]m"
    r"|i['’]ve|we)\b)"
    r"|\b(?:make|take|keep)(?: (?:a|an|mental|quick|little|careful|some|the|yourself))* notes?\b|\bnote to self\b"
    r"|\b(?:write|jot|note|take)(?: (?:that|this|it|the following|my(?: [\w-]+){1,4}))? down\b"
    rf"|{_START}(?:save|store|record|log)(?: down)? (?:this|that|it|these|the (?:following|fact)|my|for later"
    rf"|for next time|i\b)"
    r"|\b(?:keep|put|have|hold|leave)(?: [\w'’-]+){1,8} on (?:file|record)\b|\bkeep on (?:file|record)\b"
    r"|\b(?:commit|add|save|store|put|keep|write|enter)\b.{0,80}\b(?:to|in|into) (?:your |the |long-term |my )*memory\b"
    r"|\bfor the record\b|\bfyi\b|\bfor your (?:information|records?|files?)\b|\b(?:just )?so (?:that )?you know\b"
    r"|\bfor (?:future|later) reference\b|\b(?:you should|please) (?:know|be aware)\b|\bbe aware that\b|\blearn that\b"
    r"|记住|记下|记一下|记一记|记着|记得|记好|记牢|牢记|谨记|铭记|切记|记到|记在|(?:帮我|给我|替我|请你?|您|你|,|，"
    r"|^)记(?:个|录|:|：|,|，)"
    r"|记录(?:一?下|下来)|做个?(?:笔记|记录|备注|备忘|标注)|备忘|备注(?:一?下|上|:|：|我|下来)|标注一?下|(?:存"
    r"|保存)(?:一?下|下来|起来|:|：|这|我的?)"
    r"|留个?(?:底|备注|记录)|请(?:注意|留意|知悉)(?=[,，::]|我|一下|以后)|(?:注意|知悉|留意)(?:一下|:|：|,|，)"
    r"|(?:别|不要|不能|不可以?|不许|不准|勿|莫|甭|不得)(?:再)?(?:给|把.{1,12})?忘|供(?:你|您)?(?:以后|日后|今后"
    r"|后续)?参考|方便(?:以后|下次|日后)|以备"
)
_LASTING = re.compile(
    r"\bfrom (?:now|here|this (?:day|point)|today|tomorrow|next \w+)(?: on\w*| forward)?\b|\bgoing forward\b"
    r"|\bhenceforth\b"
    r"|\bin (?:the )?future\b|\bnext time\b|\bfor (?:later|next time|the future|future \w+)\b|\buntil further notice\b"
    rf"|{_START}(?:always|never) {_DO}\b|\b(?:should|must|to|you will) (?:always|never) {_DO}\b"
    r"|\bi (?:would |['’]d )?(?:always|never) (?:want|prefer|like|need|wish|expect)\b|\bevery time\b[^.!?]*\bplease\b"
    r"|(?:^|[,，:：\s]|请|我|你|您|那|希望|麻烦|咱们?|从今|从此|今天|现在|所以|和|跟)(?:以后|今后|往后|日后|将来"
    r"|下次|下回)"
    r"|从(?:现在|今天|今日|今|明天|下周|下个?月|这次)(?:开始|起|以后|往后|之后)|从此"
    r"|(?:一律|统一|始终|永远|每次都?|任何时候都?|务必|凡事都?)(?:请|要|得|用|给|别|不要|不许|不能|必须|先|发|寄|送"
    r"|打|回答|回复|联系|通知|叫"
    r"|称呼|按|走|放|以)|(?:请|要|希望(?:你|您)?)(?:一直|总是|每次|都)"
)
_QUESTION = re.compile(
    r"[?？]|[吗么呢]\W*$|^\W*(?:what|where|when|who|why|how|which|is|are|does|did|do|has|have|can i|may i|could i"
    r"|should i"
    r"|will (?:it|my|the)|am)\b|什么时候|怎么|为什么|多少|哪[里个些天]|是否|能不能|可不可以|会不会"
)
_POLITE_QUESTION = re.compile(
    r"\b(?:can|could|would|will|may) (?:you|i ask)\b|\bplease\b|\bwould you mind\b|(?:能|可以|可否|能否|能不能"
    r"|可不可以|麻烦|好|行|可以)(?:你|您|请|帮)"
    r"|(?:好|行|可以)[吗么]|好不好|行不行"
)

# ---- what agrees, and what says that something changed ---------------------------------------------------------------

_YES = re.compile(
    r"\W*(?:(?:yes|yeah|yep|yup|sure|ok(?:ay)?|please|pls|do|it|so|that|this|go ahead|right|correct|exactly|indeed"
    r"|definitely"
    r"|absolutely|of course|certainly|fine|agreed|confirm(?:ed)?|thanks|thank you|remember|save|keep|replace|update"
    r"|change"
    r"|overwrite|supersede|the|old|older|new|newer|previous|one|with|by|is|use|fact|memory|them|now|i"
    r"|是的?|对的?|好的?|嗯+|可以|行|没错|请|要的?|确认|吧|了|啊|呀|哦|就|这样|那就|同意|当然|替换|取代|覆盖|更新"
    r"|换|改|掉|成|新的|旧的?|原来的|以前的"
    r"|那条|它|用|把|一下|为准|以|谢谢|帮我|你|记住?|记下|记吧)\W*){1,12}"
)
_YES_CORE = re.compile(
    r"\b(?:yes|yeah|yep|yup|sure|ok(?:ay)?|please|pls|do|go ahead|right|correct|exactly|indeed|definitely"
    r"|absolutely|of course"
    r"|certainly|fine|agreed|confirm(?:ed)?|replace|update|change|overwrite|supersede)\b"
    r"|是|对|好|嗯|可以|行|没错|要|确认|同意|当然|替换|取代|覆盖|更新|换|改|为准"
)
_NOT_CHANGED = re.compile(
    r"\b(?:do not|don['’]?t|did ?n['’]?t|never|not|without|no)\s+(?:\w+\s+){0,2}"
    r"(?:replac\w+|chang\w+|updat\w+|overwrit\w+|mov\w+|switch\w+)"
    r"|(?:不要?|别|没有?|勿|不用|不必|无需)(?:再)?(?:替换|取代|覆盖|更新|换|改|搬|变)"
)
_CHANGED = re.compile(
    r"\bmoved\b|\brelocated\b|\bswitch(?:ed|ing)? (?:to|from|over)\b|\bchang(?:ed?|ing)\b[^.!?;]{0,40}?\b(?:to|from)\b"
    r"|\breplac(?:e|es|ed|ing) (?:it|that|this|the|my|what|mem-)|\bupdate (?:it|that|this|the|my|what|mem-)"
    r"|\boverwrite\b|\bsupersedes?\b|\binstead\b|\brather than\b|\bno longer\b|\b(?:any ?more|any longer)\b|\bused to\b"
    r"|\bas of (?:now|today|next|\d)|\bfrom now on\b|\bstarting (?:now|today|tomorrow|next|from)\b"
    r"|\b(?:is|are|am|has|have|['’]m|['’]s|['’]ve) now\b|\bnow (?:live|lives|ship|ships|pay|pays|use|uses|approves"
    r"|in|at|by|with)\b"
    r"|\b(?:my|our|the) (?:new|current)\b|\bcorrection\b|\bactually\b|\bi meant\b|\bi was wrong\b"
    r"|\bnot (?:in|at|by|with|via|to|from) [\w .]{1,30}$|, not [\w .]{1,30}$"
    r"|搬(?:家|到|去|至|了)|改[成为到用由走寄送付]|换[成为到了用]|更[换改正]|变[成更为]|更新|不再|替换|覆盖|取代"
    r"|纠正|说错|其实[是住用]"
    r"|现在(?:是|住|用|由|找|寄|送|改|付|归|换|搬|变)|已经?(?:改|换|搬|变)|新(?=的?(?:住址|地址|审批|付款|支付|收货"
    r"|家))|而不是|不是.{1,12}(?:了|而是|[,，]是)"
    r"|从(?:现在|今天|今|下周|明天)(?:开始|起|以后|往后)"
)
_ID = re.compile(r"mem-[0-9a-f]{8}")


def asked_to_remember(said: Sequence[str]) -> bool:
    """Whether the newest of the person's messages asks for something to be kept for later, or says yes to it."""
    newest = _newest(said)
    return bool(_yes(newest) or any(_asks(sentence) for sentence in _SENTENCE.findall(newest)))


def agreed_to_replace(said: Sequence[str]) -> bool:
    """Whether the newest message agrees that an older fact gives way: says yes, says so, or names its id."""
    newest = _newest(said)
    return _yes(newest) or told_as_changed(newest) or bool(_ID.search(newest))


def told_as_changed(words: str) -> bool:
    """Whether the words themselves say that something is no longer as it was: "I moved to …", 换成…, "instead"."""
    return bool(_CHANGED.search(_NOT_CHANGED.sub(" ", normalise(words))))


def _newest(said: Sequence[str]) -> str:
    return normalise(said[0][:READ_CHARS]) if said else ""


def _yes(words: str) -> bool:
    return bool(_YES.fullmatch(words) and _YES_CORE.search(words))


def _asks(sentence: str) -> bool:
    for near_miss in _NEAR_MISSES:
        sentence = near_miss.sub(" ", sentence)
    if _ASKS.search(sentence):
        return True
    asking = _QUESTION.search(sentence) and not _POLITE_QUESTION.search(sentence)
    return not asking and bool(_LASTING.search(sentence))
