from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from signoff.telemetry.drawing import draw, duration
from signoff.telemetry.traces import Totals, Trace, TraceNode

START = datetime(2026, 10, 31, 2, 0, tzinfo=UTC)


def node(
    kind: str,
    name: str,
    start_ms: float,
    end_ms: float | None,
    *children: TraceNode,
    status: str = "ok",
    **attributes: Any,
) -> TraceNode:
    at = [None if ms is None else START + timedelta(milliseconds=ms) for ms in (start_ms, end_ms)]
    assert at[0] is not None
    return TraceNode(f"{kind}-{name}-{start_ms}", kind, name, status, at[0], at[1], attributes, children)


def trace(*children: TraceNode, end_ms: float | None = 1000, status: str = "done", thread: str = "th-1") -> Trace:
    root = node("turn", "turn", 0, end_ms, *children, status=status)
    return Trace(root, thread, "acme", "u-17", Totals(1, 1, 812, 40, 1000, 0))


STORY = trace(
    node(
        "node",
        "agent",
        0,
        400,
        node("model_call", "rehearsal", 10, 390, prompt_tokens=812, completion_tokens=40),
        node("tool_call", "查询订单", 390, 395, code="ORDER_NOT_FOUND", status="error"),
    ),
    node("approval_wait", "refund_order", 400, 86_400_000, outcome="approved"),
    node("node", "write_tools", 86_400_000, 86_400_600),
    end_ms=86_400_600,
)


def column(line: str, text: str) -> int:
    return cell_len(line[: line.index(text)])


def test_the_tree_shows_places_outcomes_tokens_and_times() -> None:
    lines = draw(STORY, 100).splitlines()
    body = lines[next(i for i, x in enumerate(lines) if x.startswith("turn ")) :]
    names = [
        "turn",
        "├─ agent",
        "│  ├─ model rehearsal",
        "│  └─ tool 查询订单",
        "├─ wait refund_order",
        "└─ write_tools",
    ]
    assert [x[: len(n)] for x, n in zip(body, names, strict=True)] == names
    assert "812→40" in body[2] and "380 ms" in body[2]
    assert "ORDER_NOT_FOUND" in body[3] and "approved" in body[4]
    assert "acme/u-17" in lines[0] and "2026-10-31 02:00:00 UTC" in lines[0]


def test_columns_stay_aligned_beside_chinese_and_long_names() -> None:
    long = trace(
        node("tool_call", "查询订单" * 30, 0, 500, code="A_B"),
        node("tool_call", "query_order" * 30, 500, 1000, code="A_B"),
        node("tool_call", "q", 0, 1000, code="A_B"),
    )
    lines = [x for x in draw(long, 100).splitlines() if "A_B" in x]
    assert len(lines) == 3
    assert len({column(x, "A_B") for x in lines}) == 1


def test_a_bar_lies_where_its_span_lies() -> None:
    two = trace(node("node", "first", 0, 500), node("node", "second", 500, 1000), end_ms=1000)
    whole, first, second = (x for x in draw(two, 100).splitlines() if "█" in x)
    assert column(whole, "█") == column(first, "█")
    assert column(second, "█") == column(first, "█") + first.count("█")
    assert whole.count("█") == first.count("█") + second.count("█")


def test_a_day_of_waiting_does_not_hide_the_work() -> None:
    lines = draw(STORY, 100).splitlines()
    agent, wait, write = (next(x for x in lines if name in x) for name in ("agent", "wait refund", "write_tools"))
    assert "1 d 0 h" in wait
    assert 0 < wait.count("░") < agent.count("█") < write.count("█")


def test_what_has_no_end_is_drawn_to_the_end_and_says_so() -> None:
    open_ended = trace(
        node("node", "agent", 0, 500),
        node("node", "write_tools", 500, None, status="interrupted"),
        end_ms=None,
        status="interrupted",
    )
    line = next(x for x in draw(open_ended, 100).splitlines() if "write_tools" in x)
    assert "interrupted" in line and "▒" in line


def test_plain_ascii_when_asked() -> None:
    ascii_story = trace(*[c for c in STORY.root.children if c.kind != "node"], node("node", "agent", 0, 5))
    assert draw(ascii_story, 100, unicode=False).isascii()


def test_text_from_outside_cannot_steer_the_terminal() -> None:
    evil = "a\x1b]0;title\x07\x1b[2J\u202eb\nc\rd\x00"
    shown = draw(
        trace(node("tool_call", evil, 0, 1, code=evil, status="error", **{evil: evil}), thread=evil, status=evil),
        120,
        details=True,
    )
    assert not {c for c in shown if c != "\n" and (ord(c) < 32 or c in "\x7f\u202e")}
    assert "title" not in shown and "ab cd" in shown


def test_details_put_attributes_below_their_span() -> None:
    lines = draw(STORY, 100, details=True).splitlines()
    at = next(i for i, x in enumerate(lines) if "model rehearsal" in x)
    assert lines[at + 1].strip("│ ") == "prompt_tokens: 812"
    assert lines[at + 2].strip("│ ") == "completion_tokens: 40"


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (None, "-"),
        (0.04, "0.0 ms"),
        (9.94, "9.9 ms"),
        (12.4, "12 ms"),
        (999.4, "999 ms"),
        (999.6, "1.00 s"),
        (59_994, "59.99 s"),
        (59_999, "1 min 00 s"),
        (192_000, "3 min 12 s"),
        (3_599_600, "1 h 00 min"),
        (7_500_000, "2 h 05 min"),
        (97_200_000, "1 d 3 h"),
    ],
)
def test_durations_read_well(ms: float | None, text: str) -> None:
    assert duration(ms) == text


_TEXT = st.text(max_size=40)
_NODES: st.SearchStrategy[TraceNode] = st.recursive(
    st.builds(
        node,
        st.sampled_from(["node", "model_call", "tool_call", "approval_wait", "retrieval", "new_kind"]),
        _TEXT,
        st.floats(-10, 1e9),
        st.none() | st.floats(0, 1e9),
        status=_TEXT,
        code=_TEXT,
        prompt_tokens=st.integers() | st.none() | _TEXT,
        completion_tokens=st.integers(),
    ),
    lambda children: st.builds(
        lambda kids: node("node", "parent", 0, 10, *kids),
        st.lists(children, max_size=4),
    ),
    max_leaves=12,
)


@given(st.lists(_NODES, max_size=4), st.integers(-5, 200), st.booleans(), st.booleans())
def test_any_trace_is_drawn_within_the_width(
    children: Sequence[TraceNode], width: int, unicode: bool, details: bool
) -> None:
    shown = draw(trace(*children), width, unicode, details=details)
    for line in shown.split("\n"):
        assert cell_len(line) <= max(width, 40)
        assert line == line.rstrip()
