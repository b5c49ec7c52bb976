"""Tools that look orders up and follow their parcels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from signoff.caller import Caller
from signoff.records import Records
from signoff.records.orders import Item, Order
from signoff.records.refunds import Refund
from signoff.records.vocabulary import OrderStatus
from signoff.tools.catalog.wording import (
    OrderId,
    chosen,
    day,
    iso,
    known,
    minute,
    paragraphs,
    source,
    yuan,
)
from signoff.tools.contract import Example
from signoff.tools.decorator import tool

Status = Annotated[
    Literal["paid", "in_transit", "delivered", "cancelled", "refunded"], Field(json_schema_extra=OrderStatus.labels())
]


def _source(lang: str) -> str:
    return source(lang, "order records", "订单系统")


def _items(items: Sequence[Item], lang: str) -> str:
    names = [f"{chosen(lang, i.name, i.name_zh)} ×{i.quantity}" for i in items]
    return chosen(lang, "; ", "、").join(names)


def _state(data: dict[str, Any], lang: str) -> str:
    """The status with the day that belongs to it."""
    status = chosen(lang, data["status"], data["status_zh"])
    worded = (
        ("refunded_at", "refunded on {}", "已于 {} 退款"),
        ("cancelled_at", "cancelled on {}", "已于 {} 取消"),
        ("signed_at", status + ", signed for on {}", status + ",{} 签收"),
        ("delivered_at", status + " on {}, no signature recorded", status + "({}),无签收记录"),
        ("shipped_at", status + ", shipped on {}", status + ",{} 发货"),
    )
    for field, en, zh in worded:
        if field in data:
            return chosen(lang, en, zh).format(day(data[field]))
    return status


def _with_status(data: dict[str, Any], lang: str) -> str:
    """The status that a list was narrowed down to."""
    if "status" not in data:
        return ""
    return chosen(lang, f" with the status “{data['status']}”", f"(状态:{data['status_zh']})")


def _summary(order: Order) -> dict[str, Any]:
    """Short, so that a list of orders is not trimmed."""
    return {
        "order_id": order.order_id,
        "status": order.status.en,
        "status_zh": order.status.zh,
        **_dates(order),
        "amount_yuan": str(order.amount_yuan),
        "items": _items(order.items, "en"),
        "items_zh": _items(order.items, "zh"),
    }


def _dates(order: Order) -> dict[str, Any]:
    return known(
        placed_at=iso(order.placed_at),
        shipped_at=iso(order.shipped_at),
        delivered_at=iso(order.delivered_at),
        signed_at=iso(order.signed_at),
        cancelled_at=iso(order.cancelled_at),
    )


def _details(order: Order, refund: Refund | None) -> dict[str, Any]:
    made = {"refund_id": refund.refund_id, "refunded_at": iso(refund.at)} if refund else {}
    return {
        **_summary(order),
        **made,
        **known(carrier=order.carrier, tracking=order.tracking),
        "address": order.address,
        "paying_account": order.paying_account("en"),
        "paying_account_zh": order.paying_account("zh"),
        "source": "order records",
    }


def _render_order(data: Any, lang: str) -> str:
    refund = data.get("refund_id")
    return paragraphs(
        [
            chosen(lang, "Order {}: {}.", "订单 {}:{}。").format(data["order_id"], _state(data, lang)),
            chosen(lang, "Amount: {}. Items: {}. Placed on {}.", "金额:{}。商品:{}。下单日期:{}。").format(
                yuan(data["amount_yuan"], lang), chosen(lang, data["items"], data["items_zh"]), day(data["placed_at"])
            ),
            chosen(lang, f"Refund id: {refund}.", f"退款单号:{refund}。") if refund else "",
            chosen(lang, f"Delivery address: {data['address']}.", f"收货地址:{data['address']}。"),
            _source(lang),
        ]
    )


@tool(
    injects=("caller", "records"),
    render=_render_order,
    examples=(
        Example("订单 A1001 什么状态?", {"order_id": "A1001"}),
        Example("What is the status of order A1001?", {"order_id": "A1001"}),
        Example("查询一下 A2002 这个订单,多少钱、寄到哪个地址", {"order_id": "A2002"}),
        Example("A1002 发货了吗", {"order_id": "A1002"}),
        Example("How much did I pay for G1001 and what was in it?", {"order_id": "G1001"}),
        Example("Was A1005 cancelled, or already refunded?", {"order_id": "A1005"}),
    ),
)
def query_order(order_id: OrderId, caller: Caller, records: Records) -> dict[str, Any]:
    """Looks up one order of the person asking by its number: status, amount, items, dates, delivery address,
    paying account. Not for the parcel's journey (query_logistics), not for whether it can be returned
    (check_refund), not when no number is known (list_my_orders), and never for other people's orders.

    Args:
        order_id: The order number as the person wrote it, such as A1001.
    """
    order = records.order(caller, order_id)
    return _details(order, records.refund_of(caller, order_id))


def _render_orders(data: Any, lang: str) -> str:
    lines = [
        chosen(lang, "- {}: {}, {}, {}, placed on {}", "- {}:{},{},{},{} 下单").format(
            o["order_id"],
            _state(o, lang),
            yuan(o["amount_yuan"], lang),
            chosen(lang, o["items"], o["items_zh"]),
            day(o["placed_at"]),
        )
        for o in data["orders"]
    ]
    which = _with_status(data, lang)
    if not lines:
        head = chosen(lang, f"You have no orders{which}.", f"你没有订单{which}。")
    elif data["shown"] < data["total"]:
        head = chosen(
            lang,
            f"Your orders{which}, the newest {data['shown']} of {data['total']}:",
            f"你的订单{which}共 {data['total']} 笔,最近 {data['shown']} 笔:",
        )
    else:
        head = chosen(lang, f"Your orders{which} ({data['total']}):", f"你的订单{which}共 {data['total']} 笔:")
    return paragraphs([head, *lines, _source(lang)])


@tool(
    injects=("caller", "records"),
    render=_render_orders,
    examples=(
        Example("我有哪些订单?"),
        Example("What orders do I have? Show me all of them"),
        Example("我一共下过几单,都买了什么"),
        Example("Which of my orders are still on their way?", {"status": "in_transit"}),
        Example("列出我所有已送达的订单", {"status": "delivered"}),
        Example("List everything I bought"),
    ),
)
def list_my_orders(
    caller: Caller, records: Records, status: Status | None = None, limit: Annotated[int, Field(ge=1, le=50)] = 10
) -> dict[str, Any]:
    """Lists the orders of the person asking, newest first, all or those with one status. It cannot see the
    orders of other people, other users or other companies, whatever is asked. Not for one order whose number
    is known (query_order).

    Args:
        status: Only orders with this status: paid (not shipped yet), in_transit, delivered, cancelled, refunded.
        limit: How many orders to show at most.
    """
    found = records.orders(caller, status)
    which = OrderStatus(status) if status else None
    return {
        **known(status=which and which.en, status_zh=which and which.zh),
        "orders": [_summary(o) for o in found[:limit]],
        "total": len(found),
        "shown": min(limit, len(found)),
        "scope": "only the orders of the person asking",
        "source": "order records",
    }


def _render_logistics(data: Any, lang: str) -> str:
    events = data["events"]
    head = chosen(lang, "Order {}: {}.", "订单 {}:{}。").format(data["order_id"], _state(data, lang))
    if not events:
        none = chosen(lang, "It has not been shipped, so there is no parcel to follow.", "没有发货,暂无物流信息。")
        return paragraphs([head, none, _source(lang)])
    carrier = chosen(lang, "Carrier: {}, tracking number {}.", "承运商:{},运单号 {}。").format(
        data["carrier"], data["tracking"]
    )
    lines = [
        f"- {minute(e['at'])} {chosen(lang, e['event'] + ', ', e['event_zh'] + ',')}{e['place']}"
        for e in reversed(events)
    ]
    return paragraphs([head, carrier, *lines, source(lang, "shipment records", "物流系统")])


@tool(
    injects=("caller", "records"),
    render=_render_logistics,
    examples=(
        Example("A1006 到哪了?帮我查物流", {"order_id": "A1006"}),
        Example("Where is my parcel A1006 now and when will it arrive?", {"order_id": "A1006"}),
        Example("订单 A1004 的快递单号是多少", {"order_id": "A1004"}),
        Example("Track the shipment of package A2009", {"order_id": "A2009"}),
        Example("A1001 是哪天签收的", {"order_id": "A1001"}),
        Example("A1006 什么时候能送到", {"order_id": "A1006"}),
    ),
)
def query_logistics(order_id: OrderId, caller: Caller, records: Records) -> dict[str, Any]:
    """Follows the parcel of one order of the person asking: carrier, tracking number, every event with time and
    place, when it was signed for. Not for amounts or addresses (query_order); an order that is not shipped has
    no events.

    Args:
        order_id: The order number as the person wrote it, such as A1006.
    """
    found = records.logistics(caller, order_id)
    order = found.order
    return {
        **known(
            order_id=order.order_id,
            status=order.status.en,
            status_zh=order.status.zh,
            carrier=order.carrier,
            tracking=order.tracking,
        ),
        **_dates(order),
        "events": [
            {"at": iso(e.at), "event": e.step.en, "event_zh": e.step.zh, "place": e.place} for e in found.events
        ],
        "source": "shipment records",
    }
