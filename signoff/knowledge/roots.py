"""The folders that documents were added from: which of them a file belongs to, and whom a new file is for."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from signoff.knowledge.files import files_below, shown, storable
from signoff.knowledge.grants import Grant, content, content_of, grant_of
from signoff.knowledge.load import Unreadable, fingerprint
from signoff.knowledge.store import Access, Held, Store


@dataclass(frozen=True)
class Located:
    """A file's place among the folders that were added."""

    root: str
    """The folder, absolute, as it is stored."""
    name: str
    """The file's path within it, as it is stored."""
    held: tuple[Held, ...]
    """The documents that were added from it before."""


class Roots:
    """What is known of the folders at, above and below a path, as it was when first looked at.

    A file stays with the folder it was added from first, so that adding a part of a folder, or the folder around
    it, neither doubles a document nor gives it to other readers.
    """

    def __init__(self, store: Store, path: Path) -> None:
        self._store = store
        self._known: dict[Path, dict[str, list[Held]]] = {}
        self._grants: dict[Path, _Granted] = {}
        self._remembered: dict[Path, Grant | None] = {}
        self.path = path
        """A folder, or a file that is added alone."""
        self.folder = path if path.is_dir() else path.parent
        above = (d for d in (self.folder, *self.folder.parents) if self._whole(d))
        outer = [d for d in (self.folder, *self.folder.parents) if (g := self.remembered(d)) is not None and g.whole]
        self.home = next(above, outer[-1] if outer else self.folder)
        """The folder that new files belong to."""
        if path.is_dir() and not self._of(self.home):
            self._known[path] = self._moved()

    def locate(self, file: Path) -> Located:
        """Where a file below the path belongs."""
        for folder in file.parents:
            name = _within(file, folder)
            if (held := self._of(folder).get(name)) is not None:
                return Located(_stored(folder), name, tuple(held))
        return Located(_stored(self.home), _within(file, self.home), ())

    def remembered(self, path: Path) -> Grant | None:
        """Whom a folder or a file of its own was for when it was added, though no document of it may be left."""
        if path not in self._remembered:
            text = self._store.grant_of(_stored(path))
            self._remembered[path] = None if text is None else Grant.read(text)
        return self._remembered[path]

    def remember(self, path: Path, grant: Grant) -> None:
        """Keep whom a folder or file is for."""
        if self.remembered(path) != grant:
            self._store.set_grant(_stored(path), grant.text)
            self._remembered[path] = grant

    def tenants(self) -> set[str]:
        """Whose the path and what was added from below it are."""
        found = {g.tenant for g in (self.remembered(self.path), self.remembered(self.home)) if g is not None}
        target = _stored(self.path)
        for folder in dict.fromkeys((self.folder, self.home)):
            for name, held in self._of(folder).items():
                file = f"{_stored(folder)}/{name}"
                if file == target or file.startswith(f"{target.rstrip('/')}/"):
                    found |= {g.tenant for h in held if (g := grant_of(h.digest)) is not None}
        return found

    def changed(self, file: Path, at: Located) -> bool:
        """Whether somebody else has added the file, or said whom it is for, since it was looked at. What is known of
        it is then read anew."""
        places = {file, self.path, self.home}
        before = {p: self.remembered(p) for p in places}
        for place in places:
            del self._remembered[place]
        said = before != {p: self.remembered(p) for p in places}
        if not said and all((there := self._store.held(h.id)) and there.digest == h.digest for h in at.held):
            return False
        if said:
            self._remembered.clear()
        self._grants.clear()
        known = self._of(next(f for f in file.parents if _stored(f) == at.root))
        now = {h.id: h for h in self._store.of_root(at.root) if h.file == at.name}
        # Those of a folder that was moved are still under its old name.
        now |= {h.id: there for h in at.held if h.id not in now and (there := self._store.held(h.id)) is not None}
        known.pop(at.name, None)
        if now:
            known[at.name] = sorted(now.values(), key=lambda h: (h.rank, h.id))
        return True

    def inherited(self, file: Path, fingerprint: str = "") -> Grant | None:
        """Whom a file that is new to its folder is for: as the same content was under another name that has gone, and
        as it was itself; else as what lies beside it, else as its folder was, else as what lies around that. None
        when nothing is known.

        Raises `Unreadable` when what is known differs.
        """
        renamed = [
            held
            for folder in {self.home, self.folder, file.parent}
            for held in self._granted(folder).contents.get(content(fingerprint), ())
            if not os.path.lexists(folder / held.file)
        ]
        known = [g for h in renamed if (g := grant_of(h.digest)) is not None]
        if (own := self.remembered(file)) is not None and not file.is_dir():
            known.append(own)
        if known:
            return _one(known)
        return self.around(file.parent)

    def around(self, folder: Path) -> Grant | None:
        """Whom a new file of a folder is for. None when nothing is known; raises `Unreadable` when that differs."""
        while folder.is_relative_to(self.home):
            roots = [root for root in (folder, *folder.parents) if root.is_relative_to(self.home)]
            for root in roots:
                if beside := self._granted(root).beside.get(_within(folder, root)):
                    return _one(beside)
            if (own := self.remembered(folder)) is not None and own.whole:
                return own
            for root in roots:
                if below := self._granted(root).below.get(_within(folder, root)):
                    return _one(below)
            if folder == folder.parent:
                break
            folder = folder.parent
        return None

    def gone(self, within: Path, present: dict[str, set[str]]) -> Iterator[Held]:
        """Documents below `within` whose file is not among those present, by folder, and is not there now."""
        for folder in (within, *within.parents):
            self._of(folder)
        target = _stored(within)
        for folder, files in list(self._known.items()):
            seen = present.get(_stored(folder), set())
            for name, held in files.items():
                file = f"{_stored(folder)}/{name}"
                below = file == target or file.startswith(f"{target.rstrip('/')}/")
                if below and name not in seen and not os.path.lexists(file):
                    yield from held

    def _of(self, folder: Path) -> dict[str, list[Held]]:
        if folder not in self._known:
            files: dict[str, list[Held]] = defaultdict(list)
            for held in self._store.of_root(_stored(folder)):
                files[held.file].append(held)
            self._known[folder] = dict(files)
        return self._known[folder]

    def _moved(self) -> dict[str, list[Held]]:
        """What was added from a folder that has gone, if this is it under another name: half of its files are here,
        and one of these as it was."""
        sources: dict[str, list[str]] = defaultdict(list)
        for document in self._store.documents(Access("", "", (), ""), operator=True):
            sources[document.source].append(document.id)
        files = {_within(f, self.path): f for f in files_below(self.path)} if sources else {}
        asked = (self._store.held(i) for name in files for i in sources.get(shown(name), ()))
        for root in dict.fromkeys(h.root for h in asked if h is not None and not os.path.lexists(h.root)):
            there: dict[str, list[Held]] = defaultdict(list)
            for held in self._store.of_root(root):
                there[held.file].append(held)
            kept = there.keys() & files.keys()
            if 2 * len(kept) >= len(there) and any(_unchanged(files[n], there[n]) for n in sorted(kept)):
                return dict(there)
        return {}

    def _whole(self, folder: Path) -> bool:
        return any(
            g is not None and g.whole for f in self._of(folder).values() for h in f for g in [grant_of(h.digest)]
        )

    def _granted(self, folder: Path) -> _Granted:
        if folder not in self._grants:
            self._grants[folder] = _Granted(self._of(folder))
        return self._grants[folder]


