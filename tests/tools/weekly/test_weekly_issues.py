"""Issues are counted in code, whatever their statuses are called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from weeklybench import WeeklyBench

from signoff.errors import ToolError


@pytest.fixture
def bench(tmp_path: Path) -> WeeklyBench:
    return WeeklyBench(tmp_path / "team")


def test_the_sample_has_twelve_issues_of_which_seven_are_done(bench: WeeklyBench) -> None:
    data = bench.run("count_issues")
    assert (data["total"], data["done"], data["open"]) == (12, 7, 5)
    assert data["by_status"] == {"done": 7, "in_progress": 2, "blocked": 1, "open": 2}
    raw = json.loads((bench.folder / "issues.json").read_text())
    assert [i["id"] for i in data["issues"]] == [i["id"] for i in raw]
    english = bench.say("count_issues", "en")
    assert english.startswith("12 issues: 7 done, 5 open (2 in progress, 1 blocked, 2 not started).")
    assert bench.say("count_issues", "zh").startswith(
        "共 12 个议题:已完成 7 个,未完成 5 个(2 个进行中、1 个受阻、2 个未开始)。"
    )


def test_with_a_week_they_are_counted_as_they_stood_at_its_end(bench: WeeklyBench) -> None:
    data = bench.run("count_issues", week="2026-W42")
    assert (data["total"], data["done"], data["as_of"]) == (12, 7, "2026-10-18")
    assert data["done_in_week"] == ["APL-103", "APL-104", "BOR-22"]
    earlier = bench.run("count_issues", week="2026年第41周")
    assert (earlier["total"], earlier["done"], earlier["open"]) == (7, 4, 3)
    assert "3" in bench.say("count_issues", "zh", week="2026-W42").splitlines()[1]
    assert bench.run("count_issues", week="上周")["week"] == "2026-W43"


def test_one_project_is_counted_whatever_its_case(bench: WeeklyBench) -> None:
    for said in ("apollo", "APOLLO", "apollo 项目", "project Apollo"):
        data = bench.run("count_issues", project=said)
        assert (data["project"], data["total"], data["done"]) == ("apollo", 6, 4)
    with pytest.raises(ToolError, match="apollo, borealis, 青鸟") as missing:
        bench.run("count_issues", project="zeus")
    assert missing.value.code == "NOT_FOUND"


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("Done", "done"), ("CLOSED", "done"), ("已完成", "done"), ("已解决", "done"), ("resolved", "done"),
        ("In Progress", "in_progress"), ("in-progress", "in_progress"), ("进行中", "in_progress"),
        ("to do", "open"), ("待办", "open"), ("未完成", "open"), ("On Hold", "blocked"), ("阻塞", "blocked"),
        ("won't do", "cancelled"), ("已取消", "cancelled"),
    ],
)  # fmt: skip
def test_a_status_is_known_in_both_languages(bench: WeeklyBench, said: str, status: str) -> None:
    bench.put("issues.json", json.dumps([{"id": 1, "title": "t", "status": said}]))
    assert bench.run("count_issues")["by_status"] == {status: 1}


def test_an_unknown_status_counts_as_open_and_is_told(bench: WeeklyBench) -> None:
    bench.put("issues.json", json.dumps([{"id": 1, "status": "limbo"}, {"id": 2}, {"id": 3, "status": "done"}]))
    data = bench.run("count_issues")
    assert (data["total"], data["done"], data["open"], data["unknown_statuses"]) == (3, 1, 2, ["limbo", "—"])
    assert "limbo" in bench.say("count_issues", "zh") and "limbo" in bench.say("count_issues", "en")


@pytest.mark.parametrize(
    "data",
    [
        {"issues": [{"number": 7, "title": "t", "state": "closed", "closed_at": "2026-10-18T15:00:00Z"}]},
        [{"编号": 7, "标题": "t", "状态": "已关闭", "完成时间": "2026-10-18"}],
        {"items": [{"key": 7, "summary": "t", "done": True, "closed": "2026-10-18"}]},
        [{"id": 7, "title": "t", "status": {"name": "Done"}, "closed": "2026-10-18"}],
    ],
)
def test_common_forms_of_issue_lists_are_read(bench: WeeklyBench, data: Any) -> None:
    bench.put("issues.json", "\ufeff" + json.dumps(data))
    found = bench.run("count_issues", week="2026-W42")
    assert found["issues"] == [{"id": "7", "title": "t", "status": "done"}]
    assert found["done_in_week"] == ["7"]


def test_a_moment_counts_on_its_day_in_the_business_time_zone(bench: WeeklyBench) -> None:
    bench.put("issues.json", json.dumps([{"id": 1, "status": "done", "closed": "2026-10-18T16:30:00Z"}]))
    assert bench.run("count_issues", week="2026-W42")["done"] == 0
    assert bench.run("count_issues", week="2026-W43")["done_in_week"] == ["1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[\n  {"id": 1,}\n]', r"line 2, column 1\d"),
        ("", "line 1, column 1"),
        ('{"a": 1}', "list of issues"),
        ('[{"id": 1}, 7]', "number 2"),
        ("[" * 100_000, "nested too deeply"),
        ('[{"id": ' + "9" * 6_000 + "}]", "too long"),
    ],
    ids=["comma", "empty", "object", "number", "nested", "long"],
)
def test_a_broken_file_is_told_with_its_place(bench: WeeklyBench, text: str, said: str) -> None:
    bench.put("issues.json", text)
    with pytest.raises(ToolError, match=said) as broken:
        bench.run("count_issues")
    assert not broken.value.retryable and "issues.json" in broken.value.message_zh


def test_a_missing_file_is_told(bench: WeeklyBench) -> None:
    (bench.folder / "issues.json").unlink()
    with pytest.raises(ToolError) as missing:
        bench.run("count_issues")
    assert (missing.value.code, missing.value.retryable) == ("NOT_FOUND", False)
