from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from signoff.records.database import Database
from signoff.telemetry import Tracer, telemetry_metadata
from signoff.telemetry.spans import spans
from signoff.telemetry.traces import Trace, TraceNode, load_trace

WHO: dict[str, Any] = {"thread": "th-1", "tenant": "acme", "user": "u-17"}


def rows(database: Database) -> list[dict[str, Any]]:
    with database.read() as tx:
        return [dict(r) for r in tx.execute(select(spans).order_by(spans.c.started, spans.c.span_id)).mappings()]


def shape(node: TraceNode) -> Any:
    return (f"{node.kind}:{node.name}:{node.status}", [shape(c) for c in node.children])


def only(trace: Trace, kind: str) -> TraceNode:
    (node,) = (n for n in trace.root.walk() if n.kind == kind)
    return node


def process(body: str, *args: object) -> subprocess.Popen[str]:
    """A real second process with a tracer on the same files; `body` is its program."""
    head = """
        import os, signal, sys, time
        from pathlib import Path
        from signoff.records.database import Database
        from signoff.telemetry import Tracer
        home = Path(sys.argv[1])
        tracer = Tracer(Database(home / "desk.db"), file=home / "trace.jsonl")
        WHO = {"thread": "th-1", "tenant": "acme", "user": "u-17"}
    """
    program = textwrap.dedent(head) + textwrap.dedent(body)
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, args)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(child: subprocess.Popen[str]) -> str:
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    return out


def test_a_turn_leaves_a_tree_of_spans(database: Database, tracer: Tracer) -> None:
    tracer.turn("t1", **WHO, model="rehearsal")
    with tracer.span("node", "agent"):
        with tracer.span("model_call", "rehearsal", prompt_tokens=12) as call:
            call.set(completion_tokens=3)
        with tracer.span("validation", "answer"):
            pass
    tracer.end_turn("t1", "done", rounds=1)

    trace = load_trace(database, "t1")
    assert shape(trace.root) == (
        "turn:turn:done",
        [("node:agent:ok", [("model_call:rehearsal:ok", []), ("validation:answer:ok", [])])],
    )
    assert trace.root.attributes["model"] == "rehearsal" and trace.root.attributes["rounds"] == 1
    assert only(trace, "model_call").attributes == {"prompt_tokens": 12, "completion_tokens": 3}
    assert tracer.failures == 0
    assert {(r["thread"], r["tenant"], r["user"]) for r in rows(database)} == {("th-1", "acme", "u-17")}


def test_times_are_utc_with_microseconds_and_children_lie_within_their_parent(
    database: Database, tracer: Tracer
) -> None:
    tracer.turn("t1", **WHO)
    with tracer.span("node", "agent"), tracer.span("model_call", "m"):
        pass
    tracer.end_turn("t1", "done")

    assert all(r["started"].endswith("+00:00") and len(r["started"]) == 32 == len(r["ended"]) for r in rows(database))
    trace = load_trace(database, "t1")
    for parent in trace.root.walk():
        for child in parent.children:
            assert parent.started <= child.started
    assert all(n.ended is not None and n.started <= n.ended for n in trace.root.walk())


def test_what_a_block_raises_is_recorded_and_raised_again(database: Database) -> None:
    tracer = Tracer(database, content=True)
    tracer.turn("t1", **WHO)
    with pytest.raises(ValueError, match="boom"), tracer.span("tool_call", "refund_order"):
        raise ValueError("boom for 13812345678")
    tracer.end_turn("t1", "failed")

    call = only(load_trace(database, "t1"), "tool_call")
    assert call.status == "error"
    assert call.attributes == {"code": "ValueError", "message": "boom for [phone]"}


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (type("GraphInterrupt", (type("GraphBubbleUp", (Exception,), {}),), {})(), "waiting"),
        (KeyboardInterrupt(), "cancelled"),
        (type("CancelledError", (BaseException,), {})(), "cancelled"),
        (RuntimeError("x"), "error"),
    ],
    ids=["a LangGraph interrupt", "Ctrl-C", "a cancelled task", "an error"],
)
def test_a_span_tells_a_stop_from_a_failure(
    database: Database, tracer: Tracer, error: BaseException, status: str
) -> None:
    tracer.turn("t1", **WHO)
    with pytest.raises(type(error)), tracer.span("node", "write_tools"):
        raise error
    tracer.flush()
    assert only(load_trace(database, "t1"), "node").status == status


