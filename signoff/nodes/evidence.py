"""Evidence as the documents themselves have it: a thread's state can be written by its owner."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AnyMessage, ToolMessage

from signoff.caller import Caller
from signoff.nodes.services import Services
from signoff.state import Evidence


def genuine(evidence: Sequence[Evidence], caller: Caller, services: Services) -> list[Evidence]:
    """The evidence whose passage exists, may be read by this caller now, and says what the state says it does."""
    found: list[Evidence] = []
    for e in evidence:
        passage = services.knowledge.passage(caller, str(e.get("passage")))
        if passage is not None and str(e.get("text")).strip("…") in passage.text:
            found.append(
                Evidence(
                    n=e["n"],
                    passage=passage.id,
                    title=passage.title,
                    place=passage.place,
                    source=passage.source,
                    version=passage.version,
                    page=passage.page,
                    trusted=passage.trusted,
                    text=e["text"],
                )
            )
    return found


def searches_documents(name: str | None, services: Services) -> bool:
    """Whether a tool's results are passages of the documents."""
    tool = services.gateway.registry.get(name or "")
    return tool is not None and "knowledge" in tool.injects


def is_public(passage: str, tenant: str, services: Services) -> bool:
    """Whether everybody of a tenant may read a passage: an approver, for one."""
    return services.knowledge.passage(Caller(tenant, "-", frozenset()), passage) is not None


def readable(messages: Sequence[AnyMessage], caller: Caller, services: Services) -> list[AnyMessage]:
    """The record as this caller may see it now: results of searches without passages that are withdrawn from them."""
    return [_without_withdrawn(m, caller, services) for m in messages]


def _without_withdrawn(message: AnyMessage, caller: Caller, services: Services) -> AnyMessage:
    if not isinstance(message, ToolMessage) or not searches_documents(message.name, services):
        return message
    try:
        envelope = json.loads(str(message.content))
        passages = envelope["data"]["passages"]
        kept = [p for p in passages if services.knowledge.passage(caller, str(p["id"])) is not None]
    except (ValueError, LookupError, TypeError):
        # Refused, or nothing that a search gives.
        return message
    if len(kept) == len(passages):
        return message
    data: dict[str, Any] = {**envelope["data"], "passages": kept, "found": len(kept)}
    told = {**envelope, "data": data, "metadata": {**envelope.get("metadata", {}), "summary": ""}}
    return message.model_copy(update={"content": json.dumps(told, ensure_ascii=False)})
