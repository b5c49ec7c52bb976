"""`doctor`: what is wrong, in a sentence, and nothing changed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from openai_server import Hang, OpenAIServer, Response, Status, answer
from signoff_command import Cli, Outcome

KEY = "sk-secret-0123456789"


def levels(found: Outcome) -> dict[str, str]:
    """The worst level of each check."""
    worst = {"ok": 0, "note": 1, "fail": 2}
    told: dict[str, str] = {}
    for c in found.data("check"):
        told[c["name"]] = max(told.get(c["name"], "ok"), c["level"], key=worst.__getitem__)
    return told


def test_a_sound_home_ends_with_0(cli: Cli) -> None:
    found = cli("doctor", "--json")
    assert found.code == 0
    told = levels(found)
    assert {"settings", "home", "desk", "threads", "knowledge", "clock", "model", "tracing", "langsmith"} <= set(told)
    assert set(told.values()) == {"ok"}
    assert "business time stands at 2026-10-31 10:00" in cli("doctor").out


def test_a_home_that_is_not_made_is_a_note_and_stays_unmade(cli: Cli, tmp_path: Path) -> None:
    found = cli("doctor", "--home", str(tmp_path / "none"), "--json")
    assert found.code == 0
    assert levels(found)["home"] == "note"
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("SIGNOFF_ZONE", "Mars/Olympus", "SIGNOFF_ZONE"),
        ("SIGNOFF_MODEL", "gpt 4", "write rehearsal, openai:<name>"),
        ("SIGNOFF_MAX_ROUNDS", "0", "SIGNOFF_MAX_ROUNDS"),
        ("SIGNOFF_CALLER", "nobody", "SIGNOFF_CALLER"),
    ],
)
def test_a_wrong_setting_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str) -> None:
    monkeypatch.setenv(name, value)
    found = cli("doctor", "--json")
    assert found.code == 1
    [check] = found.data("check")
    assert (check["level"], words in check["message"]) == ("fail", True)


def test_a_slip_in_a_settings_name_is_pointed_out(cli: Cli, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("SIGNOFF_MODLE", "x")
    (home / "settings.toml").write_text("max_round = 3\n", encoding="utf-8")
    Path(".env").write_text("SIGNOFF_TRACE_CONTNT=1\n", encoding="utf-8")
    told = cli("doctor").out
    for slip, meant in (("SIGNOFF_MODLE", "SIGNOFF_MODEL"), ("max_round", "max_rounds"), ("CONTNT", "TRACE_CONTENT")):
        assert any(slip in line and f"{meant}?" in line for line in told.splitlines()), told


@pytest.mark.parametrize("name", ["desk", "threads", "knowledge", "memory"])
@pytest.mark.parametrize("damage", ["text", "zeros"])
def test_a_damaged_database_is_named(cli: Cli, home: Path, name: str, damage: str) -> None:
    cli("ask", "hello")
    path = home / f"{name}.db"
    whole = path.read_bytes()
    for beside in home.glob(f"{name}.db-*"):
        beside.unlink()
    path.write_bytes(b"this is no database" * 300 if damage == "text" else whole[:100] + bytes(len(whole) - 100))
    found = cli("doctor", "--json")
    assert found.code == 1
    assert levels(found)[name] == "fail"


@pytest.mark.parametrize("name", ["desk", "threads"])
def test_a_locked_database_is_named(cli: Cli, home: Path, name: str) -> None:
    cli("ask", "hello")
    with closing(sqlite3.connect(home / f"{name}.db", isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        found = cli("doctor", "--json")
    assert found.code == 1
    assert levels(found)[name] == "fail"
    assert "locked" in next(c["message"] for c in found.data("check") if c["level"] == "fail")


def test_a_missing_database_of_a_made_home_is_named(cli: Cli, home: Path) -> None:
    (home / "desk.db").unlink()
    found = cli("doctor", "--json")
    assert found.code == 1
    assert levels(found)["desk"] == "fail"
    assert not (home / "desk.db").exists()


def test_a_wrong_checkpoint_key_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("ask", "hello")
    monkeypatch.setenv("SIGNOFF_CHECKPOINT_KEY", "0123456789abcdef")
    found = cli("doctor", "--json")
    assert found.code == 1
    assert levels(found)["threads"] == "fail"
    assert "0123456789abcdef" not in found.out


@pytest.mark.parametrize(
    ("response", "level", "words"),
    [
        (answer("ready"), "ok", "openai:some-model at http://127.0.0.1"),
        (Status(401), "fail", "SIGNOFF_MODEL_API_KEY"),
        (Status(404), "fail", "no such model"),
        (Status(500), "fail", "500"),
        (Hang(), "fail", "SIGNOFF_MODEL_TIMEOUT_S"),
    ],
)
def test_the_models_endpoint_is_really_asked(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, response: Response, level: str, words: str
) -> None:
    with OpenAIServer(response) as server:
        monkeypatch.setenv("SIGNOFF_MODEL", "openai:some-model")
        monkeypatch.setenv("SIGNOFF_MODEL_BASE_URL", server.base_url)
        monkeypatch.setenv("SIGNOFF_MODEL_API_KEY", KEY)
        monkeypatch.setenv("SIGNOFF_MODEL_TIMEOUT_S", "2")
        found = cli("doctor", "--json")
        assert len(server.bodies) == 1
    [check] = [c for c in found.data("check") if c["name"] == "model"]
    assert (check["level"], words in check["message"]) == (level, True), check
    assert found.code == (level == "fail")
    assert KEY not in found.out + found.err


def test_an_endpoint_that_is_not_there_is_told(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNOFF_MODEL", "openai:some-model")
    monkeypatch.setenv("SIGNOFF_MODEL_BASE_URL", "http://127.0.0.1:9/v1")
    found = cli("doctor", "--json")
    assert found.code == 1
    assert "cannot be reached" in next(c["message"] for c in found.data("check") if c["name"] == "model")


def test_a_trace_file_that_cannot_be_written_is_told(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SIGNOFF_TRACE_FILE", str(tmp_path / "none" / "trace.jsonl"))
    assert levels(cli("doctor", "--json"))["tracing"] == "fail"


def test_langsmith_without_a_key_is_a_note(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from langsmith.utils import get_env_var

    get_env_var.cache_clear()
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    try:
        assert levels(cli("doctor", "--json"))["langsmith"] == "note"
    finally:
        get_env_var.cache_clear()
