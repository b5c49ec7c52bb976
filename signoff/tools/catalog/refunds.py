"""Tools for refunds: whether one is possible, and making it."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import Connection

from signoff.caller import Caller
from signoff.records import Records
from signoff.records.damage import damage_words
from signoff.records.refunds import RefundCheck
from signoff.records.vocabulary import OrderStatus
from signoff.settings import Settings
from signoff.tools.catalog.wording import OrderId, card_language, chosen, day, iso, known, paragraphs, source, yuan
from signoff.tools.contract import CallInfo, Change, Example, Preview, Risk
from signoff.tools.decorator import tool

Reason = Annotated[str, Field(max_length=300)]

_GROUNDS = "return policy refund window 退货政策 退款期限"


def _found_words(words: list[str], lang: str) -> str:
    """Why the longer window was applied, for whoever checks it."""
    if not words:
        return ""
    quoted = chosen(lang, ", ", "、").join(chosen(lang, f"“{w}”", f"「{w}」") for w in words)
    return chosen(
        lang,
        f"That it arrived damaged or faulty was taken from the words {quoted}.",
        f"到货破损或质量问题的依据:所述理由中的{quoted}。",
    )


def _render_check(data: Any, lang: str) -> str:
    can = data["refundable"]
    return paragraphs(
        [
            chosen(
                lang,
                f"{'Can be refunded' if can else 'Cannot be refunded'}. {data['reason']}",
                f"{'可以退款' if can else '不能退款'}。{data['reason_zh']}",
            ),
            _found_words(data["damage_words"], lang),
            chosen(lang, f"Amount: {yuan(data['amount_yuan'], lang)}.", f"金额:{yuan(data['amount_yuan'], lang)}。"),
            source(lang, "order records", "订单系统"),
        ]
    )


@tool(
    injects=("caller", "records"),
    grounds=_GROUNDS,
    render=_render_check,
    examples=(
        Example("订单 A1001 能退吗?不能退说明原因", {"order_id": "A1001"}),
        Example("Can I still return order A1001 and get a refund?", {"order_id": "A1001"}),
        Example("A1003 到货就碎了,还能退款吗", {"order_id": "A1003", "reason": "到货就碎了"}),
        Example(
            "Is A2001 eligible for a return? It arrived with a cracked lens",
            {"order_id": "A2001", "reason": "arrived with a cracked lens"},
        ),
        Example("A1004 可以退货吗,退货期限到哪天", {"order_id": "A1004"}),
        Example("Until when could I send G1001 back?", {"order_id": "G1001"}),
    ),
)
def check_refund(order_id: OrderId, caller: Caller, records: Records, reason: Reason = "") -> dict[str, Any]:
    """Says whether one order of the person asking can be refunded today, why or why not, and until when; computed
    from the records and the return rules. It refunds nothing: use it for questions, and refund_order when the
    person wants the refund itself.

    Args:
        order_id: The order number as the person wrote it, such as A1001.
        reason: Why the person wants to return it, in their own words; what arrived damaged or faulty has a
            longer window.
    """
    words = damage_words(reason)
    c = records.refund_check(caller, order_id, damaged=bool(words))
    return {
        "order_id": order_id,
        "refundable": c.refundable,
        "reason": c.sentence,
        "reason_zh": c.sentence_zh,
        "reason_code": c.reason.value,
        "amount_yuan": str(c.order.amount_yuan),
        **known(
            received_on=c.received_on and c.received_on.isoformat(),
            days_since=c.days_since,
            window_days=c.window_days,
            last_day=c.last_day and c.last_day.isoformat(),
        ),
        "damaged_on_arrival": c.damaged,
        "damage_words": words,
        "policy": c.policy,
        "source": "order records",
    }


def _preview_refund(
    order_id: str, reason: str, caller: Caller, records: Records, settings: Settings, call: CallInfo
) -> Preview:
    check = records.refund_eligible(caller, order_id, reason)
    lang = card_language(caller, call)
    order = check.order
    critical, approvers = _terms(order.amount_yuan, settings)
    account = order.paying_account(lang)
    return Preview(
        title=chosen(
            lang, f"Refund order {order_id}: {order.amount_yuan} yuan", f"订单 {order_id} 退款 {order.amount_yuan} 元"
        ),
        changes=(
            Change(chosen(lang, "order status", "订单状态"), order.status.word(lang), OrderStatus.REFUNDED.word(lang)),
            Change(
                chosen(lang, "refund", "退款"),
                None,
                chosen(
                    lang,
                    f"{yuan(order.amount_yuan, lang)} to {account}",
                    f"{yuan(order.amount_yuan, lang)} 退回{account}",
                ),
            ),
        ),
        reversible=False,
        risk=Risk.CRITICAL if critical else None,
        amount_yuan=order.amount_yuan,
        approvers=approvers,
        why=_why(critical, approvers, settings, lang),
        evidence=_evidence(check, reason, lang),
    )


def _terms(amount: Decimal, settings: Settings) -> tuple[bool, int]:
    """Whether a refund is critical, and how many people must approve it."""
    two = amount > settings.two_person_above_yuan
    return two or amount > settings.critical_above_yuan, 2 if two else 1


def _why(critical: bool, approvers: int, settings: Settings, lang: str) -> str:
    paid = chosen(lang, "Money that was paid back cannot be called in again.", "退出的款项无法收回。")
    if approvers > 1:
        limit = yuan(settings.two_person_above_yuan, lang)
        more = chosen(lang, f" Above {limit} two people must approve.", f"超过 {limit},需要两人批准。")
    elif critical:
        limit = yuan(settings.critical_above_yuan, lang)
        more = chosen(lang, f" Above {limit} a supervisor must approve.", f"超过 {limit},需要申请人以外的主管批准。")
    else:
        more = ""
    return paid + more


def _evidence(check: RefundCheck, reason: str, lang: str) -> tuple[str, ...]:
    said = chosen(lang, f"Reason given: {reason}", f"申请理由:{reason}") if reason else ""
    own = chosen(lang, "The amount is the order's own, from the order records.", "金额取自订单记录。")
    lines = (chosen(lang, check.sentence, check.sentence_zh), said, _found_words(damage_words(reason), lang), own)
    return tuple(line for line in lines if line)


def _render_refund(data: Any, lang: str) -> str:
    amount = yuan(data["amount_yuan"], lang)
    return paragraphs(
        [
            chosen(
                lang,
                f"Order {data['order_id']} was refunded: {amount} goes back to {data['paying_account']}. "
                f"Refund id: {data['refund_id']}, {day(data['refunded_at'])}.",
                f"订单 {data['order_id']} 已退款 {amount},退回{data['paying_account_zh']}。"
                f"退款单号:{data['refund_id']},{day(data['refunded_at'])}。",
            ),
            source(lang, "refund records", "退款系统"),
        ]
    )


@tool(
    risk=Risk.WRITE,
    effect="local",
    injects=("caller", "records", "settings", "call", "tx"),
    grounds=_GROUNDS,
    preview=_preview_refund,
    render=_render_refund,
    examples=(
        Example("Refund order A1003, it arrived broken", {"order_id": "A1003", "reason": "it arrived broken"}),
        Example("A1003 收到就坏了,给我退款", {"order_id": "A1003", "reason": "收到就坏了"}),
        Example("我要退掉 A1004,把钱退给我", {"order_id": "A1004"}),
        Example("I want my money back for A2002", {"order_id": "A2002"}),
        Example("帮我申请退货退款,订单号 G1001,颜色不喜欢", {"order_id": "G1001", "reason": "颜色不喜欢"}),
        Example("please return A2001 and refund me, wrong size", {"order_id": "A2001", "reason": "wrong size"}),
    ),
)
def refund_order(
    order_id: OrderId,
    caller: Caller,
    records: Records,
    settings: Settings,
    call: CallInfo,
    tx: Connection,
    reason: Reason = "",
) -> dict[str, Any]:
    """Refunds the whole amount of one delivered order of the person asking to the account that paid; the amount
    comes from the records. Use it only when the person wants the refund itself and has named the order: ask
    which order otherwise. Not for questions about whether it is possible (check_refund), not for orders that
    are not shipped (cancel_order), and never a second time.

    Args:
        order_id: The order number as the person wrote it, such as A1003.
        reason: Why, in the person's own words; empty when they gave no reason.
    """
    made = records.refund(tx, caller, order_id, reason, call)
    return {
        "refund_id": made.refund_id,
        "order_id": order_id,
        "amount_yuan": str(made.amount_yuan),
        "status": OrderStatus.REFUNDED.en,
        "status_zh": OrderStatus.REFUNDED.zh,
        "paying_account": made.order.paying_account("en"),
        "paying_account_zh": made.order.paying_account("zh"),
        "reason_given": made.reason,
        "refunded_at": iso(made.at),
        "source": "refund records",
    }
