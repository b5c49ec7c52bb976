"""Reads how a thread's newest turn stands out of its state and the stores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.runnables import RunnableConfig

from signoff.approvals import Approval, Inbox
from signoff.caller import Caller
from signoff.errors import NotFound, SignoffError
from signoff.graph.threadgraph import ThreadGraph
from signoff.graph.turn import Step, Turn
from signoff.models.view import split
from signoff.nodes.calls import result_of
from signoff.nodes.phrases import phrase
from signoff.nodes.services import Services
from signoff.state import Status, open_calls
from signoff.text import language
from signoff.tools.envelope import ToolResult

_COUNTERS = ("rounds", "model_calls", "tool_calls", "prompt_tokens", "completion_tokens", "cost_yuan", "work_s")


def config_of(thread: str, checkpoint: str | None = None) -> RunnableConfig:
    """LangGraph's config for a thread, or for one of its checkpoints."""
    extra = {"checkpoint_id": checkpoint} if checkpoint else {}
    return {"configurable": {"thread_id": thread, "checkpoint_ns": "", **extra}}


def read_turn(graph: ThreadGraph, services: Services, thread: str) -> Turn:
    """The newest turn of a thread. Raises `NotFound`."""
    state = graph.get_state(config_of(thread))
    values = state.values
    owner = services.threads.owner(thread)
    if not values or owner is None:
        raise NotFound(f"There is no thread {thread!r}: ask something first.")
    # A thread's owner can write into its state: what is not as a node would write it counts as absent.
    book = turn if isinstance(turn := values.get("turn"), dict) else {}
    approvals = ids if isinstance(ids := values.get("approvals"), list) else []
    messages = list(values.get("messages") or ())
    waiting = "write_tools" in state.next
    inbox = services.gateway.inbox
    if waiting:
        found = [inbox.of_call(owner.tenant, thread, c) for c in open_calls(messages)]
    else:
        found = [_get(inbox, str(i), owner) for i in approvals]
    return Turn(
        status=Status.WAITING if waiting else _status(values.get("status")),
        thread=thread,
        id=book.get("id", ""),
        question=book.get("question", ""),
        answer=values.get("answer") or "",
        citations=list(values.get("citations") or ()),
        approvals=[a for a in found if a is not None],
        steps=_steps(messages),
        usage={n: book.get(n, 0) for n in _COUNTERS},
        limit=book.get("limit"),
        limited=str(book.get("limited") or ""),
        tainted=[str(t) for t in book.get("tainted") or ()],
        error=book.get("error"),
        checkpoint=state.config["configurable"].get("checkpoint_id", ""),
        model=services.model.name,
    )


def failed_turn(graph: ThreadGraph, services: Services, thread: str, input: Any, error: Exception) -> Turn:
    """A turn that ended in a fault of the desk's own, which goes to the trace and not to the person."""
    try:
        turn: Turn | None = read_turn(graph, services, thread)
    except SignoffError:
        turn = None
    services.tracer.error("desk", error, trace=turn.id if turn else None)
    if turn is not None:
        services.tracer.end_turn(turn.id, Status.FAILED.value)
    question = str(input["messages"][0].text) if isinstance(input, dict) else turn.question if turn else ""
    return Turn(
        status=Status.FAILED,
        thread=thread,
        id=turn.id if turn else "",
        question=question,
        answer=phrase("internal", language(question)),
        citations=[],
        approvals=turn.approvals if turn else [],
        steps=[],
        error=f"{type(error).__name__} inside the desk: see `signoff trace show`.",
        model=services.model.name,
    )


def _get(inbox: Inbox, approval: str, owner: Caller) -> Approval | None:
    try:
        found = inbox.get(approval, viewer=owner)
    except NotFound:
        return None
    # What an edit replaced is told by what replaced it.
    return _get(inbox, found.replaced_by, owner) if found.replaced_by else found


def _status(value: Any) -> Status:
    return Status(value) if value in set(Status) else Status.RUNNING


def _steps(messages: Sequence[AnyMessage]) -> list[Step]:
    _, current = split(messages)
    results = {m.tool_call_id: result_of(m) for m in current if isinstance(m, ToolMessage)}
    return [
        _step(call["name"], call["args"], str(call["id"]), results.get(str(call["id"])))
        for m in current
        if isinstance(m, AIMessage)
        for call in m.tool_calls
    ]


def _step(tool: str, args: dict[str, Any], call: str, result: ToolResult | None) -> Step:
    if result is None:
        return Step(call, tool, args, "waiting")
    if result.error is not None:
        return Step(call, tool, args, result.error.code.value, result.error.message)
    return Step(call, tool, args, "ok", str(result.metadata.get("summary", "")), result.data)
