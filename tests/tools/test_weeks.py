"""Weeks are ISO weeks, whatever they are called and whichever day it is."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.errors import ToolError
from signoff.tools.weeks import Week, absolute_week, is_relative, parse_week, required_week, weeks_in

TODAY = date(2026, 10, 31)
DAYS = st.dates(date(1901, 1, 1), date(2198, 12, 31))


@pytest.mark.parametrize(
    ("text", "week"),
    [
        ("2026-W42", "2026-W42"), ("2026W42", "2026-W42"), ("2026-w9", "2026-W09"), ("２０２６－Ｗ４２", "2026-W42"),
        ("2026年第42周", "2026-W42"), ("2026 年第 42 周", "2026-W42"), ("二〇二六年第四十二周", "2026-W42"),
        ("W42", "2026-W42"), ("week 42", "2026-W42"), ("Week forty-two", "2026-W42"), ("第四十二周", "2026-W42"),
        ("第十周", "2026-W10"), ("第二十周", "2026-W20"), ("week 42 of 2026", "2026-W42"), ("42", "2026-W42"),
        ("上周", "2026-W43"), ("上个星期", "2026-W43"), ("上一周", "2026-W43"), ("上上周", "2026-W42"),
        ("本周", "2026-W44"), ("这个礼拜", "2026-W44"), ("下周", "2026-W45"), ("下下个星期", "2026-W46"),
        ("last week", "2026-W43"), ("Last Week's report", "2026-W43"), ("this week", "2026-W44"),
        ("the week before last", "2026-W42"), ("next week", "2026-W45"), ("the week after next", "2026-W46"),
        ("两周前", "2026-W42"), ("三周后", "2026-W47"), ("two weeks ago", "2026-W42"), ("a week ago", "2026-W43"),
        ("2026-10-14", "2026-W42"), ("10月14日那周", "2026-W42"), ("week of 2026/10/14", "2026-W42"),
        ("去年第一周", "2025-W01"), ("the week before 2027-W01", "2026-W53"), ("2027-W01 的前一周", "2026-W53"),
        ("the week after 2026-W53", "2027-W01"), ("上周三", "2026-W43"),
        ("写 2026-W42 的周报,预算只算 apollo 项目", "2026-W42"), ("帮我写一下上周的周报", "2026-W43"),
        ("上周报告", "2026-W43"), ("Write the report for week 42, please", "2026-W42"),
    ],
)  # fmt: skip
def test_a_week_is_understood_in_both_languages(text: str, week: str) -> None:
    assert str(parse_week(text, TODAY)) == week


@pytest.mark.parametrize(
    "text", ["", "写周报", "the weekly report", "apollo", "周末", "SW42", "二十周", "weekend", "12.5 %"]
)
def test_a_text_without_a_week_names_none(text: str) -> None:
    assert parse_week(text, TODAY) is None
    with pytest.raises(ToolError) as refused:
        required_week(text, TODAY)
    assert refused.value.code == "INVALID_ARGUMENTS"
    assert "2026-W44" in refused.value.message and "周" in refused.value.message_zh


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-W54", "2026-W53"), ("2026-W00", "2026-W01"), ("2025-W53", "2025-W52"), ("第60周", "2026-W53"),
        ("2026年第54周", "2026-W53"), ("2026-02-30", "2026-02-30"), ("13月40日", "13月40日"), ("0001-W01", "1900"),
    ],
)  # fmt: skip
def test_a_week_or_day_that_does_not_exist_is_refused_in_both_languages(text: str, said: str) -> None:
    with pytest.raises(ToolError) as refused:
        parse_week(text, TODAY)
    assert said in refused.value.message and refused.value.message_zh != refused.value.message


@pytest.mark.parametrize(
    ("today", "text", "week"),
    [
        (date(2027, 1, 4), "上周", "2026-W53"),
        (date(2027, 1, 3), "this week", "2026-W53"),
        (date(2024, 12, 30), "本周", "2025-W01"),
        (date(2024, 12, 30), "last week", "2024-W52"),
        (date(2026, 12, 28), "下周", "2027-W01"),
        (date(2027, 1, 6), "W52", "2026-W52"),
        (date(2027, 6, 1), "W53", "2026-W53"),
        (date(2027, 1, 6), "W10", "2027-W10"),
    ],
)
def test_weeks_are_counted_right_across_a_years_end(today: date, text: str, week: str) -> None:
    assert str(parse_week(text, today)) == week


def test_the_week_before_2027_w01_is_2026_w53() -> None:
    first = Week(2027, 1)
    assert str(first.previous()) == "2026-W53" and first.previous().next() == first
    assert (first.monday, first.sunday) == (date(2027, 1, 4), date(2027, 1, 10))
    assert (weeks_in(2026), weeks_in(2027)) == (53, 52)


@given(DAYS)
def test_every_day_is_in_exactly_its_week(day: date) -> None:
    week = Week.of(day)
    assert day in week and day not in week.previous() and day not in week.next()
    assert week.sunday - week.monday == timedelta(days=6) and week.monday.weekday() == 0
    assert week.next().monday - week.monday == timedelta(days=7)
    assert parse_week(str(week), TODAY) == week == absolute_week(f"{day}-notes.md", TODAY)


@given(st.text(max_size=60), DAYS)
def test_any_text_names_a_week_or_none_or_is_refused(text: str, today: date) -> None:
    try:
        parse_week(text, today)
    except ToolError as refused:
        assert refused.code == "INVALID_ARGUMENTS"
    absolute_week(text, today)


@pytest.mark.parametrize(("text", "moves"), [("上周", True), ("this week", True), ("2026-W42", False), ("W42", False)])
def test_a_week_counted_from_today_is_known_as_such(text: str, moves: bool) -> None:
    assert is_relative(text, TODAY) is moves


@pytest.mark.parametrize(
    ("name", "week"),
    [
        ("2026-W42-standup.md", "2026-W42"), ("2026-10-14-architecture.md", "2026-W42"), ("20261014.md", "2026-W42"),
        ("2026_10_14.md", "2026-W42"), ("第42周例会.md", "2026-W42"), ("notes.md", None), ("2026-W77.md", None),
        ("上周.md", None), ("plan-for-next-week.md", None),
    ],
)  # fmt: skip
def test_a_name_tells_its_week_without_counting_from_today(name: str, week: str | None) -> None:
    found = absolute_week(name, TODAY)
    assert (str(found) if found else None) == week
