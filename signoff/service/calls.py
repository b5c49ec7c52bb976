"""One tool call of another program, on a thread of its own making: no model, the whole gateway, the same signatures.

The call goes into the thread as a turn of its own: what was asked, the call, its answer. A call that must be
signed off parks its thread before `write_tools`, like any other: whoever decides and resumes it lets it go on.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from signoff.approvals import Approval
from signoff.caller import Caller
from signoff.errors import NotFound
from signoff.graph.builder import STOP_BEFORE
from signoff.graph.desk import Desk, new_thread
from signoff.graph.reading import config_of
from signoff.nodes.calls import result_of
from signoff.nodes.route import new_turn
from signoff.state import GRAPH_VERSION, Status, message_id, open_calls
from signoff.text import language, shorten
from signoff.tools.envelope import ToolResult

THREAD_CALLS = 50
"""Calls of a session that share a thread; each call reads the whole of its thread."""

_WORDS = {"en": "{client} called {tool} with {args}", "zh": "{client} 调用 {tool}，参数 {args}"}


@dataclass(frozen=True)
class DirectCall:
    """How a call was answered: by a result, or by an approval to wait for."""

    thread: str
    result: ToolResult | None
    approval: Approval | None
    tainted: Sequence[str]
    """Sources of untrusted text that were read up to now; the next call of the same session is given them."""


def call(
    desk: Desk,
    tool: str,
    args: Mapping[str, Any],
    *,
    caller: Caller,
    thread: str,
    client: str = "another program",
    tainted: Sequence[str] = (),
) -> DirectCall:
    """Call a tool as this caller, on a thread that is theirs or that nobody has.

    What may be wrong with the call itself is in the result. Raises `Forbidden` for somebody who may not use the
    desk, `NotFound` for somebody else's thread, `ThreadBusy`, `StoreError`.
    """
    services, graph, config = desk.services, desk.graph, config_of(thread)
    services.profile.admit(caller)
    started = time.monotonic()
    with services.locks.hold(thread):
        record: Sequence[AnyMessage] = ()
        if services.threads.find(thread) is not None:
            services.threads.get(thread, caller)
            record = graph.get_state(config).values.get("messages") or ()
        if open_calls(record):
            raise NotFound(f"Thread {thread!r} waits for a signature: make this call on another.")
        said = json.dumps(dict(args), ensure_ascii=False, default=str)
        lang = caller.locale or language(said)
        words = _WORDS["zh" if lang == "zh" else "en"].format(client=client, tool=tool, args=said)
        services.threads.register(
            thread, caller, desk=services.profile.name, version=GRAPH_VERSION, title=shorten(words, 80)
        )
        services.threads.keep_options(thread, services.options)
        turn = new_turn(words)
        # No tools: whoever resumes the thread has the outcome told, and nothing called again.
        turn["language"], turn["tools"], turn["tainted"], turn["direct"] = lang, [], list(tainted), True
        services.tracer.turn(turn["id"], thread=thread, tenant=caller.tenant, user=caller.user, model="none")
        asked = HumanMessage(words, id=message_id(), additional_kwargs={"program": True, "tainted": list(tainted)})
        made = AIMessage(
            "",
            id=message_id(),
            tool_calls=[{"name": tool, "args": dict(args), "id": f"call_{message_id()}", "type": "tool_call"}],
        )
        graph.update_state(
            config,
            {
                "messages": [asked, made],
                "turn": {**turn, "recorded": len(record) + 2},
                "evidence": [],
                "status": Status.RUNNING.value,
                "answer": "",
                "citations": [],
                "approvals": [],
                "version": GRAPH_VERSION,
            },
            as_node="agent",
        )
        # Stopped before the model, too: a call that needs no signature needs none of its words either.
        for _ in graph.stream(
            None, config, context=caller, interrupt_before=["agent", *STOP_BEFORE], stream_mode="updates"
        ):
            pass
        values = graph.get_state(config).values
        call_id = str(made.tool_calls[0]["id"])
        found = [m for m in values["messages"] if isinstance(m, ToolMessage) and m.tool_call_id == call_id]
        after = list(values["turn"]["tainted"])
        if not found:
            approval = services.gateway.inbox.of_call(caller.tenant, thread, call_id)
            return DirectCall(thread, None, approval, after)
        result = result_of(found[-1])
        said = str(result.metadata.get("summary") or "") if result.error is None else result.error.message
        status = Status.DONE.value
        graph.update_state(
            config,
            {
                "messages": [AIMessage(said or "ok", id=message_id(), response_metadata={"model": "none"})],
                "turn": {
                    **values["turn"],
                    "recorded": len(values["messages"]) + 1,
                    "work_s": round(time.monotonic() - started, 3),
                },
                "answer": said or "ok",
                "status": status,
            },
            as_node="validate",
        )
        services.tracer.end_turn(turn["id"], status)
        services.threads.touch(thread, status=status)
    return DirectCall(thread, result, None, after)


@dataclass
class CallSession:
    """The calls of one program in one session, and the untrusted text that it was given. May be shared by threads.

    Calls go on threads that earlier ones have left free, `THREAD_CALLS` on each at most.
    """

    desk: Desk
    caller: Caller
    client: str = "another program"
    _read: set[str] = field(default_factory=set, init=False)
    _free: list[tuple[str, int]] = field(default_factory=list, init=False)
    """Threads that wait for nothing, and how many calls were made on each."""
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    @property
    def tainted(self) -> list[str]:
        """Sources of untrusted text that the program has read in this session."""
        with self._lock:
            return sorted(self._read)

    def taint(self, sources: Iterable[str]) -> None:
        """Note untrusted text that the program was given."""
        with self._lock:
            self._read.update(sources)

    def call(self, tool: str, args: Mapping[str, Any], *, caller: Caller | None = None) -> DirectCall:
        """Make a call; as `caller`, where their roles are others now. Raises what `call` raises."""
        known = self.desk.services.gateway.registry.get(tool)
        # What will wait for a signature gets a thread of its own, so that the session can go on meanwhile.
        gated = known is not None and known.risk.gated and known.assess is None
        thread, calls = (new_thread(), 0) if gated else self._take()
        made = call(
            self.desk,
            tool,
            args,
            caller=caller or self.caller,
            thread=thread,
            client=self.client,
            tainted=self.tainted,
        )
        self.taint(made.tainted)
        if made.result is not None and not gated and calls + 1 < THREAD_CALLS:
            with self._lock:
                self._free.append((thread, calls + 1))
        return made

    def _take(self) -> tuple[str, int]:
        while True:
            with self._lock:
                if not self._free:
                    return new_thread(), 0
                thread, calls = self._free.pop()
            found = self.desk.services.threads.find(thread)
            # Somebody may have gone on with it in words, and may be waiting on it now.
            if found is not None and found.status is Status.DONE:
                return thread, calls
