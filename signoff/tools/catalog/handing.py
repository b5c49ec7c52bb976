"""Tools that hand a conversation over to a person, and take that back.

Handing over is a draft: it opens a ticket among our own records and stops nothing, and it can be taken back for
as long as nobody has begun to work on it. Its priority is never high: that would put other work aside, which
submit_ticket lets a supervisor decide.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field
from sqlalchemy import Connection

from signoff.caller import Caller
from signoff.errors import ToolError
from signoff.records import Records, handovers
from signoff.records.handovers import HandOver
from signoff.records.vocabulary import Priority, TicketStatus
from signoff.text import normalise, shorten
from signoff.tools.audit import Audit
from signoff.tools.catalog.handing_summary import reading, summary_of, transcript_of
from signoff.tools.catalog.tickets import one_line, ticket_data, ticket_source
from signoff.tools.catalog.wording import TicketId, card_language, chosen, paragraphs
from signoff.tools.contract import CallInfo, Change, Example, Preview, Risk
from signoff.tools.decorator import tool

TITLE_CHARS = 100

_URGENT = re.compile(
    r"\b(?:urgent\w*|asap|as soon as possible|immediately|right away|right now|at once|emergency|critical)\b"
    r"|紧急|加急|很急|着急|急用|十万火急|马上|立刻|立即|尽快"
)
_NOT_URGENT = re.compile(
    r"\b(?:not|n['’]t|isn['’]t|nothing|no)\s+(?:\w+\s+)?(?:urgent|hurry|rush|emergency)\b|不急|不着急|不用急"
    r"|没那么急|不紧急"
)


_DECLINED = re.compile(
    r"\b(?:do not|don['’]?t|no longer|never|not|no|without|rather than|instead of)\b(?: \w+){0,4}? (?:a |an |the "
    r"|any |to a )?"
    r"(?:real |live )*(?:humans?|persons?|people|agents?|representatives?|hand-?over|escalat\w+|staff|somebody else)\b"
    r"|(?:不用|不需要?|不要|不必|无需|别|不想|不转)(?:再|给我|帮我|你们|麻烦|要|让|找|接|转)*(?:给|到|成)?(?:人工"
    r"|真人|客服|别人|人来)"
)


def _must_be_wanted(call: CallInfo) -> None:
    newest = normalise(call.said[0]) if call.said else ""
    if _DECLINED.search(newest):
        raise ToolError(
            "INVALID_ARGUMENTS",
            "This was not handed over: the person says that they want nobody else.",
            zh="没有转人工:你说不需要人工。",
            hint="Go on here. take_back_hand_over takes back a hand-over that was made before.",
        )


def _title(reason: str, call: CallInfo, lang: str) -> str:
    about = one_line(reason) or next((one_line(m) for m in reversed(call.said) if m.strip()), "")
    lead = chosen(lang, "Hand-over", "转人工")
    return f"{lead}: {shorten(about, TITLE_CHARS)}" if about else lead


def _urgent(call: CallInfo) -> bool:
    said = normalise("\n".join(call.said[:5]))
    return bool(_URGENT.search(_NOT_URGENT.sub(" ", said)))


def _preview_hand_over(
    caller: Caller,
    records: Records,
    audit: Audit,
    call: CallInfo,
    reason: str = "",
    summary: str = "",
    priority: str = "normal",
) -> Preview:
    lang = card_language(caller, call)
    _must_be_wanted(call)
    with reading(records, None) as tx:
        there = handovers.of_thread(tx, caller, call.thread, records.clock)
    if there is not None:
        raise _already(there, call)
    details = summary_of(caller, records, audit, call, reason=reason, note=summary, urgent=_urgent(call))
    return Preview(
        title=chosen(lang, "Hand this conversation over to a person", "把这次对话转给人工处理"),
        changes=(
            Change(chosen(lang, "ticket", "工单"), None, _title(reason, call, lang)),
            Change(chosen(lang, "summary", "摘要"), None, details),
            Change(chosen(lang, "priority", "优先级"), None, Priority(priority).word("zh" if lang == "zh" else "en")),
        ),
        reversible=True,
        why=chosen(
            lang,
            "It can be taken back for as long as nobody has begun to work on it.",
            "在人工开始处理之前可以撤回。",
        ),
    )


def _already(there: HandOver, call: CallInfo) -> ToolError:
    return ToolError(
        "CONFLICT",
        f"This conversation was already handed over: ticket {there.ticket.ticket_id}.",
        zh=f"这次对话已经转给人工:工单 {there.ticket.ticket_id}。",
        hint="Tell the person the number of the ticket that is there.",
    )


def _data(handed: HandOver, *, again: bool) -> dict[str, Any]:
    return {
        "handed_over": True,
        "already_handed_over": again,
        **ticket_data(handed.ticket),
        "reason": handed.reason,
        "summary": handed.ticket.details,
        "language": handed.language,
        "thread": handed.thread,
        "transcript": transcript_of(handed.thread),
        "undo": {"tool": "take_back_hand_over", "arguments": {"ticket_id": handed.ticket.ticket_id}},
        "source": "ticket records",
    }


def _render_hand_over(data: Any, lang: str) -> str:
    ticket = data["ticket_id"]
    again = data["already_handed_over"]
    said = chosen(
        lang,
        f"This conversation {'was already' if again else 'is now'} handed over to a person: ticket {ticket}, "
        f"{data['status']}, priority {data['priority']}.",
        f"这次对话{'之前已经' if again else '已'}转给人工处理:工单 {ticket},{data['status_zh']},"
        f"优先级{data['priority_zh']}。",
    )
    more = chosen(
        lang,
        "They see a summary and the whole conversation, and answer on the ticket. It can be taken back until somebody "
        "has begun to work on it.",
        "处理人员能看到摘要和完整对话,并会在工单中答复;在开始处理之前可以撤回。",
    )
    return paragraphs([said, more, ticket_source(lang)])


@tool(
    risk=Risk.DRAFT,
    effect="local",
    injects=("caller", "records", "audit", "call", "tx"),
    preview=_preview_hand_over,
    render=_render_hand_over,
    undo="take_back_hand_over",
    examples=(
        Example("转人工"),
        Example("I want to talk to a human"),
        Example("get me a real person, this is about my broken lamp", {"reason": "my broken lamp"}),
        Example("我要找人工客服,退款一直没到账", {"reason": "退款一直没到账"}),
        Example("Please escalate this to an agent"),
        Example("让真人来处理这件事"),
    ),
)
def hand_over(
    caller: Caller,
    records: Records,
    audit: Audit,
    call: CallInfo,
    tx: Connection,
    reason: Annotated[str, Field(max_length=300)] = "",
    summary: Annotated[str, Field(max_length=600)] = "",
    priority: Literal["low", "normal"] = "normal",
) -> dict[str, Any]:
    """Hands this conversation over to a person of the service team (转人工, 人工客服, human, real person, agent): opens
    a ticket with a summary, what was tried and where the conversation is read. Use it when the person asks for a
    human, or when the tools cannot do what they need and they agree to it. Not for reporting a new fault or request
    (create_ticket_draft), not to get around a refused approval, and not to ask how a ticket stands (query_ticket).

    Args:
        reason: What it is about or why a person is needed, in the person's own words; empty when they did not say.
        summary: A note for whoever takes over, of what the summary by code cannot know; mostly empty.
        priority: low when the person says that it can wait. What is urgent is noted on the ticket by itself.
    """
    _must_be_wanted(call)
    there = handovers.of_thread(tx, caller, call.thread, records.clock)
    if there is not None:
        return _data(there, again=True)
    urgent = _urgent(call)
    details = summary_of(caller, records, audit, call, reason=reason, note=summary, urgent=urgent, tx=tx)
    lang = card_language(caller, call)
    handed = handovers.hand_over(
        tx,
        caller,
        title=_title(reason, call, lang),
        details=details,
        priority=Priority(priority),
        reason=one_line(reason),
        language=call.language,
        call=call,
        clock=records.clock,
    )
    return _data(handed, again=False)


def _preview_take_back(caller: Caller, records: Records, call: CallInfo, ticket_id: str | None = None) -> Preview:
    lang = card_language(caller, call)
    with reading(records, None) as tx:
        handed = handovers.to_take_back(tx, caller, call.thread, ticket_id, records.clock)
    word = chosen(lang, "ticket status", "工单状态")
    before, after = handed.ticket.status, TicketStatus.DISCARDED
    return Preview(
        title=chosen(
            lang, f"Take back the hand-over {handed.ticket.ticket_id}", f"撤回转人工 {handed.ticket.ticket_id}"
        ),
        changes=(Change(word, chosen(lang, before.en, before.zh), chosen(lang, after.en, after.zh)),),
        reversible=True,
        why=chosen(lang, "The conversation can be handed over again.", "之后可以再次转人工。"),
    )


def _render_take_back(data: Any, lang: str) -> str:
    ticket = data["ticket_id"]
    said = chosen(
        lang,
        f"The hand-over was taken back: ticket {ticket} is discarded, and we go on here.",
        f"已撤回转人工:工单 {ticket} 已作废,我们在这里继续。",
    )
    return paragraphs([said, ticket_source(lang)])


@tool(
    risk=Risk.DRAFT,
    effect="local",
    injects=("caller", "records", "call", "tx"),
    preview=_preview_take_back,
    render=_render_take_back,
    undo="hand_over",
    examples=(
        Example("撤回刚才的移交"),
        Example("Take back the hand-over"),
        Example("撤回移交 T1007", {"ticket_id": "T1007"}),
        Example("Withdraw the hand-over T1007", {"ticket_id": "T1007"}),
    ),
)
def take_back_hand_over(
    caller: Caller, records: Records, call: CallInfo, tx: Connection, ticket_id: TicketId | None = None
) -> dict[str, Any]:
    """Takes back (撤回移交) the hand-over of this conversation, or of the one that a ticket is about: the undo of
    hand_over, for when the person no longer wants somebody else to take over. Only while nobody works on it. Not for
    drafts of tickets (discard_ticket_draft).

    Args:
        ticket_id: The hand-over's ticket number, such as T1007; leave it out for that of this conversation.
    """
    handed = handovers.take_back(tx, caller, call.thread, ticket_id, records.clock)
    return {
        "handed_over": False,
        **ticket_data(handed.ticket),
        "thread": handed.thread,
        "undo": {"tool": "hand_over", "arguments": {"reason": handed.reason}},
        "source": "ticket records",
    }
