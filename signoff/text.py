"""Words in Chinese and English: one normal form, one tokenizer, and text that is safe in a terminal."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal

Language = Literal["zh", "en"]

_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
# Written without spaces, or with endings that only a dictionary could cut off: kana, hangul, Thai, Lao, Burmese, Khmer.
_PAIRED = (
    r"\u3005\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
    r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u1049\u1780-\u17d3"
)
_LETTER = rf"[^\W_\u3400-\u9fff\uf900-\ufaff{_PAIRED}]"
# Vowel signs and accents that have no composed form; to `re` they are no letters.
_SIGN = (
    r"\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0981-\u0983"
    r"\u09bc-\u09cd\u0a01-\u0d57"
)
_RUN = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff]+"
    rf"|[{_PAIRED}]+"
    rf"|{_LETTER}+(?:[{_SIGN}]+{_LETTER}*|[._'-]{_LETTER}+)*"
)
_PAIRS = re.compile(f"[{_PAIRED}]")
_ACCENT = re.compile("(?<=[a-z])[\u0300-\u036f]+")
# C0 and C1 controls but tab and newline, bidi overrides and isolates, zero-width and other invisible marks.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_ESCAPE = re.compile(
    "(?:\x1b\\]|\x9d).*?(?:\x07|\x1b\\\\|\x9c|$)"  # OSC: titles, links, clipboard
    "|(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours and cursor
    "|\x1b[PX^_].*?(?:\x1b\\\\|$)"  # DCS, SOS, PM, APC
    "|\x1b[ -/]*[0-~]",
    re.DOTALL,
)

_SENTENCE_END = re.compile(r"[。！？；]|(?<!\d)[.!?](?=\s|$)|(?<=\S)\n")

STOP_WORDS = frozenset(
    "a an and are as at be but by can could did do does for from had has have how i if in into is it its "
    "let may me my no not of on or our please shall should so some than that the their them then there "
    "these they this to us was we were what when where which who whom why will with would you your "
    "的 了 是 在 我 你 他 她 它 们 我们 你们 和 与 及 或 也 就 都 吗 呢 吧 啊 请 帮 帮我 一下 这 那 这个 那个 "
    "什么 怎么 怎样 如何 哪 哪个 哪些 有 没有 要 想 能 可以 会 给 把 被 对 从 到 为 而 但 被 让 还 再 又 很".split()
)
"""Words that carry no topic, in both languages; left out of similarity and of full-text queries."""


def language(text: str) -> Language:
    """`zh` when the text has any Chinese character, else `en`."""
    return "zh" if _CJK.search(text) else "en"


def normalise(text: str) -> str:
    """NFKC and casefold: one form on both sides of every comparison."""
    return unicodedata.normalize("NFKC", text).casefold()


def tokens(text: str, *, stop: bool = True) -> list[str]:
    """Search tokens in order: Chinese cut for search by rjieba, other words stemmed (Snowball English).

    Accents of Latin letters are left out, as people do who type them. Kana, hangul and the scripts of South-East
    Asia that put no spaces come as overlapping pairs of characters, as Lucene's CJK analysis has them.

    With `stop` the stop words are left out; when nothing else is left they are kept, so that a query is
    never empty because it was all stop words.
    """
    found: list[str] = []
    for run in _RUN.findall(normalise(text)):
        if _CJK.match(run):
            found.extend(_cut(run))
        elif _PAIRS.match(run):
            found.extend(run[i : i + 2] for i in range(max(len(run) - 1, 1)))
        else:
            found.append(run if run.isascii() else _unaccented(run))
    kept = [t for t in found if t not in STOP_WORDS] if stop else found
    return [_stem(t) for t in kept or found]


def terminal_safe(text: str) -> str:
    """The text without escape sequences, control characters, bidi overrides and invisible marks."""
    return _UNSAFE.sub("", _ESCAPE.sub("", text.replace("\r\n", "\n")))


def shorten(text: str, limit: int) -> str:
    """One line of at most `limit` characters, cut at the end with `…`."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


@lru_cache(maxsize=20_000)
def whole_sentences(text: str) -> str:
    """A text that was cut off, up to its last whole sentence or line; with `…` where it has none."""
    ends = [m.end() for m in _SENTENCE_END.finditer(text)]
    return text[: ends[-1]].rstrip() if ends else f"{text.rstrip()}…"


def _unaccented(word: str) -> str:
    """The word with its Latin letters bare; letters of other scripts keep what belongs to them: й is not и."""
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", word)))


@lru_cache(maxsize=20_000)
def _cut(run: str) -> tuple[str, ...]:
    import rjieba

    return tuple(rjieba.cut_for_search(run))


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    if not word.isascii() or any(c.isdigit() for c in word):
        return word
    import snowballstemmer

    # A stemmer keeps its word in itself, so it is never shared between threads.
    return str(snowballstemmer.stemmer("english").stemWord(word))
