"""`threads`: the past, and going back to it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from scripted import ScriptedModel, call
from signoff_command import SUPERVISOR, Cli

Says = Callable[..., ScriptedModel]
REFUND = call("refund_order", order_id="A1003", reason="arrived broken")


@pytest.fixture
def refunded(cli: Cli, says: Says) -> str:
    """A thread on which order A1003 was refunded."""
    says(REFUND, "Order A1003 was refunded.")
    assert cli("approvals", "approve", cli.waiting()).code == 0
    return str(cli.threads()[0]["id"])


def before_the_write(cli: Cli, thread: str) -> str:
    """The checkpoint at which the run stopped."""
    steps = cli("threads", "history", thread, "--json").data("checkpoint")
    return str(next(s["checkpoint"] for s in steps if s["next"] == ["write_tools"]))


def test_the_list_is_the_callers_own(cli: Cli, refunded: str) -> None:
    assert refunded in cli("threads", "list").out
    assert cli("threads", "list", "--status", "done", "--json").data("thread")[0]["id"] == refunded
    assert cli("threads", "list", "--status", "waiting", "--json").events == []
    assert cli("threads", "list", "--status", "nonsense").code == 64
    for who in ("acme/u-42", "globex/u-17", SUPERVISOR):
        assert cli("threads", "list", "--json", "--as", who).events == []


def test_a_thread_is_shown_as_a_conversation(cli: Cli, refunded: str) -> None:
    shown = cli("threads", "show", refunded)
    assert shown.out == "you: Refund order A1003, it arrived broken\ndesk: Order A1003 was refunded.\n"
    assert 'refund_order(order_id="A1003"' in shown.err and "done" in shown.err
    roles = [m["role"] for m in cli("threads", "show", refunded, "--json").data("message")]
    assert roles == ["human", "ai", "tool", "ai"]


def test_history_names_checkpoints_that_other_commands_take(cli: Cli, refunded: str) -> None:
    shown = cli("threads", "history", refunded)
    short = next(line.split()[0] for line in shown.out.splitlines() if " write_tools " in line)
    assert before_the_write(cli, refunded).endswith(short)
    changed = cli("threads", "diff", refunded, short)
    assert changed.code == 0
    assert "+ ai: Order A1003 was refunded." in changed.out
    page = cli("threads", "history", refunded, "--limit", "2", "--json").data("checkpoint")
    older = cli("threads", "history", refunded, "--before", page[-1]["checkpoint"], "--json").data("checkpoint")
    assert len(page) == 2 and page[-1]["step"] == older[0]["step"] + 1


@pytest.mark.parametrize("recorded", [[], ["--recorded"]])
def test_a_replay_over_the_write_refunds_nothing_again(
    cli: Cli, refunded: str, says: Says, recorded: list[str]
) -> None:
    says("Order A1003 was refunded.")
    again = cli("threads", "replay", refunded, before_the_write(cli, refunded), *recorded)
    assert again.code == 0
    assert "exactly as the record says" in again.err
    assert cli.refunds("A1003") == 1


def test_a_replay_that_goes_otherwise_says_where_and_ends_with_1(cli: Cli, refunded: str, says: Says) -> None:
    says("The refund of order A1003 is done.")
    again = cli("threads", "replay", refunded, before_the_write(cli, refunded), "--json")
    assert again.code == 1
    [told] = again.data("replay")
    assert told["same"] is False and told["differences"] == ["answer: worded otherwise"]


def test_a_fork_with_other_words_becomes_the_present(cli: Cli, refunded: str, says: Says) -> None:
    start = cli("threads", "history", refunded, "--json").data("checkpoint")[-1]["checkpoint"]
    says("Hello from the other branch.")
    forked = cli("threads", "fork", refunded, start, "hello", "instead")
    assert forked.code == 0
    assert forked.out == "Hello from the other branch.\n"
    assert "refunded" not in cli("threads", "show", refunded).out
    assert cli.refunds("A1003") == 1


def test_a_fork_without_words_stands_as_it_did_and_refunds_nothing_again(cli: Cli, refunded: str, says: Says) -> None:
    says("Order A1003 was refunded.")
    forked = cli("threads", "fork", refunded, before_the_write(cli, refunded))
    assert forked.code == 10
    assert cli("resume", refunded).code == 0
    assert cli.refunds("A1003") == 1


def test_pruning_keeps_the_thread_readable(cli: Cli, refunded: str) -> None:
    pruned = cli("threads", "prune", refunded, "--keep", "2", "--json")
    assert pruned.code == 0
    assert pruned.data("thread")[0]["removed"] > 0
    assert len(cli("threads", "history", refunded, "--json").events) == 2
    assert "Order A1003 was refunded." in cli("threads", "show", refunded).out
    assert cli("threads", "prune", "--keep", "1").out == f"{refunded}: 1 checkpoints removed\n"


def test_a_deleted_thread_is_gone_and_what_was_done_stays(cli: Cli, refunded: str) -> None:
    assert cli("threads", "delete", refunded).code == 64
    assert cli("threads", "delete", refunded, "--yes").code == 0
    assert cli("threads", "show", refunded).code == 1
    assert cli.threads() == []
    assert cli.refunds("A1003") == 1


def test_somebody_elses_thread_is_not_found(cli: Cli, refunded: str) -> None:
    for who in ("acme/u-42", "globex/u-17", SUPERVISOR):
        for command in ("show", "history", "delete", "prune"):
            refused = cli("threads", command, refunded, "--as", who)
            assert refused.code == 1
            assert "There is no thread" in refused.err
    assert "Order A1003 was refunded." in cli("threads", "show", refunded).out


def test_a_checkpoint_that_is_not_there_is_not_found(cli: Cli, refunded: str) -> None:
    for checkpoint in ("nonsense", "1f000000-0000-6000-8000-000000000000"):
        for command in ("diff", "fork", "replay"):
            refused = cli("threads", command, refunded, checkpoint)
            assert refused.code == 1
            assert "no checkpoint" in refused.err
