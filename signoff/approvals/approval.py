"""An approval: what an approver sees on the card, and what the gateway checks before it acts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from signoff.caller import Caller


class ApprovalStatus(StrEnum):
    """Where an approval stands. Only `pending` can be decided, only `approved` can be used, once."""

    PENDING = "pending"
    APPROVED = "approved"
    USED = "used"
    REJECTED = "rejected"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    """Taken back: a new message came, or the thread went on elsewhere."""
    SUPERSEDED = "superseded"
    """Replaced by an edit."""


DecisionKind = Literal["approve", "reject", "edit"]


@dataclass(frozen=True)
class Rule:
    """Who may sign off a call."""

    roles: frozenset[str]
    """One of these is needed, unless the requester may decide."""
    by_requester: bool
    """Whether the requester may sign off their own call."""
    count: int = 1
    """Different people who must approve."""


@dataclass(frozen=True)
class Decision:
    """One person's word on an approval."""

    by: str
    kind: DecisionKind
    at: datetime
    reason: str = ""


@dataclass(frozen=True)
class Origin:
    """Where an argument's value came from."""

    argument: str
    value: str
    source: Literal["user", "program", "result", "document", "untrusted", "editor", "default", "model", "nowhere"]
    where: str = ""
    """Such as the words around it, the tool and call, or the document's title."""


@dataclass(frozen=True)
class Card:
    """What the approver reads. Computed by the tool's preview and by provenance, not by a model."""

    title: str
    changes: Sequence[Mapping[str, str | None]] = ()
    """Each `{field, before, after}`."""
    reversible: bool = False
    why: str = ""
    evidence: Sequence[str] = ()
    origins: Sequence[Origin] = ()
    words: str = ""
    """The person's words that led to the call."""
    warnings: Sequence[str] = ()
    """Shown in red: such as values that came from an untrusted page."""


@dataclass(frozen=True)
class Approval:
    """One call waiting for, or given, a signature."""

    id: str
    digest: str
    call_digest: str
    """Digest of the call as the model made it; differs from `digest` after an edit."""
    thread: str
    turn: str
    call: str
    tool: str
    version: str
    args: Mapping[str, Any]
    requester: Caller
    risk: str
    rule: Rule
    status: ApprovalStatus
    card: Card
    created_at: datetime
    expires_at: datetime
    decisions: Sequence[Decision] = field(default_factory=tuple)
    edited_by: str | None = None
    replaces: str | None = None
    """Id of the approval this one is an edit of."""
    replaced_by: str | None = None

    @property
    def approvers(self) -> list[str]:
        """People who have approved, in order."""
        return [d.by for d in self.decisions if d.kind == "approve"]

    @property
    def reason(self) -> str:
        """The reason given with the last decision."""
        return self.decisions[-1].reason if self.decisions else ""
