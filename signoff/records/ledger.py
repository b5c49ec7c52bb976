"""The effects ledger: one row a write call, so that no replay, fork or double click does it again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, Text, insert, select, update

from signoff.clock import Clock

ledger_metadata = MetaData()

effects = Table(
    "effects",
    ledger_metadata,
    Column("tenant", String, nullable=False),
    Column("thread", String, nullable=False),
    Column("call", String, nullable=False),
    Column("tool", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("action", Text, nullable=False),
    Column("status", String, nullable=False),
    Column("result", Text),
    Column("claimed_at", String, nullable=False),
    Column("finished_at", String),
    PrimaryKeyConstraint("tenant", "thread", "call"),
)


class EffectStatus(StrEnum):
    """Where an effect stands. Only `claimed` and `unknown` may still change."""

    CLAIMED = "claimed"
    """Begun; if its process died, nobody knows yet whether it happened."""
    DONE = "done"
    FAILED = "failed"
    """It did not happen."""
    UNKNOWN = "unknown"
    """It may have happened; the outside system must be asked, by code or by a person."""


@dataclass(frozen=True)
class EffectKey:
    """What an effect is known by: the call, whatever checkpoint or branch it is reached from."""

    tenant: str
    thread: str
    call: str


@dataclass(frozen=True)
class Effect:
    """A row of the ledger."""

    key: EffectKey
    tool: str
    digest: str
    """Of the arguments that were performed."""
    status: EffectStatus
    result: dict[str, Any] | None
    """The envelope that was answered; None until it is known."""


class Ledger:
    """Reads and writes rows inside the caller's transaction, so that a row and its effect are one."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def find(self, tx: Connection, key: EffectKey) -> Effect | None:
        """The effect of a call, if it was ever begun."""
        row = tx.execute(select(effects).where(*_is(key))).mappings().first()
        if row is None:
            return None
        result = json.loads(row["result"]) if row["result"] else None
        return Effect(key, row["tool"], row["digest"], EffectStatus(row["status"]), result)

    def repeated(self, tx: Connection, tenant: str, thread: str, action: str) -> dict[str, Any] | None:
        """What the same action answered in this thread, under whatever call: for replays by a model that
        gives its calls new ids."""
        row = tx.execute(
            select(effects.c.result)
            .where(effects.c.tenant == tenant, effects.c.thread == thread, effects.c.action == action)
            .order_by(effects.c.claimed_at)
        ).scalar()
        return json.loads(row) if row else None

    def claim(self, tx: Connection, key: EffectKey, *, tool: str, digest: str, action: str) -> None:
        """Begin an effect. The primary key refuses a second claim, whoever makes it.

        `action` is the tool with its arguments, whatever call they came in.
        """
        tx.execute(
            insert(effects).values(
                tenant=key.tenant,
                thread=key.thread,
                call=key.call,
                tool=tool,
                digest=digest,
                action=action,
                status=EffectStatus.CLAIMED,
                claimed_at=self._clock.utc().isoformat(),
            )
        )

    def forget(self, tx: Connection, tenant: str, threads: Sequence[str], tools: Sequence[str]) -> int:
        """Blank what the tools were called with and what they answered on these threads: that they ran is kept.

        A call that comes again is then answered as one whose outcome is not known, never run. Returns how many.
        """
        gone = 0
        for start in range(0, len(threads), 500):
            some = effects.c.thread.in_(threads[start : start + 500])
            mine = (effects.c.tenant == tenant) & some & effects.c.tool.in_(tools)
            gone += tx.execute(update(effects).where(mine).values(action="", result=None)).rowcount
        return int(gone)

    def finish(self, tx: Connection, key: EffectKey, status: EffectStatus, result: dict[str, Any] | None) -> None:
        """Record how an effect ended. What is done or failed stays so."""
        tx.execute(
            update(effects)
            .where(*_is(key), effects.c.status.in_((EffectStatus.CLAIMED, EffectStatus.UNKNOWN)))
            .values(
                status=status,
                result=None if result is None else json.dumps(result, ensure_ascii=False),
                finished_at=self._clock.utc().isoformat(),
            )
        )


def _is(key: EffectKey) -> tuple[Any, ...]:
    return (effects.c.tenant == key.tenant, effects.c.thread == key.thread, effects.c.call == key.call)
