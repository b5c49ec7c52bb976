"""Every notebook runs from a fresh kernel, and shows what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from notebook_run import ROOT, executed, printed

NOTEBOOKS = sorted(p.name for p in (ROOT / "notebooks").glob("*.ipynb"))

# One kernel at a time where xdist groups are honoured.
pytestmark = pytest.mark.xdist_group("notebooks")


def test_the_three_notebooks_are_there() -> None:
    assert NOTEBOOKS == ["01_quickstart.ipynb", "02_approve_and_resume.ipynb", "03_replay_and_fork.ipynb"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_and_prints_what_is_stored_in_it(name: str, tmp_path: Path) -> None:
    path = ROOT / "notebooks" / name
    stored = nbformat.read(path, as_version=4)
    assert printed(executed(path, tmp_path)) == printed(stored)
    assert list(tmp_path.iterdir()) == [], "a notebook leaves nothing behind"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_stored_notebook_is_clean(name: str) -> None:
    path = ROOT / "notebooks" / name
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [c for c in notebook.cells if c.cell_type == "code"]
    assert [c.execution_count for c in code] == list(range(1, len(code) + 1))
    assert all(not c.metadata for c in notebook.cells)
    assert not re.search(r"/(?:home|root|tmp|work|Users)/|Traceback|Warning", path.read_text(encoding="utf-8"))
    assert sum("assert " in c.source for c in code) >= 2
