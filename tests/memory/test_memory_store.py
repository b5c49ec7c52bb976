"""The store under memory: whole transactions, several processes on one file, a file that is made half."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from langgraph.store.base import PutOp
from memories import ME, Person, one_person

from signoff.errors import StoreError
from signoff.memory.store import MemoryStore

person = pytest.fixture(one_person)
RUN = Path(__file__).with_name("memory_run.py")


def together(path: Path, *jobs: tuple[str, str, str]) -> None:
    """Run the jobs in processes that begin at the same moment."""
    running = [
        subprocess.Popen([sys.executable, RUN, path, *job], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for job in jobs
    ]
    for process in running:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        process.communicate(timeout=90)
        assert process.returncode == 0


def test_processes_that_begin_at_once_lose_none_of_each_others_facts(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    together(path, ("remember", "a", "15"), ("remember", "b", "15"))
    person = Person(path)
    try:
        assert sorted(f.text for f in person.memory.recall(ME, limit=100)) == sorted(
            f"shelf {name} row {n} is full" for name in "ab" for n in range(15)
        )
        assert len({f.order for f in person.memory.history(ME)}) == 30
    finally:
        person.memory.close()


def test_two_processes_that_change_one_preference_leave_one_current_and_the_rest_in_a_chain(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    together(path, ("prefer", "email,phone", "12"), ("prefer", "wechat,slack", "12"))
    person = Person(path)
    try:
        assert len(person.texts()) == 1
        facts = {f.id: f for f in person.memory.history(ME)}
        fact, seen = person.memory.recall(ME)[0], 1
        while fact.supersedes is not None:
            older = facts[fact.supersedes]
            assert older.superseded_by == fact.id
            fact, seen = older, seen + 1
        assert seen == len(facts)
    finally:
        person.memory.close()


@pytest.mark.parametrize("at", range(len(MemoryStore.MIGRATIONS)))
def test_a_kill_while_the_file_is_made_does_not_spoil_it(at: int, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    killed = subprocess.run([sys.executable, RUN, path, "setup", str(at)], timeout=60, check=False)
    assert killed.returncode == -signal.SIGKILL
    person = Person(path)
    person.says("I prefer email")
    assert person.texts() == ["I prefer email"]
    person.memory.close()


def test_a_transaction_happens_whole_or_not_at_all(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "memory.db")
    place = ("memory", "acme", "u-17")
    store.put(place, "a", {"n": 1})
    with pytest.raises(RuntimeError), store.transaction():
        store.put(place, "b", {"n": 2})
        store.delete(place, "a")
        raise RuntimeError
    assert {i.key for i in store.search(place)} == {"a"}
    with pytest.raises(TypeError):
        # The parent deletes, fails to write, and commits.
        store.batch([PutOp(place, "a", None), PutOp(place, "b", {"n": object()})])
    assert {i.key for i in store.search(place)} == {"a"}
    store.put(place, "c", {"n": 3})
    assert {i.key for i in store.search(place)} == {"a", "c"}
    store.close()


def test_a_lock_held_too_long_is_told_in_one_sentence_and_wedges_nothing(tmp_path: Path) -> None:
    store = MemoryStore(tmp_path / "memory.db", busy_timeout_s=0.1)
    place = ("memory", "acme", "u-17")
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"memory\.db is locked by another process"):
            store.put(place, "a", {"n": 1})
        other.execute("ROLLBACK")
    store.put(place, "a", {"n": 1})
    assert store.get(place, "a") is not None
    store.close()


def test_a_file_that_is_no_database_is_told_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(b"not a database, but long enough to be looked at " * 50)
    with pytest.raises(StoreError, match="not a database that Signoff can read"):
        MemoryStore(path)


def test_the_file_is_one_that_langgraphs_own_store_reads(person: Person) -> None:
    from langgraph.store.sqlite import SqliteStore

    person.says("I prefer email")
    with SqliteStore.from_conn_string(str(person.path)) as store:
        assert [i.value["text"] for i in store.search(("memory", "acme"))] == ["I prefer email"]
