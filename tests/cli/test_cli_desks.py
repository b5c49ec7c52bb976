"""Desks on the command line: list, show, new, sample; and threads that keep their desk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from signoff_command import Cli

REPORT = "写 2026-W42 的周报,预算只算 apollo 项目"


@pytest.fixture
def team(cli: Cli, tmp_path: Path) -> Path:
    """The sample folder of the weekly desk."""
    assert cli("desks", "sample", str(tmp_path / "team")).code == 0
    return tmp_path / "team"


def test_list_and_show_say_what_there_is(cli: Cli) -> None:
    assert {d["name"] for d in cli("desks", "list", "--json").data("desk")} == {"service", "weekly", "assistant"}
    [shown] = cli("desks", "show", "service", "--json").data("desk")
    assert "refund_order" in shown["registered"] and shown["skills"] == ["refund_check", "incident_ticket"]
    plain = cli("desks", "show", "weekly")
    assert "write_report" in plain.out and "--workspace DIR" in plain.out
    wrong = cli("desks", "show", "wekly")
    assert wrong.code == 1 and "did you mean weekly" in wrong.err


def test_a_new_desk_works_as_it_is(cli: Cli, home: Path) -> None:
    assert cli("desks", "new", "rooms").code == 0
    assert cli("ask", "--desk", "rooms", "Is room Oak free?").out.startswith("Room Oak is taken")
    assert cli("ask", "--desk", "rooms", "Oak 会议室有空吗").out.startswith("Oak 会议室已被占用")
    again = cli("desks", "new", "rooms")
    assert again.code == 64 and "is there already" in again.err
    assert cli("desks", "new", "Rooms!").code == 1
    assert not list((home / "desks").glob("Rooms!*"))


def test_the_report_is_written_only_after_its_signature(cli: Cli, team: Path) -> None:
    asked = cli("ask", "--desk", "weekly", "--workspace", str(team), REPORT, "--json")
    assert asked.code == 10
    assert not (team / "reports" / "2026-W42.md").exists()
    approval = asked.data("approval_required")[-1]
    assert approval["args"]["week"] == "2026-W42"
    # Neither the desk nor its folder need to be named again.
    assert cli("approvals", "show", approval["id"]).code == 0
    assert cli("approvals", "approve", approval["id"]).code == 0
    text = (team / "reports" / "2026-W42.md").read_text(encoding="utf-8")
    assert "18420.50" in text and "73.7" in text and "12" in text and "7" in text
    assert list((team / "reports").iterdir()) == sorted((team / "reports").iterdir())


def test_a_refused_report_leaves_nothing(cli: Cli, team: Path) -> None:
    before = sorted(p.name for p in (team / "reports").iterdir())
    asked = cli("ask", "--desk", "weekly", "--workspace", str(team), REPORT, "--json")
    refused = cli("approvals", "reject", asked.data("approval_required")[-1]["id"], "--reason", "太早了")
    assert refused.code == 11 and "太早了" in refused.out
    assert sorted(p.name for p in (team / "reports").iterdir()) == before


def test_with_two_steps_it_ends_unfinished_and_says_what_is_missing(cli: Cli, team: Path) -> None:
    ended = cli("ask", "--desk", "weekly", "--workspace", str(team), "--max-steps", "2", REPORT, "--json")
    assert ended.code == 2
    [turn] = ended.data("final")
    assert turn["status"] == "exhausted" and turn["usage"]["tool_calls"] == 2
    assert "sum_budget" in turn["answer"] and "拆" in turn["answer"]


def test_readonly_has_no_tool_that_writes(cli: Cli, team: Path) -> None:
    read = cli("ask", "--desk", "weekly", "--workspace", str(team), "--mode", "readonly", REPORT)
    assert read.code == 0 and "18420.50" in read.out
    assert not (team / "reports" / "2026-W42.md").exists()
    wrong = cli("ask", "--desk", "weekly", "--workspace", str(team), "--mode", "sometimes", REPORT)
    assert wrong.code == 1 and "SIGNOFF_WORKSPACE_MODE" in wrong.err


def test_yes_needs_to_be_allowed_and_an_entitled_person(cli: Cli, team: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    off = cli("ask", "--desk", "weekly", "--workspace", str(team), "--yes", REPORT)
    assert off.code == 64 and "SIGNOFF_ALLOW_YES" in off.err
    monkeypatch.setenv("SIGNOFF_ALLOW_YES", "true")
    monkeypatch.setenv("SIGNOFF_SELF_APPROVAL", "false")
    assert cli("ask", "--desk", "weekly", "--workspace", str(team), "--yes", REPORT).code == 10
    assert not (team / "reports" / "2026-W42.md").exists()
    monkeypatch.setenv("SIGNOFF_SELF_APPROVAL", "true")
    assert cli("ask", "--desk", "weekly", "--workspace", str(team), "--yes", REPORT).code == 0
    assert (team / "reports" / "2026-W42.md").exists()


def test_the_trace_has_a_line_a_step_and_totals_that_agree(cli: Cli, team: Path, home: Path) -> None:
    asked = cli("ask", "--desk", "weekly", "--workspace", str(team), REPORT, "--json")
    thread = asked.data("final")[0]["thread"]
    cli("approvals", "approve", asked.data("approval_required")[-1]["id"])
    lines = [json.loads(x) for x in (home / "runs" / thread / "trace.jsonl").read_text(encoding="utf-8").splitlines()]
    *steps, total = lines
    assert [s["step"] for s in steps] == list(range(1, len(steps) + 1)) and total["total"] == len(steps)
    tools = [s["name"] for s in steps if s["kind"] == "tool"]
    assert sorted(tools) == ["count_issues", "search_notes", "sum_budget", "write_report"]
    assert total["tool_calls"] == 4
    assert total["model_calls"] == sum(s["kind"] == "model" for s in steps) == 3
    assert total["prompt_tokens"] == sum(s.get("prompt_tokens") or 0 for s in steps)
    assert {s["outcome"] for s in steps if s["kind"] == "tool"} == {"ok"} and total["status"] == "done"
    cli("threads", "delete", thread, "--yes")
    assert not (home / "runs" / thread).exists()


def test_an_approval_of_one_folder_does_not_write_into_another(cli: Cli, team: Path, tmp_path: Path) -> None:
    asked = cli("ask", "--desk", "weekly", "--workspace", str(team), REPORT, "--json")
    cli("desks", "sample", str(tmp_path / "other"))
    approval = asked.data("approval_required")[-1]["id"]
    moved = cli("approvals", "approve", approval, "--workspace", str(tmp_path / "other"), "--desk", "weekly")
    assert moved.code != 0 and not (tmp_path / "other" / "reports" / "2026-W42.md").exists()
    assert cli("resume", asked.data("final")[0]["thread"]).code == 0
    assert (team / "reports" / "2026-W42.md").exists()
