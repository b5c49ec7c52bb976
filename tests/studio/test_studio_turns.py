"""The main job over real HTTP: ask, stop, decide elsewhere, go on, look back, fork."""

from __future__ import annotations

import pytest
from dev_server import GRAPH, LIN, MAYA, OSCAR, Server, ask, park, said, shared

from signoff.errors import NotFound

pytestmark = pytest.mark.xdist_group("studio")

NODES = {"route", "retrieve", "agent", "tools", "write_tools", "validate"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Server:
    return shared(tmp_path_factory, pytestconfig)


def test_the_server_shows_one_graph_with_its_six_nodes_and_asks_for_no_identity(server: Server) -> None:
    client = server.client()
    (assistant,) = client.assistants.search()
    assert assistant["graph_id"] == GRAPH
    drawn = client.assistants.get_graph(assistant["assistant_id"])
    assert {n["id"] for n in drawn["nodes"]} == {"__start__", *NODES, "__end__"}
    shown = next(n for n in drawn["nodes"] if n["id"] == "write_tools")
    assert shown["metadata"] == {"__interrupt": "before"}
    schemas = client.assistants.get_schemas(assistant["assistant_id"])
    assert set(schemas["input_schema"]["properties"]) == {"messages"}
    assert not schemas["context_schema"]


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("What is the status of order A1001?", "en"),
        ("订单 A1001 什么状态?", "zh"),
    ],
)
def test_a_question_is_answered_without_a_stop(server: Server, words: str, language: str) -> None:
    _, ended = ask(server.client(), words)
    assert ended["status"] == "done" and "A1001" in ended["answer"] and "299" in ended["answer"]
    assert not ended["approvals"]
    assert (" yuan" in ended["answer"]) == (language == "en") and ("元" in ended["answer"]) == (language == "zh")


@pytest.mark.parametrize(
    ("token", "words"),
    [
        (LIN, "Refund order {}, it arrived broken"),
        (OSCAR, "订单 {} 到货就碎了,请退款"),
    ],
)
def test_a_refund_stops_is_signed_elsewhere_and_is_made_once_however_often_it_is_resumed(
    server: Server, token: str, words: str
) -> None:
    parked = park(server, token, words=words)
    state = parked.client.threads.get_state(parked.thread)
    assert state["next"] == ["write_tools"]
    assert parked.client.threads.get(parked.thread)["status"] == "interrupted"
    assert server.refunds(parked.order) == 0

    again = parked.run(input=None)
    (card,) = again["__interrupt__"][0]["value"]["approvals"]
    assert card["id"] == parked.approval and card["arguments"]["order_id"] == parked.order
    assert server.refunds(parked.order) == 0

    server.sign(parked.approval, "acme" if token == LIN else "globex")
    assert server.refunds(parked.order) == 0
    done = parked.run(input=None)
    assert done["status"] == "done" and server.refunds(parked.order) == 1
    receipt = next(m for m in done["messages"] if m["type"] == "tool")
    assert '"ok": true' in receipt["content"] and parked.order in done["answer"]
    for _ in range(2):
        assert parked.run(input=None)["answer"] == done["answer"]
    assert server.refunds(parked.order) == 1


def test_what_a_person_rejects_is_not_done_and_the_reason_is_told(server: Server) -> None:
    parked = park(server, MAYA)
    server.sign(parked.approval, decision="reject", reason="customer already called")
    ended = parked.run(input=None)
    assert ended["status"] == "rejected" and server.refunds(parked.order) == 0
    assert "customer already called" in next(m["content"] for m in ended["messages"] if m["type"] == "tool")


def test_requesters_sign_off_their_own_write_by_resuming_with_its_id(server: Server) -> None:
    parked = park(server, MAYA)
    ended = parked.run(command={"resume": {parked.approval: {"decision": "approve"}}})
    assert ended["status"] == "done" and server.refunds(parked.order) == 1
    (decision,) = server.desk.approval(
        parked.approval, viewer=server.desk.services.threads.owner(parked.thread)
    ).decisions
    assert (decision.by, decision.kind) == ("u-42", "approve")


def test_a_resume_after_the_card_was_shown_decides_too(server: Server) -> None:
    parked = park(server)
    parked.run(input=None)
    ended = parked.run(command={"resume": {parked.approval: "reject"}})
    assert ended["status"] == "rejected" and server.refunds(parked.order) == 0


