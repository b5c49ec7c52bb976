"""Arguments that are numbers, each filled with the number whose neighbouring words fit it best."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from signoff.models.rehearsal import dates, lexicon, numerals
from signoff.models.rehearsal.cards import Card, Parameter
from signoff.models.rehearsal.texts import Span

_BOUNDS = (
    (
        frozenset({"max", "maximum", "most", "upper", "below", "under", "cap"}),
        re.compile(r"(?:under|below|at most|up to|(?:less|cheaper|lower|no more) than|within|max(?:imum)?|不超过|低于|"
            r"最多|至多|小于|最高)\s*(?:of\s*)?[$¥€]?\x00|"
                   r"\x00\s*(?:yuan|rmb|dollars?|euros?|元|块|美元)?\s*(?:以下|以内|之内|or less|at most|max)"),
    ),
    (
        frozenset({"limit", "count", "top", "size", "n", "max"}),
        re.compile(r"(?:\b(?:last|latest|newest|recent|first|top|previous|past)|最近|最新|最后|头|前)\s*的?\s*\x00|"
                   r"\x00\s*(?:most recent|latest|newest|last)\b|\x00\s*(?:个|笔|单|条)?(?:最近|最新)"),
    ),
    (
        frozenset({"offset", "position", "from", "start"}),
        re.compile(r"(?:\b(?:from|after|at|starting (?:at|from))|从|自)\s*(?:the\s+)?(?:第\s*)?"
                   r"(?:character|char|position|offset|byte|字符)?\s*\x00"),
    ),
    (
        frozenset({"min", "minimum", "least", "lower", "above", "over", "from"}),
        re.compile(r"(?:over|above|at least|(?:more|higher) than|from|min(?:imum)?|高于|至少|不低于|不少于|大于|"
            r"最低)\s*(?:of\s*)?[$¥€]?\x00|"
                   r"\x00\s*(?:yuan|rmb|dollars?|euros?|元|块|美元)?\s*(?:以上|or more|at least)"),
    ),
)  # fmt: skip
"""Which side a number bounds, by the parameter's name and the words beside the number."""
_MEASURES = {
    "days": ("天", "日"), "hours": ("小时", "个小时", "钟头"), "minutes": ("分钟",), "seconds": ("秒",),
    "weeks": ("周", "个星期"), "months": ("个月", "月"), "years": ("年",), "people": ("人", "个人", "位", "名"),
    "guests": ("人", "位"), "nights": ("晚", "夜"), "copies": ("份", "本"), "pages": ("页",),
    "quantity": ("个", "件", "台", "份", "盒", "箱", "本", "把", "套", "瓶", "张"), "count": ("个", "件", "条", "次"),
    "times": ("次", "遍"), "percent": ("%",),
}  # fmt: skip
"""Measure words that say which parameter a number is for."""


def assign(
    card: Card, parameters: Sequence[Parameter], text: str, taken: Sequence[Span], today: date | None
) -> tuple[Mapping[str, float], Sequence[Span]]:
    """Values for number parameters, and where they stand. An optional one takes only a number that fits it."""
    if not parameters:
        return {}, ()
    folded = lexicon.fold(text)
    used = [*taken, *((w.start, w.end) for w in (dates.days(folded, today) if today else ()))]
    found = [c for c in numerals.counts(folded) if not any(a < c.end and c.start < b for a, b in used)]
    pairs = [(_fit(card, p, folded, c), i, j) for i, p in enumerate(parameters) for j, c in enumerate(found)]
    values: dict[str, float] = {}
    spans: dict[int, Span] = {}
    for fit, i, j in sorted(pairs, key=lambda f: (-f[0], f[1], f[2])):
        p, count = parameters[i], found[j]
        if p.name in values or j in spans or not _in_range(p, count.value) or (not p.required and fit < 1):
            continue
        values[p.name] = int(count.value) if count.value == int(count.value) else count.value
        spans[j] = (count.start, count.end)
    lasts = dates.span_days(folded)
    for p in (p for p in parameters if "days" in p.words and p.name not in values):
        if lasts and _in_range(p, lasts):
            values[p.name] = lasts
    if today is not None:
        for p in (p for p in parameters if p.name not in values):
            if (ahead := _days_ahead(card, p, folded, today)) is not None and _in_range(p, ahead):
                values[p.name] = ahead
    return values, list(spans.values())


def _days_ahead(card: Card, p: Parameter, folded: str, today: date) -> int | None:
    """A number that the examples count from the day they speak of: "tomorrow" -> 2. None when none does."""
    found = dates.days(folded, today)
    if not found or p.type != "integer":
        return None
    for sample in card.samples:
        value = sample.args.get(p.name)
        there = dates.days(lexicon.fold(sample.text), today)
        if isinstance(value, int) and there and str(value) not in sample.text:
            return value + (max(found, key=lambda d: d.day).day - there[0].day).days
    return None


def _fit(card: Card, p: Parameter, folded: str, count: numerals.Count) -> float:
    """How well the words round a number fit the parameter's name, its examples and its description."""
    around = folded[max(0, count.start - 10) : count.start] + " " + folded[count.end : count.end + 10]
    here = set(lexicon.features(around)) | set(re.findall(r"[\u3400-\u9fff]", folded[count.end : count.end + 2]))
    named = {f for w in re.findall(r"[a-z]+", p.name.lower()) for f in lexicon.features(w)}
    learned = {f for s in card.samples if p.name in s.args for f in _round(s.text, s.args[p.name])}
    described = set(lexicon.features(p.text))
    measured = any(
        folded.startswith(m, count.end) for w in re.findall(r"[a-z]+", p.name.lower()) for m in _MEASURES.get(w, ())
    )
    bounded = any(
        p.words & names and pattern.search(folded[: count.start] + "\x00" + folded[count.end :])
        for names, pattern in _BOUNDS
    )
    name = re.escape(p.name.lower().replace("_", " "))
    stated = re.search(rf"(?<![a-z0-9]){name}\s*(?:=|:|is|of|being|equals?)\s*$", folded[: count.start])
    return (
        3.0 * bool(stated)
        + 2.0 * (bool(here & named) or measured or bounded)
        + 1.5 * bool(here & learned)
        + 0.7 * bool(here & described)
    )


def _in_range(p: Parameter, value: float) -> bool:
    low, high = p.schema.get("minimum"), p.schema.get("maximum")
    if p.type == "integer" and value != int(value):
        return False
    return (low is None or value >= low) and (high is None or value <= high)


def _round(text: str, value: object) -> set[str]:
    """Features of the words next to a number in an example."""
    at = text.find(str(value))
    if at < 0:
        return set()
    end = at + len(str(value))
    close = lexicon.fold(text[max(0, at - 8) : at] + " " + text[end : end + 8])
    return set(lexicon.features(close)) | set(re.findall(r"[\u3400-\u9fff]", text[end : end + 2]))
