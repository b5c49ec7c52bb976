"""An arithmetic expression out of a question in words: "17.5 % of 2,480", "3 的平方根加 2", "1,299 plus 8 % tax"."""

from __future__ import annotations

import ast
import re
import unicodedata
from functools import lru_cache

from signoff.models.rehearsal import numerals, sum_rules

_SIGNS = str.maketrans(
    {"×": "*", "✕": "*", "⋅": "*", "·": "*", "÷": "/", "∕": "/", "−": "-", "–": "-", "—": "-", "（": "(", "）": ")",
     "［": "(", "］": ")", "【": "(", "】": ")", "％": "%", "＋": "+", "－": "-", "＊": "*", "／": "/", "＝": "=",
     "，": ",", "π": "pi"}
)  # fmt: skip
_POWERS = {"²": "**2", "³": "**3", "½": "(1/2)", "¼": "(1/4)", "¾": "(3/4)"}
_NOT_SUMS = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}(?:[t ]\d{1,2}:\d{2}(?::\d{2})?)?|\d{4}/\d{1,2}/\d{1,2}|"
    r"(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?![\d:])|"
    r"(?<!\d)\d{4}[-_/ ]?w\d{1,2}|[\w.+-]+@[\w.-]+|https?://\S+|(?<![a-z0-9])(?!log2|"
    r"log10)[a-z]{1,8}[-_#]?\d[a-z0-9_-]*|"
    r"\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<!\d)1\d{2}-\d{4}-\d{4}|\b24/7\b"
)
_HINTS = re.compile(
    r"[*^√%()]|\*\*|\d!|\d\s*[+/]\s*[\d(]|\d\s+-\s+[\d(]|"
    r"=|\b(?:calculate|compute|evaluate|what(?:'s| is)|how much|work out|solve|sum|difference|result)\b|算|"
    r"等于|多少|求|是几|得几"
)
_CALCULATE = re.compile(r"=|\b(?:calculate|compute|evaluate|work out|what(?:'s| is))\b|算|等于|是多少|得多少")
_ROOT_OF_ALL = re.compile(
    r"(?:再|然后|最后)\s*(?:把结果)?(?:取|求)?(?:开(?:平)?方|开根号|平方根)|(?:then|and) (?:take )?the "
    r"square root(?: of (?:it|that|the result))?\W*$"
)
_CURRENCY = re.compile(
    r"(?:us|hk|a)?[$¥€£￥](?=\s*\d)|(?<=[\d\s])(?:\s*(?:元|块钱|块|圆|美元|美金|欧元|英镑|日元|人民币|yuan|"
    r"rmb|cny|usd|eur|gbp|dollars?|euros?|"
    r"pounds?|bucks))(?![a-z])"
)
_LONGEST = 600
"""Characters of a text that is read."""
_UNITS = {"百": 2, "千": 3, "万": 4, "亿": 8, "k": 3, "thousand": 3, "million": 6, "billion": 9}
"""Powers of ten."""
_EN_NUMBERS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_EN_NUMBER = re.compile(
    r"\b(?:(?P<tens>twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[ -](?P<one>one|two|three|"
    r"four|five|six|seven|eight|nine))?|"
    r"(?P<plain>" + "|".join(sorted(_EN_NUMBERS, key=len, reverse=True)) + r"))\b(?: hundred)?"
)
_TENS = {w: 10 * n for n, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_MATH_ZH = re.compile(
    r"加|减|乘|除|平方|立方|次方|根号|百分之|倍|的和|的差|的积|的商|分之|阶乘|等于|折|平均|总和|平分|平摊|均分|均摊|分摊|每人"
)

_ROUNDED = re.compile(
    r"(?:rounded?|round(?:ed)? off)?(?: (?:it|the result))?\s*\(?(?:to|with|give me|show|in|at|保留|精确到|"
    r"取到|四舍五入到|四舍五入保留)\s*(?:小数点?后)?\s*(?P<n>\d|一|两|二|三|四)\s*"
    r"(?:(?:decimal )?(?:places?|decimals?|digits)|位小数|位)\)?"
)
_INTEGER = re.compile(
    r"(?:rounded?|四舍五入|取整|保留整数|精确到个位)(?: to (?:the nearest )?(?:integer|whole number))?(?:到整数)?"
)
_CHARS = re.compile(
    rf"(?:{sum_rules.CALL}\s*(?=\()|\bpi\b|(?<![a-z])e(?![a-z])|\d+(?:\.\d+)?|\.\d+|\*\*|//|[-+*/%(),!°.\s])+"
)


@lru_cache(maxsize=512)
def expression(text: str) -> str | None:
    """The expression that a text asks for, in plain signs; None when it asks for none with an operation in it.

    A long text is no sum that somebody asks for in words, and is not read.
    """
    if len(text) > _LONGEST or re.search(r"\d{60}", text):
        return None
    said = _plain(text)
    masked = _NOT_SUMS.sub(lambda m: "#" * len(m[0]), said)
    if not re.search(r"\d", masked):
        return None
    worded = masked
    for _ in range(3):
        before = worded
        for pattern, made in sum_rules.RULES:
            worded = pattern.sub(made, worded)
        if worded == before:
            break
    if worded == masked and not _HINTS.search(masked):
        return None
    places = _ROUNDED.search(masked)
    worded = _INTEGER.sub(" ; ", _ROUNDED.sub(" ; ", worded))
    found = [
        e
        for m in _CHARS.finditer(worded)
        if (e := _valid(m[0], strict=worded == masked and not _CALCULATE.search(masked)))
    ]
    best = max(found, key=lambda e: (len(re.findall(r"[-+*/%!]|[a-z]+\(", e)), len(e)), default=None)
    if best is None:
        return None
    if _ROOT_OF_ALL.search(masked) and not best.startswith("sqrt"):
        best = f"sqrt({best})"
    if places:
        return f"round({best}, {int(numerals.number(places['n']) or 0)})"
    return f"round({best})" if _INTEGER.search(masked) and "round" not in best else best


def continued(text: str, before: str) -> str | None:
    """The sum of a question that goes on with a result: "and that divided by 8", 再乘以 2; None for any other."""
    bare = _LED.sub("", text.strip(), count=1)
    pointed = _THAT.sub(f"({before})", bare, count=1)
    if pointed == bare and _OPERATOR.match(bare):
        pointed = f"({before}) {bare}"
    return expression(f"= {pointed}") if pointed != bare and re.search(r"\d", bare) else None


_LED = re.compile(
    r"\W*(?:(?:and|then|now|so|ok(?:ay)?|what(?:'s| is)|what about|how about)\b[\s,]*|(?:那么?|然后|再|接着)[\s,，]*)+",
    re.IGNORECASE,
)
_THAT = re.compile(
    r"\b(?:that|it|this|the (?:result|answer|total|sum))\b|这个(?:数|结果)?|那个(?:数|结果)?|(?:上面的?|"
    r"刚才的?)?结果|它",
    re.I,
)
_OPERATOR = re.compile(r"(?:plus|minus|times|multiplied|divided|over|加|减|乘|除|[-+*/×÷])", re.I)


def _plain(text: str) -> str:
    """In lower case and plain signs, numbers in figures and without marks of thousands or currency."""
    said = "".join(_POWERS.get(c, c) for c in text.translate(_SIGNS))
    said = unicodedata.normalize("NFKC", said).lower()
    said = re.sub(r"(?<![\d.])\d{1,3}(?:,\d{3})+(?![\d])", lambda m: m[0].replace(",", ""), said)
    said = re.sub(
        r"[一二三四五六七八九]{1,2}(?=\s*折)", lambda m: "".join(str(int(numerals.number(c) or 0)) for c in m[0]), said
    )
    if _MATH_ZH.search(said):
        said = re.sub(
            r"(?<![\d.])[零〇一二两三四五六七八九十百千万]+(?!下|共|起|样|些|直|定|元二|半|分之[几多])(?<!第.)",
            lambda m: _figure(m[0]),
            said,
        )
    said = _EN_NUMBER.sub(_english, said)
    said = re.sub(
        r"(\d+(?:\.\d+)?)\s*(百|千|万|亿|thousand|million|billion|k)(?![a-z\d次])",
        lambda m: str(_whole(float(m[1]) * 10 ** _UNITS[m[2]])),
        said,
    )
    return re.sub(r"\s+", " ", _CURRENCY.sub(" ", said)).strip()


def _whole(value: float) -> float | int:
    return int(value) if value == int(value) else value


def _figure(word: str) -> str:
    value = numerals.number(word)
    return word if value is None else str(_whole(value))


def _english(match: re.Match[str]) -> str:
    if match["plain"]:
        value = _EN_NUMBERS.index(match["plain"]) + 1
    else:
        value = _TENS[match["tens"]] + (_EN_NUMBERS.index(match["one"]) + 1 if match["one"] else 0)
    return str(value * 100 if match[0].endswith(" hundred") else value)


def _valid(stretch: str, *, strict: bool) -> str | None:
    """A stretch as an expression with at least one operation, or None; edges that belong to no sum are left off."""
    cut = stretch.strip()
    while cut and cut[0] in "+*/%,.!)":
        cut = cut[1:].strip()
    while cut and (cut[-1] in "+-*/,.(" or (cut[-1] == "%" and not re.search(r"\d\s*%$", cut))):
        cut = cut[:-1].strip()
    while cut.count(")") > cut.count("(") and cut.endswith(")"):
        cut = cut[:-1].strip()
    while cut.count("(") > cut.count(")") and cut.startswith("("):
        cut = cut[1:].strip()
    if not re.search(r"[\d)%a-z]\s*(?:\*\*|//|[-+*/%])\s*[-(\d.a-z]|[a-z]+\d*\s*\(|\d!", cut):
        return None
    if strict and re.fullmatch(r"\d+-\d+|-\d+", cut):
        return None
    python = re.sub(r"!|°", "", re.sub(r"(?<=[\d)])\s*%(?!\s*[\d(a-z])", "/100", cut))
    try:
        tree = ast.parse(python, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    if any(isinstance(n, ast.Tuple) for n in ast.walk(tree)):
        return None
    if any(isinstance(n, ast.Call) and not isinstance(n.func, ast.Name) for n in ast.walk(tree)):
        return None
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    return re.sub(r"\s+", " ", cut) if names <= sum_rules.NAMES else None
