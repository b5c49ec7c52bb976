"""The servers that others run: filesystem and everything, from npm, as real processes."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from mcp_bench import Bench, invoke, named, node_server, running, wait_until

from signoff.errors import ToolError


@pytest.fixture
def box(bench: Bench) -> Path:
    """A folder that the filesystem server may use."""
    folder = bench.home / "box"
    folder.mkdir()
    (folder / "a.txt").write_text("你好, hello", encoding="utf-8")
    bench.servers["fs"] = {
        "command": "node",
        "args": [node_server("server-filesystem"), str(folder)],
        "risk": {"read_text_file": "read", "list_directory": "read"},
        "start_timeout_s": 60,
    }
    bench.write()
    return folder


def test_the_filesystem_servers_tools_are_clean_and_work(bench: Bench, box: Path) -> None:
    with bench.open() as connections:
        assert connections.problems == []
        read = named(connections, "read_text_file")
        assert "你好, hello" in str(invoke(read, path=str(box / "a.txt")))
        with pytest.raises(ToolError, match="/etc/hostname"):
            invoke(read, path="/etc/hostname")
        assert read.schema()["function"]["parameters"]["required"] == ["path"]
        edit = named(connections, "edit_file")
        assert edit.preview is not None
        args = {"path": str(box / "a.txt"), "edits": [{"oldText": "hello", "newText": "bye"}]}
        model = edit.args.model_validate(args)
        shown = edit.preview(**{n: getattr(model, n) for n in type(model).model_fields})
        assert ("edits", '[{"oldText": "hello", "newText": "bye"}]') in [(c.field, c.after) for c in shown.changes]
        invoke(edit, **args)
    assert (box / "a.txt").read_text(encoding="utf-8") == "你好, bye"


def test_every_tool_of_the_everything_server_is_clean_and_can_be_called(bench: Bench) -> None:
    names = ("echo", "get-sum", "get-tiny-image", "get-structured-content", "get-resource-links", "get-env")
    bench.servers["every"] = {
        "command": "node",
        "args": [node_server("server-everything"), "stdio"],
        "risk": dict.fromkeys(names, "read"),
        "start_timeout_s": 60,
    }
    bench.write()
    with bench.open() as connections:
        assert connections.problems == []
        assert invoke(named(connections, "echo"), message="喂") == {"text": "Echo: 喂"}
        assert "5" in invoke(named(connections, "get-sum"), a=2, b=3)["text"]
        image = invoke(named(connections, "get-tiny-image"))
        assert image["attachments"][0]["media_type"] == "image/png" and len(str(image)) < 400
        weather = invoke(named(connections, "get-structured-content"), location="Chicago")
        assert set(weather) == {"structured"}
        links = invoke(named(connections, "get-resource-links"), count=2)
        assert [a["type"] for a in links["attachments"]] == ["resource_link", "resource_link"]
        assert "SIGNOFF" not in str(invoke(named(connections, "get-env")))


@contextmanager
def everything_over_http() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The everything server over streamable HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = ["node", node_server("server-everything"), "streamableHttp"]
    import os

    env = {**os.environ, "PORT": str(port)}
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            assert wait_until(lambda: _listens(port), 60)
            yield f"http://127.0.0.1:{port}/mcp", process
        finally:
            process.kill()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_server_over_streamable_http_works_and_its_end_is_one_clear_error(bench: Bench) -> None:
    with everything_over_http() as (url, process):
        bench.servers["remote"] = {"type": "http", "url": url, "risk": {"echo": "read"}, "start_timeout_s": 60}
        bench.write()
        with bench.open() as connections:
            echo, total = named(connections, "echo"), named(connections, "get-sum")
            assert invoke(echo, message="x") == {"text": "Echo: x"}
            process.kill()
            process.wait()
            assert not running(process.pid)
            for tool, args in ((echo, {"message": "x"}), (total, {"a": 1, "b": 2})):
                with pytest.raises(ToolError) as refused:
                    invoke(tool, **args)
                # Nothing was sent, so nothing is in doubt, for the write either.
                assert refused.value.code == "SERVICE_UNAVAILABLE", refused.value.message
                assert url not in refused.value.message
