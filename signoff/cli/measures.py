"""What an evaluation of the documents found, on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.cli.exits import DONE, ERROR
from signoff.cli.run import Run

if TYPE_CHECKING:
    from signoff.knowledge.evaluation import Evaluation, Outcome

MISSES = 20
"""Misses that are written out; the rest is counted."""
GATED = 5
"""Recall among so many first passages is what a minimum is set for."""


def show_evaluation(run: Run, found: Evaluation, minimum: float | None) -> int:
    """The measures and the misses; the exit code, which is 1 when recall is under the minimum."""
    out, measures = run.output, found.measures
    out.event("evaluation", found.record())
    rows = [
        ("questions", str(measures.questions + measures.without)),
        *((f"Recall@{k}", f"{v:.3f}") for k, v in measures.recall.items()),
        ("MRR@10", f"{measures.mrr:.3f}"),
        ("found nothing", f"{measures.empty:.1%} of {measures.questions} with an answer"),
    ]
    if measures.without:
        rows.append(("rightly silent", f"{measures.silent:.1%} of {measures.without} without"))
    rows.append(("a search", f"{measures.p50_ms:.1f} ms at the median, {measures.p95_ms:.1f} ms at most for 95 %"))
    out.table(("measure", "value"), rows)
    for name in found.unknown:
        out.note(f"No document that you may read is called {name!r}.", "yellow")
    for miss in found.misses[:MISSES]:
        out.note(_told(miss), "yellow")
    if len(found.misses) > MISSES:
        out.note(f"and {len(found.misses) - MISSES} more misses", "yellow")
    reached = measures.recall[GATED]
    if minimum is not None and measures.questions and reached < minimum:
        out.note(f"Recall@{GATED} is {reached:.3f}, under {minimum:g}.", "red")
        return ERROR
    return DONE


def _told(miss: Outcome) -> str:
    first = miss.found[0] if miss.found else None
    instead = f"first came {first.title}{f' > {first.place}' if first.place else ''}" if first else "nothing was found"
    if miss.case.none:
        return f"missed: {miss.case.question}: nothing should be found; {instead}"
    return f"missed: {miss.case.question}: {', '.join(miss.lacking)}; {instead}"
