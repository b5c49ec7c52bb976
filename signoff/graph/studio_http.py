"""What LangGraph's development server serves beside its API, closed: it asks nobody for a token there.

`/internal/…` shows any thread to anybody and wipes the server; `/deploy` starts a program.
"""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

CLOSED = ("internal", "deploy")
"""First parts of paths that answer 404."""


class CloseInternal:
    """Answers 404 for the server's own paths, and lets everything else through."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] in ("http", "websocket") and _first(scope["path"]) in CLOSED:
            await JSONResponse({"detail": "Not Found"}, status_code=404)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _first(path: str) -> str:
    return next((part for part in path.split("/") if part), "").lower()


app = Starlette(middleware=[Middleware(CloseInternal)])
"""Named in `langgraph.json` as `http.app`; the server adds its routes and puts this middleware before them."""
