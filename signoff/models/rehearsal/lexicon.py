"""A small general vocabulary in Chinese and English: words of both languages that mean one concept.

It lets a Chinese request find a tool described in English and the other way round. It knows nothing of any
tool; what a tool is for comes from its own name, description, parameters and examples.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType

from signoff.models.rehearsal import compounds
from signoff.models.rehearsal.vocabulary import ACTIONS, LOOKS, THINGS
from signoff.text import STOP_WORDS, normalise, tokens

_LONGEST = 6
"""Characters of the longest Chinese word, and words of the longest English phrase are at most three."""


_WIDER = {"sick": "leave", "personal": "leave", "rain": "weather", "temperature": "weather"}
"""Concepts that are a kind of another."""


@dataclass(frozen=True)
class Found:
    """A concept where it stands in a normalised text."""

    concept: str
    start: int
    end: int
    word: str


@dataclass(frozen=True)
class _Lexicon:
    chinese: dict[str, str]
    english: dict[tuple[str, ...], str]
    names: dict[str, tuple[str, str]]


@lru_cache(maxsize=2048)
def find(text: str) -> tuple[Found, ...]:
    """Concepts in a text in order, longest word first; offsets are into the text as `fold` returns it."""
    return tuple(_scan(fold(text)))


@lru_cache(maxsize=2048)
def fold(text: str) -> str:
    """The normal form with the text's length kept, so that offsets hold in the text itself."""
    return "".join(n if len(n := normalise(c)) == 1 else c.lower() if len(c.lower()) == 1 else c for c in text)


def concepts(text: str) -> frozenset[str]:
    """The concepts of a text."""
    return frozenset(f.concept for f in find(text))


def words_of(concept: str) -> tuple[str, ...]:
    """The words of both languages that mean a concept."""
    return tuple(
        w for table in (ACTIONS, LOOKS, THINGS) for c, (en, zh) in _rows(table) if c == concept for w in en + zh
    )


@cache
def english_words() -> frozenset[str]:
    """Every English word of the vocabulary."""
    return frozenset(
        w
        for table in (ACTIONS, LOOKS, THINGS)
        for _, (en, _) in _rows(table)
        for p in en
        for w in re.findall("[a-z]+", p)
    )


def is_action(concept: str) -> bool:
    """Whether a concept is something that is done, rather than looked at."""
    return concept in _actions()


def is_look(concept: str) -> bool:
    """Whether a concept is a way of looking something up."""
    return concept in _looks()


def name_of(words: str, language: str) -> str:
    """A parameter's or field's name in a language, as far as its words are known: `order_id` is 订单号."""
    if known := _SPOKEN.get(words):
        return known[language == "zh"]
    parts = [p for p in words.replace("-", "_").split("_") if p]
    if language == "en":
        return " ".join(parts)
    chinese = [_PARTS.get(p) or _lexicon().names.get(next(iter(concepts(p)), ""), (p, p))[1] for p in parts]
    return "".join(chinese)


@lru_cache(maxsize=2048)
def features(text: str) -> Mapping[str, float]:
    """What a text is about: `#concept` where a word is known, stemmed words otherwise, with weights.

    Single Chinese characters weigh little, for they match by chance.
    """
    folded = fold(text)
    found: dict[str, float] = {}
    rest = list(folded)
    for hit in find(text):
        found["#" + hit.concept] = 1.0
        if wider := _WIDER.get(hit.concept):
            found.setdefault("#" + wider, 0.7)
        rest[hit.start : hit.end] = " " * (hit.end - hit.start)
    remaining = "".join(rest)
    if remaining.strip():
        for token in tokens(remaining):
            if token not in _FILLER and token not in STOP_WORDS:
                found[token] = 0.3 if len(token) == 1 else 1.0
    return MappingProxyType(found)


