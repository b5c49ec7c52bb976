"""What qualifies a value: its bound, the period it is per, and the days and letters that stand for values."""

from __future__ import annotations

import re
from collections.abc import Iterable

from signoff.knowledge.reading import plain, values
from signoff.knowledge.values import Value, contains
from signoff.text import tokens

_BOUND_BEFORE = re.compile(
    r"(?:(?P<down>at most|up to|(?:no|not) (?:more|longer|later) than|within|less than|fewer than|under|below|before"
    r"|until|maximum(?: of| is)?|max\.?|limited to|not exceed(?:ing)?|最多|至多|不超过|不高于|不大于|不晚于"
    r"|低于|少于|小于|不足|不满"
    r"|最长|最高|上限[为是]?)"
    r"|(?P<up>at least|(?:no|not) (?:less|fewer|earlier) than|more than|over|above|exceed(?:s|ing)?|longer than"
    r"|later than"
    r"|after|minimum(?: of| is)?|min\.?|至少|超过|多于|不少于|不低于|不早于|大于|高于|最少|最低|超出))"
    r"[^\w]{0,3}(?:the |a |an |about |可以?|要|能|连续|预订|须|需|提前|为|是|达到?|of ){0,4}[^\w]{0,3}$"
)
_BOUND_AFTER = re.compile(
    r"\s{0,2}(?:公里|千米|米|公斤|千克|克|升|毫升|平方米|名|km|kg|mb|gb|ml)?\s?(?:(?P<down>or less|at most"
    r"|maximum|及?以内|之内|内|及?以下|以前|之前|前)"
    r"|(?P<up>or more|or above|and above|minimum|及?以上|之后|以后|后))"
)
_PERIODS = {
    "hour": "hour",
    "小时": "hour",
    "day": "day",
    "night": "day",
    "天": "day",
    "日": "day",
    "晚": "day",
    "夜": "day",
}
_PERIODS |= {"week": "week", "周": "week", "month": "month", "月": "month", "quarter": "quarter", "季度": "quarter"}
_PERIODS |= {
    "minute": "minute",
    "分钟": "minute",
    "季": "quarter",
    "year": "year",
    "年": "year",
    "person": "person",
    "人": "person",
}
_RATE = re.compile(
    r"\b(?:per|an?|each|every)\s+(?:single\s+|working\s+)?(hour|day|night|week|month|quarter|year|person)\b"
    r"|每个?(小时|季度|[天日晚夜周月季年人])|(小时|天|日|晚|周|月|年|人)均|\b(hour|week|month|quarter|year)ly\b"
    r"|\b(dai|night)ly\b|/\s?(hour|day|night|week|month|year|person)\b"
)
_SPAN = re.compile(
    r"(?:\b(?:every|per|each)|每隔?)\s*(\d+)\s*个?(minute|hour|day|week|month|year|分钟|小时|天|周|月|年)"
)
_SAME = {"12 month": "year", "3 month": "quarter", "7 day": "week", "24 hour": "day", "60 minute": "hour"}
_SAME |= {f"1 {p}": p for p in ("minute", "hour", "day", "week", "month", "year")}
_AGENT = re.compile(
    r"由([^,，。；;]{1,10}?)(?:承担|支付|负担|报销|批准|审批|负责|受理|管理|签字|陪同|决定|统一|另行)"
    r"|\b[a-z]+(?:ed|en|ne|un|id)\s+by\s+(?:the |an? |our |your |their )?([a-z]+(?: [a-z]+){0,2})"
)
_PARTIES = {"我们": "公司", "我司": "公司", "商家": "公司", "卖家": "公司", "顾客": "客户", "买家": "客户"}
_WEEKDAY = re.compile(r"\b(mon|tues?|wednes|thurs?|fri|satur|sun)days?\b|(?:周|星期|礼拜)([一二三四五六日天])")
_DAYS = {"mon": 1, "tue": 2, "tues": 2, "wednes": 3, "thur": 4, "thurs": 4, "fri": 5, "satur": 6, "sun": 7}
_DAYS |= {c: i for i, c in enumerate("一二三四五六日", 1)} | {"天": 7}
_LABEL = re.compile(r"(?<![A-Za-z0-9'’.])[B-HJ-Z](?![A-Za-z0-9'’.])")
_DURATION = frozenset({"second", "month", "workday"})


def comparable(a: Value, b: Value) -> bool:
    """Whether two values are of one kind, so that one may stand in the place of the other."""
    if a.kind != b.kind or a.kind == "ordinal":
        return False
    if a.kind != "number":
        return a.kind in ("date", "time")
    return a.unit == b.unit or {a.unit, b.unit} <= _DURATION


def bound(text: str, value: Value) -> str:
    """`up` for "at least" and its like, `down` for "at most"; empty for neither. The text must be `plain`."""
    before = _BOUND_BEFORE.search(text[max(0, value.start - 32) : value.start])
    match = before or _BOUND_AFTER.match(text[value.start + len(value.text) :][:12])
    return match.lastgroup or "" if match else ""


def bounds(text: str, told: Iterable[Value], value: Value) -> frozenset[str]:
    """The bounds that a text, `plain`, with the values `told`, sets wherever it says the value."""
    return frozenset(filter(None, (bound(text, v) for v in told if contains([v], value))))


def rates(text: str) -> frozenset[str]:
    """The periods and units that a `plain` text counts by: a night, per person, every 15 minutes."""
    names = (next(filter(None, m.groups())) for m in _RATE.finditer(text))
    spans = (f"{m[1]} {_PERIODS.get(m[2], m[2])}" for m in _SPAN.finditer(text))
    return frozenset((*(_PERIODS.get("day" if n == "dai" else n, n) for n in names), *(_SAME.get(s, s) for s in spans)))


def bounded(text: str) -> frozenset[tuple[str, str]]:
    """The numbers of a text, each with its bound."""
    form = plain(text)
    return frozenset((str(v.amount * v.scale), bound(form, v)) for v in values(text) if v.kind == "number")


def weekdays(text: str) -> frozenset[str]:
    """The days of the week that a text names, 1 for Monday."""
    found = (m[1] or m[2] for m in _WEEKDAY.finditer(plain(text)))
    return frozenset(str(_DAYS[f]) for f in found if f in _DAYS)


def often(text: str) -> frozenset[str]:
    """How often, as far as a text says: `rates` of it."""
    return rates(plain(text))


def letters(text: str) -> frozenset[str]:
    """Single capital letters that name something: row B."""
    return frozenset(_LABEL.findall(text))


def agents(text: str) -> frozenset[str]:
    """Words for those by whom something is done: 由经理批准, "approved by the manager"."""
    found: set[str] = set()
    for match in _AGENT.finditer(plain(text)):
        name = match[1] or match[2]
        found.update(tokens(_PARTIES.get(name, name)))
    return frozenset(found)
