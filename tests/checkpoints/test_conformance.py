from pathlib import Path

import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate

from signoff.checkpoints.sqlite import open_saver
from signoff.settings import Settings


@pytest.mark.parametrize("key", [None, "0123456789abcdef"], ids=["plain", "encrypted"])
async def test_the_saver_passes_every_capability_of_langgraphs_conformance_suite(
    tmp_path: Path, key: str | None
) -> None:
    @checkpointer_test(name=f"ThreadSaver {key}")
    async def savers():  # type: ignore[no-untyped-def]
        with open_saver(Settings(home=tmp_path / "home", checkpoint_key=key)) as saver:
            yield saver

    report = await validate(savers)
    assert all(r.detected for r in report.results.values()), report.results
    assert {name: r.failures for name, r in report.results.items() if r.failures} == {}
    assert sum(r.tests_passed for r in report.results.values()) >= 58
