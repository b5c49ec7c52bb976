"""A turn as people and programs are told of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal

from signoff.approvals import Approval
from signoff.state import Citation, Status

EventType = Literal[
    "text_delta", "tool_start", "tool_end", "approval_required", "step", "warning", "final", "cancelled"
]


@dataclass(frozen=True)
class Event:
    """Something that happened in a turn; the set of types is closed."""

    type: EventType
    seq: int
    """Counts from 1 within one run."""
    ts: str
    """ISO 8601, UTC."""
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    """One tool call of a turn."""

    call: str
    tool: str
    args: Mapping[str, Any]
    outcome: str
    """`ok`, an error code, or `waiting`."""
    summary: str = ""
    data: Any = None


@dataclass(frozen=True)
class Turn:
    """How a turn stands. `status` says whether it is done, waits for a signature, or ended otherwise."""

    status: Status
    thread: str
    id: str
    question: str
    answer: str
    citations: Sequence[Citation]
    approvals: Sequence[Approval]
    """What it waits for, or what it waited for once it is over."""
    steps: Sequence[Step]
    usage: Mapping[str, Any] = field(default_factory=dict)
    """`rounds`, `model_calls`, `tool_calls`, `prompt_tokens`, `completion_tokens`, `cost_yuan`, `work_s` (seconds)."""
    limit: str | None = None
    """The limit that ended it, in a sentence."""
    tainted: Sequence[str] = ()
    """Sources of untrusted text that it read."""
    limited: str = ""
    """Its name, such as `max_rounds`: for counting."""
    error: str | None = None
    checkpoint: str = ""
    """Id of the thread's newest checkpoint."""
    model: str = ""

    def record(self) -> dict[str, Any]:
        """A JSON-ready form."""
        return {**asdict(self), "approvals": [approval_record(a) for a in self.approvals]}


def approval_record(approval: Approval) -> dict[str, Any]:
    """An approval in a JSON-ready form."""
    record = asdict(approval)
    record["requester"] = approval.requester.record()
    record["rule"]["roles"] = sorted(approval.rule.roles)
    return {k: _plain(v) for k, v in record.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return value
