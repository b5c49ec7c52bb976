"""`records`: the business data as it is, for whoever operates the home. Reads only."""

from __future__ import annotations

from typing import Annotated

import typer

from signoff.cli.group import Noun
from signoff.cli.run import Run, command, run_of

app = typer.Typer(cls=Noun, invoke_without_command=True)


@app.callback()
def _records(ctx: typer.Context) -> None:
    if ctx.invoked_subcommand is None:
        tables(run_of(ctx, None, None, False))


@command(app)
def tables(run: Run) -> None:
    """The tables, what they hold and how many rows they have."""
    with run.database() as database:
        from signoff.records import Records

        found = Records(database, run.settings.business_clock(), run.settings).tables()
    for table in found:
        run.output.event("table", table)
    run.output.table(("table", "rows", "holds"), [(t["table"], t["rows"], t["holds"]) for t in found], shrink=2)


@command(app)
def rows(
    run: Run,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="One of those that `records tables` shows.")],
    tenant: Annotated[str | None, typer.Option("--tenant", help="Only this tenant's.")] = None,
    limit: Annotated[int, typer.Option("--limit", help="How many, 1 to 1000.")] = 50,
) -> None:
    """Rows of a table, in the order of its key."""
    with run.database() as database:
        from signoff.records import Records

        found = Records(database, run.settings.business_clock(), run.settings).rows(table, tenant, limit)
    for row in found:
        run.output.event("record", {"table": table, **row})
    if not found:
        run.output.note(f"No rows in {table}{f' of {tenant}' if tenant else ''}.")
        return
    run.output.records(found)
    if len(found) == limit:
        run.output.note(f"The first {limit} rows; --limit shows more.")
