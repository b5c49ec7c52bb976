"""agent: builds the prompt view, asks the model, and closes the turn by itself when a limit is reached."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, InvalidToolCall, ToolMessage
from langchain_core.messages.tool import ToolCall as Call
from langgraph.runtime import Runtime

from signoff.approvals import canonical
from signoff.caller import Caller
from signoff.errors import ProviderError
from signoff.models import continuation
from signoff.models.view import split
from signoff.nodes.budget import limit_turn
from signoff.nodes.calls import result_of
from signoff.nodes.evidence import genuine, readable
from signoff.nodes.owner import owner_of
from signoff.nodes.phrases import phrase
from signoff.nodes.round import Round
from signoff.nodes.services import Services
from signoff.state import AgentState, TurnState, call_ids, message_id
from signoff.tools.envelope import Code
from signoff.tools.limits import Limit


def agent(state: AgentState, runtime: Runtime[Caller], *, services: Services) -> dict[str, Any]:
    """One model call; or, at a limit, the last one, without tools. A provider's failure ends the turn in words."""
    caller, thread = owner_of(runtime, services)
    started = time.monotonic()
    messages = readable(state["messages"], caller, services)
    # Rights can change while a turn waits; and the state can be written by its owner.
    evidence = genuine(state.get("evidence") or [], caller, services)
    turn = TurnState(**state["turn"])
    with services.tracer.span("node", "agent", trace=turn["id"]):
        if turn["direct"]:
            return _written(turn, messages, _own(_outcomes(messages)), started)
        going = Round(messages, turn, evidence, caller, thread, services, runtime)
        limit_turn(turn, going.tokens, caller, services)
        if turn["limited"] == Limit.DAILY_QUOTA:
            # A day's quota that is used up pays for no closing answer either.
            return _written(turn, messages, _own(_known(messages, turn, "")), started)
        try:
            said = going.said()
        except ProviderError as error:
            turn["error"] = str(error)
            answer = _known(messages, turn, phrase("provider", turn["language"], why=error))
            return _written(turn, messages, _own(answer, failed=str(error)), started)
        turn["findings"] = []
        message = _recorded(said, keep=services.model.recorded)
        if turn["limit"] and (call_ids(message) or not str(message.text).strip()):
            # Asked to close, it called tools again or said nothing: then code says what is known.
            message = _own(_known(messages, turn, ""), model=True)
        return _written(turn, messages, message, started)


def _recorded(said: AIMessage, *, keep: bool) -> AIMessage:
    """The message as the thread keeps it: every call with an id of our own.

    Endpoints repeat ids, within a message, between messages and between branches of a thread, and the ledger
    knows an effect by its call. An exact double in a message is one call; of two different calls under one id
    the second is refused. With `keep` the ids are those of the record already.
    """
    calls: list[Call] = []
    invalid: list[InvalidToolCall] = []
    first: dict[str, str] = {}
    for c in said.tool_calls:
        given, form = str(c.get("id") or ""), f"{c['name']}{canonical(c['args'])}"
        if given and given in first:
            if first[given] != form:
                invalid.append(
                    InvalidToolCall(
                        name=c["name"],
                        args=canonical(c["args"]),
                        id=_call_id(),
                        error=Code.DUPLICATE_CALL_ID,
                        type="invalid_tool_call",
                    )
                )
            continue
        first[given] = form
        calls.append(Call(name=c["name"], args=c["args"], id=given if keep else _call_id(), type="tool_call"))
    for bad in said.invalid_tool_calls:
        invalid.append(
            InvalidToolCall(
                name=bad.get("name") or "unknown",
                args=bad.get("args") or "",
                id=bad.get("id") if keep else _call_id(),
                error=bad.get("error") or "unreadable arguments",
                type="invalid_tool_call",
            )
        )
    return AIMessage(
        str(said.text),
        id=message_id(),
        tool_calls=calls,
        invalid_tool_calls=invalid,
        # What a provider wants to have back with the calls' results; the view gives it to that provider alone.
        additional_kwargs={k: v for k, v in said.additional_kwargs.items() if k == continuation.KEY and calls},
        usage_metadata=said.usage_metadata,
        response_metadata={k: v for k, v in said.response_metadata.items() if k in ("model", "finish_reason", "usage")},
    )


def _own(text: str, *, failed: str = "", model: bool = False) -> AIMessage:
    """Code's own words. `failed` is why the model could not be asked, and `model` says that it was asked: a replay
    from the record goes the same way."""
    said = {"model": "desk", **({"failed": failed} if failed else {}), **({"asked": True} if model else {})}
    return AIMessage(text, id=message_id(), response_metadata=said)


def _call_id() -> str:
    return f"call_{message_id()}"


def _outcomes(messages: Sequence[AnyMessage]) -> str:
    """What became of the turn's calls, in code's own words."""
    _, current = split(messages)
    results = [result_of(m) for m in current if isinstance(m, ToolMessage)]
    said = [r.error.message if r.error is not None else str(r.metadata.get("summary") or "ok") for r in results]
    return "\n".join(said) or "ok"


def _known(messages: Sequence[AnyMessage], turn: TurnState, lead: str) -> str:
    """What the turn has found, in code's own words: for when no model can say it."""
    language = turn["language"]
    _, current = split(messages)
    results = [result_of(m) for m in current if isinstance(m, ToolMessage)]
    found = [str(r.metadata["summary"]) for r in results if r.ok and r.metadata.get("summary")]
    lines = [lead] if lead else [phrase("closed", language, limit=turn["limit"])]
    lines += [phrase("known", language), *found] if found else [phrase("nothing_known", language)]
    if not lead:
        lines += [phrase("missing", language, what=turn["question"]), phrase("split", language)]
    return "\n".join(lines)


def _written(turn: TurnState, messages: Sequence[AnyMessage], message: AIMessage, started: float) -> dict[str, Any]:
    turn["recorded"] = len(messages) + 1
    turn["work_s"] = round(turn["work_s"] + time.monotonic() - started, 3)
    return {"messages": [message], "turn": turn}
