"""The records as tools see them: reads and checks by themselves, writes in a transaction that they are given."""

from __future__ import annotations

from sqlalchemy import Connection

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.records import browse, orders, refunds, tickets
from signoff.records.database import Database
from signoff.records.orders import Logistics, Order, OrderChange
from signoff.records.people import People
from signoff.records.refunds import Refund, RefundCheck
from signoff.records.refusal import Call
from signoff.records.tickets import Ticket
from signoff.records.vocabulary import OrderStatus, Priority, TicketStatus
from signoff.settings import Settings


class Records:
    """The business records in `desk.db`.

    What a caller may see is in every query: their tenant and their user. What belongs to somebody else is
    answered like what does not exist. Every method raises `ToolError` for what is not there or not possible.
    Methods that take `tx` do everything in it and leave the commit to its owner; it must hold the write lock.
    """

    def __init__(self, database: Database, clock: Clock, settings: Settings) -> None:
        self.database = database
        self.clock = clock
        self.settings = settings
        self.people = People(database)

    def order(self, caller: Caller, order_id: str) -> Order:
        """The caller's order."""
        with self.database.read() as tx:
            return orders.find(tx, caller, order_id, self.clock)

    def orders(self, caller: Caller, status: OrderStatus | str | None = None) -> list[Order]:
        """The caller's orders, newest first."""
        with self.database.read() as tx:
            return orders.listing(tx, caller, self.clock, None if status is None else OrderStatus(status))

    def logistics(self, caller: Caller, order_id: str) -> Logistics:
        """The parcel of the caller's order."""
        with self.database.read() as tx:
            return orders.logistics(tx, caller, order_id, self.clock)

    def refund_of(self, caller: Caller, order_id: str) -> Refund | None:
        """The refund of the caller's order, if there is one."""
        with self.database.read() as tx:
            return refunds.of_order(tx, caller, order_id, self.clock)

    def refund_check(self, caller: Caller, order_id: str, *, damaged: bool = False) -> RefundCheck:
        """Whether the caller's order can be refunded today."""
        with self.database.read() as tx:
            return refunds.check(tx, caller, order_id, self.clock, damaged=damaged)

    def refund_eligible(self, caller: Caller, order_id: str, reason: str) -> RefundCheck:
        """The check that `refund` would pass now; raises what it would raise, and touches nothing."""
        with self.database.read() as tx:
            return refunds.eligible(tx, caller, order_id, reason, self.clock)

    def refund(self, tx: Connection, caller: Caller, order_id: str, reason: str, call: Call) -> Refund:
        """Refund the whole amount of the order, once."""
        return refunds.refund(tx, caller, order_id, reason, call, self.clock)

    def address_changeable(self, caller: Caller, order_id: str, address: str) -> Order:
        """The order as `update_address` would find it now; raises what it would raise."""
        with self.database.read() as tx:
            return orders.changeable_address(tx, caller, order_id, address, self.clock)

    def update_address(self, tx: Connection, caller: Caller, order_id: str, address: str, call: Call) -> OrderChange:
        """Change the address of an order that is not shipped."""
        return orders.update_address(tx, caller, order_id, address, call, self.clock)

    def cancellable(self, caller: Caller, order_id: str) -> Order:
        """The order as `cancel` would find it now; raises what it would raise."""
        with self.database.read() as tx:
            return orders.cancellable(tx, caller, order_id, self.clock)

    def cancel(self, tx: Connection, caller: Caller, order_id: str, reason: str, call: Call) -> OrderChange:
        """Cancel an order that is not shipped."""
        return orders.cancel(tx, caller, order_id, reason, call, self.clock)

    def ticket(self, caller: Caller, ticket_id: str) -> Ticket:
        """The caller's ticket with its comments."""
        with self.database.read() as tx:
            return tickets.find(tx, caller, ticket_id, self.clock)

    def tickets(self, caller: Caller, status: TicketStatus | str | None = None) -> list[Ticket]:
        """The caller's tickets without comments, newest first."""
        with self.database.read() as tx:
            return tickets.listing(tx, caller, self.clock, None if status is None else TicketStatus(status))

    def draft_ticket(
        self, tx: Connection, caller: Caller, title: str, details: str, priority: Priority | str, call: Call
    ) -> Ticket:
        """Make a draft."""
        return tickets.draft(tx, caller, title, details, Priority(priority), call, self.clock)

    def ticket_draft(self, caller: Caller, ticket_id: str) -> Ticket:
        """The caller's ticket, which must still be a draft."""
        with self.database.read() as tx:
            return tickets.a_draft(tx, caller, ticket_id, self.clock)

    def submit_ticket(self, tx: Connection, caller: Caller, ticket_id: str) -> Ticket:
        """Submit a draft."""
        return tickets.submit(tx, caller, ticket_id, self.clock)

    def discard_ticket(self, tx: Connection, caller: Caller, ticket_id: str) -> Ticket:
        """Take a draft back."""
        return tickets.discard(tx, caller, ticket_id, self.clock)

    def tables(self) -> list[dict[str, object]]:
        """Each table with what it holds and how many rows: `{table, holds, rows}`. For an operator."""
        with self.database.read() as tx:
            return browse.tables(tx)

    def rows(self, table: str, tenant: str | None = None, limit: int = 50) -> list[dict[str, object]]:
        """Rows of a table, fit for display, in the order of its key. Raises `UsageError`. For an operator."""
        with self.database.read() as tx:
            return browse.rows(tx, table, tenant, limit)
