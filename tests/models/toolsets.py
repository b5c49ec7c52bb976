"""Invented tools, beside the service desk's own: what the rehearsal model is tried on without knowing them."""

from __future__ import annotations

from typing import Any


def _function(
    name: str, description: str, properties: dict[str, Any], required: list[str] | None = None
) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def _text(description: str = "", **more: Any) -> dict[str, Any]:
    return {"type": "string", **({"description": description} if description else {}), **more}


def _optional(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}], "default": None}


WEATHER = [
    _function(
        "get_weather",
        "Weather forecast for a city on a day.\n"
        'Example: "What is the weather in Berlin tomorrow?" -> {"city": "Berlin", "date": "2026-11-01"}\n'
        'Example: "上海今天天气怎么样" -> {"city": "上海", "date": "2026-10-31"}\n'
        'Example: "Will it rain in Oslo?" -> {"city": "Oslo"}',
        {"city": _text("The city."), "date": _text("The day, YYYY-MM-DD; today when left out.")},
        ["city"],
    ),
    _function(
        "get_air_quality",
        "Air quality index of a city now.\n"
        'Example: "How clean is the air in Delhi?" -> {"city": "Delhi"}\n'
        'Example: "北京空气质量如何" -> {"city": "北京"}',
        {"city": _text("The city.")},
    ),
]

ROOMS = [
    _function(
        "find_free_rooms",
        "Finds meeting rooms that are free at a time.\n"
        'Example: "Which rooms are free on 2026-11-03 at 14:00?" -> {"date": "2026-11-03", "start_time": "14:00"}\n'
        'Example: "明天下午两点有空的会议室吗" -> {"date": "2026-11-01", "start_time": "14:00"}',
        {
            "date": _text("The day, YYYY-MM-DD."),
            "start_time": _text("The time it starts, HH:MM."),
            "people": _optional({"type": "integer", "minimum": 1, "description": "How many people must fit."}),
        },
        ["date", "start_time"],
    ),
    _function(
        "book_room",
        "Books a meeting room for the person asking.\n"
        'Example: "Book room R-201 on 2026-11-03 at 14:00 for 60 minutes" -> '
        '{"room_id": "R-201", "date": "2026-11-03", "start_time": "14:00", "minutes": 60}\n'
        'Example: "预订会议室 R-305,后天上午十点,30 分钟" -> '
        '{"room_id": "R-305", "date": "2026-11-02", "start_time": "10:00", "minutes": 30}',
        {
            "room_id": _text("The room's number.", pattern=r"^R-\d{3}$"),
            "date": _text("The day, YYYY-MM-DD."),
            "start_time": _text("The time it starts, HH:MM."),
            "minutes": {"type": "integer", "minimum": 15, "maximum": 480, "description": "Length in minutes."},
        },
    ),
    _function(
        "cancel_booking",
        "Cancels a room booking of the person asking.\n"
        'Example: "Cancel my booking BK10023" -> {"booking_id": "BK10023"}\n'
        'Example: "取消预订 BK10023" -> {"booking_id": "BK10023"}',
        {"booking_id": _text("The booking's number.", pattern=r"^BK\d{5}$")},
    ),
    _function(
        "list_my_bookings",
        "Lists the room bookings of the person asking.\n"
        'Example: "Which rooms have I booked?" -> {}\n'
        'Example: "我订了哪些会议室" -> {}',
        {"date": _text("Only this day, YYYY-MM-DD.")},
        [],
    ),
]

