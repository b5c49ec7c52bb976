"""Executes notebooks in a fresh kernel.

As a program, `python tests/notebooks/notebook_run.py notebooks/*.ipynb`, it writes what they print back into them.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from traitlets.config import Config

ROOT = Path(__file__).parents[2]
PATIENCE_S = 300
"""Seconds for one cell on a busy machine; nothing here takes more than a few."""


def executed(path: Path, folder: Path) -> NotebookNode:
    """The notebook as it comes out of a fresh kernel that runs in `folder`.

    Raises `nbclient.exceptions.CellExecutionError` when a cell does.
    """
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory(prefix="k-") as sockets:
        # Sockets in a folder of its own: no port that another kernel might take, or anybody else reach.
        config = Config({"KernelManager": {"transport": "ipc", "ip": f"{sockets}/s"}})
        client = NotebookClient(
            notebook,
            config=config,
            kernel_name="python3",
            timeout=PATIENCE_S,
            startup_timeout=PATIENCE_S,
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": str(folder)}},
        )
        client.execute(env={**plain_environment(), "PYTHONPATH": str(ROOT), "IPYTHONDIR": sockets})
    return notebook


def plain_environment() -> dict[str, str]:
    """The environment without the machine's own settings and keys."""
    own = ("SIGNOFF_", "LANGSMITH_", "LANGCHAIN_", "OPENAI_")
    return {n: v for n, v in os.environ.items() if not n.startswith(own)}


def printed(notebook: NotebookNode) -> list[str]:
    """What each code cell shows, as text."""
    return ["".join(_text(o) for o in c.outputs) for c in notebook.cells if c.cell_type == "code"]


def _text(output: NotebookNode) -> str:
    if output.output_type == "stream":
        return str(output.text)
    return str(output.get("data", {}).get("text/plain", ""))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as scratch:
            fresh = executed(Path(name), Path(scratch))
        fresh.metadata.language_info = NotebookNode(name="python")
        nbformat.write(fresh, name)
