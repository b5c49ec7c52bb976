from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from record_homes import sample_database, sample_records
from sqlalchemy import update

import signoff
from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import ToolError
from signoff.records import Database, Records
from signoff.records.sample import SAMPLE_NOW, seed
from signoff.records.tables import orders
from signoff.records.vocabulary import OrderStatus
from signoff.settings import Settings
from signoff.tools.contract import CallInfo
from signoff.tools.envelope import Code

MINE = Caller("acme", "u-17")
CALL = CallInfo(thread="th", turn="tu", id="call-1")

database = pytest.fixture(sample_database)
records = pytest.fixture(sample_records)


def at(database: Database, moment: str, zone: str = "Asia/Shanghai") -> Records:
    return Records(database, Clock(zone=zone, fixed=datetime.fromisoformat(moment)), Settings(_env_file=None))


@pytest.mark.parametrize(
    ("order_id", "damaged", "refundable", "reason", "policy"),
    [
        ("A1001", False, False, "window_over", "return-policy/7-days"),
        ("A1001", True, True, "damaged_on_arrival", "return-policy/damaged-15-days"),
        ("A1002", False, False, "not_shipped", "return-policy/not-signed-for"),
        ("A1002", True, False, "not_shipped", "return-policy/not-signed-for"),
        ("A1003", False, True, "within_window", "return-policy/7-days"),
        ("A1003", True, True, "damaged_on_arrival", "return-policy/damaged-15-days"),
        ("A1004", False, True, "within_window", "return-policy/7-days"),
        ("A1005", False, False, "cancelled", "return-policy"),
        ("A1006", True, False, "not_delivered", "return-policy/not-signed-for"),
    ],
)
def test_whether_an_order_can_be_refunded_and_why(
    records: Records, order_id: str, damaged: bool, refundable: bool, reason: str, policy: str
) -> None:
    check = records.refund_check(MINE, order_id, damaged=damaged)
    assert (check.refundable, check.reason, check.policy) == (refundable, reason, policy)
    assert order_id in check.sentence and order_id in check.sentence_zh


def test_the_reason_of_a1001_gives_the_dates_and_the_days(records: Records) -> None:
    check = records.refund_check(MINE, "A1001")
    assert (check.days_since, check.window_days, str(check.last_day)) == (9, 7, "2026-10-29")
    for sentence in (check.sentence, check.sentence_zh):
        assert all(fact in sentence for fact in ("2026-10-22", "2026-10-29", "2026-11-06"))


# A1001 was signed for on 2026-10-22 at 11:05 in Shanghai.
@pytest.mark.parametrize(
    ("moment", "zone", "damaged", "refundable"),
    [
        ("2026-10-22T11:06:00+08:00", "Asia/Shanghai", False, True),
        ("2026-10-29T23:59:59+08:00", "Asia/Shanghai", False, True),
        ("2026-10-30T00:00:00+08:00", "Asia/Shanghai", False, False),
        ("2026-10-29T16:00:00+00:00", "Asia/Shanghai", False, False),
        ("2026-10-29T15:59:59+00:00", "Asia/Shanghai", False, True),
        ("2026-10-29T16:00:00+00:00", "UTC", False, True),
        ("2026-11-06T23:59:59+08:00", "Asia/Shanghai", True, True),
        ("2026-11-07T00:00:00+08:00", "Asia/Shanghai", True, False),
        # In Los Angeles it was signed for on 2026-10-21 at 20:05.
        ("2026-10-28T23:59:59-07:00", "America/Los_Angeles", False, True),
        ("2026-10-29T00:00:00-07:00", "America/Los_Angeles", False, False),
        # A night in which clocks are set back changes no day count.
        ("2026-11-05T23:59:59-08:00", "America/Los_Angeles", True, True),
        ("2026-11-06T00:00:00-08:00", "America/Los_Angeles", True, False),
    ],
)
def test_a_window_ends_with_its_last_day_in_the_business_zone(
    database: Database, moment: str, zone: str, damaged: bool, refundable: bool
) -> None:
    assert at(database, moment, zone).refund_check(MINE, "A1001", damaged=damaged).refundable is refundable


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Database:
    database = Database(tmp_path_factory.mktemp("home") / "desk.db")
    seed(database)
    return database


@settings(max_examples=60, deadline=None)
@given(
    signed=st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31), timezones=st.just(UTC)),
    later=st.timedeltas(timedelta(0), timedelta(days=20)),
    zone=st.sampled_from(["Asia/Shanghai", "UTC", "America/New_York", "Pacific/Auckland", "Asia/Kathmandu"]),
    damaged=st.booleans(),
    by_signature=st.booleans(),
)
def test_refundable_until_midnight_after_the_last_day_and_never_later(
    shared: Database, signed: datetime, later: timedelta, zone: str, damaged: bool, by_signature: bool
) -> None:
    signed = signed.replace(microsecond=0)
    dates = {"delivered_at": signed, "signed_at": signed if by_signature else None}
    with shared.write() as tx:
        tx.execute(update(orders).where(orders.c.order_id == "A1004").values(**dates))
    now = signed + later
    local = signed.astimezone(ZoneInfo(zone))
    midnight = datetime.combine(
        local.date() + timedelta(days=(15 if damaged else 7) + 1), datetime.min.time(), ZoneInfo(zone)
    )
    check = at(shared, now.isoformat(), zone).refund_check(MINE, "A1004", damaged=damaged)
    assert check.refundable is (now.astimezone(UTC) < midnight.astimezone(UTC))
    assert check.last_day == midnight.date() - timedelta(days=1)


