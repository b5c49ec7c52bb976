"""Approvals as rows of `desk.db`, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, Integer, MetaData, String, Table, Text

from signoff.approvals.approval import Approval, ApprovalStatus, Card, Decision, Origin, Rule
from signoff.caller import Caller

approvals_metadata = MetaData()

approvals = Table(
    "approvals",
    approvals_metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("tenant", String, nullable=False),
    Column("thread", String, nullable=False),
    Column("turn", String, nullable=False),
    Column("call", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("call_digest", String, nullable=False),
    Column("tool", String, nullable=False),
    Column("version", String, nullable=False),
    Column("args", Text, nullable=False),
    Column("requester", Text, nullable=False),
    Column("risk", String, nullable=False),
    Column("rule", Text, nullable=False),
    Column("status", String, nullable=False),
    Column("card", Text, nullable=False),
    Column("created_at", String, nullable=False),
    Column("expires_at", String, nullable=False),
    Column("edited_by", String),
    Column("replaces", String),
    Column("replaced_by", String),
    Index("approvals_by_call", "tenant", "thread", "call"),
    Index("approvals_by_status", "tenant", "status"),
)

decisions = Table(
    "decisions",
    approvals_metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("approval", String, nullable=False, index=True),
    Column("by", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", String, nullable=False),
)


def approval_of(row: Any, said: Sequence[Mapping[str, Any]]) -> Approval:
    """An approval and what was said of it, from its rows."""
    rule = json.loads(row["rule"])
    card = json.loads(row["card"])
    return Approval(
        id=row["id"],
        digest=row["digest"],
        call_digest=row["call_digest"],
        thread=row["thread"],
        turn=row["turn"],
        call=row["call"],
        tool=row["tool"],
        version=row["version"],
        args=json.loads(row["args"]),
        requester=Caller.of_record(json.loads(row["requester"])),
        risk=row["risk"],
        rule=Rule(frozenset(rule["roles"]), rule["by_requester"], rule["count"]),
        status=ApprovalStatus(row["status"]),
        card=Card(**{**card, "origins": [Origin(**o) for o in card["origins"]]}),
        created_at=datetime.fromisoformat(row["created_at"]),
        expires_at=datetime.fromisoformat(row["expires_at"]),
        decisions=tuple(Decision(d["by"], d["kind"], datetime.fromisoformat(d["at"]), d["reason"]) for d in said),
        edited_by=row["edited_by"],
        replaces=row["replaces"],
        replaced_by=row["replaced_by"],
    )


def as_json(value: Any) -> str:
    """JSON as the columns hold it."""
    return json.dumps(value, ensure_ascii=False, default=str)
