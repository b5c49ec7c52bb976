import asyncio
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage
from langgraph.types import Command, interrupt
from small_graph import config, human, memory_saver, small_graph, told, visible

from signoff.checkpoints import history, open_saver
from signoff.errors import ConfigError, StoreError
from signoff.settings import Settings

KEY, OTHER_KEY = "0123456789abcdef", "fedcba9876543210"

WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from small_graph import config, human, small_graph
from signoff.checkpoints.sqlite import open_saver
from signoff.settings import Settings
graph = small_graph(open_saver(Settings(home=sys.argv[2])))
for n in range(10):
    graph.invoke({"messages": [human(f"order? {n}")]}, config(sys.argv[3]))
"""


def home(folder: Path, key: str | None = None, **options: object) -> Settings:
    return Settings(home=folder / "home", checkpoint_key=key, **options)


def test_a_thread_is_there_again_when_the_file_is_opened_again(tmp_path: Path) -> None:
    with open_saver(home(tmp_path)) as saver:
        graph = small_graph(saver)
        for n in range(12):
            graph.invoke({"messages": [human(f"order? {n}")]}, config())
        before = told(graph.get_state(config()))
    with open_saver(home(tmp_path)) as saver:
        assert told(small_graph(saver).get_state(config())) == before
        assert saver.conn.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert saver.conn.execute("PRAGMA synchronous").fetchone() == (1,)


def test_snapshots_share_their_blocks(tmp_path: Path) -> None:
    with open_saver(home(tmp_path)) as saver:
        graph = small_graph(saver)
        for n in range(40):
            graph.invoke({"messages": [human(f"order? {n}")]}, config())
    # Reopened half way: what another process decoded and encodes again has the same names.
    with open_saver(home(tmp_path)) as saver:
        graph = small_graph(saver)
        for n in range(40):
            graph.invoke({"messages": [human(f"order? {n}")]}, config())
        snapshots, named = saver.conn.execute("SELECT count(*), sum(length(digests)) / 16 FROM snapshots").fetchone()
        stored = saver.conn.execute("SELECT count(*) FROM blocks").fetchone()[0]
        assert named > 2 * stored
        assert stored <= 2 * snapshots + 12


def test_the_saver_can_be_used_while_its_list_is_read() -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        for _ in range(30):
            graph.invoke({"messages": [human("order?")]}, config())
        seen = []
        for found in saver.list(config()):
            again = saver.get_tuple(found.config)
            assert again is not None and again.checkpoint["id"] == found.checkpoint["id"]
            seen.append(found.checkpoint["id"])
        assert seen == sorted(seen, reverse=True) and len(seen) == len(set(seen)) == 30 * 5


@pytest.mark.parametrize(("limit", "found"), [(0, 0), (1, 1), (32, 32), (33, 33), (1000, 150)])
def test_a_list_has_as_many_as_were_asked_for(limit: int, found: int) -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        for _ in range(30):
            graph.invoke({"messages": [human("order?")]}, config())
        assert len(list(saver.list(config(), limit=limit))) == found


def test_copies_of_a_thread_are_all_listed_across_pages() -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        for _ in range(15):
            graph.invoke({"messages": [human("order?")]}, config())
        for n in range(3):
            saver.copy_thread("t", f"copy {n}")
        listed = [tuple(t.config["configurable"].values()) for t in saver.list(None)]
        assert len(listed) == len(set(listed)) == 4 * 15 * 5


def test_thread_ids_need_not_be_text() -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        graph.invoke({"messages": [human("hello")]}, config(7))
        assert len(list(saver.list(config(7)))) == 3
        saver.delete_thread(7)
        assert list(saver.list(config(7))) == []


def test_several_python_threads_use_one_saver(tmp_path: Path) -> None:
    with open_saver(home(tmp_path)) as saver, ThreadPoolExecutor(6) as pool:
        graph = small_graph(saver)

        def turns(thread: str) -> int:
            for n in range(8):
                graph.invoke({"messages": [human(f"order? {n}")]}, config(thread))
                list(saver.list(config(thread), limit=5))
            return len(graph.get_state(config(thread)).values["messages"])

        assert list(pool.map(turns, "abcdef")) == [8 * 4] * 6


def test_several_processes_use_one_file(tmp_path: Path) -> None:
    here = str(Path(__file__).parent)
    started = [
        subprocess.Popen([sys.executable, "-c", WRITER, here, str(tmp_path / "home"), thread]) for thread in "abc"
    ]
    assert [p.wait() for p in started] == [0, 0, 0]
    with open_saver(home(tmp_path)) as saver:
        for thread in "abc":
            assert len(small_graph(saver).get_state(config(thread)).values["messages"]) == 10 * 4


def test_a_thread_goes_on_after_its_process_was_killed(tmp_path: Path) -> None:
    here = str(Path(__file__).parent)
    command = [sys.executable, "-c", WRITER.replace("range(10)", "range(100_000)"), here, str(tmp_path / "home"), "t"]
    writer = subprocess.Popen(command)
    path = home(tmp_path).database("threads")
    while writer.poll() is None and not (path.exists() and path.stat().st_size > 200_000):
        time.sleep(0.01)
    writer.kill()
    assert writer.wait() < 0
    with open_saver(home(tmp_path)) as saver:
        assert saver.conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        graph = small_graph(saver)
        assert [s.checkpoint for s in history(graph, "t", limit=10_000)] == visible(saver)
        asked = human("hello")
        assert asked.id in [m.id for m in graph.invoke({"messages": [asked]}, config())["messages"]]


async def test_a_graph_on_the_saver_runs_on_an_event_loop_too(tmp_path: Path) -> None:
    with open_saver(home(tmp_path)) as saver:
        graph = small_graph(saver)
        await asyncio.gather(*(graph.ainvoke({"messages": [human("order?")]}, config(t)) for t in "abc"))
        found = [s async for s in graph.aget_state_history(config("a"))]
        assert [told(s) for s in found] == [told(s) for s in graph.get_state_history(config("a"))]


def test_a_stop_and_its_answer_survive_the_process(tmp_path: Path) -> None:
    def approving(state: dict) -> dict:
        return {"messages": [AIMessage(f"said {interrupt({'ask': 'sign?'})}", id="signed")]}

    def build(saver: object) -> object:
        from langgraph.graph import END, START, StateGraph
        from small_graph import Asked, Conversation

        builder = StateGraph(Conversation, input_schema=Asked)
        builder.add_node("approving", approving)
        builder.add_edge(START, "approving")
        builder.add_edge("approving", END)
        return builder.compile(checkpointer=saver)

    with open_saver(home(tmp_path, KEY)) as saver:
        stopped = build(saver).invoke({"messages": [human("refund")]}, config())
        assert stopped["__interrupt__"][0].value == {"ask": "sign?"}
    with open_saver(home(tmp_path, KEY)) as saver:
        done = build(saver).invoke(Command(resume="yes"), config())
        assert done["messages"][-1].content == "said yes"


def test_a_foreign_write_lock_is_told_in_a_sentence(tmp_path: Path) -> None:
    settings = home(tmp_path, busy_timeout_s=0.1)
    with open_saver(settings) as saver:
        graph = small_graph(saver)
        with closing(sqlite3.connect(settings.database("threads"), isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match=r"threads\.db is locked by another process"):
                graph.invoke({"messages": [human("hello")]}, config())
        assert len(graph.invoke({"messages": [human("hello")]}, config())["messages"]) == 2


def test_a_failed_write_leaves_no_part_of_itself(tmp_path: Path) -> None:
    with open_saver(home(tmp_path)) as saver:
        with pytest.raises(ZeroDivisionError), saver.cursor() as cur:
            cur.execute("INSERT INTO writes VALUES ('t', '', 'c', 'k', '', 0, 'x', 'null', '')")
            raise ZeroDivisionError
        assert saver.conn.execute("SELECT count(*) FROM writes").fetchone() == (0,)


@pytest.mark.parametrize("content", [b"not a database at all " * 100, b"SQLite format 3\0" + b"\1" * 4096])
def test_a_file_that_is_no_database_is_told_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    settings = home(tmp_path)
    settings.home.mkdir()
    settings.database("threads").write_bytes(content)
    with pytest.raises(StoreError, match=r"threads\.db is damaged or not a database|cannot be used"):
        open_saver(settings)


@pytest.mark.parametrize("version", [0, 99])
def test_a_file_of_another_version_is_left_alone(tmp_path: Path, version: int) -> None:
    settings = home(tmp_path)
    settings.home.mkdir()
    with closing(sqlite3.connect(settings.database("threads"))) as other:
        other.executescript(f"CREATE TABLE checkpoints (x); PRAGMA user_version = {version};")
    with pytest.raises(StoreError, match="another version"):
        open_saver(settings)
    with closing(sqlite3.connect(settings.database("threads"))) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("checkpoints",)]


def test_a_home_that_cannot_be_made_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    with pytest.raises(ConfigError, match="cannot be opened"):
        open_saver(home(tmp_path))


def test_a_closed_saver_says_so(tmp_path: Path) -> None:
    saver = open_saver(home(tmp_path))
    saver.close()
    with pytest.raises(StoreError, match="closed"):
        saver.get_tuple(config())


def test_a_thread_whose_blocks_are_gone_is_damaged_and_not_empty(tmp_path: Path) -> None:
    with open_saver(home(tmp_path)) as saver:
        graph = small_graph(saver)
        for _ in range(20):
            graph.invoke({"messages": [human("order?")]}, config())
        saver.conn.execute("DELETE FROM blocks")
        with pytest.raises(StoreError, match="Thread 't' is damaged"):
            graph.get_state(config())


def fill(settings: Settings) -> None:
    with open_saver(settings) as saver:
        graph = small_graph(saver)
        for n in range(20):
            graph.invoke({"messages": [human(f"order? the secret words {n}")]}, config())


def test_no_word_of_an_encrypted_thread_is_in_the_file(tmp_path: Path) -> None:
    fill(home(tmp_path, KEY))
    fill(home(tmp_path / "plain"))
    for folder, readable in ((tmp_path, False), (tmp_path / "plain", True)):
        files = b"".join(f.read_bytes() for f in (folder / "home").iterdir())
        assert (b"secret words" in files) is readable
    with open_saver(home(tmp_path, KEY)) as saver:
        assert "secret words 19" in str(small_graph(saver).get_state(config()).values["messages"][-4].content)


@pytest.mark.parametrize(
    ("made_with", "opened_with", "told"),
    [
        (KEY, None, "are encrypted: set SIGNOFF_CHECKPOINT_KEY"),
        (KEY, OTHER_KEY, "is not the key of"),
        (None, KEY, "are not encrypted and SIGNOFF_CHECKPOINT_KEY is set"),
    ],
)
def test_a_key_that_does_not_fit_the_file_is_told_in_a_sentence(
    tmp_path: Path, made_with: str | None, opened_with: str | None, told: str
) -> None:
    fill(home(tmp_path, made_with))
    with pytest.raises(ConfigError, match=told) as refused:
        open_saver(home(tmp_path, opened_with))
    assert KEY not in str(refused.value) and OTHER_KEY not in str(refused.value)
    with open_saver(home(tmp_path, made_with)) as saver:
        assert len(visible(saver)) == 100


def test_a_home_that_has_no_threads_yet_can_be_given_a_key(tmp_path: Path) -> None:
    open_saver(home(tmp_path)).close()
    fill(home(tmp_path, KEY))
    with pytest.raises(ConfigError):
        open_saver(home(tmp_path))


def test_a_plain_row_planted_in_an_encrypted_file_is_refused(tmp_path: Path) -> None:
    fill(home(tmp_path, KEY))
    with open_saver(home(tmp_path / "plain")) as plain:
        kind, blob = plain.serde.dumps_typed({"channel_values": {}})
    with open_saver(home(tmp_path, KEY)) as saver:
        saver.conn.execute("UPDATE checkpoints SET type = ?, checkpoint = ?", (kind, blob))
        with pytest.raises(StoreError, match="without encryption"):
            saver.get_tuple(config())


def test_encryption_without_its_extra_is_told_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "Crypto.Cipher", None)
    with pytest.raises(ConfigError, match=r"signoff\[encryption\]"):
        open_saver(home(tmp_path, KEY))
