"""Reading numbers, amounts, dates, times and identifiers out of Chinese and English text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from decimal import Decimal

from signoff.knowledge.values import Day, Value

_SECOND = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_MEASURES = {
    "workday": r"个?工作日|(?:working|business|work)[ -]?days?",
    "day": r"个?(?:自然|日历)?[天日](?!期|志|本)|(?:calendar |natural )?days?|d(?![a-z])",
    "hour": r"个?小时|个?钟头|hours?|hrs?|h(?![a-z])",
    "minute": r"分钟|minutes?|mins?(?![a-z])",
    "second": r"秒钟?|seconds?|secs?(?![a-z])",
    "week": r"周(?!年|岁|边|报|[一二三四五六日末])|个?星期(?![一二三四五六日天])|个?礼拜|weeks?",
    "month": r"个月|months?",
    "year": r"年(?!\s*\d{1,2}\s*月|级|底|初|末)|周年|years?",
    "percent": r"%|percent|per cent",
    "yuan": r"元|块钱?|圆|yuan|rmb|cny",
    "dollar": r"美元|美金|dollars?|usd",
}
_COUNTED = (
    r"(?P<count>位|个?字符|张|件|笔|次|人|台|家|份|页|条|(?:characters|digits|letters|photos|items|pieces|people"
    r"|persons|times|orders|tickets|attempts|copies|pages)(?![a-z]))"
)
_MEASURE = "|".join(f"(?P<{name}>{pattern})" for name, pattern in _MEASURES.items())
_MONTHS = {m: i for i, m in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_ORDINAL = r"(?:st|nd|rd|th)"
_ZH_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_EN_NUMBERS = {
    w: i
    for i, w in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
} | {w: i * 10 for i, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_EN_WORD = "|".join(sorted(_EN_NUMBERS, key=len, reverse=True))
_AMOUNT = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?"
_SCALES = {"万": 10_000, "亿": 100_000_000, "千": 1_000, "百": 100, "k": 1_000}
_SCALES |= {"thousand": 1_000, "million": 1_000_000, "hundred": 100}


def plain(text: str) -> str:
    """The form that values are read from: NFKC, lower case, Chinese commas kept apart from thousands."""
    spaced = text.replace("，", ", ").replace("、", "、 ").replace("：", ": ")
    spaced = re.sub(r"(?<=\d)[⁰¹²³⁴-⁹]+|[⁰¹²³⁴-⁹]+", " ", spaced)
    return re.sub(r"(\d): (\d{2})(?!\d)", r"\1:\2", unicodedata.normalize("NFKC", spaced).lower())


_ENDLESS = re.compile(r"[零〇一二两三四五六七八九十百千万亿]{41,}")


def values(text: str, *, words: bool = False) -> list[Value]:
    """All values of `text`, in order. Number words count where a unit follows: seven days, 七天.

    With `words` they count everywhere ("two photos"): for texts that are compared with, not for claims.
    """
    # No number is written with so many characters; the patterns' work would grow with the square of them.
    left = _ENDLESS.sub(lambda m: "\0" * len(m[0]), plain(text))
    found: list[Value] = []
    for pattern, read in (*_READERS, *_WORDS) if words else _READERS:
        pieces: list[str] = []
        end = 0
        for match in pattern.finditer(left):
            some = list(read(match))
            if not some:
                continue
            found.extend(some)
            pieces += [left[end : match.start()], "\0" * (match.end() - match.start())]
            end = match.end()
        if end:
            left = "".join((*pieces, left[end:]))
    return sorted(found, key=lambda v: (v.start, v.kind))


def _nothing(match: re.Match[str]) -> Iterator[Value]:
    """Swallows what is no value by itself."""
    yield from ()


def _id(match: re.Match[str]) -> Iterator[Value]:
    name = match[0].rstrip(".,;:!?)'\"")
    yield Value("id", name, match.start(), name=name.strip("#"))


def _date(match: re.Match[str], *days: Day) -> Iterator[Value]:
    real = frozenset(d for d in days if (d[1] is None or 1 <= d[1] <= 12) and (d[2] is None or 1 <= d[2] <= 31))
    if real:
        yield Value("date", match[0].strip(), match.start(), days=real)


def _numbers(*names: int) -> Callable[[re.Match[str]], Iterator[Value]]:
    """Reads year, month and day from the named groups (0: not said)."""

    def read(match: re.Match[str]) -> Iterator[Value]:
        year, month, day = (int(match[n]) if n and match[n] else None for n in names)
        yield from _date(match, (year, month, day))

    return read


def _moment(match: re.Match[str]) -> Iterator[Value]:
    yield from _date(match, (int(match[1]), int(match[2]), int(match[3])))
    yield Value("time", f"{match[4]}:{match[5]}", match.start(4), clock=(int(match[4]), int(match[5])))


def _either(match: re.Match[str]) -> Iterator[Value]:
    a, b, year = int(match[1]), int(match[2]), int(match[3])
    yield from _date(match, (year, a, b), (year, b, a))


def _named(match: re.Match[str]) -> Iterator[Value]:
    month = _MONTHS[match["month"][:3]]
    year = int(match["year"]) if match["year"] else None
    yield from _date(match, (year, month, int(match["day"])))
    if match.groupdict().get("until"):
        yield from _date(match, (year, month, int(match["until"])))


def _named_month(match: re.Match[str]) -> Iterator[Value]:
    yield from _date(match, (int(match["year"]), _MONTHS[match["month"][:3]], None))


def _clock(match: re.Match[str]) -> Iterator[Value]:
    g = match.groupdict()
    hour, minute = int(g["hour"]), 30 if g.get("half") else int(g.get("minute") or 0)
    part = (g.get("part") or "") + (g.get("half_day") or "").replace(".", "")
    if hour > 24 or minute > 59:
        return
    if part in ("下午", "晚上", "傍晚", "pm") and hour < 12:
        hour += 12
    elif part == "am" and hour == 12:
        hour = 0
    yield Value("time", match[0].strip(), match.start(), clock=(hour, minute))


def _token(match: re.Match[str]) -> Iterator[Value]:
    """A run of letters and digits: an identifier, unless it is a number with its unit (7-day, 24h)."""
    token = match[0]
    if not re.search(r"\d", token) or not re.search(r"[a-z]", token):
        if token.count("-") >= 2:
            yield from _id(match)
        return
    if ordinal := re.fullmatch(rf"(\d+){_ORDINAL}", token):
        yield Value("ordinal", token, match.start(), amount=Decimal(ordinal[1]))
    elif not re.fullmatch(
        r"\d+(?:-?[a-z]{1,4}|-[a-z]+)(?:-[a-z]+)*|\d+(?:days|hours|weeks|months|years|mins|yuan)", token
    ):
        yield from _id(match)


def _number(match: re.Match[str]) -> Iterator[Value]:
    g = match.groupdict()
    amount = Decimal(g["amount"].replace(",", "")) * _SCALES.get(g["scale"] or "", 1)
    measure = next((name for name in (*_MEASURES, "count") if g.get(name)), "")
    if g["currency"]:
        measure = "dollar" if "$" in g["currency"] or g["currency"] == "usd" else "yuan"
    yield _measured(match[0].strip(" -"), match.start("amount"), amount, measure)


def _worded(match: re.Match[str]) -> Iterator[Value]:
    g = match.groupdict()
    amount = _chinese_number(g["chinese"]) if g.get("chinese") else _english_number(g["english"])
    measure = next((name for name in _MEASURES if g.get(name)), "")
    yield _measured(match[0].strip(), match.start(), Decimal(amount), measure)


def _percent(match: re.Match[str]) -> Iterator[Value]:
    amount = Decimal(match[1]) if match[1].replace(".", "").isdigit() else Decimal(_chinese_number(match[1]))
    yield _measured(match[0], match.start(), amount, "percent")


def _measured(text: str, start: int, amount: Decimal, measure: str) -> Value:
    if measure in _SECOND:
        return Value("number", text, start, amount=amount, unit="second", scale=Decimal(_SECOND[measure]))
    if measure == "year":
        return Value("number", text, start, amount=amount, unit="month", scale=Decimal(12))
    return Value("number", text, start, amount=amount, unit=measure)


def _chinese_number(word: str) -> int:
    total = digit = 0
    for c in word:
        if c in _ZH_DIGITS:
            digit = digit * 10 + _ZH_DIGITS[c]
        else:
            total += (digit or 1) * {"十": 10, "百": 100, "千": 1000}[c]
            digit = 0
    return total + digit


def _english_number(word: str) -> int:
    return sum(_EN_NUMBERS[w] for w in re.findall(r"[a-z]+", word))


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


# In order: what one has read, the next does not see.
_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Iterator[Value]]], ...] = (
    (_pattern(r"https?://[^\s<>()\[\]\u3000-\u9fff]+"), _id),
    (_pattern(r"[a-z0-9_.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+"), _id),
    (
        _pattern(
            r"(?<![\d-])(\d{4})-(\d{2})-(\d{2})[t ](\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?:z|[+-]\d{2}:?\d{2})?(?!\d)"
        ),
        _moment,
    ),
    (_pattern(r"(?<![\d.-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d-])"), _numbers(1, 3, 4)),
    (_pattern(r"(?<![\d])(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]?"), _numbers(1, 2, 3)),
    (_pattern(r"(?<![\d])(\d{4})\s*年\s*(\d{1,2})\s*月"), _numbers(1, 2, 0)),
    (_pattern(r"(?<![\d])(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]?"), _numbers(0, 1, 2)),
    (_pattern(r"(?<![\d])((?:19|20)\d{2})\s*年"), _numbers(1, 0, 0)),
    (_pattern(r"(?<![\d])(\d{1,2})\s*月(?!\d)"), _numbers(0, 1, 0)),
    (_pattern(r"(?<![\d.])(\d{1,2})\s*[日号](?!内|以内|之内|前|后|期|楼|门|线)(?<!\d\s日\s)"), _numbers(0, 0, 1)),
    (_pattern(r"(?<![\d.-])(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?!\d)"), _either),
    (
        _pattern(
            rf"\b(?P<month>{_MONTH})\s*(?P<day>\d{{1,2}}){_ORDINAL}?(?:\s*(?:-|–|to|and)\s*(?P<until>\d{{1,2}}){_ORDINAL}?)?"
            rf"(?!\d|:)(?:,?\s*(?P<year>\d{{4}})(?!\d))?"
        ),
        _named,
    ),
    (
        _pattern(
            rf"(?<!\d)(?P<day>\d{{1,2}}){_ORDINAL}?\s+(?:of\s+)?(?P<month>{_MONTH})(?![a-z])(?:,?\s*(?P<year>\d{{4}})(?!\d))?"
        ),
        _named,
    ),
    (_pattern(rf"\b(?P<month>{_MONTH}),?\s+(?P<year>\d{{4}})(?!\d)"), _named_month),
    (_pattern(r"(?<![\d-])((?:19|20)\d{2})-(0[1-9]|1[0-2])(?![\d-])"), _numbers(1, 2, 0)),
    (_pattern(r"(?<![\d/.-])(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])(?![\d/.%])"), _numbers(0, 1, 2)),
    (
        _pattern(
            r"(?<![\w.-])(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?![\d-])"
            rf"(?!\s*(?:{re.sub(r'[?]P<[a-z]+>', '?:', _MEASURE)}))"
        ),
        _numbers(0, 1, 2),
    ),
    (
        _pattern(r"(?:utc|gmt)\s*[+-]\s*\d{1,2}(?::?\d{2})?"),
        lambda m: iter([Value("time", "", m.start(), clock=(-1, 0))]),
    ),
    (
        _pattern(
            r"(?:(?P<part>上午|下午|晚上|早上|凌晨|中午|傍晚)\s*)?(?<![a-z\d:])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::\d{2}(?:\.\d+)?)?(?![\d:])"
            r"(?:\s*(?P<half_day>[ap]\.?m\.?)(?![a-z]))?"
        ),
        _clock,
    ),
    (_pattern(r"(?<![\d.])(?P<hour>\d{1,2})\s*(?P<half_day>[ap]\.?m\.?)(?![a-z])"), _clock),
    (
        _pattern(
            r"(?P<part>上午|下午|晚上|早上|凌晨|中午|傍晚)\s*(?P<hour>\d{1,2})\s*[点时](?:(?P<half>半)|(?P<minute>\d{1,2})\s*分)?"
        ),
        _clock,
    ),
    (_pattern(r"(?<![\d.])(?P<hour>\d{1,2})\s*[点时](?:(?P<half>半)|(?P<minute>\d{1,2})\s*分|整|钟)"), _clock),
    (_pattern(r"(?<![a-z0-9_])\d{4}-w\d{2}(?![a-z0-9])"), _id),
    (_pattern(r"(?<![a-z0-9_.])(?:v\d{1,9}(?:\.\d{1,9})*|\d{1,9}(?:\.\d{1,9}){2,})(?![a-z0-9])|\d{31,}"), _id),
    (_pattern(r"(?<![a-z0-9_])[a-z0-9]+(?:[-_][a-z0-9]+)*(?![a-z0-9_])"), _token),
    (_pattern(r"百分之(\d+(?:\.\d+)?|[零〇一二两三四五六七八九十百]+)"), _percent),
    (
        _pattern(
            rf"(?:(?P<currency>us\$|hk\$|[¥$€£]|rmb|cny|usd)\s*)?(?P<amount>{_AMOUNT})"
            rf"(?:\s*(?P<scale>[万亿千百]|k(?![a-z])|thousand|million|hundred))?(?:[\s-]*(?:{_MEASURE}|{_COUNTED}))?"
        ),
        _number,
    ),
    (_pattern(rf"(?<![第星期周]){'(?P<chinese>[零〇一二两三四五六七八九十百千]+)'}\s*(?:{_MEASURE})"), _worded),
    (_pattern(rf"\b(?P<english>(?:{_EN_WORD})(?:-(?:{_EN_WORD}))?)[\s-]+(?:{_MEASURE})"), _worded),
)
_WORDS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Iterator[Value]]], ...] = (
    # Not the 一 of 同一, 一律, 一线.
    (
        _pattern(
            r"(?<![同统唯万之单])(?P<chinese>[一二两三四五六七八九十百千]+)"
            r"(?<!(?<![一二两三四五六七八九十百千])一(?=[定律般样起切旦致并直些下线边同经向贯如再]))"
        ),
        _worded,
    ),
    (_pattern(rf"\b(?P<english>(?:{_EN_WORD})(?:-(?:{_EN_WORD}))?)\b"), _worded),
)
