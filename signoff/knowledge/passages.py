"""What knowledge hands out: passages, documents, and what became of a folder that was added."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

DocumentStatus = Literal["current", "superseded", "expired", "upcoming"]


@dataclass(frozen=True)
class Passage:
    """A piece of a document, as it may be cited: a section, or as much of one as is read at once."""

    id: str
    """Derived from the content: the same after unrelated documents were indexed again."""
    document: str
    title: str
    place: str
    """Heading path within the document."""
    source: str
    """The file's path within the folder that was added."""
    version: str
    language: str
    trusted: bool
    text: str
    score: float
    """Comparable within one search only; 0 when read by id."""
    page: int | None = None
    """Page, slide or sheet number, from 1, for files that have them."""
    match: tuple[int, int] = (0, 0)
    """Start and end in `text` of the part that was found; (0, 0) when read by id."""
    reason: str = ""
    """Why it was found, in a few words: `words: refund, days; meaning 0.62`."""
    also: tuple[str, ...] = ()
    """Titles of other documents the caller may read that say the same, almost word for word."""


@dataclass(frozen=True)
class Document:
    """A document as the caller may see it."""

    id: str
    key: str
    title: str
    source: str
    language: str
    tenant: str
    """A tenant, or `*` for every tenant."""
    roles: tuple[str, ...]
    version: str
    status: DocumentStatus
    """Only a `current` document's passages are found and read."""
    valid_from: str | None
    valid_to: str | None
    trusted: bool
    passages: int
    owner: str = ""
    """The only user of the tenant who may read it; empty for all."""
    tags: tuple[str, ...] = ()
    added: str = ""
    """ISO date of its last change."""


@dataclass(frozen=True)
class Filter:
    """Narrows a search; empty fields narrow nothing."""

    documents: tuple[str, ...] = ()
    """Ids or keys."""
    source: str = ""
    """Beginning of the file's path within its folder."""
    language: str = ""
    tags: tuple[str, ...] = ()
    """The document has one of these."""
    trusted_only: bool = False


@dataclass(frozen=True)
class Report:
    """What adding did, by file."""

    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    """Files of the folder that are no longer there; their documents are gone."""
    skipped: list[str] = field(default_factory=list)
    """A line for each file that was left out, saying why."""
    access: list[str] = field(default_factory=list)
    """A line for each document that is for others than before, as was asked."""
    notes: list[str] = field(default_factory=list)
    """What else is to be known of the run, a sentence each."""

    @property
    def happened(self) -> bool:
        """Whether there is anything to tell beside unchanged files."""
        return bool(self.added or self.updated or self.removed or self.skipped or self.access or self.notes)

    def __str__(self) -> str:
        counts = ("added", "updated", "unchanged", "removed", "skipped")
        return ", ".join(f"{len(getattr(self, c))} {c}" for c in counts)
