"""A server as the tools use it: connected when it is needed, once more when that broke, and given up in words."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, REQUEST_TIMEOUT

from signoff.errors import SignoffError, ToolError
from signoff.text import shorten, terminal_safe
from signoff.tools.mcp.config import ServerConfig
from signoff.tools.mcp.connection import CLOSE_S, Connection, Unreachable
from signoff.tools.mcp.contents import contents, rendered
from signoff.tools.mcp.definition import Definition
from signoff.tools.mcp.examination import of_text
from signoff.tools.mcp.loop import run_sync

COOL_DOWN_S = 10.0
"""Seconds for which a server that could not be reached is not tried again: each call is refused at once."""


class Broken(SignoffError):
    """A server went away, or failed, once a call was handed over: whether it had an effect is not known."""


class Session:
    """Safe to share between threads: everything happens on the background loop."""

    def __init__(self, config: ServerConfig, *, log: Path, listed: Callable[[list[Definition]], None]) -> None:
        self.config = config
        self._log = log
        self._listed = listed
        self._connection: Connection | None = None
        self._making: asyncio.Lock | None = None
        self._failure = ""
        self._failed_at = float("-inf")

    @property
    def hashes(self) -> Mapping[str, str]:
        """By name: the hash of what the server said of each of its tools when it was last asked."""
        return self._connection.hashes if self._connection is not None else {}

    def open(self) -> None:
        """Connect, if it is not connected, and list its tools. Raises `Unreachable`."""
        if (why := connect([self]).get(self.config.name)) is not None:
            raise Unreachable(why)

    def call(self, tool: str, arguments: Mapping[str, Any], *, expected: str, again: bool) -> dict[str, Any]:
        """Call a tool, if the server still says of it what has the hash `expected`.

        With `again` a call that broke is made a second time on a new connection. Without, it is sent once at most,
        and not before the server has said that it is there. Raises `ToolError`: `INTERNAL` or `TIMEOUT` where the
        call was sent and what became of it is not known.
        """
        work = self._call(tool, dict(arguments), expected, again)
        try:
            return run_sync(work, 2 * (self.config.start_timeout_s + self.config.timeout_s) + CLOSE_S + 1.0)
        except TimeoutError:
            raise self._timed_out() from None

    async def connected(self) -> Connection:
        """The connection, made when there is none. Raises `Unreachable`. On the loop."""
        if self._making is None:
            self._making = asyncio.Lock()
        async with self._making:
            connection = self._connection
            if connection is None or not connection.alive:
                if time.monotonic() - self._failed_at < COOL_DOWN_S:
                    raise Unreachable(self._failure)
                connection = Connection(self.config, self._log, self._listed)
            try:
                await connection.client()
            except Unreachable as error:
                self._failure, self._failed_at = str(error), time.monotonic()
                raise
            self._connection = connection
            if connection.stale:
                await connection.list_anew()
            return connection

    async def closed(self) -> None:
        """End the connection, and the process with it; the next call makes another. On the loop."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def _call(self, tool: str, arguments: dict[str, Any], expected: str, again: bool) -> dict[str, Any]:
        name = self.config.name
        for last in (False, True):
            held = self._connection
            try:
                connection = await self.connected()
                if not again and connection is held:
                    # What is sent once must not be lost to a server that ended long ago.
                    await connection.list_anew()
                self._must_be(connection, tool, expected)
                return await self._sent(connection, tool, arguments)
            except Unreachable as error:
                if not last and self._connection is not None and not self._connection.alive:
                    continue
                raise ToolError(
                    "SERVICE_UNAVAILABLE",
                    f"The MCP server {name} cannot be reached: {error}.",
                    zh=f"MCP 服务器 {name} 现在无法使用：{error}。",
                    hint="Say that it cannot be done now. Do not call this server's tools again in this turn.",
                    retryable=True,
                ) from None
            except Broken as error:
                if again and not last:
                    continue
                raise ToolError(
                    # INTERNAL makes the ledger say of an effect that its outcome is not known.
                    "SERVICE_UNAVAILABLE" if again else "INTERNAL",
                    f"The MCP server {name} failed while it was called: {error}.",
                    zh=f"MCP 服务器 {name} 在调用中出错：{error}。",
                    hint="Say that it did not work; do not call it again in this turn.",
                    retryable=again,
                ) from None
        raise AssertionError

    async def _sent(self, connection: Connection, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        client = await connection.client()
        try:
            result = await client.call_tool(tool, arguments, read_timeout_seconds=self.config.timeout_s)
        except MCPError as error:
            if error.code == REQUEST_TIMEOUT:
                connection.unanswered()
                raise self._timed_out() from None
            connection.timeouts = 0
            if error.code in (INVALID_PARAMS, METHOD_NOT_FOUND):
                raise self._refused(tool, error.message) from None
            if error.code == INVALID_REQUEST and error.message == "Session terminated":
                # The SDK's word for a 404: the server forgot the session.
                connection.cancel()
                raise Broken("it ended the session") from None
            if error.code == CONNECTION_CLOSED:
                # How the connection ended says nothing of this call: another's may have ended it.
                await connection.close()
            raise Broken(connection.cause or connection.why(error)) from None
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            connection.cancel()
            raise Broken("the connection ended") from None
        except Exception as error:
            # Such as an answer that is not of the form the server itself declared, or a question back.
            raise Broken(f"its answer cannot be used ({type(error).__name__})") from None
        connection.timeouts = 0
        data = contents(result.content, result.structured_content)
        if result.is_error:
            raise self._refused(tool, rendered(data, "en"))
        return data

    def _must_be(self, connection: Connection, tool: str, expected: str) -> None:
        found = connection.hashes.get(tool)
        if found == expected:
            return
        name = self.config.name
        if found is None:
            raise ToolError(
                "NOT_FOUND",
                f"The MCP server {name} no longer has the tool {tool}.",
                zh=f"MCP 服务器 {name} 已经没有工具 {tool}。",
                hint="Use another tool, or say that this cannot be done now.",
            )
        raise ToolError(
            "CONFLICT",
            f"The MCP server {name} changed its description of {tool} since it was approved: "
            f"`signoff mcp approve {name}` accepts it.",
            zh=f"MCP 服务器 {name} 在批准之后改变了工具 {tool} 的描述：`signoff mcp approve {name}` 接受新的描述。",
            hint="Do not call it again; say that an operator must look at this server first.",
        )

    def _refused(self, tool: str, text: str) -> ToolError:
        said = shorten(terminal_safe(text), 600) or "no reason"
        if any(f.kind not in ("secrets", "encoded") for f in of_text(text)):
            # A refusal is no place for instructions, whatever a server writes there.
            said = "its message is left out, since it reads like instructions"
        name = self.config.name
        return ToolError(
            "NOT_ELIGIBLE",
            f"{tool} of the MCP server {name} refused: {said}",
            zh=f"MCP 服务器 {name} 的工具 {tool} 拒绝了：{said}",
            hint="Correct the arguments if that can help; otherwise say that it was not done, and why.",
        )

    def _timed_out(self) -> ToolError:
        name, seconds = self.config.name, f"{self.config.timeout_s:g}"
        return ToolError(
            "TIMEOUT",
            f"The MCP server {name} gave no answer within {seconds} s.",
            zh=f"MCP 服务器 {name} 在 {seconds} 秒内没有回答。",
            hint="Say that it could not be looked up now.",
            retryable=True,
        )


def connect(sessions: Sequence[Session]) -> dict[str, str]:
    """Connect to several servers side by side; why each could not be, by name."""

    async def one(session: Session) -> str | None:
        try:
            await session.connected()
        except Unreachable as error:
            return str(error)
        return None

    async def every() -> list[str | None]:
        return await asyncio.gather(*map(one, sessions))

    outcomes = run_sync(every(), max(s.config.start_timeout_s for s in sessions) + 2 * CLOSE_S)
    return {s.config.name: o for s, o in zip(sessions, outcomes, strict=True) if o is not None}


def close(sessions: Sequence[Session]) -> None:
    """Close several connections side by side; what does not end in time is left to its keeper."""

    async def every() -> None:
        await asyncio.gather(*(s.closed() for s in sessions))

    with suppress(TimeoutError):
        run_sync(every(), CLOSE_S + 1.0)
