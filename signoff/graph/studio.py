"""The graph for LangGraph's server and Studio (`langgraph.json`): no saver, since the server brings its own."""

from __future__ import annotations

import sys
from typing import Any

from langgraph.runtime import Runtime

from signoff.caller import Caller
from signoff.errors import Forbidden
from signoff.graph.builder import STOP_BEFORE, builder
from signoff.graph.home import from_context, init, open_services
from signoff.settings import Settings


def identify(runtime: Runtime[Caller]) -> Caller:
    """Who is asking: under the server whoever was authenticated; in a program of one's own, the run's context.

    The server takes a run's context from the request's body, so it is never believed there. The Studio page,
    which the server authenticates itself, acts as the settings' own caller.
    """
    if "langgraph_api" not in sys.modules:
        return from_context(runtime)
    user: Any = runtime.server_info.user if runtime.server_info else None
    if user is None or not user.is_authenticated:
        raise Forbidden("Nobody is authenticated: send a bearer token that SIGNOFF_TOKENS knows.")
    if type(user).__name__ == "StudioUser" or user.identity == "langgraph-studio-user":
        return Caller.parse(_settings.caller)
    return Caller.parse(f"{user.identity}:{','.join(user.permissions)}")


_settings = Settings.load()
if init(_settings).created:
    _settings = Settings.load()

graph = builder(open_services(_settings, identify=identify)).compile(interrupt_before=list(STOP_BEFORE), name="signoff")
"""Six nodes with a stop before `write_tools`."""
