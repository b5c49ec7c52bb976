"""A dry run: what a change would do, before and after, without touching or proposing anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from signoff.caller import Caller
from signoff.errors import UsageError
from signoff.nodes.services import Services
from signoff.text import language
from signoff.tools.contract import Preview, Risk
from signoff.tools.envelope import ToolFault, ToolResult
from signoff.tools.invocation import Guards, Setting, ToolCall
from signoff.tools.provenance import Source, Sources


@dataclass(frozen=True)
class DryRun:
    """What would happen."""

    tool: str
    args: Mapping[str, Any]
    """As they would run: with defaults, and normalised."""
    risk: str
    """`draft`, `write` or `critical`, of this very call; empty when it would be refused."""
    preview: Preview | None
    refused: ToolFault | None
    """Why it would be refused before any person saw it."""


def dry_run(services: Services, tool: str, args: Mapping[str, Any], caller: Caller) -> DryRun:
    """Judge a call as the gateway would. Raises `UsageError` for a tool that is not there or changes nothing."""
    services.profile.admit(caller)
    known = services.gateway.registry.get(tool)
    if known is None:
        near = services.gateway.registry.nearest(tool)
        raise UsageError(f"There is no tool {tool!r}{f': did you mean {near}?' if near else '.'}")
    if known.risk is Risk.READ:
        raise UsageError(f"{tool} only reads: there is nothing to try.")
    said = str(dict(args))
    lang = caller.locale or language(said)
    words = Sources(iter([Source("program", "dry run", said)]), lambda source: True)
    setting = Setting(caller, "dry-run", "dry-run", lang, said, words, Guards(), rehearsing=True)
    prepared = services.gateway.prepare(ToolCall("dry-run", tool, args), setting, count=False)
    if isinstance(prepared, ToolResult):
        return DryRun(tool, dict(args), "", None, prepared.error)
    found = services.proposals.dry_run(prepared, setting)
    if isinstance(found, ToolResult):
        return DryRun(tool, prepared.args, "", None, found.error)
    risk, preview = found
    return DryRun(tool, prepared.args, risk if prepared.risk is not Risk.DRAFT else "draft", preview, None)
