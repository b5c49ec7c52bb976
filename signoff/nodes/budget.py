"""What a turn has spent, held against what it may: the settings' limits, as `tools.limits` judges them."""

from __future__ import annotations

from decimal import Decimal

from signoff.caller import Caller
from signoff.models import ModelGateway
from signoff.models.profile import Role
from signoff.nodes.phrases import phrase
from signoff.nodes.services import Services
from signoff.settings import Settings
from signoff.skills import plan
from signoff.state import TurnState
from signoff.tools import limits
from signoff.tools.limits import Budget, Limit, Spent, Used

PLAN = "plan_failed"
"""The name of a turn's end when a step of its plan cannot be done."""


def budget_of(settings: Settings) -> Budget:
    """The settings' limits. Tool calls are counted one by one where they are made, so that the last one allowed
    is not the end of a turn that needs no more."""
    return Budget(
        max_rounds=settings.max_rounds,
        max_model_calls=settings.max_model_calls,
        max_prompt_tokens=settings.max_prompt_tokens,
        max_completion_tokens=settings.max_completion_tokens,
        max_cost_yuan=settings.max_cost_yuan,
        max_work_s=settings.max_work_s,
        daily_calls=settings.daily_calls,
        daily_tokens=settings.daily_tokens,
    )


def limit_turn(turn: TurnState, prompt_tokens: int, caller: Caller, services: Services) -> None:
    """Note the limit that leaves no room for another call with tools, if one does: its name and its sentence."""
    if turn["limit"]:
        return
    settings, language = services.settings, turn["language"]
    if not turn["limited"] and (step := plan.failed(turn["plan"])) is not None:
        turn["limited"], turn["limit"] = (
            PLAN,
            phrase("plan_failed", language, n=step["n"], why=step["why"].rstrip("。.")),
        )
        return
    budget = budget_of(settings)
    limit: Limit | None = Limit(turn["limited"]) if turn["limited"] else None
    spent = _spent(turn, caller, services)
    limit = limit or limits.reached(spent, budget, prompt_tokens=prompt_tokens)
    if limit is None and not limits.progress(turn["observed"], settings.max_idle_rounds):
        limit = Limit.NO_PROGRESS
    if limit is not None:
        whole = Budget(**{**vars(budget), "max_tool_calls": settings.max_tool_calls})
        turn["limited"], turn["limit"] = limit.value, limits.sentence(limit, whole, language)


def beside(role: Role, turn: TurnState, caller: Caller, services: Services) -> ModelGateway | None:
    """The model of a role beside the agent's; None where it has none, and where the turn or the person's day has no
    call left for it."""
    model = services.model_of(role)
    if model is None or limits.reached(_spent(turn, caller, services), budget_of(services.settings)) is not None:
        return None
    return model


def spend(
    turn: TurnState, prompt_tokens: int, completion_tokens: int, cost_yuan: Decimal, caller: Caller, services: Services
) -> None:
    """Count a model call against the turn and the person's day."""
    turn["model_calls"] += 1
    turn["prompt_tokens"] += prompt_tokens
    turn["completion_tokens"] += completion_tokens
    turn["cost_yuan"] = str(Decimal(turn["cost_yuan"]) + cost_yuan)
    if _metered(services.settings) and not services.rehearsing:
        with services.database.write() as tx:
            limits.spend(tx, caller, limits.today(services.clock), 1, prompt_tokens + completion_tokens)


def _spent(turn: TurnState, caller: Caller, services: Services) -> Spent:
    return Spent(
        rounds=turn["rounds"],
        model_calls=turn["model_calls"],
        prompt_tokens=turn["prompt_tokens"],
        completion_tokens=turn["completion_tokens"],
        cost_yuan=Decimal(turn["cost_yuan"]),
        work_s=turn["work_s"],
        today=_today(caller, services),
    )


def _today(caller: Caller, services: Services) -> Used:
    # A replay is no use of the day's quota, and is not held up by it.
    if not _metered(services.settings) or services.rehearsing:
        return Used()
    with services.database.read() as tx:
        return limits.used(tx, caller, limits.today(services.clock))


def _metered(settings: Settings) -> bool:
    return settings.daily_calls is not None or settings.daily_tokens is not None
