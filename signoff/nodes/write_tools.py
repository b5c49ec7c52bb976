"""write_tools: performs exactly the calls that were signed off, once each; asks again for the others.

The graph stops before this node, but the stop is only where a run waits. What lets a call through is the
approval in the store, looked up here for the digest of the very arguments that would run.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from signoff.approvals import Approval, ApprovalStatus
from signoff.caller import Caller
from signoff.errors import UserError
from signoff.nodes.advance import move_on
from signoff.nodes.calls import answer_messages, guards_into, open_calls_of, setting_of
from signoff.nodes.owner import owner_of
from signoff.nodes.services import Services
from signoff.state import GRAPH_VERSION, AgentState, Status, TurnState
from signoff.tools.envelope import Code
from signoff.tools.invocation import Answer

problems: ContextVar[str] = ContextVar("signoff_decision_problems", default="")
"""What was wrong with decisions that came with a resume and were taken before the run."""


def write_tools(state: AgentState, runtime: Runtime[Caller], *, services: Services) -> dict[str, Any]:
    """Settle the open calls. With one still undecided, `interrupt` with what it waits for: it fails closed."""
    caller, thread = owner_of(runtime, services)
    by = services.identify(runtime)
    messages = state["messages"]
    problem = problems.get()
    with services.locks.hold(thread):
        if state.get("version") != GRAPH_VERSION and not services.rehearsing:
            # Parked under another graph, by a server that knows no versions: told as withdrawn, never run.
            services.gateway.inbox.withdraw(caller.tenant, thread)
        while True:
            turn = TurnState(**state["turn"])
            started = time.monotonic()
            with services.tracer.span("node", "write_tools", trace=turn["id"]) as span:
                setting = setting_of(messages, turn, state.get("evidence") or [], caller, thread, services)
                # One at a time, in order: the second write may depend on what the first one did.
                answers = [services.effects.settle(call, setting) for call in open_calls_of(messages)]
                waiting = [a.approval for a in answers if a.approval is not None]
                span.set(calls=len(answers), waiting=len(waiting))
                if not waiting:
                    return _written(state, turn, answers, setting, started, thread, services)
                span.mark("waiting")
            # Raises on the first pass; a resumed run gets the value that came with Command(resume=…), and gets
            # it again at every later resume. So only an owner's word is taken here, and an owner's resume.
            answer = interrupt(payload(waiting, problem))
            own = (by.tenant, by.user) == (caller.tenant, caller.user)
            problem = decide(answer, waiting, by, services) if own else "Decide first, then resume."


def payload(waiting: Iterable[Approval], problem: str = "") -> dict[str, Any]:
    """What an interrupt shows: the cards, and how to answer."""
    return {
        "approvals": [
            {
                "id": a.id,
                "tool": a.tool,
                "arguments": dict(a.args),
                "title": a.card.title,
                "changes": list(a.card.changes),
                "reversible": a.card.reversible,
                "risk": a.risk,
                "warnings": list(a.card.warnings),
                "expires_at": a.expires_at.isoformat(),
            }
            for a in waiting
        ],
        "answer": 'Command(resume={"<approval id>": {"decision": "approve" | "reject" | "edit", "reason": "…", '
        '"args": {…}}}), as a caller who may decide.',
        "problem": problem,
    }


def decide(answer: Any, waiting: Iterable[Approval], by: Caller, services: Services) -> str:
    """Take a resume value as decisions of the person who resumed; returns what was wrong with it, in sentences.

    `{approval id: "approve" | {"decision", "reason", "args"}}`; what names no approval decides nothing.
    """
    if not isinstance(answer, Mapping):
        return "Nothing was decided: the answer must name approvals by their ids."
    problems = []
    for approval in waiting:
        said = answer.get(approval.id)
        if said is None:
            continue
        said = {"decision": said} if isinstance(said, str) else said
        if not isinstance(said, Mapping):
            problems.append(f"{approval.id}: a decision is approve, reject or edit.")
            continue
        try:
            services.proposals.decide(
                approval.id,
                str(said.get("decision")),
                by=by,
                reason=str(said.get("reason") or ""),
                args=said.get("args") if isinstance(said.get("args"), Mapping) else None,
            )
        except UserError as error:
            problems.append(str(error))
    return " ".join(problems)


def _written(
    state: AgentState,
    turn: TurnState,
    answers: list[Answer],
    setting: Any,
    started: float,
    thread: str,
    services: Services,
) -> dict[str, Any]:
    answers = services.gateway.record(answers, setting)
    said = answer_messages(answers)
    guards_into(turn, setting)
    move_on(turn, answers, services)
    turn["recorded"] = len(state["messages"]) + len(said)
    turn["work_s"] = round(turn["work_s"] + time.monotonic() - started, 3)
    if not services.rehearsing:
        codes = {a.result.error.code for a in answers if a.result is not None and a.result.error is not None}
        services.tracer.wait_ended(turn["id"], _outcome(codes))
        services.threads.touch(thread, status=Status.RUNNING.value)
    return {"messages": said, "turn": turn, "status": Status.RUNNING.value}


def _outcome(codes: set[Code]) -> str:
    for code, status in (
        (Code.REJECTED, ApprovalStatus.REJECTED),
        (Code.EXPIRED, ApprovalStatus.EXPIRED),
        (Code.WITHDRAWN, ApprovalStatus.WITHDRAWN),
    ):
        if code in codes:
            return status.value
    return ApprovalStatus.APPROVED.value
