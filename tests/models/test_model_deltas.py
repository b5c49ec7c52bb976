from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk
from langchain_core.messages.tool import tool_call_chunk

from signoff.models.deltas import Deltas

NAMES = st.sampled_from(["query_order", "search", "list", "查订单", "a"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)
CALLS = st.lists(st.tuples(NAMES, st.dictionaries(st.text(max_size=6), VALUES, max_size=3)), min_size=1, max_size=4)


@dataclass(frozen=True)
class Habit:
    """How an endpoint cuts and marks the fragments of a call."""

    index: str = "own"
    """`own` number of the call, `zero` for all, or `none`."""
    id: str = "first"
    """On the `first` fragment, on `each`, or `none`."""
    name: str = "first"
    """On the `first` fragment, on `each`, `alone` in one without arguments."""
    interleaved: bool = False


HABITS = st.builds(
    Habit,
    index=st.just("own"),
    id=st.sampled_from(["first", "each", "none"]),
    name=st.sampled_from(["first", "alone"]),
    interleaved=st.booleans(),
) | st.sampled_from(
    [
        Habit(name="each"),
        Habit(id="each", name="each", interleaved=True),
        Habit(index="none"),
        Habit(index="none", id="each"),
        Habit(index="none", id="each", interleaved=True),
        Habit(index="none", id="none"),
        Habit(index="zero", id="first"),
        Habit(index="zero", id="each"),
        Habit(index="zero", id="each", interleaved=True),
    ]
)


def fragments(n: int, name: str, raw: str, cuts: list[int], habit: Habit) -> list[AIMessageChunk]:
    places = sorted({min(c, len(raw)) for c in cuts} | {0, len(raw)})
    pieces = [raw[a:b] for a, b in pairwise(places)]
    if habit.name == "alone":
        pieces.insert(0, "")
    index = {"own": n, "zero": 0, "none": None}[habit.index]
    made = []
    for i, piece in enumerate(pieces):
        named = i == 0 or habit.name == "each"
        identified = habit.id == "each" or (habit.id == "first" and i == 0)
        call = tool_call_chunk(
            name=name if named else None, args=piece, id=f"id{n}" if identified else None, index=index
        )
        made.append(AIMessageChunk(content="", tool_call_chunks=[call]))
    return made


def shuffled(streams: list[list[AIMessageChunk]], data: st.DataObject) -> list[AIMessageChunk]:
    """All fragments in any order that keeps each call's own."""
    left = [list(s) for s in streams]
    out: list[AIMessageChunk] = []
    while any(left):
        which = data.draw(st.sampled_from([i for i, s in enumerate(left) if s]))
        out.append(left[which].pop(0))
    return out


@settings(max_examples=150, deadline=None)
@given(CALLS, HABITS, st.data())
def test_calls_come_out_as_they_were_made_however_an_endpoint_cuts_and_mixes_them(
    calls: list[tuple[str, dict[str, Any]]], habit: Habit, data: st.DataObject
) -> None:
    streams = []
    for n, (name, args) in enumerate(calls):
        raw = json.dumps(args, ensure_ascii=data.draw(st.booleans()))
        cuts = data.draw(st.lists(st.integers(1, max(1, len(raw))), max_size=4))
        streams.append(fragments(n, name, raw, cuts, habit))
    order = shuffled(streams, data) if habit.interleaved else [chunk for stream in streams for chunk in stream]
    deltas = Deltas(names=frozenset(n for n, _ in calls) if data.draw(st.booleans()) else frozenset())
    told: list[tuple[str, dict[str, Any]]] = []
    for chunk in order:
        # What carries nothing may come anywhere.
        if data.draw(st.booleans()):
            deltas.add(AIMessageChunk(content=""))
        deltas.add(chunk)
        told += deltas.completed()
    deltas.add(AIMessageChunk(content="", response_metadata={"finish_reason": "tool_calls"}))
    message = deltas.message()
    found = [(c["name"], c["args"]) for c in message.tool_calls]
    assert message.invalid_tool_calls == []
    if habit.interleaved and habit.index != "own":
        assert sorted(map(str, found)) == sorted(map(str, calls))
    else:
        assert found == calls
    assert len(told) < len(calls) or not told
    left = list(map(str, calls))
    for call in told:
        left.remove(str(call))
    ids = [c["id"] for c in message.tool_calls]
    assert len(set(ids)) == len(ids) and all(ids)
    if habit.id != "none" and not habit.interleaved:
        assert ids == [f"id{n}" for n in range(len(calls))]


Fragment = tuple[int | None, str | None, str | None, str | None]
"""Index, id, name and arguments of a fragment."""
Call = tuple[str, dict[str, Any]]
OFFERED = frozenset({"query_order", "list_orders", "get", "get_item", "check"})
A, B = {"order_id": "A"}, {"order_id": "B"}

CUTS: dict[str, tuple[list[Fragment], list[Call]]] = {
    "no index, no id, the first without arguments": (
        [(None, None, "list_orders", ""), (None, None, "query_order", ""), (None, None, None, '{"order_id":"A"}')],
        [("list_orders", {}), ("query_order", A)],
    ),
    "no index, no id, none with arguments": (
        [(None, None, "list_orders", ""), (None, None, "get", ""), (None, None, "check", None)],
        [("list_orders", {}), ("get", {}), ("check", {})],
    ),
    "every index 0, no id, the name first": (
        [(0, None, "query_order", ""), (0, None, None, '{"order_'), (0, None, None, 'id":"A"}'),
         (0, None, "list_orders", ""), (0, None, None, "{}")],
        [("query_order", A), ("list_orders", {})],
    ),
    "every index 0, no id, the first without arguments": (
        [(0, None, "list_orders", ""), (0, None, "query_order", '{"order_id":"A"}')],
        [("list_orders", {}), ("query_order", A)],
    ),
    "every index 0, no id, twice the same tool": (
        [(0, None, "query_order", ""), (0, None, None, '{"order_id":"A"}'),
         (0, None, "query_order", ""), (0, None, None, '{"order_'), (0, None, None, 'id":"B"}')],
        [("query_order", A), ("query_order", B)],
    ),
    "the name once more at the end": (
        [(0, None, "query_order", '{"order_'), (0, None, "query_order", 'id":"A"}'), (0, None, "query_order", "")],
        [("query_order", A)],
    ),
    "a name in pieces": (
        [(0, "a", "que", None), (0, None, "ry_", None), (0, None, "order", None), (0, None, None, '{"order_id":"A"}')],
        [("query_order", A)],
    ),
    "a name in pieces behind a call without arguments": (
        [(None, None, "list_orders", ""), (None, None, "query_", ""), (None, None, "order", '{"order_id":"A"}')],
        [("list_orders", {}), ("query_order", A)],
    ),
    "a name that begins with another's": (
        [(0, None, "get", None), (0, None, "_item", None), (0, None, None, "{}")], [("get_item", {})],
    ),
    "a name with a prefix in pieces": (
        [(0, "a", "functions.", None), (0, None, "query_order", '{"order_id":"A"}')],
        [("functions.query_order", A)],
    ),
}  # fmt: skip


def put_together(fragments: list[Fragment], names: frozenset[str]) -> list[Call]:
    deltas = Deltas(names=names)
    for index, call_id, name, args in fragments:
        call = tool_call_chunk(name=name, args=args, id=call_id, index=index)
        deltas.add(AIMessageChunk(content="", tool_call_chunks=[call]))
    message = deltas.message()
    assert message.invalid_tool_calls == []
    return [(c["name"], c["args"]) for c in message.tool_calls]


@pytest.mark.parametrize(("fragments", "calls"), CUTS.values(), ids=CUTS.keys())
def test_the_tools_that_were_offered_tell_a_cut_name_from_two_names(
    fragments: list[Fragment], calls: list[Call]
) -> None:
    assert put_together(fragments, OFFERED) == calls


@pytest.mark.parametrize("cut", [c for c in CUTS if "none with" not in c and "behind" not in c])
def test_where_no_tools_are_known_what_is_sent_with_a_name_tells(cut: str) -> None:
    fragments, calls = CUTS[cut]
    assert put_together(fragments, frozenset()) == calls


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.lists(st.integers(0, 60), max_size=8), st.booleans())
def test_text_comes_out_as_it_was_said_however_it_is_cut(text: str, cuts: list[int], thinks: bool) -> None:
    deltas = Deltas()
    places = sorted({min(c, len(text)) for c in cuts} | {0, len(text)})
    shown = ""
    for a, b in pairwise(places):
        if thinks:
            deltas.add(AIMessageChunk(content="", additional_kwargs={"reasoning_content": "hm"}))
        shown += deltas.add(AIMessageChunk(content=text[a:b]))
    said = text.encode("utf-8", "replace").decode() if any("\ud800" <= c <= "\udfff" for c in text) else text
    assert len(shown) == len(said) and deltas.text == shown == deltas.message().text
    assert deltas.reasoning == "hm" * (len(places) - 1) * thinks


def test_a_new_number_under_a_known_id_counts_the_fragment_and_not_a_call() -> None:
    deltas = Deltas()
    for n, (name, args) in enumerate([("search", '{"q": '), (None, '"a"'), (None, "}")]):
        call = tool_call_chunk(name=name, args=args, id="one", index=n)
        deltas.add(AIMessageChunk(content="", tool_call_chunks=[call]))
    assert [(c["name"], c["args"]) for c in deltas.message().tool_calls] == [("search", {"q": "a"})]


def test_usage_in_parts_is_added_up_only_where_a_provider_gives_it_so() -> None:
    parts = [
        {"input_tokens": 9, "output_tokens": 1, "total_tokens": 10},
        {"input_tokens": 0, "output_tokens": 4, "total_tokens": 4},
    ]
    for summed, total in ((True, 14), (False, 10)):
        deltas = Deltas(summed=summed)
        for part in parts:
            deltas.add(AIMessageChunk(content="", usage_metadata=part))  # type: ignore[arg-type]
        assert deltas.usage is not None and deltas.usage["total_tokens"] == total
