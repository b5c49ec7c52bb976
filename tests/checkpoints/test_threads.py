from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest

from signoff.caller import Caller
from signoff.checkpoints import Threads
from signoff.clock import Clock
from signoff.errors import NotFound, UsageError
from signoff.records.database import Database
from signoff.state import Status

ME = Caller("acme", "u-17", frozenset({"hr", "agent"}), "zh")
COLLEAGUE = Caller("acme", "u-42")
NAMESAKE = Caller("globex", "u-17")


@pytest.fixture
def threads(tmp_path: Path) -> Threads:
    # Business time stands still, as in the sample home: the order of threads must not depend on it.
    clock = Clock(fixed=datetime.fromisoformat("2026-10-31T10:00:00+08:00"))
    return Threads(Database(tmp_path / "desk.db"), clock)


def test_the_first_to_register_a_thread_owns_it(threads: Threads) -> None:
    assert threads.register("t", ME, "service", "1", "订单 A1003\n到了吗?") == ME
    assert threads.register("t", COLLEAGUE, "weekly", "2", "mine now") == ME
    found = threads.get("t", ME)
    assert (found.owner, found.desk, found.graph_version, found.title) == (ME, "service", "1", "订单 A1003 到了吗?")
    assert (found.status, found.created) == (Status.RUNNING, found.updated)
    assert threads.owner("t") == ME and threads.owner("unknown") is None


def test_of_many_who_register_a_thread_at_once_one_owns_it(threads: Threads) -> None:
    callers = [Caller("acme", f"u-{n}") for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        owners = set(pool.map(lambda c: threads.register("t", c, "service", "1", ""), callers))
    assert owners == {threads.owner("t")}


@pytest.mark.parametrize("other", [COLLEAGUE, NAMESAKE])
def test_somebody_elses_thread_is_not_found_in_the_words_for_one_that_is_not_there(
    threads: Threads, other: Caller
) -> None:
    threads.register("t", ME, "service", "1", "")
    with pytest.raises(NotFound) as others:
        threads.get("t", other)
    with pytest.raises(NotFound) as none:
        threads.get("u", other)
    assert str(others.value).replace("'t'", "'u'") == str(none.value)
    assert list(threads.list(other)) == []


def test_a_list_has_the_callers_own_threads_the_last_used_first(threads: Threads) -> None:
    for name in "abc":
        threads.register(name, ME, "service", "1", name)
    threads.register("x", COLLEAGUE, "service", "1", "x")
    threads.touch("a", status=Status.WAITING)
    threads.touch("b", status="done", version="2", title="second")
    assert [t.id for t in threads.list(ME)] == ["b", "a", "c"]
    assert [t.id for t in threads.list(ME, 1)] == ["b"]
    assert [t.id for t in threads.list(ME, status="waiting")] == ["a"]
    found = threads.get("b", ME)
    assert (found.status, found.graph_version, found.title) == (Status.DONE, "2", "second")
    assert found.created < found.updated
    # Another role or language is not another person.
    assert threads.get("b", Caller("acme", "u-17")).owner == ME


def test_a_deleted_thread_is_gone_and_its_name_is_free(threads: Threads) -> None:
    threads.register("t", ME, "service", "1", "")
    threads.delete("t")
    threads.delete("t")
    with pytest.raises(NotFound):
        threads.get("t", ME)
    assert threads.register("t", COLLEAGUE, "service", "1", "") == COLLEAGUE


@pytest.mark.parametrize("name", ["", "x" * 257, "a\nb", "a\x1b[31m"])
def test_a_thread_name_that_cannot_be_shown_is_refused(threads: Threads, name: str) -> None:
    with pytest.raises(UsageError, match="printable"):
        threads.register(name, ME, "service", "1", "")


def test_wrong_calls_are_told_in_a_sentence(threads: Threads) -> None:
    with pytest.raises(NotFound, match="no thread 'nowhere'"):
        threads.touch("nowhere", status="done")
    threads.register("t", ME, "service", "1", "x" * 500)
    assert len(threads.get("t", ME).title) == 120
    with pytest.raises(UsageError, match="'finished' is not a status: use one of running"):
        threads.touch("t", status="finished")
    with pytest.raises(UsageError, match="at least 1"):
        threads.list(ME, 0)
