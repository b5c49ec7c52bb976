"""Personal data and secrets out of text and JSON, each replaced by a mark such as `[phone]`.

What it looks for is in `credentials` and `personal`; what belongs to the desk's work stays: order ids, amounts,
dates, UUIDs. Both functions are idempotent and never raise.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from signoff.telemetry.credentials import API_KEY, NAMED_RULES, SECRET_KEY, TOKEN_RULES
from signoff.telemetry.patterns import KEPT
from signoff.telemetry.personal import DIGITS, EMAIL_RULES, NUMBER, NUMBER_RULES

# What any find holds; most short texts have none of it, and are done.
_SUSPECT = re.compile(rf"[@:=是为]|--| (?:is|was) |密码|口令|验证码|(?i:bearer)|eyJ|{API_KEY.pattern}|{DIGITS}")
# Not the marks that end a clause: they end a secret too, which their half-width forms need not.
_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code) not in "！，；？"}
_HALF_WIDTH |= dict.fromkeys(map(ord, "‐‑‒–—―−─"), ord("-"))
_HALF_WIDTH |= dict.fromkeys(map(ord, "\u00a0\u2007\u202f\u3000"), ord(" "))
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff")
_DEPTH = 64

_Find = tuple[int, int, str | None]
"""Start, end, and the mark to put there; None keeps what stands there."""


def redact(text: str) -> str:
    """The text with phone numbers, e-mails, ID and bank cards, keys, tokens and passwords replaced by marks."""
    # A mark can bring two halves together or set a neighbour free, so it goes on until nothing changes.
    # Each round turns characters outside marks into marks, so it ends.
    while (clean := _once(text)) != text:
        text = clean
    return text


def finds(text: str) -> list[tuple[int, int, str]]:
    """Start, end and kind (such as `phone` or `secret`) of what `redact` would replace first, in order.

    Replacing it can bring new finds together: who wants them all replaces these and asks again.
    """
    shadow, places = _shadow(text)
    return [(places[s], places[e - 1] + 1, mark[1:-1]) for s, e, mark in _taken(shadow) if mark is not None]


def is_secret(name: Any, value: Any) -> bool:
    """Whether JSON under this name is a secret, whatever it says: see `redact_value`."""
    return _is_secret(name, value)


def redact_value(value: Any) -> Any:
    """JSON with every string redacted, keys too, numbers that are phone or card numbers, and whole secrets.

    A string or number under a name such as `password`, `api_key` or `authorization` is `[secret]`, whatever it says.
    """
    return _value(value, 0)


def _value(value: Any, depth: int) -> Any:
    if depth > _DEPTH:
        return value if value is None or isinstance(value, bool | float) else "[too deep]"
    match value:
        case str():
            return redact(value)
        case int() if not isinstance(value, bool) and 10**9 <= abs(value) < 10**19:
            clean = redact(str(value))
            return value if clean == str(value) else clean
        case Mapping():
            pairs: dict[Any, Any] = {}
            for key, item in value.items():
                clean = _value(item, depth + 1)
                name = redact(key) if isinstance(key, str) else key
                pairs[_unused(name, pairs) if name != key else name] = "[secret]" if _is_secret(key, clean) else clean
            return pairs
        case list() | tuple():
            return [_value(item, depth + 1) for item in value]
        case _:
            return value


def _is_secret(key: Any, item: Any) -> bool:
    if not isinstance(key, str) or not SECRET_KEY.search(key):
        return False
    if isinstance(item, str):
        return item != ""
    # Tokens are counted too, and what is counted is no secret; a number that is a password is one.
    counts = "token" in key.lower() or isinstance(item, bool) or item is None
    return not counts and (not isinstance(item, Mapping | list) or len(item) > 0)


def _unused(name: str, pairs: Mapping[Any, Any]) -> str:
    number = 2
    free = name
    while free in pairs:
        free, number = f"{name}#{number}", number + 1
    return free


def _once(text: str) -> str:
    shadow, places = _shadow(text)
    pieces: list[str] = []
    at = 0
    for start, end, mark in _taken(shadow):
        if mark is not None:
            pieces += [text[at : places[start]], mark]
            at = places[end - 1] + 1
    return "".join([*pieces, text[at:]]) if pieces else text


def _taken(shadow: str) -> list[_Find]:
    """The finds in half-width text, in order, with what is kept between them."""
    if not _SUSPECT.search(shadow):
        return []
    folded = shadow.lower()
    taken: list[_Find] = []
    for rule in NAMED_RULES:
        taken = _merged(taken, [(*span, rule.mark) for span in rule.spans(shadow, folded)])
    taken = _merged(taken, [(*found.span(), None) for found in KEPT.finditer(shadow)])
    for rule in (*TOKEN_RULES, *EMAIL_RULES, *(NUMBER_RULES if NUMBER.search(shadow) else ())):
        taken = _merged(taken, [(*span, rule.mark) for span in rule.spans(shadow, folded)])
    return taken


def _shadow(text: str) -> tuple[str, Sequence[int]]:
    """The text in half-width characters without invisible ones, and where each stands in the text."""
    if text.isascii():
        return text, range(len(text))
    shadow = text.translate(_HALF_WIDTH)
    if _INVISIBLE.isdisjoint(shadow):
        return shadow, range(len(text))
    places = [i for i, c in enumerate(shadow) if c not in _INVISIBLE]
    return "".join(shadow[i] for i in places), places


def _merged(taken: list[_Find], found: list[_Find]) -> list[_Find]:
    """What was taken, with those of the new finds that overlap none of it; all in order, as both are."""
    if not found or not taken:
        return found or taken
    starts = [find[0] for find in taken]
    free = list(taken)
    for find in found:
        place = bisect_left(starts, find[1])
        if place == 0 or taken[place - 1][1] <= find[0]:
            free.append(find)
    return sorted(free, key=itemgetter(0))
