"""Evidence as the documents themselves have it: a thread's state can be written by its owner."""

from __future__ import annotations

from collections.abc import Sequence

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
