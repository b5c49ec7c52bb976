"""Profiles: what a TOML says of a desk, where desks are found, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from people import REQUESTER
from scripted import ScriptedModel

from signoff import Caller, Desk, Settings
from signoff.desks import every, find
from signoff.errors import ConfigError, Forbidden, UsageError

GOOD = 'title = "Rooms"\n'


def write(folder: Path, text: str, name: str = "rooms") -> Path:
    """A desk's TOML."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def settings(home: Path, **more: object) -> Settings:
    """Settings on a home."""
    return Settings.load(home=home, **more)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("title = ", "is not TOML"),
        ("", "title: Field required"),
        (GOOD + "colour = 'red'\n", "colour: Extra inputs"),
        (GOOD + "tools = 'query_order'\n", "tools"),
        (GOOD + "name = 'other'\n", "calls itself 'other'"),
        (GOOD + "[limits]\nmax_speed = 3\n", "max_speed is not a limit"),
        (GOOD + "[workspace]\nmode = 'sometimes'\n", "workspace.mode"),
    ],
)
def test_what_is_wrong_with_a_profile_is_said_with_its_file(text: str, wrong: str, home: Path) -> None:
    path = write(home / "desks", text)
    with pytest.raises(ConfigError, match=wrong) as error:
        find("rooms", settings(home))
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (GOOD + "tools = ['query_ordr']\n", "did you mean query_order"),
        (GOOD + "tools = ['nothing_like_it_at_all']\n", "signoff tools list"),
        (GOOD + "skills = ['weekly_repotr']\n", "There is no skill"),
        (GOOD + "python = ['tools.py']\n", "there is no such Python file"),
        (GOOD + "knowledge = 'papers'\n", "which is no folder"),
        (GOOD + "[limits]\nmax_rounds = 0\n", "SIGNOFF_MAX_ROUNDS"),
        (GOOD + "[workspace]\n", "--workspace DIR"),
    ],
)
def test_a_desk_that_cannot_be_opened_says_why(text: str, wrong: str, home: Path) -> None:
    write(home / "desks", text)
    with pytest.raises(ConfigError, match=wrong):
        Desk.open(home, desk="rooms")


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("x = (\n", "line 1: SyntaxError"),
        ("a = 1\nb = a / 0\n", "line 2: ZeroDivisionError"),
        ("from signoff import tool\n@tool\ndef look(x: int) -> int:\n    return x\n", "has no docstring"),
    ],
)
def test_a_python_file_that_cannot_be_loaded_says_where(code: str, wrong: str, home: Path) -> None:
    write(home / "desks", GOOD + "python = ['tools.py']\n")
    (home / "desks" / "tools.py").write_text(code, encoding="utf-8")
    with pytest.raises(ConfigError, match=wrong):
        Desk.open(home, desk="rooms")


def test_a_desk_that_is_not_there_suggests_one(home: Path) -> None:
    with pytest.raises(ConfigError, match="did you mean weekly"):
        find("wekly", settings(home))


def test_the_first_desk_of_a_name_stands(home: Path, tmp_path: Path) -> None:
    write(home / "desks", 'title = "Of the home"\n', "service")
    assert find("service", settings(home)).title == "Of the home"
    write(tmp_path / "more", 'title = "Configured"\n', "service")
    configured = settings(home, desk_paths=(tmp_path / "more",))
    assert find("service", configured).title == "Configured"
    assert {p.name: p.title for p in every(configured)}["service"] == "Configured"
    path = write(tmp_path, GOOD, "anywhere")
    assert find(str(path), settings(home)).title == "Rooms"


def test_a_profiles_limits_hold_unless_something_was_set_on_purpose(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home / "desks", GOOD + "[limits]\nmax_rounds = 3\ntaint = 'read-only'\n")
    profile = find("rooms", settings(home))
    applied = profile.applied(settings(home))
    assert (applied.max_rounds, applied.taint) == (3, "read-only")
    monkeypatch.setenv("SIGNOFF_MAX_ROUNDS", "5")
    assert profile.applied(settings(home)).max_rounds == 5
    assert profile.applied(settings(home, max_rounds=7)).max_rounds == 7


def test_instructions_of_the_desk_reach_its_model(home: Path) -> None:
    write(home / "desks", GOOD + "instructions = 'Speak of rooms only.'\ntools = ['query_order']\nknowledge = false\n")
    model = ScriptedModel(lines=["Which room?"])
    with Desk.open(home, desk="rooms", model=model) as desk:
        desk.ask("Is there a room?", caller=REQUESTER)
    assert "Speak of rooms only." in str(model.prompts[0][0].text)


def test_a_desk_for_some_roles_takes_nobody_else(home: Path) -> None:
    write(home / "desks", GOOD + "roles = ['hr']\nknowledge = false\n")
    with Desk.open(home, desk="rooms") as desk:
        with pytest.raises(Forbidden, match="role hr"):
            desk.ask("hello", caller=REQUESTER)
        turn = desk.ask("hello", caller=Caller("acme", "u-17", frozenset({"hr"})))
        assert turn.status == "done"


def test_a_thread_is_gone_on_with_at_its_own_desk(home: Path, open_desk: Callable[..., Desk]) -> None:
    write(home / "desks", GOOD + "knowledge = false\n")
    turn = open_desk(desk="rooms").ask("hello", caller=REQUESTER)
    with pytest.raises(UsageError, match="of the desk rooms"):
        open_desk().ask("hello again", caller=REQUESTER, thread=turn.thread)


def test_a_desk_with_documents_of_its_own_reads_those_and_no_others(home: Path) -> None:
    write(home / "desks", GOOD + "knowledge = 'papers'\ntools = ['search_knowledge']\n")
    papers = home / "desks" / "papers"
    papers.mkdir()
    (papers / "rooms.md").write_text("# Rooms\n\nRoom Maple can be booked for two hours.\n", encoding="utf-8")
    with Desk.open(home, desk="rooms") as desk:
        assert "two hours" in desk.ask("How long can room Maple be booked?", caller=REQUESTER).answer
        assert not desk.services.knowledge.search(REQUESTER, "return policy 7 days")
    (papers / "rooms.md").write_text("# Rooms\n\nRoom Maple can be booked for five hours.\n", encoding="utf-8")
    with Desk.open(home, desk="rooms") as desk:
        assert "five hours" in desk.ask("How long can room Maple be booked?", caller=REQUESTER).answer
