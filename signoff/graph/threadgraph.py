"""The compiled graph as Desk hands it out: a thread has one owner, and one turn at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from typing import Any

from langchain_core.messages import HumanMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from signoff.approvals.policy import SIGNERS
from signoff.caller import Caller
from signoff.errors import NotFound, UsageError
from signoff.graph.builder import STOP_BEFORE, builder, recursion_limit
from signoff.graph.versions import withdraw_outdated
from signoff.nodes import Services
from signoff.nodes.owner import owning
from signoff.nodes.speech import watched
from signoff.nodes.write_tools import decide, problems
from signoff.state import open_calls

_END = object()


class ThreadGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A `CompiledStateGraph` whose runs hold their thread and say who is asking.

    LangGraph itself lets two runs interleave on a thread, and loses messages when they do; and it starts a
    fresh run when a resume names a thread that does not exist. Here the second run waits, and then gets
    `ThreadBusy`; a wrong thread, or somebody else's, is `NotFound`.
    """

    def __init__(self, *, services: Services, **pregel: Any) -> None:
        super().__init__(**pregel)
        self.services = services

    def stream(
        self, input: Any, config: RunnableConfig | None = None, *, context: Any = None, **options: Any
    ) -> Iterator[Any]:
        """Like `CompiledStateGraph.stream`, which `invoke` uses too; `context` is the `Caller`.

        Checkpoints are written before the next step (`durability="sync"`) unless told otherwise: what a
        crash must not lose is on the disk. Raises `UsageError`, `NotFound`, `ThreadBusy`.
        """
        caller = caller_of(context)
        thread = _thread_of(config)
        if isinstance(input, Command) and input == Command():
            # LangGraph fails on a command that says nothing; to go on is what it can only mean.
            input = None
        options["durability"] = options.get("durability") or "sync"

        def start() -> Iterator[Any]:
            # Only now that the thread is held: who owns it may have been settled while this run waited.
            owner = self.admit(input, caller, thread)
            self._of_this_desk(thread, caller)
            words = self._vetted(input, thread) if isinstance(input, Mapping) else input
            # The owner's roles are those of now where it is the owner who asks.
            own = owner is None or (owner.tenant, owner.user) == (caller.tenant, caller.user)
            owning.set((thread, caller if own or owner is None else owner))
            watched.set(thread if _custom(options.get("stream_mode")) else "")
            if not self.services.rehearsing:
                withdraw_outdated(self, self.services, thread)
            goes_on = self._decided(words, caller, thread)
            return super(ThreadGraph, self).stream(goes_on, config, context=caller, **options)

        return self.services.locks.iterate(thread, start)

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, *, context: Any = None, **options: Any
    ) -> AsyncIterator[Any]:
        """`stream` for event loops: the nodes are synchronous, so they run in worker threads."""
        items = self.stream(input, config, context=context, **options)
        while (item := await asyncio.to_thread(next, items, _END)) is not _END:
            yield item

    def _decided(self, input: Any, caller: Caller, thread: str) -> Any:
        """Take what a `Command(resume=…)` says as decisions of this caller, here and now.

        LangGraph keeps resume values and gives them to the node again at every later resume, whoever that is
        by: one person's refused word would count as the next one's.
        """
        if not isinstance(input, Command) or input.resume is None:
            return input
        calls = open_calls(self.get_state({"configurable": {"thread_id": thread}}).values.get("messages") or ())
        owner = self.services.threads.owner(thread)
        inbox = self.services.gateway.inbox
        found = [inbox.of_call(owner.tenant, thread, c) for c in calls] if owner else []
        problems.set(decide(input.resume, [a for a in found if a is not None], caller, self.services))
        rest = replace(input, resume=None)
        return None if rest == Command() else rest

    def _vetted(self, input: Mapping[str, Any], thread: str) -> dict[str, Any]:
        """All that may enter a thread from outside: what a person says. Raises `UsageError` when that is nothing."""
        said = input.get("messages")
        try:
            messages = convert_to_messages(said if isinstance(said, list) else [said] if said else [])
        except (ValueError, TypeError, NotImplementedError):
            messages = []
        state = self.get_state({"configurable": {"thread_id": thread}})
        known = {m.id for m in state.values.get("messages") or ()}
        words = [
            m
            for m in messages
            if isinstance(m, HumanMessage) and str(m.text).strip() and (m.id is None or m.id not in known)
        ]
        if not words:
            raise UsageError('Say something: pass {"messages": [{"role": "user", "content": "…"}]}.')
        return {"messages": words}

    def _of_this_desk(self, thread: str, caller: Caller) -> None:
        """Raises `UsageError` for a thread of another desk, `Forbidden` for a desk that is not this caller's."""
        profile, found = self.services.profile, self.services.threads.find(thread)
        if found is not None and found.desk != profile.name:
            raise UsageError(f"Thread {thread} is of the desk {found.desk}: go on with it there.")
        mine, its = self.services.options, self.services.threads.options(thread) if self.services.options else {}
        for name, what in (("workspace", "on the folder"), ("workspace_mode", "with its folder")):
            if name in its and its[name] != mine.get(name):
                raise UsageError(f"Thread {thread} works {what} {its[name]}: go on with it so.")
        if found is None or (found.owner.tenant, found.owner.user) == (caller.tenant, caller.user):
            profile.admit(caller)

    def admit(self, input: Any, caller: Caller, thread: str) -> Caller | None:
        """The thread's owner, if this caller may run this input on it. Raises `NotFound`."""
        owner = self.services.threads.owner(thread)
        going_on = input is None or isinstance(input, Command)
        if owner is None:
            if going_on:
                raise NotFound(f"There is no thread {thread!r} to go on with: check its name.")
            return None
        if (owner.tenant, owner.user) == (caller.tenant, caller.user):
            return owner
        # A person who may sign can also let the thread go on; what runs then runs for its owner.
        resumes = input is None or (isinstance(input, Command) and not input.update and not input.goto)
        if not (resumes and owner.tenant == caller.tenant and caller.roles & SIGNERS):
            raise NotFound(f"There is no thread {thread!r} of {caller.name}: check its name.")
        return owner


def compile_for(services: Services, saver: BaseCheckpointSaver[Any]) -> ThreadGraph:
    """The graph with a saver, its stop before writes, and a recursion limit that no turn comes near."""
    compiled = builder(services).compile(checkpointer=saver, interrupt_before=list(STOP_BEFORE), name="signoff")
    parts = {k: v for k, v in vars(compiled).items() if k != "__orig_class__"}
    graph = ThreadGraph(services=services, **parts)
    return graph.with_config({"recursion_limit": recursion_limit(services.settings)})


def caller_of(context: Any) -> Caller:
    """The run's caller. Raises `UsageError` when the run does not say who is asking."""
    if isinstance(context, Caller):
        return context
    if isinstance(context, Mapping):
        try:
            return Caller(**context)
        except TypeError:
            pass
    raise UsageError('Say who is asking: pass context=Caller(tenant="…", user="…").')


def _custom(modes: Any) -> bool:
    """Whether a run's stream has what nodes say while they run."""
    return modes == "custom" or (not isinstance(modes, str) and "custom" in (modes or ()))


def _thread_of(config: RunnableConfig | None) -> str:
    thread = (config or {}).get("configurable", {}).get("thread_id")
    if not thread:
        raise UsageError('Name a thread: pass config={"configurable": {"thread_id": "…"}}.')
    return str(thread)
