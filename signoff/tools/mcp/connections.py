"""All servers of an `mcp.json`: which of their tools are offered, which are withheld, and why."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from signoff.errors import ConfigError, NotFound
from signoff.tools.contract import Risk, Tool
from signoff.tools.mcp.adapter import adapted
from signoff.tools.mcp.config import ServerConfig, load_config
from signoff.tools.mcp.definition import Definition
from signoff.tools.mcp.examination import Finding, examine
from signoff.tools.mcp.names import tool_names
from signoff.tools.mcp.pins import Pin, Pins

if TYPE_CHECKING:
    from signoff.tools.mcp.session import Session


@dataclass(frozen=True)
class Problem:
    """Why a server, or one of its tools, is not offered. `str(problem)` is a sentence for the operator."""

    server: str
    tool: str | None
    kind: Literal["unreachable", "changed", "held", "schema", "config"]
    message: str

    def __str__(self) -> str:
        return self.message


class Connections:
    """The tools of every server that is not disabled. Close it: its processes end with it."""

    def __init__(
        self, configs: Iterable[ServerConfig], *, home: Path, taken: Iterable[str] = (), refresh: bool = False
    ) -> None:
        self.configs = list(configs)
        self._pins = Pins(home)
        self._taken = tuple(taken)
        self.names: dict[tuple[str, str], str] = {}
        """What each tool is offered as, by its server and that server's own name of it."""
        self.tools: list[Tool] = []
        self.problems: list[Problem] = []
        self._home = home
        self._active = {c.name: c for c in self.configs if not c.disabled}
        if self._active and find_spec("mcp") is None:
            raise ConfigError("MCP servers need the extra mcp: pip install 'signoff[mcp]'.")
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()
        try:
            self._load(refresh)
        except BaseException:
            self.close()
            raise

    def session(self, server: str) -> Session:
        """The connection to a server. Raises `NotFound` for one that is not there, or is disabled."""
        if server not in self._active:
            known = ", ".join(self._active) or "none"
            raise NotFound(f"There is no MCP server {server!r} in the configuration that is not disabled: {known}.")
        from signoff.tools.mcp.session import Session

        with self._lock:
            if server not in self._sessions:
                plain = "".join(c if c.isalnum() or c in "-_." else "_" for c in server)
                self._sessions[server] = Session(
                    self._active[server],
                    log=self._home / "mcp-logs" / f"{plain}.log",
                    listed=partial(self._see, server),
                )
            return self._sessions[server]

    def pins(self, server: str) -> dict[str, Pin]:
        """What is known of a server's tools, by its own names of them."""
        return self._pins.of(server)

    def approve(self, server: str, by: str, tools: Iterable[str] | None = None) -> dict[str, Pin]:
        """Accept what a server says of its tools now; returns what was accepted anew, by the server's names.

        Raises `NotFound` for a server or tool that is not there, `ConfigError` when it cannot be reached.
        """
        from signoff.tools.mcp.connection import Unreachable

        session = self.session(server)
        try:
            session.open()
        except (Unreachable, TimeoutError) as error:
            raise ConfigError(f"The MCP server {server} cannot be reached: {error or 'no answer'}.") from None
        wanted = None if tools is None else list(tools)
        for name in wanted or ():
            if name not in session.hashes:
                raise NotFound(f"The MCP server {server} has no tool {name!r}: {', '.join(session.hashes) or 'none'}.")
        return self._pins.approve(server, by, datetime.now(UTC), wanted)

    def close(self) -> None:
        """End every connection, and every process that was started for one."""
        with self._lock:
            sessions = list(self._sessions.values())
        if sessions:
            from signoff.tools.mcp.session import close

            close(sessions)

    def __enter__(self) -> Connections:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _see(self, server: str, definitions: list[Definition]) -> None:
        """Note what a server lists, whenever a connection is made."""
        self._pins.see(server, definitions, self._findings, datetime.now(UTC))

    def _findings(self, definition: Definition) -> list[Finding]:
        others = {t for s in self._active if s != definition.server for t in self._pins.of(s)}
        return examine(definition, {*self._taken, *others} - set(self._pins.of(definition.server)))

    def _load(self, refresh: bool) -> None:
        # What is pinned can be offered without asking: a slow or dead server then delays nothing but its own calls.
        unknown = [self.session(n) for n in self._active if refresh or not self._pins.of(n)]
        if unknown:
            from signoff.tools.mcp.session import connect

            for server, why in connect(unknown).items():
                self.problems.append(
                    Problem(server, None, "unreachable", f"The MCP server {server} cannot be reached: {why}.")
                )
        configs = self._active
        pins = {n: {t: p for t, p in self._pins.of(n).items() if p.status != "gone"} for n in configs}
        self.names = tool_names(
            ((n, t) for n in configs for t in pins[n] if configs[n].offers(t)),
            prefixes={n: c.prefix for n, c in configs.items()},
            taken=self._taken,
        )
        for name, config in configs.items():
            self._offer(config, pins[name])

    def _offer(self, config: ServerConfig, pins: Mapping[str, Pin]) -> None:
        server = config.name
        if pins:
            for tool in sorted((config.tools | set(config.risk)) - set(pins)):
                where = "tools" if tool in config.tools else "risk"
                text = f"mcp.json names {tool!r} under {server}.{where}, but that server has no such tool."
                self.problems.append(Problem(server, tool, "config", text))
        for tool, pin in pins.items():
            if not config.offers(tool):
                continue
            if pin.status != "pinned" or pin.accepted is None:
                self.problems.append(_withheld(server, tool, pin))
                continue
            try:
                self.tools.append(self._adapted(config, pin.accepted))
            except ConfigError as error:
                text = f"{tool} of the MCP server {server} is not offered: {error}."
                self.problems.append(Problem(server, tool, "schema", text))

    def _adapted(self, config: ServerConfig, definition: Definition) -> Tool:
        again = config.risk_of(definition.name) is Risk.READ

        def send(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
            return self.session(config.name).call(tool, arguments, expected=definition.hash, again=again)

        return adapted(self.names[config.name, definition.name], definition, config, send)


def mcp_tools(
    config: Path,
    *,
    home: Path,
    taken: Iterable[str] = (),
    refresh: bool = False,
    only: Collection[str] | None = None,
) -> Connections:
    """Open the servers of an `mcp.json`; the tools are in `.tools`, what is amiss in `.problems`. Close it.

    `only` names the servers that are used; None uses all.

    `taken` are the names of the desk's own tools. Servers whose tools are pinned are not asked before their
    first call, unless `refresh`; the others are asked side by side, each for its `start_timeout_s` at most.
    Raises `ConfigError` for a wrong file, damaged pins, a server that is not there, or when the extra `mcp` is
    not installed.
    """
    servers = load_config(config)
    if missing := sorted(set(only or ()) - {s.name for s in servers}):
        raise ConfigError(f"{config} has no server {missing[0]!r}: it has {', '.join(s.name for s in servers)}.")
    chosen = servers if only is None else [s for s in servers if s.name in only]
    return Connections(chosen, home=home, taken=taken, refresh=refresh)


def _withheld(server: str, tool: str, pin: Pin) -> Problem:
    if pin.status == "changed":
        what = f"The MCP server {server} changed its description of {tool} since it was accepted ({pin.by})"
        kind: Literal["changed", "held"] = "changed"
    else:
        what = f"{tool} of the MCP server {server} is withheld"
        kind = "held"
    found = f": {'; '.join(map(str, pin.findings[:2]))}" if pin.findings else ""
    return Problem(
        server,
        tool,
        kind,
        f"{what}{found}. Read it with `signoff mcp list`, accept it with `signoff mcp approve {server}`.",
    )
