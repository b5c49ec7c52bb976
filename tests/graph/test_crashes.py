"""A process really killed at every step of an approved refund; then a new process goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from history import faults
from people import REQUESTER, SUPERVISOR, refunds
from scripted import ScriptedModel, call

from signoff import Desk
from signoff.state import Status

PLACES = [
    "settle",
    "prepare",
    "parsed",
    "mask",
    "of_call",
    "_approved",
    "_local",
    "_claim",
    "consume",
    "claim",
    "invoke",
    "refund",
    "finish",
    "commit",
    "record",
    "put_writes",
    "put",
    "call",
]


def killed(home: Path, thread: str, place: str, when: str) -> int:
    script = Path(__file__).with_name("crash_run.py")
    return subprocess.run([sys.executable, script, home, thread, place, when], timeout=60, check=False).returncode


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("place", PLACES)
def test_a_kill_at_any_step_of_an_approved_refund_leaves_exactly_one(
    place: str, when: str, home: Path, open_desk: Callable[..., Desk]
) -> None:
    desk = open_desk(model=ScriptedModel(lines=[call("refund_order", order_id="A1003", reason="it arrived broken")]))
    parked = desk.ask("Refund order A1003, it arrived broken", caller=REQUESTER)
    desk.decide(parked.approvals[0].id, "approve", by=SUPERVISOR)
    desk.close()

    assert killed(home, parked.thread, place, when) == -signal.SIGKILL

    fresh = open_desk(model=ScriptedModel(lines=["Order A1003 was refunded."]))
    for _ in range(2):
        turn = fresh.resume(parked.thread)
        assert turn.status is Status.DONE
        assert turn.answer == "Order A1003 was refunded."
    assert turn.steps[-1].outcome == "ok"
    assert refunds(fresh) == ["A1003"]
    assert faults(fresh.messages(parked.thread)) == []
    assert fresh.ask("hello", caller=REQUESTER, thread=parked.thread).status is Status.DONE


def test_a_kill_while_reading_is_gone_on_with(home: Path, open_desk: Callable[..., Desk]) -> None:
    script = ScriptedModel(lines=[call("query_order", order_id="A1003"), "A1003 is 299.00 yuan."])
    desk = open_desk(model=script)
    events = desk.ask_events("What about A1003?", caller=REQUESTER, thread="th-cut")
    next(events)
    next(events)
    events.close()
    desk.close()
    assert killed(home, "th-cut", "record", "after") == -signal.SIGKILL
    turn = open_desk(model=ScriptedModel(lines=["A1003 is 299.00 yuan."])).resume("th-cut")
    assert (turn.status, turn.answer) == (Status.DONE, "A1003 is 299.00 yuan.")
