"""A fact: one thing that a person asked to have remembered, with where it came from and how long it holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """What sort of thing a fact is."""

    SEMANTIC = "semantic"
    """What is so: a preference, a name, a place."""
    EPISODIC = "episodic"
    """Something that happened."""
    PROCEDURAL = "procedural"
    """How something is to be done."""


class State(StrEnum):
    """Where a fact stands. Only a current one is recalled."""

    CURRENT = "current"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    """A newer fact took its place; its text is kept for the history."""
    FORGOTTEN = "forgotten"
    """The person had it forgotten: that it was there is kept, what it said is not."""


@dataclass(frozen=True)
class Source:
    """Where a fact comes from."""

    thread: str
    call: str
    """The tool call that remembered it."""
    words: str
    """What the person said, as far as it says the fact; empty once forgotten."""


@dataclass(frozen=True)
class Draft:
    """A fact before it has its place among the others."""

    text: str
    kind: Kind
    source: Source
    confidence: float
    expires: datetime | None


@dataclass(frozen=True)
class Fact:
    """One thing remembered. Times are aware and of the business clock."""

    id: str
    text: str
    """In the person's own words; empty once forgotten."""
    kind: Kind
    source: Source
    confidence: float
    """0 to 1: 1 when the text is what the person said, less when it is in other words."""
    created: datetime
    updated: datetime
    """When it was last said, superseded or forgotten."""
    expires: datetime | None
    """From then on it is left out; None when it holds for good."""
    supersedes: str | None = None
    """The fact that this one took the place of."""
    superseded_by: str | None = None
    forgotten_by: str | None = None
    """`thread/call` of the call that forgot it."""
    order: int = 0
    """Later facts have greater numbers, also while the business clock stands still."""

    def state(self, now: datetime) -> State:
        """Where it stands at a moment."""
        if self.forgotten_by is not None:
            return State.FORGOTTEN
        if self.superseded_by is not None:
            return State.SUPERSEDED
        return State.EXPIRED if self.expires is not None and self.expires <= now else State.CURRENT

    def without_content(self, *, by: str, now: datetime) -> Fact:
        """What is kept of it after it was forgotten: that it was there, and nothing that it said."""
        blank = Source(self.source.thread, self.source.call, "")
        return replace(
            self, text="", source=blank, confidence=0.0, superseded_by=None, forgotten_by=by, updated=now, expires=None
        )

    def record(self) -> dict[str, Any]:
        """A JSON-ready form; the inverse of `of_record`."""
        return {
            "id": self.id,
            "text": self.text,
            "kind": self.kind.value,
            "source": {"thread": self.source.thread, "call": self.source.call, "words": self.source.words},
            "confidence": self.confidence,
            "created": self.created.isoformat(),
            "updated": self.updated.isoformat(),
            "expires": self.expires.isoformat() if self.expires else None,
            "supersedes": self.supersedes,
            "superseded_by": self.superseded_by,
            "forgotten_by": self.forgotten_by,
            "order": self.order,
        }

    @classmethod
    def of_record(cls, record: dict[str, Any]) -> Fact:
        """A fact from its JSON form."""
        times = {n: datetime.fromisoformat(record[n]) if record[n] else None for n in ("created", "updated", "expires")}
        return cls(**{**record, **times, "kind": Kind(record["kind"]), "source": Source(**record["source"])})
