"""A real `langgraph dev` on loopback, on a home of its own, and what tests ask of it."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from filelock import FileLock
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from sqlalchemy import insert, select

from signoff import Caller, Desk
from signoff.records.tables import orders

REPO = Path(__file__).parents[2]
GRAPH = "signoff"
TOKENS = {
    "key-of-lin": "acme/u-17",
    "key-of-maya": "acme/u-42",
    "key-of-chen": "acme/s-02:supervisor",
    "key-of-oscar": "globex/u-17",
}
LIN, MAYA, CHEN, OSCAR = TOKENS
WORKER = int((os.environ.get("PYTEST_XDIST_WORKER") or "gw0")[2:])
SUPERVISORS = {t: Caller(t, "s-02", frozenset({"supervisor"})) for t in ("acme", "globex")}


@dataclass
class Server:
    """A running server."""

    url: str
    folder: Path
    home: Path
    desk: Desk
    """A desk on the same home, in the test's process: where other people decide."""
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(10_000 * (1 + WORKER)))

    def client(self, token: str | None = LIN, **headers: str) -> SyncLangGraphClient:
        """The SDK's client, with a token."""
        bearer = {"authorization": f"Bearer {token}"} if token is not None else {}
        return get_sync_client(url=self.url, api_key=None, headers={**bearer, **headers})

    def order(self, token: str = LIN, yuan: int = 299) -> str:
        """A new order of the token's person that can be refunded; returns its id."""
        who = Caller.parse(TOKENS[token])
        order_id = f"{'S' if who.tenant == 'acme' else 'T'}{next(self._numbers)}"
        with self.desk.services.database.write() as tx:
            like = tx.execute(select(orders).where(orders.c.tenant == "acme", orders.c.order_id == "A1003"))
            row = dict(like.mappings().one())
            row |= {"tenant": who.tenant, "user": who.user, "order_id": order_id, "amount_cents": yuan * 100}
            tx.execute(insert(orders).values(**row))
        return order_id

    def refunds(self, order_id: str) -> int:
        """Rows of the refunds table for the order."""
        with sqlite3.connect(self.home / "desk.db") as db:
            return int(db.execute("select count(*) from refunds where order_id = ?", (order_id,)).fetchone()[0])

    def status(self, approval: str) -> str:
        """Where an approval stands."""
        with sqlite3.connect(self.home / "desk.db") as db:
            return str(db.execute("select status from approvals where id = ?", (approval,)).fetchone()[0])

    def sign(self, approval: str, tenant: str = "acme", decision: str = "approve", **words: Any) -> None:
        """Decide as the tenant's supervisor, through the desk."""
        self.desk.decide(approval, decision, by=SUPERVISORS[tenant], **words)

    @property
    def log(self) -> str:
        """What the server has printed."""
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")


@dataclass
class Parked:
    """A thread that waits for the signature of a refund."""

    server: Server
    client: SyncLangGraphClient
    thread: str
    order: str
    approval: str
    call: dict[str, Any]
    """The tool call as the message has it."""
    message: str
    """Id of the message with the call."""

    def run(self, **how: Any) -> dict[str, Any]:
        """Run on the thread until it ends or stops."""
        return dict(self.client.runs.wait(self.thread, GRAPH, raise_error=False, **how))

    def forge(self, values: Any, as_node: str | None = None) -> None:
        """Post state."""
        self.client.threads.update_state(self.thread, values, as_node=as_node)


def ask(client: SyncLangGraphClient, words: str, thread: str | None = None, **how: Any) -> tuple[str, dict[str, Any]]:
    """Ask on a thread, a new one by default; returns the thread and what the run ended with."""
    thread = thread or str(client.threads.create()["thread_id"])
    ended = client.runs.wait(thread, GRAPH, input=said(words), raise_error=False, **how)
    return thread, dict(ended)


def said(words: str) -> dict[str, Any]:
    """A run's input with a person's words."""
    return {"messages": [{"role": "user", "content": words}]}


def park(
    server: Server, token: str = LIN, yuan: int = 299, words: str = "Refund order {}, it arrived broken"
) -> Parked:
    """Ask for the refund of a new order; the thread then waits."""
    order, client = server.order(token, yuan), server.client(token)
    thread, ended = ask(client, words.format(order))
    assert ended.get("status") == "waiting", ended
    message = next(m for m in reversed(ended["messages"]) if m["type"] == "ai")
    call = message["tool_calls"][0]
    assert call["name"] == "refund_order"
    return Parked(server, client, thread, order, ended["approvals"][-1], call, message["id"])


