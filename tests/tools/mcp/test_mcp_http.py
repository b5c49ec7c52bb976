"""Servers over HTTP that fail in HTTP's own ways."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from mcp_bench import Bench, invoke, named, tool, wait_until

from signoff.errors import ToolError
from signoff.tools.contract import Tool


class Remote(ThreadingHTTPServer):
    """A small MCP server over HTTP that answers `tools/call` as `mode` says."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.mode = "ok"
        self.called: list[str] = []
        """The tools that were called, in order."""
        self.arrived = threading.Event()
        self.go_on = threading.Event()
        """What a call waits for in the mode `hold`, once it has `arrived`."""
        self.seen: list[dict[str, str]] = []
        self.session = "s-1"
        self.words = "Does one thing."

    @property
    def calls(self) -> int:
        """How many calls there were."""
        return len(self.called)

    def serve(self) -> None:
        """Take requests, in a thread."""
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def stop_listening(self) -> None:
        """Take no new connections, as in a graceful restart; what was begun goes on."""
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went is nothing to tell of."""


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Remote

    def log_message(self, *_: Any) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        self._send(405, b"")

    def do_DELETE(self) -> None:
        self._send(405, b"")

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.seen.append({k.lower(): v for k, v in self.headers.items()})
        method = message.get("method")
        if self.server.mode == "down":
            self._send(500, b"<html>oops</html>", "text/html")
        elif self.headers.get("mcp-session-id", self.server.session) != self.server.session:
            self._send(404, b"")
        elif "id" not in message:
            self._send(202, b"")
        elif method == "initialize":
            version = message["params"]["protocolVersion"]
            self._answer(
                message,
                {
                    "protocolVersion": version,
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "r", "version": "1"},
                },
            )
        elif method == "tools/list":
            self._answer(message, {"tools": [tool("look"), tool("change", self.server.words)]})
        elif method == "tools/call":
            self.server.called.append(message["params"]["name"])
            self._call(message)
        else:
            error = {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no such method"}}
            self._send(200, json.dumps(error).encode())

    def _call(self, message: dict[str, Any]) -> None:
        match self.server.mode:
            case "500":
                self._send(500, b"oops", "text/plain")
            case "401":
                self._send(401, b"")
            case "redirect":
                self.send_response(307)
                self.send_header("Location", "http://169.254.169.254/latest/meta-data")
                self.send_header("Content-Length", "0")
                self.end_headers()
            case "html":
                self._send(200, b"<html>welcome</html>", "text/html")
            case "garbage":
                self._send(200, b"{not json")
            case "hang":
                time.sleep(10)
            case "hold":
                self.server.arrived.set()
                self.server.go_on.wait(30)
                self._answer(message, {"content": [{"type": "text", "text": "seen"}]})
            case "cut":
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b'{"json')
                self.wfile.flush()
                self.connection.close()
            case _:
                self._answer(message, {"content": [{"type": "text", "text": "seen"}]})

    def _answer(self, message: dict[str, Any], result: dict[str, Any]) -> None:
        self._send(200, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode())

    def _send(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Mcp-Session-Id", self.server.session)
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def remote(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Remote]:
    """The server, named in the bench's file with a header out of the environment."""
    monkeypatch.setenv("REMOTE_TOKEN", "t-0k3n")
    with Remote() as server:
        server.serve()
        bench.servers["remote"] = {
            "url": f"http://127.0.0.1:{server.server_port}/mcp",
            "headers": {"Authorization": "Bearer ${REMOTE_TOKEN}"},
            "risk": {"look": "read"},
            "timeout_s": 3,
            "start_timeout_s": 20,
        }
        bench.write()
        yield server
        server.go_on.set()
        server.shutdown()


def test_every_request_carries_the_configured_headers(bench: Bench, remote: Remote) -> None:
    with bench.open() as connections:
        assert invoke(named(connections, "look")) == {"text": "seen"}
    assert {h.get("authorization") for h in remote.seen} == {"Bearer t-0k3n"}


@pytest.mark.parametrize("mode", ["500", "401", "redirect", "html", "garbage", "cut"])
def test_a_failing_read_is_made_twice_and_then_told_in_a_sentence(bench: Bench, remote: Remote, mode: str) -> None:
    with bench.open() as connections:
        remote.mode = mode
        with pytest.raises(ToolError) as refused:
            invoke(named(connections, "look"))
        assert refused.value.code == "SERVICE_UNAVAILABLE", refused.value.message
        assert remote.calls == 2 and "t-0k3n" not in refused.value.message
        remote.mode = "ok"
        assert invoke(named(connections, "look")) == {"text": "seen"}


