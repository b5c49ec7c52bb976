"""The desk as an MCP server: over stdio and HTTP, with writes that wait and identity that no argument gives."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from people import REQUESTER, SUPERVISOR, refunds

from signoff import Desk
from signoff.errors import ConfigError
from signoff.service.mcp_http import http_app

ROOT = Path(__file__).parents[2]
TOKENS = {"t-req": "acme/u-17", "t-other": "acme/u-42", "t-sup": "acme/s-02:supervisor"}
REFUND = {"order_id": "A1003", "reason": "arrived broken"}


@asynccontextmanager
async def over_stdio(home: Path, mode: str) -> AsyncIterator[Client]:
    env = {"PYTHONPATH": str(ROOT), "SIGNOFF_HOME": str(home)}
    command = ["-m", "signoff", "mcp", "--as", REQUESTER.name]
    async with Client(StdioServerParameters(command=sys.executable, args=command, env=env), mode=mode) as client:
        yield client


async def told(client: Client, tool: str, **args: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, args)
    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    assert result.is_error is (result.structured_content.get("status") == "failed")
    return dict(result.structured_content)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_over_stdio_a_host_asks_calls_and_waits(home: Path, open_desk: Any, mode: str) -> None:
    async with over_stdio(home, mode) as client:
        listed = {t.name: t for t in (await client.list_tools()).tools}
        assert {"ask", "resume", "approvals", "query_order", "refund_order"} <= set(listed)
        assert "decide" not in " ".join(listed)
        assert listed["query_order"].input_schema["required"] == ["order_id"]
        answer = await told(client, "ask", text="订单 A1001 什么状态?")
        assert answer["status"] == "done" and "2026-10-22" in answer["answer"]
        order = await told(client, "query_order", order_id="A1001")
        assert order["status"] == "done" and order["data"]["order_id"] == "A1001"
        waiting = await told(client, "refund_order", **REFUND)
        assert waiting["status"] == "waiting" and waiting["approval"] in waiting["how"]
        assert [a["id"] for a in (await told(client, "approvals"))["approvals"]] == [waiting["approval"]]
        assert (await told(client, "resume", thread=waiting["thread"]))["status"] == "waiting"
        desk = open_desk()
        assert refunds(desk) == []
        desk.decide(waiting["approval"], "approve", by=SUPERVISOR)
        done = await told(client, "resume", thread=waiting["thread"])
        assert done["status"] == "done" and [s["outcome"] for s in done["steps"]] == ["ok"]
        assert refunds(desk) == ["A1003"]


@pytest.mark.parametrize(
    ("tool", "args", "says"),
    [
        ("ask", {}, "needs text"),
        ("ask", {"text": "  "}, "needs text"),
        ("ask", {"text": "hello", "caller": "acme/s-02"}, "no argument 'caller'"),
        ("ask", {"text": "hello", "thread": "th-none"}, "no thread"),
        ("resume", {"thread": "th-none"}, "no thread"),
        ("approvals", {"status": "mine"}, "not a status"),
        ("wipe", {}, "no tool named 'wipe'"),
        ("query_order", {"order_id": "A1001", "user": "u-42"}, "user is not a parameter"),
    ],
)
async def test_what_is_wrong_is_told_in_a_sentence(http: Http, tool: str, args: dict[str, Any], says: str) -> None:
    async with http.client("t-req") as client:
        result = await client.call_tool(tool, args)
        assert result.is_error and says in result.content[0].text  # type: ignore[union-attr]


class Http:
    """The server on a port of this machine."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self._server = uvicorn.Server(uvicorn.Config(http_app(desk), log_level="error", timeout_graceful_shutdown=1))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    def __enter__(self) -> Http:
        self._thread.start()
        while not self._server.started:
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(15)
        self._socket.close()

    @asynccontextmanager
    async def client(self, token: str, mode: str = "legacy") -> AsyncIterator[Client]:
        """A client with a token."""
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(self.url, http_client=http), mode=mode) as client,
        ):
            yield client


