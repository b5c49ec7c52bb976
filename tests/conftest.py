"""Homes and desks for tests: real files in a temporary folder, made once and copied."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

# Nothing of the machine's own settings may change a test, and nothing may leave it.
for name in [n for n in os.environ if n.startswith(("SIGNOFF_", "LANGSMITH_", "LANGCHAIN_", "OPENAI_"))]:
    del os.environ[name]

from signoff import Desk, Settings  # noqa: E402
from signoff.graph.home import init  # noqa: E402


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample data, made once; copy it, do not write to it."""
    home = tmp_path_factory.mktemp("sample") / "home"
    init(Settings.load(home=home))
    return home


@pytest.fixture
def home(sample_home: Path, tmp_path: Path) -> Path:
    """A home of the test's own."""
    return Path(shutil.copytree(sample_home, tmp_path / "home"))


@pytest.fixture
def open_desk(home: Path) -> Iterator[Callable[..., Desk]]:
    """Opens desks on the test's home and closes them afterwards."""
    opened: list[Desk] = []

    def open_one(**options: Any) -> Desk:
        desk = Desk.open(options.pop("home", home), **options)
        opened.append(desk)
        return desk

    yield open_one
    for desk in opened:
        desk.close()


@pytest.fixture
def desk(open_desk: Callable[..., Desk]) -> Desk:
    """A desk with the rehearsal model."""
    return open_desk()
