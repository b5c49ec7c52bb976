"""An `mcp.json` with scripted servers, and calls of the tools they give."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from signoff.tools.contract import Tool
from signoff.tools.mcp import Connections, mcp_tools

SERVER = Path(__file__).with_name("scripted_server.py")
ROOT = Path(__file__).parents[3]


def tool(name: str, description: str = "Does one thing.", **properties: Any) -> dict[str, Any]:
    """A tool as a server lists it; parameters by name, each a schema, all optional."""
    return {
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties or {"q": {"type": "string"}}},
    }


class Bench:
    """A home with an `mcp.json`; each server is a script that may be rewritten while it runs."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "bench"
        self.home.mkdir()
        self.config = self.home / "mcp.json"
        self.servers: dict[str, dict[str, Any]] = {}

    def script(self, server: str, *tools: dict[str, Any], keys: dict[str, Any] | None = None, **script: Any) -> Path:
        """Write a server's script, and its entry with `keys` beside the command; `reads` makes reads of all tools."""
        path = self.home / f"{server}.script.json"
        whole = {
            "tools": list(tools),
            "log": str(self.home / f"{server}.calls"),
            "pid": str(self.home / f"{server}.pids"),
        }
        path.write_text(json.dumps({**whole, **script}), encoding="utf-8")
        entry = {"command": sys.executable, "args": ["-S", str(SERVER), str(path)], "start_timeout_s": 20}
        keys = dict(keys or {})
        if keys.pop("reads", False):
            keys["risk"] = {t["name"]: "read" for t in tools}
        self.servers[server] = {**entry, **keys}
        self.write()
        return path

    def write(self) -> None:
        """Write the file."""
        self.config.write_text(json.dumps({"mcpServers": self.servers}, ensure_ascii=False), encoding="utf-8")

    @contextmanager
    def open(self, **options: Any) -> Iterator[Connections]:
        """The connections, closed again."""
        with mcp_tools(self.config, home=self.home, **options) as connections:
            yield connections

    def calls(self, server: str) -> list[Any]:
        """What the server was asked to do, in order."""
        path = self.home / f"{server}.calls"
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []

    def pids(self, server: str) -> list[int]:
        """The processes that were started for a server."""
        return [int(p) for p in (self.home / f"{server}.pids").read_text().split()]


def invoke(tool: Tool, **args: Any) -> Any:
    """Run a tool's function as the gateway does."""
    model = tool.args.model_validate(args)
    return tool.fn(**{n: getattr(model, n) for n in type(model).model_fields})


def named(connections: Connections, name: str) -> Tool:
    """The tool that is offered under a name."""
    return next(t for t in connections.tools if t.name == name)


def running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def node_server(package: str) -> str:
    """The program of an npm package; the test is skipped where there is no node."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    folders = [Path(f) for f in (os.environ.get("SIGNOFF_NODE_MODULES"), ROOT / ".venv/node/node_modules") if f]
    for folder in folders:
        program = folder / "@modelcontextprotocol" / package / "dist" / "index.js"
        if program.exists():
            return str(program)
    pytest.fail(f"@modelcontextprotocol/{package} is not in {folders}: run the Makefile's set-up for development.")


def wait_until(true: Callable[[], bool], seconds: float = 15.0) -> bool:
    """Whether it came true in that time."""
    import time

    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.05)
    return true()
