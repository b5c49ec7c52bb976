from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from memories import Person


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    """acme/u-17 with a memory of their own."""
    somebody = Person(tmp_path / "memory.db")
    yield somebody
    somebody.memory.close()
