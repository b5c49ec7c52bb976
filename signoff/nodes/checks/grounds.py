"""What an answer may stand on, and what a check finds."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any, Literal

from signoff.knowledge.contradiction import Alike
from signoff.knowledge.reading import plain, values
from signoff.knowledge.values import Value
from signoff.state import Evidence

_LABEL = re.compile(r"(?:(?<=› )|^[ \t]*)(\d{1,2})(?=[.)、][ \t])", re.MULTILINE)
_UNITS = frozenset("yuan rmb cny usd days day hours minutes seconds weeks months years percent".split())

Kind = Literal["citation", "number", "claim", "leak", "unsupported", "shape"]


@dataclass(frozen=True)
class Finding:
    """One thing in an answer that nothing supports."""

    kind: Kind
    text: str
    """The sentence or value concerned, as it stands in the answer."""
    message: str
    """One English sentence that tells the model how to repair it."""


@dataclass(frozen=True)
class Located:
    """A finding with the sentence it was found in, as offsets into the answer."""

    finding: Finding
    start: int
    end: int


@dataclass(frozen=True)
class Grounds:
    """All that is known in this turn."""

    question: str
    language: str
    evidence: Sequence[Evidence]
    """Only passages the caller may read now."""
    results: Sequence[Mapping[str, Any]]
    """Recorded tool results of this turn: `tool`, `args`, `risk`, `ok`, `data`, `error`, `summary`."""
    history: str
    """Earlier messages of the thread."""
    today: date
    documented: bool = False
    """Whether the person asked for what documents say: then every factual sentence of the answer is cited."""
    alike: Alike | None = None
    """Similarity of a sentence and a passage, 1 for the same; None where it is not known."""
    alike_floor: float = 1.0
    """From this similarity on a passage in other words or another language speaks of the same."""

    @cached_property
    def records(self) -> list[Record]:
        """The results in the form that checks read."""
        return [Record.of(r) for r in self.results]

    @cached_property
    def remarks(self) -> list[str]:
        """The lines of earlier messages that are words, not results."""
        return [line for line in self.history.split("\n") if line.strip() and _envelope(line) is None]

    @cached_property
    def earlier(self) -> Record:
        """Earlier messages as one record: a part for each line, and results among them as they are read."""
        envelopes = [
            e for line in self.history.split("\n") if (e := _envelope(line)) is not None and not _holds_passages(e)
        ]
        parts = [p for e in envelopes for p in Record.of(e).parts]
        return Record("", True, False, (*parts, *self.remarks), frozenset())

    @cached_property
    def spoken(self) -> str:
        """What was said and recorded, without evidence."""
        return "\n".join((self.question, self.history, *(r.text for r in self.records)))

    @cached_property
    def spoken_values(self) -> list[Value]:
        """Values of what was said and recorded, and the lengths of recorded lists."""
        counts = {Decimal(n) for r in self.records for n in r.counts}
        return values(self.spoken, words=True) + _counts(counts)

    @cached_property
    def recorded(self) -> str:
        """What tools gave, now and earlier, without passages of documents: those are evidence, or nothing."""
        own = [r.text for r, result in zip(self.records, self.results, strict=True) if not _holds_passages(result)]
        return "\n".join((*own, *(p for p in self.earlier.parts if p not in self.remarks)))

    @cached_property
    def recorded_values(self) -> list[Value]:
        """Values of what tools gave, and the lengths of lists among it."""
        counts = {Decimal(n) for r in self.records for n in r.counts}
        return values(self.recorded, words=True) + _counts(counts)

    @cached_property
    def evidence_texts(self) -> dict[int, str]:
        """Each piece of evidence with its title and headings, by number."""
        return {e["n"]: f"{e['title']}\n{e['place']}\n{e['text']}" for e in self.evidence}

    @cached_property
    def evidence_values(self) -> dict[int, list[Value]]:
        """The values of each piece of evidence, without the numbers of headings and list items."""
        found = {}
        for e in self.evidence:
            names = [v for v in values(f"{e['source']}\nv{e['version']}") if v.kind != "number"]
            found[e["n"]] = values(_LABEL.sub(" ", self.evidence_texts[e["n"]]), words=True) + names
        return found

    @cached_property
    def labels(self) -> frozenset[str]:
        """Numbers of the evidence's headings and items, and its versions: an answer may refer to them."""
        texts = self.evidence_texts.values()
        return frozenset(n for t in texts for n in _LABEL.findall(t)) | {e["version"] for e in self.evidence}

    @cached_property
    def borne(self) -> str:
        """All text but the question, which bears nothing out."""
        return plain("\n".join((self.history, *(r.text for r in self.records), *self.evidence_texts.values())))

    @cached_property
    def names(self) -> str:
        """What a heading or a line of sources may be made of: the evidence's titles, places and sources, the question."""
        named = (f"{e['title']}\n{e['place']}\n{re.sub(r'[-_./]', ' ', e['source'])}" for e in self.evidence)
        return "\n".join((self.question, *named))

    @cached_property
    def everything(self) -> str:
        """All text there is."""
        return plain("\n".join((self.spoken, *self.evidence_texts.values())))

    @cached_property
    def all_values(self) -> list[Value]:
        """All values there are."""
        return self.spoken_values + [v for some in self.evidence_values.values() for v in some]


