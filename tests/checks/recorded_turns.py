"""Grounds as turns leave them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from signoff.knowledge.library import sample_folder
from signoff.knowledge.load import load
from signoff.knowledge.split import passages_of
from signoff.nodes.checks import Grounds
from signoff.state import Evidence

TODAY = date(2026, 10, 31)


def passage(n: int, file: str, place: str) -> Evidence:
    """A real passage of the sample policies, by its heading."""
    source = load(sample_folder() / file, key=file, tenant=None, roles=(), trusted=True)
    piece = next(p for p in passages_of(source.blocks) if place in p.place)
    return Evidence(
        n=n,
        passage=f"p{n}",
        title=source.title,
        place=piece.place,
        source=file,
        version=source.version,
        page=piece.page,
        trusted=True,
        text=piece.text,
    )


def result(tool: str, risk: str, data: Any, summary: str = "") -> dict[str, Any]:
    return {"tool": tool, "risk": risk, "ok": True, "data": data, "error": None, "summary": summary}


def refused(tool: str, risk: str, code: str, message: str, hint: str = "") -> dict[str, Any]:
    error = {"code": code, "message": message, "retryable": False, "hint": hint}
    return {"tool": tool, "risk": risk, "ok": False, "data": None, "error": error, "summary": ""}


ORDER = result(
    "query_order",
    "read",
    {
        "order_id": "A1001",
        "status": "delivered",
        "status_zh": "已送达",
        "amount_yuan": "299.00",
        "items": [{"name": "mechanical keyboard", "name_zh": "机械键盘", "quantity": 1, "price_yuan": "299.00"}],
        "placed_at": "2026-10-18T09:42:00+08:00",
        "shipped_at": "2026-10-19T15:20:00+08:00",
        "signed_at": "2026-10-22T11:05:00+08:00",
        "carrier": "Swift Parcel",
        "tracking": "SW9451412013",
        "address": "成都市解放路265号2701室",
        "paying_account": "WeChat Pay ****6854",
        "source": "order records",
    },
    "Order A1001: delivered, signed for on 2026-10-22.",
)
CHECK = result(
    "check_refund",
    "read",
    {
        "order_id": "A1001",
        "refundable": False,
        "amount_yuan": "299.00",
        "received_on": "2026-10-22",
        "reason": "Order A1001 was signed for on 2026-10-22, 9 days ago: the 7 days for returns without a reason "
        "ended on 2026-10-29. Only if it arrived damaged or faulty can it be returned until 2026-11-06 (15 days).",
        "days_since": 9,
        "window_days": 7,
        "last_day": "2026-10-29",
        "damaged_on_arrival": False,
    },
)
CANCELLED = result(
    "query_order",
    "read",
    {
        "order_id": "A1005",
        "status": "cancelled",
        "status_zh": "已取消",
        "amount_yuan": "59.90",
        "placed_at": "2026-10-20T08:55:00+08:00",
        "cancelled_at": "2026-10-20T12:31:00+08:00",
    },
)
PARCEL = result(
    "query_logistics",
    "read",
    {
        "order_id": "A1006",
        "status": "in transit",
        "status_zh": "运输中",
        "carrier": "Blue Heron Express",
        "tracking": "BL7856189288",
        "shipped_at": "2026-10-29T15:37:00+08:00",
        "events": [
            {"at": "2026-10-29T15:37:00+08:00", "event": "picked up by the carrier", "place": "上海 (Shanghai)"},
            {"at": "2026-10-29T22:01:00+08:00", "event": "arrived at the sorting centre", "place": "南京"},
        ],
    },
)
ORDERS = result(
    "list_my_orders",
    "read",
    {
        "orders": [
            {"order_id": "A1003", "status": "delivered", "amount_yuan": "299.00"},
            {"order_id": "A1002", "status": "paid", "amount_yuan": "128.00"},
            {"order_id": "A1005", "status": "cancelled", "amount_yuan": "59.90"},
        ],
        "total": 3,
        "shown": 3,
    },
)
REFUND = result(
    "refund_order",
    "critical",
    {
        "refund_id": "R1003",
        "order_id": "A1003",
        "amount_yuan": "299.00",
        "status": "refunded",
        "paying_account": "bank card ****0754",
        "refunded_at": "2026-10-31T10:00:00+08:00",
    },
    "Order A1003 was refunded: 299.00 yuan goes back to bank card ****0754. Refund id: R1003, 2026-10-31.",
)
ADDRESS = result(
    "update_address",
    "write",
    {
        "order_id": "A1002",
        "address": "上海市浦东新区世纪大道 100 号",
        "previous_address": "杭州市学院路257号2102室",
        "change_id": "C1004",
        "changed_at": "2026-10-31T10:00:00+08:00",
    },
)
DRAFT = result(
    "create_ticket_draft",
    "draft",
    {
        "ticket_id": "T1005",
        "title": "printer on floor 3 is broken",
        "status": "draft, not submitted",
        "priority": "normal",
        "created_at": "2026-10-31T10:00:00+08:00",
    },
)
WELD = result("weld_joint", "write", {"joint": "J-7", "state": "ok"})
REJECTED = refused(
    "refund_order",
    "critical",
    "REJECTED",
    "The change was rejected by acme/s-02: customer already called.",
    "Do not try it again; say that it was not done.",
)
WAITING = refused("refund_order", "critical", "APPROVAL_REQUIRED", "The refund waits for an approval.")
UNKNOWN_ORDER = refused("query_order", "read", "ORDER_NOT_FOUND", "There is no order A9999 of this person.")
ALREADY = refused("refund_order", "critical", "CONFLICT", "Order A1003 was already refunded on 2026-10-30 (R1001).")

RETURN_ZH = ("return-policy.zh.md", "1. 七天")
RETURN_EN = ("return-policy.en.md", "1. Seven days")
DAMAGE_EN = ("return-policy.en.md", "2. Damaged")
METHOD_ZH = ("return-policy.zh.md", "4. 退款方式")
MEALS = ("reimbursement.zh.md", "2. 餐费")
HOTELS = ("reimbursement.zh.md", "3. 住宿")
PASSWORD = ("vpn.en.md", "3. Password")
SEVERITY = ("on-call.en.md", "2. Severity")
WARRANTY = ("warranty.en.md", "1. How long")
NOT_COVERED = ("warranty.en.md", "3. What is not")
LEAVE = ("leave.zh.md", "2. 年假")
EXCLUDED = ("return-policy.zh.md", "3. 不适用")

EARLIER = "Order A1003 was refunded: 299.00 yuan goes back to bank card ****0754. Refund id: R1003, 2026-10-31."

TURNS: Mapping[str, dict[str, Any]] = {
    "nothing": {},
    "order": {"results": [ORDER], "question": "订单 A1001 什么状态?"},
    "check": {"results": [ORDER, CHECK], "evidence": [RETURN_ZH, RETURN_EN, DAMAGE_EN], "question": "A1001 能退吗"},
    "cancelled": {"results": [CANCELLED], "question": "what happened to A1005?"},
    "parcel": {"results": [PARCEL], "question": "A1006 到哪了"},
    "orders": {"results": [ORDERS], "question": "my orders"},
    "refunded": {"results": [REFUND], "question": "A1003 arrived broken, refund it"},
    "moved": {"results": [ADDRESS], "question": "把 A1002 的地址改成上海市浦东新区世纪大道 100 号"},
    "draft": {"results": [DRAFT], "question": "create a ticket: printer on floor 3 is broken"},
    "weld": {"results": [WELD], "question": "weld joint J-7"},
    "rejected": {"results": [REJECTED], "question": "Refund order A1003"},
    "waiting": {"results": [WAITING], "question": "Refund order A1003"},
    "unknown": {"results": [UNKNOWN_ORDER], "question": "status of A9999"},
    "already": {"results": [ALREADY], "question": "refund A1003"},
    "returns": {"evidence": [RETURN_ZH, METHOD_ZH, EXCLUDED], "question": "退货政策是什么"},
    "returns_en": {"evidence": [RETURN_EN, DAMAGE_EN], "question": "How long can I return things?"},
    "costs": {"evidence": [MEALS, HOTELS], "question": "报销标准"},
    "vpn": {"evidence": [PASSWORD, SEVERITY], "question": "vpn password rules"},
    "warranty": {"evidence": [WARRANTY, NOT_COVERED], "question": "how long is the warranty"},
    "leave": {"evidence": [LEAVE], "question": "年假有几天"},
    "later": {"history": EARLIER, "question": "what was the refund id again?"},
    "mail": {
        "results": [
            result(
                "send_email",
                "critical",
                {
                    "to": "finance@acme.example",
                    "subject": "October invoices",
                    "message_id": "M-88",
                    "sent_at": "2026-10-31T10:00:00+08:00",
                },
            )
        ],
        "question": "email finance@acme.example about October invoices",
    },
    "weather": {
        "results": [
            result(
                "get_weather",
                "read",
                {
                    "city": "上海",
                    "temperature_c": 18.4,
                    "wind_kmh": 12,
                    "rain_probability_percent": 35,
                    "observed_at": "2026-10-31T09:00:00+08:00",
                },
            )
        ],
        "question": "上海天气",
    },
    "calc": {
        "results": [
            result("calculate", "read", {"expression": "18420.50/25000", "result": "0.73682"}),
            result(
                "sum_budget",
                "read",
                {"project": "apollo", "spent_yuan": "18420.50", "budget_yuan": "25000.00", "percent": "73.7"},
            ),
        ],
        "question": "how much of apollo is spent?",
    },
    "report": {
        "results": [
            result("write_report", "write", {"path": "reports/2026-W42.md", "bytes": 1834, "overwritten": False})
        ],
        "question": "写 2026-W42 的周报",
    },
    "room": {
        "results": [
            result(
                "book_meeting_room",
                "write",
                {
                    "room": "A-203",
                    "start": "2026-11-02T14:00:00+08:00",
                    "end": "2026-11-02T15:30:00+08:00",
                    "booking": "B-5521",
                },
            )
        ],
        "question": "book room A-203 on Monday 2pm to 3:30pm",
    },
    "hr": {
        "results": [
            result(
                "submit_leave",
                "write",
                {
                    "leave_id": "L-301",
                    "days": 3,
                    "from": "2026-11-04",
                    "to": "2026-11-06",
                    "status": "submitted",
                    "balance_days": 4,
                },
            )
        ],
        "question": "请 11 月 4 日到 6 日的年假",
    },
    "ticketlist": {
        "results": [
            result(
                "list_my_tickets",
                "read",
                {
                    "tickets": [
                        {"ticket_id": "T1001", "status": "submitted", "title": "VPN"},
                        {
                            "ticket_id": "T1002",
                            "status": "closed",
                            "title": "Monitor",
                            "closed_at": "2026-10-12T09:00:00+08:00",
                        },
                    ],
                    "total": 2,
                },
            )
        ],
        "question": "my tickets",
    },
    "timeout": {
        "results": [
            refused(
                "refund_order",
                "critical",
                "OUTCOME_UNKNOWN",
                "The refund was sent but no answer came.",
                "Do not repeat it.",
            )
        ],
        "question": "refund A1003",
    },
    "two": {"results": [PARCEL], "evidence": [HOTELS, MEALS], "question": "帮我查物流并且看看报销标准"},
}


def grounds(turn: str, language: str = "en") -> Grounds:
    """The grounds of a turn by its name."""
    t = TURNS[turn]
    return Grounds(
        question=t.get("question", "hello"),
        language=language,
        evidence=[passage(n, *where) for n, where in enumerate(t.get("evidence", ()), 1)],
        results=t.get("results", []),
        history=t.get("history", ""),
        today=TODAY,
    )
