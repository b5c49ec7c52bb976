"""The Studio page without a token, the server in a fresh clone, and the graph without a server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from dev_server import GRAPH, REPO, ask, common, end, launch, running
from langgraph_sdk import Auth, get_sync_client
from langgraph_sdk.errors import AuthenticationError

from signoff import Caller, Settings
from signoff.errors import ConfigError
from signoff.graph import studio_auth
from signoff.graph.studio_auth import Door

pytestmark = pytest.mark.xdist_group("studio")

HERE = "127.0.0.1"
STUDIO = {"host": "127.0.0.1:2024", "x-auth-scheme": "langsmith", "origin": "https://smith.langchain.com"}


def caller(door: Door, headers: dict[str, str | None], peer: str | None = HERE) -> Caller | None:
    return door.caller({k.encode(): v.encode() for k, v in headers.items() if v is not None}, peer)


@pytest.mark.parametrize("host", ["localhost:2024", "127.0.0.1", "[::1]:8123", "LocalHost"])
@pytest.mark.parametrize(
    "origin",
    [
        None,
        "https://smith.langchain.com",
        "https://eu.smith.langchain.com",
        "http://localhost:3000",
        "http://127.0.0.1:2024",
    ],
)
@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "127.0.0.53"])
def test_with_the_switch_studio_on_this_machine_acts_as_the_settings_caller(
    host: str, origin: str | None, peer: str
) -> None:
    door = Door(Settings(studio=True, caller="acme/u-42:agent"))
    assert caller(door, {**STUDIO, "host": host, "origin": origin}, peer) == Caller("acme", "u-42", ["agent"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("headers", "peer"),
    [
        ({"x-auth-scheme": None}, HERE),
        ({"x-auth-scheme": "other"}, HERE),
        ({"origin": "https://evil.example"}, HERE),
        ({"origin": "https://smith.langchain.com.evil.example"}, HERE),
        ({"origin": "https://evilsmith.langchain.com"}, HERE),
        ({"origin": "http://smith.langchain.com"}, HERE),
        ({"origin": "null"}, HERE),
        ({"origin": "http://localhost.evil.example"}, HERE),
        ({"host": "evil.example:2024"}, HERE),
        ({"host": "desk.trycloudflare.com"}, HERE),
        ({"host": None}, HERE),
        ({"x-forwarded-for": "203.0.113.9"}, HERE),
        ({"forwarded": "for=203.0.113.9"}, HERE),
        ({"authorization": "Bearer wrong"}, HERE),
        ({"authorization": "Basic wrong"}, HERE),
        ({}, "203.0.113.9"),
        ({}, "10.0.0.7"),
        ({}, "not an address"),
        ({}, None),
    ],
    ids=str,
)
def test_whoever_is_not_studio_on_this_machine_needs_a_token_with_the_switch_too(
    headers: dict[str, str | None], peer: str | None
) -> None:
    assert caller(Door(Settings(studio=True)), {**STUDIO, **headers}, peer) is None


def test_without_the_switch_studio_needs_a_token_like_everybody() -> None:
    door = Door(Settings(tokens={"k": "acme/s-02:supervisor,hr"}))
    assert caller(door, STUDIO) is None
    assert caller(door, {**STUDIO, "authorization": "Bearer k"}) == Caller("acme", "s-02", ["supervisor", "hr"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tokens", "wrong"),
    [
        ({"": "acme/u-17"}, "empty"),
        ({" k": "acme/u-17"}, "spaces"),
        ({"secret-k": "u-17"}, "names nobody"),
        ({"secret-k": "acme/"}, "names nobody"),
        ({"secret-k": "acme/u 17"}, "names nobody"),
    ],
)
def test_a_token_that_cannot_be_used_is_told_without_being_shown(tokens: dict[str, str], wrong: str) -> None:
    with pytest.raises(ConfigError, match=wrong) as told:
        Door(Settings(tokens=tokens))
    assert "secret-k" not in str(told.value)


async def test_while_nobody_can_log_in_the_refusal_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studio_auth, "_door", Door(Settings()))
    with pytest.raises(Auth.exceptions.HTTPException) as refused:
        await studio_auth.authenticate(headers={}, scope={"client": (HERE, 1)})
    assert refused.value.status_code == 401
    assert "SIGNOFF_TOKENS" in refused.value.detail and "SIGNOFF_STUDIO=1" in refused.value.detail


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> tuple[str, Path]:
    """A server in a fresh clone: no key, no home, no settings but the switch."""
    return running(common(tmp_path_factory), "clone", pytestconfig, SIGNOFF_STUDIO="1")


def test_in_a_fresh_clone_the_switch_alone_lets_studio_ask_and_stop(fresh: tuple[str, Path]) -> None:
    url, folder = fresh
    client = get_sync_client(url=url, api_key=None, headers={k: STUDIO[k] for k in ("x-auth-scheme", "origin")})
    thread, ended = ask(client, "Refund order A1003, it arrived broken")
    assert client.threads.get_state(thread)["next"] == ["write_tools"]
    ended = dict(client.runs.wait(thread, GRAPH, command={"resume": {ended["approvals"][0]: {"decision": "approve"}}}))
    assert ended["status"] == "done" and "A1003" in ended["answer"]
    assert client.threads.get(thread)["metadata"]["owner"] == "acme/u-17"
    assert (folder / ".signoff" / "desk.db").exists()


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-auth-scheme": "langsmith", "origin": "https://evil.example"},
        {"x-auth-scheme": "langsmith", "host": "evil.example"},
        {"x-auth-scheme": "langsmith", "x-forwarded-for": "127.0.0.1"},
        {"authorization": "Bearer any"},
    ],
    ids=str,
)
def test_the_switch_lets_nobody_else_in(headers: dict[str, str], fresh: tuple[str, Path]) -> None:
    with pytest.raises(AuthenticationError):
        get_sync_client(url=fresh[0], api_key=None, headers=headers).threads.search()


@pytest.mark.parametrize(
    ("env", "told"),
    [
        ({"SIGNOFF_TOKENS": '{"secret-k": "nobody"}'}, "SIGNOFF_TOKENS names nobody"),
        ({"SIGNOFF_MODEL": "gpt 4"}, "SIGNOFF_MODEL: 'gpt 4' is not a model"),
        ({"SIGNOFF_HOME": "{folder}/log"}, "cannot be made"),
    ],
    ids=["tokens", "model", "home"],
)
def test_with_wrong_settings_the_server_ends_and_says_in_a_sentence_why(
    env: dict[str, str], told: str, tmp_path: Path
) -> None:
    process = launch(tmp_path, {k: v.replace("{folder}", str(tmp_path)) for k, v in env.items()})
    try:
        assert process.wait(120) != 0
    finally:
        end(process)
    log = (tmp_path / "log").read_text(encoding="utf-8")
    assert told in log and "secret-k" not in log


PLAIN = """
from langgraph.checkpoint.memory import InMemorySaver
from signoff import Caller
from signoff.graph.studio import graph
print(graph.get_graph().draw_mermaid())
assert graph.checkpointer is None
kept = graph.copy(update={"checkpointer": InMemorySaver()})
config = {"configurable": {"thread_id": "t"}}
words = {"messages": [("user", "Refund order A1003, it arrived broken")]}
try:
    kept.invoke(words, config)
except Exception as error:
    print(error)
kept.invoke(words, config, context=Caller("acme", "u-17"))
print("stopped before", *kept.get_state(config).next)
"""


def test_the_graph_draws_and_runs_in_plain_python_without_a_server(tmp_path: Path) -> None:
    env: dict[str, Any] = {**os.environ, "PYTHONPATH": str(REPO), "SIGNOFF_HOME": str(tmp_path / "home")}
    done = subprocess.run([sys.executable, "-c", PLAIN], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for node in ("route", "retrieve", "agent", "tools", "write_tools", "validate"):
        assert f"\t{node}(" in done.stdout
    assert "__interrupt = before" in done.stdout
    assert "Nobody is asking" in done.stdout
    assert "stopped before write_tools" in done.stdout
