"""The tools that ship with the product, one file a domain."""

from __future__ import annotations

from signoff.tools.contract import Tool


def service_tools() -> list[Tool]:
    """The tools of the `service` desk, in the order in which they are offered."""
    from signoff.tools.catalog import knowledge, memory, order_changes, orders, refunds, results, ticket_drafts, tickets

    return [
        orders.query_order,
        orders.list_my_orders,
        orders.query_logistics,
        refunds.check_refund,
        refunds.refund_order,
        order_changes.update_address,
        order_changes.cancel_order,
        knowledge.search_knowledge,
        ticket_drafts.create_ticket_draft,
        ticket_drafts.submit_ticket,
        ticket_drafts.discard_ticket_draft,
        tickets.list_my_tickets,
        tickets.query_ticket,
        memory.remember,
        memory.recall_memory,
        memory.forget_memory,
        results.read_result,
    ]


__all__ = ["service_tools"]
