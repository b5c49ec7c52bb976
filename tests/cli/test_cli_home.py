"""The home's data from the command line: records, knowledge, audit, traces, and making a home."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from scripted import ScriptedModel, call
from signoff_command import SUPERVISOR, Cli

Says = Callable[..., ScriptedModel]


def test_records_show_the_tables_and_their_rows(cli: Cli) -> None:
    assert cli("records").out == cli("records", "tables").out
    tables = {t["table"]: t["rows"] for t in cli("records", "tables", "--json").data("table")}
    assert tables["orders"] > 30
    rows = cli("records", "rows", "orders", "--tenant", "acme", "--json").data("record")
    assert {r["tenant"] for r in rows} == {"acme"}
    assert next(r for r in rows if r["order_id"] == "A1001")["amount_yuan"] == "299.00"
    assert len(cli("records", "rows", "orders", "--limit", "3", "--json").events) == 3


@pytest.mark.parametrize("args", [["rows", "nonsense"], ["rows", "orders", "--limit", "0"], ["rows"]])
def test_records_that_are_not_there_are_wrong_usage(cli: Cli, args: list[str]) -> None:
    assert cli("records", *args).code == 64


def test_documents_are_added_found_listed_and_removed(cli: Cli, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "parking.md").write_text("# Parking\n\nZebra bays on level 3 are for visitors.\n", encoding="utf-8")
    (notes / "picture.png").write_bytes(b"\x89PNG")
    added = cli("knowledge", "add", str(notes))
    assert added.code == 0
    assert added.out == "1 added, 0 updated, 0 unchanged, 0 removed, 1 skipped\n"
    assert "picture.png" in added.err
    found = cli("knowledge", "search", "zebra", "bays", "--json").data("passage")[0]
    assert "level 3" in found["text"]
    assert cli("knowledge", "search", "zebra", "--json", "--as", "globex/u-17").events == []
    assert "Parking" in cli("knowledge", "list").out
    assert cli("knowledge", "remove", found["document"], "--as", "globex/u-17").code == 1
    assert cli("knowledge", "remove", found["document"]).code == 0
    assert cli("knowledge", "search", "zebra", "--json").events == []


def test_documents_for_a_role_are_found_by_that_role_only(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "pay.md").write_text("# Pay\n\nQuetzal band is 7.\n", encoding="utf-8")
    cli("knowledge", "add", str(tmp_path / "pay.md"), "--role", "hr")
    assert cli("knowledge", "search", "quetzal", "--json").events == []
    assert cli("knowledge", "search", "quetzal", "--json", "--as", "acme/h-01").events


def test_adding_what_is_not_there_or_cannot_be_read_ends_with_1(cli: Cli, tmp_path: Path) -> None:
    assert cli("knowledge", "add", str(tmp_path / "none")).code == 1
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    assert cli("knowledge", "add", str(tmp_path / "picture.png")).code == 1


def test_the_audit_is_ones_own_and_a_supervisors_is_the_tenants(cli: Cli, says: Says) -> None:
    says(call("query_order", order_id="A1001"), "Order A1001 was delivered.")
    cli("ask", "What is the status of order A1001?")
    says(call("query_order", order_id="A2001"), "Here it is.")
    cli("ask", "What is the status of order A2001?", "--as", "acme/u-42")
    assert {e["user"] for e in cli("audit", "--json").data("audit")} == {"u-17"}
    assert {e["user"] for e in cli("audit", "--json", "--as", SUPERVISOR).data("audit")} == {"u-17", "u-42"}
    assert cli("audit", "--json", "--as", "globex/s-02").events == []
    assert "query_order" in cli("audit").out


def test_the_audit_of_ones_threads_holds_other_peoples_decisions(cli: Cli, says: Says) -> None:
    says(call("refund_order", order_id="A1003"), "Order A1003 was refunded.")
    cli("approvals", "approve", cli.waiting(), "--as", SUPERVISOR)
    events = cli("audit", "--json").data("audit")
    assert ("s-02", "decision", "approve") in {(e["user"], e["kind"], e["outcome"]) for e in events}
    assert [e["seq"] for e in events] == sorted((e["seq"] for e in events), reverse=True)
    thread = cli.threads()[0]["id"]
    assert cli("audit", "--thread", thread, "--json").data("audit") == events
    assert cli("audit", "--thread", thread, "--as", "acme/u-42").code == 1


def test_a_trace_is_drawn_as_a_tree(cli: Cli, says: Says) -> None:
    says(call("query_order", order_id="A1001"), "Order A1001 was delivered.")
    cli("ask", "What is the status of order A1001?")
    [listed] = cli("trace", "list", "--json").data("trace")
    for named in ([], [listed["turn"]], [listed["turn"][:8]], [listed["thread"]]):
        drawn = cli("trace", "show", *named)
        assert drawn.code == 0
        assert "tool query_order" in drawn.out and "├─" in drawn.out
    kinds = {s["kind"] for s in cli("trace", "show", "--json").data("span")}
    assert {"turn", "node", "model_call", "tool_call"} <= kinds


def test_traces_are_ones_own_and_a_supervisors_are_the_tenants(cli: Cli, says: Says) -> None:
    says("Hello.")
    cli("ask", "hello")
    turn = cli("trace", "list", "--json").data("trace")[0]["turn"]
    assert cli("trace", "show", turn, "--as", SUPERVISOR).code == 0
    for who in ("acme/u-42", "globex/u-17", "globex/s-02"):
        refused = cli("trace", "show", turn, "--as", who)
        assert refused.code == 1 and refused.out == ""
        assert cli("trace", "list", "--json", "--as", who).events == []


def test_a_home_is_made_once(cli: Cli, tmp_path: Path) -> None:
    new = tmp_path / "new"
    made = cli("init", "--home", str(new), "--json").data("home")
    assert made == [{"path": str(new), "created": True, "sample": True}]
    assert cli("records", "rows", "orders", "--home", str(new)).code == 0
    again = cli("init", "--home", str(new))
    assert again.code == 0 and "left as it is" in again.out


def test_an_empty_home_has_no_sample_data(cli: Cli, tmp_path: Path) -> None:
    new = str(tmp_path / "new")
    assert cli("init", "--empty", "--home", new).code == 0
    assert cli("records", "rows", "orders", "--home", new, "--json").events == []
    assert cli("knowledge", "list", "--home", new, "--json").events == []


def test_a_home_that_cannot_be_made_is_one_sentence(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused = cli("init", "--home", str(tmp_path / "file" / "home"))
    assert refused.code == 1
    assert "cannot be made" in refused.err and refused.err.count("\n") == 1
