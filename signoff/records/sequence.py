"""Ids that count up within a tenant, drawn in the transaction that uses them: one rolled back is drawn again."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select, update

from signoff.records.tables import sequences

_FIRST = 1001


def next_id(tx: Connection, tenant: str, prefix: str) -> str:
    """The next id of a kind in a tenant, such as `R1004`; `tx` must hold the write lock."""
    here = (sequences.c.tenant == tenant, sequences.c.prefix == prefix)
    last = tx.execute(select(sequences.c.last).where(*here)).scalar()
    if last is None:
        tx.execute(insert(sequences).values(tenant=tenant, prefix=prefix, last=_FIRST))
        return f"{prefix}{_FIRST}"
    tx.execute(update(sequences).where(*here).values(last=last + 1))
    return f"{prefix}{last + 1}"
