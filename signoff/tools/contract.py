"""What a tool is: a typed function, its JSON Schema, its risk, and the one envelope every call answers with."""

from __future__ import annotations

import inspect
import json
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.fields import FieldInfo
from typing_extensions import TypedDict, Unpack

from signoff.errors import ConfigError
from signoff.tools.schema import inline, strict_form

INJECTABLE = frozenset({"caller", "clock", "settings", "call", "records", "knowledge", "memory", "results", "tx"})
"""Names a tool may ask for with `injects`; they never appear in its schema."""

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")


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
class CallInfo:
    """The call a tool is running for; injected as `call`."""

    thread: str
    turn: str
    id: str
    language: str = "en"
    """Of the question: `zh` or `en`."""
    said: tuple[str, ...] = ()
    """The person's own messages of this conversation, newest first."""


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

    def schema(self, *, strict: bool = False) -> dict[str, Any]:
        """The tool as OpenAI's `tools` entry. `strict` makes it strict-compatible: all required, no defaults."""
        parameters = inline(self.args.model_json_schema())
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


class ToolOptions(TypedDict, total=False):
    """What `tool` takes: the fields of `Tool` that are not in the function itself."""

    name: str
    risk: Risk | str
    version: str
    injects: Sequence[str]
    timeout_s: float
    effect: Literal["none", "local", "outside"]
    untrusted: bool
    egress: bool
    identifiers: Sequence[str]
    roles: Sequence[str]
    examples: Sequence[Example]
    grounds: str
    always: bool
    preview: Callable[..., Preview] | None
    render: Callable[[Any, str], str] | None
    reconcile: Callable[..., Any] | None
    undo: str | None


@typing.overload
def tool(fn: Callable[..., Any], /) -> Tool: ...
@typing.overload
def tool(**options: Unpack[ToolOptions]) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(fn: Callable[..., Any] | None = None, /, **options: Unpack[ToolOptions]) -> Any:
    """Make a `Tool` of a typed function; used bare or with arguments.

    The schema comes from the signature: `Literal` becomes an enum, a default makes a parameter optional,
    pydantic models nest, `Annotated[…, Field(…)]` adds constraints, and a docstring's `Args:` section
    describes parameters. The first paragraph of the docstring is the description.

    `identifiers` defaults to the string parameters named `id` or `ref`, or ending in `_id` or `_ref`.

    Raises `ConfigError` when the function cannot be a tool: no docstring, an unannotated parameter,
    `*args`, an unknown name in `injects`, a write without `preview`.
    """

    if unknown := sorted(set(options) - set(ToolOptions.__annotations__)):
        raise ConfigError(f"tool() has no option {unknown[0]!r}: see signoff.tools.contract.Tool.")
    return _made(fn, options) if fn is not None else lambda fn: _made(fn, options)


def _made(fn: Callable[..., Any], options: ToolOptions) -> Tool:
    label = options.get("name", fn.__name__)
    risk = Risk(options.get("risk", Risk.READ))
    injects = frozenset(options.get("injects", ()))
    summary, described = _docstring(fn)
    if not _NAME.fullmatch(label):
        raise ConfigError(f"Tool name {label!r}: use letters, digits, _ and -, at most 64.")
    if not summary:
        raise ConfigError(f"Tool {label!r} has no docstring: say what it does and when not to use it.")
    args = _arguments_model(label, fn, injects, described)
    if risk.gated and options.get("preview") is None:
        raise ConfigError(f"Tool {label!r} is {risk}: it needs a preview for the approver's card.")
    effect = options.get("effect") or ("outside" if risk.gated or risk is Risk.DRAFT else "none")
    if ("tx" in injects) != (effect == "local"):
        raise ConfigError(f"Tool {label!r}: effect='local' and injecting tx go together, or the effect could repeat.")
    if effect == "local" and risk is Risk.READ:
        raise ConfigError(f"Tool {label!r} has a local effect: its risk is draft, write or critical, not read.")
    identifiers = options.get("identifiers")
    if identifiers is None:
        identifiers = [
            n
            for n, f in args.model_fields.items()
            if re.search(r"(^|_)(id|ref)$", n) and f.annotation in (str, str | None)
        ]
    return Tool(
        name=label,
        description=summary,
        fn=fn,
        args=args,
        risk=risk,
        version=options.get("version", "1"),
        injects=injects,
        timeout_s=options.get("timeout_s", 10.0),
        effect=effect,
        untrusted=options.get("untrusted", False),
        egress=options.get("egress", False),
        identifiers=frozenset(identifiers),
        roles=frozenset(options.get("roles", ())),
        examples=tuple(options.get("examples", ())),
        grounds=options.get("grounds", ""),
        always=options.get("always", False),
        preview=options.get("preview"),
        render=options.get("render"),
        reconcile=options.get("reconcile"),
        undo=options.get("undo"),
    )


def _arguments_model(
    label: str, fn: Callable[..., Any], injects: frozenset[str], described: Mapping[str, str]
) -> type[BaseModel]:
    if unknown := sorted(injects - INJECTABLE):
        raise ConfigError(f"Tool {label!r} injects {unknown[0]!r}: known are {', '.join(sorted(INJECTABLE))}.")
    hints = typing.get_type_hints(fn, include_extras=True)
    fields: dict[str, Any] = {}
    for p in inspect.signature(fn).parameters.values():
        if p.name in injects:
            continue
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            raise ConfigError(f"Tool {label!r} takes *{p.name}: every parameter must be named.")
        if p.name not in hints:
            raise ConfigError(f"Tool {label!r}: parameter {p.name!r} has no type.")
        default = ... if p.default is p.empty else p.default
        if isinstance(default, FieldInfo):
            fields[p.name] = (hints[p.name], default)
        else:
            fields[p.name] = (hints[p.name], Field(default, description=described.get(p.name)))
    missing = injects - set(inspect.signature(fn).parameters)
    if missing:
        raise ConfigError(f"Tool {label!r} injects {sorted(missing)[0]!r} but has no such parameter.")
    model: type[BaseModel] = create_model(
        label, __config__=ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True), **fields
    )
    return model


def _docstring(fn: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """The text before `Args:` and the parameters described after it (Google style)."""
    text = inspect.getdoc(fn) or ""
    head, _, rest = text.partition("\nArgs:\n")
    described: dict[str, str] = {}
    last = ""
    for line in rest.splitlines():
        if line and not line.startswith(" "):
            break
        if match := re.match(r" {2,4}(\w+)(?: \([^)]*\))?: (.*)", line):
            last = match[1]
            described[last] = match[2].strip()
        elif last and line.strip():
            described[last] += " " + line.strip()
    return " ".join(head.split()), described
