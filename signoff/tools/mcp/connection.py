"""One connection to one server: entered, listed and held open by a task of its own on the background loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, Implementation, ToolListChangedNotification

from signoff.errors import ConfigError, SignoffError
from signoff.tools.mcp.config import ServerConfig
from signoff.tools.mcp.definition import Definition
from signoff.tools.mcp.transport import transport

CLOSE_S = 7.0
"""Seconds a connection has to end: the SDK's own steps with a server that will not, and a little more."""
_VERSION = "1"
"""Of this client, as servers are told it."""
_PAGES = 50
_TOOLS = 1_000

# What a server does wrong is told in words where it matters; the SDK's log lines about it help nobody at a terminal.
for _name in ("mcp", "client"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


class Unreachable(SignoffError):
    """A server cannot be used now, and nothing was sent to it. The message is a clause without the server's name."""


class Connection:
    """Used on the loop only. It ends once, and then another is made."""

    def __init__(self, config: ServerConfig, log: Path, listed: Callable[[list[Definition]], None]) -> None:
        self.config = config
        self.log = log
        self.hashes: dict[str, str] = {}
        """By name: the hash of what the server says of each of its tools."""
        self.cause = ""
        """Why it ended, in a clause."""
        self.timeouts = 0
        """Requests in a row that got no answer."""
        self.stale = False
        """Whether the server has said that its tools are others now."""
        self._listed = listed
        self._ended = asyncio.Event()
        self._scope: anyio.CancelScope | None = None
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._hold(), name=f"mcp {config.name}")

    @property
    def alive(self) -> bool:
        """Whether it may still be used."""
        return not self._ended.is_set()

    async def client(self) -> Client:
        """The client, once it is connected and its tools are listed. Raises `Unreachable`."""
        if not self._ready.done():
            try:
                await asyncio.wait_for(asyncio.shield(self._ready), self.config.start_timeout_s)
            except TimeoutError:
                self.cancel()
                raise Unreachable(f"it did not answer within {self.config.start_timeout_s:g} s of its start") from None
        return await self._ready

    async def list_anew(self) -> None:
        """Ask what its tools are now, which also shows that it is there. Raises `Unreachable`."""
        client = await self.client()
        try:
            await asyncio.wait_for(self._list(client), self.config.start_timeout_s)
        except Exception as error:
            self.stale = True
            if isinstance(error, TimeoutError):
                # It may be busy with another's call, which is not to be broken off.
                self.unanswered()
            else:
                self.cancel()
            raise Unreachable(self.why(error)) from None
        self.timeouts = 0

    def unanswered(self) -> None:
        """Note a request that got no answer. After two in a row it hangs rather than being slow, and is ended."""
        self.timeouts += 1
        if self.timeouts > 1:
            self.cancel()

    def cancel(self) -> None:
        """End it, without waiting for its process to be gone."""
        self._ended.set()
        if self._scope is not None:
            self._scope.cancel()

    async def close(self) -> None:
        """End it, and wait for its process to be gone, `CLOSE_S` at most."""
        self.cancel()
        await self.settled(CLOSE_S)

    async def settled(self, wait_s: float) -> None:
        """Wait until its task has told why it ended."""
        with suppress(TimeoutError, asyncio.CancelledError):
            await asyncio.wait_for(asyncio.shield(self._task), wait_s)

    async def _hold(self) -> None:
        # A client must be left by the task that entered it.
        with anyio.CancelScope() as self._scope:
            try:
                way = transport(self.config, self.log, self._ended.set)
                me = Implementation(name="signoff", version=_VERSION)
                async with Client(way, client_info=me, cache=None, message_handler=self._told) as client:
                    await self._list(client)
                    if not self._ready.done():
                        self._ready.set_result(client)
                    await self._ended.wait()
            except Exception as error:
                self.cause = self.why(error)
            finally:
                self._ended.set()
                if not self._ready.done():
                    self._ready.set_exception(Unreachable(self.cause or "it ended"))
                    # Whoever waited for it may have gone.
                    self._ready.exception()

    async def _told(self, message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            self.stale = True

    async def _list(self, client: Client) -> None:
        found: dict[str, Definition] = {}
        cursor: str | None = None
        # Before it is asked: a change that is told meanwhile makes it stale again.
        self.stale = False
        for _ in range(_PAGES):
            page = await client.list_tools(cursor=cursor)
            for tool in page.tools:
                hints = tool.annotations.model_dump(by_alias=True, exclude_none=True) if tool.annotations else {}
                found[tool.name] = Definition(
                    self.config.name,
                    tool.name,
                    tool.description or "",
                    tool.input_schema,
                    {k: v for k, v in hints.items() if isinstance(v, bool)},
                )
            cursor = page.next_cursor
            if not cursor or len(found) > _TOOLS:
                break
        definitions = list(found.values())[:_TOOLS]
        await asyncio.to_thread(self._listed, definitions)
        self.hashes = {d.name: d.hash for d in definitions}

    def why(self, error: BaseException) -> str:
        """A clause that says what went wrong. It holds no text of the server's, nor any of the configuration's."""
        for cause in _leaves(error):
            match cause:
                case ConfigError():
                    return str(cause).rstrip(".")
                case httpx2.ConnectError():
                    return "nothing answers at its address"
                case httpx2.TimeoutException() | TimeoutError():
                    return "it did not answer in time"
                case httpx2.TransportError():
                    return "the connection broke"
                case PermissionError() | FileNotFoundError():
                    return "its program cannot be started"
                case MCPError() if cause.code == CONNECTION_CLOSED:
                    ended = "it ended, or closed the connection"
                    return ended if self.config.url else f"{ended}; what it wrote to stderr is in {self.log}"
                case MCPError() if "error response" in cause.message:
                    return "it answered with an HTTP error"
                case MCPError():
                    return f"it answered with the error {cause.code}"
                case _:
                    return f"it does not speak MCP as it should ({type(cause).__name__})"
        return "it ended"


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for e in error.exceptions for leaf in _leaves(e)]
    return [error]
