"""The command tree."""

from __future__ import annotations

from typing import Annotated

import typer

from signoff import __version__
from signoff.cli import (
    approvals,
    ask,
    audit,
    chat,
    demo,
    desks,
    doctor,
    graph,
    init,
    knowledge,
    mcp,
    memory,
    models,
    records,
    serve,
    threads,
    tools,
    traces,
)
from signoff.cli.exits import EXIT_CODES
from signoff.cli.group import Root

HELP = """A service desk that changes nothing until a person has signed off that exact change.

These options may stand before or after every command: --as TENANT/USER[:ROLE,…] says who is asking, --home PATH
names the embedded home, --json writes one JSON object a line.
"""

# Typer's rich help costs as much time as all of the rest of `--help`.
app = typer.Typer(
    cls=Root,
    name="signoff",
    help=HELP,
    epilog=EXIT_CODES,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"signoff {__version__}")
        raise typer.Exit()


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


ask.register(app)
chat.register(app)
app.add_typer(approvals.app, name="approvals", help="Look at what waits for a signature, and decide it.")
app.add_typer(threads.app, name="threads", help="Look back at conversations, fork and replay them.")
app.add_typer(knowledge.app, name="knowledge", help="The documents that answers cite.")
app.add_typer(desks.app, name="desks", help="The scenarios there are, and a new one of your own.")
app.add_typer(memory.app, name="memory", help="What you asked to have remembered: see, correct, take along, delete.")
app.add_typer(tools.app, name="tools", help="The desk's tools: look at them, find one, check them.")
app.add_typer(models.app, name="models", help="The models of the home, and what their endpoints can really do.")
app.add_typer(mcp.app, name="mcp", help="Offer the desk to other programs over MCP, and see the servers it uses.")
app.add_typer(records.app, name="records", help="Look at the business data, as an operator of the home.")
app.add_typer(traces.app, name="trace", help="What a turn did, as a tree of spans.")
audit.register(app)
graph.register(app)
demo.register(app)
doctor.register(app)
serve.register(app)
init.register(app)
