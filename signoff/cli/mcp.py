"""`mcp`: the desk as an MCP server for other hosts, and the MCP servers whose tools the desk has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from signoff.cli.group import Noun
from signoff.cli.run import Run, command, run_of

if TYPE_CHECKING:
    from signoff.tools.mcp import Connections, ServerConfig
    from signoff.tools.mcp.pins import Pin

app = typer.Typer(cls=Noun, invoke_without_command=True)

Server = Annotated[str, typer.Argument(metavar="SERVER", help="Its name in mcp.json.")]


@app.callback()
def _default(ctx: typer.Context) -> None:
    """Without a command: serve over stdio, as `mcp serve` does."""
    if ctx.invoked_subcommand is None:
        _serve(run_of(ctx, None, None, False), None)


@command(app)
def serve(
    run: Run,
    http: Annotated[
        str | None,
        typer.Option("--http", metavar="HOST:PORT", help="Over streamable HTTP, for the callers in SIGNOFF_TOKENS."),
    ] = None,
) -> None:
    """Offer the desk to other hosts: `ask`, `resume`, `approvals`, and the desk's tools. What must be signed off
    answers with an approval to wait for. Over stdio the caller is --as; over HTTP it is the bearer token's."""
    _serve(run, http)


@command(app, "list")
def list_(run: Run) -> int:
    """The servers in mcp.json and their tools as they are now: risk, pin, and what was found in their descriptions.

    Ends with 1 when a server cannot be reached or a tool is withheld.
    """
    with _connections(run, refresh=True) as connections:
        for config in connections.configs:
            lost = any(p.server == config.name and p.kind == "unreachable" for p in connections.problems)
            status = "disabled" if config.disabled else "unreachable" if lost else "reached"
            how = config.command or "streamable HTTP"
            run.output.event("server", {"server": config.name, "status": status, "how": how})
            run.output.say(f"{config.name}  ({how}, {status})", "bold")
            if not config.disabled:
                _tools(run, connections, config)
        for problem in connections.problems:
            data = {"server": problem.server, "tool": problem.tool, "kind": problem.kind, "message": str(problem)}
            run.output.event("problem", data)
            run.output.note(str(problem), "yellow")
        if not connections.configs:
            run.output.note("The file names no servers.")
        return 1 if connections.problems else 0


@command(app)
def approve(
    run: Run,
    server: Server,
    tool: Annotated[
        list[str] | None, typer.Option("--tool", help="Only this tool, by the server's name; may be repeated.")
    ] = None,
) -> int:
    """Accept what a server says of its tools now: read it with `mcp list` first. A later change waits again."""
    with run.database() as database:
        caller = run.caller(database)
    with _connections(run) as connections:
        accepted = connections.approve(server, caller.name, tool or None)
    for name, pin in accepted.items():
        data = {"server": server, "tool": name, "hash": pin.seen.hash, "by": pin.by}
        run.output.event("approved", {**data, "findings": [str(f) for f in pin.findings]})
        run.output.say(f"{name}: accepted as {pin.seen.hash[:16]}")
        run.output.say(f"  {pin.seen.description}")
        for finding in pin.findings:
            run.output.note(f"  {finding}", "yellow")
    if not accepted:
        run.output.note(f"Nothing of {server} was waiting to be accepted.")
    return 0


def _tools(run: Run, connections: Connections, config: ServerConfig) -> None:
    from signoff.cli.output import visible

    server = config.name
    rows: list[tuple[str, ...]] = []
    told: list[str] = []
    for name, pin in connections.pins(server).items():
        offered = config.offers(name) and pin.status == "pinned"
        shown = connections.names.get((server, name), name) if config.offers(name) else "-"
        hints = [h for h, on in pin.seen.hints.items() if on]
        record: dict[str, Any] = {
            "server": server,
            "tool": name,
            "name": shown,
            "risk": config.risk_of(name).value,
            "pin": pin.status,
            "hash": pin.seen.hash,
            "by": pin.by,
            "offered": offered,
            "hints": hints,
            "description": pin.seen.description,
            "findings": [{"kind": f.kind, "where": f.where, "excerpt": f.excerpt} for f in pin.findings],
        }
        run.output.event("tool", record)
        by = f" ({pin.by})" if pin.by else ""
        rows.append((name, shown, record["risk"], f"{pin.status}{by}", pin.seen.hash[:12], ", ".join(hints)))
        if pin.findings or pin.status != "pinned":
            told += [f"{name}: {visible(pin.seen.description)[:400]}", *(f"  {visible(str(f))}" for f in pin.findings)]
            told += _before(pin)
    if rows:
        # A server's own hints are shown, and change nothing.
        run.output.table(("tool", "offered as", "risk", "pin", "hash", "says of itself"), rows, shrink=1)
    for line in told:
        run.output.note(line, "yellow")


def _before(pin: Pin) -> list[str]:
    from signoff.cli.output import visible

    if pin.status != "changed" or pin.accepted is None:
        return []
    if pin.accepted.description != pin.seen.description:
        return [f"  accepted was: {visible(pin.accepted.description)[:400]}"]
    return ["  the schema of its arguments is another than was accepted"]


def _connections(run: Run, *, refresh: bool = False) -> Connections:
    from signoff.errors import ConfigError
    from signoff.tools.mcp import config_path, mcp_tools

    run.make_home()
    path = config_path(run.settings)
    if path is None:
        raise ConfigError(
            f"There is no mcp.json: write {run.settings.home / 'mcp.json'}, or name a file with SIGNOFF_MCP_CONFIG."
        )
    return mcp_tools(path, home=run.settings.home, taken=_own_names(), refresh=refresh)


def _own_names() -> list[str]:
    """Names of the product's own tools, with which those of servers must not be confused."""
    from signoff.desks.toolbox import catalogue

    return [t.name for t in catalogue()]


def _serve(run: Run, http: str | None) -> None:
    from importlib.util import find_spec

    from signoff.errors import ConfigError

    if find_spec("mcp") is None:
        raise ConfigError("The MCP server needs the extra mcp: pip install 'signoff[mcp]'.")
    address = _address(http) if http is not None else None
    with run.desk() as desk:
        if address is not None:
            from signoff.service.mcp_http import serve_http

            serve_http(desk, *address, announce=lambda url: _announce(run, url))
        else:
            from signoff.service.mcp import serve_stdio

            serve_stdio(desk, run.caller(desk.services.database))


def _announce(run: Run, url: str) -> None:
    run.output.event("serving", {"url": url})
    run.output.note(f"Serving MCP at {url}; Ctrl-C ends it.")


def _address(text: str) -> tuple[str, int]:
    from signoff.errors import UsageError

    host, colon, port = text.rpartition(":")
    if not colon:
        host, port = "", text
    if not port.isdecimal() or int(port) > 65535:
        raise UsageError(f"{text!r} is not HOST:PORT: write such as 127.0.0.1:8765.")
    return host.strip("[]") or "127.0.0.1", int(port)
