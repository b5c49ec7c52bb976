"""A server's tool as a `Tool` of ours: its schema as it is, its risk the operator's word, its results untrusted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from signoff.text import shorten, terminal_safe
from signoff.tools.contract import Change, Preview, Risk, Tool
from signoff.tools.mcp.arguments import Arguments, arguments_model
from signoff.tools.mcp.config import ServerConfig
from signoff.tools.mcp.contents import rendered
from signoff.tools.mcp.definition import Definition

Send = Callable[[str, Mapping[str, Any]], dict[str, Any]]
"""Takes the server's name of a tool and the arguments as it is sent them."""


def adapted(name: str, definition: Definition, config: ServerConfig, send: Send) -> Tool:
    """The tool under the name it is offered by. Raises `ConfigError`, without a subject, for a bad schema.

    None of its parameters counts as an identifier of ours: other systems' ids follow no rule that code could
    hold them to, and a card shows where every value came from.
    """
    model = arguments_model(name, definition.schema)
    risk = config.risk_of(definition.name)

    def fn(**fields: Any) -> dict[str, Any]:
        return send(definition.name, model.given(fields))

    return Tool(
        name=name,
        description=_description(definition),
        fn=fn,
        args=model,
        risk=risk,
        # An approval of a call is of the tool as it was described then.
        version=definition.hash[:16],
        # Longer than the connection's own times, which end a call with a sentence of their own.
        timeout_s=2 * (config.timeout_s + config.start_timeout_s) + 15.0,
        effect="none" if risk is Risk.READ else "outside",
        untrusted=True,
        egress=config.egress,
        roles=config.roles,
        preview=_preview(definition, model) if risk.gated else None,
        render=rendered,
    )


def _description(definition: Definition) -> str:
    said = terminal_safe(definition.description).strip() or "It gives no description."
    return f"{said}\n(A tool of the MCP server {definition.server}.)"


def _preview(definition: Definition, model: type[Arguments]) -> Callable[..., Preview]:
    def preview(**fields: Any) -> Preview:
        given = model.given(fields)
        hints = [h for h, on in definition.hints.items() if on]
        evidence = [f"The server itself calls this {', '.join(hints)}, which nobody has checked."] if hints else []
        return Preview(
            title=shorten(f"{definition.server}: {definition.name}", 200),
            changes=[Change(name, None, _shown(value)) for name, value in given.items()],
            why="Done by another system, which alone knows what it changes and whether that can be undone.",
            evidence=evidence,
        )

    return preview


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
