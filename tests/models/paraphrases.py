"""Requests in people's words, with the calls they must lead to.

A case is (tool set, words, calls); a call is (tool, arguments). A value is compared exactly, except that text
is compared without case, punctuation and blanks, and `Has` wants the words to be in it. Arguments that are
not named here must not be filled, except where the call ends with "..." ; no calls means that none may be made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Has:
    """A text that holds these words."""

    words: str


Call = tuple[str, dict[str, Any]]
Case = tuple[str, str, list[Call]]


def _one(tool: str, **args: Any) -> list[Call]:
    return [(tool, args)]


def _order(tool: str, *ids: str, **args: Any) -> list[Call]:
    return [(tool, {"order_id": i, **args}) for i in ids]


SERVICE: list[Case] = [
    # reads
    ("service", "A1001现在是什么情况", _order("query_order", "A1001")),
    ("service", "麻烦看下订单a1006的状态", _order("query_order", "A1006")),
    ("service", "Could you look up order A1004 for me?", _order("query_order", "A1004")),
    ("service", "How much was A1002?", _order("query_order", "A1002")),
    ("service", "A1002花了多少钱来着", _order("query_order", "A1002")),
    ("service", "tell me about order #A1001", _order("query_order", "A1001")),
    ("service", "check status of a1003 pls", _order("query_order", "A1003")),
    ("service", "我的快递A1006走到哪儿了", _order("query_logistics", "A1006")),
    ("service", "Has A1006 arrived yet? track it", _order("query_logistics", "A1006")),
    ("service", "track A1006", _order("query_logistics", "A1006")),
    ("service", "where's the package for A1004", _order("query_logistics", "A1004")),
    ("service", "A1004的物流信息给我看看", _order("query_logistics", "A1004")),
    ("service", "订单A1003的包裹签收了没有", _order("query_logistics", "A1003")),
    ("service", "Give me the tracking number of A1006", _order("query_logistics", "A1006")),
    ("service", "A1001还能不能退货", _order("check_refund", "A1001")),
    ("service", "Is it too late to return A1001?", _order("check_refund", "A1001")),
    ("service", "am I eligible for a refund on A1003?", _order("check_refund", "A1003")),
    ("service", "can A1004 be refunded", _order("check_refund", "A1004")),
    ("service", "A1004符合退款条件吗", _order("check_refund", "A1004")),
    ("service", "查一下A1003是否可以退款", _order("check_refund", "A1003")),
    ("service", "what orders do I have?", _one("list_my_orders")),
    ("service", "把我的订单都列出来", _one("list_my_orders")),
    ("service", "Show my cancelled orders", _one("list_my_orders", status="cancelled")),
    ("service", "我有哪些已签收的订单", _one("list_my_orders", status="delivered")),
    ("service", "还在路上的订单有哪些", _one("list_my_orders", status="in_transit")),
    ("service", "list all my tickets", _one("list_my_tickets")),
    ("service", "我提过哪些工单", _one("list_my_tickets")),
    ("service", "工单T1002到哪一步了", _one("query_ticket", ticket_id="T1002")),
    ("service", "any news on ticket t1003?", _one("query_ticket", ticket_id="T1003")),
    # several
    ("service", "A1001和A1003分别是什么状态", _order("query_order", "A1001", "A1003")),
    ("service", "Status of A1001, A1002 and A1006 please", _order("query_order", "A1001", "A1002", "A1006")),
    (
        "service",
        "先查A1006的物流,然后看看A1001能不能退",
        [*_order("query_logistics", "A1006"), *_order("check_refund", "A1001")],
    ),
    (
        "service",
        "Track A1006 and also list my tickets",
        [*_order("query_logistics", "A1006"), *_one("list_my_tickets")],
    ),
    (
        "service",
        "what's the status of A1002? and where is A1006?",
        [*_order("query_order", "A1002"), *_order("query_logistics", "A1006")],
    ),
    ("service", "订单A1002什么状态;我的工单有哪些", [*_order("query_order", "A1002"), *_one("list_my_tickets")]),
    # writes
    ("service", "给我把A1003退了吧,屏幕碎了", _order("refund_order", "A1003", reason=Has("屏幕碎了"))),
    ("service", "A1003到手就是坏的,我要退款", _order("refund_order", "A1003", reason=Has("坏的"))),
    (
        "service",
        "I'd like a refund for A1003 because the zip is broken",
        _order("refund_order", "A1003", reason=Has("the zip is broken")),
    ),
    (
        "service",
        "please give me my money back for order a1004, wrong colour",
        _order("refund_order", "A1004", reason=Has("wrong colour")),
    ),
    ("service", "can you refund A1003? It was damaged", _order("refund_order", "A1003", reason=Has("damaged"))),
    ("service", "能帮我把A1003退款吗?东西是坏的", _order("refund_order", "A1003", reason=Has("坏的"))),
    (
        "service",
        "Go ahead and refund A1003, the box was empty",
        _order("refund_order", "A1003", reason=Has("the box was empty")),
    ),
    ("service", "申请退款,订单号A1004,不喜欢这个颜色", _order("refund_order", "A1004", reason=Has("不喜欢这个颜色"))),
    ("service", "cancel order A1002", _order("cancel_order", "A1002")),
    (
        "service",
        "I changed my mind, please cancel A1002",
        _order("cancel_order", "A1002", reason=Has("changed my mind")),
    ),
    ("service", "A1002不要了,帮我取消", _order("cancel_order", "A1002", reason=Has("不要了"))),
    ("service", "麻烦取消一下A1002这个订单", _order("cancel_order", "A1002")),
    ("service", "could you call off A1002", _order("cancel_order", "A1002")),
    (
        "service",
        "A1002的地址改一下,改成北京市海淀区中关村大街27号",
        _order("update_address", "A1002", address="北京市海淀区中关村大街27号"),
    ),
    (
        "service",
        "Update the shipping address for A1002 to 88 Nanjing Road, Huangpu, Shanghai please",
        _order("update_address", "A1002", address="88 Nanjing Road, Huangpu, Shanghai"),
    ),
    (
        "service",
        "I need to change where A1002 is delivered: new address is 5 Lake View, Hangzhou",
        _order("update_address", "A1002", address="5 Lake View, Hangzhou"),
    ),
    (
        "service",
        "请将订单A1002的收货地址更换为苏州市工业园区星湖街328号",
        _order("update_address", "A1002", address="苏州市工业园区星湖街328号"),
    ),
    (
        "service",
        "open a ticket: VPN drops every ten minutes",
        _one("create_ticket_draft", title="VPN drops every ten minutes"),
    ),
    ("service", "提个工单,会议室空调不制冷", _one("create_ticket_draft", title="会议室空调不制冷")),
    (
        "service",
        "Please raise a ticket about the broken scanner in room 5",
        _one("create_ticket_draft", title=Has("broken scanner in room 5")),
    ),
    ("service", "新建一个紧急工单:机房漏水了", _one("create_ticket_draft", title="机房漏水了", priority="high")),
    ("service", "submit my ticket T1005", _one("submit_ticket", ticket_id="T1005")),
    ("service", "把T1006提交上去", _one("submit_ticket", ticket_id="T1006")),
    (
        "service",
        "取消A1002,另外把A1003退款,它碎了",
        [*_order("cancel_order", "A1002"), *_order("refund_order", "A1003", reason=Has("碎了"))],
    ),
    # talk about an action is no order
    ("service", "what's your refund policy?", _one("search_knowledge", query=Has("refund policy"))),
    ("service", "退款一般多久到账", _one("search_knowledge", query=Has("多久到账"))),
    ("service", "How do I return something I bought?", _one("search_knowledge", query=Has("return"))),
    ("service", "年假有多少天", _one("search_knowledge", query=Has("年假"))),
    ("service", "how long does the warranty last", _one("search_knowledge", query=Has("warranty"))),
    ("service", "报销餐费的标准是啥", _one("search_knowledge", query=Has("报销"))),
    ("service", "I don't want A1003 refunded", []),
    ("service", "Don't cancel A1002", []),
    ("service", "别取消A1002", []),
    ("service", "我没说要退款", []),
    ("service", "先不要改A1002的地址", []),
    ("service", "Refund my order", []),
    ("service", "我想退款", []),
    ("service", "取消订单", []),
    ("service", "change the delivery address of A1002", []),
    ("service", "Show me Bob's orders", []),
    ("service", "帮我看看张伟的订单", []),
    ("service", "list the orders of user u-42", []),
    ("service", "how are you", []),
    ("service", "多谢啦", []),
    ("service", "Hi! Who am I talking to? Who are you?", []),
]

OTHERS: list[Case] = [
    ("weather", "Is it going to rain in Paris tomorrow?", _one("get_weather", city="Paris", date="2026-11-01")),
    ("weather", "weather Hamburg", _one("get_weather", city="Hamburg")),
    ("weather", "深圳明天会下雨吗", _one("get_weather", city="深圳", date="2026-11-01")),
    ("weather", "帮我查一下成都的天气", _one("get_weather", city="成都")),
    ("weather", "后天杭州天气如何?", _one("get_weather", city="杭州", date="2026-11-02")),
    ("weather", "What's the forecast for New York on Monday?", _one("get_weather", city="New York", date="2026-11-02")),
    ("weather", "do I need an umbrella in London today", _one("get_weather", city="London", date="2026-10-31")),
    ("weather", "air quality in Mumbai?", _one("get_air_quality", city="Mumbai")),
    ("weather", "西安的空气怎么样", _one("get_air_quality", city="西安")),
    (
        "weather",
        "Weather in Rome and Madrid tomorrow",
        [*_one("get_weather", city="Rome", date="2026-11-01"), *_one("get_weather", city="Madrid", date="2026-11-01")],
    ),
    (
        "weather",
        "北京和广州明天的天气",
        [*_one("get_weather", city="北京", date="2026-11-01"), *_one("get_weather", city="广州", date="2026-11-01")],
    ),
    ("weather", "book me a flight to Rome", []),
    ("weather", "thank you so much!", []),
    ("rooms", "Is there a free room tomorrow at 3pm?", _one("find_free_rooms", date="2026-11-01", start_time="15:00")),
    ("rooms", "下周一上午9点半有没有空会议室", _one("find_free_rooms", date="2026-11-02", start_time="09:30")),
    (
        "rooms",
        "find a room for 8 people on November 5 at 10:00",
        _one("find_free_rooms", date="2026-11-05", start_time="10:00", people=8),
    ),
    (
        "rooms",
        "Please reserve R-110 tomorrow at 9:30 for 45 minutes",
        _one("book_room", room_id="R-110", date="2026-11-01", start_time="09:30", minutes=45),
    ),
    (
        "rooms",
        "帮我订一下r-110,11月3号下午四点,90分钟",
        _one("book_room", room_id="R-110", date="2026-11-03", start_time="16:00", minutes=90),
    ),
    ("rooms", "I no longer need booking bk20001, cancel it", _one("cancel_booking", booking_id="BK20001")),
    ("rooms", "把BK20001这个预订取消掉", _one("cancel_booking", booking_id="BK20001")),
    ("rooms", "what have I got booked on Monday", _one("list_my_bookings", date="2026-11-02")),
    ("rooms", "我都预订了哪些会议室?", _one("list_my_bookings")),
    ("rooms", "How can I cancel a booking?", []),
    ("rooms", "book a room tomorrow", []),
    ("rooms", "don't cancel BK20001", []),
    ("leave", "How much annual leave have I got left?", _one("get_leave_balance", kind="annual")),
    ("leave", "年假还剩多少", _one("get_leave_balance", kind="annual")),
    ("leave", "我还有几天事假可以用", _one("get_leave_balance", kind="personal")),
    ("leave", "remaining sick days?", _one("get_leave_balance", kind="sick")),
    (
        "leave",
        "I'd like to take annual leave from Nov 16 to Nov 20",
        _one("request_leave", kind="annual", start_date="2026-11-16", end_date="2026-11-20"),
    ),
    (
        "leave",
        "帮我请下周一到下周三的年假",
        _one("request_leave", kind="annual", start_date="2026-11-02", end_date="2026-11-04"),
    ),
    (
        "leave",
        "request sick leave for tomorrow because I have a fever",
        _one(
            "request_leave", kind="sick", start_date="2026-11-01", end_date="2026-11-01", reason=Has("I have a fever")
        ),
    ),
    (
        "leave",
        "请事假,11月10号一天,家里有事",
        _one("request_leave", kind="personal", start_date="2026-11-10", end_date="2026-11-10", reason=Has("家里有事")),
    ),
    (
        "leave",
        "从明天开始请三天病假",
        _one("request_leave", kind="sick", start_date="2026-11-01", end_date="2026-11-03"),
    ),
    ("leave", "please withdraw request LR-102", _one("withdraw_leave_request", request_id="LR-102")),
    ("leave", "LR-102不请了,撤回吧", _one("withdraw_leave_request", request_id="LR-102")),
    ("leave", "which of my leave requests are pending?", _one("list_leave_requests", status="pending")),
    ("leave", "看看我的请假申请", _one("list_leave_requests")),
    ("leave", "我还没想好要不要请假", []),
    ("leave", "Can I take sick leave when my child is ill?", []),
    ("inventory", "how many MS-2001 are left", _one("check_stock", sku="MS-2001")),
    ("inventory", "查下ms-2001在南仓的库存", _one("check_stock", sku="MS-2001", warehouse="south")),
    ("inventory", "Is KB-1044 in stock?", _one("check_stock", sku="KB-1044")),
    (
        "inventory",
        "stock levels for KB-1044 and MS-2001",
        [*_one("check_stock", sku="KB-1044"), *_one("check_stock", sku="MS-2001")],
    ),
    ("inventory", "Please order another 200 units of MS-2001", _one("reorder_item", sku="MS-2001", quantity=200)),
    ("inventory", "MS-2001再补100个", _one("reorder_item", sku="MS-2001", quantity=100)),
    (
        "inventory",
        "transfer 15 pieces of MS-2001 from east to north",
        _one("transfer_stock", sku="MS-2001", quantity=15, from_warehouse="east", to_warehouse="north"),
    ),
    (
        "inventory",
        "从南仓调30件MS-2001到东仓",
        _one("transfer_stock", sku="MS-2001", quantity=30, from_warehouse="south", to_warehouse="east"),
    ),
    ("inventory", "search for usb hubs", _one("find_products", keywords="usb hubs")),
    ("inventory", "有没有人体工学椅", _one("find_products", keywords="人体工学椅")),
    ("inventory", "Should we reorder KB-1044?", _one("check_stock", sku="KB-1044")),
    ("inventory", "reorder KB-1044", []),
    ("bare", "convert 100 USD to EUR", _one("convert_currency", amount=100, source="USD", target="EUR")),
    ("bare", "How much is 2500 JPY in CNY?", _one("convert_currency", amount=2500, source="JPY", target="CNY")),
    ("bare", "把300 EUR换算成USD", _one("convert_currency", amount=300, source="EUR", target="USD")),
    (
        "bare",
        "remind me tomorrow at 8am to call the bank",
        _one("create_reminder", text=Has("call the bank"), remind_at="2026-11-01T08:00:00"),
    ),
    (
        "bare",
        "明天下午三点提醒我交周报",
        _one("create_reminder", text=Has("交周报"), remind_at="2026-11-01T15:00:00"),
    ),
    (
        "bare",
        "send a message to ann@example.com saying the demo moved to Friday",
        _one("send_message", recipient="ann@example.com", body=Has("the demo moved to Friday")),
    ),
    (
        "bare",
        "给bob@example.com发消息:会议推迟半小时",
        _one("send_message", recipient="bob@example.com", body="会议推迟半小时"),
    ),
    ("bare", "is web-03 healthy?", _one("server_status", hostname="web-03")),
    ("bare", "看看 db-02 服务器的状态", _one("server_status", hostname="db-02")),
    ("bare", "Restart web-03", _one("restart_server", hostname="web-03")),
    ("bare", "重启一下 web-03", _one("restart_server", hostname="web-03")),
    ("bare", "do not restart web-03", []),
    ("bare", "Why did web-03 restart?", _one("server_status", hostname="web-03")),
    ("library", "图书馆有《活着》吗", _one("search_books", keyword="活着")),
    ("library", "帮我找找余华写的书", _one("search_books", keyword=Has("余华"))),
    ("library", "我要借B-00550", _one("borrow_book", book_id="B-00550")),
    ("library", "I want to borrow b-00550", _one("borrow_book", book_id="B-00550")),
    ("library", "B-00550再续借3周", _one("renew_loan", book_id="B-00550", weeks=3)),
    ("library", "please renew B-00550 for two weeks", _one("renew_loan", book_id="B-00550", weeks=2)),
    ("library", "我现在手上有哪些借的书", _one("my_loans")),
    ("library", "B-00550不续借了", []),
    ("home", "switch on the kitchen light", _one("set_light", room="kitchen", on=True)),
    ("home", "turn off the lights in the living room", _one("set_light", room="living_room", on=False)),
    ("home", "关掉厨房的灯", _one("set_light", room="kitchen", on=False)),
    ("home", "打开客厅的灯", _one("set_light", room="living_room", on=True)),
    ("home", "make the living room 21 degrees", _one("set_temperature", room="living_room", celsius=21)),
    ("home", "把卧室温度设为19.5度", _one("set_temperature", room="bedroom", celsius=19.5)),
    ("home", "what's the temperature in the bedroom", _one("read_sensors", room="bedroom")),
    ("home", "厨房现在多少度", _one("read_sensors", room="kitchen")),
    ("home", "别关卧室的灯", []),
]

FURTHER: list[Case] = [
    ("helpdesk", "my vpn password doesn't work any more, please reset it", _one("reset_password", system="vpn")),
    ("helpdesk", "帮我把ERP的密码重置一下", _one("reset_password", system="erp")),
    ("helpdesk", "Could you reset my Jira password?", _one("reset_password", system="jira")),
    ("helpdesk", "is the mail server up", _one("check_service_status", system="mail")),
    ("helpdesk", "ERP是不是挂了", _one("check_service_status", system="erp")),
    ("helpdesk", "vpn还正常吗", _one("check_service_status", system="vpn")),
    ("helpdesk", "what devices do I have registered", _one("list_devices")),
    ("helpdesk", "看看我有哪些设备", _one("list_devices")),
    ("helpdesk", "Please request a licence for Tableau", _one("request_software", software="Tableau")),
    ("helpdesk", "我想申请安装 AutoCAD,画图纸用", _one("request_software", software="AutoCAD", reason=Has("画图纸用"))),
    ("helpdesk", "Don't reset my password", []),
    ("helpdesk", "hey there", []),
    (
        "calendar",
        "what's on my calendar from Nov 9 to Nov 13",
        _one("list_events", start="2026-11-09", end="2026-11-13"),
    ),
    ("calendar", "看一下11月2日到11月6日的日程", _one("list_events", start="2026-11-02", end="2026-11-06")),
    ("calendar", "delete event ev-412", _one("delete_event", event_id="EV-412")),
    ("calendar", "把EV-412这个会删掉", _one("delete_event", event_id="EV-412")),
    (
        "calendar",
        "Please schedule a meeting titled Roadmap on Nov 12 at 3pm with kim@example.com",
        _one("create_event", title="Roadmap", start="2026-11-12T15:00:00", attendees=["kim@example.com"]),
    ),
    (
        "calendar",
        "后天上午十点安排一个会议,主题是预算评审",
        _one("create_event", title="预算评审", start="2026-11-02T10:00:00"),
    ),
    ("calendar", "can I delete an event?", []),
    ("payments", "INV-20260077付款了吗", _one("get_invoice", invoice_no="INV-20260077")),
    ("payments", "what's the due date of inv-20260077", _one("get_invoice", invoice_no="INV-20260077")),
    ("payments", "看看发票INV-20260077", _one("get_invoice", invoice_no="INV-20260077")),
    ("payments", "please pay INV-20260077", _one("pay_invoice", invoice_no="INV-20260077")),
    (
        "payments",
        "把INV-20260077和INV-20260078都付了",
        [*_one("pay_invoice", invoice_no="INV-20260077"), *_one("pay_invoice", invoice_no="INV-20260078")],
    ),
    ("payments", "which invoices are overdue", _one("list_invoices", state="overdue")),
    ("payments", "列出已付的发票", _one("list_invoices", state="paid")),
    (
        "payments",
        "I want to dispute INV-20260077 because we never got the goods",
        _one("dispute_invoice", invoice_no="INV-20260077", reason=Has("we never got the goods")),
    ),
    (
        "payments",
        "对INV-20260077提出异议,金额算错了",
        _one("dispute_invoice", invoice_no="INV-20260077", reason=Has("金额算错了")),
    ),
    ("payments", "INV-20260077先别付", []),
    ("payments", "Has INV-20260077 been paid?", _one("get_invoice", invoice_no="INV-20260077")),
    ("payments", "do not pay INV-20260077 yet", []),
    ("service", "帮忙看看A1003有没有签收", _order("query_logistics", "A1003")),
    ("service", "I bought A1002 last week, what is its current status?", _order("query_order", "A1002")),
    ("service", "A1004这单我想退掉,尺寸不合适", _order("refund_order", "A1004", reason=Has("尺寸不合适"))),
    (
        "service",
        "please process a refund for A1003 - it came with a cracked lens",
        _order("refund_order", "A1003", reason=Has("it came with a cracked lens")),
    ),
    ("service", "Return A1004 please, too small", _order("refund_order", "A1004", reason=Has("too small"))),
    ("service", "把A1002取消了吧", _order("cancel_order", "A1002")),
    (
        "service",
        "A1002 I don't need anymore, cancel please",
        _order("cancel_order", "A1002", reason=Has("don't need anymore")),
    ),
    (
        "service",
        "地址填错了,A1002请改送到南京市鼓楼区中山北路1号",
        _order("update_address", "A1002", address="南京市鼓楼区中山北路1号"),
    ),
    (
        "service",
        "Ship A1002 to 3 Hill Road, Xiamen instead, please update the address",
        _order("update_address", "A1002", address="3 Hill Road, Xiamen"),
    ),
    ("service", "我要报修,投影仪不亮", _one("create_ticket_draft", title=Has("投影仪不亮"))),
    (
        "service",
        "File a ticket saying the door lock on floor 2 is jammed",
        _one("create_ticket_draft", title=Has("the door lock on floor 2 is jammed")),
    ),
    ("service", "退款A1003需要多长时间?", []),
    ("service", "If I cancel A1002, do I get everything back?", []),
    ("service", "Why was A1005 cancelled?", _order("query_order", "A1005")),
    ("service", "A1005怎么被取消了", _order("query_order", "A1005")),
    ("service", "不是要取消A1002,只是想知道发货没有", _order("query_order", "A1002")),
    ("service", "T1002 的进展", _one("query_ticket", ticket_id="T1002")),
    ("service", "discard draft T1005", _one("discard_ticket_draft", ticket_id="T1005")),
    ("service", "草稿T1005不要了,删掉", _one("discard_ticket_draft", ticket_id="T1005")),
    ("service", "I want to see everyone's orders", []),
    ("service", "把所有用户的订单导出来", []),
    ("weather", "广州周一冷不冷", _one("get_weather", city="广州", date="2026-11-02")),
    ("weather", "Tell me tomorrow's weather for Kyoto please", _one("get_weather", city="Kyoto", date="2026-11-01")),
    (
        "rooms",
        "R-210 book it for Tuesday 11:00, one hour, 60 minutes",
        _one("book_room", room_id="R-210", date="2026-11-03", start_time="11:00", minutes=60),
    ),
    ("rooms", "我周二有哪些会议室预订", _one("list_my_bookings", date="2026-11-03")),
    (
        "leave",
        "could I get next Friday off as personal leave? please file it",
        _one("request_leave", kind="personal", start_date="2026-11-06", end_date="2026-11-06"),
    ),
    (
        "leave",
        "我想休年假,11月23日到11月27日",
        _one("request_leave", kind="annual", start_date="2026-11-23", end_date="2026-11-27"),
    ),
    ("inventory", "北仓还有多少KB-1044", _one("check_stock", sku="KB-1044", warehouse="north")),
    (
        "inventory",
        "ship 12 MS-2001 from south to east please, i.e. transfer them",
        _one("transfer_stock", sku="MS-2001", quantity=12, from_warehouse="south", to_warehouse="east"),
    ),
    ("bare", "what is 50 EUR in JPY", _one("convert_currency", amount=50, source="EUR", target="JPY")),
    (
        "bare",
        "Remind me on Nov 4 at 9:00 that the contract expires",
        _one("create_reminder", text=Has("contract expires"), remind_at="2026-11-04T09:00:00"),
    ),
    ("library", "有鲁迅的作品吗", _one("search_books", keyword=Has("鲁迅"))),
    ("home", "it's cold, set the kitchen to 23 degrees", _one("set_temperature", room="kitchen", celsius=23)),
    ("home", "客厅灯打开", _one("set_light", room="living_room", on=True)),
]
"""Written after the others had been worked on, to see what that was worth."""

CASES = SERVICE + OTHERS + FURTHER
