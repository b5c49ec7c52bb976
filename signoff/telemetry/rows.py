"""What happens to the rows of `spans`: one function a change, each run inside the writing transaction."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Insert, bindparam, select, update
from sqlalchemy.dialects import postgresql, sqlite

from signoff.telemetry.redaction import redact, redact_value
from signoff.telemetry.spans import Span, plain, spans

Row = dict[str, Any]

# Built once: making a statement costs more than running it.
_BY_ID = select(spans).where(spans.c.span_id == bindparam("id"))
_OPEN_WAITS = select(spans).where(
    spans.c.trace_id == bindparam("turn"), spans.c.kind == "approval_wait", spans.c.ended.is_(None)
)
_LEFT_OPEN = (
    update(spans)
    .where(
        spans.c.trace_id == bindparam("turn"),
        spans.c.span_id != bindparam("turn"),
        spans.c.ended.is_(None),
        spans.c.status == "running",
    )
    .values(status="interrupted")
)
_ROOT_WAITS = update(spans).where(spans.c.span_id == bindparam("turn")).values(status="waiting")


def redacted(row: Row) -> Row:
    """The row with name and attributes redacted: whatever a caller put there, nothing private is stored."""
    clean = {k: plain(v) for k, v in row.items()}
    return {**clean, "name": redact(clean["name"]), "attributes": redact_value(clean["attributes"])}


def upsert(tx: Connection) -> Insert:
    """Insert rows; for those that are there already, bring everything but their start and place up to date."""
    return _upsert_for(tx.dialect.name)


@cache
def _upsert_for(dialect: str) -> Insert:
    insert = postgresql.insert(spans) if dialect == "postgresql" else sqlite.insert(spans)
    return insert.on_conflict_do_update(
        index_elements=["span_id"],
        set_={name: insert.excluded[name] for name in ("name", "ended", "status", "attributes")},
    )


def _stored(tx: Connection, span_id: str) -> Row | None:
    found = tx.execute(_BY_ID, {"id": span_id}).mappings().first()
    return dict(found) if found else None


def _open_waits(tx: Connection, turn_id: str) -> list[Row]:
    return [dict(found) for found in tx.execute(_OPEN_WAITS, {"turn": turn_id}).mappings()]


def begin_turn(root: Span, tx: Connection) -> list[Row]:
    """Insert the root, or open it again: its first start and earlier attributes stay."""
    row = redacted(root.row())
    if before := _stored(tx, root.span_id):
        row["started"] = before["started"]
        root.started = datetime.fromisoformat(before["started"])
        row["attributes"] = {
            **before["attributes"],
            **row["attributes"],
            "runs": before["attributes"].get("runs", 0) + 1,
        }
        # What an earlier run left open will not be closed by anybody; a span that is still alive says so later.
        tx.execute(_LEFT_OPEN, {"turn": root.trace_id})
    tx.execute(upsert(tx), [row])
    return []


def resume_turn(turn_id: str, process: dict[str, Any], tx: Connection) -> list[Row]:
    """Another process, or another run, works on the turn: what an earlier one left open is interrupted."""
    row = _stored(tx, turn_id)
    if row is not None and row["ended"] is None:
        runs = row["attributes"].get("runs", 0) + 1
        row["attributes"] = {**row["attributes"], "runs": runs, "process": process}
        tx.execute(_LEFT_OPEN, {"turn": turn_id})
        tx.execute(upsert(tx), [row])
    return []


def end_turn(
    turn_id: str, root: Span | None, status: str, added: dict[str, Any], now: str, tx: Connection
) -> list[Row]:
    """Give the root its status, and its end and that of its waits unless it waits. Returns what became final."""
    row = _stored(tx, turn_id) or (redacted(root.row()) if root else None)
    if row is None:
        return []
    waiting = status == "waiting"
    final = [] if waiting else end_waits(turn_id, None, now, tx)
    row["status"] = status
    row["ended"] = None if waiting else max(now, row["started"])
    row["attributes"] = {**row["attributes"], **redact_value(added)}
    tx.execute(upsert(tx), [row])
    return final if waiting else [*final, row]


def begin_wait(wait: Span, tx: Connection) -> list[Row]:
    """Insert the wait unless one is open already."""
    if not _open_waits(tx, wait.trace_id):
        tx.execute(upsert(tx), [redacted(wait.row())])
    tx.execute(_ROOT_WAITS, {"turn": wait.trace_id})
    return []


def end_waits(turn_id: str, outcome: str | None, now: str, tx: Connection) -> list[Row]:
    """Close the turn's open waits. Returns them."""
    final = _open_waits(tx, turn_id)
    for row in final:
        row["ended"], row["status"] = max(now, row["started"]), "ok"
        if outcome:
            row["attributes"] = {**row["attributes"], "outcome": outcome}
    if final:
        tx.execute(upsert(tx), final)
    return final
