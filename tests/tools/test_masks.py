"""Personal data is behind marks for models, logs and traces; code puts the values back for whom they belong to."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from people import OTHER, REQUESTER, STRANGER

from signoff import Caller
from signoff.clock import Clock
from signoff.records.database import Database
from signoff.telemetry import redact, redact_value
from signoff.telemetry.redaction import finds
from signoff.tools.masks import MOST, Masks, clear, masks_metadata

PHONE, EMAIL, ID_CARD, BANK_CARD = "13812345678", "zhang.san@example.com", "11010519491231002X", "4111111111111111"
VALUES = {"phone": PHONE, "email": EMAIL, "id-card": ID_CARD, "bank-card": BANK_CARD}


class Bench:
    """Masks over a real database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.masks = self.at()

    def at(self, hours: float = 0.0) -> Masks:
        """The masks as they are so many hours later."""
        return Masks(self.database, Clock(ahead=timedelta(hours=hours)), ttl_h=24)

    def mask(self, value: Any, *, caller: Caller = REQUESTER, thread: str = "t1", reveals: tuple[str, ...] = ()) -> Any:
        with self.database.write() as tx:
            return self.masks.mask(tx, caller, thread, value, reveals=frozenset(reveals))

    def stored(self) -> str:
        with self.database.read() as tx:
            return repr(tx.exec_driver_sql("SELECT * FROM masks ORDER BY rowid").all())


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    database = Database(tmp_path / "desk.db")
    database.create(masks_metadata)
    yield Bench(database)
    database.close()


@pytest.mark.parametrize(("kind", "value"), VALUES.items())
def test_each_kind_gets_its_mark_and_comes_back(bench: Bench, kind: str, value: str) -> None:
    for around in ("{}", "我的是{}，谢谢", "write to {} now"):
        assert bench.mask(around.format(value)) == around.format(f"[{kind}:1]")
    args = {"to": f"[{kind}:1]", "text": f"{kind}: [{kind}:1]!"}
    restored, marks = bench.masks.restore(REQUESTER, "t1", args)
    assert restored == {"to": value, "text": f"{kind}: {value}!"}
    assert marks == [f"[{kind}:1]"]


def test_marks_are_numbered_by_kind_in_the_order_of_their_finding(bench: Bench) -> None:
    data = [{"phone": PHONE, "mail": EMAIL}, {"phone": "13900001111"}, {"phone": PHONE}]
    assert bench.mask(data) == [
        {"phone": "[phone:1]", "mail": "[email:1]"},
        {"phone": "[phone:2]"},
        {"phone": "[phone:1]"},
    ]
    assert bench.mask("13900001111 or 13700002222") == "[phone:2] or [phone:3]"


@pytest.mark.parametrize(
    "written", ["138 1234 5678", "138-1234-5678", "１３８１２３４５６７８", "138\u200b1234\u200b5678", "138—1234—5678"]
)
def test_a_value_has_one_mark_however_it_is_written(bench: Bench, written: str) -> None:
    assert bench.mask(PHONE) == "[phone:1]"
    assert bench.mask(written) == "[phone:1]"
    assert bench.mask(EMAIL) == bench.mask(EMAIL.upper()) == "[email:1]"


def test_numbers_and_names_of_fields_are_masked_too(bench: Bench) -> None:
    assert bench.mask({"tel": 13812345678, PHONE: [1], "order": 1001}) == {
        "tel": "[phone:1]",
        "[phone:1]": [1],
        "order": 1001,
    }


def test_secrets_get_a_plain_mark_and_are_kept_nowhere(bench: Bench) -> None:
    data = {
        "password": PHONE,
        "note": f"password: hunter2 and sk-abcdefghijklmnop, call {PHONE}",
        "auth": "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0",
    }
    assert bench.mask(data) == {
        "password": "[secret]",
        "note": "password: [secret] and [api-key], call [phone:1]",
        "auth": "Bearer [token]",
    }
    assert "hunter2" not in bench.stored() and "sk-abc" not in bench.stored() and "eyJ" not in bench.stored()
    bench.mask({"secret": "13900001111"}, thread="t2")
    assert "13900001111" not in bench.stored()