class _Granted:
    """What folders were granted, read off the files in them, by path within a root."""

    def __init__(self, files: dict[str, list[Held]]) -> None:
        self.beside: dict[str, set[Grant]] = defaultdict(set)
        self.below: dict[str, set[Grant]] = defaultdict(set)
        self.contents: dict[str, list[Held]] = defaultdict(list)
        for name, held in files.items():
            for one in held:
                self.contents[content_of(one.digest)].append(one)
            grants = {g for h in held if (g := grant_of(h.digest)) is not None and g.whole}
            parents = [str(p) for p in PurePosixPath(name).parents]
            if grants and parents:
                self.beside[parents[0]] |= grants
                for parent in parents:
                    self.below[parent] |= grants


def _one(grants: Iterable[Grant]) -> Grant | None:
    found = sorted(set(grants), key=lambda g: g.whole)
    if any(not g.alike(found[0]) for g in found):
        raise Unreadable(
            "is new where documents are for different readers: say for whom with --tenant, --role or --owner"
        )
    return found.pop() if found else None


def _unchanged(file: Path, held: Iterable[Held]) -> bool:
    try:
        mark = content(fingerprint(file))
    except Unreadable:
        return False
    return any(content_of(h.digest) == mark for h in held)


def _within(file: Path, folder: Path) -> str:
    return storable(file.relative_to(folder).as_posix())


def _stored(folder: Path) -> str:
    return storable(str(folder))
