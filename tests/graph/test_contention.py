"""One turn at a time on a thread, whoever runs it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from history import faults
from langchain_core.messages import HumanMessage
from people import REQUESTER, SUPERVISOR
from scripted import ScriptedModel, call, stamp_tool

from signoff import Desk
from signoff.errors import ThreadBusy


def test_two_processes_and_eight_threads_resuming_at_once_act_once(home: Path, open_desk: Callable[..., Desk]) -> None:
    stamps = home.parent / "stamps"
    desk = open_desk(model=ScriptedModel(lines=[call("stamp", words="paid")]), tools=[stamp_tool(stamps)])
    turn = desk.ask("stamp paid", caller=REQUESTER)
    desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    script = Path(__file__).with_name("contention_run.py")
    runs = [
        subprocess.Popen(
            [sys.executable, script, home, turn.thread, "8"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for run in runs:
        assert run.stdout is not None and run.stdout.readline() == "ready\n"
    said = []
    for run in runs:
        assert run.stdin is not None
        run.stdin.write("\n")
        run.stdin.flush()
    for run in runs:
        said += run.communicate(timeout=120)[0].splitlines()
    assert said == ["done ok Stamped."] * 16
    assert stamps.read_text() == "paid\n"
    assert faults(desk.messages(turn.thread)) == []


def test_messages_sent_to_one_thread_at_once_are_all_kept(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(model=ScriptedModel(lines=["Hello."]))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: desk.ask(f"hello {i}", caller=REQUESTER, thread="th-1"), range(16)))
        turns = list(pool.map(lambda i: desk.ask(f"hello {i}", caller=REQUESTER, thread="th-1"), range(16, 32)))
    assert [t.question for t in turns] == [f"hello {i}" for i in range(16, 32)]
    asked = [str(m.content) for m in desk.messages("th-1") if isinstance(m, HumanMessage)]
    assert sorted(asked) == sorted(f"hello {i}" for i in range(32))


def test_a_second_turn_waits_and_then_is_told_so(open_desk: Callable[..., Desk]) -> None:
    release = threading.Event()

    def slow(_: object) -> str:
        release.wait(20)
        return "Hello."

    desk = open_desk(model=ScriptedModel(lines=[slow]), turn_wait_s=0.3)
    first = threading.Thread(target=desk.ask, args=("hello",), kwargs={"caller": REQUESTER, "thread": "th-1"})
    first.start()
    try:
        while desk.services.threads.find("th-1") is None:
            pass
        with pytest.raises(ThreadBusy, match=r"within 0\.3 s"):
            desk.ask("hello again", caller=REQUESTER, thread="th-1")
    finally:
        release.set()
        first.join()
    assert desk.ask("hello again", caller=REQUESTER, thread="th-1").answer == "Hello."
