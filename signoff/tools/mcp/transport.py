"""How a server is reached: as a child process, or over streamable HTTP; and noticing when it is gone."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx2
from anyio import EndOfStream
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from signoff import workers
from signoff.errors import ConfigError
from signoff.tools.mcp import keeper
from signoff.tools.mcp.config import ServerConfig

LOG_BYTES = 131_072
"""Of what a server writes to stderr, so much is kept in the home, and as much again in an older file."""
_GARBAGE = 50
"""Lines that are no messages, after which a server is given up."""

Streams = tuple[Any, Any]


class WatchedRead:
    """A transport's read side that tells when it ended, and ends itself when a server speaks garbage."""

    def __init__(self, inner: Any, ended: Callable[[], None]) -> None:
        self._inner = inner
        self._ended = ended
        self._garbage = 0

    async def receive(self) -> SessionMessage | Exception:
        """The next message. Raises `anyio.EndOfStream` when there is none any more."""
        try:
            message: SessionMessage | Exception = await self._inner.receive()
        except Exception:
            self._ended()
            raise
        if isinstance(message, Exception):
            self._garbage += 1
            if self._garbage > _GARBAGE:
                self._ended()
                raise EndOfStream
        return message

    @property
    def last_context(self) -> Any:
        """The sender's context, where the transport keeps one."""
        return getattr(self._inner, "last_context", None)

    async def aclose(self) -> None:
        """Close the transport's side."""
        await self._inner.aclose()

    def __aiter__(self) -> WatchedRead:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> WatchedRead:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def transport(config: ServerConfig, log: Path, ended: Callable[[], None]) -> AbstractAsyncContextManager[Streams]:
    """The transport of a server. Raises `ConfigError` for a program that is not there."""
    return _over_http(config, ended) if config.url else _child(config, _parameters(config), log, ended)


def _parameters(config: ServerConfig) -> StdioServerParameters:
    given = {n: v for n in ("PATH", "HOME") if (v := os.environ.get(n)) is not None} | dict(config.env)
    if config.cwd is not None and not config.cwd.is_dir():
        raise ConfigError(f"its cwd {config.cwd} is not a folder")
    if shutil.which(config.command, path=given.get("PATH")) is None and (
        config.cwd is None or "/" not in config.command or not (config.cwd / config.command).exists()
    ):
        raise ConfigError(f"there is no program {config.command!r} on its PATH")
    if os.name != "posix" or not sys.executable:
        return StdioServerParameters(command=config.command, args=list(config.args), env=given, cwd=config.cwd)
    # The SDK passes on more of this process's environment than was given; the keeper takes that off again.
    kept = ["-I", "-S", str(Path(keeper.__file__)), ",".join(given), config.command, *config.args]
    return StdioServerParameters(command=sys.executable, args=kept, env=given, cwd=config.cwd)


@asynccontextmanager
async def _child(
    config: ServerConfig, parameters: StdioServerParameters, log: Path, ended: Callable[[], None]
) -> AsyncIterator[Streams]:
    reading, writing = os.pipe()
    workers.start(lambda: _keep_log(reading, log))
    with os.fdopen(writing, "w") as errlog:
        async with stdio_client(parameters, errlog=errlog) as (read, write):
            yield WatchedRead(read, ended), write


@asynccontextmanager
async def _over_http(config: ServerConfig, ended: Callable[[], None]) -> AsyncIterator[Streams]:
    waits = httpx2.Timeout(config.start_timeout_s, read=max(config.timeout_s, config.start_timeout_s))
    async with (
        httpx2.AsyncClient(headers=dict(config.headers), timeout=waits) as client,
        streamable_http_client(config.url, http_client=client) as (read, write),
    ):
        yield WatchedRead(read, ended), write


def _keep_log(fd: int, log: Path) -> None:
    """Write what comes to a file. When that is full it becomes the older one, in the place of the one before."""
    with os.fdopen(fd, "rb", buffering=0) as source, suppress(OSError):
        log.parent.mkdir(parents=True, exist_ok=True)
        while part := source.read(16_384):
            with log.open("ab") as file:
                file.write(part)
                full = file.tell() > LOG_BYTES
            if full:
                log.replace(log.with_name(f"{log.name}.1"))
