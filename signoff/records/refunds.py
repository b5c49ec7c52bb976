"""Refunds: whether an order can be refunded is computed here, from its dates and the policy, and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import ToolError
from signoff.records import orders
from signoff.records.damage import damage_words
from signoff.records.money import to_cents, to_yuan
from signoff.records.orders import Order
from signoff.records.refusal import Call
from signoff.records.sequence import next_id
from signoff.records.tables import refunds
from signoff.records.vocabulary import OrderStatus, RefundReason

WINDOW_DAYS = 7
"""Days from signing in which an order can be returned without a reason; the last one counts whole."""

DAMAGE_WINDOW_DAYS = 15
"""Days from signing in which an order that arrived damaged, faulty, incomplete or wrong can be returned."""


@dataclass(frozen=True)
class Refund:
    """A refund that was made."""

    refund_id: str
    order: Order
    """As it was before the refund, or is now when it was read."""
    amount_yuan: Decimal
    reason: str
    at: datetime


@dataclass(frozen=True)
class RefundCheck:
    """Whether an order can be refunded, and why. Days are calendar days of the business time zone."""

    order: Order
    refundable: bool
    reason: RefundReason
    damaged: bool
    """Whether the check was made for an order that arrived damaged or faulty."""
    received_on: date | None = None
    """Day of the signature, or of the delivery if nobody signed."""
    days_since: int | None = None
    """Days from `received_on` to today."""
    window_days: int | None = None
    """Length of the window that was applied."""
    last_day: date | None = None
    """Last day of that window."""
    refund: Refund | None = None
    """The refund there already is."""

    @property
    def policy(self) -> str:
        """Key of the rule that decided, within the return policy."""
        match self.reason:
            case RefundReason.DAMAGED_ON_ARRIVAL:
                return "return-policy/damaged-15-days"
            case RefundReason.WINDOW_OVER if self.damaged:
                return "return-policy/damaged-15-days"
            case RefundReason.WITHIN_WINDOW | RefundReason.WINDOW_OVER:
                return "return-policy/7-days"
            case RefundReason.NOT_SHIPPED | RefundReason.NOT_DELIVERED:
                return "return-policy/not-signed-for"
            case _:
                return "return-policy"

    @property
    def sentence(self) -> str:
        """The reason in an English sentence."""
        return _sentence(self)

    @property
    def sentence_zh(self) -> str:
        """The reason in a Chinese sentence."""
        return _sentence_zh(self)


def check(tx: Connection, caller: Caller, order_id: str, clock: Clock, *, damaged: bool = False) -> RefundCheck:
    """Whether the caller's order can be refunded today. Raises `ToolError` ORDER_NOT_FOUND."""
    order = orders.find(tx, caller, order_id, clock)
    match order.status:
        case OrderStatus.PAID:
            return RefundCheck(order, False, RefundReason.NOT_SHIPPED, damaged)
        case OrderStatus.IN_TRANSIT:
            return RefundCheck(order, False, RefundReason.NOT_DELIVERED, damaged)
        case OrderStatus.CANCELLED:
            return RefundCheck(order, False, RefundReason.CANCELLED, damaged)
        case OrderStatus.REFUNDED | OrderStatus.DELIVERED:
            if (made := _made(tx, caller, order, clock)) is not None or order.status is OrderStatus.REFUNDED:
                return RefundCheck(order, False, RefundReason.ALREADY_REFUNDED, damaged, refund=made)
    if order.received_at is None:
        return RefundCheck(order, False, RefundReason.NOT_DELIVERED, damaged)
    received = order.received_at.date()
    days = max(0, (clock.now().date() - received).days)
    window = DAMAGE_WINDOW_DAYS if damaged else WINDOW_DAYS
    if days > window:
        reason = RefundReason.WINDOW_OVER
    else:
        reason = RefundReason.DAMAGED_ON_ARRIVAL if damaged else RefundReason.WITHIN_WINDOW
    return RefundCheck(
        order,
        refundable=days <= window,
        reason=reason,
        damaged=damaged,
        received_on=received,
        days_since=days,
        window_days=window,
        last_day=received + timedelta(days=window),
    )


def eligible(tx: Connection, caller: Caller, order_id: str, reason: str, clock: Clock) -> RefundCheck:
    """The check of an order that can be refunded for this reason. Raises `ToolError` when it cannot."""
    result = check(tx, caller, order_id, clock, damaged=bool(damage_words(reason)))
    if not result.refundable:
        raise _refusal(result)
    return result


def refund(tx: Connection, caller: Caller, order_id: str, reason: str, call: Call, clock: Clock) -> Refund:
    """Refund the order's whole amount, once. The amount is the record's. Raises `ToolError`."""
    order = eligible(tx, caller, order_id, reason, clock).order
    made = Refund(next_id(tx, caller.tenant, "R"), order, order.amount_yuan, reason, clock.now())
    row = insert(refunds).values(
        tenant=caller.tenant,
        refund_id=made.refund_id,
        order_id=order_id,
        user=caller.user,
        amount_cents=to_cents(made.amount_yuan),
        reason=reason,
        thread=call.thread,
        call=call.id,
        at=made.at,
    )
    try:
        tx.execute(row)
    except IntegrityError:
        raise _refusal(RefundCheck(order, False, RefundReason.ALREADY_REFUNDED, False)) from None
    orders.set_refunded(tx, caller, order_id)
    return made


def of_order(tx: Connection, caller: Caller, order_id: str, clock: Clock) -> Refund | None:
    """The refund of the caller's order, if there is one. Raises `ToolError` ORDER_NOT_FOUND."""
    return _made(tx, caller, orders.find(tx, caller, order_id, clock), clock)


