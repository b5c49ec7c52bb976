"""Numbers of a report agree with their sources by value, and nothing else passes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.tools.catalog.weekly import check_numbers
from signoff.tools.weeks import Week

SOURCES = (
    json.dumps({"data": {"spent": "18420.50", "percent": "73.7", "total": 12, "done": 7, "file": "docs/a-3.md"}}),
    json.dumps(
        {"summary": "回滚用时 14 分钟\n5 个工作日,三个开关;issue APL-104 closed 2026-10-08; v2.3.1"}, ensure_ascii=False
    ),
    "peak 1200 requests, 9/10 passed",
)


@pytest.mark.parametrize(
    "content",
    [
        "18420.5 of it", "18,420.50 元", "¥18420.50", "73.7%", "73.70 %", "百分之 73.7", "12 个中完成 7 个",
        "7/12 done", "1,200 次", "14 分钟", "5 个工作日", "3 个开关", "三个开关", "APL-104", "apl-104", "2026-10-08",
        "10月8日", "v2.3.1", "1. 第一点\n2) second\n- 3、第三", "## 4. Budget\n## 5 Next", "第 6 部分",
        "2026-W42 周报", "第42周", "2026-W43 计划",
        "2026-10-12 至 2026-10-18", "10月19日起", "9 of 10", "没有数字", "", "seven issues", "一个问题",
    ],
)  # fmt: skip
def test_what_a_source_says_is_sourced_in_every_form(content: str) -> None:
    assert check_numbers(content, SOURCES, Week(2026, 42)) == []


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("18420.51", ["18420.51"]), ("73.8%", ["73.8%"]), ("73%", ["73%"]), ("完成 8 个,共 12 个", ["8"]),
        ("15 分钟", ["15 分钟"]), ("APL-105", ["APL-105"]), ("2026-10-09", ["2026-10-09"]),
        ("2025-10-08", ["2025-10-08"]),
        ("2026-W41", ["2026-W41"]), ("v2.3.2", ["v2.3.2"]), ("八个问题", ["八"]), ("eleven issues", ["eleven"]),
        ("8/12", ["8/12"]), ("- 99 items", ["99 items"]), ("999 and 999", ["999"]), ("2 万", ["2 万"]),
        ("一" * 5_000, ["一" * 40]), ("9" * 60_000, ["9" * 40]),
    ],
)  # fmt: skip
def test_what_no_source_says_is_named(content: str, found: list[str]) -> None:
    assert check_numbers(content, SOURCES, Week(2026, 42)) == found


def test_the_week_is_read_from_the_report_when_it_is_not_given() -> None:
    assert check_numbers("# 2026-W42\n2026-10-14", ["x"]) == []
    assert check_numbers("2026-10-14", ["x"]) == ["2026-10-14"]


@given(st.decimals(0, 10**9, places=2))
def test_an_amount_is_found_again_with_and_without_separators(amount: object) -> None:
    assert check_numbers(f"spent {amount:,}", [json.dumps({"spent": str(amount)})]) == []


@given(st.text(max_size=80), st.lists(st.text(max_size=40), max_size=3))
def test_any_text_is_checked_and_a_text_is_its_own_source(content: str, sources: list[str]) -> None:
    check_numbers(content, sources)
    assert check_numbers(content, [json.dumps(content)]) == []
