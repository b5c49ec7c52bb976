"""Who runs beside whom: reads together, groups and writes one by one, and a hung tool beside everybody."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from envelopes import bare, envelopes
from people import OTHER, REQUESTER, STRANGER
from scripted import ScriptedModel, call, calls

from signoff import Desk, Preview, Tool, tool
from signoff.state import Status

Open = Callable[..., Desk]
PATIENCE_S = 20.0
"""Until a test that would hang fails instead."""


@pytest.fixture
def open_bare(open_desk: Open, tmp_path: Path) -> Open:
    """Opens desks that have the test's own tools only."""
    return partial(open_desk, desk=bare(tmp_path))


class Watch:
    """Counts who is inside, and remembers the most there ever were."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.inside = 0
        self.most = 0
        self.order: list[Any] = []

    def __enter__(self) -> Watch:
        with self._lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self.inside -= 1


def meeting(parties: int) -> Tool:
    """A read that ends only when so many of its calls run at the same time."""
    together = threading.Barrier(parties)

    @tool
    def meet(n: int) -> int:
        """Waits for the others."""
        together.wait(PATIENCE_S)
        return n

    return meet


def several(name: str, count: int) -> Any:
    """A message with so many calls of one tool."""
    return calls(*[(name, {"n": n}, f"{name}{n}") for n in range(count)])


def test_the_reads_of_a_message_run_side_by_side(open_bare: Open) -> None:
    desk = open_bare(model=ScriptedModel(lines=[several("meet", 4), "They met."]), tools=[meeting(4)])
    assert [r.data for r in envelopes(desk, desk.ask("meet", caller=REQUESTER))] == [0, 1, 2, 3]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_no_more_reads_run_at_once_than_the_setting_says(limit: int, open_bare: Open) -> None:
    watch, full = Watch(), threading.Barrier(limit)

    @tool
    def meet(n: int) -> int:
        """Waits until as many as may are inside."""
        with watch:
            full.wait(PATIENCE_S)
        return n

    desk = open_bare(model=ScriptedModel(lines=[several("meet", 6), "Met."]), tools=[meet], parallel_reads=limit)
    assert [r.data for r in envelopes(desk, desk.ask("meet", caller=REQUESTER))] == list(range(6))
    assert watch.most == limit


def test_results_are_in_the_order_of_the_calls_whatever_ends_first(open_bare: Open) -> None:
    ended = [threading.Event() for _ in range(4)]
    order: list[int] = []

    @tool
    def late(n: int) -> str:
        """Ends after the call behind it."""
        if n + 1 < len(ended):
            assert ended[n + 1].wait(PATIENCE_S)
        order.append(n)
        ended[n].set()
        if n == 1:
            raise RuntimeError("broken")
        return f"number {n}"

    desk = open_bare(model=ScriptedModel(lines=[several("late", 4), "So."]), tools=[late])
    turn = desk.ask("go", caller=REQUESTER)
    assert order == [3, 2, 1, 0]
    assert [s.args["n"] for s in turn.steps] == [0, 1, 2, 3]
    assert [r.data for r in envelopes(desk, turn)] == ["number 0", None, "number 2", "number 3"]
    assert [s.outcome for s in turn.steps] == ["ok", "INTERNAL", "ok", "ok"]


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """What hung tools wait for; set when the test is over."""
    event = threading.Event()
    yield event
    event.set()


def test_a_hung_read_is_given_up_and_hurts_neither_its_neighbours_nor_the_next_turn(
    open_bare: Open, release: threading.Event
) -> None:
    @tool(timeout_s=0.3)
    def stuck(n: int) -> int:
        """Never answers while the test runs."""
        release.wait()
        return n

    @tool
    def quick(n: int) -> int:
        """Answers at once."""
        return n

    message = calls(
        ("stuck", {"n": 0}, "a"), ("quick", {"n": 1}, "b"), ("stuck", {"n": 2}, "c"), ("quick", {"n": 3}, "d")
    )
    model = ScriptedModel(lines=[message, "So.", call("quick", n=9), "So."])
    desk = open_bare(model=model, tools=[stuck, quick], parallel_reads=1)
    turn = desk.ask("go", caller=REQUESTER)
    assert [s.outcome for s in turn.steps] == ["TIMEOUT", "ok", "TIMEOUT", "ok"]
    assert [r.data for r in envelopes(desk, desk.ask("again", caller=REQUESTER, thread=turn.thread))][-1] == 9


def test_while_a_hung_call_may_be_at_work_its_group_is_told_so_and_is_free_afterwards(
    open_bare: Open, release: threading.Event
) -> None:
    ended = threading.Event()

    @tool(exclusive_group="till", timeout_s=0.3)
    def stuck(n: int) -> int:
        """Never answers while the test lets it not."""
        release.wait()
        ended.set()
        return n

    @tool(exclusive_group="till")
    def count(n: int) -> int:
        """Counts what is in the till."""
        return n

    @tool
    def look(n: int) -> int:
        """Looks elsewhere."""
        return n

    model = ScriptedModel(lines=[call("stuck", n=0), calls(("count", {"n": 1}, "b"), ("look", {"n": 2}, "c")), "So."])
    desk = open_bare(model=model, tools=[stuck, count, look], max_work_s=4)
    turn = desk.ask("go", caller=REQUESTER)
    assert {s.tool: s.outcome for s in turn.steps} == {"stuck": "TIMEOUT", "count": "CONFLICT", "look": "ok"}
    refused = envelopes(desk, turn)[1].error
    assert refused is not None and refused.retryable and "was not begun" in refused.message
    release.set()
    assert ended.wait(PATIENCE_S)
    model.lines[:], model._said = [call("count", n=3), "So."], 0
    assert [s.outcome for s in desk.ask("again", caller=REQUESTER).steps] == ["ok"]


def group_tools() -> tuple[list[Tool], Watch]:
    """Two tools of one group that must never be inside together."""
    till = Watch()
    pause = threading.Event()

    @tool(exclusive_group="money")
    def balance(n: int) -> int:
        """Reads the balance."""
        with till:
            # Gives the others the time to come in, were they let.
            pause.wait(0.02)
        return n

    @tool(exclusive_group="money")
    def statement(n: int) -> int:
        """Reads the statement."""
        with till:
            pause.wait(0.02)
        return n

    return [balance, statement], till


def test_calls_with_a_group_in_common_run_one_after_the_other(open_bare: Open) -> None:
    tools, till = group_tools()
    message = calls(*[(("balance", "statement")[n % 2], {"n": n}, f"c{n}") for n in range(8)])
    desk = open_bare(model=ScriptedModel(lines=[message, "So."]), tools=tools, parallel_reads=8)
    assert [r.data for r in envelopes(desk, desk.ask("go", caller=REQUESTER))] == list(range(8))
    assert till.most == 1


def test_a_group_is_one_for_all_turns_of_a_tenant_and_another_for_another_tenant(open_bare: Open) -> None:
    tools, till = group_tools()
    together = threading.Barrier(2)

    @tool(exclusive_group="door")
    def door(n: int) -> int:
        """Waits for a call of the other tenant."""
        together.wait(PATIENCE_S)
        return n

    desk = open_bare(
        model=ScriptedModel(lines=[lambda m: _four_times(m, "balance")]), tools=[*tools, door], parallel_reads=8
    )
    asking = [threading.Thread(target=desk.ask, args=("go",), kwargs={"caller": c}) for c in (REQUESTER, OTHER) * 2]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(PATIENCE_S)
    assert till.most == 1

    outcomes: list[str] = []
    model = ScriptedModel(lines=[lambda m: "So." if m[-1].type == "tool" else call("door", n=1)])
    two = open_bare(model=model, tools=[door])

    def at_the_door(caller: Any) -> None:
        outcomes.extend(s.outcome for s in two.ask("go", caller=caller).steps)

    pair = [threading.Thread(target=at_the_door, args=(c,)) for c in (REQUESTER, STRANGER)]
    for thread in pair:
        thread.start()
    for thread in pair:
        thread.join(PATIENCE_S)
    assert outcomes == ["ok", "ok"]


def _four_times(messages: Any, name: str) -> Any:
    return "So." if messages[-1].type == "tool" else several(name, 4)


def test_different_groups_do_not_wait_for_each_other(open_bare: Open) -> None:
    together = threading.Barrier(3)

    def meets(group: str) -> Tool:
        @tool(name=f"meet_{group or 'nobody'}", exclusive_group=group)
        def meet(n: int) -> int:
            """Waits for the other groups."""
            together.wait(PATIENCE_S)
            return n

        return meet

    tools = [meets("till"), meets("door"), meets("")]
    message = calls(*[(t.name, {"n": n}, f"c{n}") for n, t in enumerate(tools)])
    desk = open_bare(model=ScriptedModel(lines=[message, "So."]), tools=tools)
    assert [r.data for r in envelopes(desk, desk.ask("go", caller=REQUESTER))] == [0, 1, 2]


@pytest.mark.parametrize("risk", ["write", "draft"])
def test_changes_are_made_one_at_a_time_in_the_order_of_the_calls(risk: str, open_bare: Open) -> None:
    watch = Watch()
    pause = threading.Event()

    @tool(risk=risk, preview=lambda **_: Preview("Move"), effect="outside", undo="move")
    def move(n: int) -> int:
        """Moves something."""
        with watch:
            pause.wait(0.02)
            watch.order.append(n)
        return n

    desk = open_bare(model=ScriptedModel(lines=[several("move", 4), "Moved."]), tools=[move], parallel_reads=8)
    turn = desk.ask("move", caller=REQUESTER)
    if risk == "write":
        assert turn.status is Status.WAITING and watch.order == []
        # Decided in another order than they were called in.
        for approval in reversed(turn.approvals):
            desk.decide(approval.id, "approve", by=REQUESTER)
        turn = desk.resume(turn.thread)
    assert [s.outcome for s in turn.steps] == ["ok"] * 4
    assert watch.order == [0, 1, 2, 3] and watch.most == 1


def test_reads_beside_a_write_run_before_it_is_signed(open_bare: Open) -> None:
    done: list[str] = []

    @tool
    def look(n: int) -> int:
        """Looks."""
        done.append(f"look {n}")
        return n

    @tool(risk="write", preview=lambda **_: Preview("Move"), effect="outside")
    def move(n: int) -> int:
        """Moves something."""
        done.append(f"move {n}")
        return n

    message = calls(("look", {"n": 1}, "a"), ("move", {"n": 2}, "b"), ("look", {"n": 3}, "c"))
    desk = open_bare(model=ScriptedModel(lines=[message, "So."]), tools=[look, move])
    turn = desk.ask("go", caller=REQUESTER)
    assert sorted(done) == ["look 1", "look 3"] and [s.outcome for s in turn.steps] == ["ok", "waiting", "ok"]
    desk.decide(turn.approvals[0].id, "approve", by=REQUESTER)
    turn = desk.resume(turn.thread)
    assert done[-1] == "move 2" and len(done) == 3
    assert [r.data for r in envelopes(desk, turn)] == [1, 2, 3]