LEAVE = [
    _function(
        "get_leave_balance",
        "Shows how many days of leave the person asking has left.\n"
        'Example: "How many vacation days do I have left?" -> {"kind": "annual"}\n'
        'Example: "我还剩几天年假" -> {"kind": "annual"}\n'
        'Example: "我的病假还有多少" -> {"kind": "sick"}',
        {
            "kind": _text(
                "Kind of leave: annual (年假), sick (病假), personal (事假).", enum=["annual", "sick", "personal"]
            )
        },
        [],
    ),
    _function(
        "request_leave",
        "Files a leave request for the person asking; the manager approves it.\n"
        'Example: "I want to take annual leave from 2026-11-09 to 2026-11-11" -> '
        '{"kind": "annual", "start_date": "2026-11-09", "end_date": "2026-11-11"}\n'
        'Example: "我明天要请一天病假,感冒了" -> '
        '{"kind": "sick", "start_date": "2026-11-01", "end_date": "2026-11-01", "reason": "感冒了"}',
        {
            "kind": _text(
                "Kind of leave: annual (年假), sick (病假), personal (事假).", enum=["annual", "sick", "personal"]
            ),
            "start_date": _text("First day, YYYY-MM-DD."),
            "end_date": _text("Last day, YYYY-MM-DD."),
            "reason": _text("Why, in the person's words."),
        },
        ["kind", "start_date", "end_date"],
    ),
    _function(
        "withdraw_leave_request",
        "Withdraws a leave request that is not approved yet.\n"
        'Example: "Withdraw leave request LR-77" -> {"request_id": "LR-77"}\n'
        'Example: "撤回请假申请 LR-77" -> {"request_id": "LR-77"}',
        {"request_id": _text("The request's number.")},
    ),
    _function(
        "list_leave_requests",
        "Lists the leave requests of the person asking.\n"
        'Example: "Show my leave requests" -> {}\n'
        'Example: "我的请假申请批了吗" -> {}',
        {"status": _text("Only with this status.", enum=["pending", "approved", "rejected"])},
        [],
    ),
]

INVENTORY = [
    _function(
        "check_stock",
        "Says how many pieces of an article are in stock.\n"
        'Example: "How many KB-1044 do we have?" -> {"sku": "KB-1044"}\n'
        'Example: "KB-1044 还有多少库存" -> {"sku": "KB-1044"}\n'
        'Example: "Stock of MS-2001 in the north warehouse" -> {"sku": "MS-2001", "warehouse": "north"}',
        {
            "sku": _text("The article's number.", pattern=r"^[A-Z]{2}-\d{4}$"),
            "warehouse": _text("north (北仓), south (南仓) or east (东仓).", enum=["north", "south", "east"]),
        },
        ["sku"],
    ),
    _function(
        "reorder_item",
        "Orders more pieces of an article from the supplier.\n"
        'Example: "Reorder 50 pieces of KB-1044" -> {"sku": "KB-1044", "quantity": 50}\n'
        'Example: "给 KB-1044 补货 50 件" -> {"sku": "KB-1044", "quantity": 50}',
        {
            "sku": _text("The article's number.", pattern=r"^[A-Z]{2}-\d{4}$"),
            "quantity": {"type": "integer", "minimum": 1, "description": "How many pieces."},
        },
    ),
    _function(
        "transfer_stock",
        "Moves pieces of an article from one warehouse to another.\n"
        'Example: "Move 20 KB-1044 from north to south" -> '
        '{"sku": "KB-1044", "quantity": 20, "from_warehouse": "north", "to_warehouse": "south"}\n'
        'Example: "把 20 件 KB-1044 从北仓调到南仓" -> '
        '{"sku": "KB-1044", "quantity": 20, "from_warehouse": "north", "to_warehouse": "south"}',
        {
            "sku": _text("The article's number.", pattern=r"^[A-Z]{2}-\d{4}$"),
            "quantity": {"type": "integer", "minimum": 1, "description": "How many pieces."},
            "from_warehouse": _text("north (北仓), south (南仓) or east (东仓).", enum=["north", "south", "east"]),
            "to_warehouse": _text("north (北仓), south (南仓) or east (东仓).", enum=["north", "south", "east"]),
        },
    ),
    _function(
        "find_products",
        "Searches the catalogue for articles by words.\n"
        'Example: "Do we carry mechanical keyboards?" -> {"keywords": "mechanical keyboards"}\n'
        'Example: "有没有无线鼠标" -> {"keywords": "无线鼠标"}',
        {"keywords": _text("What to look for.")},
    ),
]

