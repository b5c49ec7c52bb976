"""`signoff tools`: what a desk can do, what a request would see, and what is wrong with the tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from signoff_command import SUPERVISOR, Cli

PROFILE = (
    'title = "A lab"\ndescription = "For tests."\ninstructions = "Answer."\npython = ["lab_tools.py"]\nmcp = false\n'
)
TOOLS = '''
from typing import Annotated
from pydantic import Field
from signoff import Example, tool

@tool(roles=["supervisor"], examples=[Example("清空试剂架", {"shelf": 1}), Example("Empty shelf 2", {"shelf": 2})])
def empty_shelf(shelf: Annotated[int, Field(ge=1)]) -> dict[str, int]:
    """Counts a shelf as empty. Not for fridges.

    Args:
        shelf: Which shelf.
    """
    return {"shelf": shelf}

@tool(examples=[Example("冰箱几度", {"fridge": "F1"}), Example("how cold is fridge F1", {"fridge": "F1"})])
def fridge_temperature(fridge: Annotated[str, Field(max_length=9)]) -> dict[str, str]:
    """Tells how cold a fridge is. Not for shelves \x1b[31mred.

    Args:
        fridge: Which fridge.
    """
    return {"fridge": fridge}
'''
WRONG = '''
@tool
def who_was_here(user_id: str) -> dict[str, str]:
    """Says when somebody was in the lab."""
    return {}
'''


@pytest.fixture
def lab(home: Path) -> Path:
    """A desk of one's own with two sound tools; returns its Python file."""
    folder = home / "desks"
    folder.mkdir(exist_ok=True)
    (folder / "lab.toml").write_text(PROFILE, encoding="utf-8")
    (folder / "lab_tools.py").write_text(TOOLS, encoding="utf-8")
    return folder / "lab_tools.py"


def test_the_list_has_the_desks_tools_in_their_order(cli: Cli, lab: Path) -> None:
    shown = cli("tools", "list", "--desk", "lab")
    assert shown.code == 0
    rows = shown.out.splitlines()
    assert [r.split()[0] for r in rows] == ["name", "empty_shelf", "fridge_temperature"]
    assert rows[1].split()[1:4] == ["read", "supervisor", "no"] and "\x1b" not in shown.out
    told = cli("tools", "list", "--desk", "lab", "--json", "--as", SUPERVISOR).data("tool")
    assert [(t["name"], t["usable"]) for t in told] == [("empty_shelf", True), ("fridge_temperature", True)]


def test_the_list_of_all_has_tools_of_other_desks_too(cli: Cli) -> None:
    service = {t["name"] for t in cli("tools", "list", "--json").data("tool")}
    every = {t["name"] for t in cli("tools", "list", "--all", "--json").data("tool")}
    assert {"query_order", "refund_order"} <= service & every and every - service


def test_a_tool_is_shown_as_a_model_is_told_of_it(cli: Cli) -> None:
    shown = cli("tools", "show", "refund_order")
    assert shown.code == 0
    for part in ("refund_order", "write", "order_id", "Refund order", "tokens"):
        assert part in shown.out
    (told,) = cli("tools", "show", "query_order", "--json").data("tool")
    assert told["parameters"]["required"] == ["order_id"]
    assert {"text": "订单 A1001 什么状态?", "args": {"order_id": "A1001"}} in told["examples"]


@pytest.mark.parametrize(("name", "hint"), [("refundOrder", "did you mean refund_order?"), ("xyz", "tools list")])
def test_a_tool_that_there_is_not_is_a_sentence_with_a_hint(cli: Cli, name: str, hint: str) -> None:
    shown = cli("tools", "show", name)
    assert shown.code == 1 and hint in shown.err and shown.out == ""


@pytest.mark.parametrize(
    ("text", "first"), [(["where", "is", "my", "parcel"], "query_logistics"), (["我想退货"], "refund_order")]
)
def test_find_ranks_tools_and_marks_those_a_turn_is_offered(cli: Cli, text: list[str], first: str) -> None:
    found = cli("tools", "find", *text, "--limit", "12", "--json").data("match")
    scores = [m["score"] for m in found]
    assert first in [m["name"] for m in found[:3]] and scores == sorted(scores, reverse=True)
    assert sum(m["offered"] for m in found) <= 8 and found[0]["offered"]
    shown = cli("tools", "find", *text)
    assert shown.code == 0 and first in shown.out


def test_find_knows_no_tools_of_other_roles(cli: Cli, lab: Path) -> None:
    assert "empty_shelf" not in cli("tools", "find", "empty", "the", "shelf", "--desk", "lab").out
    assert "empty_shelf" in cli("tools", "find", "empty", "the", "shelf", "--desk", "lab", "--as", SUPERVISOR).out


def test_the_lint_of_sound_tools_ends_well(cli: Cli, lab: Path) -> None:
    shown = cli("tools", "lint", "--desk", "lab")
    assert (shown.code, shown.out) == (0, "") and "2 tools: 0 errors, 0 warnings, 0 notes." in shown.err


def test_the_lint_of_the_service_desk_finds_no_errors(cli: Cli) -> None:
    assert cli("tools", "lint").code == 0


def test_the_lint_fails_over_errors_and_over_warnings_when_strict(cli: Cli, lab: Path) -> None:
    lab.write_text(TOOLS + WRONG, encoding="utf-8")
    shown = cli("tools", "lint", "--desk", "lab")
    assert shown.code == 1
    assert "error: who_was_here" in shown.out and "[identity-parameter]" in shown.out
    told = cli("tools", "lint", "--desk", "lab", "--json").data("finding")
    assert {(f["rule"], f["severity"]) for f in told} == {
        ("identity-parameter", "error"),
        ("no-exclusion", "warning"),
        ("no-examples", "warning"),
        ("undocumented-parameter", "warning"),
        ("unbounded-text", "warning"),
    }
    allowed = ("--ignore", "who_was_here:identity-parameter")
    assert cli("tools", "lint", "--desk", "lab", *allowed).code == 0
    assert cli("tools", "lint", "--desk", "lab", "--strict", *allowed).code == 1


def test_a_rule_that_there_is_not_is_wrong_usage(cli: Cli, lab: Path) -> None:
    shown = cli("tools", "lint", "--desk", "lab", "--ignore", "overlaps")
    assert shown.code == 64 and "overlaps" in shown.err and "overlap," in shown.err


def test_the_report_says_what_selection_saves_and_how_often_it_is_right(cli: Cli) -> None:
    (found,) = cli("tools", "report", "--json").data("report")
    assert found["chosen_tokens"] < found["all_tokens"]
    assert len(found["choices"]) == sum(a["examples"] for a in found["accuracy"] if a["language"] == "all")
    for accuracy in found["accuracy"]:
        first, four, eight = accuracy["shares"]
        assert 0 < first <= four <= eight <= 1 and eight > 0.7
    assert {a["language"] for a in found["accuracy"]} == {"all", "en", "zh"}
    assert all(m["place"] > 1 and m["first"] != m["tool"] for m in found["misses"])


def test_the_report_takes_requests_of_ones_own(cli: Cli) -> None:
    asked = ["订单 A1001 能退吗", "what did I ask you to remember?"]
    (found,) = cli("tools", "report", *asked, "--json").data("report")
    assert [c["text"] for c in found["choices"]] == asked
    assert "check_refund" in found["choices"][0]["tools"] and "recall_memory" in found["choices"][1]["tools"]
    shown = cli("tools", "report", *asked)
    assert shown.code == 0 and all(text in shown.out for text in asked)
    assert f"{found['all_tokens']} with all tools" in shown.out


def test_a_desk_without_examples_has_a_report_too(cli: Cli, lab: Path) -> None:
    lab.write_text("from signoff import tool\n" + WRONG, encoding="utf-8")
    shown = cli("tools", "report", "--desk", "lab")
    assert shown.code == 0 and "1 tools" in shown.out
    (found,) = cli("tools", "report", "--desk", "lab", "--json").data("report")
    assert found["accuracy"] == [] and json.dumps(found)
