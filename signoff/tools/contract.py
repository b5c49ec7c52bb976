"""What a tool is: a typed function with its JSON Schema, its risk, and what the gateway is told about it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel

from signoff.tools.schema import inline, strict_form, without_labels

INJECTABLE = frozenset(
    {
        "audit", "call", "caller", "clock", "knowledge", "memory", "records", "registry", "results", "selector",
        "settings", "tx", "workspace",
    }
)  # fmt: skip
"""Names a tool may ask for with `injects`; they never appear in its schema."""


PERSONAL = frozenset({"phone", "email", "id-card", "bank-card"})
"""Kinds of personal data that are masked in results, named as their marks are."""


class Risk(StrEnum):
    """What a call may do, from harmless to irreversible."""

    READ = "read"
    """Runs at once, side by side with other reads, and may be repeated."""
    DRAFT = "draft"
    """Reversible: runs at once, exactly once, and says how to undo it."""
    WRITE = "write"
    """Runs after an approval of this exact call."""
    CRITICAL = "critical"
    """Irreversible, outward or above a threshold: runs after an approval by somebody else."""

    @property
    def gated(self) -> bool:
        """Whether a call of this risk waits for an approval."""
        return self in (Risk.WRITE, Risk.CRITICAL)


@dataclass(frozen=True)
class Example:
    """A request in a person's words and the arguments it leads to; shown to models, used for selection."""

    text: str
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """One line of a card: a field before and after."""

    field: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Preview:
    """What a write would do, computed without touching anything. A card shows it; the digest does not bind it.

    A preview may raise the call's risk (never lower it) from what it read, such as an amount.
    """

    title: str
    changes: Sequence[Change] = ()
    reversible: bool = False
    risk: Risk | None = None
    amount_yuan: Decimal | None = None
    approvers: int = 1
    """How many different people must approve."""
    why: str = ""
    """What made the call critical, or reversible, in a sentence."""
    evidence: Sequence[str] = ()
    """Facts from the records that the approver should see, one sentence each."""


@dataclass(frozen=True)
class View:
    """What a model is shown of a long result; the whole stays behind a ref, which `read_result` pages through."""

    fields: tuple[str, ...] = ()
    """Keys of the records in the result that are shown, in this order; empty shows all."""
    rows: int = 0
    """At most so many entries of a list, the first ones; 0 is no limit."""
    chars: int = 0
    """Characters before the middle is cut out; 0 is the desk's own limit."""


@dataclass(frozen=True)
class Stale:
    """What a fallback gives: data that was right at a time, for when the source itself cannot be asked."""

    data: Any
    as_of: datetime
    """When it was right; with a time zone."""


@dataclass(frozen=True)
class CallInfo:
    """The call a tool is running for; injected as `call`."""

    thread: str
    turn: str
    id: str
    language: str = "en"
    """Of the question: `zh` or `en`."""
    said: tuple[str, ...] = ()
    """The person's own messages of this conversation, newest first."""
    found: tuple[str, ...] = ()
    """What this turn's tools and documents have said so far, each as a text."""


@dataclass(frozen=True)
class Tool:
    """A tool as the registry keeps it. Made by `tool`; not changed afterwards."""

    name: str
    description: str
    fn: Callable[..., Any]
    args: type[BaseModel]
    """Arguments as a closed pydantic model (`extra="forbid"`), made from the function's signature."""
    risk: Risk = Risk.READ
    version: str = "1"
    """Part of every approval's digest: an approval of one version does not run another."""
    injects: frozenset[str] = frozenset()
    timeout_s: float = 10.0
    effect: Literal["none", "local", "outside"] = "none"
    """Where a write lands: `local` shares the ledger's transaction (inject `tx`); `outside` does not."""
    untrusted: bool = False
    """Its results hold text from outside: data, never instructions; they taint the turn. A tool whose results
    are so only sometimes says so in the result: `"untrusted": true`."""
    egress: bool = False
    """Its arguments leave the company."""
    idempotent: bool = False
    """A read that asks a source which may fail for a moment: it is tried again after 429, 5xx, a broken
    connection or a time-out. Writes are never tried again."""
    exclusive_group: str = ""
    """Calls with one group in common, such as `money`, never run at the same time for one tenant."""
    fallback: Callable[..., Stale] | None = None
    """For reads: takes what the function takes, and gives what was known before when the source cannot be asked."""
    view: View | None = None
    """What a model sees of a result; None shows all of it, up to the desk's limit."""
    allow: frozenset[str] = frozenset()
    """Keys of its results, at every level, that are kept at all; what is under other keys reaches nobody. Empty
    keeps all."""
    reveals: frozenset[str] = frozenset()
    """Kinds of personal data (of `PERSONAL`) in its results that are shown again to the
    caller in the answer; models, logs and traces see them masked all the same."""
    assess: Callable[..., Risk] | None = None
    """Judges one call by its arguments: takes them and the injected names (`tx` excepted), and gives the risk it has.
    The only way for a call to run with less risk than its tool has; raises `ToolError` to forbid it."""
    identifiers: frozenset[str] = frozenset()
    """Parameters whose value must come from the person, a result or a document; never from nowhere."""
    roles: frozenset[str] = frozenset()
    """The caller needs one of these; empty admits everybody."""
    examples: tuple[Example, ...] = ()
    grounds: str = ""
    """What to look up in knowledge when this tool is in play, such as "return policy 退货政策"."""
    always: bool = False
    """Offered in every turn, whatever was asked."""
    preview: Callable[..., Preview] | None = None
    """Takes the arguments and the injected names (`tx` excepted); needed for write and critical."""
    render: Callable[[Any, str], str] | None = None
    """`(data, "zh" | "en") -> text`: the result in a sentence or a short list, for people and weak models."""
    reconcile: Callable[..., Any] | None = None
    """For outside effects: looks whether a claimed call happened; returns data, None (did not), or raises."""
    undo: str | None = None
    """For drafts: the name of the tool that takes it back."""

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The JSON Schema of the arguments, without references. Shared: do not change it."""
        return inline(self.args.model_json_schema())

    def schema(self, *, strict: bool = False) -> dict[str, Any]:
        """The tool as OpenAI's `tools` entry. `strict` makes it strict-compatible: all required, no defaults."""
        parameters = without_labels(self.parameters)
        if strict:
            parameters = strict_form(parameters)
        spec: dict[str, Any] = {
            "name": self.name,
            "description": self.text_for_model(),
            "parameters": parameters,
        }
        return {"type": "function", "function": {**spec, "strict": True} if strict else spec}

    def text_for_model(self) -> str:
        """The description with its examples, one a line: `Example: "words" -> {"arg": "value"}`."""
        lines = [self.description]
        for e in self.examples:
            args = json.dumps(dict(e.args), ensure_ascii=False, default=str)
            lines.append(f'Example: "{e.text}" -> {args}')
        return "\n".join(lines)
