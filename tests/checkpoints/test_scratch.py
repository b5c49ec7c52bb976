from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_graph import STEPS, config, grow, human, memory_saver, small_graph, told, visible

from signoff.checkpoints import open_saver, scratch
from signoff.errors import NotFound
from signoff.settings import Settings


@settings(max_examples=25, deadline=None)
@given(STEPS, st.integers(0, 40))
def test_a_copy_stands_at_its_checkpoint_and_what_is_done_to_it_stays_in_it(steps: list, which: int) -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        grow(graph, steps)
        ids = visible(saver)
        at = ids[which % len(ids)]
        there = told(graph.get_state(config(checkpoint=at)))
        rows = saver.conn.execute("SELECT * FROM checkpoints").fetchall()
        with scratch(saver, "t", at) as copy:
            replay = small_graph(copy)
            assert told(replay.get_state(config())) == there
            assert visible(copy)[0] == at and set(visible(copy)) <= set(ids)
            replay.invoke({"messages": [human("order?")]}, config())
            replay.checkpointer.delete_thread("t")
        assert saver.conn.execute("SELECT * FROM checkpoints").fetchall() == rows


def test_a_replay_runs_what_ran_then(tmp_path: Path) -> None:
    with open_saver(Settings(home=tmp_path, checkpoint_key="0123456789abcdef")) as saver:
        graph = small_graph(saver)
        for _ in range(20):
            graph.invoke({"messages": [human("order?")]}, config())
        before = [s for s in graph.get_state_history(config()) if s.next == ("tools",)][3]
        at = before.config["configurable"]["checkpoint_id"]
        known = len(before.values["messages"])
        with scratch(saver, "t", at) as copy:
            replayed = small_graph(copy).invoke(None, config())
        assert [m.type for m in replayed["messages"][known:]] == ["tool", "ai"]
        assert len(graph.get_state(config()).values["messages"]) == 80


def test_other_threads_are_not_copied() -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        graph.invoke({"messages": [human("hello")]}, config())
        graph.invoke({"messages": [human("hello")]}, config("other"))
        with scratch(saver, "t", visible(saver)[0]) as copy:
            assert visible(copy, "other") == []


@pytest.mark.parametrize(("thread", "checkpoint"), [("t", "1f000000-0000-6000-8000-000000000000"), ("other", None)])
def test_a_checkpoint_that_is_not_the_threads_is_not_found(thread: str, checkpoint: str | None) -> None:
    with memory_saver() as saver:
        small_graph(saver).invoke({"messages": [human("hello")]}, config())
        with pytest.raises(NotFound, match="has no checkpoint"):
            scratch(saver, thread, checkpoint or visible(saver)[0])
