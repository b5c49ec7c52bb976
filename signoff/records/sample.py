"""Sample data: the told part and some orders generated round it, the same on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import insert, select

from signoff.records.database import Database
from signoff.records.sample_fixed import ORDERS, PEOPLE, PRODUCTS, SAMPLE_NOW, TICKETS, FixedOrder, Product, moment
from signoff.records.tables import (
    order_changes,
    orders,
    people,
    records_metadata,
    refunds,
    sequences,
    shipment_events,
    ticket_comments,
    tickets,
)
from signoff.records.vocabulary import ChangeKind, OrderStatus, PaymentMethod, ShipmentStep, TicketStatus

__all__ = ["SAMPLE_NOW", "seed"]

T = TypeVar("T")
Row = dict[str, Any]

_GENERATED = (
    ("acme", "u-42", "A", 2003, 8),
    ("acme", "u-51", "A", 3001, 7),
    ("globex", "u-17", "G", 1002, 7),
    ("globex", "u-23", "G", 2001, 8),
)
_STREETS = ("人民路", "建国路", "解放路", "中山路", "学院路", "滨江大道")
_CITIES = ("上海 (Shanghai)", "杭州 (Hangzhou)", "南京 (Nanjing)", "苏州 (Suzhou)", "武汉 (Wuhan)", "成都 (Chengdu)")
_CARRIERS = ("Swift Parcel", "Blue Heron Express", "Long Road Logistics")
_REASONS = ("尺寸不合适", "Ordered the wrong colour", "不需要了", "发错颜色了")


class _Draw:
    """Numbers out of SHA-256: the same on every machine, Python and order of imports."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._drawn = 0

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        self._drawn += 1
        digest = hashlib.sha256(f"{self._seed}:{self._drawn}".encode()).digest()
        return low + int.from_bytes(digest[:8], "big") % (high - low + 1)

    def one(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.number(0, len(options) - 1)]


@dataclass
class _Rows:
    """Rows to be inserted, by table."""

    orders: list[Row] = field(default_factory=list)
    events: list[Row] = field(default_factory=list)
    refunds: list[Row] = field(default_factory=list)
    changes: list[Row] = field(default_factory=list)


def seed(database: Database) -> bool:
    """Create the business tables and put the sample data in, in one transaction.

    Returns False, and changes nothing, when the sample people are there already: what has been done with
    the data since stays done.
    """
    with database.write(durable=True) as tx:
        records_metadata.create_all(tx)
        if tx.execute(select(people.c.user).where(people.c.tenant == "acme", people.c.user == "u-17")).first():
            return False
        rows = _order_rows()
        ticket_rows, comment_rows = _ticket_rows()
        refund_rows = _numbered(rows.refunds, "refund_id", "R")
        change_rows = _numbered(rows.changes, "change_id", "C")
        columns = ("tenant", "user", "name", "roles", "locale")
        tx.execute(insert(people), [dict(zip(columns, (*p[:3], list(p[3]), p[4]), strict=True)) for p in PEOPLE])
        tx.execute(insert(orders), rows.orders)
        tx.execute(insert(shipment_events), rows.events)
        tx.execute(insert(refunds), refund_rows)
        tx.execute(insert(order_changes), change_rows)
        tx.execute(insert(tickets), ticket_rows)
        tx.execute(insert(ticket_comments), comment_rows)
        last: dict[tuple[str, str], int] = {}
        for row in (*refund_rows, *change_rows, *ticket_rows):
            number = str(row.get("refund_id") or row.get("change_id") or row["ticket_id"])
            key = (row["tenant"], number[0])
            last[key] = max(last.get(key, 0), int(number[1:]))
        tx.execute(insert(sequences), [{"tenant": t, "prefix": p, "last": n} for (t, p), n in sorted(last.items())])
    return True