@pytest.fixture
def http(open_desk: Any) -> Iterator[Http]:
    """The server over HTTP, for three callers."""
    with Http(open_desk(tokens=TOKENS)) as server:
        yield server


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_over_http_the_token_says_who_asks(http: Http, mode: str) -> None:
    async with http.client("t-req", mode) as mine, http.client("t-other", mode) as other:
        waiting = await told(mine, "refund_order", **REFUND)
        assert waiting["status"] == "waiting"
        assert (await told(other, "approvals"))["approvals"] == []
        assert (await told(other, "query_order", order_id="A1001"))["error"]["code"] == "ORDER_NOT_FOUND"
        for tool, args in (("resume", {}), ("ask", {"text": "hello"})):
            assert (await told(other, tool, thread=waiting["thread"], **args))["status"] == "failed"
        assert (await told(mine, "query_order", order_id="A1001"))["status"] == "done"
    assert [a.requester.name for a in http.desk.approvals(REQUESTER)] == ["acme/u-17"]


async def test_a_supervisors_token_sees_what_it_could_decide_and_cannot_decide_it(http: Http) -> None:
    async with http.client("t-req") as mine, http.client("t-sup") as supervisor:
        waiting = await told(mine, "refund_order", **REFUND)
        seen = (await told(supervisor, "approvals"))["approvals"]
        assert [a["id"] for a in seen] == [waiting["approval"]]
        assert "approve" not in {t.name for t in (await supervisor.list_tools()).tools}
        assert (await told(supervisor, "resume", thread=waiting["thread"]))["status"] == "waiting"
    assert refunds(http.desk) == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Basic t-req"}, 401),
        ({"Authorization": "t-req"}, 401),
        ({"Authorization": "Bearer t-req", "Origin": "https://evil.example"}, 403),
        ({"Authorization": "Bearer t-req", "Origin": "null"}, 403),
        ({"Authorization": "Bearer t-req", "Origin": "http://127.0.0.1.evil.example"}, 403),
        ({"Authorization": "Bearer t-req", "Host": "evil.example"}, 421),
        ({"Authorization": "Bearer t-req", "Host": "127.0.0.1.evil.example:80"}, 421),
        ({"Authorization": "Bearer t-req", "Origin": "http://localhost:3000"}, 200),
        ({"authorization": "bearer t-req"}, 200),
    ],
)
def test_the_gate_lets_only_known_callers_through(http: Http, headers: dict[str, str], status: int) -> None:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
    }
    accept = {"Accept": "application/json, text/event-stream"}
    answer = httpx2.post(http.url, json=body, headers={**accept, **headers}, timeout=30)
    assert answer.status_code == status
    assert "t-req" not in answer.text


def test_a_session_belongs_to_the_caller_who_began_it(http: Http) -> None:
    accept = {"Accept": "application/json, text/event-stream"}

    def post(token: str, body: dict[str, Any], session: str = "") -> httpx2.Response:
        headers = {**accept, "Authorization": f"Bearer {token}", **({"Mcp-Session-Id": session} if session else {})}
        return httpx2.post(http.url, json={"jsonrpc": "2.0", **body}, headers=headers, timeout=30)

    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    session = post("t-req", {"id": 1, "method": "initialize", "params": params}).headers["mcp-session-id"]
    post("t-req", {"method": "notifications/initialized"}, session)
    assert post("t-req", {"id": 2, "method": "tools/list"}, session).status_code == 200
    assert post("t-other", {"id": 3, "method": "tools/list"}, session).status_code in (403, 404)


def test_without_tokens_http_is_not_served(desk: Desk) -> None:
    with pytest.raises(ConfigError, match="SIGNOFF_TOKENS"):
        http_app(desk)


def test_the_command_serves_http_and_ends_when_it_is_told_to(home: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "SIGNOFF_HOME": str(home), "SIGNOFF_TOKENS": json.dumps(TOKENS)}
    command = [sys.executable, "-m", "signoff", "mcp", "serve", "--http", "127.0.0.1:0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env) as process:
        assert process.stdout is not None
        event = json.loads(process.stdout.readline())
        assert event["type"] == "serving"
        assert httpx2.post(event["data"]["url"], json={}, timeout=30).status_code == 401
        process.terminate()
        assert process.wait(30) in (0, -15, 143)
