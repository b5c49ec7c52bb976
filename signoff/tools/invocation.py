"""One call on its way through the gateway: who asks, in which turn, and what the call says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from signoff.approvals import Approval, canonical
from signoff.caller import Caller
from signoff.state import PlanStep
from signoff.tools.contract import CallInfo, Risk, Tool
from signoff.tools.envelope import Code, ToolResult
from signoff.tools.provenance import Sources


@dataclass(frozen=True)
class ToolCall:
    """A call as the model made it."""

    id: str
    name: str
    args: Mapping[str, Any] | None
    """None when the arguments could not be read; `raw` then holds them."""
    raw: str = ""
    problem: Code | None = None
    """Why the call cannot be taken as it is: unreadable arguments, or an id that another call has."""


@dataclass
class Guards:
    """The turn's counters that the gateway reads and moves. Plain values: the state keeps them."""

    seen: dict[str, int] = field(default_factory=dict)
    repairs: dict[str, int] = field(default_factory=dict)
    tainted: list[str] = field(default_factory=list)
    counted: set[str] = field(default_factory=set)
    """Tools whose wrong calls were counted in this round: those of one message are one attempt."""


@dataclass(frozen=True)
class Setting:
    """Where a call is made: everything about it that does not come from the model."""

    caller: Caller
    thread: str
    turn: str
    language: str
    words: str
    """What the person asked in this turn."""
    sources: Sources
    guards: Guards
    said: tuple[str, ...] = ()
    """The person's messages of this conversation, newest first."""
    found: tuple[str, ...] = ()
    """What this turn's tools and documents have said so far."""
    plan: Sequence[PlanStep] = ()
    """The steps of the turn's skill: a change whose step has not come yet is not proposed."""
    carried: tuple[str, ...] = ()
    """Untrusted text of earlier turns that the model still sees."""
    deadline_s: float = 120.0
    """Seconds of work that are left to the turn."""
    rehearsing: bool = False
    """A replay on a scratch copy: nothing is proposed, drafted or performed anew."""

    def info(self, call: str) -> CallInfo:
        """What a tool is told of the call it runs for."""
        return CallInfo(
            thread=self.thread, turn=self.turn, id=call, language=self.language, said=self.said, found=self.found
        )


@dataclass(frozen=True)
class Prepared:
    """A call that is known, parsed, validated and allowed."""

    call: ToolCall
    tool: Tool
    model: BaseModel
    args: dict[str, Any]
    """JSON-ready, with defaults: what a digest binds and a card shows."""
    risk: Risk = Risk.READ
    """Of this very call: its tool's, unless the tool judges by the arguments."""
    said: Mapping[str, Any] = field(default_factory=dict)
    """The arguments with marks such as `[phone:1]` as the model wrote them: what is looked for in the sources."""
    marks: tuple[str, ...] = ()
    """Marks of personal data in it that were restored: the model never saw what they stand for."""
    notes: tuple[str, ...] = ()
    """What was normalised in the arguments, a sentence each."""

    @property
    def canonical(self) -> str:
        """The call's name and arguments in one form, for the repeat guard."""
        return f"{self.tool.name}{canonical(self.args)}"


@dataclass(frozen=True)
class Answer:
    """How a call was answered: a result, or an approval to wait for."""

    call: ToolCall
    result: ToolResult | None = None
    approval: Approval | None = None
    ms: int = 0


def message_content(result: ToolResult) -> str:
    """The envelope as a `ToolMessage`'s content. The same result has the same text."""
    return json.dumps(result.model_dump(mode="json"), ensure_ascii=False)
