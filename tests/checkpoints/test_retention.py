from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.base import BaseCheckpointSaver
from small_graph import STEPS, config, grow, human, memory_saver, small_graph, told, visible

from signoff.checkpoints import history, open_saver
from signoff.errors import UsageError
from signoff.settings import Settings


@settings(max_examples=25, deadline=None)
@given(STEPS, st.integers(1, 6))
def test_after_pruning_every_checkpoint_that_is_left_reads_as_before_and_the_thread_goes_on(
    steps: list, keep: int
) -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        grow(graph, steps)
        ids = visible(saver)
        before = {c: told(graph.get_state(config(checkpoint=c))) for c in ids}
        newest = told(graph.get_state(config()))

        gone = saver.prune_thread("t", keep=keep)

        assert visible(saver) == ids[:keep]
        assert gone == len(ids[keep:])
        assert {c: told(graph.get_state(config(checkpoint=c))) for c in ids[:keep]} == {
            c: before[c] for c in ids[:keep]
        }
        assert told(graph.get_state(config())) == newest
        assert [s.checkpoint for s in history(graph, "t", limit=100)] == ids[:keep]
        assert all(saver.get_tuple(config(checkpoint=c)) is None for c in ids[keep:])
        known = [m["id"] for m in newest[0]["messages"]]
        asked = human("order?")
        after = graph.invoke({"messages": [asked]}, config())
        said = [m.id for m in after["messages"]]
        assert said[: len(known)] == known and asked.id in said


@settings(max_examples=20, deadline=None)
@given(STEPS)
def test_the_fast_walk_finds_what_langgraphs_own_walk_over_the_checkpoints_finds(steps: list) -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        grow(graph, [s for s in steps if s[0] != "prune"])
        for checkpoint in visible(saver):
            at = config(checkpoint=checkpoint)
            asked = {"config": at, "channels": ["messages", "evidence", "log"]}
            assert saver.get_delta_channel_history(**asked) == BaseCheckpointSaver.get_delta_channel_history(
                saver, **asked
            )


def test_pruning_frees_what_only_the_removed_checkpoints_used(tmp_path: Path) -> None:
    with open_saver(Settings(home=tmp_path)) as saver:
        graph = small_graph(saver)
        for n in range(60):
            graph.invoke({"messages": [human(f"order? {n} " + "long " * 200)]}, config())
        record = told(graph.get_state(config()))
        saver.prune(["t"], keep=3)
        before, after = saver.compact()
        assert after < before / 2
        assert told(graph.get_state(config())) == record
        bare = {row[0] for row in saver.conn.execute("SELECT checkpoint_id FROM checkpoints WHERE bare = 1")}
        written = saver.conn.execute("SELECT checkpoint_id, channel FROM writes").fetchall()
        assert bare and {channel for checkpoint, channel in written if checkpoint in bare} <= {"messages", "log"}
        held = saver.conn.execute("SELECT sum(length(digests)) / 16 FROM snapshots").fetchone()[0]
        blocks = saver.conn.execute("SELECT count(*) FROM blocks").fetchone()[0]
        assert 0 < blocks <= held


def test_pruning_again_lets_go_of_ancestors_that_nothing_needs_any_more() -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        for _ in range(4):
            graph.invoke({"messages": [human("hello")]}, config())
        saver.prune(["t"], keep=2)
        bare = {row[0] for row in saver.conn.execute("SELECT checkpoint_id FROM checkpoints WHERE bare = 1")}
        for _ in range(8):
            graph.invoke({"messages": [human("order?")]}, config())
        saver.prune(["t"], keep=2)
        left = {row[0] for row in saver.conn.execute("SELECT checkpoint_id FROM checkpoints WHERE bare = 1")}
        # `log` is never snapshotted here, so its ancestors stay; the messages' writes on them do not.
        query = "SELECT checkpoint_id FROM writes WHERE channel = 'messages'"
        of_messages = {row[0] for row in saver.conn.execute(query)}
        assert bare and bare <= left and bare.isdisjoint(of_messages)


def test_deleting_a_thread_leaves_nothing_of_it_and_all_of_the_others(tmp_path: Path) -> None:
    with open_saver(Settings(home=tmp_path)) as saver:
        graph = small_graph(saver)
        for thread in ("gone", "kept"):
            for n in range(30):
                graph.invoke({"messages": [human(f"order? {n}")]}, config(thread))
        kept = told(graph.get_state(config("kept")))
        saver.delete_thread("gone")
        for table in ("checkpoints", "writes", "snapshots", "blocks"):
            assert saver.conn.execute(f"SELECT count(*) FROM {table} WHERE thread_id = 'gone'").fetchone() == (0,)
            assert saver.conn.execute(f"SELECT count(*) FROM {table} WHERE thread_id = 'kept'").fetchone() > (0,)
        assert told(graph.get_state(config("kept"))) == kept


def test_a_copy_reads_like_its_source_and_goes_its_own_way() -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        for _ in range(15):
            graph.invoke({"messages": [human("order?")]}, config("source"))
        source = told(graph.get_state(config("source")))
        saver.copy_thread("source", "copy")
        assert told(graph.get_state(config("copy"))) == source
        graph.invoke({"messages": [human("hello")]}, config("copy"))
        assert told(graph.get_state(config("source"))) == source
        with pytest.raises(UsageError, match="exists"):
            saver.copy_thread("source", "copy")


@pytest.mark.parametrize("wrong", [{"keep": 0}, {"strategy": "newest"}])
def test_pruning_refuses_what_it_does_not_know(wrong: dict) -> None:
    with memory_saver() as saver, pytest.raises(UsageError):
        saver.prune(["t"], **wrong)
