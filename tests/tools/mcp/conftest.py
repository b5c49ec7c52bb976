"""A bench of scripted MCP servers."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp_bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """An `mcp.json` without servers, in a folder of the test's own."""
    return Bench(tmp_path)
