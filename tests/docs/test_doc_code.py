"""What the pages show runs as it is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from markdown_pages import Page
from page_session import Session


@pytest.mark.parametrize("name", ["README.md", "docs/tools.md", "docs/events.md", "docs/recovery.md"])
def test_the_code_of_a_page_runs_in_order_and_prints_what_the_page_shows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNOFF_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    session = Session(tmp_path)
    blocks = [b for b in Page(name).blocks if b.language in ("python", "console")]
    assert blocks
    for block in blocks:
        session.play(block)
