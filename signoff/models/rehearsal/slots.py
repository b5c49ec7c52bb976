"""Arguments filled from a person's words: identifiers, choices, dates, numbers and free text, by schema."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any

from signoff.models.rehearsal import choices, dates, identifiers, lexicon, memory, numerals, texts
from signoff.models.rehearsal.cards import Card, Parameter, parameters_of
from signoff.models.rehearsal.memory import Memory

_DATE_NAME = re.compile(
    r"(?:^|_)(?:date|day|deadline|due|since|until|start|end|from|to|on|when|checkin|checkout|check_in|check_out)(?:$|_)"
)
_TIME_NAME = re.compile(r"(?:^|_)(?:time|hour|at)(?:$|_)|(?:start|end)_time")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)
_URL = re.compile(r"https?://[^\s,，。)>\"']+")
_END = re.compile(r"(?:^|_)(?:end|to|until|till|checkout|check_out|return|finish)(?:$|_)")


_DIRECTIONS = (
    (
        frozenset({"from", "source", "origin", "src"}),
        r"(?:\bfrom|\bin|从|由|把)\s*(?:the\s+)?(?:[\d.,]+\s*)?$|[\d.]\s*$",
    ),
    (frozenset({"to", "target", "destination", "dest", "dst"}), r"(?:\b(?:to|into|in)|到|给|至|成|为)\s*(?:the\s+)?$"),
)


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
        for parameter in others:
            self._exact(parameter)
        self._moments([p for p in others if p.name not in self.values])
        self._numbers([p for p in others if p.type in ("integer", "number") and p.name not in self.values])
        free = [p for p in others if p.name not in self.values and p.type == "string" and not self._typed(p)]
        for parameter in sorted(free, key=lambda p: texts.kind(p) in ("reason", "content", "query")):
            self._free(parameter)
        for parameter in others:
            if parameter.name not in self.values and parameter.type in ("array", "object"):
                self._structured(parameter)
        self.filling.missing = [
            p for p in self.card.required if p.name not in self.values and p.name not in self.several
        ]
        self.filling.calls = self._combined()
        return self.filling

    def _combined(self) -> list[dict[str, Any]]:
        order = {p.name: i for i, p in enumerate(self.card.parameters)}

        def sorted_args(args: Mapping[str, Any]) -> dict[str, Any]:
            return dict(sorted(args.items(), key=lambda a: order[a[0]]))

        if not self.several:
            return [sorted_args(self.values)]
        name, values = next(iter(self.several.items()))
        return [sorted_args({**self.values, **{k: v[0] for k, v in self.several.items()}, name: v}) for v in values]

    def _identifiers(self, parameters: list[Parameter]) -> None:
        free: dict[str, list[identifiers.Identifier]] = {}
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
        return [i for i in found if _leads(p, self.folded[: i.start])] or found

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

    def _typed(self, p: Parameter) -> bool:
        return bool(
            p.schema.get("enum")
            or "const" in p.schema
            or self._moment_kind(p)
            or p.schema.get("format") in ("email", "uri", "url", "uuid")
        )

    def _exact(self, p: Parameter) -> None:
        """Choices, constants, booleans, addresses of the net."""
        if "const" in p.schema:
            if p.required:
                self.values[p.name] = p.schema["const"]
        elif p.type == "boolean":
            self._boolean(p)
        elif p.type == "string" and (pattern := self._net(p)) and (match := pattern.search(self.text)):
            self.values[p.name] = match[0].rstrip(".")
            self.taken.append(match.span())

    def _choices(self, parameters: list[Parameter]) -> None:
        """Each parameter takes a naming of its own: the one behind its preposition, else the next in order."""
        used: list[texts.Span] = []
        found = {p.name: choices.find_all(self.card, p, self.text) for p in parameters}
        led = {p.name: [c for c in found[p.name] if _leads(p, self.folded[: c.start])] for p in parameters}
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
        elif p.required:
            self.values[p.name] = bool(p.schema.get("default", False))

    def _moment_kind(self, p: Parameter) -> str:
        form = str(p.schema.get("format") or "")
        if form in ("date", "date-time", "time"):
            return form
        if p.type != "string" or p.schema.get("enum"):
            return ""
        values = identifiers.sample_values(self.card, p.name)
        if values:
            if all(re.fullmatch(r"\d{4}-\d{2}-\d{2}", v) for v in values):
                return "date"
            if all(re.match(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}", v) for v in values):
                return "date-time"
            return "time" if all(re.fullmatch(r"\d{2}:\d{2}(?:：\d{2})?", v) for v in values) else ""
        described = p.text.lower()
        if re.search(r"hh:mm|24-hour", described) and not re.search(r"yyyy", described):
            return "time"
        if re.search(r"yyyy-mm-ddthh|iso 8601 (?:date-?time|timestamp)", described):
            return "date-time"
        dated = re.search(r"yyyy-mm-dd|\biso\b|\bdate\b|日期", described) or re.search(
            r"date|_day$|^day$", p.name.lower()
        )
        if dated and _DATE_NAME.search(p.name.lower()):
            return "date"
        return "date" if re.search(r"yyyy-mm-dd|(?:^|_)date$|^day$", described + " " + p.name.lower()) else ""

    def _moments(self, parameters: Sequence[Parameter]) -> None:
        today = self.today or date(1970, 1, 1)
        found = dates.days(self.folded, today) if self.today or _ISO_DATE.search(self.text) else []
        hours = [
            h for h in dates.hours(self.folded) if not any(w.start <= h.start < w.end and h.end <= w.end for w in found)
        ]
        dated = [p for p in parameters if self._moment_kind(p) in ("date", "date-time")]
        timed = [p for p in parameters if self._moment_kind(p) == "time"]
        if dated and found:
            self._dated(dated, found, hours if not timed else [])
        for i, p in enumerate(timed):
            if i < len(hours):
                self.values[p.name] = f"{hours[i].time:%H:%M}"
                self.filling.said.add(p.name)
        if dated or timed:
            self.taken.extend((w.start, w.end) for w in (*found, *hours))

    def _dated(self, parameters: list[Parameter], found: list[dates.When], hours: list[dates.Hour]) -> None:
        days = [w.day for w in found]
        if len(days) == 1 and len(parameters) > 1:
            span = dates.span_days(self.folded)
            days.append(days[0] + timedelta(days=span - 1) if span else days[0])
        ends = [p for p in parameters if _END.search(p.name.lower())]
        ordered = [p for p in parameters if p not in ends] + ends
        for i, p in enumerate(ordered[: len(days)]):
            if i == 1 and len(found) == 1 and not p.required and dates.span_days(self.folded) is None:
                continue
            self.values[p.name] = self._written(p, days[i], hours[min(i, len(hours) - 1)].time if hours else None)
            self.filling.said.add(p.name)

    def _written(self, p: Parameter, day: date, hour: time | None) -> str:
        if self._moment_kind(p) == "date":
            return day.isoformat()
        values = identifiers.sample_values(self.card, p.name)
        moment = datetime.combine(day, hour or time(0)).isoformat(timespec="seconds")
        zone = re.search(r"(?:[+-]\d{2}:\d{2}|Z)$", values[0]) if values else None
        return moment + (zone[0] if zone else "")

    def _numbers(self, parameters: list[Parameter]) -> None:
        if not parameters:
            return
        found = [c for c in numerals.counts(self.folded) if not any(a < c.end and c.start < b for a, b in self.taken)]
        found = [
            c
            for c in found
            if not (
                self.today and any(w.start < c.end and c.start < w.end for w in dates.days(self.folded, self.today))
            )
        ]
        scored = sorted(
            (
                (self._near(p, c), -i, -j)
                for i, p in enumerate(parameters)
                for j, c in enumerate(found)
                if _in_range(p, c.value)
            ),
            reverse=True,
        )
        spent: set[int] = set()
        for score, i, j in scored:
            p, c = parameters[-i], found[-j]
            if p.name in self.values or -j in spent or (not p.required and score < 1):
                continue
            self.values[p.name] = int(c.value) if p.type == "integer" or c.value == int(c.value) else c.value
            self.taken.append((c.start, c.end))
            self.filling.said.add(p.name)
            spent.add(-j)

    def _near(self, p: Parameter, count: numerals.Count) -> float:
        """How well the words round a number fit the parameter's name and description."""
        around = self.folded[max(0, count.start - 10) : count.start] + " " + self.folded[count.end : count.end + 10]
        here = set(lexicon.features(around)) | set(
            re.findall(r"[\u3400-\u9fff]", self.folded[count.end : count.end + 2])
        )
        named = {f for w in re.findall(r"[a-z]+", p.name.lower()) for f in lexicon.features(w)}
        learned = {f for s in self.card.samples if p.name in s.args for f in _round(s.text, s.args[p.name])}
        return 2.0 * bool(here & named) + 1.5 * bool(here & learned) + 0.7 * bool(here & set(lexicon.features(p.text)))

    def _free(self, p: Parameter) -> None:
        piece = self._words(p)
        if piece is None or (piece.weight < 1 and not p.required):
            return
        longest = p.schema.get("maxLength")
        value = piece.value[:longest] if isinstance(longest, int) else piece.value
        self.filling.said.add(p.name)
        parts = re.split(r"\s*(?:,|、|和|及|与|\band\b|，)\s*", value)
        short = texts.kind(p) in ("place", "other", "person") and "address" not in p.words
        if short and 1 < len(parts) <= 6 and all(0 < len(x) <= 20 for x in parts) and p.required and not self.several:
            self.several[p.name] = parts
        else:
            self.values[p.name] = value
        self.taken.append((piece.start, piece.end))

    def _words(self, p: Parameter) -> texts.Piece | None:
        label, text = texts.kind(p), self.text
        if label == "reason":
            found = texts.reason(self.card, text, self.taken)
            return found or (texts.Piece(text.strip(), 0, 0, 0.5) if p.required else None)
        if label == "query":
            sampled = next(texts.by_samples(self.card, p, text, self.taken), None)
            if sampled and sampled.weight > 1:
                return sampled
            return texts.query(text) if p.required else None
        candidates = [*texts.by_samples(self.card, p, text, self.taken), *texts.by_leads(p, text, self.taken)]
        best = max(candidates, key=lambda c: c.weight, default=None)
        if best and best.weight >= 1 and label != "content":
            return best
        if label == "content":
            if best and best.weight > 1 and p.required and ":" not in text and "：" not in text:
                return best
            explicit = texts.content(self.card, text, self.taken)
            return explicit if p.required else (best if best and best.weight > 1.1 and not self.card.required else None)
        if not p.required:
            return None
        single = sum(1 for q in self.card.required if q.type == "string" and q.name not in self.values) == 1
        return best or (texts.residue(self.card, text, self.taken) if single else None)

    def _structured(self, p: Parameter) -> None:
        if p.type == "object":
            root = p.schema.get("$root") or {}
            inner = Card(
                self.card.name,
                self.card.description,
                _inner_samples(self.card, p.name),
                tuple(parameters_of(p.schema, root)),
            )
            filled = _Filler(inner, self.text, self.known, self.context, self.implicit).run()
            if filled.complete and filled.calls[0] and (p.required or filled.said):
                self.values[p.name] = filled.calls[0]
            return
        items = p.schema.get("items")
        item = Parameter(
            p.name, {**items, "$root": p.schema.get("$root")} if isinstance(items, Mapping) else {}, p.required
        )
        values = self._items(p, item)
        if values:
            self.values[p.name] = values

    def _items(self, p: Parameter, item: Parameter) -> list[Any]:
        if item.schema.get("enum"):
            return [c.value for c in choices.find_all(self.card, item, self.text)]
        samples = [v for s in self.card.samples for v in (s.args.get(p.name) or []) if isinstance(v, str)]
        flat = Card(self.card.name, "", tuple(texts.Sample(v, {p.name: v}) for v in samples), (item,))
        if item.type == "string" and identifiers.is_identifier(flat, item):
            found = [i.value for i in identifiers.find(flat, item, self.text)]
            return found or (self.known.refer(flat, item, self.text, implicit=False) if p.required else [])
        if item.type in ("integer", "number"):
            return [int(c.value) if c.value == int(c.value) else c.value for c in numerals.counts(self.folded)]
        if item.type == "object":
            root = p.schema.get("$root") or {}
            inner = Card(self.card.name, self.card.description, (), tuple(parameters_of(item.schema, root)))
            filled = _Filler(inner, self.text, self.known, self.context, self.implicit).run()
            return filled.calls if filled.complete and filled.said else []
        if "email" in p.words or item.schema.get("format") == "email":
            return _EMAIL.findall(self.text)
        return self._listed(p, samples)

    def _listed(self, p: Parameter, samples: list[str]) -> list[str]:
        """Names in a row: "invite Ann, Bob and Carl"."""
        rows = tuple(
            texts.Sample(
                s.text, {**{k: v for k, v in s.args.items() if k != p.name}, p.name: _stretch(s.text, s.args[p.name])}
            )
            for s in self.card.samples
            if isinstance(s.args.get(p.name), list) and _stretch(s.text, s.args[p.name])
        )
        flat = Card(self.card.name, "", rows, ())
        candidates = [*texts.by_samples(flat, p, self.text, self.taken), *texts.by_leads(p, self.text, self.taken)]
        best = max(candidates, key=lambda c: c.weight, default=None)
        if best is None or (best.weight < 1 and not p.required):
            return []
        return [x for x in re.split(r"\s*(?:,\s*and\b|,|、|和|及|与|\band\b|，)\s*", best.value) if x]


def _leads(p: Parameter, left: str) -> bool:
    """Whether the words before a value are the preposition of a parameter named from, source, to or target."""
    for names, lead in _DIRECTIONS:
        if p.words & names:
            return bool(re.search(lead, left))
    return False


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


def _inner_samples(card: Card, name: str) -> tuple[texts.Sample, ...]:
    return tuple(texts.Sample(s.text, s.args[name]) for s in card.samples if isinstance(s.args.get(name), Mapping))


def _stretch(text: str, values: Sequence[Any]) -> str:
    """The part of an example's text from the first to the last listed value."""
    spots = [(text.find(str(v)), len(str(v))) for v in values]
    if not spots or any(a < 0 for a, _ in spots):
        return ""
    return text[min(a for a, _ in spots) : max(a + n for a, n in spots)]
