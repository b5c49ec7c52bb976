"""A home is made once, whoever makes it, and is never mistaken for a new one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from people import REQUESTER
from sqlalchemy import text

from signoff import Desk, Settings
from signoff.errors import ConfigError, StoreError
from signoff.graph.home import init
from signoff.state import Status

ASK = (
    "from signoff import Caller, Desk; d = Desk.open(); "
    "print(d.ask('hello', caller=Caller('acme', 'u-17')).status.value, d.settings.clock.date())"
)


def test_processes_that_open_a_new_home_at_once_all_get_it(tmp_path: Path) -> None:
    runs = [
        subprocess.Popen([sys.executable, "-c", ASK], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    said = [run.communicate(timeout=120) for run in runs]
    assert [out.decode() for out, _ in said] == ["done 2026-10-31\n"] * 4, said


def test_a_home_whose_making_was_cut_short_is_made_again(tmp_path: Path) -> None:
    settings = Settings.load(home=tmp_path / "home")
    settings.home.mkdir()
    (settings.home / "settings.toml.part").touch()
    assert init(settings).created
    assert not init(settings).created


def test_a_home_that_lost_its_settings_is_not_filled_with_samples(home: Path) -> None:
    (home / "settings.toml").unlink()
    with pytest.raises(ConfigError, match=r"settings\.toml"):
        Desk.open(home)


def test_an_empty_home_has_no_samples_and_still_answers(tmp_path: Path) -> None:
    init(Settings.load(home=tmp_path / "home"), sample=False)
    with Desk.open(tmp_path / "home") as desk:
        assert desk.ask("hello", caller=REQUESTER).status is Status.DONE
        with desk.services.database.read() as tx:
            assert tx.execute(text("SELECT COUNT(*) FROM orders")).scalar() == 0


def test_a_database_of_a_newer_version_or_none_is_refused_in_a_sentence(
    home: Path, open_desk: Callable[..., Desk]
) -> None:
    with open_desk().services.database.write() as tx:
        tx.execute(text("PRAGMA user_version = 99"))
    with pytest.raises(StoreError, match="newer"):
        Desk.open(home)
    (home / "desk.db").write_bytes(b"this is not a database, however one looks at it" * 40)
    for wal in home.glob("desk.db-*"):
        wal.unlink()
    with pytest.raises(StoreError, match="not a database"):
        Desk.open(home)


def test_a_home_that_cannot_be_made_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="SIGNOFF_HOME"):
        Desk.open(tmp_path / "file" / "home")
