"""Orders and their parcels. Every query holds the caller's tenant and user: another's order is not there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, Row, insert, select, update

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import ToolError
from signoff.records.money import to_yuan
from signoff.records.refusal import Call, order_not_found
from signoff.records.sequence import next_id
from signoff.records.tables import order_changes, orders, shipment_events
from signoff.records.vocabulary import ChangeKind, OrderStatus, PaymentMethod, ShipmentStep
from signoff.text import Language, terminal_safe

ADDRESS_CHARS = 200
"""Most characters in a delivery address."""


@dataclass(frozen=True)
class Item:
    """A line of an order."""

    name: str
    name_zh: str
    quantity: int
    price_yuan: Decimal
    """Of one piece."""


@dataclass(frozen=True)
class Order:
    """An order of the caller; times are in the business time zone."""

    order_id: str
    items: tuple[Item, ...]
    amount_yuan: Decimal
    status: OrderStatus
    placed_at: datetime
    shipped_at: datetime | None
    delivered_at: datetime | None
    signed_at: datetime | None
    cancelled_at: datetime | None
    address: str
    payment_method: PaymentMethod
    payment_tail: str
    """Last four characters of the paying account; the rest is not kept."""
    carrier: str | None
    tracking: str | None

    @property
    def received_at(self) -> datetime | None:
        """When the return windows begin: at the signature, or at the delivery if nobody signed."""
        return self.signed_at or self.delivered_at

    def paying_account(self, language: Language) -> str:
        """The account masked, such as `Alipay ****1234`."""
        return f"{self.payment_method.word(language)} ****{self.payment_tail}"


@dataclass(frozen=True)
class ShipmentEvent:
    """Something that happened to a parcel."""

    at: datetime
    step: ShipmentStep
    place: str


@dataclass(frozen=True)
class Logistics:
    """A parcel's journey, oldest event first; empty before it is shipped."""

    order: Order
    events: tuple[ShipmentEvent, ...]


@dataclass(frozen=True)
class OrderChange:
    """A change that was made to an order."""

    change_id: str
    order: Order
    """As it was before."""
    kind: ChangeKind
    before: str
    after: str
    at: datetime


def find(tx: Connection, caller: Caller, order_id: str, clock: Clock) -> Order:
    """The caller's order. Raises `ToolError` ORDER_NOT_FOUND, for a missing one and another's alike."""
    row = tx.execute(
        select(orders).where(
            orders.c.tenant == caller.tenant, orders.c.user == caller.user, orders.c.order_id == order_id
        )
    ).first()
    if row is None:
        raise order_not_found(order_id)
    return _order(row, ZoneInfo(clock.zone))


def listing(tx: Connection, caller: Caller, clock: Clock, status: OrderStatus | None = None) -> list[Order]:
    """The caller's orders, newest first."""
    query = select(orders).where(orders.c.tenant == caller.tenant, orders.c.user == caller.user)
    if status is not None:
        query = query.where(orders.c.status == status)
    found = [_order(row, ZoneInfo(clock.zone)) for row in tx.execute(query)]
    return sorted(found, key=lambda o: (o.placed_at, o.order_id), reverse=True)


def logistics(tx: Connection, caller: Caller, order_id: str, clock: Clock) -> Logistics:
    """The journey of the caller's order. Raises `ToolError` ORDER_NOT_FOUND."""
    order = find(tx, caller, order_id, clock)
    events = shipment_events
    rows = tx.execute(
        select(events).where(events.c.tenant == caller.tenant, events.c.order_id == order_id).order_by(events.c.seq)
    )
    zone = ZoneInfo(clock.zone)
    return Logistics(order, tuple(ShipmentEvent(r.at.astimezone(zone), r.step, r.place) for r in rows))


def changeable_address(tx: Connection, caller: Caller, order_id: str, address: str, clock: Clock) -> Order:
    """The order whose address may become `address`. Raises `ToolError` when it may not."""
    order = find(tx, caller, order_id, clock)
    if terminal_safe(address) != address or "\n" in address or "\t" in address:
        raise ToolError(
            "INVALID_ARGUMENTS",
            "The address holds line breaks or control characters.",
            zh="地址中有换行或控制字符。",
            hint="Write the whole address on one line.",
        )
    if len(address.strip()) < 6 or len(address) > ADDRESS_CHARS:
        raise ToolError(
            "INVALID_ARGUMENTS",
            f"The address must have 6 to {ADDRESS_CHARS} characters.",
            zh=f"地址应为 6 到 {ADDRESS_CHARS} 个字符。",
            hint="Ask for the full address: city, street and number.",
        )
    _not_shipped(order, "its address cannot be changed", "不能再修改地址")
    if " ".join(address.split()) == " ".join(order.address.split()):
        raise ToolError(
            "CONFLICT",
            f"Order {order_id} already has this address.",
            zh=f"订单 {order_id} 的地址已经是这个地址。",
            hint="Tell the person; nothing needs to change.",
        )
    return order