def start(folder: Path, env: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], str]:
    """Run `langgraph dev` in a folder that looks like a fresh clone; returns it and its address.

    What the server keeps beside its configuration is kept there.
    """
    process = launch(folder, env)
    try:
        return process, _address(process, folder / "log")
    except BaseException:
        end(process)
        raise


def launch(folder: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start the command; what it prints goes to the folder's `log`."""
    shutil.copy(REPO / "langgraph.json", folder)
    (folder / "signoff").symlink_to(REPO / "signoff")
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG", "TMPDIR", "VIRTUAL_ENV")}
    kept |= {
        "PYTHONPATH": str(REPO),
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "1",
        "NO_COLOR": "1",
    }
    session = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    program = Path(__file__).with_name("serve.py")
    command = [sys.executable, str(program), str(session), "dev", "--no-browser", "--no-reload"]
    command += ["--port", str(_free_port()), "--n-jobs-per-worker", "16"]
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            command,
            cwd=folder,
            env={**kept, **env},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def end(process: subprocess.Popen[bytes]) -> None:
    """Stop a server's whole process group: asked first, then killed."""
    for wanted in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, wanted)
        except ProcessLookupError:
            break
        try:
            process.wait(10)
            break
        except subprocess.TimeoutExpired:
            continue


def _free_port() -> int:
    # Taken by somebody else meanwhile, the server takes another and says which.
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    patience = time.monotonic() + 120
    while time.monotonic() < patience and process.poll() is None:
        named = re.search(r"API: \S*?(http://127\.0\.0\.1:\d+)", log.read_text(encoding="utf-8", errors="replace"))
        if named:
            try:
                with urllib.request.urlopen(f"{named[1]}/ok", timeout=5) as answer:
                    if json.load(answer)["ok"]:
                        return named[1]
            except (urllib.error.URLError, OSError, ValueError):
                pass
        time.sleep(0.1)
    raise AssertionError(f"The server did not start:\n{log.read_text(encoding='utf-8', errors='replace')[-4000:]}")


def common(factory: pytest.TempPathFactory) -> Path:
    """A temporary folder of the whole session, also where several processes run its tests."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@cache
def running(base: Path, name: str, config: pytest.Config, **env: str) -> tuple[str, Path]:
    """Address and folder of the session's server of this name; the last process that uses it stops it.

    `{folder}` in the environment stands for the server's folder.
    """
    note = base / f"{name}.json"
    with FileLock(f"{note}.lock"):
        if not note.exists():
            folder = base / f"{name}-{uuid4().hex[:8]}"
            folder.mkdir()
            process, url = start(folder, {k: v.replace("{folder}", str(folder)) for k, v in env.items()})
            note.write_text(json.dumps({"url": url, "folder": str(folder), "group": process.pid, "users": 0}))
        told = json.loads(note.read_text())
        note.write_text(json.dumps({**told, "users": told["users"] + 1}))
    config.add_cleanup(lambda: _release(note))
    return told["url"], Path(told["folder"])


def _release(note: Path) -> None:
    with FileLock(f"{note}.lock"):
        told = json.loads(note.read_text())
        if told["users"] > 1:
            note.write_text(json.dumps({**told, "users": told["users"] - 1}))
            return
        note.unlink()
        with suppress(ProcessLookupError):
            os.killpg(told["group"], signal.SIGTERM)
            patience = time.monotonic() + 10
            with suppress(OSError):
                while time.monotonic() < patience and urllib.request.urlopen(f"{told['url']}/ok", timeout=2):
                    time.sleep(0.1)
            os.killpg(told["group"], signal.SIGKILL)
        shutil.rmtree(told["folder"], ignore_errors=True)


def shared(factory: pytest.TempPathFactory, config: pytest.Config) -> Server:
    """The session's server, on a home with sample data and the four tokens."""
    return _shared(common(factory), config)


@cache
def _shared(base: Path, config: pytest.Config) -> Server:
    env = {"SIGNOFF_HOME": "{folder}/home", "SIGNOFF_TOKENS": json.dumps(TOKENS)}
    url, folder = running(base, "server", config, **env)
    desk = Desk.open(folder / "home")
    config.add_cleanup(desk.close)
    return Server(url, folder, folder / "home", desk)


def once(base: Path, name: str, make: Callable[[], Any]) -> Any:
    """What `make` gives, made by the first process of the session that asks for it; JSON."""
    kept = base / f"{name}.made.json"
    with FileLock(f"{kept}.lock"):
        if not kept.exists():
            kept.write_text(json.dumps(make()))
        return json.loads(kept.read_text())
