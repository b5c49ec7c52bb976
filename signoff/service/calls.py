"""One tool call of another program, on a thread of its own making: no model, the whole gateway, the same signatures.

The call goes into the thread as a turn of its own: what was asked, the call, its answer. A call that must be
signed off parks its thread before `write_tools`, like any other: whoever decides and resumes it lets it go on.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

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

    What may be wrong with the call itself is in the result. Raises `NotFound` for somebody else's thread,
    `ThreadBusy`, `StoreError`.
    """
    services, graph, config = desk.services, desk.graph, config_of(thread)
    started = time.monotonic()
    with services.locks.hold(thread):
        owner = services.threads.owner(thread)
        if owner is not None and (owner.tenant, owner.user) != (caller.tenant, caller.user):
            raise NotFound(f"There is no thread {thread!r} of {caller.name}: check its name.")
        if owner is not None and open_calls(graph.get_state(config).values.get("messages") or ()):
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
        before = len(graph.get_state(config).values.get("messages") or ())
        made = AIMessage(
            "",
            id=message_id(),
            tool_calls=[{"name": tool, "args": dict(args), "id": f"call_{message_id()}", "type": "tool_call"}],
        )
        graph.update_state(
            config,
            {
                "messages": [HumanMessage(words, id=message_id()), made],
                "turn": {**turn, "recorded": before + 2},
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
    """The calls of one program in one session: they share a thread, until a call on it waits for a signature."""

    desk: Desk
    caller: Caller
    client: str = "another program"
    thread: str = ""
    tainted: Sequence[str] = ()

    def call(self, tool: str, args: Mapping[str, Any]) -> DirectCall:
        """Make a call. Raises what `call` raises."""
        known = self.desk.services.gateway.registry.get(tool)
        # What will wait for a signature gets a thread of its own, so that the session can go on meanwhile.
        gated = known is not None and known.risk.gated and known.assess is None
        thread = new_thread() if gated or not self.thread else self.thread
        made = call(
            self.desk,
            tool,
            args,
            caller=self.caller,
            thread=thread,
            client=self.client,
            tainted=self.tainted,
        )
        # Calls of one session may run side by side: none takes back what another has read.
        self.tainted = sorted({*self.tainted, *made.tainted})
        if not gated:
            self.thread = thread if made.result is not None else ""
        return made
