"""Authentication for LangGraph's server: a bearer token says who is asking, and a thread has one owner.

Identity comes from `SIGNOFF_TOKENS` and never from a request's body or context. What is not allowed below is
denied.
"""

from __future__ import annotations

import hmac
from typing import Any

from langgraph_sdk import Auth

from signoff.caller import Caller
from signoff.settings import Settings

auth = Auth()

_REFUSED = "Send a bearer token that SIGNOFF_TOKENS knows."


@auth.authenticate
async def authenticate(authorization: str | None = None) -> Auth.types.MinimalUserDict:
    """The person behind a token, with their tenant and roles."""
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise Auth.exceptions.HTTPException(status_code=401, detail=_REFUSED)
    found: Caller | None = None
    for known, who in Settings.load().tokens.items():
        # Every token is compared, so that the time taken says nothing about how far a guess fits.
        if hmac.compare_digest(known.encode(), token.strip().encode()):
            found = Caller.parse(who)
    if found is None:
        raise Auth.exceptions.HTTPException(status_code=401, detail=_REFUSED)
    return {"identity": found.name, "is_authenticated": True, "permissions": sorted(found.roles)}


@auth.on
async def deny(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> bool:
    """Whatever has no rule of its own."""
    return False


@auth.on.assistants.read
@auth.on.assistants.search
async def assistants(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Everybody may see which graphs there are."""
    return True


@auth.on.threads
async def threads(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> dict[str, str]:
    """Own threads only: what is made is marked with its owner, what is read is filtered by it."""
    metadata = value.setdefault("metadata", {}) if isinstance(value, dict) else {}
    if isinstance(metadata, dict):
        metadata["owner"] = ctx.user.identity
    return {"owner": ctx.user.identity}
