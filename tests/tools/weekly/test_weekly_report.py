"""A report is written where code decides, with sections and numbers that code has checked, or not at all."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from weeklybench import NOW, REPORT, WeeklyBench, snapshot

from signoff.errors import ToolError
from signoff.tools.contract import Risk


@pytest.fixture
def bench(tmp_path: Path) -> WeeklyBench:
    return WeeklyBench(tmp_path / "team")


def looked_up(bench: WeeklyBench) -> WeeklyBench:
    """The bench after the notes, issues and budget of 2026-W42 were looked up."""
    bench.run("search_notes", week="2026-W42")
    bench.run("count_issues", week="2026-W42")
    bench.run("sum_budget", project="apollo")
    return bench


def test_a_read_only_desk_has_no_tool_that_writes(tmp_path: Path) -> None:
    names = list(WeeklyBench(tmp_path / "team", "readonly").tools)
    assert names == ["search_notes", "count_issues", "sum_budget"]
    tools = WeeklyBench(tmp_path / "team").tools
    assert [*tools] == [*names, "write_report"] and tools["write_report"].risk is Risk.WRITE


def test_an_approval_for_one_folder_is_good_for_no_other(bench: WeeklyBench, tmp_path: Path) -> None:
    other = WeeklyBench(tmp_path / "other").tools["write_report"].version
    version = bench.tools["write_report"].version
    assert version == f"1+{bench.workspace.id}" != other
    assert WeeklyBench(bench.folder).tools["write_report"].version == version


def test_the_card_shows_path_bytes_and_content_and_touches_nothing(bench: WeeklyBench) -> None:
    before = snapshot(bench.folder)
    card = looked_up(bench).card("en")
    assert card["path"] == (None, "reports/2026-W42.md")
    assert card["bytes"] == (None, str(len(REPORT.encode())))
    assert card["overwrites"] == (None, "no, it is a new file")
    assert card["content"] == (None, REPORT)
    assert snapshot(bench.folder) == before
    assert bench.preview("zh").title == "将 2026-W42 的周报写入 reports/2026-W42.md"


def test_after_approval_the_report_is_there_whole(bench: WeeklyBench) -> None:
    before = snapshot(bench.folder)
    assert bench.reconcile() is None
    data = bench.write()
    assert (bench.folder / "reports/2026-W42.md").read_bytes() == REPORT.encode()
    assert (data["path"], data["bytes"], data["overwrote"]) == ("reports/2026-W42.md", len(REPORT.encode()), False)
    assert set(snapshot(bench.folder)) - set(before) == {"reports/2026-W42.md"}
    assert bench.reconcile() == data
    assert bench.reconcile(content=REPORT + "x") is None


def test_overwriting_is_on_the_card_and_keeps_the_one_before(bench: WeeklyBench) -> None:
    bench.write()
    other = REPORT.replace("7 个", "七个")
    card = bench.card("zh", content=other)
    assert card["是否覆盖"] == (None, "是,现有内容保留为 reports/2026-W42.md.bak")
    assert card["字节数"] == (str(len(REPORT.encode())), str(len(other.encode())))
    assert card["内容"] == (REPORT, other)
    assert bench.write(content=other)["backup"] == "reports/2026-W42.md.bak"
    assert (bench.folder / "reports/2026-W42.md").read_text() == other
    assert (bench.folder / "reports/2026-W42.md.bak").read_text() == REPORT
    assert any("older" in line for line in bench.preview("en").evidence)


def test_one_that_must_not_be_replaced_is_not(bench: WeeklyBench) -> None:
    bench.write()
    before = snapshot(bench.folder)
    for attempt in (bench.preview, bench.write):
        with pytest.raises(ToolError) as there:
            attempt(overwrite=False)
        assert there.value.code == "CONFLICT"
    assert snapshot(bench.folder) == before


@pytest.mark.parametrize(
    "path",
    ["../README.md", "README.md", "/etc/passwd", "reports/../README.md", "reports/../x", "docs/2026-W42.md", "reports/",
     "reports/link.md", "reports/out/x.md", "Reports/2026-W42.md", "C:\\x.md", "reports/x.md\0", "issues.json",
     "reports/2026-W41.md", "reports/2026-W42.txt", "reports/.x.md", "~/x.md", "reports/2026-W42.md.bak"],
)  # fmt: skip
def test_a_path_elsewhere_is_refused_before_anybody_sees_it_and_nothing_is_touched(
    bench: WeeklyBench, tmp_path: Path, path: str
) -> None:
    (tmp_path / "outside").mkdir()
    (bench.folder / "reports/link.md").symlink_to(tmp_path / "outside/x.md")
    (bench.folder / "reports/out").symlink_to(tmp_path / "outside")
    before = snapshot(tmp_path)
    for attempt in (bench.preview, bench.write):
        with pytest.raises(ToolError) as refused:
            attempt(path=path)
        assert refused.value.code in ("FORBIDDEN", "INVALID_ARGUMENTS")
    assert snapshot(tmp_path) == before


def test_another_file_in_reports_may_be_named(bench: WeeklyBench) -> None:
    assert bench.write(path="reports/apollo-2026-W42.md")["path"] == "reports/apollo-2026-W42.md"
    assert bench.write(path="")["path"] == "reports/2026-W42.md"


@pytest.mark.parametrize(
    ("drop", "lacking", "lacking_zh"),
    [("## 进展", "Progress", "进展"), ("## 预算", "Budget", "预算"), ("## 下周", "Next week", "下周")],
)
def test_a_report_without_a_section_is_refused_naming_it(
    bench: WeeklyBench, drop: str, lacking: str, lacking_zh: str
) -> None:
    for content in (REPORT.replace(drop, "## 其他"), REPORT.replace(drop, drop.removeprefix("## "))):
        for attempt in (bench.preview, bench.write):
            with pytest.raises(ToolError) as refused:
                attempt(content=content)
            assert refused.value.code == "INVALID_ARGUMENTS" and lacking in refused.value.hint
            assert refused.value.message.endswith(f"empty: {lacking}.") and lacking_zh in refused.value.message_zh
    assert not (bench.folder / "reports/2026-W42.md").exists()


@pytest.mark.parametrize(
    "content",
    [
        "# Report 2026-W42\n\n## Progress\nfine\n\n## Budget\nfine\n\n## Next week\nfine\n",
        "Weekly\n======\n\nProgress\n---\nfine\n\nBudget\n---\nfine\n\nPlan for next week\n---\n- fine\n",
        "## 1. 本周完成情况\n好\n## 2. 费用支出\n好\n## 3. 下一周计划\n### 开发\n好\n",
        "# 进展\n好\n# 预算\n好\n# 下周计划\n好\n",
    ],
)
def test_sections_are_known_by_their_usual_names(bench: WeeklyBench, content: str) -> None:
    assert bench.write(content=content)["week"] == "2026-W42"


@pytest.mark.parametrize(
    "content",
    [
        "# 进展、预算和下周\n好\n",
        "# 进展\n# 预算\n# 下周\n",
        "```\n## 进展\nx\n## 预算\nx\n## 下周\nx\n```\n",
        "12 个议题",
    ],
)
def test_a_title_an_empty_section_or_code_is_no_section(bench: WeeklyBench, content: str) -> None:
    with pytest.raises(ToolError, match="lacks these sections"):
        bench.write(content=content)


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("7 个", "88 个", "88"), ("18,420.50", "18,420.51", "18,420.51"), ("73.7%", "74%", "74%"),
        ("73.7%", "73.8 %", "73.8 %"), ("12 个", "四十三个", "四十三"), ("25000", "2.6 万", "2.6 万"),
        ("支付回调", "APL-999 支付回调", "APL-999"), ("1. 支付", "1. 2027-03-04 支付", "2027-03-04"),
        ("10 分钟", "95 分钟", "95 分钟"),
    ],
)  # fmt: skip
def test_a_number_that_no_tool_gave_is_refused_naming_it(bench: WeeklyBench, right: str, wrong: str, told: str) -> None:
    content = REPORT.replace(right, wrong)
    looked_up(bench)
    with pytest.raises(ToolError) as refused:
        bench.preview(content=content)
    assert refused.value.code == "INVALID_ARGUMENTS"
    assert told in refused.value.message and told in refused.value.message_zh


def test_numbers_are_not_checked_when_nothing_was_looked_up(bench: WeeklyBench) -> None:
    assert bench.preview(content=REPORT.replace("12", "345")).evidence == ()
    assert looked_up(bench).preview().evidence == ("Every number in it is in a result of this turn.",)


@pytest.mark.parametrize("hidden", ["\x1b[31m", "\u202e", "\u200b", "\0", "\x07"])
def test_what_an_approver_cannot_see_is_not_written(bench: WeeklyBench, hidden: str) -> None:
    with pytest.raises(ToolError, match="invisible"):
        bench.write(content=REPORT + hidden + "x")


def test_last_week_stays_the_week_that_was_signed(tmp_path: Path) -> None:
    content = REPORT.replace("2026-W42", "2026-W43")
    signed = WeeklyBench(tmp_path / "team")
    for week in ("上周", "last week"):
        assert signed.card("en", week=week, content=content)["path"] == (None, "reports/2026-W43.md")
    assert signed.write(week="上周", content=content)["path"] == "reports/2026-W43.md"
    later = WeeklyBench(tmp_path / "team", now=datetime.fromisoformat("2026-11-02T00:10:00+08:00"))
    before = snapshot(tmp_path)
    with pytest.raises(ToolError) as refused:
        later.write(week="上周", content=content)
    assert "2026-W44" in refused.value.message and "2026-W43" in refused.value.message
    with pytest.raises(ToolError, match="names no week"):
        signed.preview(week="上周", content=content.replace("2026-W43", ""))
    assert snapshot(tmp_path) == before


def test_the_week_is_that_of_the_business_time_zone(tmp_path: Path) -> None:
    # Sunday evening in UTC is Monday in Shanghai.
    bench = WeeklyBench(tmp_path / "team", now=datetime.fromisoformat("2027-01-03T16:30:00+00:00"))
    assert bench.run("count_issues", week="last week")["week"] == "2026-W53"
    assert NOW.utcoffset() is not None


def test_a_title_of_another_week_is_refused(bench: WeeklyBench) -> None:
    with pytest.raises(ToolError, match="text names 2026-W41"):
        bench.preview(content=REPORT.replace("2026-W42", "2026-W41"))


def test_a_long_report_is_shortened_on_the_card_only(bench: WeeklyBench) -> None:
    content = REPORT + "很长。\n" * 3_000
    _, shown = bench.card("en", content=content)["content"]
    assert shown and len(shown) < 3_200 and "characters left out" in shown
    bench.write(content=content)
    assert (bench.folder / "reports/2026-W42.md").read_text() == content


def test_results_are_told_in_the_language_asked(bench: WeeklyBench) -> None:
    assert bench.say("write_report", "en", week="2026-W42", content=REPORT).startswith(
        "The report of 2026-W42 was written to reports/2026-W42.md ("
    )
    assert "之前的内容保留为 reports/2026-W42.md.bak" in bench.say(
        "write_report", "zh", week="2026-W42", content=REPORT
    )