def test_without_a_signature_the_window_begins_with_the_delivery_and_the_sentence_says_so(database: Database) -> None:
    with database.write() as tx:
        tx.execute(update(orders).where(orders.c.order_id == "A1003").values(signed_at=None))
    check = at(database, "2026-10-31T10:00:00+08:00").refund_check(MINE, "A1003")
    assert check.refundable and "was delivered on 2026-10-29" in check.sentence and "送达" in check.sentence_zh


def test_a_refund_is_one_row_with_the_records_own_amount(records: Records, database: Database) -> None:
    before = len(records.rows("refunds"))
    with database.write() as tx:
        made = records.refund(tx, MINE, "A1003", "it arrived broken", CALL)
    assert (made.refund_id, made.amount_yuan) == ("R1003", Decimal("299.00"))
    rows = records.rows("refunds", "acme")
    assert len(records.rows("refunds")) == before + 1
    assert rows[-1] == {
        "tenant": "acme",
        "refund_id": "R1003",
        "order_id": "A1003",
        "user": "u-17",
        "amount_yuan": "299.00",
        "reason": "it arrived broken",
        "thread": "th",
        "call": "call-1",
        "at": SAMPLE_NOW.isoformat(),
    }
    assert records.order(MINE, "A1003").status is OrderStatus.REFUNDED
    assert records.refund_check(MINE, "A1003").reason == "already_refunded"
    again = records.refund_of(MINE, "A1003")
    assert again and again.refund_id == "R1003"


def test_refund_numbers_count_up_within_a_tenant_and_tell_nothing_of_another(
    records: Records, database: Database
) -> None:
    with database.write() as tx:
        assert records.refund(tx, MINE, "A1003", "", CALL).refund_id == "R1003"
        assert records.refund(tx, Caller("globex", "u-17"), "G1001", "", CALL).refund_id == "R1003"
        assert records.refund(tx, MINE, "A1004", "", CALL).refund_id == "R1004"


@pytest.mark.parametrize(
    ("order_id", "reason", "code"),
    [
        ("A1001", "", Code.NOT_ELIGIBLE),
        ("A1001", "not damaged, just not needed", Code.NOT_ELIGIBLE),
        ("A1001", "没有破损,不想要了", Code.NOT_ELIGIBLE),
        ("A1002", "arrived broken", Code.NOT_ELIGIBLE),
        ("A1005", "", Code.NOT_ELIGIBLE),
        ("A1006", "", Code.NOT_ELIGIBLE),
    ],
)
def test_what_is_not_eligible_is_refused_before_and_at_the_write(
    records: Records, database: Database, order_id: str, reason: str, code: Code
) -> None:
    before = records.rows("refunds")
    with pytest.raises(ToolError) as previewed:
        records.refund_eligible(MINE, order_id, reason)
    with database.write() as tx, pytest.raises(ToolError) as refused:
        records.refund(tx, MINE, order_id, reason, CALL)
    assert previewed.value.code == refused.value.code == code
    assert previewed.value.message == refused.value.message
    assert records.rows("refunds") == before


@pytest.mark.parametrize("reason", ["it arrived broken", "收到时就碎了", "The screen was cracked"])
def test_damage_in_the_reason_opens_the_longer_window(records: Records, database: Database, reason: str) -> None:
    with database.write() as tx:
        assert records.refund(tx, MINE, "A1001", reason, CALL).amount_yuan == Decimal("299.00")


def test_a_second_refund_is_refused_even_if_the_status_were_lost(records: Records, database: Database) -> None:
    with database.write() as tx:
        records.refund(tx, MINE, "A1003", "", CALL)
        tx.execute(update(orders).where(orders.c.order_id == "A1003").values(status=OrderStatus.DELIVERED))
    with database.write() as tx, pytest.raises(ToolError) as refused:
        records.refund(tx, MINE, "A1003", "", CALL)
    assert refused.value.code == Code.CONFLICT
    assert "R1003" in refused.value.message and "R1003" in refused.value.message_zh


RACER = """
import json, pathlib, sys, threading, time
from datetime import datetime
from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import ToolError
from signoff.records import Database, Records
from signoff.records.sample import SAMPLE_NOW
from signoff.settings import Settings
from signoff.tools.contract import CallInfo

home, name = pathlib.Path(sys.argv[1]), sys.argv[2]
database = Database(home / "desk.db", busy_timeout_s=60)
records = Records(database, Clock(fixed=SAMPLE_NOW), Settings(_env_file=None))
outcomes, barrier = [], threading.Barrier(8)

def race(n):
    barrier.wait()
    try:
        with database.write(durable=True) as tx:
            made = records.refund(tx, Caller("acme", "u-17"), "A1003", "broken", CallInfo("t", "u", f"{name}-{n}"))
        outcomes.append(made.refund_id)
    except ToolError as error:
        outcomes.append(error.code)

(home / f"{name}.ready").touch()
while not (home / "go").exists():
    time.sleep(0.005)
threads = [threading.Thread(target=race, args=(n,)) for n in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
print(json.dumps(outcomes))
"""


def test_two_processes_of_eight_threads_make_exactly_one_refund(
    tmp_path: Path, database: Database, records: Records
) -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(signoff.__file__).parents[1])}
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(tmp_path), name], stdout=subprocess.PIPE, text=True, env=env, cwd=tmp_path
        )
        for name in ("one", "two")
    ]
    while not all((tmp_path / f"{n}.ready").exists() for n in ("one", "two")):
        assert all(r.poll() is None for r in racers)
        time.sleep(0.01)
    (tmp_path / "go").touch()
    outcomes = [outcome for r in racers for outcome in json.loads(r.communicate(timeout=60)[0])]
    assert sorted(outcomes) == ["CONFLICT"] * 15 + ["R1003"]
    assert [r["order_id"] for r in records.rows("refunds", "acme")].count("A1003") == 1
