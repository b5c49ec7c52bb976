"""The door of an HTTP service: who is behind a bearer token, and which pages and hosts may send requests at all."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from signoff.caller import Caller
from signoff.errors import ConfigError, UsageError

CALLER = "signoff.caller"
"""Where the gate leaves the caller in a request's scope."""


class Tokens:
    """The callers by their bearer tokens, which are kept as digests. Raises `ConfigError` for an unusable one."""

    def __init__(self, tokens: Mapping[str, str]) -> None:
        self._known: dict[bytes, Caller] = {}
        for token, who in tokens.items():
            if not token or token != token.strip():
                raise ConfigError(
                    "SIGNOFF_TOKENS has a token that is empty or has spaces round it: give each caller one."
                )
            try:
                self._known[_digest(token.encode())] = Caller.parse(who)
            except UsageError as error:
                raise ConfigError(f"SIGNOFF_TOKENS names nobody for a token: {error}") from None
        if not self._known:
            raise ConfigError('Nobody could log in: set SIGNOFF_TOKENS to JSON such as {"<token>": "tenant/user"}.')

    def caller(self, authorization: bytes) -> Caller | None:
        """The caller whom an `Authorization` header names, if it is anybody."""
        scheme, _, token = authorization.strip().partition(b" ")
        wanted = _digest(token.strip())
        found: Caller | None = None
        for known, caller in self._known.items():
            # Every token is compared, so that the time taken says nothing about how far a guess fits.
            if hmac.compare_digest(known, wanted):
                found = caller
        return found if scheme.lower() == b"bearer" and token.strip() else None


class Gate:
    """Lets through what carries a known token, names this host, and comes from no foreign web page.

    On a loopback address the `Host` must be a loopback name too: a page that rebinds its own name to 127.0.0.1
    does not send one. A browser says with `Origin` from where it asks; programs send none.
    """

    def __init__(self, app: ASGIApp, tokens: Tokens, host: str) -> None:
        self._app = app
        self._tokens = tokens
        self._near = is_loopback(host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {k.lower(): v for k, v in scope["headers"]}
        host = headers.get(b"host", b"").decode("latin-1")
        origin = headers.get(b"origin")
        caller = self._tokens.caller(headers.get(b"authorization", b""))
        refusal: JSONResponse | None = None
        if self._near and not is_loopback(_name(f"//{host}")):
            refusal = _refusal(421, "This server answers to a loopback name only, such as 127.0.0.1.")
        elif origin is not None and not is_loopback(_name(origin.decode("latin-1"))):
            refusal = _refusal(403, "Requests of web pages are not taken.")
        elif caller is None:
            refusal = _refusal(401, "Send a bearer token that SIGNOFF_TOKENS knows.", {"WWW-Authenticate": "Bearer"})
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self._app({**scope, CALLER: caller}, receive, send)


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's own."""
    try:
        return host.lower() == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _name(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


def _refusal(status: int, detail: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": detail}, status_code=status, headers=headers)
