"""`approvals`: looking, deciding, and what may not be."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from scripted import ScriptedModel, call, calls
from signoff_command import SECOND, SUPERVISOR, Cli

Says = Callable[..., ScriptedModel]
REFUND = call("refund_order", order_id="A1003", reason="arrived broken")
LARGE = call("refund_order", order_id="A1004", reason="arrived broken")
ADDRESS = call("update_address", order_id="A1002", address="杭州市滨江区江南大道 88 号")
MOVE = "把 A1002 的收货地址改成杭州市滨江区江南大道 88 号"


def test_the_list_shows_what_waits_to_those_it_concerns(cli: Cli, says: Says) -> None:
    says(REFUND, "Done.")
    approval = cli.waiting()
    for who in ("acme/u-17", SUPERVISOR):
        shown = cli("approvals", "list", "--as", who)
        assert shown.code == 0
        assert approval in shown.out and "Refund order A1003: 299.00 yuan" in shown.out
    for who in ("acme/u-42", "globex/u-17", "globex/s-02"):
        hidden = cli("approvals", "list", "--as", who)
        assert hidden.code == 0
        assert approval not in hidden.out + hidden.err


def test_the_list_is_by_status_and_as_json_one_approval_a_line(cli: Cli, says: Says) -> None:
    says(REFUND, "Refused.")
    approval = cli.waiting()
    cli("approvals", "reject", approval, "--no-resume")
    assert cli("approvals", "list", "--json").events == []
    [found] = cli("approvals", "list", "--status", "rejected", "--json").data("approval")
    assert (found["id"], found["status"], found["args"]["order_id"]) == (approval, "rejected", "A1003")
    assert cli("approvals", "list", "--status", "all").out.count(approval) == 1
    assert cli("approvals", "list", "--status", "nonsense").code == 64


def test_the_card_is_what_show_answers(cli: Cli, says: Says) -> None:
    says(REFUND, "Done.")
    approval = cli.waiting()
    shown = cli("approvals", "show", approval)
    assert 'refund_order(order_id="A1003", reason="arrived broken")' in shown.out
    assert shown.err == ""


def test_an_id_may_be_shortened(cli: Cli, says: Says) -> None:
    says(REFUND, "Done.")
    approval = cli.waiting()
    for given in (approval, approval[:7], approval.removeprefix("ap-")[:6]):
        assert approval in cli("approvals", "show", given).out


def test_an_id_that_could_be_several_is_refused(cli: Cli, says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = (UUID(int=n << 80) for n in range(1, 100))
    monkeypatch.setattr("signoff.approvals.store.uuid4", lambda: next(ids))
    says(calls(("refund_order", {"order_id": "A1003"}, "x"), ("refund_order", {"order_id": "A1004"}, "y")), "Done.")
    cli.waiting("Refund orders A1003 and A1004")
    refused = cli("approvals", "show", "ap-0")
    assert refused.code == 64
    assert "is the beginning of 2 approvals" in refused.err
    assert cli("approvals", "show", "ap-").code == 1


def test_for_strangers_there_is_no_approval(cli: Cli, says: Says) -> None:
    says(REFUND, "Done.")
    approval = cli.waiting()
    for who in ("acme/u-42", "globex/u-17", "globex/s-02:supervisor"):
        for command in ("show", "approve", "reject"):
            refused = cli("approvals", command, approval, "--as", who)
            assert refused.code == 1
            assert "There is no approval" in refused.err
    assert cli.refunds("A1003") == 0


def test_approving_shows_the_card_then_carries_it_out_once(cli: Cli, says: Says) -> None:
    says(REFUND, "Order A1003 was refunded.")
    approval = cli.waiting()
    done = cli("approvals", "approve", approval, "--as", SUPERVISOR)
    assert done.code == 0
    assert done.err.index("299.00 yuan") < done.err.index("acme/s-02 approved") < done.err.index("write_tools")
    assert done.out.startswith("Order A1003 was refunded.")
    again = cli("approvals", "approve", approval, "--as", SUPERVISOR)
    assert again.code in (0, 1)
    assert cli.refunds("A1003") == 1


def test_with_no_resume_it_is_only_decided(cli: Cli, says: Says) -> None:
    says(REFUND, "Order A1003 was refunded.")
    approval = cli.waiting()
    assert cli("approvals", "approve", approval, "--no-resume").code == 0
    assert cli.refunds("A1003") == 0
    assert cli("resume", cli.threads()[0]["id"]).code == 0
    assert cli.refunds("A1003") == 1


def test_the_requester_of_a_critical_write_may_not_approve_it(cli: Cli, says: Says) -> None:
    says(LARGE, "Order A1004 was refunded.")
    approval = cli.waiting("Refund order A1004, it arrived broken")
    refused = cli("approvals", "approve", approval)
    assert refused.code == 1
    assert "somebody other than its requester" in refused.err
    assert cli("approvals", "approve", approval, "--as", "acme/u-17:supervisor").code == 1
    assert cli.refunds("A1004") == 0
    assert cli("approvals", "approve", approval, "--as", SUPERVISOR).code == 0
    assert cli.refunds("A1004") == 1


def test_two_people_sign_where_two_are_needed(cli: Cli, says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNOFF_TWO_PERSON_ABOVE_YUAN", "600")
    says(LARGE, "Order A1004 was refunded.")
    approval = cli.waiting("Refund order A1004, it arrived broken")
    first = cli("approvals", "approve", approval, "--as", SUPERVISOR)
    assert first.code == 10
    assert "1 of 2" in first.err
    assert f"--as {SECOND}" in first.out
    assert cli.refunds("A1004") == 0
    assert cli("approvals", "approve", approval, "--as", SUPERVISOR).code == 1
    assert cli("approvals", "approve", approval, "--as", SECOND).code == 0
    assert cli.refunds("A1004") == 1


def test_what_was_rejected_cannot_be_approved(cli: Cli, says: Says) -> None:
    says(REFUND, "It was not done.")
    approval = cli.waiting()
    rejected = cli("approvals", "reject", approval, "--reason", "customer already called", "--as", SUPERVISOR)
    assert rejected.code == 11
    assert cli("approvals", "approve", approval, "--as", SUPERVISOR).code == 11
    assert cli.refunds("A1003") == 0
    [found] = cli("approvals", "show", approval, "--json").data("approval")
    assert found["decisions"][0]["reason"] == "customer already called"


def test_an_edit_is_a_new_approval_and_only_that_runs(cli: Cli, says: Says) -> None:
    says(ADDRESS, "已修改。")
    old = cli.waiting(MOVE)
    edited = cli(
        "approvals", "edit", old, "--set", "address=杭州市滨江区江南大道 88 号 3 楼", "--reason", "漏了楼层",
        "--as", SUPERVISOR,
    )  # fmt: skip
    assert edited.code == 10
    assert "3 楼" in edited.err
    new = cli("approvals", "list", "--json").data("approval")[0]["id"]
    assert new != old and new in edited.out
    stale = cli("approvals", "approve", old, "--as", SUPERVISOR)
    assert stale.code == 1 and new in stale.err
    assert cli("approvals", "approve", new, "--as", SUPERVISOR).code == 0
    [order] = [
        r for r in cli("records", "rows", "orders", "--json").data("record")
        if (r["tenant"], r["order_id"]) == ("acme", "A1002")
    ]  # fmt: skip
    assert order["address"] == "杭州市滨江区江南大道 88 号 3 楼"


@pytest.mark.parametrize(
    ("settings", "code", "words"),
    [
        ([], 64, "--set"),
        (["address"], 64, "is not a change"),
        (["=x"], 64, "is not a change"),
        (["nonsense=x"], 64, "nonsense is not a parameter"),
        (["address=x"], 64, "address"),
        (["order_id=A1001"], 1, "cannot be carried out"),
        (["address=杭州市滨江区江南大道 88 号"], 64, "changes nothing"),
    ],
)
def test_an_edit_that_cannot_be_is_refused_with_a_reason(
    cli: Cli, says: Says, settings: list[str], code: int, words: str
) -> None:
    says(ADDRESS, "已修改。")
    approval = cli.waiting(MOVE)
    refused = cli("approvals", "edit", approval, *(part for s in settings for part in ("--set", s)))
    assert refused.code == code
    assert words in refused.err
    assert [a["id"] for a in cli("approvals", "list", "--json").data("approval")] == [approval]


def test_json_goes_from_the_decision_to_the_end_of_the_turn(cli: Cli, says: Says) -> None:
    says(REFUND, "Order A1003 was refunded.")
    done = cli("approvals", "approve", cli.waiting(), "--json")
    assert done.code == 0
    assert done.events[0]["type"] == "approval" and done.events[0]["data"]["status"] == "approved"
    assert done.events[-1]["type"] == "final" and done.events[-1]["data"]["status"] == "done"
    assert [e["seq"] for e in done.events] == list(range(1, len(done.events) + 1))
