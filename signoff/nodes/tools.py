"""tools: runs the reads of a message side by side, drafts one by one, and makes proposals of its writes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime

from signoff.caller import Caller
from signoff.models.view import split
from signoff.nodes.advance import move_on
from signoff.nodes.calls import answer_messages, calls_of, guards_into, open_calls_of, setting_of
from signoff.nodes.digesting import summarised
from signoff.nodes.evidence import searches_documents
from signoff.nodes.owner import owner_of
from signoff.nodes.services import Services
from signoff.state import AgentState, Evidence, Status, TurnState
from signoff.tools.contract import Risk
from signoff.tools.envelope import Code, ToolResult
from signoff.tools.invocation import Answer, Prepared, Setting, ToolCall
from signoff.tools.limits import Limit


def tools(state: AgentState, runtime: Runtime[Caller], *, services: Services) -> dict[str, Any]:
    """Answer every call of the newest message that needs no signature; propose the others."""
    caller, thread = owner_of(runtime, services)
    started = time.monotonic()
    messages, turn = state["messages"], TurnState(**state["turn"])
    with services.tracer.span("node", "tools", trace=turn["id"]) as span:
        setting = setting_of(messages, turn, state.get("evidence") or [], caller, thread, services)
        calls = open_calls_of(messages)
        evidence = list(state.get("evidence") or [])
        numbered = _numbered(_answers(calls, turn, setting, services), evidence, services)
        found = summarised(numbered, turn, caller, services)
        answers = services.gateway.record(found, setting)
        span.set(calls=len(calls))
    waiting = [a.approval for a in answers if a.approval is not None]
    said = answer_messages(answers)
    guards_into(turn, setting)
    turn["rounds"] += 1
    move_on(turn, answers, services)
    turn["tools"] = _with_found(turn, messages, _found(answers, services), services)
    turn["recorded"] = len(messages) + len(said)
    turn["work_s"] = round(turn["work_s"] + time.monotonic() - started, 3)
    if waiting and not services.rehearsing:
        services.tracer.wait_started(turn["id"], [a.tool for a in waiting], approvals=[a.id for a in waiting])
        services.tracer.end_turn(turn["id"], Status.WAITING.value)
        services.threads.touch(thread, status=Status.WAITING.value)
    return {
        "messages": said,
        "turn": turn,
        **({"evidence": evidence} if len(evidence) != len(state.get("evidence") or []) else {}),
        "approvals": [*(state.get("approvals") or []), *(a.id for a in waiting)],
        "status": (Status.WAITING if waiting else Status.RUNNING).value,
    }


def _found(answers: list[Answer], services: Services) -> list[str]:
    """The tools that the model asked for by what they do: offered from the next round on."""
    found: list[str] = []
    for answer in answers:
        data = answer.result.data if answer.call.name == "find_tools" and answer.result is not None else None
        if isinstance(data, dict) and isinstance(data.get("tools"), list):
            found.extend(n for n in data["tools"] if isinstance(n, str) and services.gateway.registry.get(n))
    return found


def _with_found(turn: TurnState, messages: Sequence[AnyMessage], found: list[str], services: Services) -> list[str]:
    """The turn's tools with those that were found, and no more than ever: what was not needed so far makes room."""
    new = [n for n in dict.fromkeys(found) if n not in turn["tools"]]
    if not new:
        return turn["tools"]
    _, current = split(messages)
    called = {c.name for c in calls_of(current)} | {n for s in turn["plan"] for n in s["tools"]}
    registry, most = services.gateway.registry, services.settings.max_tools
    kept = [n for n in turn["tools"] if n in called or ((tool := registry.get(n)) is not None and tool.always)]
    new = new[: max(0, most - len(kept))]
    rest = [n for n in turn["tools"] if n not in kept][: max(0, most - len(kept) - len(new))]
    # Those that stay keep their places: what a provider has cached of them holds.
    return [*(n for n in turn["tools"] if n in kept or n in rest), *new]


