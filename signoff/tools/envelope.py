"""The one envelope every call is answered with, and the closed list of reasons a call was not done."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Code(StrEnum):
    """Why a call was not done. Closed: a new code is a change of this contract."""

    UNKNOWN_TOOL = "UNKNOWN_TOOL"
    INVALID_ARGUMENTS = "INVALID_ARGUMENTS"
    DUPLICATE_CALL_ID = "DUPLICATE_CALL_ID"
    REPEATED_CALL = "REPEATED_CALL"
    LIMIT_REACHED = "LIMIT_REACHED"
    FORBIDDEN = "FORBIDDEN"
    UNSOURCED_IDENTIFIER = "UNSOURCED_IDENTIFIER"
    NOT_FOUND = "NOT_FOUND"
    ORDER_NOT_FOUND = "ORDER_NOT_FOUND"
    CONFLICT = "CONFLICT"
    NOT_ELIGIBLE = "NOT_ELIGIBLE"
    APPROVAL_REQUIRED = "APPROVAL_REQUIRED"
    REJECTED = "REJECTED"
    EXPIRED = "EXPIRED"
    WITHDRAWN = "WITHDRAWN"
    CANCELLED = "CANCELLED"
    OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN"
    TIMEOUT = "TIMEOUT"
    SERVICE_UNAVAILABLE = "SERVICE_UNAVAILABLE"
    INTERNAL = "INTERNAL"


class ToolFault(BaseModel):
    """The error half of the envelope."""

    model_config = ConfigDict(extra="forbid")

    code: Code
    message: str
    retryable: bool = False
    hint: str = ""
    """What the model should do next."""


class ToolResult(BaseModel):
    """The one envelope. `ok` decides which of `data` and `error` is set."""

    model_config = ConfigDict(extra="forbid")

    ok: bool
    data: Any = None
    error: ToolFault | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def done(cls, data: Any, **metadata: Any) -> ToolResult:
        """A success; `data` must be JSON-ready."""
        return cls(ok=True, data=data, metadata=metadata)

    @classmethod
    def refused(
        cls, code: Code, message: str, *, hint: str = "", retryable: bool = False, **metadata: Any
    ) -> ToolResult:
        """A call that was not done, with the reason and what to do next."""
        fault = ToolFault(code=code, message=message, hint=hint, retryable=retryable)
        return cls(ok=False, error=fault, metadata=metadata)
