"""`mcp.json`: what it may say, and one sentence for what it may not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from signoff.errors import ConfigError
from signoff.settings import Settings
from signoff.tools.contract import Risk
from signoff.tools.mcp import config_path, load_config

PLAIN = {"command": "node", "args": ["server.js"]}


def written(folder: Path, servers: Any) -> Path:
    path = folder / "mcp.json"
    path.write_text(servers if isinstance(servers, str) else json.dumps({"mcpServers": servers}), encoding="utf-8")
    return path


def test_the_usual_form_is_read_with_variables_filled_in(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {
            "fs": {**PLAIN, "env": {"TOKEN": "${KEY}"}, "cwd": "data", "args": ["--root", "${ROOT:-/srv}"]},
            "remote": {"type": "http", "url": "https://${HOST}/mcp", "headers": {"Authorization": "Bearer ${KEY}"}},
        },
    )
    fs, remote = load_config(path, {"KEY": "k-1", "HOST": "mcp.example"})
    assert (fs.command, fs.args, fs.env, fs.cwd) == ("node", ("--root", "/srv"), {"TOKEN": "k-1"}, tmp_path / "data")
    assert (remote.url, remote.headers) == ("https://mcp.example/mcp", {"Authorization": "Bearer k-1"})
    assert fs.egress and not fs.disabled and fs.timeout_s == 30


def test_a_tool_is_a_write_until_the_file_says_otherwise(tmp_path: Path) -> None:
    (config,) = load_config(written(tmp_path, {"fs": {**PLAIN, "risk": {"read_file": "read", "wipe": "critical"}}}))
    assert [config.risk_of(t) for t in ("read_file", "wipe", "other")] == [Risk.READ, Risk.CRITICAL, Risk.WRITE]


def test_an_empty_allow_list_lets_every_tool_through(tmp_path: Path) -> None:
    every, some = load_config(written(tmp_path, {"a": {**PLAIN, "tools": []}, "b": {**PLAIN, "tools": ["x"]}}))
    assert every.offers("y") and some.offers("x") and not some.offers("y")


@pytest.mark.parametrize(
    ("servers", "says"),
    [
        ("{", "is not JSON"),
        ('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', "'a' is there twice"),
        ("[" * 100_000, "is not JSON"),
        ("[]", 'has no "mcpServers"'),
        ('{"servers": {}}', 'has no "mcpServers"'),
        ('{"mcpServers": {}, "inputs": []}', "'inputs' is not a key"),
        ({"a": []}, "mcpServers.a: "),
        ({"a": {}}, "either command"),
        ({"a": {"command": "x", "url": "https://x"}}, "either command"),
        ({"a": {"command": ""}}, "mcpServers.a.command"),
        ({"a": {"command": "x", "args": "y"}}, "mcpServers.a.args"),
        ({"a": {"command": "x", "args": [1]}}, "mcpServers.a.args.0"),
        ({"a": {"command": "x", "env": {"A": 1}}}, "mcpServers.a.env.A"),
        ({"a": {"command": "x", "env": {"A=B": "1"}}}, "is not a name"),
        ({"a": {"command": "x", "autoApprove": ["y"]}}, "mcpServers.a.autoApprove: there is no such key"),
        ({"a": {"command": "x", "risk": {"y": "harmless"}}}, "mcpServers.a.risk.y"),
        ({"a": {"command": "x", "timeout_s": 0}}, "mcpServers.a.timeout_s"),
        ({"a": {"command": "x", "disabled": "yes"}}, "mcpServers.a.disabled"),
        ({"a": {"command": "x", "prefix": "a b"}}, "mcpServers.a.prefix"),
        ({"a": {"command": "x", "type": "sse"}}, "mcpServers.a.type"),
        ({"a": {"command": "x", "type": "http"}}, "does not go with command"),
        ({"a": {"url": "ftp://x"}}, "mcpServers.a.url"),
        ({"a": {"url": "https://x:99999"}}, "mcpServers.a.url"),
        ({"a": {"url": "/mcp"}}, "mcpServers.a.url"),
        ({"a": {"command": "x", "args": ["${NOT_SET}"]}}, "mcpServers.a.args.0: the variable NOT_SET is not set"),
        ({"a": {"url": "https://x", "headers": {"A": "${NOT_SET}"}}}, "mcpServers.a.headers.A"),
        ({"": {"command": "x"}}, "name servers with"),
        ({"a/b": {"command": "x"}}, "name servers with"),
    ],
)
def test_what_is_wrong_is_said_with_the_file_and_the_key(tmp_path: Path, servers: Any, says: str) -> None:
    path = written(tmp_path, servers)
    with pytest.raises(ConfigError) as wrong:
        load_config(path, {})
    assert says in str(wrong.value) and str(path) in str(wrong.value)


def test_a_disabled_server_needs_no_variables(tmp_path: Path) -> None:
    (config,) = load_config(written(tmp_path, {"a": {**PLAIN, "env": {"K": "${NOT_SET}"}, "disabled": True}}), {})
    assert config.disabled


def test_no_secret_is_in_the_representation_of_a_server(tmp_path: Path) -> None:
    servers = {"a": {**PLAIN, "env": {"K": "s3cret"}}, "b": {"url": "https://u:s3cret@x", "headers": {"A": "s3cret"}}}
    assert "s3cret" not in repr(load_config(written(tmp_path, servers)))


def test_the_homes_own_file_is_found_and_a_named_one_must_be_there(tmp_path: Path) -> None:
    assert config_path(Settings.load(home=tmp_path)) is None
    own = written(tmp_path, {})
    assert config_path(Settings.load(home=tmp_path)) == own
    with pytest.raises(ConfigError, match="SIGNOFF_MCP_CONFIG"):
        config_path(Settings.load(home=tmp_path, mcp_config=tmp_path / "other.json"))
