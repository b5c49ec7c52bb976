import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.checkpoints import ThreadLocks
from signoff.errors import ConfigError, ThreadBusy

HOLDER = """
import sys, time
from pathlib import Path
from signoff.checkpoints.locks import ThreadLocks
with ThreadLocks(Path(sys.argv[1]), 5.0).hold(sys.argv[2]):
    print("held", flush=True)
    sys.stdin.readline()
print("freed", flush=True)
"""

COUNTER = """
import sys
from pathlib import Path
from signoff.checkpoints.locks import ThreadLocks
locks, count = ThreadLocks(Path(sys.argv[1]), 60.0), Path(sys.argv[2])
for _ in range(25):
    with locks.hold("t"):
        count.write_text(str(int(count.read_text()) + 1))
"""


def run(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_second_turn_gets_one_clear_sentence_after_its_wait(tmp_path: Path) -> None:
    locks = ThreadLocks(tmp_path, 0.05)
    with locks.hold("t"), ThreadPoolExecutor(1) as other:

        def second() -> None:
            with locks.hold("t"):
                raise AssertionError("both turns ran")

        with pytest.raises(ThreadBusy, match=r"Another turn is running on thread 't' .* 0.05 s: wait"):
            other.submit(second).result()


def test_a_second_turn_that_waits_long_enough_runs_after_the_first(tmp_path: Path) -> None:
    locks, order = ThreadLocks(tmp_path, 30.0), []
    started = threading.Event()

    def second() -> None:
        started.set()
        with locks.hold("t"):
            order.append("second")

    with ThreadPoolExecutor(1) as other:
        with locks.hold("t"):
            done = other.submit(second)
            started.wait()
            order.append("first")
        done.result()
    assert order == ["first", "second"]


def test_turns_on_different_threads_do_not_wait_for_each_other(tmp_path: Path) -> None:
    locks = ThreadLocks(tmp_path, 0.0)
    with locks.hold("a"), ThreadPoolExecutor(1) as other:
        assert other.submit(lambda: locks.hold("b").__enter__()).result() is None


def test_holding_again_in_the_same_context_passes_and_frees_at_the_end(tmp_path: Path) -> None:
    locks, same_folder = ThreadLocks(tmp_path, 0.0), ThreadLocks(tmp_path / ".." / tmp_path.name, 0.0)
    with locks.hold("t"):
        with locks.hold("t"), same_folder.hold("t"):
            pass
        with ThreadPoolExecutor(1) as other, pytest.raises(ThreadBusy):
            other.submit(locks.hold("t").__enter__).result()
    with ThreadPoolExecutor(1) as other:
        other.submit(locks.hold("t").__enter__).result()


def test_a_worker_in_a_copy_of_the_holders_context_keeps_the_lock_until_it_has_left(tmp_path: Path) -> None:
    locks = ThreadLocks(tmp_path, 0.05)
    entered, leave = threading.Event(), threading.Event()

    def work() -> None:
        with locks.hold("t"):
            entered.set()
            leave.wait()

    with ThreadPoolExecutor(2) as workers:
        with locks.hold("t"):
            working = workers.submit(copy_context().run, work)
            entered.wait()
        with pytest.raises(ThreadBusy):
            workers.submit(locks.hold("t").__enter__).result()
        leave.set()
        working.result()
        with locks.hold("t"):
            pass


def test_a_context_that_outlives_its_turn_does_not_pass_for_the_next_one(tmp_path: Path) -> None:
    locks = ThreadLocks(tmp_path, 0.05)
    with locks.hold("t"):
        late = copy_context()
    next_turn = locks.hold("t")
    with ThreadPoolExecutor(1) as other:
        other.submit(next_turn.__enter__).result()
        with pytest.raises(ThreadBusy):
            late.run(locks.hold("t").__enter__)
        other.submit(next_turn.__exit__, None, None, None).result()


def test_a_stream_holds_its_thread_to_its_end_and_the_reader_is_not_its_holder(tmp_path: Path) -> None:
    locks = ThreadLocks(tmp_path, 0.0)

    def items():  # type: ignore[no-untyped-def]
        with locks.hold("t"):
            yield from (1, 2, 3)

    stream = locks.iterate("t", items)
    assert next(stream) == 1
    with pytest.raises(ThreadBusy):
        locks.hold("t").__enter__()
    assert list(stream) == [2, 3]
    with locks.hold("t"):
        pass


@pytest.mark.parametrize("ending", ["closed", "failed"])
def test_a_stream_that_ends_early_frees_its_thread(tmp_path: Path, ending: str) -> None:
    locks = ThreadLocks(tmp_path, 0.0)

    def items():  # type: ignore[no-untyped-def]
        yield 1
        raise ValueError("the graph failed")

    stream = locks.iterate("t", items)
    next(stream)
    if ending == "closed":
        # As a server does when a reader goes away: from another Python thread.
        with ThreadPoolExecutor(1) as other:
            other.submit(stream.close).result()
    else:
        with pytest.raises(ValueError, match="the graph failed"):
            next(stream)
    with locks.hold("t"):
        pass


def test_another_process_is_kept_off_and_let_in_when_the_first_has_ended(tmp_path: Path) -> None:
    holder = run(HOLDER, tmp_path, "t")
    assert line(holder) == "held"
    with pytest.raises(ThreadBusy):
        ThreadLocks(tmp_path, 0.05).hold("t").__enter__()
    holder.communicate("\n")
    with ThreadLocks(tmp_path, 0.0).hold("t"):
        pass


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    holder = run(HOLDER, tmp_path, "t")
    assert line(holder) == "held"
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    with ThreadLocks(tmp_path, 0.0).hold("t"):
        pass


def test_no_count_is_lost_between_processes_and_threads(tmp_path: Path) -> None:
    count = tmp_path / "count"
    count.write_text("0")
    processes = [run(COUNTER, tmp_path / "locks", count) for _ in range(2)]
    locks = ThreadLocks(tmp_path / "locks", 60.0)

    def add() -> None:
        for _ in range(25):
            with locks.hold("t"):
                count.write_text(str(int(count.read_text()) + 1))

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(add), threads.submit(add)]:
            done.result()
    assert [p.wait() for p in processes] == [0, 0]
    assert count.read_text() == str(4 * 25)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_neither_holds_nor_frees_its_parents_lock(tmp_path: Path) -> None:
    locks = ThreadLocks(tmp_path, 0.05)
    code = f"""
import os, sys
from pathlib import Path
from signoff.checkpoints.locks import ThreadLocks
from signoff.errors import ThreadBusy
locks = ThreadLocks(Path({str(tmp_path)!r}), 0.05)
with locks.hold("t"):
    child = os.fork()
    if child == 0:
        try:
            with locks.hold("t"):
                os._exit(1)
        except ThreadBusy:
            sys.exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    print("held", flush=True)
    sys.stdin.readline()
"""
    parent = run(code)
    assert line(parent) == "held"
    with pytest.raises(ThreadBusy):
        locks.hold("t").__enter__()
    parent.communicate("\n")
    assert parent.returncode == 0


