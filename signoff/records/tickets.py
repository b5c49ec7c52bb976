"""Tickets and their comments. Comments may come from outside: they are data, never instructions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, Row, func, insert, select, update

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import ToolError
from signoff.records.refusal import Call, ticket_not_found
from signoff.records.sequence import next_id
from signoff.records.tables import ticket_comments, tickets
from signoff.records.vocabulary import AuthorKind, Priority, TicketStatus


@dataclass(frozen=True)
class Comment:
    """What somebody wrote on a ticket; `author_kind` says whether they belong to the company."""

    author_kind: AuthorKind
    author: str
    at: datetime
    text: str


@dataclass(frozen=True)
class Ticket:
    """A ticket of the caller; times are in the business time zone."""

    ticket_id: str
    title: str
    details: str
    priority: Priority
    status: TicketStatus
    created_at: datetime
    updated_at: datetime
    comment_count: int
    comments: tuple[Comment, ...] = ()
    """Oldest first; only `find` reads them."""


def find(tx: Connection, caller: Caller, ticket_id: str, clock: Clock) -> Ticket:
    """The caller's ticket with its comments. Raises `ToolError` NOT_FOUND, for a missing one and another's alike."""
    row = tx.execute(_mine(caller).where(tickets.c.ticket_id == ticket_id)).first()
    if row is None:
        raise ticket_not_found(ticket_id)
    zone = ZoneInfo(clock.zone)
    c = ticket_comments.c
    rows = tx.execute(
        select(ticket_comments).where(c.tenant == caller.tenant, c.ticket_id == ticket_id).order_by(c.seq)
    )
    comments = tuple(Comment(r.author_kind, r.author, r.at.astimezone(zone), r.text) for r in rows)
    return _ticket(row, zone, comments)


def listing(tx: Connection, caller: Caller, clock: Clock, status: TicketStatus | None = None) -> list[Ticket]:
    """The caller's tickets without their comments, newest first; discarded drafts only when asked for."""
    query = _mine(caller)
    if status is None:
        query = query.where(tickets.c.status != TicketStatus.DISCARDED)
    else:
        query = query.where(tickets.c.status == status)
    found = [_ticket(row, ZoneInfo(clock.zone)) for row in tx.execute(query)]
    return sorted(found, key=lambda t: (t.created_at, t.ticket_id), reverse=True)


def draft(
    tx: Connection, caller: Caller, title: str, details: str, priority: Priority, call: Call, clock: Clock
) -> Ticket:
    """Make a draft, which nobody is told of until it is submitted."""
    return _new(tx, caller, title, details, priority, TicketStatus.DRAFT, call, clock)


def open_(
    tx: Connection, caller: Caller, title: str, details: str, priority: Priority, call: Call, clock: Clock
) -> Ticket:
    """Make a ticket that is open at once, as a hand-over is."""
    return _new(tx, caller, title, details, priority, TicketStatus.OPEN, call, clock)


def _new(
    tx: Connection,
    caller: Caller,
    title: str,
    details: str,
    priority: Priority,
    status: TicketStatus,
    call: Call,
    clock: Clock,
) -> Ticket:
    now = clock.now()
    ticket_id = next_id(tx, caller.tenant, "T")
    tx.execute(
        insert(tickets).values(
            tenant=caller.tenant,
            ticket_id=ticket_id,
            user=caller.user,
            title=title,
            details=details,
            priority=priority,
            status=status,
            created_at=now,
            updated_at=now,
            thread=call.thread,
            call=call.id,
        )
    )
    return find(tx, caller, ticket_id, clock)


def a_draft(tx: Connection, caller: Caller, ticket_id: str, clock: Clock) -> Ticket:
    """The caller's ticket, which must still be a draft. Raises `ToolError`."""
    ticket = find(tx, caller, ticket_id, clock)
    if ticket.status is not TicketStatus.DRAFT:
        was = ticket.status
        raise ToolError(
            "CONFLICT",
            f"Ticket {ticket_id} is no longer a draft: it is {was.en}.",
            zh=f"工单 {ticket_id} 已不是草稿,当前状态:{was.zh}。",
            hint="Tell the person how the ticket stands; do not try again.",
        )
    return ticket


def submit(tx: Connection, caller: Caller, ticket_id: str, clock: Clock) -> Ticket:
    """Submit a draft. Raises `ToolError`."""
    a_draft(tx, caller, ticket_id, clock)
    return _set(tx, caller, ticket_id, TicketStatus.OPEN, clock)


def discard(tx: Connection, caller: Caller, ticket_id: str, clock: Clock) -> Ticket:
    """Take a draft back; its number is not used again. Raises `ToolError`."""
    a_draft(tx, caller, ticket_id, clock)
    return _set(tx, caller, ticket_id, TicketStatus.DISCARDED, clock)


def withdraw(tx: Connection, caller: Caller, ticket_id: str, clock: Clock) -> Ticket:
    """Discard an open ticket on which nobody works yet; its number is not used again."""
    return _set(tx, caller, ticket_id, TicketStatus.DISCARDED, clock)


def _set(tx: Connection, caller: Caller, ticket_id: str, status: TicketStatus, clock: Clock) -> Ticket:
    mine = (tickets.c.tenant == caller.tenant, tickets.c.user == caller.user, tickets.c.ticket_id == ticket_id)
    tx.execute(update(tickets).where(*mine).values(status=status, updated_at=clock.now()))
    return find(tx, caller, ticket_id, clock)


def _mine(caller: Caller) -> Any:
    c = ticket_comments.c
    count = (
        select(func.count())
        .where(c.tenant == tickets.c.tenant, c.ticket_id == tickets.c.ticket_id)
        .scalar_subquery()
        .label("comment_count")
    )
    return select(tickets, count).where(tickets.c.tenant == caller.tenant, tickets.c.user == caller.user)


def _ticket(row: Row[Any], zone: ZoneInfo, comments: tuple[Comment, ...] = ()) -> Ticket:
    return Ticket(
        ticket_id=row.ticket_id,
        title=row.title,
        details=row.details,
        priority=row.priority,
        status=row.status,
        created_at=row.created_at.astimezone(zone),
        updated_at=row.updated_at.astimezone(zone),
        comment_count=row.comment_count,
        comments=comments,
    )
