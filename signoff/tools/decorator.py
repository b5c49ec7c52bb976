"""`@tool`: makes a tool of a typed function, its docstring and a few options."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.fields import FieldInfo
from typing_extensions import TypedDict, Unpack

from signoff.errors import ConfigError
from signoff.tools.contract import INJECTABLE, PERSONAL, Example, Preview, Risk, Stale, Tool, View

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")


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
    idempotent: bool
    exclusive_group: str
    fallback: Callable[..., Stale] | None
    view: View | None
    allow: Sequence[str]
    reveals: Sequence[str]
    assess: Callable[..., Risk] | None
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
    if risk is not Risk.READ and (options.get("idempotent") or options.get("fallback")):
        raise ConfigError(f"Tool {label!r} is {risk}: only a read can be idempotent or have a fallback.")
    if effect == "local" and options.get("assess"):
        raise ConfigError(f"Tool {label!r}: a call that may run as a read cannot have a local effect.")
    if unknown := sorted(set(options.get("reveals", ())) - PERSONAL):
        raise ConfigError(f"Tool {label!r} reveals {unknown[0]!r}: known are {', '.join(sorted(PERSONAL))}.")
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
        idempotent=options.get("idempotent", False),
        exclusive_group=options.get("exclusive_group", ""),
        fallback=options.get("fallback"),
        view=options.get("view"),
        allow=frozenset(options.get("allow", ())),
        reveals=frozenset(options.get("reveals", ())),
        assess=options.get("assess"),
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
            # A description in the type itself stands where the docstring has none.
            said = Field(default, description=described[p.name]) if p.name in described else Field(default)
            fields[p.name] = (hints[p.name], said)
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
