"""Where an argument's value came from: the person's words, a result, a document, an untrusted text, or nowhere."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, Literal

from signoff.approvals import Origin
from signoff.text import normalise, shorten, tokens

Kind = Literal["user", "program", "result", "document", "untrusted"]
_RANK: dict[str, int] = {"user": 0, "program": 1, "result": 2, "document": 3, "untrusted": 4}
_NEAR = 40
"""Newest sources that text in other words is compared with."""
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w])")


@dataclass(frozen=True)
class Source:
    """A text that values may come from. What a person said outranks a result, that a document, that a page."""

    kind: Kind
    where: str
    text: str
    call: str | None = None
    """For a result: the tool call that it answers."""
    quoted: bool = True
    """Whether whoever sees a card may see its words."""


class Sources:
    """The texts of a thread that a call's values may come from.

    `newest_first` is read lazily: most values are in the newest message. `genuine` says whether a result is
    what the gateway recorded; one that is not is no source.
    """

    def __init__(self, newest_first: Iterable[Source], genuine: Callable[[Source], bool]) -> None:
        self._rest = iter(newest_first)
        self._genuine = genuine
        self._read: list[Source] = []

    def __iter__(self) -> Iterator[Source]:
        yield from self._read
        for source in self._rest:
            self._read.append(source)
            yield source

    def trace(
        self, args: Mapping[str, Any], *, identifiers: frozenset[str], defaults: Mapping[str, Any]
    ) -> list[Origin]:
        """The origin of every argument, in order; nested values are traced leaf by leaf.

        A value equal to its parameter's default is a `default`. An identifier that is in no source comes
        from `nowhere`; other text that is in no source was written by the `model`.
        """
        origins: list[Origin] = []
        for name, value in args.items():
            for path, leaf in _leaves(name, value):
                if leaf is None or (name in defaults and value == defaults[name]):
                    origins.append(Origin(path, _show(leaf), "default"))
                    continue
                found = self._find(leaf)
                if found is not None:
                    origins.append(Origin(path, _show(leaf), found.kind, self._round(found, _show(leaf))))
                elif name in identifiers:
                    origins.append(Origin(path, _show(leaf), "nowhere"))
                else:
                    origins.append(self._composed(path, _show(leaf)))
        return origins

    def unsourced(self, args: Mapping[str, Any], identifiers: frozenset[str]) -> list[str]:
        """The identifiers among the arguments, as `name=value`, that are in no source."""
        return [
            f"{path}={leaf}"
            for name in identifiers & set(args)
            for path, leaf in _leaves(name, args[name])
            if leaf is not None and not any(self._in(s, leaf) for s in self)
        ]

    def _find(self, value: Any) -> Source | None:
        found = [s for s in self if self._in(s, value)]
        return min(found, key=lambda s: _RANK[s.kind]) if found else None

    def _in(self, source: Source, value: Any) -> bool:
        wanted = normalise(_show(value)).strip()
        if not wanted:
            return False
        text = _normal(source.text)
        number = _decimal(value)
        there = (number is not None and any(_decimal(n) == number for n in _NUMBER.findall(text))) or (
            wanted in text and re.search(rf"(?<![a-z0-9]){re.escape(wanted)}(?![a-z0-9])", text) is not None
        )
        return there and (source.kind in ("user", "program") or source.call is None or self._genuine(source))

    def _composed(self, path: str, value: str) -> Origin:
        """Text in other words: the source that shares most of its words, an untrusted one if it shares as much."""
        words = set(tokens(value))
        best: Source | None = None
        most = 0.0
        for source in itertools.islice(self, _NEAR):
            share = len(words & set(tokens(source.text))) / len(words) if words else 0.0
            if share < 0.6 or (source.call is not None and not self._genuine(source)):
                continue
            if share > most or (share == most and source.kind == "untrusted"):
                best, most = source, share
        if best is None:
            return Origin(path, value, "model")
        return Origin(path, value, best.kind, f"in other words: {self._round(best, value)}")

    @staticmethod
    def _round(source: Source, value: str) -> str:
        """The words round a value, and what they stand in."""
        at = normalise(source.text).find(normalise(value))
        start = max(0, at - 24)
        shown = at >= 0 and source.quoted
        return f"{source.where}: {shorten(source.text[start : start + 80], 80)}" if shown else source.where


@lru_cache(maxsize=4_096)
def _normal(text: str) -> str:
    return normalise(text)


def _leaves(path: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [leaf for k, v in value.items() for leaf in _leaves(f"{path}.{k}", v)]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [leaf for i, v in enumerate(value) for leaf in _leaves(f"{path}[{i}]", v)]
    return [(path, value)]


def _show(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


def _decimal(value: Any) -> Decimal | None:
    if isinstance(value, bool):
        return None
    try:
        return Decimal(str(value).replace(",", "")) if not isinstance(value, str) or value[:1].isdigit() else None
    except InvalidOperation:
        return None