def _order_rows() -> _Rows:
    rows = _Rows()
    for fixed in ORDERS:
        _add(rows, fixed, _Draw(f"signoff:{fixed.tenant}:{fixed.order_id}"))
    for tenant, user, prefix, first, count in _GENERATED:
        for n in range(count):
            order_id = f"{prefix}{first + n}"
            # Older numbers are older orders; the last two are so young that they are still on their way.
            oldest = max(1, 60 - n * 57 // (count - 2)) if n < count - 1 else 1
            fate = {1: OrderStatus.CANCELLED, 3: OrderStatus.REFUNDED}.get(n)
            _generate(rows, tenant, user, order_id, oldest, fate, _Draw(f"signoff:{tenant}:{order_id}"))
    rows.orders.sort(key=lambda r: (r["tenant"], r["order_id"]))
    return rows


def _add(rows: _Rows, fixed: FixedOrder, draw: _Draw) -> None:
    delivered = moment(fixed.delivered) if fixed.delivered else None
    row = _order(
        fixed.tenant, fixed.user, fixed.order_id, [(fixed.product, 1)], fixed.status, moment(fixed.placed), draw
    )
    row["shipped_at"] = moment(fixed.shipped) if fixed.shipped else None
    row["delivered_at"] = delivered
    row["signed_at"] = delivered if fixed.signed else None
    row["cancelled_at"] = moment(fixed.cancelled) if fixed.cancelled else None
    _finish(rows, row, draw)


def _generate(
    rows: _Rows, tenant: str, user: str, order_id: str, age_days: int, fate: OrderStatus | None, draw: _Draw
) -> None:
    """An order that met its fate, or is as far along as its age says."""
    day = (SAMPLE_NOW - timedelta(days=age_days)).replace(hour=draw.number(8, 20), minute=draw.number(0, 59))
    lines = [(draw.one(PRODUCTS), draw.number(1, 3)) for _ in range(draw.number(1, 2))]
    if len(lines) == 2 and lines[0][0] == lines[1][0]:
        lines.pop()
    row = _order(tenant, user, order_id, lines, OrderStatus.PAID, day, draw)
    shipped = (day + timedelta(days=1)).replace(hour=draw.number(13, 18), minute=draw.number(0, 59))
    delivered = (shipped + timedelta(days=draw.number(1, 4))).replace(hour=draw.number(9, 18))
    locker = draw.number(1, 5) == 1
    if fate is OrderStatus.CANCELLED:
        row.update(status=OrderStatus.CANCELLED, cancelled_at=day + timedelta(hours=draw.number(1, 3)))
    elif shipped < SAMPLE_NOW:
        row.update(status=OrderStatus.IN_TRANSIT, shipped_at=shipped)
        if delivered < SAMPLE_NOW:
            signed = None if locker else delivered
            row.update(status=OrderStatus.DELIVERED, delivered_at=delivered, signed_at=signed)
            refunded_at = delivered + timedelta(days=draw.number(1, 6))
            if fate is OrderStatus.REFUNDED and refunded_at < SAMPLE_NOW:
                row.update(status=OrderStatus.REFUNDED)
                rows.refunds.append(
                    {k: row[k] for k in ("tenant", "order_id", "user", "amount_cents")}
                    | {"reason": draw.one(_REASONS), "at": refunded_at}
                )
    _finish(rows, row, draw)


def _order(
    tenant: str,
    user: str,
    order_id: str,
    lines: Sequence[tuple[Product, int]],
    status: OrderStatus,
    placed: datetime,
    draw: _Draw,
) -> Row:
    city, street = draw.one(_CITIES).split()[0], draw.one(_STREETS)
    items = [{"name": p.name, "name_zh": p.name_zh, "quantity": n, "price_cents": p.cents} for p, n in lines]
    return {
        "tenant": tenant,
        "order_id": order_id,
        "user": user,
        "items": items,
        "amount_cents": sum(p.cents * n for p, n in lines),
        "status": status,
        "placed_at": placed,
        "shipped_at": None,
        "delivered_at": None,
        "signed_at": None,
        "cancelled_at": None,
        "address": f"{city}市{street}{draw.number(1, 399)}号{draw.number(1, 28)}0{draw.number(1, 8)}室",
        "payment_method": draw.one(tuple(PaymentMethod)),
        "payment_tail": f"{draw.number(0, 9999):04d}",
        "carrier": None,
        "tracking": None,
    }


def _finish(rows: _Rows, row: Row, draw: _Draw) -> None:
    """The order with the carrier, the events and the changes that belong to its dates."""
    key = {"tenant": row["tenant"], "order_id": row["order_id"]}
    if row["cancelled_at"]:
        change = {"user": row["user"], "kind": ChangeKind.CANCELLATION, "before": "paid", "after": "cancelled"}
        rows.changes.append({**key, **change, "reason": "", "at": row["cancelled_at"]})
    if shipped := row["shipped_at"]:
        row["carrier"] = draw.one(_CARRIERS)
        row["tracking"] = f"{row['carrier'][:2].upper()}{draw.number(10**9, 10**10 - 1)}"
        there = next(c for c in _CITIES if row["address"].startswith(c.split()[0]))
        steps: list[tuple[datetime, ShipmentStep, str]] = [
            (shipped, ShipmentStep.PICKED_UP, _CITIES[0]),
            (shipped + timedelta(hours=draw.number(4, 9), minutes=draw.number(0, 59)), ShipmentStep.AT_HUB, there),
        ]
        if delivered := row["delivered_at"]:
            steps.append((delivered.replace(hour=8, minute=draw.number(0, 50)), ShipmentStep.OUT_FOR_DELIVERY, there))
            steps.append((delivered, ShipmentStep.DELIVERED, there))
            if row["signed_at"]:
                steps.append((row["signed_at"], ShipmentStep.SIGNED, there))
        events = [s for s in steps if s[0] < SAMPLE_NOW]
        rows.events.extend(
            {**key, "seq": n, "at": at, "step": step, "place": place} for n, (at, step, place) in enumerate(events, 1)
        )
    rows.orders.append(row)


def _numbered(rows: list[Row], column: str, prefix: str) -> list[Row]:
    """The rows in the order of their time, numbered within their tenant."""
    numbered: list[Row] = []
    last: dict[str, int] = {}
    for row in sorted(rows, key=lambda r: (r["tenant"], r["at"], r["order_id"])):
        last[row["tenant"]] = last.get(row["tenant"], 1000) + 1
        numbered.append({**row, column: f"{prefix}{last[row['tenant']]}", "thread": None, "call": None})
    return numbered


def _ticket_rows() -> tuple[list[Row], list[Row]]:
    rows: list[Row] = []
    comments: list[Row] = []
    last: dict[str, int] = {}
    for t in TICKETS:
        last[t.tenant] = last.get(t.tenant, 1000) + 1
        key = {"tenant": t.tenant, "ticket_id": f"T{last[t.tenant]}"}
        created = moment(t.created)
        updated = max([created, *(moment(at) for _, _, at, _ in t.comments)])
        said = {"title": t.title, "details": t.details, "priority": t.priority, "status": TicketStatus(t.status)}
        when = {"created_at": created, "updated_at": updated, "thread": None, "call": None}
        rows.append({**key, "user": t.user, **said, **when})
        comments.extend(
            {**key, "seq": n, "author_kind": kind, "author": author, "at": moment(at), "text": text}
            for n, (kind, author, at, text) in enumerate(t.comments, 1)
        )
    return rows, comments
