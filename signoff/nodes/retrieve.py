"""retrieve: numbered evidence, searched with what this caller may read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from signoff.caller import Caller
from signoff.knowledge.passages import Passage
from signoff.knowledge.rewrite import rewrite
from signoff.knowledge.sufficiency import other_words
from signoff.models.view import split
from signoff.nodes.calls import by_program
from signoff.nodes.owner import owner_of
from signoff.nodes.services import Services
from signoff.state import AgentState, Evidence, TurnState
from signoff.text import language

PASSAGES = 4
"""Passages put into the state for one request; the model can search for more."""
MOST_PASSAGES = 8
"""For all requests of a turn."""
PASSAGE_CHARS = 1_000
"""Characters of a passage in the state; the whole stays in knowledge."""
SEARCH_S = 8.0
"""Seconds for one search; a slow endpoint is then done without."""
QUESTIONS = 4
"""Earlier questions of the thread that may complete this one."""


def retrieve(state: AgentState, runtime: Runtime[Caller], *, services: Services) -> dict[str, Any]:
    """Search for each request of the turn and number what was found.

    Where the evidence is thin, code searches once more in other words; what is still not spoken of is noted, so
    that the model may search again, and the answer says so.
    """
    caller, _ = owner_of(runtime, services)
    turn = TurnState(**state["turn"])
    before = _questions(state["messages"])
    found: dict[str, Evidence] = {}
    turn["lacking"] = []
    with services.tracer.span("node", "retrieve", trace=turn["id"]):
        for query, asked in _queries(state, services):
            hits, missing = _search(query, before if asked else (), caller, services)
            turn["lacking"] += [m for m in missing if asked and m not in turn["lacking"]]
            for hit in hits:
                if hit.id not in found and len(found) < MOST_PASSAGES:
                    found[hit.id] = _evidence(len(found) + 1, hit)
        turn["tainted"] = [*turn["tainted"], *(e["title"] for e in found.values() if not e["trusted"])]
    return {"evidence": list(found.values()), "turn": turn}


def _search(
    query: str, before: Sequence[str], caller: Caller, services: Services
) -> tuple[list[Passage], Sequence[str]]:
    """The passages for one request, best first, and what of it none of them speaks of."""
    with services.tracer.span("retrieval", "knowledge", query=services.tracer.content(query)) as span:
        wordings = rewrite(query, before)
        found = services.knowledge.find(caller, wordings, limit=PASSAGES, deadline_s=SEARCH_S)
        hits, judged, warnings = list(found.passages), found.sufficiency, list(found.warnings)
        again = [] if judged.enough else other_words(wordings[0], judged.missing)
        if again:
            more = services.knowledge.find(caller, again, limit=PASSAGES, deadline_s=SEARCH_S)
            known = {h.id for h in hits}
            hits = [*hits, *(h for h in more.passages if h.id not in known)][:PASSAGES]
            told = {*more.sufficiency.missing} if more.passages else {*judged.missing}
            judged = type(judged)(not told, tuple(m for m in judged.missing if m in told))
        span.set(hits=len(hits), passages=[h.id for h in hits], enough=judged.enough, again=len(again))
        if warnings:
            span.set(warnings=warnings)
    return hits, judged.missing if hits else ()


def _evidence(n: int, hit: Passage) -> Evidence:
    return Evidence(
        n=n,
        passage=hit.id,
        title=hit.title,
        place=hit.place,
        source=hit.source,
        version=hit.version,
        page=hit.page,
        trusted=hit.trusted,
        text=_cut(hit.text, hit.match),
    )


def _questions(messages: Sequence[AnyMessage]) -> list[str]:
    """What the person asked before this turn, the newest last."""
    earlier, _ = split(messages)
    return [str(m.text) for m in earlier if isinstance(m, HumanMessage) and not by_program(m)][-QUESTIONS:]


def _queries(state: AgentState, services: Services) -> list[tuple[str, bool]]:
    """One query for each request that needs documents: its own words, or what its tool wants looked up. And
    whether it is what the person asked."""
    queries = []
    for intent in state["turn"]["intents"]:
        tool = services.gateway.registry.get(intent["tools"][0]) if intent["tools"] else None
        if intent["kind"] in ("knowledge", "other"):
            queries.append((intent["text"], True))
        elif intent["kind"] == "task" and tool is not None and tool.grounds:
            queries.append((_spoken(tool.grounds, state["turn"]["language"]), False))
    return queries


def _spoken(grounds: str, asked_in: str) -> str:
    """The part of a tool's bilingual query that is in the asker's language; all of it when none is."""
    words = [w for w in grounds.split() if language(w) == asked_in]
    return " ".join(words) or grounds


def _cut(text: str, match: tuple[int, int]) -> str:
    """A passage short enough for the state, round the part that was found, cut between lines where there are any."""
    if len(text) <= PASSAGE_CHARS:
        return text
    start, end = match if match[1] > match[0] else (0, 0)
    first = 0 if end <= PASSAGE_CHARS - 2 else min(start, len(text) - PASSAGE_CHARS + 2)
    if first:
        line = text.rfind("\n", max(0, first - 200), first)
        first = line + 1 if line > 0 and end - line <= PASSAGE_CHARS - 2 else first
    last = min(len(text), first + PASSAGE_CHARS - 2)
    if last < len(text):
        line = text.rfind("\n", max(end, first + PASSAGE_CHARS // 2), last)
        last = line if line > 0 else last
    return ("…" if first else "") + text[first:last].strip() + ("…" if last < len(text) else "")