@dataclass(frozen=True)
class Record:
    """A tool result: what it says in words, and what it did."""

    tool: str
    ok: bool
    changes: bool
    """Whether its tool may change something: not a read."""
    parts: tuple[str, ...]
    """What it says, a part for each thing it speaks of: the lines of an item of a list, of the rest of the
    data, of the error, and each line of the summary. Fields that say no or nothing are left out."""
    counts: frozenset[int]
    """Lengths of the lists in the data."""

    @cached_property
    def text(self) -> str:
        """All of it."""
        return "\n".join(self.parts)

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> Record:
        """Read one recorded result; missing fields count as empty."""
        reader = _Reader()
        for name in ("data", "error"):
            reader.read(result.get(name), "", reader.part())
        summary = str(result.get("summary") or "").split("\n")
        return cls(
            tool=str(result.get("tool") or ""),
            ok=bool(result.get("ok")),
            changes=str(result.get("risk") or "read") != "read",
            parts=(*("\n".join(p) for p in reader.parts if p), *filter(str.strip, summary)),
            counts=frozenset(reader.counts),
        )


class _Reader:
    """Turns JSON into lines of words, `key: value`."""

    def __init__(self) -> None:
        self.parts: list[list[str]] = []
        self.counts: set[int] = set()

    def part(self) -> list[str]:
        self.parts.append([])
        return self.parts[-1]

    def read(self, value: Any, key: str, lines: list[str], depth: int = 0) -> None:
        if depth > 40:
            return
        if isinstance(value, Mapping):
            for name, inner in value.items():
                self.read(inner, str(name), lines, depth + 1)
        elif isinstance(value, list | tuple):
            self.counts.add(len(value))
            for inner in value:
                self.read(inner, key, self.part() if isinstance(inner, Mapping) else lines, depth + 1)
        elif value is not None and value is not False and value != "":
            lines.append(_line(re.sub(r"[_\W]+", " ", key).strip(), str(value)))


def _holds_passages(result: Mapping[str, Any]) -> bool:
    data = result.get("data")
    return isinstance(data, Mapping) and "passages" in data


def _line(words: str, said: str) -> str:
    """`amount yuan: 299.00 yuan`: the unit that a key names goes behind the number."""
    try:
        amount = Decimal(said)
    except InvalidOperation:
        return f"{words}: {said}" if words else said
    if amount == 0:
        # "refunded_yuan: 0.00" does not say that anything was refunded.
        return said
    unit = next((w for w in reversed(words.lower().split()) if w in _UNITS), "")
    return f"{words}: {said} {unit}".strip() if words else said


def _counts(numbers: set[Decimal]) -> list[Value]:
    return [Value("number", str(n), 0, amount=n, unit="count") for n in sorted(numbers)]


def _envelope(line: str) -> dict[str, Any] | None:
    """The tool result that a line of JSON is, with its summary; None when it is none."""
    try:
        found = json.loads(line) if line.startswith("{") else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    metadata = found.get("metadata")
    return {**found, "summary": metadata.get("summary") if isinstance(metadata, dict) else ""}
