"""Names of MCP tools: unique, valid, and the same whatever the order."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from signoff.tools.mcp.names import tool_names


def test_a_name_is_kept_until_two_servers_have_it() -> None:
    names = tool_names([("fs", "read"), ("fs", "write"), ("db", "read")], prefixes={})
    assert names == {("fs", "read"): "fs__read", ("fs", "write"): "write", ("db", "read"): "db__read"}


def test_a_name_of_the_desks_own_is_never_taken() -> None:
    assert tool_names([("fs", "ask")], prefixes={}, taken=["ask"]) == {("fs", "ask"): "fs__ask"}


def test_a_servers_prefix_always_stands_before_its_names() -> None:
    assert tool_names([("fs", "read")], prefixes={"fs": "files_"}) == {("fs", "read"): "files_read"}


def test_what_a_name_may_not_hold_is_replaced() -> None:
    names = tool_names([("s", "a.b/c"), ("s", "1st"), ("s", "搜索")], prefixes={})
    assert list(names.values()) == ["a_b_c", "_1st", "__"]


def test_a_long_name_is_cut_and_stays_its_own() -> None:
    names = list(tool_names([("s", "x" * 70), ("s", "x" * 71)], prefixes={}).values())
    assert len(set(names)) == 2 and all(len(n) <= 64 for n in names)


KEYS = st.lists(st.tuples(st.sampled_from("ab"), st.text("xy._-1搜", min_size=1, max_size=70)), unique=True, max_size=8)


@given(KEYS, st.lists(st.text("xy_", min_size=1, max_size=5), max_size=3), st.randoms())
def test_names_are_valid_unique_and_do_not_hang_on_the_order(keys, taken, random) -> None:  # type: ignore[no-untyped-def]
    names = tool_names(keys, prefixes={"b": "b_"}, taken=taken)
    assert len({n.casefold() for n in (*names.values(), *taken)}) == len(keys) + len({t.casefold() for t in taken})
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", n) for n in names.values())
    shuffled = list(keys)
    random.shuffle(shuffled)
    assert tool_names(shuffled, prefixes={"b": "b_"}, taken=taken) == names
