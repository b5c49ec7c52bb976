"""Arguments that need reading or mending: normalised where only one thing can be meant, told back where not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from envelopes import bare, envelopes
from people import OTHER, REQUESTER, SUPERVISOR
from pydantic import Field
from scripted import ScriptedModel, call, calls

from signoff import Change, Desk, Preview, Tool, tool
from signoff.errors import UsageError
from signoff.state import Status

Open = Callable[..., Desk]
Level = Annotated[
    Literal["low", "high"], Field(json_schema_extra={"x-labels": {"low": ["低"], "high": ["高", "urgent"]}})
]
Seats = Annotated[int, Field(ge=1, le=40)]

booked: list[tuple[Any, ...]] = []


def room_tools() -> list[Tool]:
    """A read and a write with the same parameters, all of which can be written in several ways."""

    def card(day: date, seats: int, price: Decimal, catering: bool, level: str) -> Preview:
        shown = {"day": day, "seats": seats, "price": price, "catering": catering, "level": level}
        return Preview("Book", [Change(n, None, str(v)) for n, v in shown.items()])

    @tool(risk="write", effect="outside", preview=card)
    def book(day: date, seats: Seats, price: Decimal, catering: bool = False, level: Level = "low") -> str:
        """Books a room. Not for asking whether one is free."""
        booked.append((day, seats, price, catering, level))
        return "booked"

    @tool
    def look_up_room(day: date, seats: Seats, price: Decimal, catering: bool = False, level: Level = "low") -> str:
        """Looks for a room. Not for booking one."""
        return f"{day} {seats} {price} {catering} {level}"

    return [book, look_up_room]


@pytest.fixture
def open_rooms(open_desk: Open, tmp_path: Path) -> Callable[..., Desk]:
    """Opens a desk with the two tools and a script."""
    booked.clear()

    def one(*lines: Any, **options: Any) -> Desk:
        model = ScriptedModel(lines=[*lines, "So it stands."])
        return partial(open_desk, desk=bare(tmp_path))(model=model, tools=room_tools(), **options)

    return one


PLAIN: dict[str, Any] = {"day": "2026-11-03", "seats": 12, "price": "1299.50", "catering": True, "level": "high"}
WRITTEN: list[dict[str, Any]] = [
    {"day": "2026年11月3日", "seats": "１２", "price": "1,299.50", "catering": "是", "level": "高"},
    {"day": "3 Nov 2026", "seats": "twelve", "price": "￥1299.50", "catering": "yes", "level": "HIGH"},
    {"day": "2026/11/3", "seats": 12.0, "price": "1299.50 元", "catering": 1, "level": "urgent"},
    {"Day": "2026-11-03", "SEATS": "十二", "Price": "1299.50", "catering": "true", "level": " High "},
]


@pytest.mark.parametrize("args", WRITTEN)
def test_what_a_person_signs_is_what_was_understood_and_what_runs(args: dict[str, Any], open_rooms: Any) -> None:
    desk = open_rooms(call("book", **args))
    turn = desk.ask("book a room for twelve", caller=REQUESTER)
    [approval] = turn.approvals
    assert dict(approval.args) == PLAIN
    assert {c["field"]: c["after"] for c in approval.card.changes} == {
        "day": "2026-11-03", "seats": "12", "price": "1299.50", "catering": "True", "level": "high",
    }  # fmt: skip
    said = [w for w in approval.card.warnings if w.startswith("normalised: ")]
    assert len(said) >= 4 and any("12" in w and "seats" in w.casefold() for w in said)
    assert approval.digest == approval.call_digest and booked == []
    # Signed in one process, carried out in another.
    again = open_rooms()
    again.decide(approval.id, "approve", by=REQUESTER)
    assert [s.outcome for s in again.resume(turn.thread).steps] == ["ok"]
    assert booked == [(date(2026, 11, 3), 12, Decimal("1299.50"), True, "high")]
    again.resume(turn.thread)
    assert len(booked) == 1


@pytest.mark.parametrize("args", WRITTEN)
def test_a_read_says_what_was_normalised(args: dict[str, Any], open_rooms: Any) -> None:
    desk = open_rooms(call("look_up_room", **args))
    [result] = envelopes(desk, desk.ask("look for a room", caller=REQUESTER))
    assert result.data == "2026-11-03 12 1299.50 True high"
    assert len(result.metadata["normalised"]) >= 4


def test_what_needs_no_reading_is_not_called_normalised(open_rooms: Any) -> None:
    desk = open_rooms(call("look_up_room", **PLAIN), call("book", **PLAIN))
    turn = desk.ask("a room", caller=REQUESTER)
    assert "normalised" not in envelopes(desk, turn)[0].metadata
    assert not any(w.startswith("normalised") for w in turn.approvals[0].card.warnings)


def test_one_call_written_in_several_ways_is_one_call(open_rooms: Any) -> None:
    asked = [call("look_up_room", id=f"c{i}", **args) for i, args in enumerate(WRITTEN)]
    desk = open_rooms(*asked, max_idle_rounds=9)
    turn = desk.ask("look for a room", caller=REQUESTER)
    assert [s.outcome for s in turn.steps] == ["ok", "ok", "REPEATED_CALL", "REPEATED_CALL"]


def test_an_edit_is_read_in_the_same_way(open_rooms: Any) -> None:
    desk = open_rooms(call("book", **PLAIN))
    turn = desk.ask("book a room", caller=REQUESTER)
    edited = desk.decide(
        turn.approvals[0].id, "edit", by=REQUESTER, args={"seats": "十五", "level": "低", "day": "2026年11月4日"}
    )
    assert dict(edited.args) == {**PLAIN, "seats": 15, "level": "low", "day": "2026-11-04"}
    with pytest.raises(UsageError, match="seats: must be 40 or less, given 400"):
        desk.decide(edited.id, "edit", by=REQUESTER, args={"seats": "400"})
    desk.decide(edited.id, "approve", by=REQUESTER)
    desk.resume(turn.thread)
    assert booked == [(date(2026, 11, 4), 15, Decimal("1299.50"), True, "low")]


AMBIGUOUS = [
    ({"day": "11/03/2026"}, "day: must be a date such as 2026-10-31, given '11/03/2026'"),
    ({"day": "明天"}, "day: must be a date such as 2026-10-31, given '明天'"),
    ({"seats": "a dozen or so"}, "seats: must be a whole number, given 'a dozen or so'"),
    ({"seats": "12.5"}, "seats: must be a whole number, given '12.5'"),
    ({"seats": 0}, "seats: must be 1 or more, given 0"),
    ({"seats": "四百"}, "seats: must be 40 or less, given 400"),
    ({"price": "cheap"}, "price: must be a number, given 'cheap'"),
    ({"catering": "maybe"}, "catering: must be true or false, given 'maybe'"),
    ({"level": "medium"}, "level: must be 'low' or 'high', given 'medium'"),
    ({"level": "中"}, "level: must be 'low' or 'high', given '中'"),
    ({"seat": 12}, "seat is not a parameter (there are: day, seats, price, catering, level; did you mean seats?)"),
    ({"user": "u-42"}, "user is not a parameter"),
]


@pytest.mark.parametrize(("args", "told"), AMBIGUOUS)
def test_what_could_mean_several_things_is_told_back_with_field_constraint_and_value(
    args: dict[str, Any], told: str, open_rooms: Any
) -> None:
    desk = open_rooms(call("book", **{**PLAIN, **args}))
    turn = desk.ask("book a room", caller=REQUESTER)
    [result] = envelopes(desk, turn)
    assert result.error is not None and result.error.code == "INVALID_ARGUMENTS" and result.error.retryable
    assert told in result.error.message
    assert result.metadata["attempt"] == 1
    assert desk.approvals(REQUESTER) == [] and booked == []


def test_it_is_told_in_the_language_of_the_question_and_all_at_once(open_rooms: Any) -> None:
    desk = open_rooms(call("book", seats=0, level="中"))
    [result] = envelopes(desk, desk.ask("订一个会议室", caller=REQUESTER))
    assert result.error is not None
    for part in (
        "缺少 day",
        "缺少 price",
        "seats：不能小于 1，给出的是 0",
        "level：必须是 'low' 或 'high'，给出的是 '中'",
    ):
        assert part in result.error.message


def test_what_was_given_is_told_without_the_personal_data_in_it(open_rooms: Any) -> None:
    wrong = {**PLAIN, "seats": "call 13812345678 or ann@example.com", "level": "sk-proj-abcdefghijklmnopqrstuvwx123456"}
    desk = open_rooms(call("book", **wrong))
    [result] = envelopes(desk, desk.ask("book a room", caller=REQUESTER))
    for private in ("13812345678", "ann@example.com", "sk-proj"):
        assert private not in str(result)


def test_a_call_may_be_mended_twice_and_is_then_given_up(open_rooms: Any) -> None:
    wrong = [call("look_up_room", id=f"c{n}", **{**PLAIN, "seats": 100 + n}) for n in range(4)]
    desk = open_rooms(*wrong, max_idle_rounds=9)
    turn = desk.ask("look for a room", caller=REQUESTER)
    results = envelopes(desk, turn)
    codes = ["INVALID_ARGUMENTS", "INVALID_ARGUMENTS", "LIMIT_REACHED", "LIMIT_REACHED"]
    assert [r.error.code for r in results if r.error] == codes
    assert [r.error.retryable for r in results if r.error] == [True, True, False, False]
    assert [r.metadata["attempt"] for r in results] == [1, 2, 3, 4]
    assert turn.status is Status.DONE


def test_a_call_that_is_mended_is_carried_out(open_rooms: Any) -> None:
    wrong, right = call("look_up_room", **{**PLAIN, "seats": 0}), call("look_up_room", **PLAIN)
    desk = open_rooms(wrong, wrong, right)
    assert [s.outcome for s in desk.ask("a room", caller=REQUESTER).steps] == ["INVALID_ARGUMENTS"] * 2 + ["ok"]


def test_the_next_turn_begins_with_all_its_repairs(open_rooms: Any) -> None:
    wrong = call("look_up_room", **{**PLAIN, "seats": 0})
    desk = open_rooms(wrong, wrong, wrong, "No.", wrong)
    first = desk.ask("a room", caller=REQUESTER)
    assert first.steps[-1].outcome == "LIMIT_REACHED"
    second = desk.ask("a room", caller=REQUESTER, thread=first.thread)
    assert second.steps[0].outcome == "INVALID_ARGUMENTS"


@pytest.mark.parametrize("name", ["lookup_room", "LookUpRoom", "look-up-room"])
def test_a_name_in_another_style_is_the_tool_it_means(name: str, open_rooms: Any) -> None:
    desk = open_rooms(call(name, **PLAIN))
    [result] = envelopes(desk, desk.ask("a room", caller=REQUESTER))
    assert result.ok and result.metadata["tool"] == "look_up_room"


@pytest.mark.parametrize("name", ["look_up_rooms", "look_up_the_room"])
def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(name: str, open_rooms: Any) -> None:
    desk = open_rooms(call(name, **PLAIN))
    [result] = envelopes(desk, desk.ask("a room", caller=REQUESTER))
    assert result.error is not None and result.error.code == "UNKNOWN_TOOL"
    assert "Did you mean look_up_room?" in result.error.hint


def test_a_name_like_no_other_is_answered_without_a_guess(open_rooms: Any) -> None:
    desk = open_rooms(calls(("transfer_money", {}, "a"), ("", {}, "b"), ("x" * 5_000, {}, "c")))
    for result in envelopes(desk, desk.ask("a room", caller=REQUESTER)):
        assert result.error is not None and result.error.code == "UNKNOWN_TOOL"
        assert "Did you mean" not in result.error.hint


def test_an_approval_is_signed_by_whoever_may_whatever_language_the_call_was_in(open_rooms: Any) -> None:
    desk = open_rooms(call("book", **WRITTEN[0]))
    turn = desk.ask("订一个十二人的会议室", caller=OTHER)
    desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    assert [s.outcome for s in desk.resume(turn.thread).steps] == ["ok"]
    assert booked == [(date(2026, 11, 3), 12, Decimal("1299.50"), True, "high")]
