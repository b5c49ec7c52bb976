"""A knowledge file with the sample policies, and small documents of a test's own."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Any

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.embedding import packaged
from signoff.knowledge import Knowledge

NOW = datetime.fromisoformat("2026-10-31T10:00+08:00")
ACME = Caller("acme", "u-17")
GLOBEX = Caller("globex", "u-17")
HR = Caller("acme", "h-01", frozenset({"hr"}))


def opened(path: Path, *, now: datetime = NOW, **options: Any) -> Knowledge:
    """The knowledge in a file, found by words alone unless an encoder is given."""
    return Knowledge(path, Clock(fixed=now), **options)


def with_meaning(path: Path, **options: Any) -> Knowledge:
    """The same with the packaged model."""
    return opened(path, encoder=packaged(), **options)


def write(folder: Path, name: str, body: str, **front: str) -> Path:
    """A Markdown file with front matter."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    head = "".join(f"{k}: {v}\n" for k, v in front.items())
    path.write_text(f"---\n{head}---\n{body}" if front else body, encoding="utf-8")
    return path


def dump(path: Path) -> list[tuple[object, ...]]:
    """All that a file holds of its documents, whatever its row numbers."""
    with sqlite3.connect(path) as db:
        return db.execute(
            "SELECT d.key, d.version, p.id, p.place, p.text, c.start, c.stop, w.body FROM document d "
            "JOIN passage p ON p.document = d.number JOIN chunk c ON c.passage = p.row "
            "JOIN words w ON w.rowid = c.row ORDER BY p.id, c.start"
        ).fetchall()


def assert_whole(path: Path) -> None:
    """The file is sound, and its documents, passages, chunks, words and vectors belong together."""
    db = sqlite3.connect(path)
    try:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        db.execute("INSERT INTO words (words) VALUES ('integrity-check')")
        chunks = {r for (r,) in db.execute("SELECT row FROM chunk")}
        assert chunks == {r for (r,) in db.execute("SELECT rowid FROM words")}
        counted = db.execute(
            "SELECT d.chunks, (SELECT count(*) FROM chunk c WHERE c.document = d.number), "
            "d.embedded, (SELECT count(*) FROM vector v WHERE v.document = d.number), "
            "(SELECT count(*) FROM passage p WHERE p.document = d.number) FROM document d"
        ).fetchall()
        assert all(a == b and c == d and a > 0 and p > 0 for a, b, c, d, p in counted), counted
    finally:
        db.close()


def folder_of(path: Path, documents: int, parts: int = 3) -> Path:
    """A folder with documents of so many sections, each with words of its own."""
    for i in range(documents):
        sections = "\n".join(f"## Part {j}\n\nDocument {i} part {j} speaks of topic{i}x{j}.\n" for j in range(parts))
        write(path, f"{i:04}.md", f"# Document {i}\n\n{sections}")
    return path
