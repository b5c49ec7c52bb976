"""What a store of documents must do: the same on SQLite and on PostgreSQL.

A document holds passages, which are cited; a passage holds chunks, which are searched. Every reading method takes
the caller's `Access` and filters by it first: what may not be read is not found, counted or ranked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Protocol

from signoff.caller import Caller
from signoff.knowledge.passages import Document, Filter, Passage
from signoff.knowledge.query import Group

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Access:
    """Who asks, and on which day."""

    tenant: str
    user: str
    roles: tuple[str, ...]
    """Sorted."""
    today: str
    """ISO date: only what is in force is searched."""

    @classmethod
    def of(cls, caller: Caller, today: date) -> Access:
        """The access of a caller on a day."""
        return cls(caller.tenant, caller.user, tuple(sorted(caller.roles)), today.isoformat())


@dataclass(frozen=True)
class Chunk:
    """What is searched: a span of a passage, with its search terms and its vector."""

    start: int
    end: int
    """Offsets in the passage's text."""
    head: tuple[str, ...]
    """Search terms of title and headings."""
    body: tuple[str, ...]
    """Search terms of the span itself."""
    vector: Floats | None = None
    """Shape (d,), of length 1; None without a model."""


@dataclass(frozen=True)
class StoredPassage:
    """A passage on its way in."""

    id: str
    place: str
    page: int | None
    text: str
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True)
class StoredDocument:
    """A document on its way in."""

    id: str
    tenant: str
    key: str
    version: str
    rank: str
    """The version as text that sorts as people count."""
    title: str
    language: str
    root: str
    """The folder it was added from."""
    file: str
    """Path within the root."""
    trusted: bool
    roles: tuple[str, ...]
    owner: str
    """The only user who may read it; empty for all of the tenant."""
    tags: tuple[str, ...]
    valid_from: str | None
    valid_to: str | None
    digest: str
    model: str
    """The model of its vectors, `name/dimension`; empty without."""
    passages: tuple[StoredPassage, ...] = field(repr=False)
    added: str = ""
    """ISO date of its last change; empty for today, as the machine counts it."""


@dataclass(frozen=True)
class Held:
    """What is known of a stored document, for whoever adds and removes."""

    id: str
    tenant: str
    key: str
    rank: str
    root: str
    file: str
    digest: str
    model: str


@dataclass(frozen=True)
class Candidate:
    """A chunk that holds words of the question."""

    chunk: int
    passage: int
    ordinal: int
    """Place of the passage within its document, from 0."""
    length: int
    """Number of terms, head and body."""
    language: str
    head: tuple[str, ...]
    body: tuple[str, ...]


@dataclass(frozen=True)
class Lexical:
    """What the words of a question meet, all of it counted over what the caller may read."""

    count: int
    """Chunks the caller may read."""
    mean_length: float
    frequency: tuple[int, ...]
    """By group: chunks that hold it."""
    candidates: tuple[Candidate, ...]
    """The best by BM25 over groups with these counts, best first."""


@dataclass(frozen=True)
class Near:
    """A chunk whose meaning is near the question's."""

    chunk: int
    passage: int
    similarity: float
    """Dot product of the vectors, -1 to 1."""
    language: str


@dataclass(frozen=True)
class Counts:
    """What a store holds for a caller."""

    documents: int
    passages: int
    chunks: int
    languages: dict[str, int]
    """Current documents by language."""
    expired: int
    superseded: int
    upcoming: int
    untrusted: int
    without_vectors: int
    """Chunks whose vectors are missing or of another model than the store's."""
    bytes: int
    """Of the whole store on disk; 0 for callers other than the operator, who are told nothing of others' size."""


@dataclass(frozen=True)
class Unanswered:
    """A question that no document answered."""

    question: str
    """As it was asked, personal data masked."""
    times: int
    last: str
    """ISO date."""


def embedded_text(title: str, place: str, span: str) -> str:
    """What is embedded of a chunk: its title and place, a line break, the span.

    A title that the place begins with is not said twice: measured, that blurs what the span says.
    """
    head = place if place.startswith(title) else f"{title} {place}"
    return f"{head.strip()}\n{span}"


