"""What happens to a thread that was parked under another version of the graph: it is closed in the open."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig

from signoff.nodes.calls import answer_messages, calls_of
from signoff.nodes.phrases import phrase
from signoff.nodes.services import Services
from signoff.state import GRAPH_VERSION, Status, message_id, open_calls
from signoff.tools.contract import Code, ToolResult
from signoff.tools.invocation import Answer


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
    services.threads.touch(thread, version=GRAPH_VERSION)
    if not left:
        return False
    services.gateway.inbox.withdraw(record.owner.tenant, thread, left)
    turn = state.values.get("turn") or {}
    language = turn.get("language", "en")
    closed = [
        Answer(
            call,
            ToolResult.refused(
                Code.WITHDRAWN,
                "The desk was upgraded while this waited, so it was withdrawn. Nothing was changed.",
                hint="If the person still wants it, it can be proposed again.",
                tool=call.name,
            ),
        )
        for call in calls_of(state.values["messages"])
        if call.id in left
    ]
    answer = phrase("outdated", language)
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
    services.threads.touch(thread, status=Status.WITHDRAWN.value)
    return True
