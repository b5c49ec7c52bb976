"""Why the records refuse something, in both languages: the model is told in English, a person in their own."""

from __future__ import annotations

from typing import Protocol

from signoff.errors import ToolError


class Call(Protocol):
    """The call an entry is written for; kept beside the entry, so that it can be traced to its approval."""

    @property
    def thread(self) -> str: ...
    @property
    def id(self) -> str: ...


def order_not_found(order_id: str) -> ToolError:
    """The same for an order that does not exist and for one of somebody else."""
    return ToolError(
        "ORDER_NOT_FOUND",
        f"There is no order {order_id} among the orders of the person asking.",
        zh=f"在你的订单中没有找到订单 {order_id}。",
        hint="Say that this order was not found and ask for the right number; list_my_orders shows their orders.",
    )


def ticket_not_found(ticket_id: str) -> ToolError:
    """The same for a ticket that does not exist and for one of somebody else."""
    return ToolError(
        "NOT_FOUND",
        f"There is no ticket {ticket_id} among the tickets of the person asking.",
        zh=f"在你的工单中没有找到工单 {ticket_id}。",
        hint="Say that this ticket was not found and ask for the right number; list_my_tickets shows their tickets.",
    )
