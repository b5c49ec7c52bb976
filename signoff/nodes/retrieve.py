"""retrieve: numbered evidence, searched with what this caller may read."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from signoff.caller import Caller
from signoff.nodes.owner import owner_of
from signoff.nodes.services import Services
from signoff.state import AgentState, Evidence, TurnState
from signoff.text import language

PASSAGES = 4
"""Passages put into the state; the model can search for more."""
PASSAGE_CHARS = 1_000
"""Characters of a passage in the state; the whole stays in knowledge."""


def retrieve(state: AgentState, runtime: Runtime[Caller], *, services: Services) -> dict[str, Any]:
    """Search for each request of the turn and number what was found."""
    caller, _ = owner_of(runtime, services)
    turn = TurnState(**state["turn"])
    with services.tracer.span("node", "retrieve", trace=turn["id"]):
        found: dict[str, Evidence] = {}
        for query in _queries(state, services):
            with services.tracer.span("retrieval", "knowledge", query=services.tracer.content(query)) as span:
                hits = services.knowledge.search(caller, query, limit=PASSAGES)
                span.set(hits=len(hits), passages=[h.id for h in hits])
            for hit in hits:
                if hit.id not in found and len(found) < PASSAGES:
                    found[hit.id] = Evidence(
                        n=len(found) + 1,
                        passage=hit.id,
                        title=hit.title,
                        place=hit.place,
                        source=hit.source,
                        version=hit.version,
                        trusted=hit.trusted,
                        text=_cut(hit.text),
                    )
        turn["tainted"] = [*turn["tainted"], *(e["title"] for e in found.values() if not e["trusted"])]
    return {"evidence": list(found.values()), "turn": turn}


def _queries(state: AgentState, services: Services) -> list[str]:
    """One query for each request that needs documents: its own words, or what its tool wants looked up."""
    queries = []
    for intent in state["turn"]["intents"]:
        tool = services.gateway.registry.get(intent["tools"][0]) if intent["tools"] else None
        if intent["kind"] in ("knowledge", "other"):
            queries.append(intent["text"])
        elif intent["kind"] == "task" and tool is not None and tool.grounds:
            queries.append(_spoken(tool.grounds, state["turn"]["language"]))
    return queries


def _spoken(grounds: str, asked_in: str) -> str:
    """The part of a tool's bilingual query that is in the asker's language; all of it when none is."""
    words = [w for w in grounds.split() if language(w) == asked_in]
    return " ".join(words) or grounds


def _cut(text: str) -> str:
    """A passage short enough for the state, cut between lines: a table keeps its rows."""
    if len(text) <= PASSAGE_CHARS:
        return text
    line = text.rfind("\n", PASSAGE_CHARS // 2, PASSAGE_CHARS)
    return text[: line if line > 0 else PASSAGE_CHARS] + "…"
