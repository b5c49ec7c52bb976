"""Whether a person's words say that something arrived damaged, faulty or wrong: word lists, decided in code."""

from __future__ import annotations

import re

from signoff.text import normalise

# `\b` does not fire between a Chinese character and a Latin letter, hence the look-arounds.
_EN = (
    r"(?<![a-z])(?:broken|broke|damaged?|damages|cracked|cracks?|smashed|shattered|dented|dents?|crushed|squashed|torn|"
    r"ripped|leaking|leaked|leaks|scratched|scratch(?:es)?|chipped|snapped|bent|in pieces|dead on arrival|doa|"
    r"defective|defects?|faulty)(?![a-z])"
)
_ZH = (
    r"(?:损坏|破损|损毁|损伤|受损|残损|残次|破碎|破裂|破了|破的|开裂|碎裂|碎了|摔碎|压碎|碎掉|(?<![零琐])碎(?!花|片|纸)|裂痕|裂纹|裂缝|断裂|"
    r"断了|裂|压扁|压坏|变形|漏液|漏水|漏油|漏了|划痕|划伤|刮花|凹陷|瘪了|磕碰|烂了|质量问题|瑕疵|故障|(?<![好学使弄变])坏(?!处|账|天|心情|话))"
)
# What only makes sense as it stands: a negation is part of it.
_FAILS = (
    r"(?:(?:does|did|do|will|would|can|is)(?: not|n['’]t)|won['’]t|can['’]t|cannot|not|never|no longer) "
    r"(?:work(?:s|ing)?|turn(?:ing)? on|switch(?:ing)? on|power(?:ing)? on|start(?:ing)?|charg(?:e|ing))(?![a-z])|"
    r"不能用|用不了|不工作|开不了机|不开机|无法开机|打不开机|无法使用|没有?反应|不亮|充不进电|充不了电|不能充电"
)
_WRONG = (
    r"(?:not|nothing) as described|not what i (?:had )?ordered|(?:the )?wrong (?:item|product|order|thing|goods)|"
    r"(?:sent|got|received|delivered|shipped)(?: me| us)? (?:the|a) wrong|"
    r"(?:parts?|pieces?|items?|accessories|cables?|chargers?|manual|screws?)(?: is| are| was| were)? missing|"
    r"missing (?:a |the |some |two |one )?(?:parts?|pieces?|items?|accessor(?:y|ies)|cables?|chargers?|screws?)|"
    r"arrived incomplete|was incomplete|"
    r"发错|寄错|漏发|少发|少寄|缺件|少了?一?件|缺少?配件|与描述不符|和描述不符|描述不符|货不对板|不是我(?:买|订|要)的"
)
# "no scratches or dents", "isn't damaged", "did not arrive broken"; not "not only broken", "don't want a broken one".
_NOT_EN = re.compile(
    rf"(?:\bnot\b(?! only)|n['’]t\b|\bno\b|\bnever\b|\bwithout\b|\bnothing\b|\bfree of\b)"
    rf"(?:\s+(?!(?:and|but|because|it|so|since|as|want|accept|need|like|keep|use|work|works|idea)\b)[a-z]+){{0,3}}?"
    rf"\s+{_EN}(?:(?:,?\s+(?:or|nor|and)\s+|,\s*){_EN})*"
)
_NOT_ZH = re.compile(
    r"(?:(?<!有)没有?|未|无|(?<!是)不是|并非|毫无|不存在|不算)"
    r"(?:有|被|任何|什么|明显|弄|摔|压|碰|打|磕|一点|一丝|出现|发现|发生|产生|造成|看到|见|的|外观|人为"
    rf"|{_ZH}[、和或与及])*{_ZH}"
)
# What the person did themselves is not damage on arrival.
_OWN_EN = re.compile(
    r"\b(?:i|we|my (?:son|daughter|kids?|child|baby|toddler|dog|cat|wife|husband|friend))"
    r"(?:['’]ve)?(?:\s+(?:accidentally|just|have|had|mistakenly|myself|also|then))*\s+"
    r"(?:broke|dropped|cracked|smashed|damaged|scratched|bent|dented|crushed|snapped|tore|ripped|shattered|chipped)\b"
    r"(?:\s+it)?(?:\s+and\s+(?:it\s+)?(?:broke|cracked|smashed|damaged|scratched|bent|dented|shattered|chipped)\b)?"
)
_OWN_ZH = re.compile(
    r"(?:我们?|自己|孩子|小孩|宝宝|小?狗|小?猫|家人|老婆|老公|朋友|^不小心|(?<=[,,。;;\s])不小心)"
    r"(?:自己|一不小心|不小心|刚刚?|昨天|今天|后来|把(?:它|手机|杯子|屏幕|东西)|给|又|就|已经)*"
    r"(?:弄|摔|打|砸|踩|碰|坐|磕|刮|压|划|搞)(?:坏|碎|破|裂|断|花|烂|伤)了?"
)
_EITHER = re.compile(rf"{_FAILS}|{_WRONG}|{_EN}|{_ZH}")


def damage_words(text: str) -> list[str]:
    """The words that say so, in order and without repeats; empty when the text does not.

    Left out are what is negated ("not damaged", 没有破损) and what the person did themselves ("I dropped it",
    我摔坏了). The words are shown to whoever signs off: a list of words is not a judge.
    """
    said = normalise(text)
    for pattern in (_NOT_EN, _NOT_ZH, _OWN_EN, _OWN_ZH):
        said = pattern.sub(" ", said)
    return list(dict.fromkeys(_EITHER.findall(said)))
