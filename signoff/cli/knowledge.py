"""`knowledge`: the documents that answers are taken from and cite."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signoff.cli.group import Noun
from signoff.cli.run import Run, clean, command

if TYPE_CHECKING:
    from signoff.caller import Caller
    from signoff.knowledge import Knowledge

app = typer.Typer(cls=Noun, no_args_is_help=True)

Tenant = Annotated[
    str | None,
    typer.Option("--tenant", help="Whose they are; the caller's tenant when left out, * for every tenant's."),
]


@contextmanager
def _open(run: Run) -> Iterator[tuple[Knowledge, Caller]]:
    with run.database() as database:
        from signoff.knowledge import Knowledge

        settings = run.settings
        library = Knowledge(
            settings.database("knowledge"), settings.business_clock(), busy_timeout_s=settings.busy_timeout_s
        )
        try:
            yield library, run.caller(database)
        finally:
            library.close()


@command(app)
def add(
    run: Run,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A Markdown or text file, or a folder of them.")],
    tenant: Tenant = None,
    role: Annotated[list[str] | None, typer.Option("--role", help="Only for this role; may be repeated.")] = None,
    untrusted: Annotated[
        bool, typer.Option("--untrusted", help="Written by others: after it is read, every write needs a signature.")
    ] = False,
) -> int:
    """Index a file or folder. What is unchanged is skipped, what is gone from the folder is removed."""
    with _open(run) as (library, caller):
        owner = tenant or caller.tenant
        report = library.add(path, tenant=owner, roles=role or (), trusted=not untrusted)
    for what in ("added", "updated", "unchanged", "removed", "skipped"):
        for name in getattr(report, what):
            run.output.event("document", {"file": name, "outcome": what, "tenant": owner})
            if what != "unchanged":
                run.output.note(f"{what}: {name}", "yellow" if what == "skipped" else "dim")
    run.output.say(str(report))
    taken = report.added or report.updated or report.unchanged
    return 1 if report.skipped and not taken else 0


@command(app, "list")
def list_(run: Run) -> None:
    """The documents you may read, also those that are no longer in force."""
    with _open(run) as (library, caller):
        found = library.documents(caller)
    from dataclasses import asdict

    for document in found:
        run.output.event("document", asdict(document))
    if not found:
        run.output.note(f"No documents for {caller.name}.")
        return
    rows = [(d.id, d.status, d.version, d.tenant, ",".join(d.roles), d.title) for d in found]
    run.output.table(("id", "status", "version", "tenant", "roles", "title"), rows, shrink=5)


@command(app)
def search(
    run: Run,
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="What to look for.")],
    limit: Annotated[int, typer.Option("--limit", min=1, max=50, help="How many, best first.")] = 5,
) -> None:
    """The passages that answer a text, as the desk would find them for you."""
    with _open(run) as (library, caller):
        found = library.search(caller, clean(" ".join(text)), limit=limit)
    from dataclasses import asdict

    for passage in found:
        run.output.event("passage", asdict(passage))
    if not found:
        run.output.note("Nothing that you may read answers that.")
    for number, p in enumerate(found, 1):
        place = f" > {p.place}" if p.place else ""
        run.output.say(f"[{number}] {p.title}{place} ({p.source}, {p.version})  {p.score:g}", "bold")
        run.output.say(p.text.strip())
        run.output.say()


@command(app)
def remove(
    run: Run,
    document: Annotated[str, typer.Argument(metavar="ID", help="The document's id, as `knowledge list` shows it.")],
    tenant: Tenant = None,
) -> int:
    """Remove a document of the caller's tenant; with --tenant '*', any."""
    from signoff.errors import NotFound

    with _open(run) as (library, caller):
        owner = tenant or caller.tenant
        if not library.remove(owner, document):
            raise NotFound(
                f"There is no document {document!r} of {owner}: `signoff knowledge list` shows them; those of every "
                "tenant (*) are removed with --tenant '*'."
            )
    run.output.event("document", {"id": document, "outcome": "removed", "tenant": owner})
    run.output.say(f"{document} was removed.")
    return 0
