"""Files on their way into a store: one transaction a document, unchanged ones skipped without being read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from signoff.errors import ConfigError, NotFound, StoreError
from signoff.knowledge.builder import Builder
from signoff.knowledge.convert import KINDS
from signoff.knowledge.files import admit, files_below, shown, storable
from signoff.knowledge.front_matter import SIDECARS, sidecar_of
from signoff.knowledge.grants import Asked, Grant, digest_of, grant_of, had_sidecar
from signoff.knowledge.identity import document_id, rank
from signoff.knowledge.load import EVERY_TENANT, Limits, Source, Unreadable, Withheld, fingerprint, load, withholds
from signoff.knowledge.passages import Document, Report
from signoff.knowledge.roots import Located, Roots
from signoff.knowledge.store import Access, Held, Store

if TYPE_CHECKING:
    from signoff.embedding import Encoder


@dataclass(frozen=True)
class Progress:
    """How far a run has come."""

    done: int
    """Files that are in, unchanged or left out."""
    total: int
    passages: int
    """Passages that were stored."""
    skipped: int
    file: str
    """The file at hand; empty at the end."""


_TRIES = 5
"""How often a file is looked at again that somebody else adds at the same time."""


class Stopped(Exception):
    """The run was asked to stop in the middle of a document, which was not stored."""


class Ingest:
    """One run over a file or folder.

    What a document needs is done before its transaction; killed at any moment, the store holds the documents that
    were finished, whole, and the next run goes on from there.
    """

    def __init__(
        self,
        store: Store,
        encoder: Encoder | None,
        limits: Limits,
        asked: Asked,
        otherwise: Grant,
        *,
        today: date,
        progress: Callable[[Progress], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        self._store = store
        self._encoder = encoder
        self._limits = limits
        self._asked = asked
        self._otherwise = otherwise
        self._builder = Builder(encoder, today, self._check)
        self._tell = progress or (lambda _: None)
        self._stop = stop or (lambda: False)
        self._report = Report()
        self._progress = Progress(0, 0, 0, 0, "")
        self._taken: dict[str, str] = {}
        self._present: dict[str, set[str]] = {}

    def run(self, path: Path, parts: Iterable[Path] | None = None) -> Report:
        """Index `path`, or only the files and folders `parts` below it. Raises `NotFound`, `ConfigError`,
        `StoreError` and `ProviderError`; what was stored until then stays."""
        if not path.exists():
            raise NotFound(f"There is no file or folder {shown(str(path))}.")
        # Of a link that is added alone, its own name counts.
        path = path.resolve() if path.is_dir() else path.parent.resolve() / path.name
        roots = Roots(self._store, path)
        self._remember(roots)
        touched = [path] if parts is None else list(dict.fromkeys(q for p in parts for q in (p, *spoken_for(p))))
        places = [p for p in touched if p.exists()]
        self._progress = replace(self._progress, total=sum(1 for place in places for _ in files_below(place)))
        try:
            for file in (f for place in places for f in files_below(place)):
                self._file(file, roots)
            self._forget(roots, touched if roots.path.is_dir() else [])
        except Stopped:
            done, total = self._progress.done, self._progress.total
            self._report.notes.append(f"Stopped: {done} of {total} files are in. Add it again to go on.")
        self._tell(replace(self._progress, file=""))
        return self._report

    def _file(self, file: Path, roots: Roots) -> None:
        self._check()
        at = roots.locate(file)
        self._present.setdefault(at.root, set()).add(at.name)
        name = storable(file.relative_to(roots.folder).as_posix())
        self._step(file=shown(name))
        try:
            for _ in range(_TRIES):
                try:
                    outcome = self._index(file, at, roots, name)
                    break
                except _Changed:
                    at = roots.locate(file)
            else:
                raise Unreadable("is being added by somebody else: add it again when that is done")
        except Unreadable as problem:
            self._withdraw(file, at, roots, name, problem)
            self._report.skipped.append(f"{shown(name)} {problem}.")
            self._step(skipped=self._progress.skipped + 1)
        else:
            getattr(self._report, outcome).append(shown(name))
        self._step(done=self._progress.done + 1)

    def _index(self, file: Path, at: Located, roots: Roots, name: str) -> str:
        admit(file, roots.folder, alone=file == roots.path)
        content = fingerprint(file, self._limits)
        beside = sidecar_of(file) is not None
        before = _grant(at.held)
        known = before or self._inherited(roots, file, content)
        grant = self._grant(known, roots)
        if same := next((h for h in at.held if h.digest == digest_of(content, grant, sidecar=beside)), None):
            self._claim(same.id, name)
            newer = [h.id for h in at.held if not _precedes(h, same.tenant, same.key, same.rank)]
            if newer or same.root != at.root:
                self._settled(file, at, roots)
                self._store.move(same.id, at.root, at.name, newer)
            return "updated" if newer else "unchanged"
        source = self._load(file, at.name, grant)
        ident = document_id(source.tenant, source.key, source.version)
        there = self._store.held(ident)
        if there is not None and known is None and (moved := grant_of(there.digest)) and not _elsewhere(there, at):
            # The folder is another, the document the same: for those it was for.
            grant = self._grant(moved, roots)
            source = self._load(file, at.name, grant)
        read = self._readers(at)
        kept = grant
        if read is not None and not beside and at.held and _spoken_for_before(at.held, file):
            kept = self._kept(grant, source, read)
            if kept != grant:
                source = self._load(file, at.name, kept)
        source = self._apart(source, at, roots)
        ident = document_id(source.tenant, source.key, source.version)
        self._claim(ident, name)
        there = self._store.held(ident)
        drop = [
            h.id for h in at.held if h.id != ident and not _precedes(h, source.tenant, source.key, rank(source.version))
        ]
        self._settled(file, at, roots)
        if kept != grant:
            grant = kept
            roots.remember(file, replace(kept, whole=False))
            self._report.access.append(
                f"{shown(name)}: its sidecar is gone; it stays {kept}. To open it, say for whom with --tenant, --role, "
                "--owner or --trusted."
            )
        elif before is not None and not before.alike(grant):
            self._report.access.append(f"{shown(name)}: was {before}; is {grant}.")
            # Older versions cannot be loaded again to be given to others.
            drop = [h.id for h in at.held if h.id != ident]
        elif read is not None and (was := _said(read)) != (now := _said(source)):
            self._report.access.append(f"{shown(name)}: was {was}; is {now}, as the file says.")
        digest = digest_of(content, grant, sidecar=beside)
        if there is not None and there.digest == digest:
            self._store.move(ident, at.root, at.name, drop)
            return "updated" if drop else "unchanged"
        self._put(source, ident, at, digest, drop, lambda: self._settled(file, at, roots))
        return "updated" if there is not None or drop else "added"

    def _remember(self, roots: Roots) -> None:
        """Keep whom the path is for, as is said now or, where nothing is known, as it is without."""
        path, whole = roots.path, roots.path.is_dir()
        try:
            known = roots.around(path) if whole else _grant(roots.locate(path).held) or roots.inherited(path)
        except Unreadable:
            if not self._asked.for_whom:
                return
            known = None
        # Of a folder whose documents are all there under another root, nothing is said.
        if self._asked.anything or known is None or (whole and path == roots.home):
            roots.remember(path, self._asked.over(known or self._otherwise, whole=whole))

    def _settled(self, file: Path, at: Located, roots: Roots) -> None:
        """Raises `_Changed` when the file's documents or whom it is for are no longer as they were looked at."""
        if roots.changed(file, at):
            raise _Changed

    def _readers(self, at: Located) -> Document | None:
        """Who reads the file's newest document now."""
        newest = max(at.held, key=lambda h: h.rank, default=None)
        return None if newest is None else self._documents().get(newest.id)

    def _documents(self) -> dict[str, Document]:
        return {d.id: d for d in self._store.documents(Access("", "", (), ""), operator=True)}

    def _kept(self, grant: Grant, source: Source, read: Document) -> Grant:
        """The grant, where the file would now be for more than before and nobody said so, as narrow as that was."""
        asked = self._asked
        if asked.tenant is None and read.tenant not in (EVERY_TENANT, source.tenant):
            grant = replace(grant, tenant=read.tenant)
        if asked.roles is None and read.roles and not (source.roles and set(source.roles) <= set(read.roles)):
            grant = replace(grant, roles=tuple(sorted(read.roles)))
        if asked.owner is None and read.owner not in ("", source.owner):
            grant = replace(grant, owner=read.owner)
        if asked.trusted is None and source.trusted and not read.trusted:
            grant = replace(grant, trusted=False)
        return grant

    def _withdraw(self, file: Path, at: Located, roots: Roots, name: str, problem: Unreadable) -> None:
        """Drop documents of a file that cannot be indexed, if it says that some of their readers are not to read it."""
        if not at.held:
            return
        gone = [h.id for h in at.held]
        if not isinstance(problem, Withheld):
            try:
                admit(file, roots.folder, alone=file == roots.path)
            except Unreadable:
                return
            grant = self._grant(_grant(at.held), roots)
            asked = {
                "tenant": grant.tenant if self._asked.tenant else "",
                "roles": list(grant.roles) if self._asked.roles else [],
                "owner": grant.owner if self._asked.owner else "",
            }
            stored = self._documents()
            excluded = [
                d.id
                for i in gone
                if (d := stored.get(i)) is not None
                and (
                    withholds(file, tenant=d.tenant, roles=d.roles, owner=d.owner)
                    or asked["tenant"] not in ("", EVERY_TENANT, d.tenant)
                    or (asked["roles"] and not (d.roles and set(d.roles) <= set(asked["roles"])))
                    or asked["owner"] not in ("", d.owner)
                )
            ]
            newest = max(at.held, key=lambda h: h.rank)
            gone = gone if newest.id in excluded else excluded
        if gone:
            before = _grant(at.held)
            if before is not None:
                # When it is corrected it is for those it was for, or whom was said now.
                roots.remember(file, replace(self._grant(before, roots), whole=False))
            self._store.drop(gone)
            self._report.access.append(f"{shown(name)}: was withdrawn from those who could read it.")

    def _inherited(self, roots: Roots, file: Path, content: str) -> Grant | None:
        try:
            return roots.inherited(file, content)
        except Unreadable:
            if self._asked.for_whom:
                return None
            raise

    def _grant(self, known: Grant | None, roots: Roots) -> Grant:
        return self._asked.over(known or self._otherwise, whole=roots.path.is_dir())

    def _load(self, file: Path, name: str, grant: Grant) -> Source:
        return load(
            file,
            key=_key(name),
            tenant=grant.tenant,
            roles=grant.roles,
            owner=grant.owner,
            tags=grant.tags,
            trusted=grant.trusted,
            limits=self._limits,
        )

    def _apart(self, source: Source, at: Located, roots: Roots) -> Source:
        """The source; under a longer key where its own is but its path and another file has the same.

        Raises `Unreadable` when the file itself gives that key.
        """
        for key in (source.key, at.name, f"{Path(at.root).name}/{at.name}", f"{at.root}/{at.name}"):
            one = replace(source, key=key)
            there = self._store.held(document_id(one.tenant, one.key, one.version))
            if there is None or not _elsewhere(there, at):
                return one
            if source.key != _key(at.name):
                other = Path(there.root, there.file)
                below = roots.path.is_dir() and other.is_relative_to(roots.path)
                what = shown(there.file if there.root == at.root else str(other)) if below else "another document"
                raise Unreadable(f"has the same key and version as {what}")
        return source

    def _claim(self, ident: str, name: str) -> None:
        if self._taken.get(ident, name) != name:
            raise Unreadable(f"has the same key and version as {shown(self._taken[ident])}")
        self._taken[ident] = name

    def _put(
        self, source: Source, ident: str, at: Located, digest: str, drop: list[str], settled: Callable[[], None]
    ) -> None:
        document = self._builder.build(source, ident, root=at.root, file=at.name, digest=digest, model=self._model())
        # Embedding takes long, and somebody may have narrowed meanwhile who reads it.
        settled()
        self._store.replace(document, drop)
        self._step(passages=self._progress.passages + len(document.passages))

    def _model(self) -> str:
        """The model of the vectors that will be stored; the store takes those of one model only."""
        if self._encoder is None:
            return ""
        model, stored = self._encoder.model, self._store.model()
        if not stored:
            self._store.set_model(model)
        elif stored != model:
            raise ConfigError(mismatch(stored, model))
        return model

    def _forget(self, roots: Roots, places: Iterable[Path]) -> None:
        gone = {h.id: h for place in places for h in roots.gone(place, self._present)}
        # A document that another file of this run has taken over is not gone with its old file.
        for ident, held in sorted(gone.items(), key=lambda item: item[1].file):
            if ident not in self._taken and self._store.drop([ident]):
                self._report.removed.append(shown(held.file))
        if self._report.removed:
            with suppress(StoreError):
                # While somebody reads, the old log stays until the next time.
                self._store.erase()

    def _check(self) -> None:
        if self._stop():
            raise Stopped

    def _step(self, **changes: int | str) -> None:
        self._progress = replace(self._progress, **changes)  # type: ignore[arg-type]
        self._tell(self._progress)


