"""What this turn's answer may stand on: its results as the gateway recorded them, its evidence, and what was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from signoff.knowledge.reading import values
from signoff.models.view import split
from signoff.nodes.checks import Grounds
from signoff.nodes.checks.likeness import Likeness
from signoff.nodes.services import Services
from signoff.state import Evidence, TurnState
from signoff.tools.audit import digest
from signoff.tools.envelope import ToolResult

HISTORY_MESSAGES = 40
"""Earlier messages whose numbers an answer may repeat."""


def results_of(messages: Sequence[AnyMessage], thread: str, services: Services) -> list[dict[str, Any]]:
    """This turn's tool results, as far as the gateway recorded them."""
    _, current = split(messages)
    said = [m for m in current if isinstance(m, ToolMessage)]
    known = services.gateway.audit.known(thread, [m.tool_call_id for m in said])
    asked = {str(c["id"]): c["args"] for m in current if isinstance(m, AIMessage) for c in m.tool_calls}
    found = []
    for m in said:
        # A replay's own results are in no audit; nothing but the replay reads what it says.
        if not services.rehearsing and digest(str(m.content)) not in known.get(m.tool_call_id, ()):
            continue
        result = ToolResult.model_validate_json(str(m.content))
        tool = services.gateway.registry.get(m.name or "")
        found.append(
            {
                "tool": m.name or "",
                "args": asked.get(m.tool_call_id, {}),
                "risk": str(result.metadata.get("risk") or (tool.risk.value if tool and not result.ok else "read")),
                "ok": result.ok,
                "data": result.data,
                "error": result.error.model_dump(mode="json") if result.error else None,
                "summary": str(result.metadata.get("summary", "")),
            }
        )
    return found


def grounds_of(
    messages: Sequence[AnyMessage],
    turn: TurnState,
    evidence: list[Evidence],
    results: list[dict[str, Any]],
    services: Services,
    *,
    cites: bool,
) -> Grounds:
    """The grounds of an answer; `cites` says whether it has markers."""
    earlier, _ = split(messages)
    encoder = services.knowledge.encoder
    kinds = {i["kind"] for i in turn["intents"]}
    named = any(v.kind == "id" for v in values(turn["question"]))
    # What names a record, or asks for nothing that is known, may be about the desk itself: its answer stands on
    # documents if it cites any.
    asked = "knowledge" in kinds and not named
    documented = turn["knowledge"] and (asked or (bool(kinds & {"knowledge", "other"}) and cites))
    return Grounds(
        documented=documented,
        alike=Likeness(encoder) if encoder is not None and encoder.supports is not None else None,
        alike_floor=(encoder.supports if encoder is not None else None) or 1.0,
        question=turn["question"],
        language=turn["language"],
        evidence=evidence,
        results=results,
        # The limit that ended the turn is code's own sentence, and may be told with its number.
        history="\n".join(
            [
                turn["limit"] or "",
                *(
                    str(m.text)
                    for m in earlier[-HISTORY_MESSAGES:]
                    if isinstance(m, HumanMessage | AIMessage | ToolMessage)
                ),
            ]
        ),
        today=services.clock.now().date(),
    )
