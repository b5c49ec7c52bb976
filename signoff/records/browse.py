"""Looking at the tables as they are, for an operator of the embedded home. Reads only."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select

from signoff.errors import UsageError
from signoff.records.money import to_yuan
from signoff.records.tables import records_metadata
from signoff.records.vocabulary import Word

HOLDS = {
    "people": "who is who, with roles and language",
    "orders": "orders with amount, status and dates",
    "shipment_events": "what happened to each parcel",
    "refunds": "refunds made, one an order",
    "order_changes": "address changes and cancellations",
    "tickets": "tickets and drafts",
    "ticket_comments": "comments on tickets, some from outside",
}
"""The tables that can be looked at."""

MOST_ROWS = 1_000
"""Most rows in one look."""


def tables(tx: Connection) -> list[dict[str, object]]:
    """Each table with what it holds and how many rows."""
    count = select(func.count())
    return [
        {"table": name, "holds": holds, "rows": tx.execute(count.select_from(records_metadata.tables[name])).scalar()}
        for name, holds in HOLDS.items()
    ]


def rows(tx: Connection, table: str, tenant: str | None, limit: int) -> list[dict[str, object]]:
    """Rows of a table in the order of its key. Raises `UsageError` for a table or limit there is not."""
    if table not in HOLDS:
        raise UsageError(f"There is no table {table!r}: choose one of {', '.join(HOLDS)}.")
    if not 1 <= limit <= MOST_ROWS:
        raise UsageError(f"A limit of {limit} is not possible: choose 1 to {MOST_ROWS}.")
    source = records_metadata.tables[table]
    query = select(source).order_by(*source.primary_key.columns).limit(limit)
    if tenant is not None:
        query = query.where(source.c.tenant == tenant)
    return [_shown(dict(row)) for row in tx.execute(query).mappings()]


def _shown(row: dict[str, Any]) -> dict[str, object]:
    shown: dict[str, object] = {}
    for name, value in row.items():
        if name.endswith("_cents"):
            shown[name.removesuffix("_cents") + "_yuan"] = str(to_yuan(value))
        elif isinstance(value, Word):
            shown[name] = value.en
        elif isinstance(value, datetime):
            shown[name] = value.isoformat(timespec="seconds")
        elif name == "items":
            shown[name] = ", ".join(f"{i['name']} x{i['quantity']}" for i in value)
        elif isinstance(value, list):
            shown[name] = ", ".join(str(v) for v in value)
        else:
            shown[name] = value
    return shown
