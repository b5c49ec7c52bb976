"""Rows of a store as what knowledge hands out: the same for SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from signoff.knowledge.files import shown
from signoff.knowledge.passages import Document, DocumentStatus, Passage
from signoff.knowledge.store import Counts, Held, StoredDocument

PASSAGE_COLUMNS = (
    "p.row, p.id, d.id AS document, d.title, p.place, d.file, d.version, d.language, d.trusted, p.page, p.text"
)
HELD_COLUMNS = "id, tenant, key, rank, root, file, digest, model"


class Row(Protocol):
    """A row whose columns are read by name."""

    def __getitem__(self, name: str, /) -> Any: ...


def passage_of(row: Row) -> Passage:
    """From `PASSAGE_COLUMNS`."""
    return Passage(
        id=row["id"],
        document=row["document"],
        title=row["title"],
        place=row["place"],
        source=shown(row["file"]),
        version=row["version"],
        language=row["language"],
        trusted=bool(row["trusted"]),
        text=row["text"],
        score=0.0,
        page=row["page"],
    )


def held_of(row: Row) -> Held:
    """From `HELD_COLUMNS`."""
    return Held(**{name: row[name] for name in HELD_COLUMNS.split(", ")})


def document_of(row: Row, roles: Iterable[str], tags: Iterable[str], today: str) -> Document:
    """From the columns of `document`, with `superseded` and `passages`."""
    return Document(
        id=row["id"],
        key=row["key"],
        title=row["title"],
        source=shown(row["file"]),
        language=row["language"],
        tenant=row["tenant"],
        roles=tuple(sorted(roles)),
        version=row["version"],
        status=_status(row, today),
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        trusted=bool(row["trusted"]),
        passages=row["passages"],
        owner=row["owner"],
        tags=tuple(tags),
        added=row["added"],
    )


def counts_of(rows: Iterable[Mapping[str, Any] | Row], today: str, *, size: int) -> Counts:
    """From rows of documents: `superseded`, validity, language, `trusted`, and their `passages`, `chunks`, `bare`."""
    languages: dict[str, int] = {}
    statuses: dict[DocumentStatus, int] = {}
    documents = passages = chunks = untrusted = bare = 0
    for row in rows:
        status = _status(row, today)
        statuses[status] = statuses.get(status, 0) + 1
        if status == "current":
            languages[row["language"]] = languages.get(row["language"], 0) + 1
        documents += 1
        passages += row["passages"]
        chunks += row["chunks"]
        untrusted += not row["trusted"]
        bare += row["bare"]
    return Counts(
        documents=documents,
        passages=passages,
        chunks=chunks,
        languages=dict(sorted(languages.items())),
        expired=statuses.get("expired", 0),
        superseded=statuses.get("superseded", 0),
        upcoming=statuses.get("upcoming", 0),
        untrusted=untrusted,
        without_vectors=bare,
        bytes=size,
    )


def added_on(document: StoredDocument) -> str:
    """The day a document counts as changed."""
    return document.added or datetime.now(UTC).date().isoformat()


def _status(row: Mapping[str, Any] | Row, today: str) -> DocumentStatus:
    if row["superseded"]:
        return "superseded"
    if row["valid_to"] and row["valid_to"] < today:
        return "expired"
    return "upcoming" if row["valid_from"] and row["valid_from"] > today else "current"
