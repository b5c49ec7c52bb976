"""Where a passage says otherwise: yes for no, at most for at least, another value of the same thing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from signoff.knowledge.polarity import ALLOWED, CONDITION, LATER, OPPOSITES, denial, lacks, side, signs
from signoff.knowledge.qualifiers import agents, bound, bounded, bounds, comparable, letters, often, rates, weekdays
from signoff.knowledge.units import CONTINUED, MAX_CLAUSES, Unit, features, quotable, squeezed, units, weights
from signoff.knowledge.values import Value, contains
from signoff.text import language, normalise

Alike = Callable[[str, str], float | None]
"""Similarity of two texts, 1 for the same; None where it is not known."""

SPEAKS_OF = 0.4
"""Share of a clause that a unit of the passage must speak of to be heard against it."""
_FOREIGN, _FOREIGN_MORE = 0.6, 0.25
"""The same, and the lead that counts, where only concepts and identifiers can be compared."""
_WORD = 0.5
"""Weight of a word, in a text's features."""
_SAME = 0.8
"""Share from which on a unit speaks of the same."""
_MORE = 0.05
"""By how much more it must speak of it than every unit that says the same."""
ALIKE_ENOUGH = 0.35
_CLOSER = 0.04
"""The same for a model's similarity."""


_NAMES: tuple[tuple[str, Callable[[str], frozenset[str]]], ...] = (
    ("the day of the week", weekdays),
    ("how often", often),
    ("the letter", letters),
    ("by whom", agents),
)
_LITERAL = ("the day of the week", "the letter")
_DIGITS = re.compile(r"\d[\d.,:]*")
_BEYOND = re.compile(r"\b(?:after|beyond|past) that\b|\bthereafter\b|\bthen\b|逾期|超时|超出|其后|此后")


def contradictions(claim: str, passage: str, alike: Alike | None = None) -> list[str]:
    """What of `claim` the passage says otherwise, in words; empty when it does not contradict it.

    Each clause of the claim is laid beside the units of the passage. What the unit that speaks of most of it
    says of its yes or no, of a bound, a rate, a payer or a value holds against the clause, unless another unit
    that speaks of as much says the same as the clause. Where the languages differ, `alike` finds the units.
    """
    told = units(passage)
    if not told:
        return []
    found: list[str] = []
    foreign = language(claim) != language(passage)
    parts = units(claim)[:MAX_CLAUSES]
    quoted = _quoted(claim, passage)
    stated = 0
    for clause in parts:
        # Of clauses with a value each, each speaks for itself.
        alone = stated > 0 and bool(clause.values) and bool(features(clause.text))
        stated += bool(clause.values)
        # What is quoted word for word says what the passage says.
        if squeezed(clause.text) in quoted:
            continue
        context = frozenset[object]() if alone else clause.continued
        found += _Comparison(clause, context, claim, told, None, foreign).differences()
        if foreign and alike is not None:
            found += _Comparison(clause, context, claim, told, alike, foreign).differences()
    if not foreign and len(quoted) < len(parts):
        found += _of_rows(claim, told)
    return list(dict.fromkeys(found))


def replaced(claim: str, passage: str) -> list[Value]:
    """The values of `claim` in whose place the passage, speaking of almost the same, has another of their kind."""
    told = units(passage)
    foreign = language(claim) != language(passage)
    return [
        v
        for clause in units(claim)[:MAX_CLAUSES]
        for v in clause.values
        if _Comparison(clause, clause.continued, claim, told, None, foreign).replaces(v)
    ]


def _quoted(claim: str, passage: str) -> list[str]:
    """The clauses of the claim that lie in quotations of whole sentences, items or rows of the passage."""
    text = squeezed(claim)
    covered = bytearray(len(text))
    for quote in quotable(passage):
        at = text.find(quote)
        while at >= 0:
            covered[at : at + len(quote)] = b"\1" * len(quote)
            at = text.find(quote, at + len(quote))
    found, at = [], 0
    for clause in map(squeezed, (u.text for u in units(claim))):
        at = max(text.find(clause, at), 0)
        if clause and covered[at : at + len(clause)].count(1) >= 0.95 * len(clause):
            found.append(clause)
        at += len(clause)
    return found


def prime(alike: Alike, texts: Sequence[str]) -> None:
    """Tell a similarity that can take many texts at once what it will be asked for."""
    if ready := getattr(alike, "prime", None):
        ready(texts)


