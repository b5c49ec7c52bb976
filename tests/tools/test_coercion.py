"""Arguments are read where only one thing can be meant, said so, and otherwise left alone."""

from __future__ import annotations

import copy
import json
from datetime import date, datetime, time
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from signoff.tools.coercion import coerce, explain
from signoff.tools.notations import chinese, number
from signoff.tools.schema import inline

TODAY = date(2026, 10, 31)


class Guest(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    seats: int = 1
    vip: bool = False


class Booking(BaseModel):
    model_config = ConfigDict(extra="forbid")
    order_id: Annotated[str, Field(pattern=r"^[A-Z]\d{4}$")] = "A0000"
    text: str = ""
    maybe: str | None = None
    amount: Annotated[Decimal, Field(ge=0)] = Decimal(1)
    amount_usd: float = 0
    ratio: float = 0
    limit: Annotated[int, Field(ge=1, le=50)] = 1
    which: int | None = None
    either: int | str = 0
    flag: bool = False
    due: date | None = None
    at: datetime | None = None
    hour: time | None = None
    urgency: Annotated[
        Literal["low", "very_high"] | None,
        Field(json_schema_extra={"x-labels": {"very_high": ["高", "紧急", "urgent"], "low": "低"}}),
    ] = None
    kinds: Annotated[list[Literal["a_b", "c"]], Field(json_schema_extra={"x-labels": {"c": ["丙"]}})] = []
    told: Annotated[
        Literal["paid", "in_transit"] | None, Field(description="paid (已付款) or in_transit（运输中）")
    ] = None
    level: Literal[1, 2] = 1
    guest: Guest | None = None
    guests: list[Guest] = []
    tags: list[str] = []
    nums: list[int] = []
    grid: list[list[int]] = []
    pair: tuple[int, str] = (0, "")
    counts: dict[str, int] = {}
    free: Any = None


SCHEMA = inline(Booking.model_json_schema())


def read(**args: Any) -> tuple[dict[str, Any], list[str]]:
    return coerce(args, SCHEMA, today=TODAY)


READ: list[tuple[str, Any, Any]] = [
    ("limit", "7", 7),
    ("limit", " １２ ", 12),
    ("limit", "1,000", 1000),
    ("limit", 3.0, 3),
    ("limit", "3.0", 3),
    ("limit", "三", 3),
    ("limit", "二十三", 23),
    ("limit", "两千零五", 2005),
    ("limit", "three", 3),
    ("limit", "“5”", 5),
    ("ratio", "1,299.50", 1299.5),
    ("ratio", "-0.5", -0.5),
    ("ratio", "¥299", 299),
    ("ratio", "￥1,299.5", 1299.5),
    ("ratio", "299元", 299),
    ("ratio", "RMB 20", 20),
    ("amount", "1,299.50", "1299.50"),
    ("amount", "¥299.00", "299.00"),
    ("amount", "２９９", "299"),
    ("amount_usd", "$1,299.50", 1299.5),
    ("which", "9", 9),
    ("which", "null", None),
    ("which", "None", None),
    ("maybe", "null", None),
    ("flag", "true", True),
    ("flag", "是", True),
    ("flag", "No", False),
    ("flag", "否", False),
    ("flag", 1, True),
    ("due", "2026/10/3", "2026-10-03"),
    ("due", "2026年10月3日", "2026-10-03"),
    ("due", "二〇二六年十月三日", "2026-10-03"),
    ("due", "Oct 3, 2026", "2026-10-03"),
    ("due", "3rd October 2026", "2026-10-03"),
    ("due", "Saturday, Oct 3, 2026", "2026-10-03"),
    ("due", "20261003", "2026-10-03"),
    ("due", 20261003, "2026-10-03"),
    ("due", "２０２６．１０．３", "2026-10-03"),
    ("due", "13/04/2026", "2026-04-13"),
    ("due", "04/13/2026", "2026-04-13"),
    ("due", "明天", "2026-11-01"),
    ("due", "yesterday", "2026-10-30"),
    ("at", "2026/10/3 15:00", "2026-10-03T15:00:00"),
    ("at", "2026年10月3日下午3点半", "2026-10-03T15:30:00"),
    ("at", "Oct 3, 2026 at 3:05 pm", "2026-10-03T15:05:00"),
    ("at", "Oct 3, 2026 12:15 AM", "2026-10-03T00:15:00"),
    ("at", "2026/10/3 15:00:05 +0800", "2026-10-03T15:00:05+08:00"),
    ("at", "20261003", "2026-10-03"),
    ("hour", "3:30 pm", "15:30:00"),
    ("hour", "15点", "15:00:00"),
    ("urgency", "Very High", "very_high"),
    ("urgency", "VERY-HIGH", "very_high"),
    ("urgency", "ｌｏｗ", "low"),
    ("urgency", "高", "very_high"),
    ("urgency", "Urgent", "very_high"),
    ("urgency", "低", "low"),
    ("urgency", "null", None),
    ("told", "已付款", "paid"),
    ("told", "运输中", "in_transit"),
    ("level", "2", 2),
    ("order_id", "'A1001'", "A1001"),
    ("order_id", " A1001 ", "A1001"),
    ("kinds", ["A-B", "丙"], ["a_b", "c"]),
    ("kinds", "丙", ["c"]),
    ("tags", "apollo", ["apollo"]),
    ("nums", "5", [5]),
    ("nums", ["1", 2.0, "三"], [1, 2, 3]),
    ("nums", "[1, 2]", [1, 2]),
    ("pair", ["1", "2"], [1, "2"]),
    ("counts", '{"a": "1"}', {"a": 1}),
    ("guest", '{"name": "Ann", "seats": "2"}', {"name": "Ann", "seats": 2}),
    ("guests", {"name": "Ann", "VIP": "yes"}, [{"name": "Ann", "vip": True}]),
    ("guests", '{"name": "Ann", "seats": 2}', [{"name": "Ann", "seats": 2}]),
    ("guests", '[{"Name": "Ann"}]', [{"name": "Ann"}]),
]


@pytest.mark.parametrize(("name", "given_", "meant"), READ, ids=[f"{n}-{g!r}" for n, g, _ in READ])
def test_what_can_only_mean_one_thing_is_read_and_said(name: str, given_: Any, meant: Any) -> None:
    result, notes = read(**{name: given_})
    assert result == {name: meant}
    assert type(result[name]) is type(meant)
    assert notes and all(note.startswith(name) and " read as " in note for note in notes)


LEFT: list[tuple[str, Any]] = [
    ("due", "03/04/2026"),
    ("due", "Friday, Oct 3, 2026"),
    ("due", "2026-02-30"),
    ("due", "10月3日"),
    ("due", "3/4/26"),
    ("due", "next week"),
    ("due", "2026-10-03T00:00:00"),
    ("at", "2026-10-03T15:00:00Z"),
    ("at", "2026-10-03"),
    ("at", "2026年10月3日晚上12点"),
    ("limit", "2.5"),
    ("limit", 2.5),
    ("limit", "三百五"),
    ("limit", "三四"),
    ("limit", "about 3"),
    ("limit", "3个"),
    ("limit", "50%"),
    ("limit", True),
    ("limit", ""),
    ("limit", "9" * 5_000),
    ("ratio", "1.299,50"),
    ("ratio", "1,29"),
    ("ratio", "$299"),
    ("ratio", "nan"),
    ("ratio", "1e999"),
    ("amount", "1299.50"),
    ("amount", "1e2"),
    ("amount", "many"),
    ("amount_usd", "¥299"),
    ("flag", "maybe"),
    ("flag", 2),
    ("urgency", "medium"),
    ("urgency", "lo"),
    ("level", "3"),
    ("level", True),
    ("text", "00123"),
    ("text", "1,299.50"),
    ("text", " 'quoted' "),
    ("text", "null"),
    ("text", 123),
    ("order_id", "00123"),
    ("order_id", "a1001"),
    ("order_id", 1001),
    ("either", "12"),
    ("either", "null"),
    ("maybe", "none at all"),
    ("tags", "a, b"),
    ("tags", "甲、乙"),
    ("tags", None),
    ("tags", '["a"'),
    ("grid", [1, 2]),
    ("guests", [["x"]]),
    ("guest", "{not json"),
    ("counts", "[1]"),
    ("free", "12"),
    ("free", {"Name": "x"}),
]


@pytest.mark.parametrize(("name", "value"), LEFT, ids=[f"{n}-{str(v)[:20]}" for n, v in LEFT])
def test_what_is_valid_or_can_mean_two_things_is_left_alone(name: str, value: Any) -> None:
    assert read(**{name: value}) == ({name: value}, [])


def test_words_for_days_need_the_business_date() -> None:
    assert coerce({"due": "明天"}, SCHEMA) == ({"due": "明天"}, [])


@pytest.mark.parametrize("written", ["orderId", "OrderID", "order-id", "ORDER ID", "ｏｒｄｅｒ＿ｉｄ"])
def test_a_parameter_in_another_style_is_meant_when_it_is_the_only_one(written: str) -> None:
    result, notes = read(**{"limit": 1, written: "A1001"})
    assert result == {"limit": 1, "order_id": "A1001"}
    assert notes == [f"{written} read as order_id"]


@pytest.mark.parametrize(
    "args",
    [
        {"orderId": "A1001", "order_id": "A1002"},
        {"orderId": "A1001", "ORDER_ID": "A1002"},
        {"order": "A1001"},
        {"order_ids": "A1001"},
    ],
)
def test_a_parameter_is_never_guessed(args: dict[str, Any]) -> None:
    assert coerce(args, SCHEMA) == (args, [])


def test_where_more_properties_are_allowed_only_a_missing_one_is_looked_for() -> None:
    schema = {"properties": {"name": {"type": "string"}, "age": {"type": "integer"}}, "required": ["name"]}
    assert coerce({"Name": "x", "Age": "3"}, schema) == ({"name": "x", "Age": "3"}, ["Name read as name"])


def test_each_change_is_one_short_sentence_without_personal_data() -> None:
    _, notes = read(ratio="1,299.50", orderId="'A1001'", guests=[{"name": "x", "seats": "2"}], urgency="高")
    assert notes == [
        "orderId read as order_id",
        "ratio: '1,299.50' read as 1299.5",
        "order_id: \"'A1001'\" read as 'A1001'",
        "guests[0].seats: '2' read as 2",
        "urgency: '高' read as 'very_high'",
    ]
    _, notes = read(nums="13812345678", guests=f'[{{"name": "password=hunter2 {"x" * 500}"}}]')
    assert "13812345678" not in str(notes) and "hunter2" not in str(notes)
    assert all(len(note) < 250 for note in notes)


def test_what_cannot_be_read_does_not_keep_the_rest_from_it() -> None:
    result, notes = read(guests=[{"name": 1, "seats": "2"}, "x"], limit="?", flag="是")
    assert result == {"guests": [{"name": 1, "seats": 2}, "x"], "limit": "?", "flag": True}
    assert len(notes) == 2


def test_what_was_read_is_what_the_tool_is_called_with() -> None:
    result, _ = read(amount="¥1,299.50", due="2026年10月3日", at="Oct 3, 2026 3pm", limit="三", guests={"name": "Ann"})
    booking = Booking.model_validate(result)
    assert booking.amount == Decimal("1299.50")
    assert (booking.due, booking.at) == (date(2026, 10, 3), datetime(2026, 10, 3, 15))
    assert booking.guests == [Guest(name="Ann")]


@given(st.integers(0, 99_999_999))
def test_figures_are_read_however_they_are_grouped_or_widened(value: int) -> None:
    wide = str.maketrans("0123456789,", "０１２３４５６７８９，")
    for text in (str(value), f"{value:,}", f"{value:,}".translate(wide), f"¥{value:,}", f"{value}元"):
        assert number(text) == value


def test_chinese_numerals_are_read_in_their_full_form_only() -> None:
    full = {"零": 0, "十": 10, "一十二": 12, "一百零五": 105, "一百一十": 110, "三千零二十": 3020, "十万": 100_000}
    full |= {"一万零二十": 10_020, "十二万三千": 123_000, "九千九百九十九万九千九百九十九": 99_999_999}
    assert {text: chinese(text) for text in full} == full
    assert [chinese(t) for t in ("三百五", "一百十", "二二", "百", "万", "零零", "半", "几十", "一万二", "")] == [
        None
    ] * 10


VALID = st.builds(
    Booking,
    order_id=st.from_regex(r"\A[A-Z][0-9]{4}\Z"),
    text=st.text(max_size=20),
    maybe=st.none() | st.text(max_size=20).filter(lambda t: t not in ("null", "None")),
    amount=st.decimals(0, 10**6, places=2),
    ratio=st.floats(allow_nan=False, allow_infinity=False),
    limit=st.integers(1, 50),
    which=st.none() | st.integers(),
    either=st.integers() | st.text(max_size=9),
    flag=st.booleans(),
    due=st.none() | st.dates(),
    at=st.none() | st.datetimes(),
    urgency=st.sampled_from([None, "low", "very_high"]),
    guests=st.lists(st.builds(Guest, name=st.text(max_size=9)), max_size=3),
    tags=st.lists(st.text(max_size=9), max_size=3),
    counts=st.dictionaries(st.text(max_size=9), st.integers(), max_size=3),
)


@given(VALID)
def test_valid_arguments_are_not_touched(booking: Booking) -> None:
    args = booking.model_dump(mode="json")
    assert coerce(args, SCHEMA, today=TODAY) == (args, [])


WRITTEN = st.sampled_from([given_ for _, given_, _ in READ] + [value for _, value in LEFT])
ANY = st.recursive(
    WRITTEN | st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda x: (
        st.lists(x, max_size=4)
        | st.dictionaries(st.sampled_from(["name", "Seats", "vip", "x"]) | st.text(max_size=5), x, max_size=4)
    ),
    max_leaves=12,
)
NAMES = st.sampled_from([*SCHEMA["properties"], "orderId", "Due", "guest-s"]) | st.text(max_size=6)


@given(st.dictionaries(NAMES, ANY | ANY.map(lambda v: json.dumps(v, default=str)), max_size=5))
def test_any_json_is_read_once_and_for_all(args: dict[str, Any]) -> None:
    before = copy.deepcopy(args)
    result, notes = coerce(args, SCHEMA, today=TODAY)
    assert repr(args) == repr(before)
    again, more = coerce(result, SCHEMA, today=TODAY)
    assert repr(again) == repr(result)
    assert more == []
    assert bool(notes) == (repr(result) != repr(args))
    try:
        Booking.model_validate(result)
    except ValidationError as error:
        for language in ("zh", "en"):
            assert explain(error, SCHEMA["properties"], language=language)


def test_deep_values_and_odd_schemas_do_no_harm() -> None:
    deep: Any = "1"
    for _ in range(3_000):
        deep = [deep]
    assert coerce({"nums": deep, "free": deep, "limit": "1"}, SCHEMA)[1] == ["limit: '1' read as 1"]
    assert coerce({"guests": {"name": deep}}, SCHEMA)[1] == []
    anything = {"properties": {"list": {"type": "array", "items": {}}}}
    assert coerce({"list": {"deep": deep}}, anything)[1] == ["list: a dict read as a list"]
    assert coerce({"nums": "[" * 5_000, "limit": "1"}, SCHEMA)[0]["limit"] == 1
    for schema in ({}, {"properties": None}, {"properties": {"a": True}}, {"properties": {"a": {"type": ["integer"]}}}):
        assert coerce({"a": "1"}, schema)[0]["a"] in ("1", 1)
    odd = {
        "properties": {
            "a": {"enum": "x"},
            "b": {"anyOf": []},
            "c": {"type": "string", "pattern": "("},
            "d": {"type": 3},
        }
    }
    args = {"a": "y", "b": "1", "c": "'z'", "d": "4"}
    assert coerce(args, odd) == (args, [])


def explained(args: dict[str, Any], language: str = "en") -> str:
    with pytest.raises(ValidationError) as raised:
        Booking.model_validate(args)
    return explain(raised.value, Booking.model_fields, language=language)


EXPLAINED: list[tuple[dict[str, Any], list[str], list[str]]] = [
    ({"limit": 99}, ["limit", "50 or less", "99"], ["limit", "不能大于 50", "99"]),
    ({"limit": "many"}, ["limit", "whole number", "'many'"], ["必须是整数", "many"]),
    ({"order_id": "x1"}, ["order_id", "pattern", "'x1'"], ["order_id", "格式", "x1"]),
    ({"urgency": "huge"}, ["urgency", "'low' or 'very_high'", "'huge'"], ["'low' 或 'very_high'", "huge"]),
    ({"due": "03/04/2026"}, ["due", "2026-10-31", "03/04/2026"], ["必须是日期"]),
    ({"at": "then"}, ["at", "date and time"], ["日期和时间"]),
    ({"flag": "perhaps"}, ["flag", "true or false"], ["true 或 false"]),
    ({"amount": -1}, ["amount", "0 or more", "-1"], ["不能小于 0"]),
    ({"tags": "a, b"}, ["tags", "a list"], ["列表"]),
    ({"guest": "Ann"}, ["guest", "an object"], ["对象"]),
    ({"guests": [{"seats": 1}]}, ["guests[0].name is missing"], ["缺少 guests[0].name"]),
    ({"guests": [{"name": "x", "seat": 1}]}, ["guests[0].seat is not a parameter"], ["不是参数"]),
    ({"oder_id": "A1001"}, ["oder_id is not a parameter", "did you mean order_id?"], ["是否指 order_id"]),
    ({"zzz": 1}, ["zzz is not a parameter (there are: order_id, "], ["可用"]),
    ({"either": [1]}, ["either: must be a whole number, or must be text"], ["必须是整数，或必须是"]),
]


@pytest.mark.parametrize(("args", "en", "zh"), EXPLAINED, ids=[str(a) for a, _, _ in EXPLAINED])
def test_a_finding_names_field_constraint_and_what_was_given(
    args: dict[str, Any], en: list[str], zh: list[str]
) -> None:
    for words, language in ((en, "en"), (zh, "zh")):
        text = explained(args, language)
        assert [w for w in words if w not in text] == [], text
        assert not text.endswith((".", "。")) and "pydantic" not in text


def test_personal_data_and_secrets_are_not_told_back() -> None:
    text = explained({"limit": "13812345678x call 13812345678", "password": "hunter2", "flag": "password=hunter2"})
    assert "13812345678 " not in text and "call 1381" not in text and "hunter2" not in text


def test_long_values_are_shortened_and_many_findings_counted() -> None:
    text = explained({"limit": "x" * 10_000})
    assert len(text) < 200
    text = explained({f"extra_{i}": 1 for i in range(20)})
    assert text.count("is not a parameter") == 6
    assert text.endswith("and 14 more")


def test_a_validators_own_words_are_told_without_what_it_saw() -> None:
    class Strict(BaseModel):
        mail: str

        @field_validator("mail")
        @classmethod
        def _ours(cls, mail: str) -> str:
            raise ValueError(f"{mail} is not one of ours.")

    with pytest.raises(ValidationError) as raised:
        Strict.model_validate({"mail": "bob@example.com"})
    assert explain(raised.value, ["mail"]) == "mail: [email] is not one of ours, given '[email]'"
