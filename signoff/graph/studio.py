"""The graph for LangGraph's server and Studio (`langgraph.json`): no saver, since the server brings its own."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from signoff.caller import Caller
from signoff.errors import Forbidden, NotFound, SignoffError
from signoff.graph.builder import STOP_BEFORE, builder, recursion_limit
from signoff.graph.home import from_context, init, open_services
from signoff.nodes import Services
from signoff.nodes.owner import thread_of
from signoff.settings import Settings
from signoff.telemetry import langsmith


def identify(runtime: Runtime[Caller]) -> Caller:
    """Who is asking: under the server whoever was authenticated; in a program of one's own, the run's context.

    The server takes a run's context and configuration from the request's body, so they are never believed
    there. Raises `Forbidden` when nobody is authenticated, `NotFound` on a thread of somebody else.
    """
    if "langgraph_api" not in sys.modules and runtime.server_info is None:
        return from_context(runtime)
    user = runtime.server_info.user if runtime.server_info else None
    if user is None or not user.is_authenticated or "/" not in user.identity:
        raise Forbidden("Nobody is authenticated: send a bearer token that SIGNOFF_TOKENS knows.")
    caller = Caller.parse(f"{user.identity}:{','.join(user.permissions)}")
    thread = thread_of()
    owner = _services.threads.owner(thread)
    # The server keeps threads apart by their ids, and takes ids that callers choose; other desks of this home
    # have threads too.
    if owner is not None and (owner.tenant, owner.user) != (caller.tenant, caller.user):
        raise NotFound(f"There is no thread {thread!r} of {caller.name}: start one of your own.")
    return caller


def _settings() -> Settings:
    init(Settings.load())
    # The home's own settings, such as its clock, are there only once somebody has made it.
    return Settings.load()


class StudioGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """The compiled graph, with errors that a client of the server gets to read."""

    async def astream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> AsyncGenerator[Any]:
        """`CompiledStateGraph.astream`, which the server runs. Raises `ValueError` with an error's sentence."""
        try:
            items = cast(AsyncGenerator[Any], super().astream(input, config, **options))
            async with aclosing(items):
                async for item in items:
                    yield item
        except SignoffError as error:
            # The server tells its clients what Python's own errors say, and of others only their names.
            raise ValueError(str(error)) from error


def _compiled(services: Services) -> CompiledStateGraph[Any, Any, Any, Any]:
    made = builder(services)
    # The server gives every run a context, an empty one too, and shows its schema as a form. There is none here.
    made.context_schema = None
    compiled = made.compile(interrupt_before=list(STOP_BEFORE), name="signoff")
    parts = {k: v for k, v in vars(compiled).items() if k != "__orig_class__"}
    return StudioGraph(**parts).with_config(recursion_limit=recursion_limit(services.settings))


langsmith.configure()
_services = open_services(_settings(), identify=identify)

graph = _compiled(_services)
"""Six nodes with a stop before `write_tools`."""
