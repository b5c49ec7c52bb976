"""Grounds as turns leave them, and answers that stand on them or do not."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from signoff.knowledge.library import sample_folder
from signoff.knowledge.load import load
from signoff.knowledge.split import split
from signoff.nodes.checks import Grounds
from signoff.state import Evidence

TODAY = date(2026, 10, 31)


def passage(n: int, file: str, place: str) -> Evidence:
    """A real passage of the sample policies, by its heading."""
    source = load(sample_folder() / file, key=file, tenant=None, roles=(), trusted=True)
    piece = next(p for p in split(source.blocks) if place in p.place)
    return Evidence(
        n=n,
        passage=f"p{n}",
        title=source.title,
        place=piece.place,
        source=file,
        version=source.version,
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


GOOD: tuple[tuple[str, str], ...] = (
    ("nothing", "Hello! I can look up orders, answer questions about policies, and prepare refunds for sign-off."),
    ("nothing", "你好!我可以查订单、查政策,也可以帮你发起退款申请,由有权限的人批准后执行。"),
    ("nothing", "Which order do you mean? Please give me its number."),
    ("nothing", "请问是哪一个订单?请提供订单号。"),
    ("nothing", "I found no document or record that says so."),
    ("nothing", "我只能看到你自己的订单,不能查询其他用户的数据。"),
    ("nothing", "I can only see your own orders; other people's data is not available to me."),
    ("nothing", "Once the refund has been approved, the money goes back to the paying account."),
    ("nothing", "退款批准后,款项会原路退回。"),
    ("nothing", "Nothing has been changed."),
    ("nothing", "没有做任何修改。"),
    ("nothing", "Has the parcel been returned already?"),
    ("nothing", "如果订单已取消,就不需要再申请退款。"),
    ("nothing", "I'd recommend contacting support; they are available 24/7."),
    ("nothing", "建议您联系客服确认。"),
    ("nothing", "Here is what to do:\n1. Open the order.\n2. Choose the reason.\n3. Wait for the review."),
    ("nothing", "可以分三步:\n1. 打开订单\n2. 选择原因\n3. 等待审核"),
    ("nothing", "Step 1: open the order. Step 2: choose a reason."),
    ("nothing", "Today is 2026-10-31."),
    ("nothing", "今天是 2026年10月31日。"),
    ("order", "Order A1001 has been delivered; it was signed for on Oct 22, 2026. The amount is ¥299."),
    ("order", "订单 A1001 已送达,2026年10月22日签收,金额 299 元(来源:订单系统)。"),
    ("order", "订单 A1001 于10月22日 11:05 签收,金额 299.00 元,承运商 Swift Parcel,运单号 SW9451412013。"),
    (
        "order",
        "Your order A1001 was placed on October 18 and signed for at 11:05 am on 22 October. You paid 299.00 yuan.",
    ),
    ("order", "It was paid with the WeChat Pay account ending in 6854."),
    ("order", "| Field | Value |\n|---|---|\n| Order | A1001 |\n| Amount | 299.00 yuan |\n| Signed | 2026-10-22 |"),
    ("order", "**A1001**\n- 状态:已送达\n- 金额:299.00 元\n- 地址:成都市解放路265号2701室"),
    ("order", "The keyboard (×1) cost 299.00 yuan; order 1001 was delivered to 成都市解放路265号2701室."),
    ("check", "A1001 不能退。签收日期是 2026-10-22,距今 9 天,而无理由退货期限是 7 天 [1]。"),
    ("check", "订单 A1001 已超过七天无理由退货期限,期限于 10 月 29 日截止,因此不能退 [1]。"),
    ("check", "No, A1001 cannot be returned: it was signed for 9 days ago and the window is 7 days [2]."),
    (
        "check",
        "No. The seven-day window [2] ended on 29 October 2026. If it arrived damaged you have 15 days [3], "
        "until 2026-11-06.",
    ),
    ("check", "根据退货政策,自签收之日起 7 天内可以无理由退货 [1]。A1001 已经签收 9 天,不能退。"),
    (
        "check",
        "You may return a product within 7 days of signing for it, no reason needed [2]. "
        "Since A1001 was signed for on 2026-10-22, that ended on 2026-10-29.",
    ),
    ("cancelled", "Order A1005 was cancelled on 2026-10-20; the amount was 59.90 yuan."),
    ("cancelled", "订单 A1005 已于 2026-10-20 12:31 取消,金额 59.90 元。"),
    ("cancelled", "A1005 is already cancelled, so there is nothing to refund."),
    ("cancelled", "A1005 的状态:已取消。"),
    ("parcel", "A1006 还在运输途中:10 月 29 日 15:37 快递揽收,22:01 到达南京分拨中心。"),
    (
        "parcel",
        "A1006 is in transit with Blue Heron Express (BL7856189288). It was picked up at 3:37 pm on 29 October.",
    ),
    ("parcel", "There are 2 events so far."),
    (
        "orders",
        "You have 3 orders:\n- A1003: delivered, 299.00 yuan\n- A1002: paid, 128.00\n- A1005: cancelled, 59.90 yuan",
    ),
    ("orders", "你共有 3 笔订单,其中 A1005 已取消。"),
    ("refunded", "Order A1003 has been refunded: 299.00 yuan went back to your bank card. The refund id is R1003."),
    ("refunded", "已为您退款 299 元,退款单号 R1003,退回银行卡(尾号 0754)。"),
    ("refunded", "Done. I refunded 299.00 yuan for A1003 (refund R1003)."),
    ("refunded", "退款成功!单号 R1003。"),
    ("refunded", "Your refund request for A1003 has been processed. Refund id: R1003."),
    ("refunded", "订单 A1003 的退款已完成,退款单号为 R1003。"),
    ("refunded", "The refund of 299.00 yuan went through."),
    ("moved", "已将订单 A1002 的收货地址修改为上海市浦东新区世纪大道 100 号(变更单号 C1004)。"),
    ("moved", "The delivery address of A1002 has been changed to 上海市浦东新区世纪大道 100 号. Change id: C1004."),
    ("moved", "I've updated the address of order A1002; the change is complete."),
    ("draft", "I created the draft T1005 for the printer on floor 3. It has not been submitted yet."),
    ("draft", "已为您创建工单草稿 T1005,目前还没有提交。"),
    ("draft", "Ticket T1005 was saved as a draft; say the word and it will be submitted."),
    ("weld", "Joint J-7 has been fixed."),
    ("rejected", "The refund was not made: it was rejected because the customer already called."),
    ("rejected", "没有退款:申请被拒绝,原因是 customer already called。"),
    ("rejected", "I could not refund A1003. The request was declined."),
    ("waiting", "The refund of A1003 has been submitted for approval; nothing has been refunded yet."),
    ("waiting", "退款申请已提交审批,批准之后才会执行。"),
    ("unknown", "I found no order A9999 among yours."),
    ("unknown", "没有找到订单 A9999,请核对订单号。"),
    ("already", "A1003 has already been refunded on 2026-10-30, under the id R1001."),
    ("returns", "签收之日起 7 天内可以申请退货,无需说明理由;签收次日计为第 1 天 [1]。退款退回原付款账户 [2]。"),
    ("returns", "已经激活的软件不支持无理由退货 [3]。"),
    ("returns", "退款到账时间:余额 1 天内,借记卡 3 个工作日内,信用卡 5 个工作日内 [2]。"),
    ("returns", "You can return within 7 days of signing, without giving a reason [1]."),
    ("returns", "超过 7 天的申请不再适用无理由退货[1]。\n\n来源:[1] 退货与退款政策,1. 七天无理由退货"),
    ("returns_en", "You have 7 days from signing, and 15 days if it arrived damaged [1][2]."),
    ("returns_en", "You have seven days; damaged goods: fifteen days [1, 2]."),
    ("returns_en", "签收后 7 天内可以无理由退货 [1],到货破损的为 15 天 [2]。"),
    ("costs", "出差餐费:一线城市每天 120 元,其他城市每天 90 元 [1]。住宿:普通员工一线城市每晚 450 元 [2]。"),
    (
        "costs",
        "Meals are a flat 120 yuan a day in tier-one cities and 90 yuan elsewhere [1]; hotels up to 450 yuan [2].",
    ),
    ("costs", "加班到 21:00 以后,可以报销不超过 35 元的工作餐【1】。"),
    ("costs", "展会期间酒店涨价的,经批准可以上浮 30% [2]。"),
    ("vpn", "The password needs at least 14 characters and is changed every 180 days [1]."),
    ("vpn", "密码至少 14 位,每 180 天更换一次 [1]。"),
    ("vpn", "A SEV1 must be acknowledged within 5 minutes [2]."),
    ("vpn", "Never share a one-time code; IT does not ask for it [1]."),
    ("warranty", "Speakers have a warranty of 24 months (two years), headphones 18 months [1]."),
    ("warranty", "音箱保修 24 个月,耳机保修 18 个月 [1]。"),
    ("warranty", "Liquid damage and drops are not covered [2]."),
    ("leave", "满 1 年不满 10 年的员工有 7 天年假,满 10 年不满 20 年的有 12 天 [1]。"),
    ("leave", "Annual leave is 7 days after one year, 12 days after 10 years and 16 days after 20 years [1]."),
    ("leave", "当年没有休完的年假最多结转 5 天到次年 3 月 31 日 [1]。"),
    ("later", "The refund id is R1003; 299.00 yuan went back to the card ending in 0754."),
    ("later", "订单 A1003 已经退款,退款单号 R1003。"),
    ("two", "A1006 运输中,10月29日 22:01 到达分拨中心。\n报销标准:经理住一线城市每晚 600 元 [1],餐费每天 120 元 [2]。"),
)
"""Answers that must pass."""

BAD: tuple[tuple[str, str, str], ...] = (
    ("nothing", "claim", "Your order has been refunded."),
    ("nothing", "claim", "I have cancelled the order for you."),
    ("nothing", "claim", "已为您取消订单。"),
    ("nothing", "claim", "退款成功,请注意查收。"),
    ("nothing", "claim", "我已经帮您提交了工单。"),
    ("nothing", "claim", "Done!"),
    ("nothing", "claim", "搞定了!"),
    ("nothing", "claim", "I've updated your address."),
    ("nothing", "claim", "The e-mail was sent to finance."),
    ("nothing", "claim", "Successfully submitted your leave request."),
    ("nothing", "claim", "地址已经修改好了,请放心。"),
    ("nothing", "claim", "您的请假申请已提交。"),
    ("nothing", "claim", "The refund went through."),
    ("nothing", "claim", "Your ticket is now closed."),
    ("nothing", "claim", "我帮你把密码重置了。"),
    ("nothing", "number", "A refund takes 3 days."),
    ("nothing", "number", "退款需要三天。"),
    ("nothing", "number", "The order number is A1234."),
    ("nothing", "number", "Please call 400-123-4567."),
    ("nothing", "number", "It will arrive on 2026-11-03."),
    ("nothing", "number", "See https://help.example.com/returns for details."),
    ("nothing", "citation", "Refunds go to the paying account [1]."),
    ("nothing", "citation", "退款原路退回【2】。"),
    ("nothing", "leak", "The key is sk-proj-abcd1234efgh5678ijkl."),
    ("nothing", "leak", "AKIAIOSFODNN7EXAMPLE is the access key."),
    ("nothing", "leak", "token: eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc123DEF456"),
    ("nothing", "leak", "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----"),
    ("nothing", "leak", "他的身份证号是11010519491231002X。"),
    ("nothing", "leak", "卡号:6222 0212 3456 7894"),
    ("nothing", "leak", "card 4111-1111-1111-1111"),
    ("nothing", "leak", "<evidence>\nsome text\n</evidence>"),
    ("nothing", "leak", "Authorization: Bearer abcdef1234567890abcdef"),
    ("nothing", "leak", "密码是 Hunter2pass9"),
    ("order", "number", "Order A1001 cost 399.00 yuan."),
    ("order", "number", "订单 A1001 金额 299 美元。"),
    ("order", "number", "Order A1001 was signed for on 2026-10-23."),
    ("order", "number", "订单 A1001 于 10月21日 签收。"),
    ("order", "number", "Order A1010 was delivered."),
    ("order", "number", "A1001 was signed for 9 days ago."),
    ("order", "number", "它在下午 3:05 签收。"),
    ("order", "claim", "订单 A1001 已取消。"),
    ("order", "claim", "Order A1001 has been refunded."),
    ("order", "number", "Your card ending in 1234 was used."),
    ("check", "number", "A1001 还可以在 2026-11-01 之前退。"),
    ("returns_en", "unsupported", "You have 15 days without giving a reason [1]."),
    ("check", "number", "The window is 15 hours [2]."),
    ("check", "claim", "A1001 已为您退款。"),
    ("check", "citation", "A1001 不能退 [7]。"),
    ("cancelled", "claim", "I have cancelled A1005 for you."),
    ("cancelled", "claim", "Order A1005 has been refunded."),
    ("cancelled", "claim", "已帮您取消 A1005。"),
    ("parcel", "number", "A1006 将于 11 月 1 日送达。"),
    ("parcel", "number", "It arrives in 2 days."),
    ("orders", "number", "You have 5 orders."),
    ("orders", "claim", "A1002 已取消。"),
    ("orders", "number", "合计 486.90 元。"),
    ("refunded", "claim", "A1004 has been refunded."),
    ("refunded", "claim", "I refunded A1003 and your ticket has been submitted."),
    ("refunded", "number", "Refund id: R1004."),
    ("refunded", "claim", "已退款,收货地址也已修改。"),
    ("moved", "claim", "The address is changed and the order has been refunded."),
    ("draft", "claim", "Your ticket T1005 has been submitted."),
    ("draft", "claim", "工单 T1005 已提交。"),
    ("rejected", "claim", "The refund for A1003 has been issued."),
    ("rejected", "claim", "A1003 已退款。"),
    ("waiting", "claim", "A1003 has been refunded."),
    ("waiting", "claim", "退款已完成。"),
    ("unknown", "claim", "Order A9999 has been cancelled."),
    ("returns", "number", "签收之日起 10 天内可以退货 [1]。"),
    ("returns", "unsupported", "退款 5 个工作日到账 [1]。"),
    ("returns", "number", "退款退回原付款账户,手续费 2% [2]。"),
    ("returns", "unsupported", "本产品支持蓝牙配对与防水,续航表现优秀 [1]。"),
    ("returns", "unsupported", "已经激活的软件也可以退货 [3]。"),
    ("returns_en", "unsupported", "If it arrived damaged you have 7 days [2]."),
    ("returns_en", "number", "You can return it within 30 days [1]."),
    ("costs", "unsupported", "一线城市住宿每晚 120 元 [2]。"),
    ("costs", "number", "一线城市餐费每天 150 元 [1]。"),
    ("vpn", "number", "The password needs 8 characters [1]."),
    ("vpn", "unsupported", "SEV1 must be acknowledged within 5 minutes [1]."),
    ("warranty", "unsupported", "Drops and other accidents are covered [2]."),
    ("warranty", "number", "The warranty lasts 36 months [1]."),
    ("leave", "number", "年假有 15 天 [1]。"),
    ("later", "claim", "Order A1004 has been refunded as well."),
)
"""Answers that must not pass, with the kind of one of their findings."""
