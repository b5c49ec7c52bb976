from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from signoff.records.database import Database
from signoff.telemetry import Tracer, telemetry_metadata


@pytest.fixture
def desk_path(tmp_path: Path) -> Path:
    return tmp_path / "desk.db"


@pytest.fixture
def database(desk_path: Path) -> Iterator[Database]:
    database = Database(desk_path, busy_timeout_s=5.0)
    database.create(telemetry_metadata)
    yield database
    database.close()


@pytest.fixture
def tracer(database: Database) -> Iterator[Tracer]:
    tracer = Tracer(database)
    yield tracer
    tracer.flush()
