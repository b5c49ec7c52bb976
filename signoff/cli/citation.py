"""A citation as its reader checks it: found by id or by its number in an answer, and drawn."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING

from signoff.cli.run import Run
from signoff.errors import NotFound
from signoff.text import shorten

if TYPE_CHECKING:
    from signoff.caller import Caller
    from signoff.graph.desk import Desk
    from signoff.graph.turn import Turn
    from signoff.knowledge import Passage, Shown

AROUND_CHARS = 160
"""Characters of the passages before and after."""
_THREADS = 20
"""Newest threads among which the last answer with citations is looked for."""


def number_of(citation: str) -> int | None:
    """The number of a citation such as `2` or `[2]`; None for an id."""
    match = re.fullmatch(r"[\[【]?\s*(\d{1,3})\s*[\]】]?", citation.strip())
    return int(match[1]) if match else None


def cited_passage(run: Run, number: int | None, given: str, thread: str | None) -> tuple[Shown, Caller]:
    """The passage behind a citation's number in a thread's last answer, or in the caller's last answer that cites.

    Raises `NotFound` when there is no such citation, or its passage cannot be read any more.
    """
    with run.desk(thread=thread) as desk:
        caller = run.caller(desk.services.database)
        turn = _turn(desk, thread, caller)
        found = [c for c in turn.citations if c["n"] == number or c["passage"] == given]
        if not found:
            there = ", ".join(f"[{c['n']}]" for c in turn.citations)
            raise NotFound(
                f"The last answer of {turn.thread} has no citation [{given.strip('[]【】 ')}]: "
                f"{f'it has {there}' if there else 'it cites nothing'}."
            )
        citation = found[0]
        run.output.note(f"[{citation['n']}] of {turn.thread}: {shorten(turn.question, 80)}")
        try:
            return desk.services.knowledge.show(caller, citation["passage"]), caller
        except NotFound:
            raise NotFound(
                f"[{citation['n']}] cites {citation['title']!r}, version {citation['version']}: that passage is gone, "
                f"no longer in force, or not for {caller.name} any more."
            ) from None


def show_passage(run: Run, found: Shown) -> None:
    """The passage on stdout, with all that its reader needs to find it in the file."""
    passage, document, out = found.passage, found.document, run.output
    run.output.event(
        "passage",
        {
            **asdict(passage),
            "document": asdict(document),
            "before": asdict(found.before) if found.before else None,
            "after": asdict(found.after) if found.after else None,
        },
    )
    lines = [
        ("document", f"{document.title}, version {document.version} ({document.id})"),
        ("file", passage.source + (f", page {passage.page}" if passage.page else "")),
        ("place", passage.place or "-"),
        ("readers", _readers(found)),
        ("in force", _validity(found)),
        ("changed", document.added or "-"),
        ("tags", ", ".join(document.tags)),
        ("trusted", "" if document.trusted else "no: written by others"),
    ]
    out.say(passage.id, "bold")
    for name, value in lines:
        if value:
            out.say(f"{name:<9} {value}")
    _beside(run, "before", found.before)
    out.say()
    out.say(passage.text.strip())
    out.say()
    _beside(run, "after", found.after)


def _turn(desk: Desk, thread: str | None, caller: Caller) -> Turn:
    from signoff.cli.ids import readable

    if thread is not None:
        return desk.turn(readable(desk, thread, caller))
    for record in desk.threads(caller, limit=_THREADS):
        turn = desk.turn(record.id)
        if turn.citations:
            return turn
    raise NotFound(f"None of the last answers to {caller.name} cites anything: name a passage by its id.")


def _readers(found: Shown) -> str:
    document = found.document
    tenant = "every tenant" if document.tenant == "*" else document.tenant
    if document.owner:
        return f"only {document.owner} of {tenant}"
    return f"{', '.join(document.roles)} of {tenant}" if document.roles else f"everybody of {tenant}"


def _validity(found: Shown) -> str:
    document = found.document
    days = [f"from {document.valid_from}" if document.valid_from else ""]
    days.append(f"until {document.valid_to}" if document.valid_to else "")
    return " ".join(filter(None, ["yes" if document.status == "current" else f"no, {document.status}", *days]))


def _beside(run: Run, name: str, passage: Passage | None) -> None:
    if passage is not None:
        run.output.say(f"{name:<9} {shorten(passage.text, AROUND_CHARS)}", "dim")