@settings(max_examples=50)
@given(st.lists(st.text(max_size=300), min_size=2, max_size=2, unique=True))
def test_any_thread_name_has_a_lock_file_of_its_own_inside_the_folder(names: list[str]) -> None:
    locks = ThreadLocks(Path("locks"), 0.0)
    paths = [Path(locks.path(name)) for name in names]
    assert paths[0] != paths[1]
    assert all(p.parent == Path("locks").resolve() and len(p.name) < 100 and p.name.isascii() for p in paths)


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "a\x00b", "线程 1", "", "." * 300, "\ud800"])
def test_odd_thread_names_can_be_held_and_leave_nothing_behind(tmp_path: Path, name: str) -> None:
    locks = ThreadLocks(tmp_path / "locks", 0.0)
    with locks.hold(name):
        assert len(list((tmp_path / "locks").iterdir())) == 1
    assert list((tmp_path / "locks").iterdir()) == []


def test_forgetting_a_thread_removes_what_a_killed_process_left(tmp_path: Path) -> None:
    locks = ThreadLocks(tmp_path, 0.0)
    Path(locks.path("t")).touch()
    locks.forget("t")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_used_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="cannot be locked"):
        ThreadLocks(tmp_path / "file" / "locks", 0.0).hold("t").__enter__()
