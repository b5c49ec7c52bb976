"""Real processes that add, killed and interrupted at any moment; and several that add and search at once."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from shelf import ACME, assert_whole, dump, folder_of, opened, with_meaning, write

from signoff.knowledge import sample_folder

WORK = """
import sys
from pathlib import Path
from signoff.clock import Clock
from signoff.embedding import packaged
from signoff.knowledge import Knowledge
path, doing, given, meaning = sys.argv[1:]
knowledge = Knowledge(Path(path), Clock(), encoder=packaged() if meaning else None, busy_timeout_s=60.0)
print("open", flush=True)
if doing == "add":
    print(knowledge.add(Path(given)), flush=True)
else:
    print(knowledge.reindex(), flush=True)
"""
DOCUMENTS = 40


def started(path: Path, doing: str, given: Path | str = "", *, meaning: bool = False) -> subprocess.Popen[str]:
    """A process that adds or reindexes, with the file open."""
    command = [sys.executable, "-c", WORK, str(path), doing, str(given), "yes" if meaning else ""]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None and process.stdout.readline() == "open\n"
    return process


def killed(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def count(path: Path, what: str = "document") -> int:
    with sqlite3.connect(path) as db, suppress(sqlite3.OperationalError):
        return int(db.execute(f"SELECT count(*) FROM {what}").fetchone()[0])
    return 0


def wait_for(path: Path, least: int, what: str, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while count(path, what) < least and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)


@pytest.mark.parametrize("meaning", [False, True], ids=["words", "vectors"])
def test_killed_again_and_again_the_file_is_whole_each_time_and_adding_goes_on(tmp_path: Path, meaning: bool) -> None:
    docs = folder_of(tmp_path / "docs", DOCUMENTS, parts=12)
    path, dice = tmp_path / "knowledge.db", random.Random(7)
    for _ in range(5):
        had = count(path)
        process = started(path, "add", docs, meaning=meaning)
        wait_for(path, had + dice.randrange(6), "document", process)
        time.sleep(dice.random() / 50)
        killed(process)
        assert_whole(path)
        knowledge = opened(path)
        held = knowledge.documents(ACME)
        assert len(held) == count(path) >= had and {d.passages for d in held} <= {12}
        if held:
            number = held[-1].title.split()[1]
            assert f"Document {number} " in knowledge.search(ACME, f"topic{number}x3", limit=1)[0].text
        knowledge.close()
    before = count(path)
    knowledge = with_meaning(path) if meaning else opened(path)
    report = knowledge.add(docs)
    assert (len(report.unchanged), len(report.added)) == (before, DOCUMENTS - before)
    assert knowledge.stats(ACME).counts.without_vectors == (0 if meaning else knowledge.stats(ACME).counts.chunks)
    knowledge.close()
    whole = opened(tmp_path / "other.db")
    whole.add(docs)
    whole.close()
    assert dump(path) == dump(tmp_path / "other.db")
    assert_whole(path)


def test_a_reindex_that_is_killed_leaves_a_file_that_is_searched_and_goes_on(tmp_path: Path) -> None:
    docs = folder_of(tmp_path / "docs", DOCUMENTS, parts=6)
    path = tmp_path / "knowledge.db"
    knowledge = opened(path)
    knowledge.add(docs)
    knowledge.close()
    for least in (1, 60):
        process = started(path, "reindex", meaning=True)
        wait_for(path, least, "vector", process)
        killed(process)
        assert_whole(path)
        knowledge = with_meaning(path)
        assert "Document 3 " in knowledge.search(ACME, "topic3x3", limit=1)[0].text
        knowledge.close()
    knowledge = with_meaning(path)
    left = knowledge.stats(ACME).counts.without_vectors
    assert 0 < left < DOCUMENTS * 6
    assert 0 < knowledge.reindex() < DOCUMENTS
    assert knowledge.stats(ACME).counts.without_vectors == 0 and knowledge.reindex() == 0
    knowledge.close()
    assert_whole(path)


def test_two_processes_that_add_one_folder_at_once_make_one_of_it(tmp_path: Path) -> None:
    docs = folder_of(tmp_path / "docs", DOCUMENTS)
    path = tmp_path / "knowledge.db"
    opened(path).close()
    both = [started(path, "add", docs) for _ in range(2)]
    assert [p.wait(120) for p in both] == [0, 0]
    for process in both:
        process.communicate()
    assert_whole(path)
    assert count(path) == DOCUMENTS
    knowledge = opened(path)
    assert len(knowledge.add(docs).unchanged) == DOCUMENTS
    knowledge.close()


def test_threads_search_and_add_at_once(tmp_path: Path) -> None:
    knowledge = opened(tmp_path / "knowledge.db", busy_timeout_s=60.0)
    knowledge.add(sample_folder())
    errors: list[BaseException] = []

    def work(n: int) -> None:
        try:
            for i in range(5):
                if n % 2:
                    path = write(tmp_path / f"docs{n}", f"{i}.md", f"# Parking {n}\n\nPlace {i}.\n", key=f"k{n}-{i}")
                    knowledge.add(path)
                else:
                    assert knowledge.search(ACME, "return policy")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert errors == []
    assert len([d for d in knowledge.documents(ACME) if d.key.startswith("k")]) == 15
    assert_whole(tmp_path / "knowledge.db")
    knowledge.close()
