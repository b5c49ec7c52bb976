"""What knowledge holds, how fresh it is, and what it could not answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from signoff.knowledge.files import shown, storable
from signoff.knowledge.grants import content, content_of
from signoff.knowledge.load import Unreadable, fingerprint
from signoff.knowledge.store import Access, Counts, Held, Store, Unanswered

UNANSWERED = 20
"""Questions that are listed, the most frequent first."""


@dataclass(frozen=True)
class Stats:
    """Counts of what a caller may read, or of everything for the operator."""

    counts: Counts
    stale: list[str]
    """Documents in force, by title, that have not changed for longer than `stale_days`."""
    changed: list[str]
    """Files that have changed since they were added."""
    gone: list[str]
    """Files that are no longer there."""
    model: str
    """The model whose vectors are stored, `name/dimension`; empty without vectors."""
    encoder: str
    """What the settings name, `none` for words alone."""
    unanswered: list[Unanswered]
    days: int
    """Days that `unanswered` looks back."""
    store: str
    """Where the documents are: `knowledge.db`, or a database's name."""


def stats(
    store: Store, access: Access, *, operator: bool, today: date, days: int, stale_days: int, encoder: str
) -> Stats:
    """Counted over what `access` may read; over everything for the operator."""
    readable = store.documents(access, operator=operator)
    stale_before = (today - timedelta(days=stale_days)).isoformat()
    changed, gone = _drifted(h for d in readable if (h := store.held(d.id)) is not None)
    return Stats(
        counts=store.counts(access, operator=operator),
        stale=[d.title for d in readable if d.status == "current" and d.added and d.added < stale_before],
        changed=changed,
        gone=gone,
        model=store.model(),
        encoder=encoder,
        unanswered=store.unanswered(
            "*" if operator else access.tenant,
            (today - timedelta(days=days)).isoformat(),
            UNANSWERED,
            user=access.user,
        ),
        days=days,
        store=store.name,
    )


def _drifted(documents: Iterable[Held]) -> tuple[list[str], list[str]]:
    """Files whose content is another than when they were added, and files that are gone."""
    newest: dict[tuple[str, str], Held] = {}
    for held in documents:
        other = newest.setdefault((held.root, held.file), held)
        if other.rank < held.rank:
            newest[held.root, held.file] = held
    changed: list[str] = []
    gone: list[str] = []
    for held in sorted(newest.values(), key=lambda h: (h.root, h.file)):
        file = Path(held.root, held.file)
        if storable(str(file)) != str(file) or "\\x" in held.file:
            # A name that is not UTF-8 is kept in another form, under which there is no file.
            continue
        try:
            if content(fingerprint(file)) != content_of(held.digest):
                changed.append(shown(str(file)))
        except Unreadable:
            (changed if file.exists() else gone).append(shown(str(file)))
    return changed, gone