def test_a_failure_said_by_the_caller_wins_over_the_exception_behind_it(database: Database, tracer: Tracer) -> None:
    tracer.turn("t1", **WHO)
    with pytest.raises(OSError), tracer.span("tool_call", "f") as span:
        span.fail("TIMEOUT", "the words of a user")
        raise OSError("socket")
    tracer.flush()
    assert only(load_trace(database, "t1"), "tool_call").attributes == {"code": "TIMEOUT"}


def test_content_is_kept_only_when_it_is_on_and_then_redacted(database: Database) -> None:
    off, on = Tracer(database), Tracer(database, content=True)
    assert off.content("my phone is 13812345678") is None
    assert on.content("电话13812345678,谢谢") == "电话[phone],谢谢"
    long = on.content("长" * 9_000 + " 13812345678")
    assert long is not None and len(long) == 8_000 and long.endswith("…")


def test_nothing_private_is_stored_even_when_a_caller_forgets_to_redact(database: Database, tmp_path: Path) -> None:
    tracer = Tracer(database, file=tmp_path / "trace.jsonl")
    tracer.turn("t1", **WHO, note="call 13812345678")
    with tracer.span("tool_call", "mail a.b@example.com", args={"to": ["x@example.org"], "password": "hunter2"}):
        pass
    tracer.wait_started("t1", ["send to c@example.com"])
    tracer.end_turn("t1", "done", said="key sk-abcdef1234567890abcdef")
    stored = json.dumps(rows(database)) + (tmp_path / "trace.jsonl").read_text()
    for secret in ("13812345678", "example.com", "example.org", "hunter2", "abcdef1234567890"):
        assert secret not in stored
    for mark in ("[phone]", "[email]", "[secret]", "[api-key]"):
        assert mark in stored


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (Decimal("299.00"), "299.00"),
        (float("nan"), None),
        ({"a": (1, 2)}, {"a": [1, 2]}),
        (frozenset({"hr"}), ["hr"]),
        (Path("x"), "x"),
        (object(), "<object>"),
        ("bad \ud800 surrogate", "bad ? surrogate"),
        (10**30, f"{10**30:x}"),
        (True, True),
    ],
    ids=lambda value: type(value).__name__,
)
def test_any_attribute_can_be_stored(database: Database, tracer: Tracer, value: object, stored: object) -> None:
    tracer.turn("t1", **WHO)
    with tracer.span("node", "agent", value=value):
        pass
    tracer.flush()
    assert tracer.failures == 0
    assert only(load_trace(database, "t1"), "node").attributes["value"] == stored


def test_attributes_that_hold_themselves_do_not_break_a_turn(database: Database, tracer: Tracer) -> None:
    loop: dict[str, Any] = {}
    loop["self"] = loop
    tracer.turn("t1", **WHO)
    with tracer.span("node", "agent", loop=loop):
        pass
    tracer.end_turn("t1", "done")
    assert tracer.failures == 0
    assert only(load_trace(database, "t1"), "node").status == "ok"


def test_a_span_outside_every_turn_runs_and_is_not_kept(database: Database, tracer: Tracer) -> None:
    def work() -> None:
        with tracer.span("tool_call", "now") as span:
            span.set(a=1)

    Context().run(work)
    tracer.flush()
    assert rows(database) == [] and tracer.failures == 0


