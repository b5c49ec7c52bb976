from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    AnyMessage,
    HumanMessage,
    RemoveMessage,
    ToolMessage,
    convert_to_messages,
)
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages

from signoff.state import call_ids, open_calls, reduce_messages

IDS = st.sampled_from("abcdef")
CALLS = st.sampled_from(["c1", "c2", "c3", "c4"])
TEXTS = st.sampled_from(["hello", "你好", "", "\ud800"])


def call(i: str) -> dict[str, Any]:
    return {"name": "query_order", "args": {"order_id": "A1"}, "id": i}


def ai(id: str | None, *calls: str) -> AIMessage:
    return AIMessage("", id=id, tool_calls=[call(c) for c in calls])


def tool(id: str | None, answers: str, text: str = "") -> ToolMessage:
    return ToolMessage(text, tool_call_id=answers, id=id)


MESSAGES = st.one_of(
    st.builds(lambda i, t: HumanMessage(t, id=i), IDS | st.none(), TEXTS),
    st.builds(lambda i, calls: ai(i, *calls), IDS, st.lists(CALLS, max_size=3)),
    st.builds(tool, IDS | st.sampled_from([f"t{n}" for n in range(8)]), CALLS, TEXTS),
    (IDS | st.just("unknown")).map(lambda i: RemoveMessage(i)),
)
FORMS = st.one_of(
    TEXTS,
    st.tuples(st.sampled_from(["user", "ai"]), TEXTS),
    st.fixed_dictionaries({"role": st.just("user"), "content": TEXTS}),
)
WRITES = st.lists(
    st.one_of(
        st.lists(MESSAGES | FORMS, max_size=5),
        MESSAGES,
        FORMS,
        st.just([RemoveMessage(REMOVE_ALL_MESSAGES)]),
    ),
    max_size=10,
)


def told(messages: Any) -> Any:
    return [(type(m), m.model_dump()) for m in messages]


def one_by_one(record: list[AnyMessage], write: Any) -> list[AnyMessage]:
    """The plainest form of the rules, without a fast way: message by message, and all answers placed anew."""
    added = convert_to_messages(write if isinstance(write, list) else [write])
    for m in added:
        if isinstance(m, RemoveMessage):
            record = [] if m.id == REMOVE_ALL_MESSAGES else [r for r in record if r.id != m.id]
        elif any(r.id == m.id for r in record):
            record = [m if r.id == m.id else r for r in record]
        else:
            record = [*record, m]
    answers = {m.tool_call_id: m for m in record if isinstance(m, ToolMessage)}
    placed: list[AnyMessage] = []
    for m in record:
        if not isinstance(m, ToolMessage):
            placed.append(m)
            placed += [answers.pop(c) for c in (call_ids(m) if isinstance(m, AIMessage) else ()) if c in answers]
    return placed


@given(WRITES, st.data())
def test_how_writes_are_batched_makes_no_difference(writes: list, data: st.DataObject) -> None:
    whole = reduce_messages([], writes)
    record: list[AnyMessage] = []
    rest = list(writes)
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        record, rest = reduce_messages(record, rest[:size]), rest[size:]
    assert told(record) == told(whole) == told(reduce_messages([], writes))


@settings(max_examples=300)
@given(st.lists(st.lists(MESSAGES.filter(lambda m: m.id), max_size=4), max_size=12))
def test_the_fast_way_gives_what_the_plain_rules_give(writes: list) -> None:
    # A message that is removed and put again in one write keeps its place, as with `add_messages`.
    writes = [w for w in writes if len({m.id for m in w}) == len(w)]
    record: list[AnyMessage] = []
    for n, write in enumerate(writes):
        record = one_by_one(record, write)
        assert told(reduce_messages([], writes[: n + 1])) == told(record)


@given(st.lists(st.lists(st.builds(lambda i, t: HumanMessage(t, id=i), IDS, TEXTS), max_size=4), max_size=8))
def test_without_calls_it_is_add_messages(writes: list) -> None:
    record: Any = []
    for write in writes:
        record = add_messages(record, write)
    assert told(reduce_messages([], writes)) == told(record)


@given(WRITES)
def test_every_answer_stands_behind_its_call_in_the_order_of_the_calls(writes: list) -> None:
    record = reduce_messages([], [*writes, [tool("last", "c1")]])
    answered: set[str] = set()
    waiting: list[str] = []
    for m in record:
        if isinstance(m, ToolMessage):
            assert m.tool_call_id in waiting and m.tool_call_id not in answered
            waiting = waiting[waiting.index(m.tool_call_id) + 1 :]
            answered.add(m.tool_call_id)
        else:
            waiting = call_ids(m) if isinstance(m, AIMessage) else []


