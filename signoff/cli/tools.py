"""`tools`: what the desk can do, which tools a request would see, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from signoff.cli.group import Noun
from signoff.cli.run import Run, clean, command

if TYPE_CHECKING:
    from signoff.caller import Caller
    from signoff.tools.contract import Tool
    from signoff.tools.registry import Registry
    from signoff.tools.selection import Selector

app = typer.Typer(cls=Noun, no_args_is_help=True)


@contextmanager
def _open(run: Run) -> Iterator[tuple[Registry, Selector, Caller, int]]:
    """The desk's tools, what ranks them, who asks, and how many a turn sees."""
    with run.desk() as desk:
        services = desk.services
        limit = services.settings.max_tools
        yield services.gateway.registry, services.selector, run.caller(services.database), limit


def _usable(tool: Tool, caller: Caller) -> bool:
    return not tool.roles or bool(tool.roles & caller.roles)


def _summary(tool: Tool) -> str:
    from signoff.tools.likeness import purpose

    return purpose(tool.description)


def _shipped(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "risk": tool.risk.value,
        "version": tool.version,
        "roles": sorted(tool.roles),
        "always": tool.always,
        "untrusted": tool.untrusted,
        "egress": tool.egress,
    }


def _record(tool: Tool, caller: Caller) -> dict[str, Any]:
    return {**_shipped(tool), "usable": _usable(tool, caller)}


@command(app, "list")
def list_(
    run: Run,
    every: Annotated[
        bool, typer.Option("--all", help="Every tool that ships, for a desk's profile to name; not the desk's own.")
    ] = False,
) -> None:
    """The tools of the desk, in the order in which they are offered."""
    if every:
        from signoff.desks.toolbox import catalogue

        for tool in (tools := catalogue()):
            run.output.event("tool", _shipped(tool))
        run.output.table(
            ("name", "risk", "roles", "what it does"),
            [(t.name, t.risk.value, ",".join(sorted(t.roles)), _summary(t)) for t in tools],
            shrink=3,
        )
        run.output.note("Those that work on a folder: `signoff tools list --desk weekly --workspace DIR`.")
        return
    with _open(run) as (registry, _, caller, _limit):
        tools = list(registry)
    for tool in tools:
        run.output.event("tool", _record(tool, caller))
    if not tools:
        run.output.note("The desk has no tools.")
        return
    rows = [
        (t.name, t.risk.value, ",".join(sorted(t.roles)), "" if _usable(t, caller) else "no", _summary(t))
        for t in tools
    ]
    run.output.table(("name", "risk", "roles", "yours", "what it does"), rows, shrink=4)


@command(app)
def show(
    run: Run,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The tool's name, as `tools list` shows it.")],
) -> None:
    """One tool: what it does, what it takes, its risk and its examples, as a model is told."""
    import json

    from signoff.errors import NotFound

    with _open(run) as (registry, _, caller, _limit):
        tool = registry.get(name)
        if tool is None:
            near = registry.nearest(clean(name))
            hint = f"did you mean {near}?" if near else "`signoff tools list` shows them."
            raise NotFound(f"There is no tool {clean(name)!r}: {hint}")
        tokens = registry.tokens([tool.name])
    parameters = tool.parameters
    examples = [{"text": e.text, "args": dict(e.args)} for e in tool.examples]
    run.output.event("tool", {**_record(tool, caller), "parameters": parameters, "examples": examples})
    run.output.say(tool.name, "bold")
    run.output.say(tool.description)
    facts = [
        ("risk", tool.risk.value),
        ("roles", ", ".join(sorted(tool.roles)) or "everybody"),
        ("undo", tool.undo or ""),
        ("time", f"{tool.timeout_s:g} s"),
        ("tokens", str(tokens)),
        ("flags", ", ".join(n for n in ("untrusted", "egress", "idempotent", "always") if getattr(tool, n))),
    ]
    run.output.say()
    for label, value in facts:
        if value:
            run.output.say(f"{label:8}{value}")
    required = set(parameters.get("required", ()))
    if parameters["properties"]:
        run.output.say("\nparameters", "bold")
        rows = [
            (n, _type(p), "yes" if n in required else "", p.get("description", ""))
            for n, p in parameters["properties"].items()
        ]
        run.output.table(("name", "type", "required", "what it is"), rows, shrink=3)
    if examples:
        run.output.say("\nexamples", "bold")
        for example in examples:
            run.output.say(f"{example['text']}  {json.dumps(example['args'], ensure_ascii=False, default=str)}")


