from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from record_homes import dump, sample_database, sample_records
from sqlalchemy import select

import signoff
from signoff.caller import Caller
from signoff.records import Database, Records
from signoff.records.sample import SAMPLE_NOW, seed
from signoff.records.tables import orders, refunds, shipment_events
from signoff.records.vocabulary import OrderStatus

database = pytest.fixture(sample_database)
records = pytest.fixture(sample_records)


def test_two_homes_hold_the_same_data_whatever_the_hash_seed_and_the_machines_zone(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from signoff.records import Database; from signoff.records.sample import seed;"
        "seed(Database(pathlib.Path(sys.argv[1])))"
    )
    dumps = []
    for n, zone in (("1", "America/New_York"), ("2", "Asia/Tokyo")):
        path = tmp_path / n / "desk.db"
        home = str(Path(signoff.__file__).parents[1])
        env = {**os.environ, "PYTHONHASHSEED": n, "TZ": zone, "PYTHONPATH": home}
        subprocess.run([sys.executable, "-c", program, str(path)], check=True, env=env, timeout=60)
        dumps.append(dump(path))
    assert dumps[0] == dumps[1]
    assert "A1003" in dumps[0]


def test_seeding_again_changes_nothing_and_keeps_what_was_done_since(database: Database, records: Records) -> None:
    caller = Caller("acme", "u-17")
    with database.write() as tx:
        records.refund(tx, caller, "A1003", "broken", _CALL)
    before = dump(database.path)
    assert seed(database) is False
    assert dump(database.path) == before


def test_seeding_that_fails_leaves_no_part_of_the_data(tmp_path: Path) -> None:
    database = Database(tmp_path / "desk.db")
    with database.write() as tx:
        orders.create(tx)
    with sqlite3.connect(database.path) as connection:
        connection.execute("CREATE TRIGGER no BEFORE INSERT ON orders BEGIN SELECT RAISE(ABORT, 'full'); END")
    with pytest.raises(Exception, match="full"):
        seed(database)
    with sqlite3.connect(database.path) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        connection.execute("DROP TRIGGER no")
    assert tables == {"orders"}
    assert seed(database) is True


@pytest.mark.parametrize(
    ("user", "order_id", "amount", "status", "day"),
    [
        ("u-17", "A1001", "299.00", OrderStatus.DELIVERED, "2026-10-22"),
        ("u-17", "A1002", "128.00", OrderStatus.PAID, None),
        ("u-17", "A1003", "299.00", OrderStatus.DELIVERED, "2026-10-29"),
        ("u-17", "A1004", "899.00", OrderStatus.DELIVERED, "2026-10-30"),
        ("u-17", "A1005", "59.90", OrderStatus.CANCELLED, None),
        ("u-17", "A1006", "450.00", OrderStatus.IN_TRANSIT, None),
        ("u-42", "A2002", "6800.00", OrderStatus.DELIVERED, "2026-10-29"),
    ],
)
def test_the_orders_that_scenarios_name_are_exactly_as_told(
    records: Records, user: str, order_id: str, amount: str, status: OrderStatus, day: str | None
) -> None:
    order = records.order(Caller("acme", user), order_id)
    assert order.amount_yuan == Decimal(amount)
    assert order.status is status
    assert (str(order.signed_at.date()) if order.signed_at else None) == day


def test_u17_of_acme_has_these_six_orders_and_no_other(records: Records) -> None:
    found = records.orders(Caller("acme", "u-17"))
    assert sorted(o.order_id for o in found) == ["A1001", "A1002", "A1003", "A1004", "A1005", "A1006"]


def test_the_same_user_name_in_two_tenants_is_two_people(records: Records) -> None:
    acme = records.people.find("acme", "u-17")
    globex = records.people.find("globex", "u-17")
    assert acme and globex and acme.name != globex.name
    assert records.order(Caller("globex", "u-17"), "G1001").order_id == "G1001"


@pytest.mark.parametrize(
    ("tenant", "user", "role"),
    [
        ("acme", "u-17", "requester"),
        ("acme", "u-42", "requester"),
        ("acme", "s-02", "supervisor"),
        ("acme", "s-03", "supervisor"),
        ("acme", "k-01", "agent"),
        ("acme", "h-01", "hr"),
        ("globex", "u-17", "requester"),
    ],
)
def test_people_have_their_roles(records: Records, tenant: str, user: str, role: str) -> None:
    assert records.people.roles(tenant, user) == {role}
    person = records.people.find(tenant, user)
    assert person and person.caller().roles == {role}


def test_somebody_unknown_has_no_roles(records: Records) -> None:
    assert records.people.roles("acme", "u-999") == frozenset()
    assert records.people.roles("nowhere", "s-02") == frozenset()
    assert {p.user for p in records.people.of("acme")} >= {"u-17", "s-02", "h-01"}


def test_every_order_is_consistent_with_itself(database: Database) -> None:
    with database.read() as tx:
        rows = tx.execute(select(orders)).all()
        refunded = {(r.tenant, r.order_id): r for r in tx.execute(select(refunds))}
        events = tx.execute(select(shipment_events)).all()
    assert len(rows) >= 36
    for o in rows:
        assert o.amount_cents == sum(i["price_cents"] * i["quantity"] for i in o.items) > 0
        times = [t for t in (o.placed_at, o.shipped_at, o.delivered_at, o.signed_at) if t]
        assert times == sorted(times) and all(t <= SAMPLE_NOW for t in times)
        assert (o.status is OrderStatus.REFUNDED) == ((o.tenant, o.order_id) in refunded)
        assert (o.status is OrderStatus.CANCELLED) == (o.cancelled_at is not None)
        assert (o.shipped_at is not None) == any((e.tenant, e.order_id) == (o.tenant, o.order_id) for e in events)
    for r in refunded.values():
        order = next(o for o in rows if (o.tenant, o.order_id) == (r.tenant, r.order_id))
        assert r.amount_cents == order.amount_cents
        assert timedelta(0) < r.at - order.delivered_at <= timedelta(days=7)
    for status in OrderStatus:
        assert any(o.status is status for o in rows), f"no order is {status}"


def test_a_ticket_of_u17_holds_an_instruction_from_outside_as_data(records: Records) -> None:
    ticket = records.ticket(Caller("acme", "u-17"), "T1001")
    outside = [c for c in ticket.comments if c.author_kind == "outside"]
    assert any("refund A9999" in c.text for c in outside)


class _Call:
    thread = "t"
    id = "c"


_CALL = _Call()