BARE = [
    _function(
        "convert_currency",
        "Convert an amount of money from one currency to another at today's exchange rate.",
        {
            "amount": {"type": "number", "description": "The amount."},
            "source": _text("Currency of the amount.", enum=["USD", "EUR", "CNY", "JPY"]),
            "target": _text("Currency wanted.", enum=["USD", "EUR", "CNY", "JPY"]),
        },
    ),
    _function(
        "create_reminder",
        "Create a reminder for the user.",
        {"text": _text("What to remind of."), "remind_at": _text("When.", format="date-time")},
    ),
    _function(
        "send_message",
        "Send a chat message to a colleague.",
        {"recipient": _text("Email address of the colleague.", format="email"), "body": _text("The message text.")},
    ),
    _function(
        "restart_server",
        "Restart a server.",
        {"hostname": _text("Host name of the server, such as web-01."), "force": {"type": "boolean", "default": False}},
        ["hostname"],
    ),
    _function(
        "server_status", "Show the health of a server.", {"hostname": _text("Host name of the server, such as web-01.")}
    ),
]

LIBRARY = [
    _function(
        "search_books",
        "按书名或作者检索图书。\n"
        'Example: "有没有三体这本书" -> {"keyword": "三体"}\nExample: "找一下鲁迅的书" -> {"keyword": "鲁迅"}',
        {"keyword": _text("书名或作者")},
    ),
    _function(
        "borrow_book",
        "借阅一本图书。\n"
        'Example: "我想借 B-00321" -> {"book_id": "B-00321"}\n'
        'Example: "Borrow book B-00321" -> {"book_id": "B-00321"}',
        {"book_id": _text("图书编号")},
    ),
    _function(
        "renew_loan",
        '续借一本已借的图书。\nExample: "B-00321 续借两周" -> {"book_id": "B-00321", "weeks": 2}',
        {
            "book_id": _text("图书编号"),
            "weeks": {"type": "integer", "minimum": 1, "maximum": 4, "description": "续借几周"},
        },
        ["book_id"],
    ),
    _function(
        "my_loans",
        '查看我当前借了哪些书。\nExample: "我借了哪些书" -> {}\nExample: "What have I borrowed?" -> {}',
        {},
        [],
    ),
]

HOME = [
    _function(
        "set_light",
        "Turn the light of a room on or off.\n"
        'Example: "Turn on the light in the kitchen" -> {"room": "kitchen", "on": true}\n'
        'Example: "把卧室的灯关了" -> {"room": "bedroom", "on": false}',
        {
            "room": _text(
                "kitchen (厨房), bedroom (卧室) or living_room (客厅).", enum=["kitchen", "bedroom", "living_room"]
            ),
            "on": {"type": "boolean", "description": "true turns it on."},
        },
    ),
    _function(
        "set_temperature",
        "Set the heating of a room.\n"
        'Example: "Set the bedroom to 20 degrees" -> {"room": "bedroom", "celsius": 20}\n'
        'Example: "客厅调到 22 度" -> {"room": "living_room", "celsius": 22}',
        {
            "room": _text(
                "kitchen (厨房), bedroom (卧室) or living_room (客厅).", enum=["kitchen", "bedroom", "living_room"]
            ),
            "celsius": {"type": "number", "minimum": 5, "maximum": 30, "description": "Degrees Celsius."},
        },
    ),
    _function(
        "read_sensors",
        "Shows temperature and humidity of a room.\n"
        'Example: "How warm is it in the kitchen?" -> {"room": "kitchen"}\n'
        'Example: "客厅现在几度" -> {"room": "living_room"}',
        {
            "room": _text(
                "kitchen (厨房), bedroom (卧室) or living_room (客厅).", enum=["kitchen", "bedroom", "living_room"]
            )
        },
    ),
]

