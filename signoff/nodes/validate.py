"""validate: checks the answer in code; sends it back once with the findings, then keeps what is supported."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from signoff.caller import Caller
from signoff.errors import SignoffError
from signoff.knowledge import cite
from signoff.nodes.checks import Finding, Grounds, check, citations, degrade
from signoff.nodes.checks.attachment import attach
from signoff.nodes.checks.shape import check_shape
from signoff.nodes.evidence import genuine
from signoff.nodes.grounding import grounds_of, results_of
from signoff.nodes.handed import handed_over
from signoff.nodes.owner import owner_of
from signoff.nodes.phrases import phrase
from signoff.nodes.services import Services
from signoff.state import AgentState, Status, TurnState, message_id
from signoff.text import tokens, whole_sentences
from signoff.tools.audit import Event
from signoff.tools.contract import Risk
from signoff.tools.envelope import Code


def validate(state: AgentState, runtime: Runtime[Caller], *, services: Services) -> dict[str, Any]:
    """Let the answer pass, send it back, or reduce it to what is supported; then end the turn."""
    caller, thread = owner_of(runtime, services)
    started = time.monotonic()
    messages, turn = state["messages"], TurnState(**state["turn"])
    draft = next((m for m in reversed(messages) if isinstance(m, AIMessage)), None)
    answer = str(draft.text).strip() if draft is not None else ""
    cut_off = draft is not None and draft.response_metadata.get("finish_reason") == "length"
    if cut_off:
        answer = whole_sentences(answer)
    with (
        services.tracer.span("node", "validate", trace=turn["id"]),
        services.tracer.span("validation", "answer") as span,
    ):
        # Rights can change while a turn waits.
        evidence = genuine(state.get("evidence") or [], caller, services)
        results = results_of(messages, thread, services)
        grounds = grounds_of(messages, turn, evidence, results, services, cites=bool(cite.markers(answer)))
        # A failed turn's answer is code's own sentence; there is nothing in it to check.
        answer = answer if turn["error"] else attach(answer, grounds)
        findings = [] if turn["error"] else _findings(answer, grounds)
        span.set(findings=[f.kind for f in findings], validations=turn["validations"])
        lacking = _lacking(answer, turn, results, services)
        may_repair = turn["validations"] < services.settings.max_validation_repairs and not turn["limit"]
        if (findings or lacking) and may_repair:
            turn["validations"] += 1
            turn["findings"] = [f.message for f in (*findings, *lacking)]
            turn["work_s"] = round(turn["work_s"] + time.monotonic() - started, 3)
            return {"turn": turn, "status": Status.RUNNING.value}
        if findings:
            answer = degrade(answer, findings, grounds) or phrase("empty", turn["language"])
        answer = _with_gaps(answer, turn, grounds)
        if cut_off and answer:
            answer = f"{answer}\n{phrase('cut_off', turn['language'])}"
        changed = draft is None or answer != str(draft.text).strip()
        added = [AIMessage(answer, id=message_id(), response_metadata={"model": "validation"})] if changed else []
    status = _status(turn, results)
    if status is Status.DONE and handed_over(caller, thread, services) is not None:
        status = Status.HANDED_OVER
    cited = citations(answer, evidence)
    if status is Status.DONE and turn["knowledge"] and not cited and not any(_told(r, services) for r in results):
        _unanswered(caller, turn, services)
    turn["findings"] = []
    turn["recorded"] = len(messages) + len(added)
    turn["work_s"] = round(turn["work_s"] + time.monotonic() - started, 3)
    if not services.rehearsing:
        if turn["limited"]:
            services.gateway.audit.append(caller, thread, turn["id"], Event("limit", turn["limited"]))
        services.tracer.end_turn(turn["id"], status.value, **_totals(turn))
        services.threads.touch(thread, status=status.value)
    return {
        "messages": added,
        "turn": turn,
        "status": status.value,
        "answer": answer,
        "citations": cited,
    }


def _findings(answer: str, grounds: Grounds) -> list[Finding]:
    if not answer:
        return [Finding("unsupported", "", "The answer was empty: answer the question, or say what is missing.")]
    return check(answer, grounds)


def _with_gaps(answer: str, turn: TurnState, grounds: Grounds) -> str:
    """The answer, with what no document spoke of; an answer that says so itself stays as it is."""
    if turn["error"] or turn["limit"] or not grounds.documented or not cite.markers(answer):
        return answer
    told = set(tokens("\n".join((cite.without_markers(answer), *grounds.evidence_texts.values()))))
    # A model that searched on by itself knows what it found under other words.
    gaps = [g for g in turn["lacking"] if not turn["searches"] and not set(tokens(g)) <= told]
    if not gaps:
        return answer
    separator = "、" if turn["language"] == "zh" else ", "
    return f"{answer}\n{phrase('unfound', turn['language'], what=separator.join(gaps))}"


def _told(result: dict[str, Any], services: Services) -> bool:
    """Whether a result says anything of the matter: a search that found nothing does not, nor a search for tools."""
    tool = services.gateway.registry.get(result["tool"])
    return bool(result["ok"]) and tool is not None and not tool.injects & {"knowledge", "selector"}


def _unanswered(caller: Caller, turn: TurnState, services: Services) -> None:
    """Count a question that no document answered. That it cannot be counted is no reason to fail the turn."""
    if services.rehearsing:
        return
    try:
        services.knowledge.note_unanswered(caller, turn["question"])
    except SignoffError as error:
        services.tracer.error("unanswered", error, trace=turn["id"])


def _lacking(answer: str, turn: TurnState, results: Sequence[dict[str, Any]], services: Services) -> list[Finding]:
    """What the answer lacks of the skill's output, where the answer is that output: nothing was written instead."""
    skill = services.skills.get(turn["skill"]) if turn["skill"] else None
    if skill is None or turn["error"] or turn["limit"]:
        return []
    writes = {t.name for t in services.gateway.registry if t.name in skill.tools and t.risk is not Risk.READ}
    if writes & {r["tool"] for r in results}:
        return []
    return check_shape(answer, skill.sections, {r["tool"] for r in results if r["ok"]})


def _status(turn: TurnState, results: Sequence[dict[str, Any]]) -> Status:
    """How the turn ended, for exit codes and counters."""
    if turn["error"]:
        return Status.FAILED
    if turn["limit"]:
        return Status.EXHAUSTED
    codes = {r["error"]["code"] for r in results if r["error"]}
    performed = any(r["ok"] and r["risk"] in ("write", "critical") for r in results)
    if not performed:
        for code, status in (
            (Code.REJECTED, Status.REJECTED),
            (Code.EXPIRED, Status.EXPIRED),
            (Code.WITHDRAWN, Status.WITHDRAWN),
        ):
            if code in codes:
                return status
    return Status.DONE


def _totals(turn: TurnState) -> dict[str, Any]:
    names = (
        "rounds", "model_calls", "tool_calls", "prompt_tokens", "completion_tokens", "cost_yuan", "work_s", "limit",
        "limited", "skill", "error",
    )  # fmt: skip
    return {n: turn[n] for n in names}  # type: ignore[literal-required]
