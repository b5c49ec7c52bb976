"""The MCP server over streamable HTTP, behind a gate that knows bearer tokens."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import uvicorn
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from signoff.errors import ConfigError
from signoff.graph.desk import Desk
from signoff.service.gate import CALLER, Gate, Tokens
from signoff.service.mcp import server

PATH = "/mcp"


def http_app(desk: Desk, *, host: str = "127.0.0.1") -> Starlette:
    """The server over streamable HTTP, at `/mcp`, for the callers in `settings.tokens`.

    `host` is the address it is bound to. Raises `ConfigError` when no token is set.
    """
    tokens = Tokens(desk.settings.tokens)
    made = server(desk, lambda context: context.request.scope[CALLER])
    manager = StreamableHTTPSessionManager(made)
    app = _Owned(StreamableHTTPASGIApp(manager))
    return Starlette(
        routes=[Route(PATH, endpoint=app)],
        middleware=[Middleware(Gate, tokens=tokens, host=host)],
        lifespan=lambda _: manager.run(),
    )


def serve_http(desk: Desk, host: str, port: int, *, announce: Callable[[str], None]) -> None:
    """Serve over streamable HTTP until interrupted. `announce` is told the address once requests are taken.

    Port 0 takes a free one. Raises `ConfigError` when no token is set or the address cannot be bound.
    """
    app = http_app(desk, host=host)
    try:
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise ConfigError(f"{host}:{port} cannot be listened on: {error.strerror or error}.") from None
    with listening:
        name = f"[{host}]" if ":" in host else host
        url = f"http://{name}:{listening.getsockname()[1]}{PATH}"
        config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=2)
        running = uvicorn.Server(config)
        threading.Thread(target=_when_started, args=(running, announce, url), daemon=True).start()
        running.run(sockets=[listening])


def _when_started(running: Any, announce: Callable[[str], None], url: str) -> None:
    while not running.started and not running.should_exit:
        time.sleep(0.02)
    if running.started:
        announce(url)


class _Owned:
    """Tells the SDK whose a request is, so that nobody goes on with another's session by its id."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        user = AuthenticatedUser(AccessToken(token="", client_id=scope[CALLER].name, scopes=[]))
        await self._app({**scope, "user": user}, receive, send)
