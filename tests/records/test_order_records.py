from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from record_homes import dump, sample_database, sample_records

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import ToolError
from signoff.records import Database, Records
from signoff.records.vocabulary import OrderStatus
from signoff.tools.contract import CallInfo

database = pytest.fixture(sample_database)
records = pytest.fixture(sample_records)

MINE = Caller("acme", "u-17")
CALL = CallInfo(thread="th", turn="tu", id="call-1")

STRANGERS = [
    (Caller("acme", "u-42"), "A1003"),
    (Caller("globex", "u-17"), "A1003"),
    (Caller("acme", "s-02", {"supervisor"}), "A1003"),
    (Caller("acme", "k-01", {"agent"}), "A1002"),
    (MINE, "A2001"),
    (MINE, "G1001"),
    (MINE, "A9999"),
    (MINE, "A1003' OR '1'='1"),
    (MINE, "%"),
    (MINE, ""),
]


@pytest.mark.parametrize(("caller", "order_id"), STRANGERS)
def test_what_is_not_ones_own_is_answered_like_what_does_not_exist(
    records: Records, database: Database, caller: Caller, order_id: str
) -> None:
    reads = (
        lambda: records.order(caller, order_id),
        lambda: records.logistics(caller, order_id),
        lambda: records.refund_check(caller, order_id),
        lambda: records.refund_of(caller, order_id),
        lambda: records.refund_eligible(caller, order_id, ""),
        lambda: records.address_changeable(caller, order_id, "1 New Street, Shanghai"),
        lambda: records.cancellable(caller, order_id),
    )
    writes = (
        lambda tx: records.refund(tx, caller, order_id, "broken", CALL),
        lambda tx: records.update_address(tx, caller, order_id, "1 New Street, Shanghai", CALL),
        lambda tx: records.cancel(tx, caller, order_id, "", CALL),
    )
    before = dump(database.path)
    for read in reads:
        with pytest.raises(ToolError) as refused:
            read()
        assert refused.value.code == "ORDER_NOT_FOUND"
        assert refused.value.message == (f"There is no order {order_id} among the orders of the person asking.")
        assert not refused.value.retryable
    for write in writes:
        with database.write() as tx, pytest.raises(ToolError) as refused:
            write(tx)
        assert refused.value.code == "ORDER_NOT_FOUND"
    assert dump(database.path) == before


def test_lists_hold_only_ones_own_orders_newest_first(records: Records) -> None:
    for tenant, user in (("acme", "u-17"), ("acme", "u-42"), ("globex", "u-17"), ("globex", "u-23")):
        found = records.orders(Caller(tenant, user))
        assert found
        assert {o.order_id[0] for o in found} == {"A" if tenant == "acme" else "G"}
        assert [o.placed_at for o in found] == sorted((o.placed_at for o in found), reverse=True)
        for status in OrderStatus:
            assert records.orders(Caller(tenant, user), status) == [o for o in found if o.status is status]
    assert records.orders(Caller("acme", "s-02", {"supervisor"})) == []


def test_money_is_decimal_yuan_and_times_are_in_the_business_zone(database: Database, records: Records) -> None:
    order = records.order(MINE, "A1003")
    assert order.amount_yuan == Decimal("299.00") and str(order.amount_yuan) == "299.00"
    assert order.signed_at and order.signed_at.isoformat() == "2026-10-29T14:22:00+08:00"
    elsewhere = Records(database, Clock(zone="America/New_York"), records.settings).order(MINE, "A1003")
    assert elsewhere.signed_at and elsewhere.signed_at.isoformat() == "2026-10-29T02:22:00-04:00"


def test_a_parcels_events_come_oldest_first_and_an_unshipped_order_has_none(records: Records) -> None:
    events = records.logistics(MINE, "A1001").events
    assert [e.at for e in events] == sorted(e.at for e in events)
    assert events[-1].step == "signed" and str(events[-1].at.date()) == "2026-10-22"
    assert records.logistics(MINE, "A1002").events == ()
    assert [e.step for e in records.logistics(MINE, "A1006").events][-1] != "delivered"


