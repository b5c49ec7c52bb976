from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import delete, update

from signoff.errors import NotFound
from signoff.records.database import Database
from signoff.telemetry import Tracer
from signoff.telemetry.spans import spans
from signoff.telemetry.traces import delete_thread, list_traces, load_trace

Turn = Callable[..., None]


@pytest.fixture
def turn(tracer: Tracer) -> Turn:
    """Leaves the trace of a small turn."""

    def leave(turn_id: str, *, thread: str = "th", tenant: str = "acme", user: str = "u-17") -> None:
        tracer.turn(turn_id, thread=thread, tenant=tenant, user=user)
        with tracer.span("node", "agent"):
            for n in (1, 2):
                with tracer.span("model_call", "m", prompt_tokens=100 * n, completion_tokens=n):
                    pass
        with tracer.span("node", "tools"), tracer.span("tool_call", "query_order", call="c1"):
            pass
        with tracer.span("node", "write_tools"), tracer.span("tool_call", "refund_order", call="c2"):
            pass
        tracer.end_turn(turn_id, "done")

    return leave


def test_totals_agree_with_the_spans(database: Database, turn: Turn) -> None:
    turn("t1")
    totals = load_trace(database, "t1").totals
    assert (totals.model_calls, totals.prompt_tokens, totals.completion_tokens, totals.tokens) == (2, 300, 3, 303)
    assert totals.tool_calls == 2 and totals.waiting_ms == 0
    assert totals.ms == load_trace(database, "t1").root.ms


def test_tokens_are_found_under_both_names_they_go_by(database: Database, tracer: Tracer) -> None:
    tracer.turn("t1", thread="th", tenant="acme", user="u")
    for counts in (
        {"prompt_tokens": 1, "completion_tokens": 10},
        {"input_tokens": 2, "output_tokens": 20},
        {"prompt_tokens": "many", "output_tokens": True},
    ):
        with tracer.span("model_call", "m", **counts):
            pass
    tracer.end_turn("t1", "done")
    totals = load_trace(database, "t1").totals
    assert (totals.prompt_tokens, totals.completion_tokens) == (3, 30)


def test_a_call_that_is_proposed_and_later_executed_counts_once(database: Database, tracer: Tracer) -> None:
    tracer.turn("t1", thread="th", tenant="acme", user="u")
    for node, call in (("tools", "c1"), ("tools", "c2"), ("write_tools", "c1")):
        with tracer.span("node", node), tracer.span("tool_call", "refund_order", call=call):
            pass
    tracer.end_turn("t1", "done")
    assert load_trace(database, "t1").totals.tool_calls == 2


def test_waiting_is_counted_apart(database: Database, tracer: Tracer) -> None:
    tracer.turn("t1", thread="th", tenant="acme", user="u")
    tracer.wait_started("t1", ["refund_order"])
    tracer.end_turn("t1", "waiting")
    waiting = load_trace(database, "t1").totals
    assert 0 < waiting.waiting_ms <= waiting.ms
    tracer.wait_ended("t1")
    tracer.end_turn("t1", "done")
    done = load_trace(database, "t1")
    assert 0 < done.totals.waiting_ms <= done.totals.ms
    assert done.totals.waiting_ms == done.root.children[0].ms


def test_turns_are_listed_newest_first_and_only_the_tenants_own(database: Database, turn: Turn) -> None:
    turn("a1")
    turn("g1", tenant="globex")
    turn("a2", user="u-42")
    turn("a3", thread="other")

    def listed(*args: Any, **kwargs: Any) -> list[str]:
        return [t.turn for t in list_traces(database, *args, **kwargs)]

    assert listed("acme") == ["a3", "a2", "a1"]
    assert listed("acme", limit=2) == ["a3", "a2"]
    assert listed("acme", "u-17") == ["a3", "a1"]
    assert listed("acme", "u-17", thread="th") == ["a1"]
    assert listed("globex", "u-17") == ["g1"]
    assert listed("nobody") == []
    assert list_traces(database, "globex")[0] == load_trace(database, "g1")


@pytest.mark.parametrize(
    ("turn_id", "who"),
    [("t2", {}), ("t1", {"tenant": "globex"}), ("t1", {"tenant": "acme", "user": "u-42"}), ("", {})],
    ids=["never was", "another tenant's", "another user's", "no id"],
)
def test_a_turn_that_is_not_the_callers_is_not_found(
    database: Database, turn: Turn, turn_id: str, who: dict[str, str]
) -> None:
    turn("t1")
    assert load_trace(database, "t1", tenant="acme", user="u-17").turn == "t1"
    with pytest.raises(NotFound, match="no trace"):
        load_trace(database, turn_id, **who)


def test_deleting_a_thread_forgets_its_traces_and_no_others(database: Database, tracer: Tracer, turn: Turn) -> None:
    turn("t1")
    turn("t2")
    turn("o1", thread="other")
    # A process that never began the turn does not know its thread.
    with Tracer(database).span("retrieval", "elsewhere", trace="t2"):
        pass
    assert delete_thread(database, "th") == 2 * 8
    assert [t.turn for t in list_traces(database, "acme")] == ["o1"]
    assert delete_thread(database, "th") == 0


def test_damaged_traces_can_still_be_read(database: Database, turn: Turn) -> None:
    turn("t1")
    with database.write() as tx:
        tx.execute(delete(spans).where(spans.c.kind == "node", spans.c.name == "agent"))
    assert load_trace(database, "t1").totals.model_calls == 2
    with database.write() as tx:
        tx.execute(delete(spans).where(spans.c.span_id == "t1"))
    trace = load_trace(database, "t1")
    assert trace.status == "interrupted" and trace.totals.model_calls == 2
    with database.write() as tx:
        tx.execute(update(spans).values(parent_id=spans.c.span_id))
    assert load_trace(database, "t1").status == "interrupted"
