"""Several clients at once on one thread, over real HTTP."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from dev_server import GRAPH, LIN, Parked, Server, ask, park, said, shared
from httpx import HTTPStatusError

from signoff.state import open_calls, reduce_messages

pytestmark = pytest.mark.xdist_group("studio")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Server:
    return shared(tmp_path_factory, pytestconfig)


def at_once(parked: Parked, *runs: dict[str, Any]) -> list[int | str]:
    """Start the runs together, each with a client of its own; statuses, and 409 for a run that was turned away."""

    def one(how: dict[str, Any]) -> int | str:
        try:
            ended = parked.server.client().runs.wait(parked.thread, GRAPH, raise_error=False, **how)
        except HTTPStatusError as error:
            return error.response.status_code
        return str(dict(ended).get("status") or dict(ended).get("__error__"))

    with ThreadPoolExecutor(len(runs)) as pool:
        return list(pool.map(one, runs))


def messages(parked: Parked) -> list[dict[str, Any]]:
    return list(parked.client.threads.get_state(parked.thread)["values"]["messages"])


def test_signed_once_and_resumed_by_eight_clients_a_refund_is_made_once(server: Server) -> None:
    parked = park(server)
    server.sign(parked.approval)
    strategies = ["enqueue", "reject", "enqueue", "interrupt", "enqueue", "rollback", "reject", "enqueue"]
    ended = at_once(parked, *({"input": None, "multitask_strategy": s} for s in strategies))
    assert set(ended) <= {"done", "waiting", "running", "None", 409}
    assert parked.run(input=None)["status"] == "done"
    assert server.refunds(parked.order) == 1
    assert [m["type"] for m in messages(parked)] == ["human", "ai", "tool", "ai"]


def test_eight_approving_resumes_of_ones_own_refund_are_one_refund(server: Server) -> None:
    parked = park(server)
    resume = {"command": {"resume": {parked.approval: {"decision": "approve"}}}}
    at_once(parked, *[resume] * 8)
    assert server.refunds(parked.order) == 1
    assert [m["type"] for m in messages(parked)].count("tool") == 1


def test_no_message_is_lost_when_several_come_at_once(server: Server) -> None:
    parked = park(server)
    asked = [f"What is the status of order A100{i}?" for i in (1, 2, 3, 5, 6)]
    assert set(at_once(parked, *({"input": said(words)} for words in asked))) == {"done"}
    said_by_people = [m["content"] for m in messages(parked) if m["type"] == "human"]
    assert sorted(said_by_people[1:]) == asked
    # One turn after the other: every question has its answer before the next one begins.
    kinds = [m["type"] for m in messages(parked) if m["type"] == "human" or (m["type"] == "ai" and m["content"])]
    assert kinds[1:] == ["human", "ai"] * 5


def test_a_resume_and_new_messages_that_interrupt_each_other_leave_a_valid_record_and_one_refund(
    server: Server,
) -> None:
    parked = park(server)
    server.sign(parked.approval)
    at_once(
        parked,
        {"input": None},
        {"input": said("订单 A1001 什么状态?"), "multitask_strategy": "interrupt"},
        {"input": None, "multitask_strategy": "interrupt"},
        {"input": said("What is the status of order A1002?"), "multitask_strategy": "rollback"},
        {"input": None},
    )
    _, after = ask(parked.client, "What is the status of order A1003?", parked.thread)
    assert after["status"] == "done" and "A1003" in after["answer"]
    record = reduce_messages(None, [messages(parked)])
    assert not open_calls(record) and [m.id for m in record] == [m["id"] for m in messages(parked)]
    assert server.refunds(parked.order) <= 1
    if server.status(parked.approval) == "used":
        assert server.refunds(parked.order) == 1


def test_runs_on_different_threads_go_side_by_side(server: Server) -> None:
    with ThreadPoolExecutor(4) as pool:
        waiting = list(pool.map(lambda _: park(server, LIN), range(4)))
    for parked in waiting:
        server.sign(parked.approval)
    with ThreadPoolExecutor(4) as pool:
        assert [e["status"] for e in pool.map(lambda p: p.run(input=None), waiting)] == ["done"] * 4
    assert [server.refunds(p.order) for p in waiting] == [1] * 4