class _Changed(Exception):
    """What a decision rests on has changed since: it is to be taken again."""


def spoken_for(file: Path) -> list[Path]:
    """The files that a sidecar speaks for; none when it is no sidecar."""
    for end in SIDECARS:
        if file.name.endswith(end) and file.parent.is_dir():
            base = file.name.removesuffix(end)
            return sorted(p for p in file.parent.iterdir() if p != file and base in (p.name, p.stem))
    return []


def mismatch(stored: str, model: str) -> str:
    """What is said when the settings name another model than the one whose vectors are stored."""
    return (
        f"The documents' vectors are of the model {stored}, and SIGNOFF_EMBEDDINGS now names {model}: run "
        "`signoff knowledge reindex`, or set it back."
    )


def _grant(held: Iterable[Held]) -> Grant | None:
    """Whom a file's newest version was for."""
    grants = [g for h in sorted(held, key=lambda h: h.rank) if (g := grant_of(h.digest)) is not None]
    return grants[-1] if grants else None


def _said(one: Document | Source) -> Grant:
    """Who reads a document, and whether it is believed."""
    return Grant(one.tenant, tuple(sorted(one.roles)), one.owner, trusted=one.trusted)


def _spoken_for_before(held: Iterable[Held], file: Path) -> bool:
    """Whether a sidecar spoke for the file, which of some kinds nothing else can."""
    return any(had_sidecar(h.digest) for h in held) or KINDS.get(file.suffix.lower()) not in ("markdown", "text")


def _precedes(held: Held, tenant: str, key: str, rank: str) -> bool:
    """Whether it is the same document or an older version of it."""
    return (held.tenant, held.key) == (tenant, key) and held.rank <= rank


def _key(name: str) -> str:
    """What a document is called whose file does not say."""
    return PurePosixPath(name).with_suffix("").as_posix()


def _elsewhere(held: Held, at: Located) -> bool:
    """Whether a document belongs to another file that is still there."""
    return (held.root, held.file) != (at.root, at.name) and Path(held.root, held.file).exists()