def _numbered(answers: list[Answer], evidence: list[Evidence], services: Services) -> list[Answer]:
    """Passages that a search of the documents found are evidence too: they go on with the turn's numbers, and may be
    cited. What another tool calls passages is a result like any other."""
    for answer in answers:
        data = answer.result.data if answer.result is not None and answer.result.ok else None
        searched = isinstance(data, dict) and searches_documents(answer.call.name, services)
        for passage in data["passages"] if searched and data is not None else ():
            known = next((e for e in evidence if e["passage"] == passage["id"]), None)
            if known is None:
                known = Evidence(
                    n=len(evidence) + 1,
                    passage=passage["id"],
                    title=passage["title"],
                    place=passage["place"],
                    source=passage["source"],
                    version=passage["version"],
                    page=passage.get("page"),
                    trusted=passage["trusted"],
                    text=passage["text"],
                )
                evidence.append(known)
            passage["n"] = known["n"]
    return answers


def _answers(calls: list[ToolCall], turn: TurnState, setting: Setting, services: Services) -> list[Answer]:
    """Answers in the order of the calls. What cannot be done is refused here and reaches nobody."""
    gateway = services.gateway
    answers: dict[str, Answer] = {}
    reads: list[Prepared] = []
    drafts: list[Prepared] = []
    writes: list[Prepared] = []
    left = services.settings.max_tool_calls - turn["tool_calls"]
    for call in calls:
        prepared = gateway.prepare(call, setting)
        refused = prepared if isinstance(prepared, ToolResult) else gateway.refused(prepared, setting)
        if not isinstance(prepared, ToolResult) and refused is None and left <= 0:
            refused = _over(prepared, turn, services)
        if not isinstance(prepared, ToolResult) and refused is None:
            refused = _searched_enough(prepared, turn, services)
        if isinstance(prepared, ToolResult) or refused is not None:
            answers[call.id] = Answer(call, refused)
            _note(answers[call.id], services)
            continue
        left -= 1
        turn["tool_calls"] += 1
        if gateway.admission.gated(prepared, setting):
            writes.append(prepared)
        else:
            (drafts if prepared.risk is Risk.DRAFT else reads).append(prepared)
    for answer in gateway.read(reads, setting):
        answers[answer.call.id] = answer
    for prepared in drafts:
        answers[prepared.call.id] = services.effects.draft(prepared, setting)
    for prepared in writes:
        answers[prepared.call.id] = services.proposals.propose(prepared, setting)
        _note(answers[prepared.call.id], services)
    return [answers[call.id] for call in calls]


def _over(prepared: Prepared, turn: TurnState, services: Services) -> ToolResult:
    """The refusal of a call for which the turn has no room; the turn is then closed."""
    turn["limited"] = Limit.MAX_TOOL_CALLS.value
    name, n = prepared.tool.name, services.settings.max_tool_calls
    return ToolResult.refused(
        Code.LIMIT_REACHED,
        f"没有调用 {name}：本轮的 {n} 次工具调用已用完。"
        if turn["language"] == "zh"
        else f"{name} was not called: the turn's {n} tool calls are used up.",
        hint="Answer with what is known, say what is missing, and how the task could be split.",
        tool=name,
    )


def _searched_enough(prepared: Prepared, turn: TurnState, services: Services) -> ToolResult | None:
    """The refusal of one search of the documents too many; None while there are some left, and for other calls."""
    if not searches_documents(prepared.tool.name, services):
        return None
    if turn["searches"] < services.settings.max_searches + (0 if turn["knowledge"] else 1):
        turn["searches"] += 1
        return None
    return ToolResult.refused(
        Code.LIMIT_REACHED,
        "本轮对文档的搜索次数已用完，没有再次搜索。"
        if turn["language"] == "zh"
        else "The documents were not searched again: the turn's searches are used up.",
        hint="Answer from the evidence there is, and say what no document was found for.",
        tool=prepared.tool.name,
    )


def _note(answer: Answer, services: Services) -> None:
    """A call that did not run has a span too, with where in the pipeline it ended."""
    with services.tracer.span("tool_call", answer.call.name, call=answer.call.id) as span:
        if answer.result is not None and answer.result.error is not None:
            span.set(outcome=answer.result.error.code.value)
            span.fail(answer.result.error.code, answer.result.error.message)
        else:
            span.set(outcome="proposed", approval=answer.approval.id if answer.approval else None)