@pytest.mark.parametrize("mode", ["500", "garbage", "cut"])
def test_a_failing_write_is_made_once_and_its_outcome_is_not_known(bench: Bench, remote: Remote, mode: str) -> None:
    with bench.open() as connections:
        remote.mode = mode
        with pytest.raises(ToolError) as refused:
            invoke(named(connections, "change"))
        assert (refused.value.code, remote.calls) == ("INTERNAL", 1), refused.value.message


def test_a_session_that_the_server_forgot_is_begun_anew_for_a_write_too(bench: Bench, remote: Remote) -> None:
    with bench.open() as connections:
        for name in ("look", "change"):
            remote.session += "1"
            assert invoke(named(connections, name)) == {"text": "seen"}
    assert remote.calls == 2


@pytest.mark.parametrize("restarts", [True, False])
def test_a_write_on_its_way_is_neither_sent_again_nor_called_undone_when_another_call_finds_nobody(
    bench: Bench, remote: Remote, restarts: bool
) -> None:
    with bench.open() as connections:
        look, change = named(connections, "look"), named(connections, "change")
        invoke(look)
        remote.mode = "hold"
        codes: list[str] = []
        writing = threading.Thread(target=lambda: codes.append(code_of(change)))
        writing.start()
        assert remote.arrived.wait(20)
        remote.stop_listening()
        reading = threading.Thread(target=lambda: attempt(look))
        reading.start()
        first = connections.session("remote")
        successor = None
        if restarts:
            # Up again as soon as the read has found nobody: a second sending would find it.
            assert wait_until(lambda: first._connection is None or not first._connection.alive)
            successor = Remote(remote.server_port)
            successor.session = "s-2"
            successor.serve()
        writing.join(30)
        reading.join(30)
        remote.go_on.set()
        # Not known: never sent again, and never told as not done.
        assert codes == ["INTERNAL"]
        assert remote.called == ["look", "change"]
        if successor is not None:
            assert "change" not in successor.called
            successor.stop_listening()


def test_a_write_to_a_server_that_has_gone_is_not_sent_and_told_as_not_done(bench: Bench, remote: Remote) -> None:
    with bench.open() as connections:
        change = named(connections, "change")
        assert invoke(change) == {"text": "seen"}
        remote.stop_listening()
        assert code_of(change) == "SERVICE_UNAVAILABLE"
    assert remote.called == ["change"]


def test_a_write_to_a_server_that_was_restarted_is_sent_to_the_new_one_once(bench: Bench, remote: Remote) -> None:
    with bench.open() as connections:
        change = named(connections, "change")
        assert invoke(change) == {"text": "seen"}
        remote.stop_listening()
        with Remote(remote.server_port) as successor:
            successor.session = "s-2"
            successor.serve()
            assert invoke(change) == {"text": "seen"}
            successor.shutdown()
    assert (remote.called, successor.called) == (["change"], ["change"])


def test_a_change_that_no_server_told_of_is_noticed_before_a_write(bench: Bench, remote: Remote) -> None:
    with bench.open() as connections:
        change = named(connections, "change")
        assert invoke(change) == {"text": "seen"}
        remote.words = "Does quite another thing."
        assert code_of(change) == "CONFLICT"
    assert remote.called == ["change"]


def attempt(of: Tool) -> None:
    """Call it, whatever comes of that."""
    with suppress(ToolError):
        invoke(of)


def code_of(of: Tool) -> str:
    """How a call was refused."""
    with pytest.raises(ToolError) as refused:
        invoke(of)
    return refused.value.code


def test_a_hanging_endpoint_ends_in_its_time(bench: Bench, remote: Remote) -> None:
    with bench.open() as connections:
        remote.mode = "hang"
        with pytest.raises(ToolError) as refused:
            invoke(named(connections, "look"))
        assert refused.value.code == "TIMEOUT"


@pytest.mark.parametrize("mode", ["down", "gone"])
def test_an_endpoint_that_fails_from_the_start_is_one_problem(bench: Bench, remote: Remote, mode: str) -> None:
    if mode == "gone":
        bench.servers["remote"]["url"] = "http://127.0.0.1:9/mcp"
        bench.write()
    remote.mode = mode
    with bench.open() as connections:
        (problem,) = connections.problems
        assert (problem.server, problem.kind) == ("remote", "unreachable") and "t-0k3n" not in str(problem)