def test_a_mark_belongs_to_one_caller_on_one_thread(bench: Bench) -> None:
    bench.mask(PHONE, reveals=("phone",))
    args = {"to": "[phone:1]"}
    for caller, thread in [(OTHER, "t1"), (STRANGER, "t1"), (REQUESTER, "t2")]:
        assert bench.masks.restore(caller, thread, args) == (args, [])
        assert bench.masks.reveal("[phone:1]", caller, thread) == "[phone:1]"
        assert bench.mask("13600003333", caller=caller, thread=thread) == "[phone:1]"
    assert bench.masks.restore(REQUESTER, "t1", args)[0] == {"to": PHONE}


def test_only_what_its_tool_reveals_is_shown_to_the_caller(bench: Bench) -> None:
    bench.mask({"phone": PHONE, "card": BANK_CARD}, reveals=("phone",))
    text = "Call [phone:1], paid with [bank-card:1], not [phone:9] or [phone]."
    assert bench.masks.reveal(text, REQUESTER, "t1") == text.replace("[phone:1]", PHONE)
    bench.mask(BANK_CARD, reveals=("bank-card",))
    bench.mask(PHONE)
    assert bench.masks.reveal("[phone:1] [bank-card:1]", REQUESTER, "t1") == f"{PHONE} {BANK_CARD}"


@pytest.mark.parametrize("written", ["[phone:1]", "[Phone:1]", "[ phone: 1 ]", "【phone：1】", "［PHONE:01］"])
def test_a_model_may_write_a_mark_a_little_differently(bench: Bench, written: str) -> None:
    bench.mask(PHONE)
    assert bench.masks.restore(REQUESTER, "t1", {"to": [written]}) == ({"to": [PHONE]}, ["[phone:1]"])


@pytest.mark.parametrize(
    "written", ["[phone]", "[phone:2]", "phone:1", "[phone:1x]", "[fax:1]", "[phone:99999999]", ""]
)
def test_what_is_no_issued_mark_stays_as_it_is(bench: Bench, written: str) -> None:
    bench.mask(PHONE)
    assert bench.masks.restore(REQUESTER, "t1", {"to": written}) == ({"to": written}, [])


def test_a_mark_forged_in_a_result_never_comes_to_stand_for_a_value(bench: Bench) -> None:
    assert bench.mask("see [phone:1] and [Email: 3], [phone] too") == "see [phone] and [email], [phone] too"
    assert bench.mask(PHONE) == "[phone:1]"
    assert bench.mask("see [phone:1] again") == "see [phone:1] again"


def test_expired_values_are_not_put_back_and_being_found_again_renews_them(bench: Bench) -> None:
    bench.mask(PHONE, reveals=("phone",))
    assert bench.at(23).restore(REQUESTER, "t1", "[phone:1]")[0] == PHONE
    assert bench.at(25).restore(REQUESTER, "t1", "[phone:1]") == ("[phone:1]", [])
    assert bench.at(25).reveal("[phone:1]", REQUESTER, "t1") == "[phone:1]"
    with bench.database.write() as tx:
        assert bench.at(25).mask(tx, REQUESTER, "t1", PHONE) == "[phone:1]"
    assert bench.at(26).restore(REQUESTER, "t1", "[phone:1]")[0] == PHONE


def test_a_purged_mark_is_never_given_to_another_value(bench: Bench) -> None:
    bench.mask([PHONE, EMAIL])
    with bench.database.write() as tx:
        assert bench.at(12).purge(tx) == 0
        assert bench.at(25).purge(tx) == 2
        assert bench.at(25).purge(tx) == 0
    assert PHONE not in bench.stored() and EMAIL not in bench.stored()
    assert bench.mask("13900001111") == "[phone:2]"
    assert bench.mask(PHONE) == "[phone:3]"
    assert bench.masks.restore(REQUESTER, "t1", "[phone:1]") == ("[phone:1]", [])


def test_deleting_a_thread_deletes_its_values(bench: Bench) -> None:
    bench.mask(PHONE)
    bench.mask("13900001111", thread="t2")
    with bench.database.write() as tx:
        bench.masks.delete_thread(tx, "t1")
    assert PHONE not in bench.stored()
    assert bench.masks.restore(REQUESTER, "t2", "[phone:1]")[0] == "13900001111"


def test_a_rehearsal_finds_the_marks_that_are_there_and_keeps_nothing(bench: Bench) -> None:
    bench.mask(PHONE)
    before = bench.stored()
    assert bench.masks.mask(None, REQUESTER, "t1", [PHONE, EMAIL]) == ["[phone:1]", "[email]"]
    assert bench.stored() == before