HELPDESK = [
    _function(
        "reset_password",
        "Resets the password of one of the person's own systems and mails a new one.\n"
        'Example: "I forgot my password for Jira" -> {"system": "jira"}\n'
        'Example: "重置我的邮箱密码" -> {"system": "mail"}',
        {"system": _text("jira, mail (邮箱), vpn or erp.", enum=["jira", "mail", "vpn", "erp"])},
    ),
    _function(
        "list_devices",
        "Lists the devices that are registered to the person asking.\n"
        'Example: "Which laptops are registered to me?" -> {}\nExample: "我名下有哪些设备" -> {}',
        {},
        [],
    ),
    _function(
        "request_software",
        "Requests a licence for a piece of software.\n"
        'Example: "I need a licence for Figma, for the new landing page" -> '
        '{"software": "Figma", "reason": "for the new landing page"}\n'
        'Example: "申请安装 Photoshop,做海报用" -> {"software": "Photoshop", "reason": "做海报用"}',
        {"software": _text("Name of the software."), "reason": _text("What it is for.")},
        ["software"],
    ),
    _function(
        "check_service_status",
        "Says whether a system is up.\n"
        'Example: "Is Jira down?" -> {"system": "jira"}\nExample: "VPN 现在能用吗" -> {"system": "vpn"}',
        {"system": _text("jira, mail (邮箱), vpn or erp.", enum=["jira", "mail", "vpn", "erp"])},
    ),
]

CALENDAR = [
    _function(
        "list_events",
        "List calendar events between two days.",
        {"start": _text("First day.", format="date"), "end": _text("Last day.", format="date")},
    ),
    _function(
        "create_event",
        "Create a calendar event and invite people.\n"
        'Example: "Schedule a meeting titled Budget on 2026-11-05 at 10:00 with ann@example.com and '
        'bob@example.com" -> '
        '{"title": "Budget", "start": "2026-11-05T10:00:00", "attendees": ["ann@example.com", "bob@example.com"]}\n'
        'Example: "明天下午三点安排一个会议,主题是周会" -> {"title": "周会", "start": "2026-11-01T15:00:00"}',
        {
            "title": _text("What it is about."),
            "start": _text("When it starts.", format="date-time"),
            "attendees": {
                "type": "array",
                "items": {"type": "string", "format": "email"},
                "description": "Who is invited.",
            },
        },
        ["title", "start"],
    ),
    _function(
        "delete_event",
        'Delete a calendar event.\nExample: "Delete event EV-301" -> {"event_id": "EV-301"}',
        {"event_id": _text("The event's id.")},
    ),
]

PAYMENTS = [
    _function(
        "get_invoice",
        "查询一张发票的金额、状态和到期日。\n"
        'Example: "发票 INV-20260012 付了没有" -> {"invoice_no": "INV-20260012"}\n'
        'Example: "Show invoice INV-20260012" -> {"invoice_no": "INV-20260012"}',
        {"invoice_no": _text("发票编号,形如 INV-20260012")},
    ),
    _function(
        "pay_invoice",
        "支付一张发票。\n"
        'Example: "支付发票 INV-20260012" -> {"invoice_no": "INV-20260012"}\n'
        'Example: "Pay invoice INV-20260012" -> {"invoice_no": "INV-20260012"}',
        {"invoice_no": _text("发票编号,形如 INV-20260012")},
    ),
    _function(
        "list_invoices",
        "列出我的发票,可按状态筛选。\n"
        'Example: "有哪些未付款的发票" -> {"state": "unpaid"}\n'
        'Example: "List my overdue invoices" -> {"state": "overdue"}',
        {"state": _text("unpaid (未付)、paid (已付)、overdue (逾期)", enum=["unpaid", "paid", "overdue"])},
        [],
    ),
    _function(
        "dispute_invoice",
        "对一张发票提出异议。\n"
        'Example: "Dispute invoice INV-20260012, the amount is wrong" -> '
        '{"invoice_no": "INV-20260012", "reason": "the amount is wrong"}\n'
        'Example: "发票 INV-20260012 有问题,提异议,重复收费了" -> '
        '{"invoice_no": "INV-20260012", "reason": "重复收费了"}',
        {"invoice_no": _text("发票编号,形如 INV-20260012"), "reason": _text("异议的理由")},
    ),
]

