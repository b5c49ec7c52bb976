"""What a turn's model is told beside the conversation: the desk, the skill, its plan, and what is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from langchain_core.messages import AnyMessage

from signoff.caller import Caller
from signoff.memory import Memory
from signoff.models.view import Brief
from signoff.models.working import working
from signoff.nodes.budget import beside
from signoff.nodes.services import Services
from signoff.nodes.shortening import Shortening
from signoff.skills.plan import render
from signoff.state import TurnState

MEMORIES = 5
"""Remembered facts put into a prompt."""


def brief_of(messages: Sequence[AnyMessage], turn: TurnState, caller: Caller, services: Services) -> Brief:
    """Computed anew for every model call: nothing of it is kept in the state, where a caller could write it."""
    skill = services.skills.get(turn["skill"]) if turn["skill"] else None
    memories = _remembered(services.memory, caller, turn["question"], turn["id"]) if turn["tools"] else ()
    summary = beside("summary", turn, caller, services)
    return Brief(
        desk=services.profile.instructions.strip(),
        asking=f"{caller.name}, roles: {', '.join(sorted(caller.roles)) or 'none'}",
        skill=(skill.name, skill.instructions) if skill is not None else None,
        plan=render(turn["plan"]),
        memory=memories,
        working=lambda: working(messages, turn, language=turn["language"]),
        summary=None if summary is None else Shortening(summary, turn, caller, services),
    )


@lru_cache(maxsize=256)
def _remembered(memory: Memory, caller: Caller, question: str, turn: str) -> tuple[str, ...]:
    """Looked up once a turn: what is remembered meanwhile is in the turn's own results."""
    return tuple(f.text for f in memory.relevant(caller, question, limit=MEMORIES))
