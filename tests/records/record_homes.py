"""A database with the sample data in a test's own folder, and the records over it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from signoff.clock import Clock
from signoff.records import Database, Records
from signoff.records.sample import SAMPLE_NOW, seed
from signoff.settings import Settings


def sample_database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "desk.db")
    seed(database)
    yield database
    database.close()


def sample_records(database: Database) -> Records:
    return Records(database, Clock(fixed=SAMPLE_NOW), Settings(_env_file=None))


def dump(path: Path) -> str:
    """The whole database as SQL."""
    connection = sqlite3.connect(path)
    try:
        return "\n".join(connection.iterdump())
    finally:
        connection.close()