def test_an_address_is_changed_only_before_shipping_and_the_old_one_is_kept(
    records: Records, database: Database
) -> None:
    old = records.order(MINE, "A1002").address
    with database.write() as tx:
        change = records.update_address(tx, MINE, "A1002", "杭州市江南大道 88 号", CALL)
    assert (change.before, change.after, change.order.address) == (old, "杭州市江南大道 88 号", old)
    assert records.order(MINE, "A1002").address == "杭州市江南大道 88 号"
    kept = records.rows("order_changes", "acme")[-1]
    assert (kept["order_id"], kept["before"], kept["thread"], kept["call"]) == ("A1002", old, "th", "call-1")


@pytest.mark.parametrize(
    ("order_id", "address", "code"),
    [
        ("A1001", "1 New Street, Shanghai", "NOT_ELIGIBLE"),
        ("A1005", "1 New Street, Shanghai", "CONFLICT"),
        ("A1006", "1 New Street, Shanghai", "NOT_ELIGIBLE"),
        ("A1002", "  x  ", "INVALID_ARGUMENTS"),
        ("A1002", "1 New Street\nShanghai", "INVALID_ARGUMENTS"),
        ("A1002", "1 New Street, \x1b[31mShanghai", "INVALID_ARGUMENTS"),
        ("A1002", "1 New Street, \u202eShanghai", "INVALID_ARGUMENTS"),
        ("A1002", "路" * 201, "INVALID_ARGUMENTS"),
    ],
)
def test_an_address_that_cannot_be_is_refused_and_nothing_changes(
    records: Records, database: Database, order_id: str, address: str, code: str
) -> None:
    before = dump(database.path)
    with pytest.raises(ToolError) as refused:
        records.address_changeable(MINE, order_id, address)
    assert refused.value.code == code
    with database.write() as tx, pytest.raises(ToolError) as refused:
        records.update_address(tx, MINE, order_id, address, CALL)
    assert refused.value.code == code
    assert dump(database.path) == before


def test_the_address_an_order_already_has_is_no_change(records: Records) -> None:
    address = records.order(MINE, "A1002").address
    with pytest.raises(ToolError, match="already has this address"):
        records.address_changeable(MINE, "A1002", f" {address} ")


def test_an_unshipped_order_is_cancelled_once(records: Records, database: Database) -> None:
    with database.write() as tx:
        change = records.cancel(tx, MINE, "A1002", "found it cheaper", CALL)
    assert change.order.amount_yuan == Decimal("128.00")
    order = records.order(MINE, "A1002")
    assert order.status is OrderStatus.CANCELLED and order.cancelled_at == records.clock.now()
    with database.write() as tx, pytest.raises(ToolError, match="already cancelled"):
        records.cancel(tx, MINE, "A1002", "again", CALL)


@pytest.mark.parametrize(
    ("order_id", "code"), [("A1001", "NOT_ELIGIBLE"), ("A1006", "NOT_ELIGIBLE"), ("A1005", "CONFLICT")]
)
def test_what_is_shipped_or_closed_cannot_be_cancelled(
    records: Records, database: Database, order_id: str, code: str
) -> None:
    with database.write() as tx, pytest.raises(ToolError) as refused:
        records.cancel(tx, MINE, order_id, "", CALL)
    assert refused.value.code == code
    assert order_id in refused.value.message and order_id in refused.value.message_zh


def test_a_write_that_is_rolled_back_leaves_nothing_and_its_number_is_drawn_again(
    records: Records, database: Database
) -> None:
    before = dump(database.path)
    with pytest.raises(RuntimeError), database.write() as tx:
        first = records.cancel(tx, MINE, "A1002", "", CALL)
        raise RuntimeError
    assert dump(database.path) == before
    with database.write() as tx:
        assert records.cancel(tx, MINE, "A1002", "", CALL).change_id == first.change_id


def test_a_naive_time_is_never_stored(database: Database) -> None:
    from sqlalchemy import update

    from signoff.records.tables import orders

    naive = datetime.now(UTC).replace(tzinfo=None)
    with pytest.raises(Exception, match="no time zone"), database.write() as tx:
        tx.execute(update(orders).values(placed_at=naive))
