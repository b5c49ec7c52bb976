"""The knowledge of a desk: documents in, passages out, to those who may read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import NotFound, ProviderError, StoreError, UsageError
from signoff.knowledge.grants import Asked, Grant
from signoff.knowledge.ingest import Ingest, Progress
from signoff.knowledge.load import Limits
from signoff.knowledge.passages import Document, Filter, Passage, Report
from signoff.knowledge.reindexing import reindex
from signoff.knowledge.roots import Roots
from signoff.knowledge.search import Found, Search
from signoff.knowledge.stats import Stats, stats
from signoff.knowledge.store import Access, Store
from signoff.telemetry import redact

if TYPE_CHECKING:
    from signoff.embedding import Encoder
    from signoff.knowledge.rerank import Reranker
    from signoff.settings import Settings

SHORTEST_BEGINNING = 4
"""Characters of a passage's id that must be given at least."""
_QUESTION_CHARS = 300


@dataclass(frozen=True)
class Shown:
    """A citation as its reader checks it."""

    passage: Passage
    document: Document
    before: Passage | None
    """The passage before it in the document."""
    after: Passage | None


class Knowledge:
    """Documents in a store; safe to use from several threads and processes.

    Raises `StoreError` when the store cannot be used.
    """

    def __init__(
        self,
        store: Store | Path,
        clock: Clock,
        *,
        encoder: Encoder | None = None,
        reranker: Reranker | None = None,
        limits: Limits | None = None,
        stale_days: int = 365,
        busy_timeout_s: float = 10.0,
    ) -> None:
        """`store` may be the path of a `knowledge.db`. Without an encoder, passages are found by words alone."""
        self._store = _sqlite(store, busy_timeout_s) if isinstance(store, Path) else store
        self._clock = clock
        self._encoder = encoder
        self._limits = limits or Limits()
        self._stale_days = stale_days
        self._search = Search(self._store, encoder, reranker)

    @property
    def encoder(self) -> Encoder | None:
        """What texts are compared by; None where words alone are."""
        return self._encoder

    def snapshot(self) -> int:
        """The number of the documents as they are now: it grows with each change of what is found. Raises
        `StoreError`."""
        return self._store.generation()

    @classmethod
    def open(cls, settings: Settings, *, path: Path | None = None) -> Knowledge:
        """The documents that the settings name: of the home's `knowledge.db`, of PostgreSQL, or of the file `path`.

        Raises `ConfigError`, `StoreError`.
        """
        from signoff.embedding import encoder_of
        from signoff.knowledge.rerank import reranker_of

        # The settings are looked at before a file is made.
        encoder, reranker = encoder_of(settings), reranker_of(settings)
        store: Store | Path = path or settings.database("knowledge")
        if path is None and settings.postgres_url is not None:
            from signoff.knowledge.postgres import PostgresStore

            store = PostgresStore(settings.postgres_url.get_secret_value(), busy_timeout_s=settings.busy_timeout_s)
        return cls(
            store,
            settings.business_clock(),
            encoder=encoder,
            reranker=reranker,
            limits=Limits.of(settings),
            stale_days=settings.stale_days,
            busy_timeout_s=settings.busy_timeout_s,
        )

    def add(
        self,
        path: Path,
        *,
        tenant: str | None = None,
        roles: Iterable[str] | None = None,
        owner: str | None = None,
        tags: Iterable[str] | None = None,
        trusted: bool | None = None,
        otherwise: Grant | None = None,
        progress: Callable[[Progress], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Report:
        """Index a file, or all files below a folder that can be read, one transaction a document.

        Unchanged documents are skipped without being read, changed ones replaced, and those whose file has gone
        from the folder removed. A file that cannot be indexed is left out with a line in the report; what was
        indexed of it before stays, unless the file now says that it is for others. A version that the file had
        before stays, superseded; under another key or tenant the file's document is replaced. A part of a folder
        that was added keeps belonging to that folder.

        `tenant` (`*`: every one), `roles`, `owner`, `tags` and `trusted` say whom the documents are for; front
        matter may narrow that, never widen it. What is None stays as it was when the document was added first;
        files that are new to a folder are for those whom the folder is for. What nothing is known of is as
        `otherwise` says, without it for every tenant. `stop` is asked before each document and each batch of its
        vectors: when it says yes, the run ends with what is in.

        Killed at any moment, the store holds what was finished, and adding again goes on. Raises `NotFound` when
        there is no such path, `ConfigError` when the store's vectors are of another model, `ProviderError` when
        the embedding endpoint fails; what was stored until then stays.
        """
        asked = Asked.of(tenant, roles, owner, tags, trusted)
        return self._ingest(asked, otherwise, progress, stop).run(Path(path))

    def watch(
        self,
        path: Path,
        *,
        tenant: str | None = None,
        roles: Iterable[str] | None = None,
        owner: str | None = None,
        tags: Iterable[str] | None = None,
        trusted: bool | None = None,
        otherwise: Grant | None = None,
        progress: Callable[[Progress], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Iterator[Report]:
        """`add`, then keep the store in step with the files until `stop` says yes; a report for each change.

        A file is indexed when it has come to rest. What cannot be stored or embedded at the moment is tried again,
        with the reason among the report's notes. Raises what `add` raises, and `ConfigError` without the extra
        `documents`.
        """
        from signoff.knowledge.watching import Changes

        path = Path(path)
        if not path.exists():
            # Says so as `add` does.
            self.add(path)
        path = path.resolve() if path.is_dir() else path.parent.resolve() / path.name
        asked = Asked.of(tenant, roles, owner, tags, trusted)
        changes = Changes(path, stop=stop)
        try:
            yield self._ingest(asked, otherwise, progress, stop).run(path)
            # What was said is remembered now, and must not undo what somebody says meanwhile.
            otherwise = asked.over(otherwise or Grant(), whole=path.is_dir())
            asked = Asked()
            for parts in changes:
                try:
                    report = self._ingest(asked, otherwise, progress, stop).run(path, parts)
                except (StoreError, ProviderError) as problem:
                    wait_s = changes.again(parts)
                    report = Report(notes=[f"{problem} Trying again in {wait_s:g} s."])
                if report.happened:
                    yield report
        finally:
            changes.close()

    def reindex(
        self, progress: Callable[[Progress], None] | None = None, stop: Callable[[], bool] | None = None
    ) -> int:
        """Embed anew what has no vectors of the configured model; returns how many documents that were.

        May be cut short and run again. Raises `ConfigError` without a model, `ProviderError`, `StoreError`.
        """
        return reindex(self._store, self._encoder, progress, stop)

    def documents(self, caller: Caller) -> list[Document]:
        """What the caller may read, superseded and expired ones included, by title and version."""
        return self._store.documents(self._access(caller))

    def tenants(self, path: Path) -> set[str]:
        """Whose a path is that was added before, `*` for every tenant's; empty when it is new."""
        path = path.resolve() if path.is_dir() else path.parent.resolve() / path.name
        return Roots(self._store, path).tenants() if path.exists() else set()

    def remove(self, caller: Caller, document: str, *, operator: bool = False) -> bool:
        """Remove a document of the caller's tenant that the caller may read, by its id; the operator may any.

        False when there is no such document for the caller, whether or not others have one.
        """
        held = self._store.held(document)
        if held is None:
            return False
        readable = held.tenant == caller.tenant and any(d.id == held.id for d in self.documents(caller))
        if not (operator or readable):
            return False
        gone = self._store.drop([held.id])
        # Of two that remove it at once, one has; a reader that keeps the old log open does not undo that.
        with suppress(StoreError):
            self._store.erase()
        return gone > 0

    def search(self, caller: Caller, text: str, *, limit: int = 5, narrowed: Filter | None = None) -> list[Passage]:
        """The passages that answer `text`, best first: only what the caller may read and is in force today.

        Empty when nothing is relevant.
        """
        narrowed = narrowed or Filter()
        return self._search.find(self._access(caller), text, limit=limit, narrowed=narrowed, judged=False).passages

    def find(
        self,
        caller: Caller,
        queries: Sequence[str],
        *,
        limit: int = 5,
        narrowed: Filter | None = None,
        deadline_s: float | None = None,
    ) -> Found:
        """What answers any of several wordings of one question, with how it was searched for. After `deadline_s`
        seconds an endpoint that embeds or reranks is no longer waited for."""
        access = self._access(caller)
        return self._search.find(access, queries, limit=limit, narrowed=narrowed, deadline_s=deadline_s)

    def passage(self, caller: Caller, passage_id: str) -> Passage | None:
        """A passage by its id; None when it is missing, not for this caller, or not in force: the same answer."""
        return self._store.passage(self._access(caller), passage_id)

    def show(self, caller: Caller, citation: str) -> Shown:
        """A passage by its id, or as much of its beginning as says which, with what stands around it.

        Raises `NotFound` when there is none that the caller may read and that is in force, `UsageError` when several
        begin so.
        """
        access = self._access(caller)
        passage = self._store.passage(access, citation)
        if passage is None:
            long_enough = len(citation) >= SHORTEST_BEGINNING
            found = self._store.beginning(access, citation, 2) if long_enough else []
            if len(found) > 1:
                raise UsageError(
                    f"{citation!r} is the beginning of several passages: write more of it, such as {found[0].id}."
                )
            passage = found[0] if found else None
        if passage is None:
            raise NotFound(
                f"There is no passage {citation!r} that is in force and that {caller.name} may read: "
                "`signoff knowledge search TEXT` finds those there are."
            )
        document = next((d for d in self._store.documents(access) if d.id == passage.document), None)
        if document is None:
            # Removed a moment ago.
            return self.show(caller, citation)
        before, after = self._store.neighbours(access, passage.id)
        return Shown(passage, document, before, after)

    def stats(self, caller: Caller, *, operator: bool = False, days: int = 7) -> Stats:
        """Counts of what the caller may read and the questions of the last days that nothing answered; of
        everything for the operator."""
        return stats(
            self._store,
            self._access(caller),
            operator=operator,
            today=self._clock.now().date(),
            days=days,
            stale_days=self._stale_days,
            encoder=self._encoder.name if self._encoder else "none",
        )

    def note_unanswered(self, caller: Caller, question: str) -> None:
        """Count a question that no document answered, for the statistics; personal data in it is masked."""
        asked = redact(" ".join(question.split()))[:_QUESTION_CHARS]
        if asked:
            today = self._clock.now().date().isoformat()
            self._store.note_unanswered(caller.tenant, asked, today, user=caller.user)

    def close(self) -> None:
        """Release the store."""
        self._store.close()

    def _access(self, caller: Caller) -> Access:
        return Access.of(caller, self._clock.now().date())

    def _ingest(
        self,
        asked: Asked,
        otherwise: Grant | None,
        progress: Callable[[Progress], None] | None,
        stop: Callable[[], bool] | None,
    ) -> Ingest:
        return Ingest(
            self._store,
            self._encoder,
            self._limits,
            asked,
            otherwise or Grant(),
            today=self._clock.now().date(),
            progress=progress,
            stop=stop,
        )


def sample_folder() -> Path:
    """The policies that ship with the package, as Markdown."""
    return Path(__file__).with_name("sample")


def _sqlite(path: Path, busy_timeout_s: float) -> Store:
    from signoff.knowledge.sqlite import SqliteStore

    return SqliteStore(path, busy_timeout_s=busy_timeout_s)
