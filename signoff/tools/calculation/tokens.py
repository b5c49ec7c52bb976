"""An expression cut into numbers, names and operators, however it was typed: full-width, Chinese or plain."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from signoff.text import shorten
from signoff.tools.calculation.numerals import NUMERAL, UNITS, numeral
from signoff.tools.calculation.problems import refused, too_large

Kind = Literal["number", "name", "operator", "end"]


@dataclass(frozen=True)
class Token:
    """One piece of an expression."""

    kind: Kind
    text: str
    value: Fraction = Fraction(0)


_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
# One character each; not NFKC, which would read 5² as 52 and 3½ as 31/2.
_SIGNS = str.maketrans(
    {"×": "*", "✕": "*", "·": "*", "⋅": "*", "∙": "*", "÷": "/", "∕": "/", "−": "-", "–": "-", "—": "-", "﹢": "+",
     "﹣": "-", "\u3000": " ", "\u00a0": " ", "²": "**2 ", "³": "**3 ", "^": "**", "π": "pi", "√": "sqrt ", "【": "(",
     "】": ")", "[": "(", "]": ")", "{": "(", "}": ")", "〔": "(", "〕": ")"}
)  # fmt: skip
_WORDS = {
    "加上": "+", "加": "+", "减去": "-", "减": "-", "乘以": "*", "乘": "*", "除以": "/", "plus": "+", "minus": "-",
    "times": "*", "multiplied by": "*", "divided by": "/", "over": "/", "of": "*", "mod": "%",
    "to the power of": "**", "percent": "%",
}  # fmt: skip
_TAIL = re.compile(r"(?:\s|=|\?|是|等于|多少|几|equals?\b|is\b|。)+$", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:(?:请|帮我|算一?下|算算|计算|求|please|can you|calculate|compute|evaluate|what is|what's|how much is)"
    r"[\s::]*)+",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,]*\d)(?:\.\d+)?")
_NUMBER = re.compile(r"(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+(?![\w.]))?")
_HEXADECIMAL = re.compile(r"0[xXbBoO]\w")
_CROSS = re.compile(r"[xX](?=\s*[\d(.]|\s+[A-Za-z])")
_PERCENT = re.compile(r"百分之(?=\s*[\d零一二两三四五六七八九十百])")
_WORD = re.compile("|".join(sorted(map(re.escape, _WORDS), key=len, reverse=True)), re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_OPERATOR = re.compile(r"\*\*|//|[-+*/%(),!°]")


def tokens(expression: str) -> list[Token]:
    """The pieces of an expression, the last one of kind `end`. Raises `ToolError` for what cannot be read.

    Commas group thousands, except between the values of a function.
    """
    text = expression.translate(_FULL_WIDTH).translate(_SIGNS)
    text = _TAIL.sub("", _LEAD.sub("", text.strip()))
    found: list[Token] = []
    calls: list[bool] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        percent = _PERCENT.match(text, at)
        token, at = _next(text, percent.end() if percent else at, in_call=bool(calls) and calls[-1])
        if percent:
            token = Token("number", f"{token.text}%", token.value / 100)
        if token.text == "(":
            calls.append(bool(found) and found[-1].kind == "name")
        elif token.text == ")" and calls:
            calls.pop()
        found.append(token)
    return [*found, Token("end", "")]


def _next(text: str, at: int, *, in_call: bool) -> tuple[Token, int]:
    if _HEXADECIMAL.match(text, at):
        raise refused(
            f"{shorten(text[at:], 20)!r} is not a decimal number: write it in decimal digits.",
            f"「{shorten(text[at:], 20)}」不是十进制数:请改用十进制。",
        )
    if match := NUMERAL.match(text, at):
        return Token("number", match[0], numeral(match[0])), match.end()
    thousands = None if in_call else _THOUSANDS.match(text, at)
    if match := thousands or _NUMBER.match(text, at):
        value, end = _number(match[0].replace(",", "").replace("_", "")), match.end()
        if end < len(text) and text[end] in UNITS:
            return Token("number", match[0] + text[end], value * UNITS[text[end]]), end + 1
        return Token("number", match[0], value), end
    if match := _OPERATOR.match(text, at):
        return Token("operator", match[0]), match.end()
    if match := _CROSS.match(text, at):
        return Token("operator", "*"), match.end()
    name = _NAME.match(text, at)
    word = _WORD.match(text, at)
    if word and (name is None or word.end() >= name.end()):
        return Token("operator", _WORDS[word[0].lower()]), word.end()
    if name:
        return Token("name", name[0].lower()), name.end()
    if text[at] == "除":
        raise refused(
            "除 alone can be read in two ways: write 除以 or /.",
            "单独一个「除」有歧义:请写「除以」或 /。",
        )
    rest = shorten(text[at:], 20)
    raise refused(
        f"The expression cannot be read from {rest!r} on: use numbers, + - * / // % ** ( ) and functions such as sqrt.",
        f"算式从「{rest}」开始无法识别:请只用数字、+ - * / // % ** ( ) 和 sqrt 之类的函数。",
    )


def _number(text: str) -> Fraction:
    mantissa, _, exponent = text.lower().partition("e")
    if len(exponent.lstrip("+-0")) > 4 or len(mantissa) > 1_000:
        raise too_large()
    if exponent and abs(int(exponent)) > 1_000:
        raise too_large()
    return Fraction(mantissa.rstrip(".") or "0") * Fraction(10) ** int(exponent or 0)
