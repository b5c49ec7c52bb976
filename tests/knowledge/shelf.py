"""A knowledge file with the sample policies, and small documents of a test's own."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.knowledge import Knowledge

NOW = datetime.fromisoformat("2026-10-31T10:00+08:00")
ACME = Caller("acme", "u-17")
GLOBEX = Caller("globex", "u-17")
HR = Caller("acme", "h-01", frozenset({"hr"}))


def opened(path: Path, *, now: datetime = NOW) -> Knowledge:
    return Knowledge(path, Clock(fixed=now))


def write(folder: Path, name: str, body: str, **front: str) -> Path:
    """A Markdown file with front matter."""
    folder.mkdir(parents=True, exist_ok=True)
    head = "".join(f"{k}: {v}\n" for k, v in front.items())
    path = folder / name
    path.write_text(f"---\n{head}---\n{body}" if front else body, encoding="utf-8")
    return path