HR = [
    _function(
        "get_payslip",
        "Shows the payslip of a month.\n"
        'Example: "Show my payslip for 2026-09" -> {"month": "2026-09"}\n'
        'Example: "看看 2026-08 的工资条" -> {"month": "2026-08"}',
        {"month": _text("Month, YYYY-MM.", pattern=r"^\d{4}-\d{2}$")},
    ),
    _function(
        "enroll_course",
        "Enrolls the person in a training course.\n"
        'Example: "Sign me up for course C-204" -> {"course_id": "C-204"}\n'
        'Example: "帮我报名培训课程 C-204" -> {"course_id": "C-204"}',
        {"course_id": _text("The course's number, such as C-204.")},
    ),
    _function(
        "list_courses",
        "Lists training courses, all or of one topic.\n"
        'Example: "Which courses are there on security?" -> {"topic": "security"}\n'
        'Example: "有哪些培训课程" -> {}',
        {"topic": _text("Topic.")},
        [],
    ),
    _function(
        "register_visitor",
        "Registers a visitor for a day.\n"
        'Example: "Register a visitor named Carla Diaz for 2026-11-04" -> '
        '{"name": "Carla Diaz", "date": "2026-11-04"}\n'
        'Example: "登记一位访客,王小明,11月4日来" -> {"name": "王小明", "date": "2026-11-04"}',
        {"name": _text("The visitor's name."), "date": _text("Day, YYYY-MM-DD.")},
    ),
]