@command(app, "try")
def try_(
    run: Run,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A tool that changes something.")],
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="An argument; may be repeated.")
    ] = None,
) -> int:
    """What a change would do, before and after, as its card would show it. Nothing is changed or proposed."""
    from dataclasses import asdict

    with run.desk() as desk:
        from signoff.cli.decisions import arguments_of

        caller = run.caller(desk.services.database)
        args = arguments_of(desk.services.gateway.registry.get(name), [clean(s) for s in set_ or ()])
        found = desk.dry_run(name, args, caller=caller)
    run.output.event("dry_run", asdict(found))
    if found.refused is not None:
        run.output.say(f"It would be refused: {found.refused.message}")
        return 1
    assert found.preview is not None
    run.output.say(found.preview.title, "bold")
    rows = [(c.field, c.before or "-", c.after or "-") for c in found.preview.changes]
    run.output.table(("what", "before", "after"), rows, shrink=2)
    run.output.say(f"risk {found.risk}, {'can' if found.preview.reversible else 'cannot'} be undone")
    for sentence in (found.preview.why, *found.preview.evidence):
        if sentence:
            run.output.say(sentence)
    return 0


def _type(spec: dict[str, Any]) -> str:
    options = [o for o in spec.get("anyOf", [spec]) if o.get("type") != "null"]
    words = ["|".join(map(str, o["enum"])) if "enum" in o else str(o.get("type", "any")) for o in options]
    return " or ".join(words)


@command(app)
def find(
    run: Run,
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="A request, as a person would put it.")],
    limit: Annotated[int, typer.Option("--limit", min=1, max=100, help="How many, best first.")] = 8,
) -> None:
    """The tools that fit a request, best first; those that a turn would be offered are marked."""
    request = clean(" ".join(text))
    with _open(run) as (_, selector, caller, most):
        found = selector.rank(request, caller)[:limit]
        offered = set(selector.choose([request], caller, most))
        fault = selector.fault
    if fault:
        run.output.note(fault, "yellow")
    for match in found:
        run.output.event(
            "match", {"name": match.tool.name, "score": match.score, "offered": match.tool.name in offered}
        )
    if not found:
        run.output.note(f"{caller.name} may use no tool of this desk.")
        return
    rows = [(m.tool.name, f"{m.score:.2f}", "yes" if m.tool.name in offered else "", _summary(m.tool)) for m in found]
    run.output.table(("name", "score", "offered", "what it does"), rows, shrink=3)


@command(app)
def lint(
    run: Run,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")] = False,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", metavar="RULE|TOOL:RULE", help="Leave a rule out, or for one tool; may be repeated."),
    ] = None,
) -> int:
    """What makes the tools hard for models, or unsafe. Exit code 1 when there are errors."""
    from collections import Counter

    from signoff.embedding import packaged
    from signoff.tools.lint import Severity, leave_out
    from signoff.tools.lint import lint as lint_tools

    with _open(run) as (registry, _, _caller, _limit):
        found = leave_out(lint_tools(registry, encoder=packaged()), ignore or (), registry)
        count = len(registry)
    shown = {f: Severity.ERROR if strict and f.severity is Severity.WARNING else f.severity for f in found}
    colours = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}
    for finding, severity in shown.items():
        data = {"tool": finding.tool, "rule": finding.rule, "severity": severity.value, "message": finding.message}
        run.output.event("finding", data)
        run.output.say(f"{severity.value}: {finding.tool}: {finding.message} [{finding.rule}]", colours[severity])
    counts = Counter(shown.values())
    told = ", ".join(f"{counts[s]} {s.value}{'' if counts[s] == 1 else 's'}" for s in Severity)
    run.output.note(f"{count} tools: {told}.")
    return 1 if counts[Severity.ERROR] else 0


@command(app)
def report(
    run: Run,
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TEXT]…", help="Requests to choose tools for, each one argument; else the examples."),
    ] = None,
) -> None:
    """What selection saves in tokens, and how often an example finds its tool when it is left out itself."""
    from dataclasses import asdict

    from signoff.tools.selection_report import PLACES
    from signoff.tools.selection_report import report as measure

    with _open(run) as (registry, selector, caller, limit):
        found = measure(registry, selector, caller, limit, [clean(t) for t in text or ()])
    run.output.event("report", {**asdict(found), "chosen_tokens": round(found.chosen_tokens, 1)})
    how = "words and meaning" if found.dense else "words"
    run.output.say(f"{found.tools} tools for {caller.name}, at most {found.limit} in a turn, chosen by {how}.")
    saved = 1 - found.chosen_tokens / found.all_tokens if found.all_tokens else 0.0
    run.output.say(
        f"Tokens of the tool block: {found.all_tokens} with all tools, {found.chosen_tokens:.0f} with selection "
        f"({saved:.0%} less, {len(found.choices)} requests)."
    )
    if text:
        for choice in found.choices:
            run.output.say(f"\n{choice.text}  ({choice.tokens} tokens)", "bold")
            run.output.say(", ".join(choice.tools))
        run.output.say()
    if found.accuracy:
        rows = [(a.language, a.examples, *(f"{s:.3f}" for s in a.shares)) for a in found.accuracy]
        run.output.say("\nExamples that find their tool, each left out of the index for its own try:")
        run.output.table(("language", "examples", *(f"first {k}" for k in PLACES)), rows)
    for miss in found.misses[:10]:
        run.output.note(f"{miss.tool} came {miss.place}., after {miss.first}: {miss.text}")
