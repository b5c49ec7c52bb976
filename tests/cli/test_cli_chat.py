"""`chat` through a pipe: every line a message on one thread."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from scripted import ScriptedModel, call
from signoff_command import Cli

Says = Callable[..., ScriptedModel]


def test_every_line_is_a_message_on_one_thread(cli: Cli, says: Says) -> None:
    model = says("First.", "Second.")
    done = cli("chat", input="hello\n\n  and you?  \n")
    assert done.code == 0
    assert done.out == "First.\nSecond.\n"
    assert len(cli.threads()) == 1
    assert "First." in [str(m.content) for m in model.prompts[-1]]
    assert f"chat --thread {cli.threads()[0]['id']}" in done.err


def test_it_goes_on_with_a_thread(cli: Cli, says: Says) -> None:
    says("First.", "Second.")
    cli("chat", input="hello\n")
    thread = cli.threads()[0]["id"]
    assert cli("chat", "--thread", thread, input="again\n").code == 0
    assert [t["id"] for t in cli.threads()] == [thread]


def test_quit_ends_it_and_new_begins_another_thread(cli: Cli, says: Says) -> None:
    says("First.", "Second.", "Third.")
    done = cli("chat", input="hello\n/new\nhello again\n/quit\nnot heard\n")
    assert done.out == "First.\nSecond.\n"
    assert len(cli.threads()) == 2


@pytest.mark.parametrize("decision", ["/approve", "/approve {id}", "/edit reason=x", "/reject no"])
def test_a_pipe_decides_nothing(cli: Cli, says: Says, decision: str) -> None:
    says(call("refund_order", order_id="A1003"), "Order A1003 was refunded.")
    done = cli("chat", input=f"Refund order A1003\n{decision}\n")
    assert done.code == 64
    assert "works in a terminal only" in done.err
    assert cli.refunds("A1003") == 0
    assert [a["status"] for a in cli("approvals", "list", "--json").data("approval")] == ["pending"]


def test_its_exit_code_is_that_of_the_last_turn(cli: Cli, says: Says) -> None:
    says("Hello.", call("refund_order", order_id="A1003"), "Never mind.")
    assert cli("chat", input="hello\nRefund order A1003\n").code == 10
    assert cli("chat", input="hello\n").code == 0


def test_a_new_message_takes_back_what_waits(cli: Cli, says: Says) -> None:
    says(call("refund_order", order_id="A1003"), "Never mind, then.")
    done = cli("chat", input="Refund order A1003\nno, forget it\n")
    assert done.code == 0
    assert [a["status"] for a in cli("approvals", "list", "--status", "all", "--json").data("approval")] == [
        "withdrawn"
    ]


def test_a_mistake_does_not_end_it(cli: Cli, says: Says) -> None:
    says("Hello.")
    done = cli("chat", input="/nonsense\n/help\n/thread\n/approvals\n/show\nhello\n")
    assert done.code == 0
    assert done.out == "Hello.\n"
    assert "/nonsense is no command" in done.err and "/reject [ID] [REASON]" in done.err


def test_as_json_every_turn_ends_with_its_final_event(cli: Cli, says: Says) -> None:
    says("First.", "Second.")
    done = cli("chat", "--json", input="hello\nagain\n")
    assert [f["answer"] for f in done.data("final")] == ["First.", "Second."]
    assert [e["seq"] for e in done.events] == list(range(1, len(done.events) + 1))
