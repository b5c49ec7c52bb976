"""What the conversation has shown so far, for "it", "the same order", 上一个 and "the second one"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from signoff.models.rehearsal import identifiers, lexicon, traits
from signoff.models.rehearsal.cards import Card, Parameter
from signoff.models.rehearsal.numerals import number
from signoff.models.rehearsal.prompt import Prompt, Result

_POINTS = re.compile(
    r"\b(?:it|its|that|this|that one|this one|the same(?: one)?|same|them|those|these|the (?:order|ticket|"
    r"one|draft|parcel|room|item|request|"
    r"booking|package|shipment))\b|它|他们?|她|这个|那个|这单|那单|这笔|那笔|该|上述|刚才|刚刚|前面|上面|"
    r"^\s*(?:那么?(?=[,，把给帮再就能可收你我麻地])|then\b)|同一|这张|那张|这件|那件|此",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    r"\b(?:the )?(first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th)(?: one| order| ticket| item)?\b|"
    r"第\s*([一二三四五六七八九十\d]+)\s*(?:个|单|笔|张|条|件|项)?",
    re.IGNORECASE,
)
_NEWEST = re.compile(
    r"\b(?:latest|newest|most recent|last(?! (?:week|month|night|year|time|mon|tue|wed|thu|fri|sat|"
    r"sun)))\b|最近|最新|最后|上一[个单笔张次]|刚下",
    re.IGNORECASE,
)
_OLDEST = re.compile(r"\b(?:oldest|earliest)\b|最早|最旧", re.IGNORECASE)
_LARGEST = re.compile(r"\b(?:most expensive|largest|biggest|highest|priciest)\b|最贵|最大|金额最高", re.IGNORECASE)
_SMALLEST = re.compile(r"\b(?:cheapest|smallest|lowest)\b|最便宜|最小|金额最低", re.IGNORECASE)
_ORDINALS = {
    w: i
    for i, ws in enumerate(("first 1st", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th"), 1)
    for w in ws.split()
}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class Memory:
    """The conversation and this turn's results, as a place to look identifiers up in."""

    prompt: Prompt

    def refer(self, card: Card, parameter: Parameter, text: str, *, implicit: bool) -> list[str]:
        """The identifiers that a text points at without naming them; several when it is not clear which.

        With `implicit` a text that points at nothing is taken to go on about what was last spoken of.
        """
        rows = next((r for result in self._results() if (r := _rows(card, parameter, result))), [])
        if chosen := _chosen(card, parameter, text, rows):
            return [chosen]
        if not implicit and not points(text):
            return []
        for group in self._groups(card, parameter):
            if group:
                return group
        return []

    def candidates(self, card: Card, parameter: Parameter) -> list[str]:
        """Identifiers of the parameter's form that results of the conversation hold, newest first."""
        seen: list[str] = []
        for result in self._results():
            seen.extend(v for v in _values(card, parameter, result) if v not in seen)
        return seen

    def _results(self) -> Iterator[Result]:
        trusted = [r for r in self.prompt.results if r.ok and not r.untrusted]
        yield from reversed(trusted)
        for said in reversed(self.prompt.past):
            if said.result and said.result.ok and not said.result.untrusted:
                yield said.result

    def _groups(self, card: Card, parameter: Parameter) -> Iterator[list[str]]:
        """Identifiers by the moment they were spoken of, newest first."""
        for result in reversed(self.prompt.results):
            if result.ok and not result.untrusted:
                yield _values(card, parameter, result)
        for said in reversed(self.prompt.past):
            if said.result and not said.result.untrusted:
                called = [v for v in said.result.args.values() if identifiers.fits(card, parameter, v)]
                yield called or (_values(card, parameter, said.result) if said.result.ok else [])
            elif said.who == "person":
                yield [i.value for i in identifiers.find(card, parameter, said.text)]


def points(text: str) -> bool:
    """Whether a text points at something it does not name."""
    return bool(_POINTS.search(text)) or picks(text)


_PRONOUN = re.compile(
    r"\b(?:its|that one|this one)\b|(?<!\bis )(?<!\bwas )(?<!\bwill )(?<!\bdoes )"
    r"\bit\b(?!'s| is| was| will| takes?| rains?| snows?)|"
    r"它|[那这](?:单|个订单|笔|件)(?![^,，。]*(?:些|哪))",
    re.IGNORECASE,
)


def pronoun(text: str) -> bool:
    """Whether a text speaks of one thing by a word that stands for it."""
    return bool(_PRONOUN.search(text))


