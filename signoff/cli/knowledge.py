"""`knowledge`: the documents that answers are taken from and cite."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from signoff.cli.group import Noun
from signoff.cli.run import Run, clean, command

if TYPE_CHECKING:
    from signoff.caller import Caller
    from signoff.knowledge import Document, Knowledge, Passage

app = typer.Typer(cls=Noun, no_args_is_help=True)

EVERY_TENANT = "*"

Tenant = Annotated[
    str | None,
    typer.Option("--tenant", help="Whose they are; the caller's tenant when left out, * for every tenant's."),
]


@contextmanager
def _open(run: Run) -> Iterator[tuple[Knowledge, Caller]]:
    with run.database() as database:
        from signoff.knowledge import Knowledge

        caller = run.caller(database)
        library = Knowledge.open(run.settings, path=_own(run))
        try:
            yield library, caller
        finally:
            library.close()


def _own(run: Run) -> Path | None:
    """The file with the documents of the desk that was asked for, if it has its own."""
    if run.desk_name is None:
        return None
    from signoff.desks import find

    profile = find(run.desk_name, run.settings)
    return None if isinstance(profile.knowledge, bool) else run.settings.home / f"knowledge-{profile.name}.db"


@command(app)
def add(
    run: Run,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file, or a folder of them.")],
    tenant: Annotated[
        str | None,
        typer.Option(
            "--tenant", help="Whose they are, * for every tenant's; left out, as remembered, else the caller's tenant."
        ),
    ] = None,
    role: Annotated[
        list[str] | None, typer.Option("--role", help="Only for this role; may be repeated. '' for everybody.")
    ] = None,
    owner: Annotated[
        str | None, typer.Option("--owner", metavar="USER", help="Only for this user of the tenant. '' for everybody.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", help="A word to narrow searches by; may be repeated. '' for none.")
    ] = None,
    untrusted: Annotated[
        bool | None,
        typer.Option(
            "--untrusted/--trusted", help="Written by others: after it is read, every write needs a signature."
        ),
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Stay, and index what changes, until Ctrl-C.")] = False,
) -> int:
    """Index a file or folder. What is unchanged is skipped, what is gone from the folder is removed.

    Whom the documents are for is remembered: added again without options, they stay for those they were for.
    """
    from signoff.cli.ingest import Meter, carried_out, watched

    with _open(run) as (library, caller):
        from signoff.errors import UsageError
        from signoff.knowledge import Grant

        if tenant is None and library.tenants(path) - {caller.tenant, EVERY_TENANT}:
            raise UsageError(
                f"Of what is in {str(path)!r}, some was added for another tenant: say whose with --tenant."
            )
        meter = Meter(run, "adding")
        options: dict[str, Any] = {
            "tenant": tenant,
            "roles": role,
            "owner": owner,
            "tags": tag,
            "trusted": None if untrusted is None else not untrusted,
            "otherwise": Grant(tenant=caller.tenant),
            "progress": meter,
        }
        if watch:
            return watched(run, meter, library.watch(path, **options))
        return carried_out(run, meter, lambda: library.add(path, **options))


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
    rows = [(d.id, d.status, d.version, d.tenant, _readers(d), d.title) for d in found]
    run.output.table(("id", "status", "version", "tenant", "roles", "title"), rows, shrink=5)


@command(app)
def search(
    run: Run,
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="What to look for.")],
    limit: Annotated[int, typer.Option("--limit", min=1, max=50, help="How many, best first.")] = 5,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", help="Only documents with this tag, or one of several.")
    ] = None,
    language: Annotated[str, typer.Option("--language", help="Only documents in this language: zh or en.")] = "",
    source: Annotated[
        str, typer.Option("--source", help="Only files whose path within the folder that was added begins so.")
    ] = "",
) -> None:
    """The passages that answer a text, as the desk would find them for you."""
    from dataclasses import asdict

    with _open(run) as (library, caller):
        from signoff.knowledge import Filter

        narrowed = Filter(source=clean(source), language=language, tags=tuple(map(clean, tag or ())))
        result = library.find(caller, [clean(" ".join(text))], limit=limit, narrowed=narrowed)
    for passage in result.passages:
        run.output.event("passage", asdict(passage))
    warnings = list(result.warnings)
    if run.settings.embeddings == "none":
        warnings.append("Searched by words alone: SIGNOFF_EMBEDDINGS is none.")
    for warning in warnings:
        run.output.event("note", {"message": warning})
        run.output.note(warning, "yellow")
    if not result.passages:
        run.output.note("Nothing that you may read answers that.")
    for number, p in enumerate(result.passages, 1):
        place = f" > {p.place}" if p.place else ""
        page = f", page {p.page}" if p.page else ""
        run.output.say(f"[{number}] {p.title}{place} ({p.source}{page}, {p.version})  {p.score:.3g}", "bold")
        run.output.say(f"{p.id}  {p.reason}".rstrip(), "dim")
        run.output.say(p.text.strip())
        if p.also:
            run.output.say(f"The same is said in: {'; '.join(p.also)}", "dim")
        run.output.say()


@command(app)
def show(
    run: Run,
    citation: Annotated[
        str,
        typer.Argument(metavar="CITATION", help="A passage's id or how it begins, or the number of a citation."),
    ],
    thread: Annotated[
        str | None,
        typer.Option(
            "--thread", metavar="THREAD", help="The thread whose answer cites it; your last one when left out."
        ),
    ] = None,
) -> None:
    """The passage behind a citation, with its place, who may read it, and what stands around it."""
    from signoff.cli.citation import cited_passage, number_of, show_passage

    number = number_of(citation)
    if number is not None or thread is not None:
        found, caller = cited_passage(run, number, citation, thread)
    else:
        with _open(run) as (library, caller):
            found = library.show(caller, clean(citation))
    show_passage(run, found)


@command(app)
def stats(
    run: Run,
    days: Annotated[int, typer.Option("--days", min=1, max=3650, help="Days to look back for questions.")] = 7,
    tenant: Annotated[
        str | None, typer.Option("--tenant", help="* counts everything, as the operator of the home.")
    ] = None,
) -> None:
    """What there is, how fresh it is, and the questions that nothing answered."""
    from signoff.cli.shelf import show_stats
    from signoff.errors import UsageError

    with _open(run) as (library, caller):
        if tenant not in (None, EVERY_TENANT, caller.tenant):
            raise UsageError(f"Documents of {tenant} are counted for its own people: use --as {tenant}/USER, or '*'.")
        found = library.stats(caller, operator=tenant == EVERY_TENANT, days=days)
    show_stats(run, found, "everybody" if tenant == EVERY_TENANT else caller.name)


@command(app)
def reindex(run: Run) -> int:
    """Embed the documents anew, after another model was named in SIGNOFF_EMBEDDINGS. May be cut short and repeated."""
    from signoff.cli.ingest import Meter, reindexed

    with _open(run) as (library, _):
        meter = Meter(run, "embedding", "documents")
        return reindexed(run, meter, lambda: library.reindex(meter))


@command(app, "eval")
def evaluate_(
    run: Run,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Questions with what should be found: .jsonl, .json, .csv, .tsv, .yaml or .toml."
        ),
    ],
    min_recall: Annotated[
        float | None, typer.Option("--min-recall", min=0.0, max=1.0, help="Exit with 1 when Recall@5 is lower.")
    ] = None,
) -> int:
    """How well the documents answer your own questions: recall, rank, speed, and what was missed."""
    from signoff.cli.measures import show_evaluation

    with _open(run) as (library, caller):
        from signoff.knowledge.cases import read
        from signoff.knowledge.evaluation import evaluate

        cases = read(file)
        # The model is loaded before the first question's time is taken.
        library.search(caller, cases[0].question)

        def search_as(asking: Caller) -> Callable[[str, int], Sequence[Passage]]:
            return lambda question, limit: library.search(asking, question, limit=limit)

        found = evaluate(cases, search_as(caller), documents=library.documents(caller), search_as=search_as)
    return show_evaluation(run, found, min_recall)


@command(app)
def remove(
    run: Run,
    document: Annotated[
        str, typer.Argument(metavar="DOCUMENT", help="Its id, key or file, as `knowledge list` shows them.")
    ],
    tenant: Tenant = None,
) -> int:
    """Remove a document of the caller's tenant that the caller may read; with --tenant '*', any."""
    from signoff.errors import NotFound, UsageError

    with _open(run) as (library, caller):
        if tenant not in (None, EVERY_TENANT, caller.tenant):
            raise UsageError(f"Documents of {tenant} are removed by its own people: use --as {tenant}/USER, or '*'.")
        owner = tenant or caller.tenant
        named = clean(document)
        gone = [
            i
            for i in _named(library.documents(caller), named, owner)
            if library.remove(caller, i, operator=owner == EVERY_TENANT)
        ]
        if not gone:
            raise NotFound(
                f"There is no document {document!r} of {owner}: `signoff knowledge list` shows them; those of every "
                "tenant (*) are removed with --tenant '*'."
            )
    for ident in gone:
        run.output.event("document", {"id": ident, "outcome": "removed", "tenant": owner})
        run.output.say(f"{ident} was removed.")
    return 0


def _named(documents: list[Document], named: str, owner: str) -> list[str]:
    """Ids of what is meant: the document of that id, else all versions under that key or from that file.

    Raises `UsageError` when the name is that of several documents.
    """
    from signoff.errors import UsageError

    own = [d for d in documents if owner in (d.tenant, EVERY_TENANT)]
    found = [d for d in own if named in (d.key, d.source)]
    # The operator may remove what the caller cannot read.
    if not found or any(d.id == named for d in own):
        return [named]
    if len({(d.tenant, d.key) for d in found}) > 1:
        ids = ", ".join(d.id for d in found[:5])
        raise UsageError(f"{named!r} names {len(found)} documents: give the id of one, {ids}.")
    return [d.id for d in found]


def _readers(document: Document) -> str:
    return ",".join([*document.roles, *([f"only {document.owner}"] if document.owner else [])])