class Store(Protocol):
    """Documents with their words and vectors. Safe to use from several threads and processes.

    Every writing method is one transaction. Raises `StoreError` when the store cannot be used.
    """

    name: str
    """For messages: `knowledge.db`, or the database's name without its password."""

    def put(self, document: StoredDocument) -> None:
        """Store a document in place of what was there under the same id."""

    def replace(self, document: StoredDocument, gone: Sequence[str]) -> None:
        """`put`, and drop the documents named in `gone`, in one transaction."""

    def move(self, ident: str, root: str, file: str, gone: Sequence[str] = ()) -> None:
        """Note where an unchanged document now is, and drop those in `gone`."""

    def drop(self, idents: Sequence[str]) -> int:
        """Remove documents with their passages, words and vectors; how many there were."""

    def erase(self) -> None:
        """Make removed text unreadable also in the files themselves."""

    def held(self, ident: str) -> Held | None:
        """A document by id, whoever may read it."""

    def of_file(self, root: str, file: str) -> list[Held]:
        """The documents that were added from a file: its versions."""

    def of_root(self, root: str) -> list[Held]:
        """The documents that were added from a folder, by file."""

    def grant_of(self, root: str) -> str | None:
        """What was remembered of a folder or file by `set_grant`; None when nothing was."""

    def set_grant(self, root: str, grant: str) -> None:
        """Remember whom a folder or file is for, also while no document of it is there."""

    def model(self) -> str:
        """The model whose vectors the store takes, `name/dimension`; empty before the first."""

    def set_model(self, model: str) -> None:
        """From now on vectors are of this model; those of others are no longer searched."""

    def outdated(self) -> list[str]:
        """Ids of documents whose vectors are missing or of another model than the store's."""

    def texts(self, ident: str) -> list[tuple[int, str]]:
        """Chunk number and the text that is embedded, of a document: title and place, a line break, the span."""

    def set_vectors(self, ident: str, model: str, vectors: Sequence[tuple[int, Floats]]) -> None:
        """Replace a document's vectors, if it is still there."""

    def documents(self, access: Access, *, operator: bool = False) -> list[Document]:
        """What the caller may read, in force or not, by title and version; all there is for the operator."""

    def lexical(self, access: Access, narrowed: Filter, groups: Sequence[Group], limit: int) -> Lexical:
        """The chunks that hold words of the question, at most `limit`."""

    def dense(self, access: Access, narrowed: Filter, vector: Floats, model: str, limit: int) -> list[Near]:
        """The chunks nearest to a vector, best first; only those with vectors of `model`."""

    def passages(self, access: Access, rows: Sequence[int]) -> dict[int, Passage]:
        """Passages in force by row, those the caller may read; `match`, `score` and `reason` are left empty."""

    def spans(self, access: Access, chunks: Sequence[int]) -> dict[int, tuple[int, int]]:
        """Start and end of chunks in their passages."""

    def passage(self, access: Access, ident: str) -> Passage | None:
        """A passage by id; None when it is missing, not for this caller or not in force: the same answer."""

    def beginning(self, access: Access, prefix: str, limit: int) -> list[Passage]:
        """Passages in force whose id begins so."""

    def neighbours(self, access: Access, ident: str) -> tuple[Passage | None, Passage | None]:
        """The passages before and after one in its document."""

    def counts(self, access: Access, *, operator: bool) -> Counts:
        """Counts of what this caller may read; of everything for the operator."""

    def note_unanswered(self, tenant: str, question: str, today: str, *, user: str = "") -> None:
        """Count a question of a user's that no document answered."""

    def unanswered(self, tenant: str, since: str, limit: int, *, user: str = "") -> list[Unanswered]:
        """Questions of a user of a tenant that no document answered since a day, most frequent first.

        Tenant `*`: those of all tenants and users, each question once.
        """

    def generation(self) -> int:
        """A number that grows with every write to documents: what caches are valid for."""

    def chunk_texts(self, access: Access, chunks: Sequence[int]) -> dict[int, str]:
        """The spans' own texts, for reranking and for telling near duplicates."""

    def close(self) -> None:
        """Release the store."""
