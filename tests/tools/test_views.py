"""A model sees what the tool declares and what fits; the whole stays behind a ref."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.tools.contract import View
from signoff.tools.results import ref_of, trim
from signoff.tools.views import shown

ORDER = {"order_id": "A1001", "status": "paid", "amount_yuan": "299.00", "address": "3 Lake Road", "events": [1, 2]}


def orders(count: int) -> list[dict[str, Any]]:
    return [{**ORDER, "order_id": f"A{i:04}", "items": [f"thing {i}"] * 3} for i in range(count)]


def whole(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1)


@pytest.mark.parametrize("data", ["x" * 4_001, "short", orders(200), {"a": "是" * 5_000}, None, 3, [], {}])
@pytest.mark.parametrize("limit", [200, 4_000])
def test_without_a_view_it_is_the_rule_of_results(data: Any, limit: int) -> None:
    less, kept = trim(data, limit)
    seen = shown(data, None, limit)
    assert (seen.data, seen.kept) == (less, kept)
    if kept is None:
        assert (seen.ratio, seen.note) == (1.0, "")
    else:
        assert seen.ratio == pytest.approx(less["shown"] / less["total"], abs=1e-4)
        assert seen.note == less["note"]


@pytest.mark.parametrize("view", [View(), View(fields=("order_id",)), View(rows=3), View(fields=("x",), rows=50)])
def test_a_view_that_leaves_nothing_out_changes_nothing(view: View) -> None:
    data = [{"order_id": "A1001"}, {"order_id": "A1002"}]
    seen = shown(data, view, 4_000)
    assert (seen.data, seen.kept, seen.ratio, seen.note) == (data, None, 1.0, "")


def test_a_record_is_reduced_to_its_fields_in_their_order() -> None:
    seen = shown(ORDER, View(fields=("status", "order_id", "nothing")), 4_000)
    assert list(seen.data.items())[:2] == [("status", "paid"), ("order_id", "A1001")]
    assert set(seen.data) == {"status", "order_id", "note", "ref"}
    assert seen.kept is not None
    assert seen.kept.content == whole(ORDER)
    assert seen.data["ref"] == seen.kept.ref == ref_of(whole(ORDER))
    assert 0 < seen.ratio < 1
    assert seen.kept.ref in seen.note == seen.data["note"]


def test_records_in_a_list_are_reduced_and_what_is_round_the_list_stays() -> None:
    data = {"orders": orders(2), "source": "order records", "scope": "own"}
    seen = shown(data, View(fields=("order_id", "status")), 4_000)
    assert seen.data["orders"] == [{"order_id": f"A000{i}", "status": "paid"} for i in range(2)]
    assert (seen.data["source"], seen.data["scope"]) == ("order records", "own")


def test_a_list_at_the_top_becomes_items() -> None:
    seen = shown(orders(40), View(fields=("order_id",), rows=5), 4_000)
    assert seen.data["items"] == [{"order_id": f"A{i:04}"} for i in range(5)]
    assert (seen.data["total"], seen.data["shown"]) == (40, 5)
    assert seen.kept is not None
    assert "A0039" in seen.kept.content


def test_a_list_is_cut_and_says_how_many_there_are() -> None:
    seen = shown({"orders": orders(7)}, View(rows=3), 4_000)
    assert [o["order_id"] for o in seen.data["orders"]] == ["A0000", "A0001", "A0002"]
    assert (seen.data["total"], seen.data["shown"]) == (7, 3)


def test_what_a_paging_tool_said_of_its_total_stays_true() -> None:
    data = {"orders": orders(10), "total": 240, "shown": 10}
    seen = shown(data, View(rows=4), 4_000)
    assert (len(seen.data["orders"]), seen.data["total"], seen.data["shown"]) == (4, 240, 4)


def test_names_that_the_result_has_are_never_overwritten() -> None:
    data = {"lines": [1, 2, 3], "total": "299.00", "note": "fragile", "ref": "PO-7", "more": [1, 2, 3, 4]}
    seen = shown(data, View(rows=2), 4_000)
    assert {k: seen.data[k] for k in ("total", "note", "ref")} == {"total": "299.00", "note": "fragile", "ref": "PO-7"}
    assert (seen.data["lines_total"], seen.data["lines_shown"]) == (3, 2)
    assert (seen.data["more_total"], seen.data["more_shown"]) == (4, 2)
    assert seen.data["view_ref"] == seen.kept.ref  # type: ignore[union-attr]


def test_lists_inside_records_are_cut_too() -> None:
    data = [{"id": i, "lines": list(range(9))} for i in range(3)]
    seen = shown(data, View(rows=2), 4_000)
    assert seen.data["items"] == [{"id": i, "lines": [0, 1], "total": 9, "shown": 2} for i in range(2)]


def test_a_record_with_none_of_the_fields_is_shown_whole() -> None:
    seen = shown([{"error": "gone"}, ORDER], View(fields=("order_id",)), 4_000)
    assert seen.data["items"] == [{"error": "gone"}, {"order_id": "A1001"}]


def test_what_is_still_too_long_is_trimmed_and_the_ref_holds_the_whole() -> None:
    data = {"orders": orders(300)}
    seen = shown(data, View(fields=("order_id", "address")), 1_000)
    assert set(seen.data) == {"head", "tail", "total", "shown", "note", "ref"}
    assert seen.kept is not None
    assert seen.kept.content == whole(data)
    assert seen.data["total"] == len(whole(data))
    assert len(whole(seen.data)) <= 1_200
    assert "amount_yuan" not in seen.data["head"]
    assert "offset=0" in seen.note


def test_the_limit_of_the_view_counts_before_that_of_the_desk() -> None:
    assert shown("x" * 900, View(chars=500), 4_000).kept is not None
    assert shown("x" * 900, View(chars=1_000), 200).kept is None


def test_the_note_is_in_the_language_asked() -> None:
    view = View(fields=("order_id",), rows=2)
    zh, en = (shown(orders(9), view, 4_000, language=lang) for lang in ("zh", "en"))
    assert "前 2 条" in zh.note and "主要字段" in zh.note
    assert "first 2 entries" in en.note and "key fields" in en.note
    assert zh.kept == en.kept


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(st.sampled_from(["id", "name", "rows", "total", "shown", "note", "ref", "items"]), inner)
    ),
    max_leaves=40,
)
VIEWS = st.builds(
    View, st.lists(st.sampled_from(["id", "name", "rows", "no"])).map(tuple), st.integers(0, 3), st.integers(0, 400)
)


@given(JSON, VIEWS, st.integers(1, 500))
def test_any_result_is_shown_without_being_changed_and_kept_whole_when_cut(data: Any, view: View, limit: int) -> None:
    before = copy.deepcopy(data)
    seen = shown(data, view, limit)
    assert data == before
    assert 0 <= seen.ratio <= 1
    text = data if isinstance(data, str) else whole(data)
    if seen.kept is None:
        assert seen.data == data
        assert seen.note == ""
    else:
        assert seen.kept.content == text
        assert seen.kept.ref == ref_of(text)
        assert seen.kept.ref in seen.note
