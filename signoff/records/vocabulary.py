"""The closed sets of the records, each member with its words in English and Chinese."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Self

from signoff.text import Language


class Word(StrEnum):
    """A stored value with the words people are shown for it."""

    en: str
    zh: str

    def __new__(cls, value: str, en: str = "", zh: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.en = en
        member.zh = zh
        return member

    def word(self, language: Language) -> str:
        """The member in a language."""
        return self.zh if language == "zh" else self.en

    @classmethod
    def labels(cls) -> dict[str, Any]:
        """For a parameter's JSON Schema (`x-labels`): the words that each value is taken from as well."""
        return {"x-labels": {m.value: [*m.en.split(", "), *m.zh.split(",")] for m in cls}}


class OrderStatus(Word):
    """Where an order stands."""

    PAID = "paid", "paid, not shipped yet", "已付款,未发货"
    IN_TRANSIT = "in_transit", "in transit", "运输中"
    DELIVERED = "delivered", "delivered", "已送达"
    CANCELLED = "cancelled", "cancelled", "已取消"
    REFUNDED = "refunded", "refunded", "已退款"


class ShipmentStep(Word):
    """What happened to a parcel."""

    PICKED_UP = "picked_up", "picked up by the carrier", "快递已揽收"
    AT_HUB = "at_hub", "arrived at the sorting centre", "到达分拨中心"
    OUT_FOR_DELIVERY = "out_for_delivery", "out for delivery", "派送中"
    DELIVERED = "delivered", "delivered", "已送达"
    SIGNED = "signed", "signed for", "已签收"


class PaymentMethod(Word):
    """How an order was paid; a refund goes back the same way."""

    ALIPAY = "alipay", "Alipay", "支付宝"
    WECHAT = "wechat", "WeChat Pay", "微信支付"
    BANK_CARD = "bank_card", "bank card", "银行卡"


class TicketStatus(Word):
    """Where a ticket stands."""

    DRAFT = "draft", "draft, not submitted", "草稿,未提交"
    OPEN = "open", "open", "待处理"
    IN_PROGRESS = "in_progress", "in progress", "处理中"
    RESOLVED = "resolved", "resolved", "已解决"
    DISCARDED = "discarded", "discarded", "已作废"


class Priority(Word):
    """How soon a ticket should be looked at."""

    LOW = "low", "low", "低"
    NORMAL = "normal", "normal", "普通"
    HIGH = "high", "high", "高"


class AuthorKind(Word):
    """Who wrote a ticket's comment."""

    REQUESTER = "requester", "requester", "提单人"
    STAFF = "staff", "staff", "处理人员"
    OUTSIDE = "outside", "outside sender", "外部发件人"


class ChangeKind(Word):
    """What was changed on an order."""

    ADDRESS = "address", "address change", "修改地址"
    CANCELLATION = "cancellation", "cancellation", "取消订单"


class RefundReason(Word):
    """Why an order can or cannot be refunded; computed in code."""

    WITHIN_WINDOW = "within_window", "within the return window", "在退货期限内"
    DAMAGED_ON_ARRIVAL = "damaged_on_arrival", "damaged or faulty on arrival", "到货破损或质量问题"
    WINDOW_OVER = "window_over", "the return window is over", "已超过退货期限"
    NOT_SHIPPED = "not_shipped", "not shipped yet", "尚未发货"
    NOT_DELIVERED = "not_delivered", "not delivered yet", "尚未送达"
    CANCELLED = "cancelled", "cancelled", "已取消"
    ALREADY_REFUNDED = "already_refunded", "already refunded", "已退过款"
