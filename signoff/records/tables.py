"""The business tables in `desk.db`, and the one place where a moment and a word meet their stored form."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    Dialect,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

from signoff.records.vocabulary import (
    AuthorKind,
    ChangeKind,
    OrderStatus,
    PaymentMethod,
    Priority,
    ShipmentStep,
    TicketStatus,
    Word,
)

records_metadata = MetaData()


class Moment(TypeDecorator[datetime]):
    """An aware datetime, stored as ISO 8601 with its offset. Refuses a naive one."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        if value is not None and value.tzinfo is None:
            raise ValueError(f"{value} has no time zone: the records store aware moments only.")
        return None if value is None else value.isoformat(timespec="seconds")

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        return None if value is None else datetime.fromisoformat(value)


class Member(TypeDecorator[Word]):
    """A member of a closed set, stored as its value."""

    impl = String
    cache_ok = True

    def __init__(self, members: type[Word]) -> None:
        super().__init__()
        self.members = members

    def process_bind_param(self, value: Word | str | None, dialect: Dialect) -> str | None:
        return None if value is None else str(self.members(value))

    def process_result_value(self, value: Any, dialect: Dialect) -> Word | None:
        return None if value is None else self.members(value)


people = Table(
    "people",
    records_metadata,
    Column("tenant", String, nullable=False),
    Column("user", String, nullable=False),
    Column("name", String, nullable=False),
    Column("roles", JSON, nullable=False),
    Column("locale", String),
    PrimaryKeyConstraint("tenant", "user"),
)

orders = Table(
    "orders",
    records_metadata,
    Column("tenant", String, nullable=False),
    Column("order_id", String, nullable=False),
    Column("user", String, nullable=False),
    Column("items", JSON, nullable=False),
    Column("amount_cents", Integer, nullable=False),
    Column("status", Member(OrderStatus), nullable=False),
    Column("placed_at", Moment, nullable=False),
    Column("shipped_at", Moment),
    Column("delivered_at", Moment),
    Column("signed_at", Moment),
    Column("cancelled_at", Moment),
    Column("address", Text, nullable=False),
    Column("payment_method", Member(PaymentMethod), nullable=False),
    Column("payment_tail", String(4), nullable=False),
    Column("carrier", String),
    Column("tracking", String),
    PrimaryKeyConstraint("tenant", "order_id"),
    Index("orders_by_user", "tenant", "user"),
)

shipment_events = Table(
    "shipment_events",
    records_metadata,
    Column("tenant", String, nullable=False),
    Column("order_id", String, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("at", Moment, nullable=False),
    Column("step", Member(ShipmentStep), nullable=False),
    Column("place", String, nullable=False),
    PrimaryKeyConstraint("tenant", "order_id", "seq"),
    ForeignKeyConstraint(["tenant", "order_id"], ["orders.tenant", "orders.order_id"]),
)

refunds = Table(
    "refunds",
    records_metadata,
    Column("tenant", String, nullable=False),
    Column("refund_id", String, nullable=False),
    Column("order_id", String, nullable=False),
    Column("user", String, nullable=False),
    Column("amount_cents", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("thread", String),
    Column("call", String),
    Column("at", Moment, nullable=False),
    PrimaryKeyConstraint("tenant", "refund_id"),
    UniqueConstraint("tenant", "order_id", name="one_refund_an_order"),
    ForeignKeyConstraint(["tenant", "order_id"], ["orders.tenant", "orders.order_id"]),
)

order_changes = Table(
    "order_changes",
    records_metadata,
    Column("tenant", String, nullable=False),
    Column("change_id", String, nullable=False),
    Column("order_id", String, nullable=False),
    Column("user", String, nullable=False),
    Column("kind", Member(ChangeKind), nullable=False),
    Column("before", Text, nullable=False),
    Column("after", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("thread", String),
    Column("call", String),
    Column("at", Moment, nullable=False),
    PrimaryKeyConstraint("tenant", "change_id"),
    ForeignKeyConstraint(["tenant", "order_id"], ["orders.tenant", "orders.order_id"]),
)

tickets = Table(
    "tickets",
    records_metadata,
    Column("tenant", String, nullable=False),
    Column("ticket_id", String, nullable=False),
    Column("user", String, nullable=False),
    Column("title", Text, nullable=False),
    Column("details", Text, nullable=False),
    Column("priority", Member(Priority), nullable=False),
    Column("status", Member(TicketStatus), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("thread", String),
    Column("call", String),
    PrimaryKeyConstraint("tenant", "ticket_id"),
    Index("tickets_by_user", "tenant", "user"),
)

ticket_comments = Table(
    "ticket_comments",
    records_metadata,
    Column("tenant", String, nullable=False),
    Column("ticket_id", String, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("author_kind", Member(AuthorKind), nullable=False),
    Column("author", String, nullable=False),
    Column("at", Moment, nullable=False),
    Column("text", Text, nullable=False),
    PrimaryKeyConstraint("tenant", "ticket_id", "seq"),
    ForeignKeyConstraint(["tenant", "ticket_id"], ["tickets.tenant", "tickets.ticket_id"]),
)

hand_overs = Table(
    "hand_overs",
    records_metadata,
    Column("tenant", String, nullable=False),
    Column("ticket_id", String, nullable=False),
    Column("user", String, nullable=False),
    Column("thread", String, nullable=False),
    Column("reason", Text, nullable=False),
    Column("language", String, nullable=False),
    Column("at", Moment, nullable=False),
    Column("taken_back_at", Moment),
    PrimaryKeyConstraint("tenant", "ticket_id"),
    ForeignKeyConstraint(["tenant", "ticket_id"], ["tickets.tenant", "tickets.ticket_id"]),
    Index("hand_overs_by_thread", "tenant", "user", "thread"),
)

sequences = Table(
    "sequences",
    records_metadata,
    Column("tenant", String, nullable=False),
    Column("prefix", String, nullable=False),
    Column("last", Integer, nullable=False),
    PrimaryKeyConstraint("tenant", "prefix"),
)
