"""`mcp.json`: which MCP servers there are, how each is reached, and how far its tools are trusted."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from signoff.errors import ConfigError
from signoff.settings import Settings
from signoff.tools.contract import Risk

_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")
_NAME = re.compile(r"\w[\w .@-]{0,63}")
_HTTP = ("http", "streamable-http", "streamableHttp", "streamable_http")


@dataclass(frozen=True)
class ServerConfig:
    """One entry of `mcpServers`: a program to start, or an address, and what the desk makes of its tools."""

    name: str
    command: str = ""
    """The program, for a server that is started; found on its own `PATH`."""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    """All that the program's environment holds beside `PATH` and `HOME`."""
    cwd: Path | None = None
    """Where the program runs; a relative one is taken from the file's own folder."""
    url: str = field(default="", repr=False)
    """The endpoint, for a server that is reached over streamable HTTP."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    tools: frozenset[str] = frozenset()
    """The server's own names of the tools that are offered; empty offers all."""
    risk: Mapping[str, Risk] = field(default_factory=dict)
    """By the server's own names; `write` for a tool that is not named. A server's hints change nothing."""
    prefix: str = ""
    """Put before every tool's name; without it `server__` is, where two tools would have one name."""
    timeout_s: float = 30.0
    """Seconds for one call."""
    start_timeout_s: float = 15.0
    """Seconds until a server that is started or connected to must have listed its tools."""
    disabled: bool = False
    egress: bool = True
    """Whether its tools' arguments count as leaving the company."""
    roles: frozenset[str] = frozenset()
    """A caller needs one of these to use its tools; empty admits everybody."""

    def risk_of(self, tool: str) -> Risk:
        """The risk of one of its tools."""
        return self.risk.get(tool, Risk.WRITE)

    def offers(self, tool: str) -> bool:
        """Whether the allow-list lets a tool through."""
        return not self.tools or tool in self.tools


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    type: Literal["stdio", "http", "streamable-http", "streamableHttp", "streamable_http"] | None = None
    command: str | None = Field(None, min_length=1)
    args: list[str] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    cwd: str | None = None
    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    tools: list[str] = Field(default_factory=list)
    risk: dict[str, Literal["read", "draft", "write", "critical"]] = Field(default_factory=dict)
    prefix: str = Field("", pattern=r"^[A-Za-z_]?[A-Za-z0-9_-]{0,31}$")
    timeout_s: float = Field(30.0, gt=0, le=3600)
    start_timeout_s: float = Field(15.0, gt=0, le=600)
    disabled: bool = False
    egress: bool = True
    roles: list[str] = Field(default_factory=list)


def config_path(settings: Settings) -> Path | None:
    """The file that the settings name, or the home's own `mcp.json`; None where there is none.

    Raises `ConfigError` when the settings name a file that is not there.
    """
    if settings.mcp_config is not None:
        if not settings.mcp_config.is_file():
            raise ConfigError(f"SIGNOFF_MCP_CONFIG names {settings.mcp_config}, which is not a file.")
        return settings.mcp_config
    own = settings.home / "mcp.json"
    return own if own.is_file() else None


def load_config(path: Path, environ: Mapping[str, str] | None = None) -> list[ServerConfig]:
    """Read a file's servers, in its order, with `${VAR}` and `${VAR:-default}` filled in from the environment.

    Variables of disabled servers are left as they are. Raises `ConfigError` naming the file and the key.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}.") from None
    try:
        whole = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is not JSON as an mcp.json must be: {error}.") from None
    if not isinstance(whole, dict) or not isinstance(whole.get("mcpServers"), dict):
        raise ConfigError(f'{path} has no "mcpServers": write {{"mcpServers": {{"name": {{"command": "…"}}}}}}.')
    if unknown := sorted(set(whole) - {"mcpServers", "$schema"}):
        raise ConfigError(f"{path}: {unknown[0]!r} is not a key of an mcp.json; only mcpServers is.")
    known = os.environ if environ is None else environ
    return [_server(path, name, entry, known) for name, entry in whole["mcpServers"].items()]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(k for i, (k, _) in enumerate(pairs) if k in {p for p, _ in pairs[:i]})
        raise ValueError(f"the key {twice!r} is there twice")
    return found


def _server(path: Path, name: str, entry: Any, environ: Mapping[str, str]) -> ServerConfig:
    where = f"{path}: mcpServers.{name}"
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{where}: name servers with letters, digits, spaces and _ . @ - only, at most 64.")
    try:
        read = _Entry.model_validate(entry)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(p) for p in first["loc"])
        if first["type"] == "extra_forbidden":
            raise ConfigError(
                f"{where}.{key}: there is no such key; known are {', '.join(_Entry.model_fields)}."
            ) from None
        raise ConfigError(f"{where}{'.' if key else ''}{key}: {first['msg']}.") from None
    if (read.command is None) == (read.url is None):
        raise ConfigError(f"{where}: give either command (a program to start) or url (streamable HTTP).")
    if read.type is not None and (read.type in _HTTP) != (read.url is not None):
        raise ConfigError(f"{where}.type: {read.type} does not go with {'url' if read.url else 'command'}.")

    def filled(value: str, key: str) -> str:
        def one(match: re.Match[str]) -> str:
            found = environ.get(match[1], match[2])
            if found is None:
                raise ConfigError(f"{where}.{key}: the variable {match[1]} is not set in the environment.")
            return found

        return value if read.disabled else _VARIABLE.sub(one, value)

    url = filled(read.url or "", "url")
    if url and not read.disabled:
        _check_url(url, where)
    for key, headers in (("headers", read.headers), ("env", read.env)):
        if wrong := [n for n in headers if not n or not n.isprintable() or set(n) & set("=:\r\n ")]:
            raise ConfigError(f"{where}.{key}: {wrong[0]!r} is not a name.")
    cwd = filled(read.cwd, "cwd") if read.cwd is not None else None
    return ServerConfig(
        name=name,
        command=filled(read.command or "", "command"),
        args=tuple(filled(a, f"args.{i}") for i, a in enumerate(read.args)),
        env={n: filled(v, f"env.{n}") for n, v in read.env.items()},
        cwd=path.parent / Path(cwd).expanduser() if cwd is not None else None,
        url=url,
        headers={n: filled(v, f"headers.{n}") for n, v in read.headers.items()},
        tools=frozenset(read.tools),
        risk={n: Risk(r) for n, r in read.risk.items()},
        prefix=read.prefix,
        timeout_s=read.timeout_s,
        start_timeout_s=read.start_timeout_s,
        disabled=read.disabled,
        egress=read.egress,
        roles=frozenset(read.roles),
    )


def _check_url(url: str, where: str) -> None:
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        sound = False
    if not sound:
        raise ConfigError(f"{where}.url: write a whole http:// or https:// address.")