def test_a_flood_of_values_is_bounded(bench: Bench) -> None:
    flood = [f"139{i:08}" for i in range(MOST + 50)]
    masked = bench.mask(flood)
    assert masked[MOST - 1] == f"[phone:{MOST}]"
    assert masked[MOST:] == ["[phone]"] * 50
    assert bench.mask("13712345678") == "[phone]"
    assert bench.mask(flood[0]) == "[phone:1]"


def test_a_rolled_back_mask_was_never_issued(bench: Bench) -> None:
    with pytest.raises(RuntimeError), bench.database.write() as tx:
        bench.masks.mask(tx, REQUESTER, "t1", PHONE)
        raise RuntimeError
    assert bench.masks.restore(REQUESTER, "t1", "[phone:1]") == ("[phone:1]", [])


@pytest.mark.parametrize(
    "data",
    [
        {"order_id": "A1001", "amount_yuan": "299.00", "placed_at": "2026-10-22T11:05:00+08:00", "total": 20261031},
        "Order A1001: delivered on 2026-10-22, 299.00 yuan.",
        "[phone] [email] [secret]",
        ["3f2504e0-4f89-41d3-9a0c-0305e82c3301", 12_345_678_901, True, None, 1.5],
    ],
)
def test_what_belongs_to_the_work_stays(bench: Bench, data: Any) -> None:
    assert bench.mask(data) == data
    assert bench.stored() == "[]"


def test_what_is_redacted_again_on_the_way_to_traces_keeps_its_marks(bench: Bench) -> None:
    masked = bench.mask({k: f"{v} 电话 {v}" for k, v in VALUES.items()})
    assert redact_value(masked) == masked
    assert redact(json.dumps(masked)) == json.dumps(masked)


def test_deep_and_odd_values_do_no_harm(bench: Bench) -> None:
    deep: Any = PHONE
    for _ in range(200):
        deep = [deep]
    assert PHONE not in repr(bench.mask(deep))
    bench.mask(PHONE)
    assert bench.masks.restore(REQUESTER, "t1", ("[phone:1]", {"[phone:1]": 1}, 3.5, None)) == (
        [PHONE, {PHONE: 1}, 3.5, None],
        ["[phone:1]"],
    )


PRIVATE = [
    *VALUES.values(), "（010）65551234", "138\u200b12345678", "１３８１２３４５６７８", "138—1234—5678",
    "(010)　65551234",
    "ａ＠ｂ.co", "password: hunter2", "密码是 abcd1234", "--token abc", "https://u:p@x.io",
    "sk-abcdefghijklmnop", "AKIAIOSFODNN7EXAMPLE",
    "Cookie: a=bcd", "Bearer abc123def456", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIi", "验证码 482913", "＋86 138 1234 5678",
]  # fmt: skip
AROUND = [
    "2026-10-31",
    "2026-10-22T11:05:00+08:00",
    "A1001",
    "，",
    "：",
    "（",
    "）",
    " ",
    "1",
    "是",
    "x",
    "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
]


@given(st.lists(st.sampled_from([*PRIVATE, *AROUND]) | st.text(max_size=4), max_size=6).map("".join))
def test_what_is_told_to_be_clear_has_nothing_in_it(text: str) -> None:
    assert not (clear(text) and finds(text))


@pytest.mark.parametrize("private", PRIVATE)
def test_what_is_private_is_never_told_to_be_clear(private: str) -> None:
    assert finds(private)
    assert not clear(private)


PIECES = st.sampled_from(
    [
        *VALUES.values(),
        "13900001111",
        "[phone:1]",
        "[email]",
        "call ",
        "电话：",
        "，",
        " ",
        "A1001",
        "x",
        "0",
        "-",
        "@",
        ".",
    ]
)
TEXT = st.lists(PIECES, max_size=8).map("".join)
JSON = st.recursive(
    TEXT | st.none() | st.integers(), lambda x: st.lists(x, max_size=3) | st.dictionaries(TEXT, x, max_size=3)
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(JSON)
def test_nothing_personal_is_left_and_masking_again_changes_nothing(bench: Bench, value: Any) -> None:
    before = copy.deepcopy(value)
    masked = bench.mask(value)
    assert value == before
    assert bench.mask(masked) == masked
    assert not any(finds(text) for text in _texts(masked))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(st.lists(st.sampled_from([*VALUES.values(), "谢谢", "call", "and", "A1001"]), max_size=6).map(" ".join))
def test_restoring_what_was_masked_gives_what_there_was(bench: Bench, text: str) -> None:
    assert bench.masks.restore(REQUESTER, "t1", bench.mask(text))[0] == text


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
