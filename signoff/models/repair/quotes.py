"""Text in quotation marks as models write it: which mark really ends it, and what its escapes stand for."""

from __future__ import annotations

import re

PAIRS = {'"': '"', "'": "'", "“": "“”", "”": "“”", "‘": "‘’", "’": "‘’", "「": "」", "『": "』", "`": "`"}
"""Marks that begin a text, and those that may end it."""
GEMMA = '<|"|>'
"""Gemma's own quotation mark, a token; a text in it has no escapes."""

_TAG = 200
_S = r"[\s\u3000]{0,64}"
_NEXT = r"</|<\||<[｜]|```|//|#|\Z"
_AFTER = {
    "key": re.compile(_S + r"(?:[:：]|=>?)"),
    "object": re.compile(
        rf"{_S}(?:\}}|{_NEXT}|[,，、;；]{_S}(?:[\"'“”「\}}]|<\||//|/\*|#|\Z|[\w$.\-]{{1,64}}[\s]{{0,8}}[:：=]))"
        rf"|\n{_S}[\"'“]|[ \t]{{0,8}}\"[\w$.\-]{{1,64}}\"[ \t]{{0,8}}:"
    ),
    "list": re.compile(
        rf"{_S}(?:\]|\)|{_NEXT}|[,，、;；]{_S}"
        r"(?:[\"'“”「\[{(<\-0-9\]]|//|/\*|#|\Z|true|false|null|True|False|None))"
    ),
    "args": re.compile(rf"{_S}(?:[)）]|{_NEXT}|[,，、]{_S}(?:[\w$]{{1,64}}[\s]{{0,8}}=|\*|[)）]))"),
}
"""What can follow a text where it stands. A mark that is followed by anything else belongs to the text."""
_MARKUP = re.compile(
    r"</?(?:[a-z]{1,12}[:_])?(?:tool|function|invoke|param|arg_)|</?(?:think|action)|<\||<[｜]|```|\[(?:TOOL|END_)"
)
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "'": "'",
            "a": "\a", "v": "\v", "0": "\0", "\n": "", "“": "“", "”": "”", "`": "`"}  # fmt: skip
_CODE = re.compile(r"u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})")


def breaks_off(text: str, at: int) -> bool:
    """Whether a text ends at a position, or within a tag that begins there."""
    if len(text) - at > _TAG:
        return False
    rest = text[at:].lstrip()
    return not rest or (
        rest.startswith(("<", "]<")) and not rest.endswith((">", "]")) and ">" not in rest[rest.rfind("<") :]
    )


class Unreadable(Exception):
    """No value can be read. `at` is how far was looked; `cut` says that the output ended inside the value."""

    def __init__(self, at: int, cut: bool = False) -> None:
        super().__init__("the output ends inside a value" if cut else "not a value")
        self.at = at
        self.cut = cut


def read(text: str, at: int, where: str, mends: set[str]) -> tuple[str, int]:
    """The text whose opening mark stands at a position, and where it ends; what was mended is added to `mends`.

    `where` is `key`, `object`, `list` or `args`: what the text is a part of, which decides what may follow it.
    Raises `Unreadable`: no mark ends it, or one that stands inside it leads over markup.
    """
    opening = text[at]
    if text.startswith(GEMMA, at):
        closers, at = [GEMMA], at + len(GEMMA)
        ends = re.compile(re.escape(GEMMA))
    else:
        if text.startswith(opening * 3, at) and opening in "\"'":
            closers, at = [opening * 3], at + 3
            mends.add("python_literals")
        else:
            closers, at = list(PAIRS[opening]), at + 1
            if opening != '"':
                mends.add("single_quotes" if opening in "'`" else "chinese_punctuation")
        ends = re.compile("|".join(map(re.escape, [*closers, "\\"])))
    parts: list[str] = []
    after = _AFTER.get(where)
    looked = at
    inner = False
    while end := ends.search(text, at):
        parts.append(text[at : end.start()])
        at = end.end()
        if end[0] == "\\":
            part, at = _escape(text, at, mends)
            parts.append(part)
            continue
        last = after is None or after.match(text, at) is not None
        if last and not inner:
            return "".join(parts), at
        # With a mark inside it, the text may not reach over markup: another call would become a part of it.
        if markup := _MARKUP.search(text, looked, end.start()):
            raise Unreadable(markup.start())
        if last:
            return "".join(parts), at
        if where == "key":
            raise Unreadable(at, cut=not text[at : at + 64].strip() and at + 64 >= len(text))
        looked, inner = end.start(), True
        mends.add("inner_quotes")
        parts.append(end[0])
    raise Unreadable(len(text), cut=True)


def _escape(text: str, at: int, mends: set[str]) -> tuple[str, int]:
    if code := _CODE.match(text, at):
        four, low, eight, two = code.groups()
        number = int(four or eight or two, 16)
        if low and 0xD800 <= number < 0xDC00:
            return chr(0x10000 + ((number - 0xD800) << 10) + int(low, 16) - 0xDC00), code.end()
        if number > 0x10FFFF:
            raise Unreadable(at)
        return chr(number), code.end() - (6 if low else 0)
    letter = text[at : at + 1]
    if letter in _ESCAPES:
        return _ESCAPES[letter], at + 1
    mends.add("escapes")
    return "\\", at
