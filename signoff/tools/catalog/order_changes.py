"""Tools that change an order before it is shipped: its address, or whether it is sent at all."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import Connection

from signoff.caller import Caller
from signoff.records import Records
from signoff.records.orders import ADDRESS_CHARS
from signoff.records.vocabulary import OrderStatus
from signoff.tools.catalog.wording import OrderId, card_language, chosen, day, iso, paragraphs, source, yuan
from signoff.tools.contract import CallInfo, Change, Example, Preview, Risk
from signoff.tools.decorator import tool

Address = Annotated[str, Field(min_length=6, max_length=ADDRESS_CHARS)]
Reason = Annotated[str, Field(max_length=300)]


def _preview_address(order_id: str, address: str, caller: Caller, records: Records, call: CallInfo) -> Preview:
    order = records.address_changeable(caller, order_id, address)
    lang = card_language(caller, call)
    return Preview(
        title=chosen(lang, f"Change the delivery address of order {order_id}", f"修改订单 {order_id} 的收货地址"),
        changes=(Change(chosen(lang, "delivery address", "收货地址"), order.address, address),),
        reversible=True,
        why=chosen(lang, "It can be changed again until the order is shipped.", "在发货之前可以再次修改。"),
        evidence=(
            chosen(
                lang,
                f"Order {order_id}, {yuan(order.amount_yuan, lang)}, status: {order.status.en}.",
                f"订单 {order_id},{yuan(order.amount_yuan, lang)},{order.status.zh}。",
            ),
        ),
    )


def _render_address(data: Any, lang: str) -> str:
    return paragraphs(
        [
            chosen(
                lang,
                f"The delivery address of order {data['order_id']} was changed to: {data['address']}.",
                f"订单 {data['order_id']} 的收货地址已改为:{data['address']}。",
            ),
            chosen(
                lang,
                f"Before: {data['previous_address']}. Change id: {data['change_id']}, {day(data['changed_at'])}.",
                f"原地址:{data['previous_address']}。变更单号:{data['change_id']},{day(data['changed_at'])}。",
            ),
            source(lang, "order records", "订单系统"),
        ]
    )


@tool(
    risk=Risk.WRITE,
    effect="local",
    injects=("caller", "records", "call", "tx"),
    grounds="change delivery address before shipping 修改收货地址",
    preview=_preview_address,
    render=_render_address,
    examples=(
        Example(
            "把 A1002 的收货地址改成杭州市滨江区江南大道 88 号 3 楼",
            {"order_id": "A1002", "address": "杭州市滨江区江南大道 88 号 3 楼"},
        ),
        Example(
            "Please change the address of A1002 to 12 Garden Lane, Pudong, Shanghai",
            {"order_id": "A1002", "address": "12 Garden Lane, Pudong, Shanghai"},
        ),
        Example(
            "订单 A3007 换个地址,寄到武汉市珞喻路 37 号 2 栋 501",
            {"order_id": "A3007", "address": "武汉市珞喻路 37 号 2 栋 501"},
        ),
        Example(
            "G1008 should be shipped to a new address: 5 Harbour Street, Ningbo",
            {"order_id": "G1008", "address": "5 Harbour Street, Ningbo"},
        ),
    ),
)
def update_address(
    order_id: OrderId, address: Address, caller: Caller, records: Records, call: CallInfo, tx: Connection
) -> dict[str, Any]:
    """Changes the delivery address of one order of the person asking, as long as it is not shipped. Needs the
    order number and the whole new address: ask for what is missing. Not for orders that are on their way,
    delivered or cancelled, and not for looking an address up (query_order).

    Args:
        order_id: The order number as the person wrote it, such as A1002.
        address: The whole new address on one line, in the person's own words.
    """
    change = records.update_address(tx, caller, order_id, address, call)
    return {
        "order_id": order_id,
        "address": change.after,
        "previous_address": change.before,
        "change_id": change.change_id,
        "changed_at": iso(change.at),
        "source": "order records",
    }


def _preview_cancel(order_id: str, reason: str, caller: Caller, records: Records, call: CallInfo) -> Preview:
    order = records.cancellable(caller, order_id)
    lang = card_language(caller, call)
    account, amount = order.paying_account(lang), yuan(order.amount_yuan, lang)
    return Preview(
        title=chosen(lang, f"Cancel order {order_id}", f"取消订单 {order_id}"),
        changes=(
            Change(
                chosen(lang, "status", "状态"),
                order.status.word(lang),
                OrderStatus.CANCELLED.word(lang),
            ),
            Change(
                chosen(lang, "payment", "款项"),
                chosen(lang, f"{amount} paid", f"已付 {amount}"),
                chosen(lang, f"{amount} back to {account}", f"{amount} 退回{account}"),
            ),
        ),
        amount_yuan=order.amount_yuan,
        why=chosen(lang, "A cancelled order cannot be taken up again.", "取消后不能恢复,只能重新下单。"),
        evidence=(
            chosen(
                lang,
                f"Order {order_id} was placed on {order.placed_at.date()}; status: {order.status.en}.",
                f"订单 {order_id} 于 {order.placed_at.date()} 下单,{order.status.zh}。",
            ),
        ),
    )


def _render_cancel(data: Any, lang: str) -> str:
    amount = yuan(data["amount_yuan"], lang)
    return paragraphs(
        [
            chosen(
                lang,
                f"Order {data['order_id']} was cancelled on {day(data['cancelled_at'])}; "
                f"{amount} goes back to {data['paying_account']}. Change id: {data['change_id']}.",
                f"订单 {data['order_id']} 已于 {day(data['cancelled_at'])} 取消,{amount}将退回"
                f"{data['paying_account_zh']}。变更单号:{data['change_id']}。",
            ),
            source(lang, "order records", "订单系统"),
        ]
    )


@tool(
    risk=Risk.WRITE,
    effect="local",
    injects=("caller", "records", "call", "tx"),
    grounds="cancel order before shipping 取消订单",
    preview=_preview_cancel,
    render=_render_cancel,
    examples=(
        Example("取消订单 A1002", {"order_id": "A1002"}),
        Example("Please cancel order A1002, I found it cheaper", {"order_id": "A1002", "reason": "I found it cheaper"}),
        Example("A3007 不想要了,还没发货,帮我撤销这个订单", {"order_id": "A3007", "reason": "不想要了"}),
        Example("I don't want G1008 any more, cancel it", {"order_id": "G1008", "reason": "I don't want it any more"}),
    ),
)
def cancel_order(
    order_id: OrderId,
    caller: Caller,
    records: Records,
    call: CallInfo,
    tx: Connection,
    reason: Reason = "",
) -> dict[str, Any]:
    """Cancels one order of the person asking that is not shipped yet; the payment goes back. Not for orders that
    are on their way or delivered: those are returned with refund_order. Ask for the order number if it is
    missing.

    Args:
        order_id: The order number as the person wrote it, such as A1002.
        reason: Why, in the person's own words; empty when they gave no reason.
    """
    change = records.cancel(tx, caller, order_id, reason, call)
    order = change.order
    return {
        "order_id": order_id,
        "status": OrderStatus.CANCELLED.en,
        "status_zh": OrderStatus.CANCELLED.zh,
        "amount_yuan": str(order.amount_yuan),
        "paying_account": order.paying_account("en"),
        "paying_account_zh": order.paying_account("zh"),
        "change_id": change.change_id,
        "cancelled_at": iso(change.at),
        "source": "order records",
    }
