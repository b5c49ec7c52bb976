"""Arguments that are days or times, filled from the days and times in a text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta

from signoff.models.rehearsal import dates, identifiers, lexicon
from signoff.models.rehearsal.cards import Card, Parameter
from signoff.models.rehearsal.texts import Span

_DATE_NAME = re.compile(
    r"(?:^|_)(?:date|day|deadline|due|since|until|start|end|from|to|on|when|checkin|checkout|check_in|check_out)(?:$|_)"
)
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_END = re.compile(r"(?:^|_)(?:end|to|until|till|checkout|check_out|return|finish)(?:$|_)")


def assign(
    card: Card, parameters: Sequence[Parameter], text: str, today: date | None
) -> tuple[Mapping[str, str], Sequence[Span]]:
    """Values for the parameters that take days or times, and where they stand. Days relative to `today` are
    read only when it is known."""
    dated = [p for p in parameters if kind(card, p) in ("date", "date-time")]
    timed = [p for p in parameters if kind(card, p) == "time"]
    if not dated and not timed:
        return {}, ()
    folded = lexicon.fold(text)
    found = dates.days(folded, today or date(1970, 1, 1)) if today or _ISO_DATE.search(text) else []
    hours = [h for h in dates.hours(folded) if not any(w.start <= h.start and h.end <= w.end for w in found)]
    values = _dated(card, dated, folded, found, hours if not timed else []) if found else {}
    values |= {p.name: f"{h.time:%H:%M}" for p, h in zip(timed, hours, strict=False)}
    return values, [*((d.start, d.end) for d in found), *((h.start, h.end) for h in hours)]


def kind(card: Card, p: Parameter) -> str:
    """`date`, `date-time` or `time`, by format, examples, description or name; empty for anything else."""
    form = str(p.schema.get("format") or "")
    if form in ("date", "date-time", "time"):
        return form
    if p.type != "string" or p.schema.get("enum"):
        return ""
    values = identifiers.sample_values(card, p.name)
    if values:
        if all(re.fullmatch(r"\d{4}-\d{2}-\d{2}", v) for v in values):
            return "date"
        if all(re.match(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}", v) for v in values):
            return "date-time"
        return "time" if all(re.fullmatch(r"\d{2}:\d{2}(?::\d{2})?", v) for v in values) else ""
    described = p.text.lower()
    if re.search(r"hh:mm|24-hour", described) and not re.search(r"yyyy", described):
        return "time"
    if re.search(r"yyyy-mm-ddthh|iso 8601 (?:date-?time|timestamp)", described):
        return "date-time"
    dated = re.search(r"yyyy-mm-dd|\biso\b|\bdate\b|日期", described) or re.search(r"date|_day$|^day$", p.name.lower())
    if dated and _DATE_NAME.search(p.name.lower()):
        return "date"
    return "date" if re.search(r"yyyy-mm-dd|(?:^|_)date$|^day$", described + " " + p.name.lower()) else ""


def _dated(
    card: Card, parameters: Sequence[Parameter], folded: str, found: Sequence[dates.When], hours: Sequence[dates.Hour]
) -> dict[str, str]:
    days = [w.day for w in found]
    lasts = dates.span_days(folded)
    if len(days) == 1 and len(parameters) > 1:
        days.append(days[0] + timedelta(days=lasts - 1) if lasts else days[0])
    ends = [p for p in parameters if _END.search(p.name.lower())]
    values: dict[str, str] = {}
    for i, p in enumerate([*(p for p in parameters if p not in ends), *ends][: len(days)]):
        guessed = i == 1 and len(found) == 1 and lasts is None
        if p.required or not guessed:
            values[p.name] = _written(card, p, days[i], hours[min(i, len(hours) - 1)].time if hours else None)
    return values


def _written(card: Card, p: Parameter, day: date, hour: time | None) -> str:
    if kind(card, p) == "date":
        return day.isoformat()
    values = identifiers.sample_values(card, p.name)
    moment = datetime.combine(day, hour or time(0)).isoformat(timespec="seconds")
    zone = re.search(r"(?:[+-]\d{2}:\d{2}|Z)$", values[0]) if values else None
    return moment + (zone[0] if zone else "")
