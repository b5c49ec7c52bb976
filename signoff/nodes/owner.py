"""Whose thread this is. Tools act for the owner, whoever resumes the thread."""

from __future__ import annotations

from contextvars import ContextVar

from langgraph.config import get_config
from langgraph.runtime import Runtime

from signoff.caller import Caller
from signoff.errors import NotFound, UsageError
from signoff.nodes.services import Services


def thread_of() -> str:
    """The running thread's id. Raises `UsageError` when the run names none."""
    thread = get_config().get("configurable", {}).get("thread_id")
    if not thread:
        raise UsageError('Name a thread: pass config={"configurable": {"thread_id": "…"}}.')
    return str(thread)


owning: ContextVar[tuple[str, Caller] | None] = ContextVar("signoff_owning", default=None)
"""The running thread and its owner, where whoever started the run has looked already and holds the thread."""


def owner_of(runtime: Runtime[Caller], services: Services) -> tuple[Caller, str]:
    """The owner and the thread's id. Raises `NotFound` for a thread that no turn has begun on."""
    services.identify(runtime)
    thread = thread_of()
    known = owning.get()
    owner = known[1] if known is not None and known[0] == thread else services.threads.owner(thread)
    if owner is None:
        raise NotFound(f"There is no thread {thread}: ask something first.")
    return owner, thread
