"""The people of the sample data, and what they have done."""

from __future__ import annotations

from sqlalchemy import text

from signoff import Caller, Desk

REQUESTER = Caller("acme", "u-17")
OTHER = Caller("acme", "u-42")
SUPERVISOR = Caller("acme", "s-02", frozenset({"supervisor"}))
SECOND = Caller("acme", "s-03", frozenset({"supervisor"}))
STRANGER = Caller("globex", "u-17")


def refunds(desk: Desk, tenant: str = "acme") -> list[str]:
    """Orders of a tenant that were refunded since the sample data was made, one entry a refund row."""
    with desk.services.database.read() as tx:
        rows = tx.execute(
            text("SELECT order_id FROM refunds WHERE tenant = :tenant AND call IS NOT NULL ORDER BY order_id"),
            {"tenant": tenant},
        )
        return [r[0] for r in rows]