def test_a_span_names_its_turn_or_inherits_it(database: Database, tracer: Tracer) -> None:
    tracer.turn("t1", **WHO)
    tracer.turn("t2", **{**WHO, "thread": "th-2"})
    with (
        tracer.span("node", "of the latest turn"),
        tracer.span("node", "of the named turn", trace="t1"),
        tracer.span("tool_call", "inherited"),
    ):
        pass
    tracer.flush()
    assert shape(load_trace(database, "t1").root)[1] == [
        ("node:of the named turn:ok", [("tool_call:inherited:ok", [])])
    ]
    assert shape(load_trace(database, "t2").root)[1] == [("node:of the latest turn:ok", [])]


def test_worker_threads_keep_the_parent_of_the_context_they_were_given(database: Database, tracer: Tracer) -> None:
    tracer.turn("t1", **WHO)

    def read(name: str) -> None:
        with tracer.span("tool_call", name):
            pass

    with ThreadPoolExecutor(8) as pool, tracer.span("node", "tools"):
        done = [pool.submit(copy_context().run, read, f"read {i:02}") for i in range(40)]
        for future in done:
            future.result()
    tracer.end_turn("t1", "done")

    tools = only(load_trace(database, "t1"), "node")
    assert sorted(c.name for c in tools.children) == [f"read {i:02}" for i in range(40)]


def test_a_thread_without_the_context_names_turn_and_parent_itself(database: Database, tracer: Tracer) -> None:
    tracer.turn("t1", **WHO)

    def work(parent: str | None) -> None:
        with tracer.span("retrieval", "bare", trace="t1", parent=parent):
            pass

    with ThreadPoolExecutor(1) as pool, tracer.span("node", "retrieve") as node:
        pool.submit(work, None).result()
        pool.submit(work, node.span_id).result()
    tracer.end_turn("t1", "done")
    assert shape(load_trace(database, "t1").root)[1] == [
        ("node:retrieve:ok", [("retrieval:bare:ok", [])]),
        ("retrieval:bare:ok", []),
    ]


