"""What a turn may spend, and when it goes round in circles: every limit has a name, and is decided here."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from zoneinfo import ZoneInfo

from sqlalchemy import BigInteger, Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, select
from sqlalchemy.dialects.sqlite import insert

from signoff.approvals import canonical
from signoff.caller import Caller
from signoff.clock import Clock
from signoff.tools.envelope import ToolResult

quota_metadata = MetaData()

quotas = Table(
    "quotas",
    quota_metadata,
    Column("tenant", String, nullable=False),
    Column("user", String, nullable=False),
    Column("day", String, nullable=False),
    Column("calls", BigInteger, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    PrimaryKeyConstraint("tenant", "user", "day"),
)


class Limit(StrEnum):
    """Why a turn was ended, or a call not made. Closed: traces and metrics count by these names."""

    MAX_ROUNDS = "max_rounds"
    MAX_MODEL_CALLS = "max_model_calls"
    MAX_TOOL_CALLS = "max_tool_calls"
    MAX_PROMPT_TOKENS = "max_prompt_tokens"
    MAX_COMPLETION_TOKENS = "max_completion_tokens"
    MAX_COST = "max_cost"
    MAX_WORK_S = "max_work_s"
    DAILY_QUOTA = "daily_quota"
    REPEATED_CALL = "repeated_call"
    NO_PROGRESS = "no_progress"


@dataclass(frozen=True)
class Budget:
    """What one turn may spend, and what one person may in a day; None is unlimited."""

    max_rounds: int | None = None
    max_model_calls: int | None = None
    max_tool_calls: int | None = None
    max_prompt_tokens: int | None = None
    max_completion_tokens: int | None = None
    max_cost_yuan: Decimal | None = None
    max_work_s: float | None = None
    """Seconds of work; waiting for people is not counted."""
    daily_calls: int | None = None
    """Model calls of one person in a day, over all turns."""
    daily_tokens: int | None = None
    """Prompt and completion tokens of one person in a day, over all turns."""


@dataclass(frozen=True)
class Used:
    """What one person has used in a day."""

    calls: int = 0
    tokens: int = 0


@dataclass(frozen=True)
class Spent:
    """What a turn has spent so far."""

    rounds: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_yuan: Decimal = field(default=Decimal(0))
    work_s: float = 0.0
    today: Used = Used()
    """What the person has used today, this turn included."""


def reached(spent: Spent, budget: Budget, *, prompt_tokens: int = 0) -> Limit | None:
    """The first limit, in the order of `Limit`, that leaves no room for another model call; None when none does.

    A limit is reached when all of it is spent. `prompt_tokens` is the size of the prompt that would be sent next:
    it must fit into what is left.
    """
    pairs: tuple[tuple[Limit, int | float | Decimal, int | float | Decimal | None], ...] = (
        (Limit.MAX_ROUNDS, spent.rounds, budget.max_rounds),
        (Limit.MAX_MODEL_CALLS, spent.model_calls, budget.max_model_calls),
        (Limit.MAX_TOOL_CALLS, spent.tool_calls, budget.max_tool_calls),
        (Limit.MAX_PROMPT_TOKENS, spent.prompt_tokens, budget.max_prompt_tokens),
        (Limit.MAX_COMPLETION_TOKENS, spent.completion_tokens, budget.max_completion_tokens),
        (Limit.MAX_COST, spent.cost_yuan, budget.max_cost_yuan),
        (Limit.MAX_WORK_S, spent.work_s, budget.max_work_s),
        (Limit.DAILY_QUOTA, spent.today.calls, budget.daily_calls),
        (Limit.DAILY_QUOTA, spent.today.tokens, budget.daily_tokens),
    )
    for limit, used, most in pairs:
        if most is None:
            continue
        if used >= most or (limit is Limit.MAX_PROMPT_TOKENS and used + prompt_tokens > most):
            return limit
    return None


def observation(result: ToolResult) -> str:
    """A digest of what a result says: data, or the error's code and message; never its metadata, which varies."""
    said = result.data if result.error is None else [result.error.code.value, result.error.message]
    return hashlib.sha256(canonical([result.ok, said]).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def progress(rounds: Sequence[Collection[str]], idle: int = 2) -> bool:
    """Whether the turn still learns something: False when its last `idle` rounds observed nothing that is new.

    Each round is the digests (see `observation`) of what its calls were answered with.
    """
    if len(rounds) < max(1, idle):
        return True
    known: set[str] = set().union(*rounds[: -max(1, idle)])
    return not set().union(*rounds[-max(1, idle) :]) <= known


def today(clock: Clock) -> date:
    """The day a quota is for, by system time in the business zone: a clock that is held still does not hold it."""
    return clock.utc().astimezone(ZoneInfo(clock.zone)).date()


def spend(tx: Connection, caller: Caller, day: date, calls: int, tokens: int) -> Used:
    """Add to what a person has used on a day, and give the new sums; atomic, also between processes.

    Raises `ValueError` for a negative number.
    """
    if calls < 0 or tokens < 0:
        raise ValueError("what is spent cannot be negative")
    row = {"tenant": caller.tenant, "user": caller.user, "day": day.isoformat()}
    added = insert(quotas).values(**row, calls=calls, tokens=tokens)
    sums = {"calls": quotas.c.calls + added.excluded.calls, "tokens": quotas.c.tokens + added.excluded.tokens}
    upsert = added.on_conflict_do_update(index_elements=list(row), set_=sums)
    now = tx.execute(upsert.returning(quotas.c.calls, quotas.c.tokens)).one()
    return Used(now.calls, now.tokens)


def used(tx: Connection, caller: Caller, day: date) -> Used:
    """What a person has used on a day."""
    row = tx.execute(
        select(quotas.c.calls, quotas.c.tokens).where(
            quotas.c.tenant == caller.tenant, quotas.c.user == caller.user, quotas.c.day == day.isoformat()
        )
    ).first()
    return Used(row.calls, row.tokens) if row is not None else Used()


def purge_quotas(tx: Connection, before: date) -> int:
    """Remove the days before a day; returns how many rows went."""
    return int(tx.execute(quotas.delete().where(quotas.c.day < before.isoformat())).rowcount)


_WORDS: dict[Limit, tuple[str, str]] = {
    Limit.MAX_ROUNDS: ("the limit of {n} tool rounds is reached", "已达到 {n} 轮工具调用的上限"),
    Limit.MAX_MODEL_CALLS: ("the limit of {n} model calls is reached", "已达到 {n} 次模型调用的上限"),
    Limit.MAX_TOOL_CALLS: ("the limit of {n} tool calls is reached", "已达到 {n} 次工具调用的上限"),
    Limit.MAX_PROMPT_TOKENS: ("the limit of {n} prompt tokens is reached", "已达到 {n} 个提示词 token 的上限"),
    Limit.MAX_COMPLETION_TOKENS: ("the limit of {n} completion tokens is reached", "已达到 {n} 个输出 token 的上限"),
    Limit.MAX_COST: ("the limit of {n} yuan for model calls is reached", "已达到模型费用 {n} 元的上限"),
    Limit.MAX_WORK_S: ("the limit of {n} seconds of work is reached", "已达到 {n} 秒处理时间的上限"),
    Limit.DAILY_QUOTA: ("today's quota for this person is used up", "此用户今天的额度已用完"),
    Limit.REPEATED_CALL: ("the same call was asked for again and again", "反复提出了完全相同的调用"),
    Limit.NO_PROGRESS: ("two rounds in a row found nothing new", "连续两轮没有得到新的信息"),
}


def sentence(limit: Limit, budget: Budget, language: str) -> str:
    """The limit in the asker's language, as a clause without a full stop."""
    most = {
        Limit.MAX_ROUNDS: budget.max_rounds,
        Limit.MAX_MODEL_CALLS: budget.max_model_calls,
        Limit.MAX_TOOL_CALLS: budget.max_tool_calls,
        Limit.MAX_PROMPT_TOKENS: budget.max_prompt_tokens,
        Limit.MAX_COMPLETION_TOKENS: budget.max_completion_tokens,
        Limit.MAX_COST: budget.max_cost_yuan,
        Limit.MAX_WORK_S: budget.max_work_s,
    }.get(limit)
    number = f"{most:g}" if isinstance(most, float) else str(most)
    return _WORDS[limit][language == "zh"].format(n=number)