@given(WRITES)
def test_every_message_has_one_id_and_the_writes_are_left_as_they_were(writes: list) -> None:
    before = repr(writes)
    record = reduce_messages([], writes)
    ids = [m.id for m in record]
    assert all(ids) and len(set(ids)) == len(ids)
    assert repr(writes) == before


@given(WRITES, WRITES)
def test_the_record_that_is_added_to_is_left_as_it_was(first: list, second: list) -> None:
    record = reduce_messages([], first)
    before = told(record)
    reduce_messages(record, second)
    assert told(record) == before


@pytest.mark.parametrize(
    ("writes", "types"),
    [
        ([[tool("t", "c1")], [ai("a", "c1")]], "ai"),
        ([[ai("a", "c1"), HumanMessage("x", id="h")], [tool("t", "c1")]], "ai tool human"),
        ([[ai("a", "c1", "c2")], [tool("t2", "c2")], [tool("t1", "c1")]], "ai tool tool"),
        ([[tool("t", "c1"), ai("a", "c1")]], "ai tool"),
        ([[ai("a", "c1")], [tool("t1", "c1"), tool("t2", "c1")]], "ai tool"),
        (
            [[ai("z", "c0"), tool("t0", "c0")], [ai("a", "c1")], [ai("b", "c1")], [tool("t", "c1")]],
            "ai tool ai tool ai",
        ),
        ([[ai("a", "c1")], [tool("t", "c1")], [RemoveMessage("a")]], ""),
        ([[ai("a", "c1")], [RemoveMessage("unknown")]], "ai"),
        ([[RemoveMessage("b"), HumanMessage("x", id="b")]], "human"),
        ([[HumanMessage("x", id="h")], [RemoveMessage(REMOVE_ALL_MESSAGES), RemoveMessage("h"), ai("a")]], "ai"),
        ([AIMessageChunk("x", id="a")], "ai"),
        (["hi", ("ai", "hello"), {"role": "user", "content": "x"}], "human ai human"),
        ([[("user", "hi"), ("user", "hi")], "hi"], "human human human"),
    ],
)
def test_what_becomes_of_writes(writes: list, types: str) -> None:
    assert " ".join(m.type for m in reduce_messages(None, writes)) == types


@pytest.mark.parametrize("writes", [[[tool("t2", "c2"), tool("t1", "c1")]], [[tool("t2", "c2")], [tool("t1", "c1")]]])
def test_answers_stand_in_the_order_of_the_calls_whichever_came_first(writes: list) -> None:
    assert [m.id for m in reduce_messages([], [[ai("a", "c1", "c2")], *writes])] == ["a", "t1", "t2"]


def test_the_later_of_two_answers_stands_also_when_it_is_taken_out() -> None:
    writes = [[ai("a", "c1")], [tool("t1", "c1", "first")], [tool("t2", "c1", "second")]]
    assert [m.content for m in reduce_messages([], writes)] == ["", "second"]
    assert open_calls(reduce_messages([], [*writes, RemoveMessage("t2")])) == ["c1"]


def test_the_same_words_after_a_removal_are_a_new_message() -> None:
    record = reduce_messages([], ["a", "hi"])
    record = reduce_messages(record, [RemoveMessage(str(record[0].id))])
    assert [m.content for m in reduce_messages(record, ["hi"])] == ["hi", "hi"]


@pytest.mark.parametrize("form", ["a \ud800 b", ("user", "a \ud800 b"), {"role": "user", "content": "a \ud800 b"}])
def test_a_message_without_an_id_gets_the_same_one_when_it_is_read_back_from_a_store(form: Any) -> None:
    # The store writes `?` for half a surrogate pair.
    read = {str: "a ? b", tuple: ("user", "a ? b"), dict: {"role": "user", "content": "a ? b"}}[type(form)]
    assert reduce_messages([], [form])[0].id == reduce_messages([], [read])[0].id


def test_a_record_put_in_from_outside_is_brought_into_form_by_the_next_write() -> None:
    record: Any = ["hi", {"role": "ai", "content": "hello"}]
    found = reduce_messages(record, [HumanMessage("x", id="h")])
    assert [m.type for m in found] == ["human", "ai", "human"] and all(m.id for m in found)
    assert told(found) == told(reduce_messages(record, [HumanMessage("x", id="h")]))
