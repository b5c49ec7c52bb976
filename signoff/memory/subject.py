"""What a fact is about: an attribute that has one value at a time, so that a newer fact takes the older's place.

Conservative on purpose. Two facts that may both hold are both kept; only a known attribute of the person, or
the same preference with another object, is taken to be the same subject.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from signoff.memory.contradiction import opposed
from signoff.memory.lexicon import channel_words, concept_of, language_words, terms
from signoff.memory.sayings import SAYINGS
from signoff.text import STOP_WORDS, normalise, tokens

_OWN = r"(?:my|(?:the )?(?:user|customer|person)['’]s)"
_ATTRIBUTE_EN = re.compile(
    rf"^{_OWN} (?:new |current |own )?(?P<what>[\w' -]{{2,60}}?)"
    r"(?: is now| is currently| is| are now| are|['’]s| (?:was |has |have )?changed to| has become|\s?[:=])\s+"
    r"(?P<value>.+)$"
)
_ATTRIBUTE_ZH = re.compile(
    r"^(?:我|本人|用户|客户)的?(?:新的?|现在的?)?(?P<what>[^,，。;；是为]{1,12}?)(?:现在|目前|已经?)?"
    r"(?:是|为|叫|[:：]|改成了?|改为了?|换成了?|换到了?|变成了?|在)\s*(?P<value>.+)$"
)
_CHOICE_EN = re.compile(r"^(?:preferred|favou?rite|usual|default|main|primary) ")
_CHOICE_ZH = re.compile(r"^(?:最喜欢|最爱|首选|默认|常用|偏好)")
_ATTRIBUTES = frozenset(
    "address name department team title manager office seat floor city birthday zone size colour assistant invoice"
    " delivery hours lunch company language email phone wechat home payment refund approver".split()
)
_STATE = re.compile(
    r"(?:(?:very|too|so|really|quite|always|often|not|never|usually|a bit|under|away|great|good|nice|bad|fine|ok(?:ay)?"
    r"|strict|cold|hot|warm|big|small|noisy|quiet|new|old|busy|late|early|far|broken|open|empty|full|free|happy"
    r"|kind|friendly"
    r"|wrong|right|ready|different|missing|mine|important|\w+(?:ing|ed))(?:\W|$)|很|太|非常|比较|特别|有点|不|没)"
)
"""What says how something is, not what it is."""
_NOT_A_NAME = re.compile(r"(?:at|on|by|when|if|before|after|back|later|about|only|again|in|tomorrow|today|first|any)\b")

_DOMAINS = (
    (
        "contact",
        channel_words,
        re.compile(
            r"\b(?:prefers?|preferred|preference|contact\w*|reach\w*|rather|likes?|wants?|use|using|notif\w+|inform\w*"
            r"|write to me|get in touch|best|always|via|by|send me|(?:e-?mail|call|text|ring) me)\b"
            r"|喜欢|偏好|联系|联络|用|通过|通知|发|希望|愿意|习惯|倾向|沟通|打|首选"
        ),
    ),
    (
        "language",
        language_words,
        re.compile(
            r"\b(?:answers?|repl(?:y|ies)|respond|write|speak|talk|language|prefers?|use|always)\b"
            r"|回答|回复|答复|沟通|交流|说|语言|用|喜欢|偏好"
        ),
    ),
)
_CONTEXT = frozenset(
    "prefer contact answer language name rather want use via by best always please instead notif inform get touch send"
    " me us write speak talk respond way to only all ever now future now on from time thing would i'd over than"
    " 用 通过 方式 请 都 更 一律 统一 改 改用 换 换成 以后 今后 不再 不 要 不要 别 而 不是 而不是 来 发 给"
    " 给我发 打 给我 通知 最好 尽量 总是 一般 就 行 可以 说 交流 沟通 用户 接 比起 相比 请用 发短 愿意 更愿意 希望"
    " 联系我 跟我 和我 只 一直 永远 始终 务必 必须 任何时候 从现在 起 开始 再 得 必 也".split()
)
_NOT_BEFORE = re.compile(
    r"(?:\b(?:not|never|no|without|stop|avoid|instead of|rather than|over|than|hates?|dislikes?)\b|n['’]t\b)"
    r"(?:\s+[\w'-]+){0,3}\s*$|(?:不|别|勿|没|而非|比起|相比|讨厌|拒绝)[^,，。;；]{0,4}$"
)
_NO_TOPIC = frozenset("user custom 用户 客户 更 最".split())
_EXCLUSIVE_EN = frozenset("prefer favourit favorit".split())
_EXCLUSIVE_ZH = re.compile(r"更喜欢|最喜欢|偏好|更愿意|习惯|首选")


@dataclass(frozen=True)
class Subject:
    """An attribute with its value, in a form that can be compared."""

    key: str
    value: str


def subject(text: str) -> Subject | None:
    """The attribute that a fact gives a value; None when it is about nothing that has one value at a time."""
    flat = normalise(text).strip(" .。!！")
    for key, saying in SAYINGS:
        if (match := saying.match(flat)) and not _NOT_A_NAME.match(match["value"]):
            return Subject(key, _value(match["value"]))
    for pattern, choice in ((_ATTRIBUTE_EN, _CHOICE_EN), (_ATTRIBUTE_ZH, _CHOICE_ZH)):
        if match := pattern.match(flat):
            named = terms(match["what"])
            chosen = named & _ATTRIBUTES or (named and choice.match(match["what"]))
            if chosen and not _STATE.match(match["value"]):
                return Subject(" ".join(sorted(named - {"contact", "最", "更"} or named)), _value(match["value"]))
    for domain, words, context in _DOMAINS:
        if (value := _chosen(flat, words())) and context.search(flat):
            about = {concept_of(t) for t in tokens(flat) if t not in STOP_WORDS}
            own = {concept_of(t) for w in words() for t in tokens(w, stop=False)}
            # 发邮件 is one word to the tokenizer.
            rest = {w for w in about - own - _context() if not any(c in w for c in words() if not c.isascii())}
            return Subject(" ".join([domain, *sorted(rest)]), value)
    return None


@cache
def _context() -> frozenset[str]:
    """With the forms that the tokenizer gives: always is alway."""
    return _CONTEXT | {t for w in _CONTEXT for t in tokens(w, stop=False)}


def same_subject(new: str, old: str) -> bool:
    """Whether the newer fact takes the place of the older one, or says it again."""
    if _value(new) == _value(old) or opposed(new, old):
        return True
    here, there = subject(new), subject(old)
    if here or there:
        return here is not None and there is not None and here.key == there.key
    return _same_preference(new, old)


def same_value(new: str, old: str) -> bool:
    """Whether two facts of one subject say the same."""
    here, there = subject(new), subject(old)
    return _value(new) == _value(old) or (here is not None and here == there and not opposed(new, old))


def _same_preference(new: str, old: str) -> bool:
    """`prefer aisle seats` after `prefer window seats`: one run of words differs, directly behind the verb."""
    here, there = _sequence(new), _sequence(old)
    verb = _verb(new, here)
    if verb is None or verb != _verb(old, there) or here[: verb + 1] != there[: verb + 1]:
        return False
    head = verb + 1
    tail = 0
    while tail < min(len(here), len(there)) - head and here[-1 - tail] == there[-1 - tail]:
        tail += 1
    changed = (len(here) - tail - head, len(there) - tail - head)
    if any(not 1 <= n <= 2 for n in changed) or here[head] == there[head]:
        return False
    return head - 1 + tail >= 1


def _verb(text: str, words: list[str]) -> int | None:
    if any(w in _EXCLUSIVE_EN for w in words):
        return next(i for i, w in enumerate(words) if w in _EXCLUSIVE_EN)
    if _EXCLUSIVE_ZH.search(text):
        return next((i for i, w in enumerate(words) if w in ("喜欢", "偏好", "愿意", "习惯", "首选")), None)
    return None


def _sequence(text: str) -> list[str]:
    return [t for t in tokens(text) if t not in STOP_WORDS and t not in _NO_TOPIC]


def _chosen(flat: str, words: dict[str, str]) -> str:
    """The ways or languages that are wanted, without those that are ruled out."""
    found = set()
    for word, name in words.items():
        pattern = rf"(?<![a-z0-9-]){re.escape(word)}(?![a-z0-9-])" if word.isascii() else re.escape(word)
        for match in re.finditer(pattern, flat):
            if not _NOT_BEFORE.search(re.split(r"[,，.。;；!！]", flat[: match.start()])[-1]):
                found.add(name)
    return " ".join(sorted(found))


def _value(text: str) -> str:
    return "".join(c for c in normalise(text) if c.isalnum())