def test_requesters_do_not_sign_off_their_own_critical_write(server: Server) -> None:
    parked = park(server, yuan=501)
    ended = parked.run(command={"resume": {parked.approval: {"decision": "approve"}}})
    assert "somebody other than its requester" in ended["__interrupt__"][0]["value"]["problem"]
    assert server.status(parked.approval) == "pending" and server.refunds(parked.order) == 0
    server.sign(parked.approval)
    assert parked.run(input=None)["status"] == "done" and server.refunds(parked.order) == 1


def test_a_new_message_withdraws_what_waits(server: Server) -> None:
    parked = park(server)
    _, ended = ask(parked.client, "订单 A1001 什么状态?", parked.thread)
    assert ended["status"] == "done" and server.status(parked.approval) == "withdrawn"
    assert server.refunds(parked.order) == 0


def test_history_leads_back_to_the_stop_and_a_replay_from_it_refunds_nothing_again(server: Server) -> None:
    parked = park(server)
    server.sign(parked.approval)
    first = parked.run(input=None)
    steps = parked.client.threads.get_history(parked.thread, limit=50)
    assert steps[0]["next"] == [] and steps[-1]["next"] == ["__start__"]
    stop = next(s for s in steps if s["next"] == ["write_tools"])
    assert len(stop["values"]["messages"]) == 2

    replayed = parked.run(input=None, checkpoint_id=stop["checkpoint"]["checkpoint_id"])
    assert replayed["answer"] == first["answer"] and server.refunds(parked.order) == 1


def test_a_fork_goes_on_with_other_words_and_the_old_branch_stays_in_the_history(server: Server) -> None:
    client = server.client()
    thread, _ = ask(client, "What is the status of order A1001?")
    start = client.threads.get_history(thread, limit=50)[-1]
    forked = dict(
        client.runs.wait(
            thread,
            GRAPH,
            input=said("订单 A1003 什么状态?"),
            checkpoint_id=start["parent_checkpoint"] or start["checkpoint"]["checkpoint_id"],
        )
    )
    assert "A1003" in forked["answer"]
    seen = {m["content"] for s in client.threads.get_history(thread, limit=50) for m in s["values"].get("messages", ())}
    assert {"What is the status of order A1001?", "订单 A1003 什么状态?"} <= seen


def test_a_fork_from_before_the_signature_does_not_carry_it_over_to_other_arguments(server: Server) -> None:
    parked, other = park(server), server.order()
    stop = parked.client.threads.get_state(parked.thread)
    server.sign(parked.approval)
    message = {
        "role": "assistant",
        "content": "",
        "id": parked.message,
        "tool_calls": [{**parked.call, "args": {**parked.call["args"], "order_id": other}}],
    }
    parked.client.threads.update_state(
        parked.thread, {"messages": [message]}, as_node="tools", checkpoint_id=stop["checkpoint"]["checkpoint_id"]
    )
    parked.run(input=None)
    assert server.refunds(other) == 0 and server.refunds(parked.order) == 0


def test_what_a_client_did_wrong_is_told_in_the_desks_own_words(server: Server) -> None:
    client = server.client()
    thread = client.threads.create()["thread_id"]
    ended = client.runs.wait(thread, GRAPH, input={"messages": []}, raise_error=False)
    assert "begins with a person's words" in ended["__error__"]["message"]
    _, after = ask(client, "hello", thread)
    assert after["status"] == "done"


def test_a_thread_that_another_desk_of_the_home_has_is_nobody_elses_on_the_server(server: Server) -> None:
    mine = "11111111-2222-4333-8444-555555555555"
    server.desk.ask(
        "What is the status of order A2001?",
        caller=server.desk.services.threads.owner(park(server, MAYA).thread),
        thread=mine,
    )
    client = server.client(LIN)
    client.threads.create(thread_id=mine, graph_id=GRAPH)
    for how in ({"input": said("hello")}, {"command": {"goto": "tools"}}, {"input": None}):
        ended = client.runs.wait(mine, GRAPH, raise_error=False, **how)
        assert "no thread" in ended["__error__"]["message"]
    with pytest.raises(NotFound):
        server.desk.services.threads.get(mine, server.desk.services.threads.owner(park(server, LIN).thread))


def test_nothing_blocked_the_servers_event_loop(server: Server) -> None:
    assert "BlockingError" not in server.log
