"""Conversations that were handed over to a person, each with its ticket."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, Row, insert, select, update

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import ToolError
from signoff.records import tickets
from signoff.records.refusal import Call
from signoff.records.tables import hand_overs
from signoff.records.tickets import Ticket
from signoff.records.vocabulary import Priority, TicketStatus

_STANDS = frozenset({TicketStatus.OPEN, TicketStatus.IN_PROGRESS})


@dataclass(frozen=True)
class HandOver:
    """A conversation in a person's hands, or one that was."""

    thread: str
    ticket: Ticket
    reason: str
    language: str
    """`zh` or `en`: the conversation's."""
    at: datetime


def of_thread(tx: Connection, caller: Caller, thread: str, clock: Clock) -> HandOver | None:
    """The hand-over of the caller's thread that stands: its ticket is neither resolved nor taken back."""
    for row in tx.execute(_mine(caller).where(hand_overs.c.thread == thread).order_by(hand_overs.c.ticket_id.desc())):
        found = _hand_over(tx, caller, row, clock)
        if found.ticket.status in _STANDS:
            return found
    return None


def hand_over(
    tx: Connection,
    caller: Caller,
    *,
    title: str,
    details: str,
    priority: Priority,
    reason: str,
    language: str,
    call: Call,
    clock: Clock,
) -> HandOver:
    """Open a ticket for the thread of the call; the one that stands when there is one already."""
    there = of_thread(tx, caller, call.thread, clock)
    if there is not None:
        return there
    ticket = tickets.open_(tx, caller, title, details, priority, call, clock)
    tx.execute(
        insert(hand_overs).values(
            tenant=caller.tenant,
            ticket_id=ticket.ticket_id,
            user=caller.user,
            thread=call.thread,
            reason=reason,
            language=language,
            at=ticket.created_at,
        )
    )
    return HandOver(call.thread, ticket, reason, language, ticket.created_at)


def to_take_back(tx: Connection, caller: Caller, thread: str, ticket_id: str | None, clock: Clock) -> HandOver:
    """The hand-over that `take_back` would take back: by its ticket, else that of the thread. Raises `ToolError`."""
    if ticket_id is None:
        found = of_thread(tx, caller, thread, clock)
    else:
        row = tx.execute(_mine(caller).where(hand_overs.c.ticket_id == ticket_id)).first()
        found = _hand_over(tx, caller, row, clock) if row is not None else None
    if found is None:
        what = ticket_id or "this conversation"
        raise ToolError(
            "NOT_FOUND",
            f"There is no hand-over of {what}.",
            zh=f"没有找到{ticket_id or '这次对话'}的转人工记录。",
            hint="Say so; list_my_tickets shows the person's tickets.",
        )
    status = found.ticket.status
    if status is not TicketStatus.OPEN:
        raise ToolError(
            "CONFLICT",
            f"The hand-over {found.ticket.ticket_id} cannot be taken back: it is {status.en}.",
            zh=f"转人工工单 {found.ticket.ticket_id} 不能撤回,当前状态:{status.zh}。",
            hint="Tell the person how the ticket stands; do not try again.",
        )
    return found


def take_back(tx: Connection, caller: Caller, thread: str, ticket_id: str | None, clock: Clock) -> HandOver:
    """Discard the ticket of a hand-over on which nobody works yet. Raises `ToolError`."""
    found = to_take_back(tx, caller, thread, ticket_id, clock)
    ticket = tickets.withdraw(tx, caller, found.ticket.ticket_id, clock)
    c = hand_overs.c
    tx.execute(
        update(hand_overs)
        .where(c.tenant == caller.tenant, c.ticket_id == ticket.ticket_id)
        .values(taken_back_at=ticket.updated_at)
    )
    return HandOver(found.thread, ticket, found.reason, found.language, found.at)


def _mine(caller: Caller) -> Any:
    return select(hand_overs).where(hand_overs.c.tenant == caller.tenant, hand_overs.c.user == caller.user)


def _hand_over(tx: Connection, caller: Caller, row: Row[Any], clock: Clock) -> HandOver:
    ticket = tickets.find(tx, caller, row.ticket_id, clock)
    return HandOver(row.thread, ticket, row.reason, row.language, row.at.astimezone(ZoneInfo(clock.zone)))
