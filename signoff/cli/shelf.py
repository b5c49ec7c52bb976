"""The statistics of knowledge on the terminal."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from signoff.cli.run import Run

if TYPE_CHECKING:
    from signoff.knowledge import Stats

NAMED = 5
"""Documents or files that are named; the rest is counted."""


def show_stats(run: Run, found: Stats, who: str) -> None:
    """Counts in columns, then what should be looked at."""
    out, counts = run.output, found.counts
    out.event("stats", asdict(found))
    out.note(f"What {who} may read, in {found.store}")
    languages = ", ".join(f"{name} {n}" for name, n in counts.languages.items()) or "-"
    rows = [
        ("documents", f"{counts.documents:,}"),
        ("passages", f"{counts.passages:,}"),
        ("chunks", f"{counts.chunks:,}"),
        ("languages", languages),
        ("superseded", f"{counts.superseded:,}"),
        ("expired", f"{counts.expired:,}"),
        ("not yet in force", f"{counts.upcoming:,}"),
        ("untrusted", f"{counts.untrusted:,}"),
        ("vectors", _vectors(found)),
    ]
    if counts.bytes:
        rows.append(("size", f"{counts.bytes / 1e6:,.1f} MB"))
    for name, value in rows:
        out.say(f"{name:<17} {value}")
    _named(run, "stale", "not changed for long", found.stale)
    _named(run, "changed", "changed since they were added: add them again", found.changed)
    _named(run, "gone", "files that are no longer there", found.gone)
    out.say()
    if not found.unanswered:
        out.say(f"No question of the last {found.days} days was left without an answer.")
        return
    out.say(f"Questions of the last {found.days} days that no document answered:", "bold")
    out.table(("times", "last", "question"), [(u.times, u.last, u.question) for u in found.unanswered], shrink=2)


def _vectors(found: Stats) -> str:
    if not found.model:
        return "none" if found.encoder == "none" else "none yet: `signoff knowledge reindex` makes them"
    bare = found.counts.without_vectors
    missing = f", {bare:,} chunks without: `signoff knowledge reindex`" if bare else ""
    other = "" if found.model.rpartition("/")[0] == found.encoder else f", but SIGNOFF_EMBEDDINGS is {found.encoder}"
    return f"{found.model}{other}{missing}"


def _named(run: Run, name: str, what: str, found: list[str]) -> None:
    run.output.say(f"{name:<17} {len(found):,}" + (f" ({what})" if found else ""))
    for one in found[:NAMED]:
        run.output.say(f"{'':<17} {one}", "dim")
    if len(found) > NAMED:
        run.output.say(f"{'':<17} and {len(found) - NAMED} more", "dim")