def picks(text: str) -> bool:
    """Whether a text picks one out of several: the last, the second, the cheapest."""
    return any(p.search(text) for p in (_ORDINAL, _NEWEST, _OLDEST, _LARGEST, _SMALLEST))


def without_picks(text: str, *, points: bool = False) -> str:
    """The text without the words that pick one out of several, and with `points` without those that point."""
    for pattern in (_ORDINAL, _NEWEST, _OLDEST, _LARGEST, _SMALLEST, *((_POINTS,) if points else ())):
        text = pattern.sub(" ", text)
    return text


def _chosen(card: Card, parameter: Parameter, text: str, rows: list[dict[str, Any]]) -> str | None:
    """The identifier of the row that a text picks."""
    if not rows:
        return None
    row: dict[str, Any] | None = None
    if match := _ORDINAL.search(text):
        position = _ORDINALS.get((match[1] or "").lower()) or int(number(match[2] or "") or 0)
        row = rows[position - 1] if 0 < position <= len(rows) else None
    elif _NEWEST.search(text) or _OLDEST.search(text):
        dated = [(d, r) for r in rows if (d := _dated(r))]
        pick = max if _NEWEST.search(text) else min
        row = pick(dated, key=lambda p: p[0])[1] if dated else (rows[0] if _NEWEST.search(text) else rows[-1])
    elif _LARGEST.search(text) or _SMALLEST.search(text):
        sized = [(a, r) for r in rows if (a := _amount(r)) is not None]
        pick = max if _LARGEST.search(text) else min
        row = pick(sized, key=lambda p: p[0])[1] if sized else None
    else:
        row = _described(card, text, rows)
    return _identifier(card, parameter, row) if row else None


def _described(card: Card, text: str, rows: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The one row that has most of what a text speaks of beside the tool's own words: "the stool", 还没发货的那个."""
    about = {
        f
        for f in lexicon.features(traits.masked(text))
        if len(f) > 1
        and f not in card.objects
        and not (f.startswith("#") and (lexicon.is_action(f[1:]) or lexicon.is_look(f[1:])))
    }
    shared = [(len(about & _spoken(row)), row) for row in rows]
    most = max((n for n, _ in shared), default=0)
    best = [row for n, row in shared if n == most]
    return best[0] if most and len(best) == 1 and len(rows) > 1 else None


def _spoken(row: dict[str, Any]) -> set[str]:
    """The features of a row's texts, without its codes and days."""
    texts = [v for v in row.values() if isinstance(v, str) and not _DATE.match(v) and re.search(r"[^\W\d_]{2}", v)]
    return set(lexicon.features(traits.masked(" , ".join(texts).replace("_", " "))))


def _rows(card: Card, parameter: Parameter, result: Result) -> list[dict[str, Any]]:
    """The rows of a list result that hold an identifier of the parameter's form."""
    lists = [result.data, *result.data.values()] if isinstance(result.data, dict) else [result.data]
    for rows in lists:
        if isinstance(rows, list) and len(rows) > 0:
            kept = [r for r in rows if isinstance(r, dict) and _identifier(card, parameter, r)]
            if kept:
                return kept
    return []


def _values(card: Card, parameter: Parameter, result: Result) -> list[str]:
    data = result.data
    if isinstance(data, dict) and (own := _identifier(card, parameter, data)):
        return [own]
    return list(dict.fromkeys(v for r in _rows(card, parameter, result) if (v := _identifier(card, parameter, r))))


def _identifier(card: Card, parameter: Parameter, row: dict[str, Any]) -> str | None:
    """Of the field with the parameter's name, else of the first field whose name ends like an identifier's."""
    if isinstance(value := row.get(parameter.name), str):
        return value if not parameter.pattern or identifiers.fits(card, parameter, value) else None
    for name, value in row.items():
        alike = name == "id" or (name.endswith("_id") and set(name.split("_")[:-1]) <= set(card.name_words))
        if isinstance(value, str) and (alike or parameter.pattern) and identifiers.fits(card, parameter, value):
            return value
    return None


def _dated(row: dict[str, Any]) -> str:
    dates = {k: v for k, v in row.items() if isinstance(v, str) and _DATE.match(v)}
    preferred = next((v for k, v in dates.items() if re.search("creat|plac|order|start|open", k)), "")
    return preferred or next(iter(dates.values()), "")


def _amount(row: dict[str, Any]) -> float | None:
    for name, value in row.items():
        if re.search("amount|price|total|cost|yuan|usd", name):
            try:
                return float(value)
            except (TypeError, ValueError):
                continue
    return None