class _Comparison:
    """A clause of a claim beside the units of a passage."""

    def __init__(
        self,
        clause: Unit,
        context: frozenset[object],
        claim: str,
        told: Sequence[Unit],
        alike: Alike | None,
        foreign: bool,
    ) -> None:
        self._clause, self._context, self._claim, self._told, self._foreign = clause, context, claim, told, foreign
        self._signs = {u: signs(f"{u.lead} {u.text}") for u in told}
        self._known = frozenset[object]().union(*(u.own for u in told)) if foreign else frozenset()
        # Without their numbers: which unit is meant must not depend on the value that is in question.
        self._near: dict[Unit, float | None] = {}
        if alike is not None and foreign:
            asked, said = _DIGITS.sub("", clause.text), {u: _DIGITS.sub("", u.text) for u in told}
            prime(alike, [asked, *said.values()])
            self._near = {u: alike(asked, text) for u, text in said.items()}
        self._floor, self._margin = (_FOREIGN, _FOREIGN_MORE) if foreign else (SPEAKS_OF, _MORE)
        if self._near and None not in self._near.values():
            self._floor, self._margin = ALIKE_ENOUGH, _CLOSER
        else:
            self._near = {}

    def differences(self) -> Iterator[str]:
        """What the passage says otherwise."""
        yield from self._denied()
        for name, a, b in OPPOSITES:
            sign = side(self._clause.text, a, b)
            # That something may be done does not deny that it must; that it must, only where nothing is nearer.
            duty = name == "must or may"
            if not sign or (duty and sign < 0):
                continue
            sides = {u: 0 if duty and self._signs[u].only else side(u.text, a, b) for u in self._told}
            agreeing = (0, sign) if duty else (sign,)
            if self._against(
                lambda u, s=sides, o=agreeing: s[u] in o,  # type: ignore[misc]
                lambda u, s=sides, o=-sign: s[u] == o,  # type: ignore[misc]
            ):
                yield name
        for value in self._clause.values:
            yield from self._of_value(value)
        yield from self._of_names()

    def _against(
        self,
        same: Callable[[Unit], bool],
        other: Callable[[Unit], bool],
        *,
        whole: bool = False,
        without: frozenset[str] = frozenset(),
    ) -> bool:
        """Whether a unit that says otherwise is nearer to the clause than all that say the same."""
        own = {
            f: w
            for f, w in self._weights(whole=whole).items()
            if not isinstance(f, str) or not any(f in word for word in without)
        }
        # What only shares the topic of the heading with the clause is not about the same.
        worst = max((self._score(u, own) for u in self._told if other(u) and self._is_close(u, own)), default=0.0)
        best = max((self._score(u, own, bare=True) for u in self._told if same(u)), default=0.0)
        return worst >= self._floor and worst > best + self._margin

    def _is_close(self, unit: Unit, own: Mapping[object, float]) -> bool:
        return bool(self._near) or any(f in unit.own and f not in unit.headed for f in own)

    def _weights(self, *, whole: bool) -> dict[object, float]:
        own = weights(self._clause, features(self._claim) if whole else self._context)
        # In a foreign language only concepts count, and what both texts write alike.
        return {f: w for f, w in own.items() if not self._foreign or not isinstance(f, str) or f in self._known}

    def _score(self, unit: Unit, own: Mapping[object, float], *, bare: bool = False) -> float:
        # A bare condition ("three years or more") speaks of what its sentence speaks of.
        share = unit.share(own, 1.0 if bare and not unit.own else CONTINUED)
        return (self._near[unit] or 0.0) + 0.3 * share if self._near else share

    def replaces(self, value: Value) -> bool:
        """Whether a unit that speaks of almost the same has another value of the kind."""
        own = self._weights(whole=False)
        return any(self._score(u, own) >= _SAME and any(comparable(value, v) for v in u.values) for u in self._told)

    def _denied(self) -> Iterator[str]:
        """The words of a clause whose yes or no the passage turns round."""
        if CONDITION.search(normalise(self._claim)):
            return
        own, told = signs(self._clause.text), self._signs
        if own.negated:
            # "Only for the owner" agrees with "not for others", but "only with approval" denies "without approval".
            lacking = lacks(self._clause.text)
            if self._against(
                lambda u: told[u].negated,
                lambda u: not told[u].negated and (lacking or not told[u].only) and not self._has_denied(u),
            ):
                yield f"the negation {denial(self._clause.text)!r}"
            elif own.allowed and self._against(lambda u: not told[u].refused, lambda u: told[u].refused):
                yield "the permission"
        elif self._against(
            lambda u: not told[u].negated,
            lambda u: told[u].negated and not told[u].conditional and (own.beyond or not told[u].beyond),
        ):
            word = ALLOWED.search(normalise(self._clause.text))
            yield f"the permission {word[0]!r}" if word else "that it is so"

    def _has_denied(self, unit: Unit) -> bool:
        """Whether another clause of the unit's sentence denies what the clause speaks of and the unit does not."""
        own = frozenset(features(self._clause.text))
        return any(
            u is not unit and u.sentence == unit.sentence and self._signs[u].negated and own & u.own - unit.own
            for u in self._told
        )

    def _of_value(self, value: Value) -> Iterator[str]:
        """Whether the value is said of something else, with another bound or per another period."""
        having = {u for u in self._told if contains(u.values, value, u.plain)}
        if not having:
            # "Three signatures" for "two": a number that is written as a word and counts something.
            if value.amount > 1 and not value.unit and value.text.isalpha() and self.replaces(value):
                yield value.text
            return
        if self._against(
            lambda u: u in having,
            lambda u: u not in having and any(comparable(value, v) for v in u.values),
        ):
            yield value.text
            return
        limit = bound(self._clause.plain, value)
        # What holds "after that" is said of what lies beyond the bound.
        passed = limit == "up" and LATER.search(self._clause.plain)
        if limit and not (passed and any(_BEYOND.search(u.plain) for u in self._told)):
            negated = signs(self._clause.text).negated
            limits = {
                u: bounds(u.plain, u.values, value) if signs(u.text).negated == negated else {limit} for u in having
            }
            if self._against(
                lambda u: u in having and (not limits[u] or limit in limits[u]),
                lambda u: u in having and bool(limits[u]) and limit not in limits[u],
                whole=True,
            ):
                yield f"the bound of {value.text}"
        if value.unit and (rate := rates(self._clause.plain)):
            per = {u: rates(u.plain) for u in having}
            if self._against(
                lambda u: u in having and (not per[u] or bool(per[u] & rate)),
                lambda u: u in having and bool(per[u]) and not per[u] & rate,
            ):
                yield f"what {value.text} is for"

    def _of_names(self) -> Iterator[str]:
        """Weekdays, how often, letters that name places, and by whom: others than the passage's."""
        for name, read in _NAMES:
            own = read(self._clause.text)
            if not own or (self._foreign and read is agents):
                continue
            said = {u: read(u.text) for u in self._told}
            missing = own.difference(*said.values())
            # A letter or day that is nowhere is made up; a period or a person may be put in other words.
            if (missing and name in _LITERAL and any(said.values())) or self._against(
                lambda u, s=said, o=own: bool(s[u] & o),  # type: ignore[misc]
                lambda u, s=said, o=own: bool(s[u]) and not s[u] & o,  # type: ignore[misc]
                without=own if read is agents else frozenset(),
            ):
                yield name


