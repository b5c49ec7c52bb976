"""Arguments filled from a person's words: identifiers, choices, dates, numbers and free text, by schema."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from signoff.models.rehearsal import (
    addressees,
    choices,
    free,
    identifiers,
    lexicon,
    memory,
    moments,
    prepositions,
    quantities,
    specials,
    speech,
    structures,
    texts,
)
from signoff.models.rehearsal.cards import Card, Parameter
from signoff.models.rehearsal.memory import Memory

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)
_URL = re.compile(r"https?://[!#-&*-;=?-~]+", re.ASCII)


@dataclass
class Filling:
    """Arguments for one or several calls of a tool, and what is missing for them."""

    calls: list[dict[str, Any]] = field(default_factory=list)
    missing: list[Parameter] = field(default_factory=list)
    options: dict[str, list[str]] = field(default_factory=dict)
    """For a missing identifier: the ones it may be."""
    said: set[str] = field(default_factory=set)
    """Arguments whose value stands in the text itself."""

    @property
    def complete(self) -> bool:
        """Every required argument has a value."""
        return not self.missing


def fill(card: Card, text: str, known: Memory, *, context: str = "", implicit: bool = True) -> Filling:
    """Fill a tool's arguments from a request.

    `context` is the rest of the message: an identifier that the request lacks is taken from it, then from
    the conversation. `implicit` admits what the conversation was last about without a word that points at it.
    """
    return _Filler(card, text, known, context, implicit).run()


class _Filler:
    def __init__(self, card: Card, text: str, known: Memory, context: str, implicit: bool) -> None:
        self.card, self.text, self.known, self.context, self.implicit = card, text, known, context, implicit
        self.folded = lexicon.fold(text)
        self.taken: list[texts.Span] = []
        self.values: dict[str, Any] = {}
        self.several: dict[str, list[Any]] = {}
        self.filling = Filling()
        self.today = known.prompt.today

    def run(self) -> Filling:
        own = [p for p in self.card.parameters if identifiers.is_identifier(self.card, p)]
        self._identifiers([p for p in own if p.type == "string"])
        others = [p for p in self.card.parameters if p not in own]
        self._choices([p for p in others if p.schema.get("enum")])
        self._identifiers([p for p in others if p.type == "string" and p.pattern and p.name not in self.values])
        for parameter in (p for p in others if p.name not in self.values):
            self._exact(parameter)
        self._specials([p for p in others if p.name not in self.values])
        open_ones = [p for p in others if not self._given(p)]
        self._take(*moments.assign(self.card, open_ones, self.text, self.today))
        counted = [p for p in open_ones if p.type in ("integer", "number") and p.name not in self.values]
        self._take(*quantities.assign(self.card, counted, self.text, self.taken, self.today))
        free = [p for p in others if p.type == "string" and not self._given(p) and not self._typed(p)]
        for parameter in sorted(free, key=lambda p: texts.kind(p) in ("reason", "content", "query")):
            self._free(parameter)
        for parameter in others:
            if not self._given(parameter) and parameter.type in ("array", "object"):
                self._structured(parameter)
        self.filling.missing = [
            p for p in self.card.required if p.name not in self.values and p.name not in self.several
        ]
        self.filling.calls = self._combined()
        return self.filling

    def _specials(self, parameters: list[Parameter]) -> None:
        """Sums, periods, times in words, places, code: by what the parameter is known to take."""
        clock: texts.Span | None = None
        for p in parameters:
            piece = specials.find(self.card, p, self.text, self.taken, self.today)
            if piece is None:
                continue
            self._take({p.name: piece.value}, [(piece.start, piece.end)] if piece.end > piece.start else [])
            if specials.kind(self.card, p) == "clock":
                clock = (piece.start, piece.end)
        seated = specials.seats(self.card, parameters, self.text, clock, self.known.prompt.zone)
        for name, pieces in seated.items():
            self._put(next(p for p in parameters if p.name == name), list(dict.fromkeys(p.value for p in pieces)))
            self.filling.said.add(name)
            self.taken.extend((p.start, p.end) for p in pieces if p.end > p.start)

    def _combined(self) -> list[dict[str, Any]]:
        order = {p.name: i for i, p in enumerate(self.card.parameters)}

        def sorted_args(args: Mapping[str, Any]) -> dict[str, Any]:
            return dict(sorted(args.items(), key=lambda a: order[a[0]]))

        if not self.several:
            return [sorted_args(self.values)]
        name, values = next(iter(self.several.items()))
        return [sorted_args({**self.values, **{k: v[0] for k, v in self.several.items()}, name: v}) for v in values]

    def _identifiers(self, parameters: list[Parameter]) -> None:
        free: dict[str, tuple[identifiers.Identifier, ...]] = {}
        for p in parameters:
            free[p.name] = identifiers.find(self.card, p, self.text)
        used: set[str] = set()
        for n, p in enumerate(parameters):
            found = [i for i in free[p.name] if i.value not in used]
            found = self._led(p, found)
            later = any(
                found and i.value in {f.value for f in free[q.name]} for q in parameters[n + 1 :] for i in found
            )
            if found and (later or len(found) == 1):
                found = found[:1]
            if found:
                self.taken.extend((i.start, i.end) for i in found)
                used |= {i.value for i in found}
                self.filling.said.add(p.name)
                self._put(p, [i.value for i in found])
            elif p.required:
                self._recall(p, used)

    def _led(self, p: Parameter, found: list[identifiers.Identifier]) -> list[identifiers.Identifier]:
        """With "from X to Y", the identifier behind the parameter's own preposition."""
        return [i for i in found if prepositions.lead(p, self.folded[: i.start])] or found

    def _recall(self, p: Parameter, used: set[str]) -> None:
        beside = (
            [i.value for i in identifiers.find(self.card, p, self.context) if i.value not in used]
            if self.context
            else []
        )
        group = beside
        words = self.text if memory.picks(self.text) else f"{self.text} {self.context}"
        if not group or memory.picks(words):
            group = self.known.refer(self.card, p, words, implicit=self.implicit) or group
        plural = re.search(r"\b(?:them|those|these|both|all)\b|都|它们|这些|那些|全部", self.text)
        if (
            len(group) == 1
            or (group and plural and not self.card.writes)
            or (group and beside == group and not self.card.writes)
        ):
            self._put(p, group)
        else:
            self.filling.options[p.name] = (group or self.known.candidates(self.card, p))[:8]

    def _put(self, p: Parameter, values: list[Any]) -> None:
        if len(values) == 1:
            self.values[p.name] = values[0]
        elif values:
            self.several[p.name] = values

    def _take(self, values: Mapping[str, Any], spans: Sequence[texts.Span]) -> None:
        self.values.update(values)
        self.filling.said |= set(values)
        self.taken.extend(spans)

    def _given(self, p: Parameter) -> bool:
        return p.name in self.values or p.name in self.several

    def _typed(self, p: Parameter) -> bool:
        return bool(
            p.schema.get("enum")
            or "const" in p.schema
            or p.pattern
            or moments.kind(self.card, p)
            or p.schema.get("format") in ("email", "uri", "url", "uuid")
        )

    def _exact(self, p: Parameter) -> None:
        """Choices, constants, booleans, addresses of the net."""
        if "const" in p.schema:
            if p.required:
                self.values[p.name] = p.schema["const"]
        elif p.type == "boolean":
            self._boolean(p)
        elif addressees.for_answers(p):
            if match := addressees.answers(self.text):
                self.values[p.name] = match[0]
                self.taken.append(match.span())
        elif p.type == "string" and (pattern := self._net(p)) and (match := pattern.search(self.text)):
            self.values[p.name] = match[0].rstrip(".,;:!?")
            self.taken.append(match.span())

    def _choices(self, parameters: list[Parameter]) -> None:
        """Each parameter takes a naming of its own: the one behind its preposition, else the next in order."""
        used: list[texts.Span] = []
        found = {p.name: choices.find_all(self.card, p, self.text) for p in parameters}
        led = {p.name: [c for c in found[p.name] if prepositions.lead(p, self.folded[: c.start])] for p in parameters}
        for p in sorted(parameters, key=lambda p: not led[p.name]):
            free = [c for c in (led[p.name] or found[p.name]) if c.start == c.end or (c.start, c.end) not in used]
            if not free and p.required and self.context:
                free = [
                    choices.Choice(c.value, 0, 0)
                    for c in choices.find_all(self.card, p, self.context)[:1]
                    if c.end > c.start
                ]
            claimed = [c for c in free if not any(c in led[q.name] for q in parameters if q is not p)] or free
            if not claimed:
                continue
            alone = len(parameters) == 1 or len({str(q.schema["enum"]) for q in parameters}) == len(parameters)
            choice = max(claimed, key=lambda c: c.end - c.start) if alone else claimed[0]
            self.values[p.name] = choice.value
            self.filling.said.add(p.name)
            if choice.end > choice.start:
                used.append((choice.start, choice.end))
        self.taken.extend(used)

    def _net(self, p: Parameter) -> re.Pattern[str] | None:
        values = identifiers.sample_values(self.card, p.name)
        if (
            p.schema.get("format") == "email"
            or "email" in p.words
            or (values and all(_EMAIL.fullmatch(v) for v in values))
        ):
            return _EMAIL
        if p.schema.get("format") in ("uri", "url") or "url" in p.words:
            return _URL
        return None

    def _boolean(self, p: Parameter) -> None:
        value = choices.yes_or_no(self.card, p, self.text)
        if value is not None:
            self.values[p.name] = value
            self.filling.said.add(p.name)
        elif p.required and not self.card.writes:
            self.values[p.name] = bool(p.schema.get("default", False))

    def _free(self, p: Parameter) -> None:
        if self._net(p) or addressees.for_answers(p):
            return
        special = specials.kind(self.card, p)
        if (
            special in ("sum", "period", "code", "command", "clock", "marked")
            or (special == "path" and not p.required)
            or (special == "name" and not p.required)
        ):
            return
        piece = free.words(self.card, p, self.text, self.taken, [q for q in self.card.required if not self._given(q)])
        if piece is None or (not p.required and not free.certain(self.card, p, piece, self.text)):
            return
        if texts.kind(p) == "reason" and speech.spared(piece.value, self.card.verbs):
            return
        longest = p.schema.get("maxLength")
        value = piece.value[:longest] if isinstance(longest, int) else piece.value
        if len(value) < int(p.schema.get("minLength") or 0) or (special == "place" and _no_place(piece)):
            return
        if "address" in p.words:
            value = self._before_its_order(value, piece)
        self.filling.said.add(p.name)
        parts = re.split(r"\s*(?:,|、|和|及|与|\band\b|，)\s*", value)
        short = texts.kind(p) in ("place", "other", "person") and "address" not in p.words
        if short and 1 < len(parts) <= 6 and all(0 < len(x) <= 20 for x in parts) and p.required and not self.several:
            self.several[p.name] = parts
        else:
            self.values[p.name] = value
        self.taken.append((piece.start, piece.end))

    def _before_its_order(self, value: str, piece: texts.Piece) -> str:
        """An address without a clause behind it that begins with an identifier: "12 Lake Road, use it for A1002"."""
        for start, _ in sorted(self.taken):
            lead = re.search(
                r"[,，;；]\s*(?:use (?:it|this|that) for |for |用于|用在|给)?(?:order |订单)?\s*#?$",
                self.text[piece.start : start],
            )
            if piece.start < start < piece.end and lead:
                return value[: lead.start()].rstrip()
        return value

    def _structured(self, p: Parameter) -> None:
        if p.type == "array":
            if values := structures.items(self.card, p, self.text, self.taken, self.known, self._within):
                self.values[p.name] = values
            return
        filled = self._within(structures.inner(self.card, p))
        if filled.complete and filled.calls[0] and (p.required or filled.said):
            self.values[p.name] = filled.calls[0]

    def _within(self, card: Card) -> Filling:
        return _Filler(card, self.text, self.known, self.context, self.implicit).run()


def _no_place(piece: texts.Piece) -> bool:
    """Whether words are mostly of the vocabulary (会下雨), or what is left over and no name: no town is asked about."""
    if re.search(r"[要会用能][不没][要会用能]|是否|需要|需不需要", piece.value):
        return True
    spoken = sum(f.end - f.start for f in lexicon.find(piece.value)) * 2 >= len(piece.value)
    return spoken or (piece.weight < 0.5 and piece.value.isascii() and piece.value.islower())
