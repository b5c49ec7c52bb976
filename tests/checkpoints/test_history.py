import pytest
from hypothesis import given, settings
from langchain_core.messages import RemoveMessage
from small_graph import STEPS, config, grow, human, memory_saver, small_graph, visible

from signoff.checkpoints import diff, history
from signoff.errors import NotFound, UsageError


@settings(max_examples=25, deadline=None)
@given(STEPS)
def test_history_says_of_every_step_what_langgraphs_own_history_says(steps: list) -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        grow(graph, steps)
        told = history(graph, "t", limit=1000)
        states = list(graph.get_state_history(config()))
        record = {s.config["configurable"]["checkpoint_id"]: s.values.get("messages", []) for s in states}
        assert [t.checkpoint for t in told] == list(record)
        for step, state in zip(told, states, strict=True):
            parent = (state.parent_config or {}).get("configurable", {}).get("checkpoint_id")
            assert (step.parent, step.next, step.created) == (parent, state.next, state.created_at)
            assert (step.step, step.source) == (state.metadata["step"], state.metadata["source"])
            if parent is not None and parent not in record:
                assert (step.added, step.removed) == ((), 0)
            else:
                before = {m.id for m in record.get(parent, [])}
                after = [m.id for m in state.values.get("messages", [])]
                assert [line.id for line in step.added] == [i for i in after if i not in before]
                assert step.removed == len(before.difference(after))


def test_pages_follow_each_other_without_a_gap() -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        for _ in range(6):
            graph.invoke({"messages": [human("order?")]}, config())
        pages, before = [], None
        while page := history(graph, "t", limit=4, before=before):
            pages += page
            before = page[-1].checkpoint
        assert pages == history(graph, "t", limit=1000)
        assert [s.checkpoint for s in pages] == visible(saver)


def test_a_step_names_what_changed_and_who_spoke() -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        graph.invoke({"messages": [human("order A1003, 它到了吗?")]}, config())
        answer, results, call, asked, _ = history(graph, "t")
        assert [line.text for line in asked.added] == ["order A1003, 它到了吗?"] and asked.next == ("agent",)
        assert call.added[0].calls == ('query_order({"order_id": "A1003"})',)
        assert call.changed == ("evidence", "messages") and call.next == ("tools",)
        assert (results.added[0].type, results.changed) == ("tool", ("count", "messages"))
        assert (answer.added[0].type, answer.next) == ("ai", ())


def test_a_step_that_takes_a_message_out_says_so() -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        graph.invoke({"messages": [human("hello")]}, config())
        first = graph.get_state(config()).values["messages"][0]
        graph.update_state(config(), {"messages": [RemoveMessage(first.id)]}, as_node="agent")
        step = history(graph, "t", limit=1)[0]
        assert (step.source, step.added, step.removed) == ("update", (), 1)


def test_the_history_of_what_is_not_there_is_refused() -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        with pytest.raises(NotFound, match="no history"):
            history(graph, "unknown")
        graph.invoke({"messages": [human("hello")]}, config())
        with pytest.raises(NotFound, match="no checkpoint 'x'"):
            history(graph, "t", before="x")
        with pytest.raises(UsageError):
            history(graph, "t", limit=0)


def test_a_diff_names_messages_and_values_that_differ_by_their_path() -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        graph.invoke({"messages": [human("hello")]}, config())
        first = visible(saver)[0]
        graph.invoke({"messages": [human("order?")]}, config())
        last = visible(saver)[0]
        found = diff(graph, "t", first, last)
        assert [m.type for m in found.added] == ["human", "ai", "tool", "ai"] and not found.removed
        assert {c.path: (c.before, c.after) for c in found.changes} == {
            "count": (None, 1),
            "evidence": ([], ["order?"]),
            "log": (["answered"], ["answered", "answered"]),
        }
        assert "~ count: — → 1" in found.lines() and "+ human: order?" in found.lines()
        back = diff(graph, "t", last, first)
        assert back.removed == found.added and not back.added
        assert not diff(graph, "t", last, last) and diff(graph, "t", last, last).lines() == []


def test_a_diff_shows_a_message_that_was_reworded_once() -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        asked = human("helo")
        graph.invoke({"messages": [asked]}, config())
        first = visible(saver)[0]
        graph.update_state(config(), {"messages": [asked.model_copy(update={"content": "hello"})]}, as_node="agent")
        found = diff(graph, "t", first, visible(saver)[0])
        assert [(a.text, b.text) for a, b in found.reworded] == [("helo", "hello")]
        assert not found.added and not found.removed


def test_a_diff_with_an_unknown_checkpoint_is_refused() -> None:
    with memory_saver() as saver:
        graph = small_graph(saver)
        graph.invoke({"messages": [human("hello")]}, config())
        with pytest.raises(NotFound, match="no checkpoint"):
            diff(graph, "t", visible(saver)[0], "1f000000-0000-6000-8000-000000000000")
