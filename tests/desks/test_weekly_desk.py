"""The weekly desk's table of scenarios, through the real graph with the rehearsal model, in both languages."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from people import OTHER, REQUESTER, SUPERVISOR

import signoff.desks
from signoff import Desk, Turn
from signoff.state import Status

SAMPLE = Path(signoff.desks.__file__).parent / "sample" / "weekly"
READS = ["search_notes", "count_issues", "sum_budget"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace of the test's own."""
    return Path(shutil.copytree(SAMPLE, tmp_path / "team"))


@pytest.fixture
def weekly(open_desk: Callable[..., Desk], folder: Path) -> Callable[..., Desk]:
    """Opens the weekly desk on the folder."""

    def open_one(**options: Any) -> Desk:
        return open_desk(desk="weekly", workspace=folder, **options)

    return open_one


def written(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


def tools(turn: Turn) -> list[str]:
    return [s.tool for s in turn.steps]


def content(turn: Turn) -> str:
    return str(next(a for a in turn.approvals if a.tool == "write_report").args["content"])


@pytest.mark.parametrize(
    ("words", "week", "headings"),
    [
        ("写 2026-W42 的周报,预算只算 apollo 项目", "2026-W42", ["## 进展", "## 预算", "## 下周"]),
        ("周报 2026年第42周,预算部分只统计 apollo", "2026-W42", ["## 进展", "## 预算", "## 下周"]),
        (
            "Write the report for week 42, budget for apollo only",
            "2026-W42",
            ["## Progress", "## Budget", "## Next week"],
        ),
        ("the weekly report of 2026-W42 please, with just apollo's budget", "2026-W42", ["## Progress", "## Budget"]),
    ],
)
def test_the_report_is_made_of_three_reads_and_waits_for_a_signature(
    words: str, week: str, headings: list[str], weekly: Callable[..., Desk], folder: Path
) -> None:
    desk, before = weekly(), written(folder)
    turn = desk.ask(words, caller=REQUESTER)
    assert turn.status is Status.WAITING
    assert tools(turn) == [*READS, "write_report"]
    text = content(turn)
    assert all(h in text for h in headings) and week in text.splitlines()[0]
    # All issues are counted: the project was named for the budget alone.
    assert "18420.50" in text and "73.7" in text and re.search(r"\b12\b", text) and re.search(r"\b7\b", text)
    assert "borealis" not in re.split(r"## (?:预算|Budget)", text)[1].split("## ")[0]
    assert written(folder) == before

    desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    turn = desk.resume(turn.thread)
    assert turn.status is Status.DONE and f"reports/{week}.md" in turn.answer
    assert written(folder) - before == {f"reports/{week}.md"}
    assert (folder / "reports" / f"{week}.md").read_text(encoding="utf-8").strip() == text.strip()


@pytest.mark.parametrize("words", ["帮我出上周的周报", "weekly report for last week please", "上个星期的周报,快"])
def test_last_week_is_resolved_by_the_tools_and_named_in_the_report(words: str, weekly: Callable[..., Desk]) -> None:
    turn = weekly().ask(words, caller=REQUESTER)
    assert turn.status is Status.WAITING
    assert "2026-W43" in content(turn).splitlines()[0]
    assert next(s for s in turn.steps if s.tool == "search_notes").data["week"] == "2026-W43"


@pytest.mark.parametrize("words", ["写 2026-W42 的周报", "Write the weekly report of 2026-W42"])
def test_what_reads_like_an_order_in_the_notes_is_not_in_the_report(words: str, weekly: Callable[..., Desk]) -> None:
    turn = weekly().ask(words, caller=REQUESTER)
    notes = next(s for s in turn.steps if s.tool == "search_notes").data
    assert notes["suspicious"]
    assert not any(entry["text"] in content(turn) for entry in notes["suspicious"])


@pytest.mark.parametrize(
    ("words", "headings"),
    [
        ("写 2026-W42 的周报,预算只算 apollo 项目", ["## 进展", "## 预算", "## 下周", "18420.50"]),
        ("Write last week's report", ["## Progress", "## Budget", "## Next week", "41976.16"]),
    ],
)
def test_without_the_right_to_write_the_answer_is_the_report(
    words: str, headings: list[str], weekly: Callable[..., Desk], folder: Path
) -> None:
    desk, before = weekly(workspace_mode="readonly"), written(folder)
    assert desk.services.gateway.registry.get("write_report") is None
    turn = desk.ask(words, caller=REQUESTER)
    assert turn.status is Status.DONE and not turn.approvals
    assert all(h in turn.answer for h in headings)
    assert written(folder) == before


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("写 2026-W42 的周报", ["已达到上限", "共 12 个议题", "尚缺", "write_report", "拆开"]),
        ("Write the weekly report of 2026-W42", ["had to stop", "12 issues", "Still missing", "write_report", "split"]),
    ],
)
def test_at_a_limit_it_says_what_it_has_what_it_lacks_and_how_to_split(
    words: str, parts: list[str], weekly: Callable[..., Desk], folder: Path
) -> None:
    before = written(folder)
    turn = weekly(max_rounds=1).ask(words, caller=REQUESTER)
    assert turn.status is Status.EXHAUSTED and not turn.approvals
    assert all(p in turn.answer for p in parts), turn.answer
    assert written(folder) == before