def _names(claim: str, own: frozenset[object], label: str) -> bool:
    """Whether the claim names a row by the words or the amounts of its first cell."""
    if words := {f for f, w in features(label).items() if w >= _WORD}:
        return words <= own
    bounds, said = bounded(label), bounded(claim)
    return bool(bounds) and bounds <= said


def _of_rows(claim: str, told: Sequence[Unit]) -> list[str]:
    """Whether the claim puts into a table's row, which it names, what only other rows say."""
    rows: dict[int, list[Unit]] = {}
    for u in told:
        if u.row >= 0:
            rows.setdefault(u.row, []).append(u)
    own = frozenset(features(claim))
    named = [r for r, cells in rows.items() if _names(claim, own, cells[0].label)]
    if len(named) != 1:
        return []
    (row,) = named
    here = frozenset[object]().union(*(u.own | u.headed for u in rows[row]))
    plain_units = frozenset[object]().union(*(u.own for u in told if u.row < 0))
    elsewhere = frozenset[object]().union(*(u.own for r, us in rows.items() if r != row for u in us))
    strange = [
        f
        for f, w in features(claim).items()
        if isinstance(f, str) and w >= _WORD and f in elsewhere - here - plain_units
    ]
    return [f"{strange[0]!r} of {rows[row][0].label}"] if strange else []
