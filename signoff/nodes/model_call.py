"""One model call of a turn: asked in a role, told in the trace, and counted against the turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from threading import Event
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from signoff.caller import Caller
from signoff.errors import ProviderError, SignoffError
from signoff.models import ModelGateway
from signoff.models.asking import OnCall, Tighter
from signoff.models.profile import Role
from signoff.models.view import PROMPT_VERSION
from signoff.models.ways import Choice
from signoff.nodes.budget import spend
from signoff.nodes.services import Services
from signoff.state import TurnState
from signoff.tools.registry import version_of

_RECORDED = (
    "profile", "model", "way", "finish_reason", "usage", "cached_tokens", "wasted_tokens", "cost_yuan", "tries",
    "first_token_s", "latency_s", "repairs", "warnings",
)  # fmt: skip
"""What the call's span says of the answer."""


def model_call(
    model: ModelGateway,
    prompt: list[BaseMessage],
    turn: TurnState,
    caller: Caller,
    services: Services,
    *,
    role: Role,
    deadline_s: float,
    offered: Sequence[str] = (),
    tools: list[dict[str, Any]] | None = None,
    choice: Choice = "auto",
    on_text: Callable[[str], None] | None = None,
    on_call: OnCall | None = None,
    tighter: Tighter | None = None,
    stop: Event | None = None,
    prompt_version: str = PROMPT_VERSION,
) -> AIMessage:
    """The model's answer. What it took is counted, also when it failed: then a `ProviderError` is raised.

    `tools` are the schemas of those `offered` when left out.
    """
    schemas = services.gateway.registry.schemas(offered) if tools is None else tools
    with services.tracer.span(
        "model_call",
        model.name,
        trace=turn["id"],
        role=role,
        prompt_version=prompt_version,
        tools=[t["function"]["name"] for t in schemas],
        tools_version=version_of(schemas) if tools else services.gateway.registry.version(offered),
        knowledge=_snapshot(services),
    ) as span:
        try:
            said = model.call(
                prompt,
                schemas,
                deadline_s=deadline_s,
                choice=choice,
                on_text=on_text,
                on_call=on_call,
                tighter=tighter,
                stop=stop,
            )
        except ProviderError as error:
            span.set(wasted_tokens=error.wasted_tokens, cost_yuan=str(error.cost_yuan))
            spend(turn, error.wasted_tokens, 0, error.cost_yuan, caller, services)
            raise
        usage = said.usage_metadata or {"input_tokens": 0, "output_tokens": 0}
        told = said.response_metadata
        span.set(
            input_tokens=usage["input_tokens"],
            output_tokens=usage["output_tokens"],
            **{k: told.get(k) for k in _RECORDED},
        )
    wasted, cost = int(told.get("wasted_tokens") or 0), Decimal(told.get("cost_yuan") or 0)
    spend(turn, usage["input_tokens"] + wasted, usage["output_tokens"], cost, caller, services)
    return said


def _snapshot(services: Services) -> int | None:
    """The state of the documents; None where they cannot be read: whoever asks for them is told so."""
    try:
        return services.knowledge.snapshot() if services.profile.knowledge is not False else None
    except SignoffError:
        return None