def _made(tx: Connection, caller: Caller, order: Order, clock: Clock) -> Refund | None:
    mine = (refunds.c.tenant == caller.tenant, refunds.c.order_id == order.order_id)
    row = tx.execute(select(refunds).where(*mine)).first()
    if row is None:
        return None
    at = row.at.astimezone(ZoneInfo(clock.zone))
    return Refund(row.refund_id, order, to_yuan(row.amount_cents), row.reason, at)


def _refusal(check: RefundCheck) -> ToolError:
    hints = {
        RefundReason.NOT_SHIPPED: "Tell the person; offer cancel_order, which is possible until it is shipped.",
        RefundReason.ALREADY_REFUNDED: "Tell the person that it was refunded already; do not refund it again.",
        RefundReason.WINDOW_OVER: "Tell the person why not, with the dates; do not try again with another reason.",
    }
    return ToolError(
        "CONFLICT" if check.reason is RefundReason.ALREADY_REFUNDED else "NOT_ELIGIBLE",
        check.sentence,
        zh=check.sentence_zh,
        hint=hints.get(check.reason, "Tell the person why not; do not try again."),
    )


def _sentence(c: RefundCheck) -> str:
    o = f"Order {c.order.order_id}"
    since = f"{o} was {'signed for' if c.order.signed_at else 'delivered'} on {c.received_on}, {_ago(c.days_since)}"
    match c.reason:
        case RefundReason.WITHIN_WINDOW:
            return f"{since}: it can be returned without a reason until {c.last_day} ({c.window_days} days)."
        case RefundReason.DAMAGED_ON_ARRIVAL:
            return (
                f"{since}, and arrived damaged or faulty: it can be returned until {c.last_day} ({c.window_days} days)."
            )
        case RefundReason.WINDOW_OVER:
            what = "returns of what arrived damaged or faulty" if c.damaged else "returns without a reason"
            return f"{since}: the {c.window_days} days for {what} ended on {c.last_day}.{_damage_remark(c)}"
        case RefundReason.NOT_SHIPPED:
            return f"{o} is not shipped yet, so there is nothing to return: it can be cancelled instead."
        case RefundReason.NOT_DELIVERED:
            return (
                f"{o} is on its way and not signed for yet: refuse the parcel on delivery, or return it after signing."
            )
        case RefundReason.CANCELLED:
            return f"{o} was cancelled{_on(c.order.cancelled_at)}, so there is nothing left to refund."
        case RefundReason.ALREADY_REFUNDED:
            was = f" ({c.refund.refund_id}, {c.refund.amount_yuan} yuan)" if c.refund else ""
            return f"{o} was already refunded{_on(c.refund.at if c.refund else None)}{was}."


def _sentence_zh(c: RefundCheck) -> str:
    o = f"订单 {c.order.order_id}"
    since = f"{o} 于 {c.received_on} {'签收' if c.order.signed_at else '送达'},到今天 {c.days_since} 天"
    match c.reason:
        case RefundReason.WITHIN_WINDOW:
            return f"{since},在 {c.window_days} 天无理由退货期限内,{c.last_day} 之前(含当天)可以退。"
        case RefundReason.DAMAGED_ON_ARRIVAL:
            return f"{since},属于到货破损或质量问题,在 {c.window_days} 天期限内,{c.last_day} 之前(含当天)可以退。"
        case RefundReason.WINDOW_OVER:
            what = "到货破损或质量问题的退货期限" if c.damaged else "无理由退货期限"
            return f"{since},{c.window_days} 天{what}已于 {c.last_day} 截止,不能退。{_damage_remark_zh(c)}"
        case RefundReason.NOT_SHIPPED:
            return f"{o} 还没有发货,不需要退货,可以直接取消订单。"
        case RefundReason.NOT_DELIVERED:
            return f"{o} 已发货、还没有签收:可以在送达时拒收,也可以签收之后再退。"
        case RefundReason.CANCELLED:
            return f"{o} 已{_on_zh(c.order.cancelled_at)}取消,没有可退的款项。"
        case RefundReason.ALREADY_REFUNDED:
            was = f"(退款单 {c.refund.refund_id},{c.refund.amount_yuan} 元)" if c.refund else ""
            return f"{o} 已{_on_zh(c.refund.at if c.refund else None)}退款{was},不能重复退款。"


def _damage_end(c: RefundCheck) -> date | None:
    """Until when the order could still be returned if it had arrived damaged."""
    if c.damaged or c.received_on is None or (c.days_since or 0) > DAMAGE_WINDOW_DAYS:
        return None
    return c.received_on + timedelta(days=DAMAGE_WINDOW_DAYS)


def _damage_remark(c: RefundCheck) -> str:
    end = _damage_end(c)
    return (
        f" Only if it arrived damaged or faulty can it be returned until {end} ({DAMAGE_WINDOW_DAYS} days)."
        if end
        else ""
    )


def _damage_remark_zh(c: RefundCheck) -> str:
    end = _damage_end(c)
    return f"只有到货破损或有质量问题的,{end} 之前(含当天)可以退({DAMAGE_WINDOW_DAYS} 天)。" if end else ""


def _ago(days: int | None) -> str:
    return "today" if days == 0 else f"{days} day{'' if days == 1 else 's'} ago"


def _on(moment: datetime | None) -> str:
    return f" on {moment.date()}" if moment else ""


def _on_zh(moment: datetime | None) -> str:
    return f"于 {moment.date()} " if moment else ""
