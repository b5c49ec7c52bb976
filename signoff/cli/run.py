"""One run of a command: the options that every command has, and what they open."""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from signoff.caller import Caller
    from signoff.cli.output import Output
    from signoff.graph.desk import Desk
    from signoff.records.database import Database
    from signoff.settings import Settings

Who = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="TENANT/USER[:ROLE,…]",
        help="Who is asking; SIGNOFF_CALLER when left out. Without roles, those of the home's directory of people.",
    ),
]
Home = Annotated[
    Path | None,
    typer.Option("--home", metavar="PATH", help="The embedded home; SIGNOFF_HOME, or .signoff, when left out."),
]
Json = Annotated[
    bool, typer.Option("--json", help="One JSON object a line on stdout: type, seq, ts, data. Never asks anything.")
]

DeskName = Annotated[
    str | None,
    typer.Option(
        "--desk", metavar="NAME", help="The desk; SIGNOFF_DESK, or service, when left out. A thread keeps its own."
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option("--workspace", metavar="DIR", help="The folder that a desk such as weekly works on."),
]

_SHARED = {"who": Who, "home": Home, "json": Json, "desk_name": DeskName, "workspace": Folder}


@dataclass
class Run:
    """What was asked for beside the command itself. Files are opened when a command needs them."""

    who: str | None = None
    home: Path | None = None
    json: bool = False
    desk_name: str | None = None
    workspace: Path | None = None

    @cached_property
    def output(self) -> Output:
        """Where the command's words go."""
        from signoff.cli.output import Output

        return Output(json=self.json)

    @property
    def interactive(self) -> bool:
        """Whether a person is at both ends. If not, nothing is asked and nothing approved."""
        # A process without a terminal may have no stdin at all.
        return not self.json and sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()

    @cached_property
    def settings(self) -> Settings:
        """The settings in force. Raises `ConfigError`."""
        from signoff.settings import Settings

        return Settings.load(home=self.home, desk=self.desk_name, workspace=self.workspace)

    @contextmanager
    def desk(self, *, thread: str | None = None, approval: str | None = None, **settings: Any) -> Iterator[Desk]:
        """The desk on the home, which is made when it is not there: the one that the thread or the approval
        belongs to, where one is given and no other desk was asked for; with further settings by name."""
        from signoff.graph.desk import Desk

        made = self._made
        asked = {"desk": self.desk_name, "workspace": self.workspace, **settings}
        if made and self.desk_name is None and (thread or approval):
            from signoff.cli.opening import opened_for

            with self.database() as database:
                known = opened_for(database, thread=thread, approval=approval)
            asked = {**known, **{k: v for k, v in asked.items() if v is not None}}
        with Desk.open(self.home, **asked) as desk:
            if not made:
                self._announce()
            yield desk

    @contextmanager
    def database(self) -> Iterator[Database]:
        """`desk.db` alone, for commands that need no graph: they start in a third of the time."""
        from signoff.records.database import Database

        self.make_home()
        database = Database(self.settings.database("desk"), busy_timeout_s=self.settings.busy_timeout_s)
        try:
            yield database
        finally:
            database.close()

    def make_home(self) -> None:
        """Make the home when it is not there, and read its settings anew."""
        if self._made:
            return
        from signoff.graph.home import init

        init(self.settings)
        self._announce()
        del self.settings

    def caller(self, database: Database) -> Caller:
        """Who is asking, with their roles. Raises `UsageError`."""
        from signoff.caller import Caller
        from signoff.records.people import People

        named = self.who or self.settings.caller
        caller = Caller.parse(named)
        if ":" in named:
            return caller
        return replace(caller, roles=People(database).roles(caller.tenant, caller.user))

    def command(self, *words: str, by: str | None = None) -> str:
        """A command line to copy, for the same home and the same or another caller."""
        program = "python -m signoff" if Path(sys.argv[0]).name == "__main__.py" else "signoff"
        options = ["--as", by] if by else ["--as", self.who] if self.who else []
        if self.home is not None:
            options += ["--home", str(self.home)]
        if words[:1] in (("ask",), ("chat",)) and "--thread" not in words:
            if self.desk_name is not None and "--desk" not in words:
                options += ["--desk", self.desk_name]
            if self.workspace is not None and "--workspace" not in words:
                options += ["--workspace", str(self.workspace)]
        return " ".join([program, *map(shlex.quote, [*words, *options])])

    @property
    def _made(self) -> bool:
        return (self.settings.home / "settings.toml").exists()

    def _announce(self) -> None:
        self.output.note(f"Made a home with sample data in {self.settings.home}.")


def run_of(
    ctx: typer.Context,
    who: str | None,
    home: Path | None,
    json: bool,
    desk_name: str | None = None,
    workspace: Path | None = None,
) -> Run:
    """The options of a command over those given before it; kept at the root, where errors are told."""
    before = ctx.find_root().obj
    outer = before if isinstance(before, Run) else Run()
    run = Run(
        who or outer.who,
        home or outer.home,
        json or outer.json,
        desk_name or outer.desk_name,
        workspace or outer.workspace,
    )
    ctx.find_root().obj = run
    return run


def command(app: typer.Typer, name: str | None = None, **options: Any) -> Callable[[Callable[..., int | None]], Any]:
    """Make a function a command. It takes a `Run` and its own parameters, and returns its exit code.

    The command has the shared options too, so that each works before and after its name.
    """

    def add(function: Callable[..., int | None]) -> Callable[..., int | None]:
        _, *own = inspect.signature(function, eval_str=True).parameters.values()

        @wraps(function)
        def called(ctx: typer.Context, **values: Any) -> None:
            run = run_of(ctx, *(values.pop(n) for n in _SHARED))
            if code := function(run, **values):
                raise typer.Exit(code)

        shared = [
            inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None if n != "json" else False, annotation=a)
            for n, a in _SHARED.items()
        ]
        context = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
        parameters = [context, *(p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own), *shared]
        # Typer reads a command's parameters from its signature.
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {p.name: p.annotation for p in parameters}
        del called.__wrapped__
        app.command(name, **options)(called)
        return function

    return add


def piped_text() -> str:
    """All of stdin; nothing when there is none."""
    return sys.stdin.read() if sys.stdin is not None else ""


def clean(text: str) -> str:
    """What a person typed, with bytes that are no UTF-8 replaced: stores and models take text only."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