def test_many_threads_with_turns_of_their_own_do_not_mix(database: Database, tracer: Tracer) -> None:
    def turn(i: int) -> None:
        tracer.turn(f"t{i}", **{**WHO, "thread": f"th-{i}"})
        for n in range(5):
            with tracer.span("node", f"{i}.{n}"), tracer.span("tool_call", f"{i}.{n}"):
                pass
        tracer.end_turn(f"t{i}", "done")

    threads = [threading.Thread(target=turn, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tracer.failures == 0
    for i in range(8):
        assert shape(load_trace(database, f"t{i}").root)[1] == [
            (f"node:{i}.{n}:ok", [(f"tool_call:{i}.{n}:ok", [])]) for n in range(5)
        ]


def test_a_turn_that_waits_goes_on_in_another_process(database: Database, tracer: Tracer, tmp_path: Path) -> None:
    tracer.turn("t1", **WHO, model="rehearsal")
    with tracer.span("node", "agent"):
        pass
    tracer.wait_started("t1", ["refund_order"])
    tracer.end_turn("t1", "waiting")
    parked = load_trace(database, "t1")
    assert parked.status == "waiting" and only(parked, "approval_wait").status == "waiting"

    body = """
        tracer.turn("t1", **WHO)
        tracer.wait_ended("t1", "approved")
        with tracer.span("node", "write_tools"):
            pass
        tracer.end_turn("t1", "done")
        print(tracer.failures)
    """
    assert finish(process(body, tmp_path)).strip() == "0"
    trace = load_trace(database, "t1")
    assert shape(trace.root) == (
        "turn:turn:done",
        [("node:agent:ok", []), ("approval_wait:refund_order:ok", []), ("node:write_tools:ok", [])],
    )
    assert trace.root.started == parked.root.started
    assert trace.root.attributes["model"] == "rehearsal" and trace.root.attributes["runs"] == 2
    wait = only(trace, "approval_wait")
    assert wait.attributes["outcome"] == "approved" and wait.attributes["tools"] == ["refund_order"]


def test_a_process_that_only_goes_on_with_a_turn_is_known_as_the_one_that_runs_it(
    database: Database, tracer: Tracer, tmp_path: Path
) -> None:
    tracer.turn("t1", **WHO)
    tracer.wait_started("t1", ["refund_order"])
    tracer.end_turn("t1", "waiting")
    body = """
        with tracer.span("node", "write_tools", trace="t1"):
            tracer.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    """
    process(body, tmp_path).communicate(timeout=60)
    trace = load_trace(database, "t1")
    assert only(trace, "node").status == "interrupted"
    assert (trace.status, only(trace, "approval_wait").status) == ("waiting", "waiting")

    with tracer.span("node", "write_tools", trace="t1"):
        tracer.flush()
        assert [n.status for n in load_trace(database, "t1").root.children] == ["waiting", "interrupted", "running"]
    tracer.wait_ended("t1", "approved")
    tracer.end_turn("t1", "done")
    trace = load_trace(database, "t1")
    assert [n.status for n in trace.root.children] == ["ok", "interrupted", "ok"]
    assert trace.root.attributes["runs"] == 3


def test_nothing_is_kept_of_what_runs_while_tracing_is_paused(database: Database, tracer: Tracer) -> None:
    tracer.turn("t1", **WHO)
    tracer.end_turn("t1", "done")
    tracer.flush()
    before = rows(database)
    with tracer.paused(), tracer.span("node", "agent", trace="t1"):
        tracer.turn("t1", **WHO)
        tracer.turn("t2", **WHO)
        with ThreadPoolExecutor(1) as pool, tracer.span("tool_call", "query_order"):
            pool.submit(copy_context().run, tracer.end_turn, "t1", "failed").result()
        tracer.wait_started("t1", ["refund_order"])
    tracer.flush()
    assert rows(database) == before
    with tracer.span("node", "kept again", trace="t1"):
        pass
    tracer.flush()
    assert len(rows(database)) == len(before) + 1


def test_asking_again_while_it_waits_does_not_begin_a_second_wait(database: Database, tracer: Tracer) -> None:
    tracer.turn("t1", **WHO)
    for _ in range(2):
        tracer.wait_started("t1", ["refund_order"])
        tracer.end_turn("t1", "waiting")
    assert [n.kind for n in load_trace(database, "t1").root.walk()] == ["turn", "approval_wait"]
    tracer.wait_ended("t1", "rejected")
    tracer.wait_started("t1", ["update_address"])
    assert [n.status for n in load_trace(database, "t1").root.children] == ["ok", "waiting"]


def test_ending_a_turn_ends_its_wait_too(database: Database, tracer: Tracer) -> None:
    tracer.turn("t1", **WHO)
    tracer.wait_started("t1", ["refund_order"])
    Tracer(database).end_turn("t1", "withdrawn")
    trace = load_trace(database, "t1")
    assert (trace.status, only(trace, "approval_wait").status) == ("withdrawn", "ok")


def test_a_killed_process_leaves_interrupted_spans_and_the_resumed_turn_goes_on(
    database: Database, tmp_path: Path
) -> None:
    body = """
        tracer.turn("t1", **WHO)
        with tracer.span("node", "agent"):
            pass
        with tracer.span("node", "write_tools"):
            with tracer.span("tool_call", "refund_order"):
                print("inside", flush=True)
                time.sleep(600)
    """
    child = process(body, tmp_path)
    assert child.stdout is not None and child.stdout.readline() == "inside\n"
    while not any(r["kind"] == "tool_call" for r in rows(database)):
        time.sleep(0.02)
    assert shape(load_trace(database, "t1").root)[0] == "turn:turn:running"
    child.send_signal(signal.SIGKILL)
    child.communicate()

    crashed = ("node:write_tools:interrupted", [("tool_call:refund_order:interrupted", [])])
    assert shape(load_trace(database, "t1").root) == ("turn:turn:interrupted", [("node:agent:ok", []), crashed])

    tracer = Tracer(database)
    tracer.turn("t1", **WHO)
    with tracer.span("node", "write_tools"):
        tracer.flush()
        assert shape(load_trace(database, "t1").root) == (
            "turn:turn:running",
            [("node:agent:ok", []), crashed, ("node:write_tools:running", [])],
        )
    tracer.end_turn("t1", "done")
    assert shape(load_trace(database, "t1").root) == (
        "turn:turn:done",
        [("node:agent:ok", []), crashed, ("node:write_tools:ok", [])],
    )


def test_flush_shows_what_is_about_to_run_before_it_runs(database: Database, tmp_path: Path) -> None:
    body = """
        tracer.turn("t1", **WHO)
        with tracer.span("node", "write_tools"), tracer.span("tool_call", "refund_order"):
            tracer.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    """
    child = process(body, tmp_path)
    child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL
    assert only(load_trace(database, "t1"), "tool_call").status == "interrupted"


def test_beginning_a_turn_twice_in_one_process_loses_nothing(database: Database, tracer: Tracer) -> None:
    tracer.turn("t1", **WHO, model="rehearsal")
    with tracer.span("node", "route"):
        tracer.flush()
        tracer.turn("t1", **WHO, intents=2)
    tracer.end_turn("t1", "done")
    trace = load_trace(database, "t1")
    assert trace.root.attributes["model"] == "rehearsal" and trace.root.attributes["intents"] == 2
    assert only(trace, "node").status == "ok"


def test_the_trace_file_has_one_json_object_a_finished_span(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "traces" / "trace.jsonl"
    tracer = Tracer(database, file=file, content=True)
    tracer.turn("t1", **WHO)
    with tracer.span("node", "agent"), tracer.span("model_call", "m", question=tracer.content("退款\n“A1003”")):
        pass
    tracer.wait_started("t1", ["refund_order"])
    tracer.end_turn("t1", "waiting")
    tracer.wait_ended("t1", "approved")
    tracer.end_turn("t1", "done")

    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [x["kind"] for x in lines] == ["model_call", "node", "approval_wait", "turn"]
    by_id = {r["span_id"]: r for r in rows(database)}
    for line in lines:
        assert line.pop("ms") >= 0
        assert line == by_id[line["span_id"]]
    assert lines[0]["attributes"]["question"] == "退款\n“A1003”"


def test_several_processes_share_one_trace_file_without_mixing_lines(database: Database, tmp_path: Path) -> None:
    body = """
        me = sys.argv[2]
        for i in range(20):
            tracer.turn(f"{me}-{i}", **WHO)
            for n in range(10):
                with tracer.span("tool_call", "x" * 500):
                    pass
            tracer.end_turn(f"{me}-{i}", "done")
        print(tracer.failures)
    """
    children = [process(body, tmp_path, i) for i in range(3)]
    assert [finish(c).strip() for c in children] == ["0"] * 3
    lines = [json.loads(line) for line in (tmp_path / "trace.jsonl").read_text().splitlines()]
    assert len(lines) == len({x["span_id"] for x in lines}) == 3 * 20 * 11
    assert len(rows(database)) == 3 * 20 * 11


def test_a_trace_that_cannot_be_written_never_breaks_the_turn_and_is_counted(tmp_path: Path) -> None:
    database = Database(tmp_path / "desk.db")  # There is no table of spans in it.
    tracer = Tracer(database, file=tmp_path)  # And the file is a folder.
    tracer.turn("t1", **WHO)
    with tracer.span("node", "agent") as span:
        span.set(done=True)
    tracer.wait_started("t1", ["x"])
    tracer.wait_ended("t1")
    tracer.end_turn("t1", "done")
    assert tracer.failures > 0
    assert tracer.last_failure
    database.close()


def test_spans_refused_by_a_locked_database_are_written_when_it_is_free_again(
    desk_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signoff.telemetry.tracer.PAUSE_S", 0.0)
    hasty = Database(desk_path, busy_timeout_s=0.05)
    tracer = Tracer(hasty)
    with database.write() as tx:
        tx.execute(text("CREATE TABLE other (x)"))
        tracer.turn("t1", **WHO)
        with tracer.span("node", "agent"):
            pass
        tracer.wait_started("t1", ["refund_order"])
        assert tracer.failures > 0 and "locked" in str(tracer.last_failure)
    tracer.wait_ended("t1", "approved")
    tracer.end_turn("t1", "done")
    assert shape(load_trace(database, "t1").root) == (
        "turn:turn:done",
        [("node:agent:ok", []), ("approval_wait:refund_order:ok", [])],
    )
    hasty.close()


def test_a_span_may_be_opened_inside_a_write_transaction_of_the_same_database(
    database: Database, tracer: Tracer
) -> None:
    tracer.turn("t1", **WHO)
    with tracer.span("tool_call", "refund_order"), database.write() as tx:
        tx.execute(text("CREATE TABLE effect (x)"))
        with tracer.span("validation", "inside"):
            time.sleep(0.25)  # Longer than the buffer waits: the writer must not need this thread.
        tx.execute(text("INSERT INTO effect VALUES (1)"))
    tracer.end_turn("t1", "done")
    assert tracer.failures == 0
    assert only(load_trace(database, "t1"), "validation").status == "ok"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_traces_for_itself_and_repeats_nothing_of_its_parent(database: Database, tmp_path: Path) -> None:
    body = """
        import warnings
        warnings.simplefilter("ignore")
        tracer.turn("t1", **WHO)
        with tracer.span("node", "of the parent"):
            pass
        if os.fork() == 0:
            tracer._database = Database(home / "desk.db")
            tracer.turn("t2", **WHO)
            with tracer.span("node", "of the child"):
                pass
            tracer.end_turn("t2", "done")
            os._exit(tracer.failures)
        assert os.wait()[1] == 0
        tracer.end_turn("t1", "done")
    """
    finish(process(body, tmp_path))
    names = [json.loads(line)["name"] for line in (tmp_path / "trace.jsonl").read_text().splitlines()]
    assert sorted(names) == ["of the child", "of the parent", "turn", "turn"]


@pytest.mark.parametrize(("content", "message"), [(False, None), (True, "no order for [phone]")])
def test_a_caught_fault_is_kept_with_its_lines_and_its_words_only_as_content(
    database: Database, caplog: pytest.LogCaptureFixture, content: bool, message: str | None
) -> None:
    tracer = Tracer(database, content=content)

    def broken() -> None:
        raise LookupError("no order for 13812345678")

    tracer.turn("t1", **WHO)
    with tracer.span("tool_call", "query_order") as span:
        try:
            broken()
        except LookupError as error:
            tracer.error("tool query_order", error)
        span.fail("INTERNAL")
    tracer.end_turn("t1", "done")

    fault = only(load_trace(database, "t1"), "tool_call").attributes["fault"]
    assert (fault["where"], fault["type"], fault["message"]) == ("tool query_order", "LookupError", message)
    assert fault["lines"][-1].endswith(" broken")
    assert "LookupError" in caplog.text and "13812345678" not in caplog.text


def test_a_fault_outside_every_span_goes_to_its_turn(database: Database, tracer: Tracer) -> None:
    tracer.turn("t1", **WHO)
    tracer.end_turn("t1", "failed")
    tracer.error("desk", RuntimeError("x"), trace="t1")
    Context().run(tracer.error, "desk", RuntimeError("of no turn"))
    tracer.flush()
    assert shape(load_trace(database, "t1").root)[1] == [("node:desk:error", [])]


def test_a_process_that_just_ends_has_written_what_it_traced(database: Database, tmp_path: Path) -> None:
    body = """
        tracer.turn("t1", **WHO)
        with tracer.span("node", "validate"):
            tracer.end_turn("t1", "done")
    """
    finish(process(body, tmp_path))
    assert shape(load_trace(database, "t1").root) == ("turn:turn:done", [("node:validate:ok", [])])


def test_deleting_a_thread_takes_along_what_is_still_buffered(database: Database, tracer: Tracer) -> None:
    tracer.turn("t1", **WHO)
    with tracer.span("node", "agent"):
        pass
    assert tracer.delete_thread("th-1") == 2
    tracer.flush()
    assert rows(database) == []


def test_tables_can_be_created_again(database: Database) -> None:
    database.create(telemetry_metadata)
    assert rows(database) == []
