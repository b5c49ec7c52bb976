from __future__ import annotations

import pytest
from bench import MINE, OTHER, Bench, sample_bench
from pydantic import ValidationError

from signoff.caller import Caller
from signoff.errors import ToolError
from signoff.tools.contract import Risk

bench = pytest.fixture(sample_bench)


def test_a_draft_is_made_at_once_and_says_how_to_take_it_back(bench: Bench) -> None:
    data = bench.run("create_ticket_draft", title="printer on floor 3 is broken")
    assert (data["ticket_id"], data["status"], data["priority"]) == ("T1005", "draft, not submitted", "normal")
    undo = data["undo"]
    undone = bench.run(undo["tool"], **undo["arguments"])
    assert undone["status"] == "discarded"
    again = bench.run(undone["undo"]["tool"], **undone["undo"]["arguments"])
    assert (again["ticket_id"], again["title"]) == ("T1006", "printer on floor 3 is broken")


def test_a_draft_is_told_in_both_languages(bench: Bench) -> None:
    assert bench.say("create_ticket_draft", "en", title="printer is broken").startswith(
        "Ticket T1005 is a draft: “printer is broken”, priority normal."
    )
    assert bench.say("create_ticket_draft", "zh", title="打印机坏了", priority="high").startswith(
        "工单 T1006 已存为草稿:「打印机坏了」,优先级高。"
    )


@pytest.mark.parametrize(("priority", "risk"), [("low", None), ("normal", None), ("high", Risk.CRITICAL)])
def test_only_a_high_priority_needs_somebody_elses_signature(bench: Bench, priority: str, risk: Risk | None) -> None:
    bench.run("create_ticket_draft", title="printer is broken", priority=priority)
    before = bench.dump()
    card = bench.preview("submit_ticket", ticket_id="T1005")
    assert (card.risk, card.approvers, card.reversible) == (risk, 1, False)
    assert [(c.before, c.after) for c in card.changes] == [("draft, not submitted", "open")]
    assert bench.dump() == before


def test_a_ticket_is_submitted_once(bench: Bench) -> None:
    bench.run("create_ticket_draft", title="打印机坏了")
    assert bench.say("submit_ticket", "zh", ticket_id="T1005").startswith(
        "工单 T1005(「打印机坏了」)已于 2026-10-31 提交,优先级普通。"
    )
    for attempt in (bench.preview, bench.run):
        for name in ("submit_ticket", "discard_ticket_draft"):
            with pytest.raises(ToolError) as refused:
                attempt(name, ticket_id="T1005")
            assert refused.value.code == "CONFLICT" and "待处理" in refused.value.message_zh


@pytest.mark.parametrize("name", ["submit_ticket", "discard_ticket_draft"])
@pytest.mark.parametrize("caller", [OTHER, Caller("globex", "u-17"), Caller("acme", "s-02", {"supervisor"})])
def test_anothers_draft_is_not_there(bench: Bench, name: str, caller: Caller) -> None:
    bench.run("create_ticket_draft", title="printer is broken")
    before = bench.dump()
    for attempt in (bench.preview, bench.run):
        with pytest.raises(ToolError) as refused:
            attempt(name, caller, ticket_id="T1005")
        assert refused.value.code == "NOT_FOUND"
    assert bench.dump() == before


def test_cards_of_drafts_touch_nothing(bench: Bench) -> None:
    bench.run("create_ticket_draft", title="printer is broken")
    before = bench.dump()
    card = bench.preview("create_ticket_draft", title="三楼打印机坏了", details="卡纸")
    assert card.title == "起草工单:三楼打印机坏了" and card.reversible
    assert bench.preview("discard_ticket_draft", ticket_id="T1005").reversible
    assert bench.dump() == before


def test_a_title_is_one_line(bench: Bench) -> None:
    assert bench.run("create_ticket_draft", title="printer\n is   broken")["title"] == "printer is broken"


@pytest.mark.parametrize(
    "args", [{}, {"title": ""}, {"title": "ab"}, {"title": "x" * 121}, {"title": "printer", "priority": "urgent"}]
)
def test_a_draft_without_a_usable_title_or_priority_is_refused(bench: Bench, args: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        bench.run("create_ticket_draft", **args)


def test_the_list_shows_no_comments_and_only_ones_own_tickets(bench: Bench) -> None:
    data = bench.run("list_my_tickets")
    assert [t["ticket_id"] for t in data["tickets"]] == ["T1002", "T1001"]
    for lang in ("en", "zh"):
        assert "A9999" not in bench.say("list_my_tickets", lang)
    assert "A9999" not in str(data)
    assert bench.say("list_my_tickets", "en", status="resolved").startswith("You have no tickets with the status")
    assert bench.say("list_my_tickets", "zh").startswith("你的工单共 2 个:\n- T1002:")


def test_a_tickets_comments_are_quoted_with_their_authors(bench: Bench) -> None:
    said = bench.say("query_ticket", "en", ticket_id="T1001")
    assert "Comments, quoted as they were written:" in said
    assert "outside sender notice@parcel-claims.example: “Parcel claim 7781." in said
    assert "外部发件人 notice@parcel-claims.example:「Parcel claim" in bench.say(
        "query_ticket", "zh", ticket_id="T1001"
    )
    assert bench.run("query_ticket", ticket_id="T1002", caller=MINE)["comments"][0]["from"] == "requester"
