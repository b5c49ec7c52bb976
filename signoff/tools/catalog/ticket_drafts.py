"""Tools that draft a ticket, take a draft back, or submit it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field
from sqlalchemy import Connection

from signoff.caller import Caller
from signoff.records import Records
from signoff.records.tickets import Ticket
from signoff.records.vocabulary import Priority, TicketStatus
from signoff.tools.catalog.tickets import one_line, ticket_data, ticket_source
from signoff.tools.catalog.wording import TicketId, card_language, chosen, day, paragraphs
from signoff.tools.contract import CallInfo, Change, Example, Preview, Risk
from signoff.tools.decorator import tool

Title = Annotated[str, Field(min_length=3, max_length=120)]
Details = Annotated[str, Field(max_length=2_000)]
Urgency = Annotated[Literal["low", "normal", "high"], Field(json_schema_extra=Priority.labels())]


def _preview_draft(
    title: str, details: str, priority: str, caller: Caller, records: Records, call: CallInfo
) -> Preview:
    lang = card_language(caller, call)
    return Preview(
        title=chosen(lang, f"Draft a ticket: {one_line(title)}", f"起草工单:{one_line(title)}"),
        changes=(
            Change(chosen(lang, "title", "标题"), None, one_line(title)),
            Change(chosen(lang, "details", "详情"), None, details),
            Change(chosen(lang, "priority", "优先级"), None, Priority(priority).word(lang)),
        ),
        reversible=True,
        why=chosen(lang, "A draft can be discarded.", "草稿可以作废。"),
    )


def _render_draft(data: Any, lang: str) -> str:
    ticket = data["ticket_id"]
    return paragraphs(
        [
            chosen(
                lang,
                f"Ticket {ticket} is a draft: “{data['title']}”, priority {data['priority']}. "
                f"Nobody has been told of it yet: it can be submitted, or discarded again.",
                f"工单 {ticket} 已存为草稿:「{data['title']}」,优先级{data['priority_zh']}。"
                f"目前还没有通知任何人,可以提交,也可以作废。",
            ),
            ticket_source(lang),
        ]
    )


@tool(
    risk=Risk.DRAFT,
    effect="local",
    injects=("caller", "records", "call", "tx"),
    preview=_preview_draft,
    render=_render_draft,
    undo="discard_ticket_draft",
    examples=(
        Example("create a ticket: printer on floor 3 is broken", {"title": "printer on floor 3 is broken"}),
        Example("帮我建个工单:三楼打印机坏了", {"title": "三楼打印机坏了"}),
        Example("报修,会议室投影仪打不开,很急", {"title": "会议室投影仪打不开", "priority": "high"}),
        Example(
            "Please open an urgent ticket, the badge reader at the main door is dead",
            {"title": "the badge reader at the main door is dead", "priority": "high"},
        ),
        Example("我要报障,电脑蓝屏了", {"title": "电脑蓝屏了"}),
        Example(
            "Report an issue with my laptop: the battery swells. No hurry.",
            {"title": "the battery of my laptop swells", "priority": "low"},
        ),
    ),
)
def create_ticket_draft(
    title: Title,
    caller: Caller,
    records: Records,
    call: CallInfo,
    tx: Connection,
    details: Details = "",
    priority: Urgency = "normal",
) -> dict[str, Any]:
    """Drafts (creates, opens, files, logs, raises; 建工单, 提工单) a new ticket for the person asking: a fault, a
    request, a complaint. A draft is made at once, tells
    nobody, and can be discarded. Not for sending a draft to the service team (submit_ticket), and not for
    refunds, cancellations or address changes, which have their own tools.

    Args:
        title: What is wrong or wanted, in one line, in the person's own words.
        details: Everything else the person said about it; empty when there is nothing more.
        priority: high only when the person says that it is urgent, low only when they say that it can wait.
    """
    ticket = records.draft_ticket(tx, caller, one_line(title), details, priority, call)
    return {
        **ticket_data(ticket),
        "details": ticket.details,
        "undo": {"tool": "discard_ticket_draft", "arguments": {"ticket_id": ticket.ticket_id}},
        "next": "submit_ticket sends it to the service team",
        "source": "ticket records",
    }


def _preview_discard(ticket_id: str, caller: Caller, records: Records, call: CallInfo) -> Preview:
    ticket = records.ticket_draft(caller, ticket_id)
    lang = card_language(caller, call)
    return Preview(
        title=chosen(lang, f"Discard the draft {ticket_id}", f"作废草稿 {ticket_id}"),
        changes=(_status_change(ticket, TicketStatus.DISCARDED, lang),),
        reversible=True,
        why=chosen(lang, "It can be drafted again in the same words.", "可以用同样的内容重新起草。"),
        evidence=(chosen(lang, f"Title: {ticket.title}", f"标题:{ticket.title}"),),
    )


def _status_change(ticket: Ticket, after: TicketStatus, lang: str) -> Change:
    word = chosen(lang, "ticket status", "工单状态")
    return Change(word, chosen(lang, ticket.status.en, ticket.status.zh), chosen(lang, after.en, after.zh))


def _render_discard(data: Any, lang: str) -> str:
    ticket, title = data["ticket_id"], data["title"]
    said = chosen(lang, f"The draft {ticket} (“{title}”) was discarded.", f"草稿 {ticket}(「{title}」)已作废。")
    return paragraphs([said, ticket_source(lang)])


@tool(
    risk=Risk.DRAFT,
    effect="local",
    injects=("caller", "records", "call", "tx"),
    preview=_preview_discard,
    render=_render_discard,
    undo="create_ticket_draft",
    examples=(
        Example("作废工单草稿 T1005", {"ticket_id": "T1005"}),
        Example("Discard the draft T1005", {"ticket_id": "T1005"}),
        Example("T1006 不用提交了,把草稿删掉", {"ticket_id": "T1006"}),
        Example("Undo the ticket T1006, throw the draft away", {"ticket_id": "T1006"}),
    ),
)
def discard_ticket_draft(
    ticket_id: TicketId, caller: Caller, records: Records, call: CallInfo, tx: Connection
) -> dict[str, Any]:
    """Takes back one ticket draft of the person asking: the undo of create_ticket_draft. Not for tickets that
    were submitted already: those are worked on by the service team.

    Args:
        ticket_id: The ticket number, such as T1005.
    """
    ticket = records.discard_ticket(tx, caller, ticket_id)
    again = {"title": ticket.title, "details": ticket.details, "priority": ticket.priority.value}
    return {
        **ticket_data(ticket),
        "undo": {"tool": "create_ticket_draft", "arguments": again},
        "source": "ticket records",
    }


def _preview_submit(ticket_id: str, caller: Caller, records: Records, call: CallInfo) -> Preview:
    ticket = records.ticket_draft(caller, ticket_id)
    lang = card_language(caller, call)
    high = ticket.priority is Priority.HIGH
    return Preview(
        title=chosen(
            lang,
            f"Submit ticket {ticket_id} with {ticket.priority.en} priority",
            f"提交工单 {ticket_id}(优先级{ticket.priority.zh})",
        ),
        changes=(_status_change(ticket, TicketStatus.OPEN, lang),),
        reversible=False,
        risk=Risk.CRITICAL if high else None,
        why=chosen(
            lang,
            "The service team is told at once and puts other work aside: a supervisor must approve."
            if high
            else "The service team is told of it; a submitted ticket cannot be taken back.",
            "高优先级工单会立即通知处理人员并打断其他工作,需要申请人以外的主管批准。"
            if high
            else "提交后会通知处理人员,不能撤回。",
        ),
        evidence=tuple(
            line
            for line in (
                chosen(lang, f"Title: {ticket.title}", f"标题:{ticket.title}"),
                chosen(lang, f"Details: {ticket.details}", f"详情:{ticket.details}") if ticket.details else "",
            )
            if line
        ),
    )


def _render_submit(data: Any, lang: str) -> str:
    ticket, title = data["ticket_id"], data["title"]
    said = chosen(
        lang,
        f"Ticket {ticket} (“{title}”) was submitted on {day(data['updated_at'])} with priority {data['priority']}.",
        f"工单 {ticket}(「{title}」)已于 {day(data['updated_at'])} 提交,优先级{data['priority_zh']}。",
    )
    return paragraphs([said, ticket_source(lang)])


@tool(
    risk=Risk.WRITE,
    effect="local",
    injects=("caller", "records", "call", "tx"),
    preview=_preview_submit,
    render=_render_submit,
    examples=(
        Example("提交工单 T1005", {"ticket_id": "T1005"}),
        Example("Submit ticket T1005", {"ticket_id": "T1005"}),
        Example("把草稿 T1006 正式提交给处理人员", {"ticket_id": "T1006"}),
        Example("Send my draft T1006 to the service team", {"ticket_id": "T1006"}),
    ),
)
def submit_ticket(
    ticket_id: TicketId, caller: Caller, records: Records, call: CallInfo, tx: Connection
) -> dict[str, Any]:
    """Submits one ticket draft of the person asking to the service team. Needs the number of a draft: for a new
    problem make the draft first (create_ticket_draft). Not for tickets that were submitted already.

    Args:
        ticket_id: The ticket number, such as T1005.
    """
    return {**ticket_data(records.submit_ticket(tx, caller, ticket_id)), "source": "ticket records"}
