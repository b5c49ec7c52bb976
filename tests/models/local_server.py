"""`signoff serve-model` as a process of its own, and desks that ask it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from sqlalchemy import text

from signoff import Desk
from signoff.records import Records
from signoff.state import call_ids

ROOT = Path(__file__).parents[2]
WAYS = {
    "native": {"required": False, "none": False, "parallel_calls": False},
    "schema": {"tools": False, "json_schema": True},
    "json": {"tools": False, "json_mode": True},
    "text": {"tools": False},
}


class ServedModel:
    """The served model; `kill` and `start` are a server that falls over and comes back at the same address."""

    def __init__(self, home: Path, *, context: int = 4_096) -> None:
        self._home = home
        self._context = context
        self._port = 0
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> ServedModel:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def start(self) -> None:
        self._process = signoff(
            self._home, "serve-model", "--json", "--port", str(self._port), "--context", str(self._context)
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, self._process.communicate()[1].decode()
        event = json.loads(line)
        assert event["type"] == "serving", event
        serving = event["data"]
        assert serving["model"] == "openai:smollm2"
        self._port = int(serving["base_url"].removesuffix("/v1").rpartition(":")[2])

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def working(self) -> bool:
        """Whether it is at an answer."""
        try:
            slots = httpx.get(self.base_url.removesuffix("/v1") + "/slots", timeout=2).json()
        except httpx.HTTPError:
            return False
        return any(s.get("is_processing") for s in slots)

    def profile(self, home: Path, way: str, **fields: Any) -> None:
        """Write the profile `smol` that asks it in one way."""
        values: dict[str, Any] = {
            "model": "openai:smollm2", "base_url": self.base_url, "context_tokens": self._context,
            "output_tokens": 96, "timeout_s": 120, "retries": 0, **fields,
        }  # fmt: skip
        can = {"usage_in_streams": True, **WAYS[way], **values.pop("can", {})}
        told = [f"{k} = {json.dumps(v)}" for k, v in values.items()]
        told.append("options = {temperature = 0}")
        told.append("can = {" + ", ".join(f"{k} = {json.dumps(v)}" for k, v in can.items()) + "}")
        (home / "models.toml").write_text("\n".join(["[models.smol]", *told, ""]))


def signoff(home: Path, *args: str, **env: str) -> subprocess.Popen[bytes]:
    """A command as a process of its own; `env` are further variables."""
    command = [sys.executable, "-m", "signoff", *args]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SIGNOFF_HOME": str(home), **env}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=home, env=environment, **pipes)  # type: ignore[call-overload,no-any-return]


def signed_for(desk: Desk) -> dict[str, list[dict[str, Any]]]:
    """All that only an approved write may change. A draft is made at once and tells nobody: it is left out."""
    services = desk.services
    records = Records(services.database, services.clock, services.settings)
    names = [str(t["table"]) for t in records.tables()]
    rows = {t: [dict(r) for r in records.rows(t, limit=1_000)] for t in names if t != "sequences"}
    rows["tickets"] = [r for r in rows["tickets"] if r["status"] != "draft"]
    with services.database.read() as tx:
        found = tx.execute(text("select tool, status from effects")).mappings()
        rows["effects"] = [dict(r) for r in found if r["tool"] not in ("create_ticket_draft", "discard_ticket_draft")]
    return rows


def messages_of(desk: Desk, thread: str) -> list[AnyMessage]:
    """The record of a thread."""
    return list(desk.graph.get_state({"configurable": {"thread_id": thread}}).values["messages"])


def unpaired(messages: Sequence[AnyMessage]) -> list[str]:
    """Calls that have not exactly one result right behind their message."""
    wrong: list[str] = []
    for n, m in enumerate(messages):
        if isinstance(m, AIMessage) and (calls := call_ids(m)):
            behind = [r.tool_call_id for r in messages[n + 1 : n + 1 + len(calls)] if isinstance(r, ToolMessage)]
            wrong += calls if behind != calls else []
    given = [m.tool_call_id for m in messages if isinstance(m, ToolMessage)]
    made = [c for m in messages if isinstance(m, AIMessage) for c in call_ids(m)]
    return wrong + [c for c in given if given.count(c) != 1 or c not in made]
