"""Times are told by the injected clock and carried between zones, changes of clocks included."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from general_run import CLOCK, JSON, call, refusal, survives, unhurried
from hypothesis import given
from hypothesis import strategies as st

from signoff.tools.catalog.moments import convert_time, now
from signoff.tools.zones import find


def test_now_is_business_time() -> None:
    data = call(now)
    assert data["time"] == "2026-10-31T10:00:00+08:00"
    assert (data["date"], data["weekday"], data["weekday_zh"]) == ("2026-10-31", "Saturday", "星期六")
    assert (data["iso_week"], data["zone"], data["offset"]) == ("2026-W44", "Asia/Shanghai", "UTC+08:00")
    assert (
        now.render
        and now.render(data, "zh") == "现在是 Asia/Shanghai (UTC+08:00) 2026-10-31 10:00(星期六),2026-W44 周。"
    )


@pytest.mark.parametrize(
    ("zone", "time"),
    [
        ("纽约", "2026-10-30T22:00:00-04:00"),
        ("Tokyo", "2026-10-31T11:00:00+09:00"),
        ("utc", "2026-10-31T02:00:00+00:00"),
        ("UTC+5:30", "2026-10-31T07:30:00+05:30"),
        ("Asia/Kathmandu", "2026-10-31T07:45:00+05:45"),
    ],
)
def test_now_in_another_place(zone: str, time: str) -> None:
    assert call(now, zone=zone)["time"] == time


@pytest.mark.parametrize(
    ("said", "zone"),
    [
        ("北京", "Asia/Shanghai"), ("北京时间", "Asia/Shanghai"), ("中国标准时间", "Asia/Shanghai"),
        ("Beijing", "Asia/Shanghai"), ("Beijing time", "Asia/Shanghai"), ("东京", "Asia/Tokyo"),
        ("ＴＯＫＹＯ", "Asia/Tokyo"), ("new_york", "America/New_York"), ("New York, USA", "America/New_York"),
        ("america/new_york", "America/New_York"), ("Paris, France", "Europe/Paris"), ("伦敦市", "Europe/London"),
        ("EST", "America/New_York"), ("Pacific Time", "America/Los_Angeles"), ("旧金山", "America/Los_Angeles"),
        ("India", "Asia/Kolkata"), ("São Paulo", "America/Sao_Paulo"), ("Etc/GMT+5", "Etc/GMT+5"),
        ("东八区", "UTC+08:00"), ("西五区", "UTC-05:00"), ("GMT-03:30", "UTC-03:30"), ("+0530", "UTC+05:30"),
        ("utc−5", "UTC-05:00"), ("Z", "UTC"), ("格林尼治时间", "UTC"), ("Buenos Aires", "America/Buenos_Aires"),
    ],
)  # fmt: skip
def test_zones_by_what_people_call_them(said: str, zone: str) -> None:
    assert find(said).name == zone


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("CST", "Asia/Shanghai, America/Chicago"),
        ("IST", "Asia/Kolkata"),
        ("美国", "America/New_York"),
        ("Canada", "America/Toronto"),
        ("Toky", "tokyo (Asia/Tokyo)"),
        ("Atlantis", "not a known time zone"),
        ("Paris, Texas", "not a known time zone"),
        ("UTC+25", "not a known time zone"),
        ("../etc/passwd", "not a known time zone"),
        ("-", "not a known time zone"),
    ],
)
def test_a_place_that_is_none_or_several_is_asked_about(said: str, told: str) -> None:
    for error in (refusal(now, zone=said), refusal(convert_time, time="15:00", to_zone=said)):
        assert error.code == "INVALID_ARGUMENTS" and told in error.message


@pytest.mark.parametrize(
    ("time", "from_zone", "to_zone", "expected"),
    [
        ("15:00", "北京", "东京", "2026-10-31T16:00:00+09:00"),
        ("9:30", "New York", "London", "2026-10-30T13:30:00+00:00"),
        ("3pm", "Tokyo", "UTC", "2026-10-31T06:00:00+00:00"),
        ("12am", "UTC", "上海", "2026-10-31T08:00:00+08:00"),
        ("12 PM", "UTC", "上海", "2026-10-31T20:00:00+08:00"),
        ("noon", None, "UTC", "2026-10-31T04:00:00+00:00"),
        ("midnight", None, "UTC", "2026-10-30T16:00:00+00:00"),
        ("24:00", None, "UTC", "2026-10-31T16:00:00+00:00"),
        ("现在", None, "东京", "2026-10-31T11:00:00+09:00"),
        ("now", "London", "Tokyo", "2026-10-31T11:00:00+09:00"),
        ("明天下午3点半", "北京", "UTC", "2026-11-01T07:30:00+00:00"),
        ("明天下午三点一刻", "北京", "UTC", "2026-11-01T07:15:00+00:00"),
        ("今晚8点", "北京", "UTC", "2026-10-31T12:00:00+00:00"),
        ("昨晚11点半", "北京", "UTC", "2026-10-30T15:30:00+00:00"),
        ("晚上12点", "北京", "UTC", "2026-10-31T16:00:00+00:00"),
        ("凌晨1点", "北京", "UTC", "2026-10-30T17:00:00+00:00"),
        ("11月3日 15点30分", "北京", "UTC", "2026-11-03T07:30:00+00:00"),
        ("15：00", "北京", "UTC", "2026-10-31T07:00:00+00:00"),
        ("tomorrow at 9", "北京", "UTC", "2026-11-01T01:00:00+00:00"),
        ("3 in the afternoon", "北京", "UTC", "2026-10-31T07:00:00+00:00"),
        ("Nov 3, 2026 3:30pm", "北京", "UTC", "2026-11-03T07:30:00+00:00"),
        ("3 November 3pm", "北京", "UTC", "2026-11-03T07:00:00+00:00"),
        ("2026-12-24T18:00", "Berlin", "Sydney", "2026-12-25T04:00:00+11:00"),
        ("2026-11-01T15:00:00Z", "Berlin", "Tokyo", "2026-11-02T00:00:00+09:00"),
        ("2026-11-01 15:00 +0800", None, "UTC", "2026-11-01T07:00:00+00:00"),
    ],
)
def test_times_as_people_write_them(time: str, from_zone: str | None, to_zone: str, expected: str) -> None:
    data = call(convert_time, time=time, from_zone=from_zone, to_zone=to_zone)
    assert data["to"]["time"] == expected
    assert datetime.fromisoformat(data["from"]["time"]) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    "time",
    ["25:00", "13pm", "foo", "3", "2026-02-30 10:00", "12:61", "1/2/2026 9:00", "下午", "15:00 or 16:00", "上午15点"],
)
def test_what_is_no_time_is_not_guessed(time: str) -> None:
    assert "cannot be read as a time" in refusal(convert_time, time=time, to_zone="UTC").message


@pytest.mark.parametrize("time", ["0001-01-01 00:00", "9999-12-31 23:59"])
def test_a_year_out_of_reach_is_refused(time: str) -> None:
    assert "too far away" in refusal(convert_time, time=time, to_zone="Pacific/Kiritimati").message


def test_a_time_that_clocks_jump_over_is_said_so() -> None:
    data = call(convert_time, time="2026-03-08 02:30", from_zone="New York", to_zone="UTC")
    assert data["to"]["time"] == "2026-03-08T07:30:00+00:00"
    assert "does not exist" in data["note"] and "03:30 was taken" in data["note"] and "跳过" in data["note_zh"]
    assert "second" not in data


def test_a_time_that_comes_twice_is_given_both_times() -> None:
    data = call(convert_time, time="2026-11-01 01:30", from_zone="America/New_York", to_zone="北京")
    assert data["to"]["time"] == "2026-11-01T13:30:00+08:00"
    assert data["second"]["to"]["time"] == "2026-11-01T14:30:00+08:00"
    assert convert_time.render
    assert "comes twice" in convert_time.render(data, "en") and "14:30" in convert_time.render(data, "zh")


def test_the_difference_and_the_day_are_said() -> None:
    data = call(convert_time, time="20:00", from_zone="北京", to_zone="新德里")
    assert (data["day_shift"], data["difference"]) == (0, "Asia/Kolkata is 2 h 30 min behind Asia/Shanghai then.")
    assert call(convert_time, time="23:30", from_zone="北京", to_zone="东京")["day_shift"] == 1
    assert call(convert_time, time="1:00", from_zone="北京", to_zone="香港")["difference_zh"].endswith("时间相同。")


@unhurried
@given(
    st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1)),
    st.sampled_from(
        ["Asia/Shanghai", "America/New_York", "Europe/London", "Australia/Lord_Howe", "Pacific/Apia", "UTC"]
    ),
    st.sampled_from(["Asia/Tokyo", "America/St_Johns", "Europe/Dublin", "Africa/Casablanca", "Pacific/Kiritimati"]),
)
def test_conversion_agrees_with_the_zone_database(at: datetime, source: str, target: str) -> None:
    data = call(convert_time, time=f"{at:%Y-%m-%d %H:%M:%S}", from_zone=source, to_zone=target)
    expected = at.replace(microsecond=0, tzinfo=ZoneInfo(source)).astimezone(ZoneInfo(target))
    assert datetime.fromisoformat(data["to"]["time"]) == expected


@unhurried
@given(JSON, JSON, JSON)
def test_any_json_is_answered(time: object, to_zone: object, from_zone: object) -> None:
    survives(now, zone=to_zone)
    survives(convert_time, time=time, to_zone=to_zone, from_zone=from_zone)
    survives(convert_time, time=time, to_zone="UTC")


@unhurried
@given(st.text(alphabet="0123456789:年月日点分半时am pm-T+ 明天下午上今晚零一二三十/.Z", max_size=30))
def test_anything_that_looks_like_a_time_is_answered(time: str) -> None:
    survives(convert_time, time=time, to_zone="UTC")


def test_the_clock_is_the_desks_own() -> None:
    assert CLOCK.fixed and call(convert_time, time="现在", to_zone="上海")["to"]["time"] == CLOCK.fixed.isoformat()
