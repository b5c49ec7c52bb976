"""Characters as their readers mean them: radicals that PDF files put in place of words, ligatures, odd spaces."""

from __future__ import annotations

import re
import unicodedata

# The supplement's radicals have no decomposition in Unicode (but two); these are words in their own right.
_RADICALS = dict(
    zip(
        "⺠⻁⻄⻅⻆⻉⻋⻑⻓⻔⻘⻙⻚⻛⻜⻝⻡⻢⻣⻤⻥⻦⻧⻨⻩⻪⻬⻮⻰",
        "民虎西见角贝车長长门青韦页风飞食首马骨鬼鱼鸟卤麦黄黾齐齿龙",
        strict=True,
    )
)
_ENDS = {"\u2028": "\n", "\u2029": "\n\n", "\x0c": "\n\n", "\x0b": "\n", "\xad": ""}
_SPACES = "\u00a0\u2000-\u200a\u202f\u205f"
# Kangxi radicals, compatibility ideographs and Latin ligatures are forms that NFKC replaces; full-width punctuation,
# which it would replace too, is how Chinese is written.
_ODD = re.compile(f"[{''.join(_RADICALS)}{''.join(_ENDS)}{_SPACES}\u2e9f\u2ef3\u2f00-\u2fd5\uf900-\ufaff\ufb00-\ufb06]")
_CJK = r"\u2e80-\u2fdf\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60"
_HYPHEN = re.compile(r"(?<=[a-zà-ÿ])[-\u2010]$")


def repaired(text: str) -> str:
    """The text with radicals as words, ligatures as letters, and plain spaces and line ends."""
    return _ODD.sub(_meant, text)


def joined(line: str, following: str) -> str:
    """Two lines of one paragraph as one: no space between Chinese lines, a broken word whole again."""
    if not line or not following:
        return line + following
    if _HYPHEN.search(line) and re.match(r"[a-zà-ÿ]{2}", following):
        return line[:-1] + following
    if re.search(f"[{_CJK}]$", line) and re.match(f"[{_CJK}]", following):
        return line + following
    return f"{line} {following}"


def _meant(match: re.Match[str]) -> str:
    sign = match[0]
    if (found := _RADICALS.get(sign, _ENDS.get(sign))) is not None:
        return found
    return " " if sign.isspace() else unicodedata.normalize("NFKC", sign)
