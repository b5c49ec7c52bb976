"""Authentication for LangGraph's server: a bearer token says who is asking, and a thread has one owner.

Identity comes from `SIGNOFF_TOKENS` and never from a request's body, context or configuration. What is not
allowed below is denied.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import sys
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

from langgraph_sdk import Auth

from signoff.caller import Caller
from signoff.errors import ConfigError, UsageError
from signoff.settings import Settings

auth = Auth()

_PAGE = re.compile(r"https://([a-z0-9-]+\.)*smith\.langchain\.com|https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")
_LOOPBACK_HOST = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?", re.IGNORECASE)
_FORWARDED = (b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"cf-connecting-ip")


class Door:
    """Knows the tokens and the switch for Studio, read once: the server's event loop must not touch the disk.

    Raises `ConfigError` for a token that is empty or names nobody. Tokens are kept as digests.
    """

    def __init__(self, settings: Settings) -> None:
        self._known = {_digest(token.encode()): _named(who) for token, who in settings.tokens.items() if _usable(token)}
        self._studio = Caller.parse(settings.caller) if settings.studio else None
        self.closed = not self._known and self._studio is None

    def caller(self, headers: Mapping[bytes, bytes], peer: str | None) -> Caller | None:
        """Who sends a request with these headers (names in lower case) from this address, if it is anybody."""
        scheme, _, token = headers.get(b"authorization", b"").strip().partition(b" ")
        if scheme.lower() == b"bearer" and token.strip():
            return self._behind(token.strip())
        if self._studio is not None and not scheme and _from_studio(headers, peer):
            return self._studio
        return None

    def _behind(self, token: bytes) -> Caller | None:
        found: Caller | None = None
        wanted = _digest(token)
        for known, caller in self._known.items():
            # Every token is compared, so that the time taken says nothing about how far a guess fits.
            if hmac.compare_digest(known, wanted):
                found = caller
        return found


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


def _usable(token: str) -> bool:
    if not token or token != token.strip():
        raise ConfigError("SIGNOFF_TOKENS has a token that is empty or has spaces round it: give every caller one.")
    return True


def _named(who: str) -> Caller:
    try:
        return Caller.parse(who)
    except UsageError as error:
        raise ConfigError(f"SIGNOFF_TOKENS names nobody for a token: {error}") from None


def _from_studio(headers: Mapping[bytes, bytes], peer: str | None) -> bool:
    """Whether a request comes from the Studio page in a browser on this machine.

    Studio marks its requests with a header, which anybody can send. So the request must also come straight
    from this machine, name it as its host (a page that rebinds its own name to 127.0.0.1 does not, nor does a
    tunnel), and be from Studio's page or a local one where the browser says from which.
    """
    try:
        near = peer is not None and ip_address(peer).is_loopback
    except ValueError:
        near = False
    host = headers.get(b"host", b"").decode("latin-1")
    origin = headers.get(b"origin")
    return (
        near
        and headers.get(b"x-auth-scheme") == b"langsmith"
        and not any(name in headers for name in _FORWARDED)
        and _LOOPBACK_HOST.fullmatch(host) is not None
        and (origin is None or _PAGE.fullmatch(origin.decode("latin-1")) is not None)
    )


def _open() -> Door:
    try:
        return Door(Settings.load())
    except ConfigError as error:
        if "langgraph_api" not in sys.modules:
            raise
        # The server would bury the sentence under a traceback.
        raise SystemExit(f"signoff: {error}") from None


_REFUSED = "Send a bearer token that SIGNOFF_TOKENS knows."
_CLOSED = "Nobody can log in yet: set SIGNOFF_TOKENS, or SIGNOFF_STUDIO=1 for the Studio page on this machine."

_door = _open()
if _door.closed:
    logging.getLogger("signoff").warning(_CLOSED)


@auth.authenticate
async def authenticate(headers: dict[bytes, bytes], scope: dict[str, Any]) -> Auth.types.MinimalUserDict:
    """The person behind a request, with their tenant and roles; 401 when it is nobody."""
    peer = scope.get("client")
    caller = _door.caller(headers, peer[0] if peer else None)
    if caller is None:
        raise Auth.exceptions.HTTPException(status_code=401, detail=_CLOSED if _door.closed else _REFUSED)
    return {"identity": caller.name, "is_authenticated": True, "permissions": sorted(caller.roles)}


@auth.on
async def deny(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Whatever has no rule of its own: the store, crons, and making or changing assistants."""
    return False


@auth.on.assistants.read
async def assistant(ctx: Auth.types.AuthContext, value: Auth.types.AssistantsRead) -> bool:
    """Everybody may see the graph that is served, and run it."""
    return True


@auth.on.assistants.search
async def assistants(ctx: Auth.types.AuthContext, value: Auth.types.AssistantsSearch) -> bool:
    """Everybody may see which graphs there are."""
    return True


@auth.on.threads
async def threads(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> Auth.types.FilterType:
    """Own threads only: what is stored is marked with its owner, and what is reached is filtered by it."""
    if ctx.action in ("create", "update"):
        _mark(value, ctx)
    return {"owner": ctx.user.identity}


@auth.on.threads.create_run
async def runs(ctx: Auth.types.AuthContext, value: Auth.types.RunsCreate) -> Auth.types.FilterType:
    """Runs on own threads that stay: a run that forgets its thread would leave proposals nobody can go on with.

    Nothing is sent to an address that a request names.
    """
    if value.get("thread_id") is None:
        raise Auth.exceptions.HTTPException(status_code=403, detail="Name a thread: make one first, then run on it.")
    if value["kwargs"].get("webhook"):
        raise Auth.exceptions.HTTPException(status_code=403, detail="Webhooks are not offered: read the run instead.")
    _mark(value, ctx)
    return {"owner": ctx.user.identity}


def _mark(value: Any, ctx: Auth.types.AuthContext) -> None:
    # In place: the server goes on with the very dict that it showed.
    if value.get("metadata") is None:
        value["metadata"] = {}
    value["metadata"]["owner"] = ctx.user.identity