OWN = [
    _function(
        "create_invoice",
        'Creates an invoice for a customer.\nExample: "Invoice Acme 1,200 euros for consulting, due 2026-11-15" '
        '-> {"customer": "Acme", "amount": 1200, "currency": "EUR", "due_date": "2026-11-15"}\nExample: "给 '
        'Globex 开一张 500 元的发票" -> {"customer": "Globex", "amount": 500, "currency": "CNY"}',
        {
            "customer": _text("Who is billed."),
            "amount": {"type": "number", "minimum": 0, "description": "The amount."},
            "currency": {
                "type": "string",
                "enum": ["EUR", "USD", "CNY"],
                "description": "EUR (euro, euros, 欧元), USD (dollar, dollars, 美元) or CNY (yuan, 元).",
            },
            "due_date": _optional(_text("The day it is due, YYYY-MM-DD.", format="date")),
            "send_now": {"type": "boolean", "default": False, "description": "Whether it is sent at once."},
        },
        ["customer", "amount", "currency"],
    ),
    _function(
        "list_commits",
        'Lists the newest commits of a repository.\nExample: "Show the last 5 commits of web" -> {"repo": "web", '
        '"limit": 5}\nExample: "api 仓库最近的提交" -> {"repo": "api"}',
        {
            "repo": _text("The repository's name."),
            "author": _optional(_text("Only commits by this person.")),
            "limit": {"type": "integer", "default": 10, "minimum": 1, "maximum": 100, "description": "How many."},
            "since": _optional(_text("From this day on, YYYY-MM-DD.")),
        },
        ["repo"],
    ),
    _function(
        "set_thermostat",
        'Sets the temperature of a room.\nExample: "Set the kitchen to 21 degrees" -> {"room": "kitchen", '
        '"celsius": 21}\nExample: "把客厅调到 24 度" -> {"room": "客厅", "celsius": 24}',
        {
            "room": _text("The room."),
            "celsius": {"type": "number", "minimum": 5, "maximum": 30, "description": "The temperature in degrees."},
        },
    ),
    _function(
        "find_products",
        "Finds products in the shop.",
        {
            "query": _text("What to look for."),
            "max_price": _optional({"type": "number", "description": "Highest price in yuan."}),
            "in_stock": _optional({"type": "boolean", "description": "Only what is in stock."}),
        },
        ["query"],
    ),
    _function(
        "post_message",
        'Posts a message to a channel.\nExample: "Post \'deploy is done\' in #ops" -> {"channel": "#ops", "text": '
        ""
        ""
        '"deploy is done"}\nExample: "在 #general 发一条消息:明天停电" -> {"channel": "#general", "text": '
        '"明天停电"}',
        {"channel": _text("The channel, with #."), "text": _text("What to say.")},
    ),
    _function(
        "create_poll",
        "Creates a poll.",
        {
            "question": _text("What is asked."),
            "options": {"type": "array", "items": {"type": "string"}, "minItems": 2, "description": "The choices."},
        },
    ),
    _function(
        "count_visits",
        "Counts visits of a page between two days.",
        {
            "page": _text("The page, such as /pricing."),
            "start": _text("First day, YYYY-MM-DD."),
            "end": _text("Last day, YYYY-MM-DD."),
            "unique": {"type": "boolean", "default": False, "description": "Count each visitor once."},
        },
        ["page", "start", "end"],
    ),
    _function(
        "convert_currency",
        'Converts an amount of money.\nExample: "How much is 100 dollars in euros?" -> {"amount": 100, "source": '
        '"USD", "target": "EUR"}',
        {
            "amount": {"type": "number"},
            "source": {
                "type": "string",
                "enum": ["EUR", "USD", "CNY", "JPY"],
                "description": "USD (dollars, 美元), EUR (euros, 欧元), CNY (yuan, 人民币), JPY (yen, 日元)",
            },
            "target": {
                "type": "string",
                "enum": ["EUR", "USD", "CNY", "JPY"],
                "description": "USD (dollars, 美元), EUR (euros, 欧元), CNY (yuan, 人民币), JPY (yen, 日元)",
            },
        },
    ),
    _function(
        "assign_task",
        'Assigns a task to somebody.\nExample: "Assign TASK-12 to Maria" -> {"task_id": "TASK-12", "assignee": '
        '"Maria"}\nExample: "把 TASK-7 派给小王" -> {"task_id": "TASK-7", "assignee": "小王"}',
        {
            "task_id": _text("The task's number.", pattern=r"^TASK-\d+$"),
            "assignee": _text("Who does it."),
            "priority": _optional({"type": "string", "enum": ["low", "normal", "high"]}),
            "estimate_hours": _optional({"type": "integer", "minimum": 1, "description": "Expected hours of work."}),
        },
        ["task_id", "assignee"],
    ),
]
"""Tools as people write them for themselves, some with hardly a description."""

TOOLSETS = {
    "weather": WEATHER,
    "rooms": ROOMS,
    "leave": LEAVE,
    "inventory": INVENTORY,
    "bare": BARE,
    "library": LIBRARY,
    "home": HOME,
    "helpdesk": HELPDESK,
    "calendar": CALENDAR,
    "payments": PAYMENTS,
    "hr": HR,
}
WRITES = frozenset(
    "book_room cancel_booking request_leave withdraw_leave_request reorder_item transfer_stock "
    "create_reminder send_message "
    "restart_server borrow_book renew_loan set_light set_temperature refund_order update_address "
    "cancel_order create_ticket_draft "
    "submit_ticket discard_ticket_draft reset_password request_software create_event delete_event pay_invoice "
    "dispute_invoice enroll_course register_visitor".split()
)
"""Tools that change something."""