def _scan(folded: str) -> Iterator[Found]:
    lexicon = _lexicon()
    i = 0
    while i < len(folded):
        if folded[i] >= "\u3400":
            apart = _apart(folded, i)
            shortest = apart.end - i if apart else 0
            for length in range(min(_LONGEST, len(folded) - i), shortest, -1):
                word = folded[i : i + length]
                if concept := lexicon.chinese.get(word):
                    yield Found(concept, i, i + length, word)
                    i += length
                    break
            else:
                if apart:
                    yield apart
                i = apart.end if apart else i + 1
        elif folded[i].isalpha() and (i == 0 or not (folded[i - 1].isascii() and folded[i - 1].isalnum())):
            spans = _words(folded, i)
            if apart := _apart(folded, i):
                yield apart
                i = apart.end
                continue
            for count in range(len(spans), 0, -1):
                phrase = tuple(_stemmed(folded[a:b]) for a, b in spans[:count])
                if concept := lexicon.english.get(phrase):
                    yield Found(concept, i, spans[count - 1][1], folded[i : spans[count - 1][1]])
                    i = spans[count - 1][1]
                    break
            else:
                i = spans[0][1] if spans else i + 1
        else:
            i += 1


def _apart(folded: str, start: int) -> Found | None:
    for pattern, concept in compounds.APART:
        if match := pattern.match(folded, start):
            return Found(concept, start, match.end(), match[0])
    return None


def _words(text: str, start: int) -> list[tuple[int, int]]:
    """Up to three words from `start`, with single blanks or hyphens between."""
    spans: list[tuple[int, int]] = []
    i = start
    while len(spans) < 3 and i < len(text) and text[i].isascii() and text[i].isalpha():
        j = i
        while j < len(text) and text[j].isascii() and (text[j].isalnum() or text[j] == "'"):
            j += 1
        spans.append((i, j))
        i = j + 1
        if j >= len(text) or text[j] not in " -_":
            break
    return spans


@cache
def _stemmed(word: str) -> str:
    word = word.removesuffix("'s").rstrip("'")
    return (tokens(word, stop=False) or [word])[0]


@cache
def _lexicon() -> _Lexicon:
    chinese: dict[str, str] = {}
    english: dict[tuple[str, ...], str] = {}
    names: dict[str, tuple[str, str]] = {}
    for table in (ACTIONS, LOOKS, THINGS):
        for concept, (en, zh) in _rows(table):
            for word in zh:
                chinese.setdefault(word, concept)
            for phrase in en:
                english.setdefault(tuple(_stemmed(w) for w in phrase.replace("-", " ").split()), concept)
            names.setdefault(concept, (en[0], zh[0]))
    return _Lexicon(chinese, english, names)


@cache
def _actions() -> frozenset[str]:
    return frozenset(concept for concept, _ in _rows(ACTIONS))


@cache
def _looks() -> frozenset[str]:
    return frozenset(concept for concept, _ in _rows(LOOKS))


def _rows(table: str) -> Iterator[tuple[str, tuple[list[str], list[str]]]]:
    for line in table.strip().splitlines():
        english, _, chinese = line.partition("|")
        words = [w.strip() for w in english.split(",")]
        yield words[0], (words, chinese.split())


_SPOKEN = {
    "to": ("recipient's address", "收件人地址"),
    "cc": ("address for the copy", "抄送地址"),
    "body": ("text of the message", "正文"),
    "content": ("text", "内容"),
    "expression": ("expression to calculate", "要计算的算式"),
    "code": ("code to run", "要运行的代码"),
    "command": ("exact command", "要执行的具体命令"),
    "place": ("place", "地点"),
    "url": ("address of the page", "网页地址"),
    "to_zone": ("place or time zone it is wanted for", "要换算到的地点或时区"),
    "from_zone": ("place or time zone it is given in", "原来的地点或时区"),
    "query": ("words to look for", "要查找的内容"),
}
"""Names of arguments that say too little by themselves."""

_PARTS = {"id": "号", "sum": "合计", "issues": "议题", "notes": "记录"}
"""Parts of names for which another word is meant there."""

_FILLER = frozenset(
    "about above below over under more less than one want need like would get got give tell know help kindly "
    "just thank thanks hello hi hey dear sir madam thing someth anyth pleas also then now today go ahead make "
    "sure could tri 会不会 是不是 有没有 能不能 可不可以 要不要 我要 我想 想要 需要 麻烦 帮忙 告诉 一个 一下 "
    "就行 就好 即可 就可以 这单 那单 这笔 那笔 多少 "
    "这会儿 眼下 当下 目前 此刻 如今 当前 现在 谢谢 你好 您好 这边 那边 东西 一共 下 我 个 请问 多 里 上 "
    "中 吧 呀 啊 哦 一 张 次 份".split()
)
"""Words of courtesy and wish; they say nothing of what is wanted."""
