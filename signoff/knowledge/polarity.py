"""How a text says yes or no, and the pairs of words of which one denies the other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from signoff.text import normalise

NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|neither|nor|without|cannot|unable|exclude[sd]?|excluding|forbidden|prohibited"
    r"|refuse[sd]?)\b|\b(?:is|are|be|falls?|lies?) outside\b|n['’]t\b|[不没无未勿]|禁止|除外|拒绝|作废"
)
# Words that hold a negation's sign but negate nothing.
APPARENT = re.compile(
    r"\bnot only\b|\bnot (?:affect|limit|prevent|cost|change)\b|\b(?:not|no) (?:more|less|later|longer|fewer"
    r"|earlier) than\b|\bnot exceed(?:ing)?\b"
    r"|\bno\. ?\d|\bno[- ]reason\b|\bwithout (?:giving )?(?:a |any )?reasons?\b|\bno reason (?:is )?(?:needed"
    r"|required)\b"
    r"|无理由|不收费|无需付费|(?:无需|不需要?|不用|不必)(?:说明|给出?)?(?:任何)?理由|不仅|不但|不过(?=[,，])"
    r"|不管|不论|无论|不同|不少于|不超过"
    r"|不低于|不高于|不晚于|不大于|不满|不开放|不对外开放|不足|不断|不久|未来|不影响|不受|没问题|不好意思"
    r"|不客气|差不多|未成年"
)
CONDITION = re.compile(
    r"\bonly\b|\bunless\b|\buntil\b|\bexcept\b|才[能可会]|方可|只(?!要)|仅(?!仅)|除非|除.{1,8}外"
    r"|\bno .{1,40} before\b|\bif\b.{1,30}\bnot\b"
)
_CONTRACTED = re.compile(r"(?<=ca)(?=n['’]t\b)|n['’]t\b")
# "Leave that was not taken": what is denied is not what the sentence says.
_RELATIVE = re.compile(r"(?:没有?|未)[^,，。的]{1,8}的(?=\w)")
LATER = re.compile(
    r"\b(?:later|after|beyond|exceed(?:s|ing)?|more than|over|(?<!no )longer)\b|超过|超出|逾期|超期|以后|之后"
)
_LACKING = re.compile(
    r"\bwithout\b|\bno \w+ (?:is )?(?:needed|required)\b|\bneeds? no\b|未经|未获|无需|无须|不须|不用|不必|不需"
)
_UNLESS = re.compile(r"未经|未获|没有.{1,12}的|\bwithout\b|\bnot .{1,30} (?:may|must|can)\b")
ALLOWED = re.compile(
    r"\b(?:can|may|able|allowed|eligible|covered|possible|permitted|free)\b|可以|可(?=[以退换用享在按容])"
    r"|能(?!源|力|量|效)|支持|允许|免费|适用"
)
REFUSED = re.compile(
    r"\b(?:can ?not|may not|must not|not (?:be )?(?:allowed|eligible|covered|possible|permitted|supported|returned"
    r"|refunded|admitted)|excluded|never|nobody|forbidden|prohibited|no longer)\b|can['’]t"
    r"|不支持|不可以?|不能|不得|不再|禁止|不适用|不予|不允许|无法|不要|不许"
)
OPPOSITES: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (name, re.compile(a), re.compile(b))
    for name, a, b in (
        (
            "who pays",
            r"\b(?:we|the company|company|employer|seller|the store)\b.{0,12}\b(?:pays?|bears?|covers?|reimburses?)\b"
            r"|(?:我们|公司|商家|卖家|本店|我方).{0,4}(?:承担|支付|负担|报销|出)|at (?:our|the company['’]s) expense",
            r"\b(?:customer|travell?er|employee|buyer|you|visitor|user|driver|borrower)s?\b.{0,12}\b(?:pays?"
            r"|bears?|covers?)\b"
            r"|(?:客户|顾客|买家|自己|自行|本人|员工|您|你|个人|出差人|用户|驾驶人|司机).{0,4}(?:承担|支付|负担"
            r"|出)|自费|自付"
            r"|at (?:your|their|his|her|(?:the )?\w+['’]s) (?:own )?expense|\bown expense\b",
        ),
        (
            "what is charged",
            r"\bfree\b|免费|不收费|无需付费",
            r"\b(?:costs?|charged|fees?)\b|(?<!不)收费|付费|\d\s*(?:元|yuan)\b|[¥$]\s?\d",
        ),
        ("before or after", r"\bbefore\b|之前|以前", r"\bafter\b|之后|以后"),
        ("open or closed", r"\bopen(?:s|ed)?\b|(?<!不)开放", r"\bclosed?\b|关闭|不开放|闭馆"),
        (
            "up or down",
            r"\b(?:increase|raise|rise)[sd]?\b|上浮|提高|增加|上调",
            r"\b(?:decrease|reduce|lower)[sd]?\b|下浮|降低|减少|下调",
        ),
        (
            "must or may",
            r"\bmust\b(?! not| have)|\brequired\b|\bmandatory\b|(?<!不)必须|(?<!无)(?<!不)须|务必",
            r"\bmay\b(?! not)|\boptional\b|\bvoluntary\b|可以|可选|自愿|不必|无须|无需|\bneed not\b",
        ),
        *(
            (
                f"{word} or un{word}",
                rf"\b{word}\b|(?<![未没])(?<!没有)(?<!未经)(?:{zh})",
                rf"\bun{word}\b|(?:未经?|没有?)(?:{zh})",
            )
            for word, zh in (
                ("opened", "开封|拆封|拆开|启封"),
                ("worn", "穿过|穿着过"),
                ("washed", "洗过|水洗"),
                ("activated", "激活"),
                ("damaged", "损坏|破损"),
                ("registered", "登记|注册"),
                ("licensed", "许可"),
                ("sealed", "密封"),
            )
        ),
    )
)


@dataclass(frozen=True)
class Signs:
    """How a text says yes or no."""

    negated: bool
    refused: bool
    allowed: bool
    only: bool
    """It says that something holds under a condition, and not otherwise."""
    conditional: bool
    """It denies only unless something holds."""
    beyond: bool
    """It speaks of what lies beyond a bound: "a later request"."""


@lru_cache(maxsize=1024)
def signs(text: str) -> Signs:
    """The signs of yes and no in a text."""
    said = APPARENT.sub(" ", _CONTRACTED.sub(" not", normalise(text)))
    refused = bool(REFUSED.search(said))
    return Signs(
        bool(NEGATION.search(_RELATIVE.sub(" ", said))),
        refused,
        bool(ALLOWED.search(said)) and not refused,
        bool(CONDITION.search(said)),
        bool(CONDITION.search(said) or _UNLESS.search(said)),
        bool(LATER.search(said)),
    )


def is_negated(text: str) -> bool:
    """Whether a text denies something."""
    return bool(denial(text))


def denial(text: str) -> str:
    """The word by which a text denies something; empty when it does not."""
    found = NEGATION.search(APPARENT.sub(" ", normalise(text)))
    return found[0] if found else ""


def side(text: str, a: re.Pattern[str], b: re.Pattern[str]) -> int:
    """1 where a text has a word of the one kind, -1 of the other; 0 for none or both."""
    said = normalise(text)
    return bool(a.search(said)) - bool(b.search(said))


def lacks(text: str) -> bool:
    """Whether what a text denies is a condition: "without approval", 未经批准."""
    return bool(_LACKING.search(normalise(text)))
