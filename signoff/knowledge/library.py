"""The knowledge of a desk: documents in, passages out, to those who may read them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import NotFound
from signoff.knowledge import index
from signoff.knowledge.files import admit, files_below, shown, storable
from signoff.knowledge.index import Index
from signoff.knowledge.load import EVERY_TENANT, Source, Unreadable, Withheld, load
from signoff.knowledge.passages import Document, DocumentStatus, Passage, Report
from signoff.knowledge.search import CURRENT, NEWER, READABLE, access, rank

_COLUMNS = "p.id, p.document, d.title, p.place, d.file, d.version, d.language, d.trusted, p.text"


class Knowledge:
    """One SQLite file; safe to use from several threads and processes.

    Raises `StoreError` when the file cannot be used.
    """

    def __init__(self, path: Path, clock: Clock, *, busy_timeout_s: float = 10.0) -> None:
        self._index = Index(path, busy_timeout_s=busy_timeout_s)
        self._clock = clock

    def add(self, path: Path, *, tenant: str | None = None, roles: Iterable[str] = (), trusted: bool = True) -> Report:
        """Index a file or all Markdown and text files below a folder, one transaction a document.

        Unchanged documents are skipped, changed ones replaced, and those whose file has gone from the folder
        removed. A file that cannot be indexed is left out with a line in the report; what was indexed of it
        before stays, unless the file now says that it is for others. A version that the file had before stays,
        superseded; under another key or tenant the file's document is replaced. `tenant` None or `*` means
        every tenant; front matter may narrow, never widen. Raises `NotFound` when there is no such path.
        """
        path = Path(path)
        if not path.exists():
            raise NotFound(f"There is no file or folder {shown(str(path))}.")
        folder = path if path.is_dir() else path.parent
        root = storable(str(folder.resolve()))
        report = Report()
        wanted = frozenset([roles] if isinstance(roles, str) else roles)
        owner = None if tenant in (None, EVERY_TENANT) else tenant
        present: set[str] = set()
        taken: dict[str, str] = {}
        for file in files_below(path):
            name = storable(file.relative_to(folder).as_posix())
            present.add(name)
            try:
                admit(file, folder, alone=file == path)
                source = load(
                    file,
                    key=storable(file.relative_to(folder).with_suffix("").as_posix()),
                    tenant=owner,
                    roles=wanted,
                    trusted=trusted,
                )
                ident = index.document_id(source.tenant, source.key, source.version)
                if ident in taken:
                    raise Unreadable(f"has the same key and version as {shown(taken[ident])}")
                taken[ident] = name
            except Unreadable as problem:
                if isinstance(problem, Withheld):
                    self._withdraw(root, name)
                report.skipped.append(f"{shown(name)} {problem}.")
                continue
            getattr(report, self._put(source, ident, root, name)).append(shown(name))
        if path.is_dir():
            report.removed.extend(self._forget(root, present))
        return report

    def documents(self, caller: Caller) -> list[Document]:
        """What the caller may read, superseded and expired ones included, by title and version."""
        with self._index.read() as tx:
            rows = tx.execute(
                f"""SELECT d.*, {NEWER} AS superseded,
                  (SELECT count(*) FROM passage p WHERE p.document = d.id) AS passages,
                  (SELECT group_concat(role) FROM reader r WHERE r.document = d.id) AS readers
                FROM document d WHERE {READABLE} ORDER BY d.title, d.rank, d.id""",
                self._access(caller),
            ).fetchall()
        today = self._clock.now().date().isoformat()
        return [
            Document(
                id=row["id"],
                key=row["key"],
                title=row["title"],
                source=shown(row["file"]),
                language=row["language"],
                tenant=row["tenant"],
                roles=tuple(sorted((row["readers"] or "").split(","))) if row["readers"] else (),
                version=row["version"],
                status=_status(row["superseded"], row["valid_from"], row["valid_to"], today),
                valid_from=row["valid_from"],
                valid_to=row["valid_to"],
                trusted=bool(row["trusted"]),
                passages=row["passages"],
            )
            for row in rows
        ]

    def remove(self, caller_tenant: str, document_id: str) -> bool:
        """Remove a document of this tenant; `*` stands for the operator, who may remove any.

        False when there is no such document for this tenant, whether or not another has one.
        """
        with self._index.write() as tx:
            owner = tx.execute("SELECT tenant FROM document WHERE id = ?", (document_id,)).fetchone()
            if owner is None or caller_tenant not in (owner["tenant"], EVERY_TENANT):
                return False
            gone = index.drop(tx, document_id)
        self._index.erase()
        return gone

    def search(self, caller: Caller, text: str, *, limit: int = 5) -> list[Passage]:
        """The passages that answer `text`, best first: only what the caller may read and is in force today.

        Empty when nothing is relevant.
        """
        if limit < 1 or not text.strip():
            return []
        with self._index.read() as tx:
            hits = rank(tx, caller, self._clock.now().date(), text, limit)
            rows = {
                row["row"]: row
                for row in tx.execute(
                    f"""SELECT p.row, {_COLUMNS} FROM passage p JOIN document d ON d.id = p.document
                    WHERE p.row IN ({", ".join("?" * len(hits))})""",
                    [h.row for h in hits],
                )
            }
        return [_passage(rows[h.row], h.score) for h in hits]

    def passage(self, caller: Caller, passage_id: str) -> Passage | None:
        """A passage by its id; None when it is missing, not for this caller, or not in force: the same answer."""
        with self._index.read() as tx:
            row = tx.execute(
                f"""SELECT {_COLUMNS} FROM passage p JOIN document d ON d.id = p.document
                WHERE p.id = :id AND {READABLE} AND {CURRENT}""",
                {**self._access(caller), "id": passage_id},
            ).fetchone()
        return _passage(row, 0.0) if row else None

    def close(self) -> None:
        """Release the file."""
        self._index.close()

    def _access(self, caller: Caller) -> dict[str, str]:
        return access(caller, self._clock.now().date())

    def _put(self, source: Source, ident: str, root: str, name: str) -> Literal["added", "updated", "unchanged"]:
        with self._index.write() as tx:
            before = tx.execute("SELECT digest, root, file FROM document WHERE id = ?", (ident,)).fetchone()
            older = tx.execute(
                "SELECT id FROM document WHERE root = ? AND file = ? AND NOT (tenant = ? AND key = ? AND rank <= ?)",
                (root, name, source.tenant, source.key, index.rank(source.version)),
            ).fetchall()
            for row in older:
                index.drop(tx, row["id"])
            if before and before["digest"] == source.digest:
                if (before["root"], before["file"]) != (root, name):
                    tx.execute("UPDATE document SET root = ?, file = ? WHERE id = ?", (root, name, ident))
                return "updated" if older else "unchanged"
            index.put(tx, source, root=root, file=name)
            return "updated" if before or older else "added"

    def _withdraw(self, root: str, name: str) -> None:
        with self._index.write() as tx:
            for row in tx.execute("SELECT id FROM document WHERE root = ? AND file = ?", (root, name)).fetchall():
                index.drop(tx, row["id"])

    def _forget(self, root: str, present: set[str]) -> Iterator[str]:
        with self._index.read() as tx:
            known = tx.execute("SELECT id, file FROM document WHERE root = ? ORDER BY file", (root,)).fetchall()
        gone = [row for row in known if row["file"] not in present]
        for row in gone:
            with self._index.write() as tx:
                index.drop(tx, row["id"])
            yield shown(row["file"])
        if gone:
            self._index.erase()


def sample_folder() -> Path:
    """The policies that ship with the package, as Markdown."""
    return Path(__file__).with_name("sample")


def _status(superseded: int, valid_from: str | None, valid_to: str | None, today: str) -> DocumentStatus:
    if superseded:
        return "superseded"
    if valid_to and valid_to < today:
        return "expired"
    return "upcoming" if valid_from and valid_from > today else "current"


def _passage(row: sqlite3.Row, score: float) -> Passage:
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
        score=round(score, 4),
    )