@pytest.mark.parametrize(
    ("words", "parts"),
    [("写上周的周报", ["docs/", "41976.16"]), ("Write last week's report", ["docs/", "41976.16"])],
)
def test_with_the_notes_gone_it_fails_clearly_and_tells_the_rest(
    words: str, parts: list[str], weekly: Callable[..., Desk], folder: Path
) -> None:
    shutil.move(folder / "docs", folder.parent / "elsewhere")
    before = written(folder)
    turn = weekly().ask(words, caller=REQUESTER)
    assert turn.status in (Status.DONE, Status.EXHAUSTED) and not turn.approvals
    assert tools(turn).count("search_notes") <= 2 and turn.usage["rounds"] <= 5
    assert all(p in turn.answer for p in parts), turn.answer
    assert written(folder) == before


@pytest.mark.parametrize("words", ["写 2026-W42 的周报", "Write the weekly report of 2026-W42"])
def test_a_refused_report_leaves_no_file_and_says_why(words: str, weekly: Callable[..., Desk], folder: Path) -> None:
    desk, before = weekly(), written(folder)
    turn = desk.ask(words, caller=REQUESTER)
    desk.decide(turn.approvals[0].id, "reject", by=SUPERVISOR, reason="the numbers are from last month")
    turn = desk.resume(turn.thread)
    assert turn.status is Status.REJECTED and "the numbers are from last month" in turn.answer
    assert written(folder) == before


@pytest.mark.parametrize(
    "words", ["怎么写周报?", "How do I write a weekly report?", "写周报", "Write the weekly report", "别写周报了"]
)
def test_without_a_week_or_a_wish_nothing_is_looked_up(words: str, weekly: Callable[..., Desk]) -> None:
    turn = weekly().ask(words, caller=REQUESTER)
    assert turn.status is Status.DONE and tools(turn) == [] and turn.answer


@pytest.mark.parametrize(("words", "asked"), [("写周报", "周次"), ("Write the weekly report", "week")])
def test_a_missing_week_is_asked_for(words: str, asked: str, weekly: Callable[..., Desk]) -> None:
    assert asked in weekly().ask(words, caller=REQUESTER).answer


@pytest.mark.parametrize(
    ("words", "reply", "week"),
    [
        ("写周报", "上周", "2026-W43"),
        ("写周报", "第42周", "2026-W42"),
        ("写周报", "上个星期的", "2026-W43"),
        ("Write the weekly report", "week 42", "2026-W42"),
        ("Write the weekly report", "last week please", "2026-W43"),
        ("Write the weekly report", "2026-W42, budget for apollo only", "2026-W42"),
    ],
)
def test_the_week_as_the_reply_goes_on_with_the_report(
    words: str, reply: str, week: str, weekly: Callable[..., Desk]
) -> None:
    desk = weekly()
    asked = desk.ask(words, caller=REQUESTER)
    turn = desk.ask(reply, caller=REQUESTER, thread=asked.thread)
    assert tools(turn) == [*READS, "write_report"] and turn.status is Status.WAITING
    assert week in content(turn).splitlines()[0]
    assert ("borealis" in re.split(r"## (?:预算|Budget)", content(turn))[1].split("## ")[0]) is ("apollo" not in reply)


@pytest.mark.parametrize(
    ("words", "tool", "says"),
    [
        ("How many issues are done?", "count_issues", "7 done"),
        ("一共有多少个 issue,完成了几个", "count_issues", "已完成 7 个"),
        ("apollo 的预算用了多少", "sum_budget", "18420.50"),
        ("How much of the budget is left for borealis?", "sum_budget", "17060.10"),
        ("第42周的会议记录里写了什么", "search_notes", "2026-W42"),
        ("别写周报,只要告诉我预算还剩多少", "sum_budget", "18023.84"),
    ],
)
def test_a_question_about_one_source_asks_only_that(
    words: str, tool: str, says: str, weekly: Callable[..., Desk]
) -> None:
    turn = weekly().ask(words, caller=REQUESTER)
    assert turn.status is Status.DONE and tools(turn) == [tool]
    assert says in turn.answer


@pytest.mark.parametrize("words", ["上周的周报给我看看,先不要写文件", "Show me last week's report, but don't save it"])
def test_a_report_that_is_not_to_be_saved_is_shown(words: str, weekly: Callable[..., Desk], folder: Path) -> None:
    before = written(folder)
    turn = weekly().ask(words, caller=OTHER)
    assert turn.status is Status.DONE and sorted(tools(turn)) == sorted(READS)
    assert "2026-W43" in turn.answer and "41976.16" in turn.answer
    assert written(folder) == before