def cancellable(tx: Connection, caller: Caller, order_id: str, clock: Clock) -> Order:
    """The order that may be cancelled. Raises `ToolError` when it may not."""
    order = find(tx, caller, order_id, clock)
    _not_shipped(order, "it cannot be cancelled", "不能再取消")
    return order


def update_address(
    tx: Connection, caller: Caller, order_id: str, address: str, call: Call, clock: Clock
) -> OrderChange:
    """Change the address of an order that is not shipped. Raises `ToolError`."""
    order = changeable_address(tx, caller, order_id, address, clock)
    address = address.strip()
    _update(tx, caller, order_id, address=address)
    return _record(tx, caller, order, ChangeKind.ADDRESS, order.address, address, "", call, clock)


def cancel(tx: Connection, caller: Caller, order_id: str, reason: str, call: Call, clock: Clock) -> OrderChange:
    """Cancel an order that is not shipped; what was paid goes back to the paying account. Raises `ToolError`."""
    order = cancellable(tx, caller, order_id, clock)
    _update(tx, caller, order_id, status=OrderStatus.CANCELLED, cancelled_at=clock.now())
    before, after = str(order.status), str(OrderStatus.CANCELLED)
    return _record(tx, caller, order, ChangeKind.CANCELLATION, before, after, reason, call, clock)


def set_refunded(tx: Connection, caller: Caller, order_id: str) -> None:
    """Mark the caller's order as refunded; for `refunds`, in the transaction of the refund."""
    _update(tx, caller, order_id, status=OrderStatus.REFUNDED)


def _update(tx: Connection, caller: Caller, order_id: str, **values: Any) -> None:
    mine = (orders.c.tenant == caller.tenant, orders.c.user == caller.user, orders.c.order_id == order_id)
    tx.execute(update(orders).where(*mine).values(**values))


def _record(
    tx: Connection,
    caller: Caller,
    order: Order,
    kind: ChangeKind,
    before: str,
    after: str,
    reason: str,
    call: Call,
    clock: Clock,
) -> OrderChange:
    at = clock.now()
    change_id = next_id(tx, caller.tenant, "C")
    tx.execute(
        insert(order_changes).values(
            tenant=caller.tenant,
            change_id=change_id,
            order_id=order.order_id,
            user=caller.user,
            kind=kind,
            before=before,
            after=after,
            reason=reason,
            thread=call.thread,
            call=call.id,
            at=at,
        )
    )
    return OrderChange(change_id, order, kind, before, after, at)


def _not_shipped(order: Order, so: str, so_zh: str) -> None:
    match order.status:
        case OrderStatus.PAID:
            return
        case OrderStatus.CANCELLED | OrderStatus.REFUNDED:
            raise ToolError(
                "CONFLICT",
                f"Order {order.order_id} is already {order.status.en}: {so}.",
                zh=f"订单 {order.order_id} {order.status.zh},{so_zh}。",
                hint="Tell the person why it was not done; do not try again.",
            )
        case OrderStatus.IN_TRANSIT | OrderStatus.DELIVERED:
            raise ToolError(
                "NOT_ELIGIBLE",
                f"Order {order.order_id} has been shipped ({order.status.en}): {so}.",
                zh=f"订单 {order.order_id} 已发货({order.status.zh}),{so_zh}。",
                hint="Say that this is possible only before shipping; check_refund says what can be done now.",
            )


def _order(row: Row[Any], zone: ZoneInfo) -> Order:
    def local(moment: datetime | None) -> datetime | None:
        return None if moment is None else moment.astimezone(zone)

    return Order(
        order_id=row.order_id,
        items=tuple(Item(i["name"], i["name_zh"], i["quantity"], to_yuan(i["price_cents"])) for i in row.items),
        amount_yuan=to_yuan(row.amount_cents),
        status=row.status,
        placed_at=row.placed_at.astimezone(zone),
        shipped_at=local(row.shipped_at),
        delivered_at=local(row.delivered_at),
        signed_at=local(row.signed_at),
        cancelled_at=local(row.cancelled_at),
        address=row.address,
        payment_method=row.payment_method,
        payment_tail=row.payment_tail,
        carrier=row.carrier,
        tracking=row.tracking,
    )
