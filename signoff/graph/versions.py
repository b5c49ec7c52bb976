"""What happens to a thread that was parked under another version of the graph: it is closed in the open."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig

from signoff.nodes.calls import answer_messages, calls_of, setting_of
from signoff.nodes.phrases import phrase
from signoff.nodes.route import new_turn
from signoff.nodes.services import Services
from signoff.state import GRAPH_VERSION, Status, message_id, open_calls
from signoff.tools.envelope import Code, ToolResult
from signoff.tools.invocation import Answer

_WITHDRAWN = ToolResult.refused(
    Code.WITHDRAWN,
    "The desk was upgraded while this waited, so it was withdrawn. Nothing was changed.",
    hint="If the person still wants it, it can be proposed again.",
)


def withdraw_outdated(graph: Any, services: Services, thread: str) -> bool:
    """Withdraw what an outdated thread waits for, and say so in its record. True when there was something.

    LangGraph would resume such a thread at a node that may no longer mean the same, or drop the pending
    call without a word when the node has gone.
    """
    record = services.threads.find(thread)
    if record is None or record.graph_version == GRAPH_VERSION:
        return False
    config: RunnableConfig = {"configurable": {"thread_id": thread}}
    state = graph.get_state(config)
    left = open_calls(state.values.get("messages") or ())
    if not left:
        services.threads.touch(thread, version=GRAPH_VERSION)
        return False
    withdrawn = {a.call for a in services.gateway.inbox.withdraw(record.owner.tenant, thread)}
    turn = state.values.get("turn") or {}
    language = turn.get("language", "en")
    setting = setting_of(state.values["messages"], new_turn(""), [], record.owner, thread, services)
    calls = [c for c in calls_of(state.values["messages"]) if c.id in left]
    # What had been performed when the run was cut off was performed, whatever the version.
    closed = [Answer(c, _WITHDRAWN if c.id in withdrawn else services.effects.interrupted(c, setting)) for c in calls]
    performed = [a for a in closed if a.result is not None and a.result.ok]
    answer = phrase("outdated_done" if performed else "outdated", language)
    services.gateway.record(closed, setting)
    said = [*answer_messages(closed), AIMessage(answer, id=message_id(), response_metadata={"model": "desk"})]
    graph.update_state(
        config,
        {
            "messages": said,
            "status": Status.WITHDRAWN.value,
            "answer": answer,
            "citations": [],
            "version": GRAPH_VERSION,
            **({"turn": {**turn, "recorded": len(state.values["messages"]) + len(said)}} if turn else {}),
        },
        as_node="validate",
    )
    # Stamped last: cut off before this, it is all done again.
    services.threads.touch(thread, status=Status.WITHDRAWN.value, version=GRAPH_VERSION)
    return True
