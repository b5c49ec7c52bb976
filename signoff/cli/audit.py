"""`audit`: what was asked of the tools, by whom, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from signoff.cli.run import Run, command

if TYPE_CHECKING:
    from signoff.caller import Caller
    from signoff.records.database import Database

_SEES_ALL = "supervisor"
_THREADS = 200
"""Newest own threads whose events a requester is shown."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app)(audit)


def audit(
    run: Run,
    thread: Annotated[str | None, typer.Option("--thread", metavar="ID", help="Only this thread's.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="How many, newest first.")] = 30,
) -> None:
    """The newest audit events: of your own threads, or as a supervisor of all of your tenant."""
    with run.database() as database:
        from signoff.cli.output import moment

        caller = run.caller(database)
        found = _events(database, run, caller, thread, limit)
        for event in found:
            run.output.event("audit", event)
        if not found:
            run.output.note(f"No audit events for {caller.name}.")
            return
        zone = run.settings.zone
        rows = [
            (moment(e["at"], zone)[5:], e["user"], e["kind"], e["tool"], e["outcome"], e["thread"], e["args"])
            for e in found
        ]
        run.output.table(("time", "user", "kind", "tool", "outcome", "thread", "arguments"), rows, shrink=6)


def _events(database: Database, run: Run, caller: Caller, thread: str | None, limit: int) -> list[dict[str, Any]]:
    from signoff.checkpoints import Threads
    from signoff.tools.audit import Audit

    clock = run.settings.business_clock()
    log = Audit(database, clock)
    if _SEES_ALL in caller.roles:
        return log.find(caller.tenant, thread=thread, limit=limit)
    threads = Threads(database, clock)
    if thread is not None:
        return log.find(caller.tenant, thread=threads.get(thread, caller).id, limit=limit)
    # Decisions on one's own threads are other people's events.
    found = {e["seq"]: e for e in log.find(caller.tenant, user=caller.user, limit=limit)}
    for own in threads.list(caller, _THREADS):
        found.update((e["seq"], e) for e in log.find(caller.tenant, thread=own.id, limit=limit))
    return [found[seq] for seq in sorted(found, reverse=True)[:limit]]
