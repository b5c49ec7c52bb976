"""`memory`: what you asked to have remembered; look at it, put it right, take it with you, delete it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from signoff.cli.group import Noun
from signoff.cli.run import Run, clean, command

if TYPE_CHECKING:
    from signoff.caller import Caller
    from signoff.memory import Fact, Memory

app = typer.Typer(cls=Noun, no_args_is_help=True)

FactId = Annotated[str, typer.Argument(metavar="ID", help="A fact's id, such as mem-0a1b2c3d, or how it begins.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")]


@dataclass(frozen=True)
class _Here:
    """The call of a command; each is another."""

    id: str
    thread: str = "signoff-memory"


def _call() -> _Here:
    from uuid import uuid4

    return _Here(uuid4().hex)


@contextmanager
def _open(run: Run) -> Iterator[tuple[Memory, Caller]]:
    with run.database() as database:
        from signoff.memory import Memory

        settings = run.settings
        memory = Memory(settings.database("memory"), settings.business_clock(), busy_timeout_s=settings.busy_timeout_s)
        try:
            yield memory, run.caller(database)
        finally:
            memory.close()


@command(app, "list")
def list_(
    run: Run,
    about: Annotated[list[str] | None, typer.Argument(metavar="TEXT", help="Only what is about this.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many, newest first.")] = 200,
) -> None:
    """What is remembered about you now, newest first; with TEXT what is about it, likest first."""
    with _open(run) as (memory, caller):
        found = memory.recall(caller, clean(" ".join(about or ())) or None, limit=limit)
        _show_all(run, memory, found)
    if not found:
        run.output.note(f"Nothing {'of that ' if about else ''}is remembered about {caller.name}.")


@command(app)
def history(
    run: Run, limit: Annotated[int, typer.Option("--limit", min=1, help="How many, newest first.")] = 200
) -> None:
    """Everything with its past: also what was superseded, has expired, or was forgotten (of that no words are left)."""
    with _open(run) as (memory, caller):
        found = memory.history(caller)[:limit]
        _show_all(run, memory, found)
    if not found:
        run.output.note(f"Nothing was ever remembered about {caller.name}.")


@command(app)
def show(run: Run, fact: FactId) -> None:
    """One fact with where it comes from, how sure it is, and how long it holds."""
    with _open(run) as (memory, caller):
        record = _record(memory, _fact(memory, caller, fact))
    run.output.event("fact", record)
    for name, value in record.items():
        if name == "source":
            run.output.say(f"said: {value['words'] or '-'}")
            run.output.say(f"where: {value['thread']}, call {value['call']}")
        elif name != "order":
            run.output.say(f"{name.replace('_', ' ')}: {'-' if value in (None, '') else value}")


@command(app)
def correct(
    run: Run,
    fact: FactId,
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="What is right, in your own words.")],
    kind: Annotated[
        str | None, typer.Option("--kind", help="semantic, episodic or procedural; as it was when left out.")
    ] = None,
) -> None:
    """Put a fact right. The old words stay in the history until they are forgotten."""
    with _open(run) as (memory, caller):
        old = _fact(memory, caller, fact)
        new = memory.correct(caller, old.id, clean(" ".join(text)), call=_call(), kind=kind)
        run.output.event("fact", {**_record(memory, new), "was": old.text})
    run.output.say(f"{new.id}: {new.text}")
    if new.id != old.id:
        run.output.note(f"It takes the place of {old.id}: {old.text}")


@command(app)
def export(
    run: Run,
    to: Annotated[Path | None, typer.Option("--to", metavar="FILE", help="A new file instead of stdout.")] = None,
) -> None:
    """Everything that is kept about you, as one JSON document."""
    import json

    with _open(run) as (memory, caller):
        facts = memory.export(caller)
        document = {
            "tenant": caller.tenant,
            "user": caller.user,
            "exported_at": memory.now().isoformat(timespec="seconds"),
            "facts": facts,
        }
    if to is None:
        run.output.event("export", document)
        run.output.say(json.dumps(document, ensure_ascii=False, indent=2))
        return
    _write(to, json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    run.output.event("export", {"file": str(to), "facts": len(facts)})
    run.output.say(f"{len(facts)} facts were written to {to}.")


@command(app)
def forget(
    run: Run,
    what: Annotated[list[str], typer.Argument(metavar="ID|TEXT", help="A fact's id, or words that say which one.")],
) -> None:
    """Forget one fact with what it superseded. Its words are deleted for good."""
    from signoff.errors import UsageError

    words = clean(" ".join(what))
    with _open(run) as (memory, caller):
        meant = memory.find(caller, _whole(memory, caller, words))
        if len(meant) != 1:
            raise UsageError("One fact is forgotten at a time: name it, or use `signoff memory delete` for everything.")
        (gone,) = memory.forget(caller, meant[0].id, call=_call())
    run.output.event("fact", {"id": gone.id, "forgotten": True})
    run.output.say(f"{gone.id} was forgotten.")


@command(app)
def delete(run: Run, yes: Yes = False) -> int:
    """Delete everything that is remembered about you, its history too. Conversations are deleted with `threads`."""
    from signoff.cli.terminal import confirmed
    from signoff.errors import UsageError

    if not yes and not run.interactive:
        raise UsageError("Deleting everything is for good: away from a terminal, say so with --yes.")
    with _open(run) as (memory, caller):
        count = len(memory.history(caller))
        if not yes and not confirmed(f"Delete all that is remembered about {caller.name} ({count}) for good?"):
            run.output.note("Nothing was deleted.")
            return 1
        gone = memory.delete_all(caller)
    _forget_calls(run, caller)
    run.output.event("memory", {"deleted": gone})
    run.output.say(f"Everything that was remembered about {caller.name} was deleted ({gone}).")
    run.output.note("What you said in conversations is still in them: `signoff threads delete` removes one.")
    return 0


def _forget_calls(run: Run, caller: Caller) -> None:
    """The words are in the audit and in the ledger too, as what the memory tools were called with."""
    from signoff.checkpoints import Threads
    from signoff.records.ledger import Ledger
    from signoff.tools.audit import Audit

    tools = ("remember", "recall_memory", "forget_memory")
    with run.database() as database:
        clock = run.settings.business_clock()
        threads = [t.id for t in Threads(database, clock).list(caller, limit=1_000_000)]
        with database.write() as tx:
            Audit(database, clock).forget(tx, caller, tools)
            Ledger(clock).forget(tx, caller.tenant, threads, tools)


def _show_all(run: Run, memory: Memory, facts: Sequence[Fact]) -> None:
    for fact in facts:
        run.output.event("fact", _record(memory, fact))
    if not facts:
        return
    now = memory.now()
    rows = [
        (f.id, f.state(now).value, f.kind.value, f"{f.updated:%Y-%m-%d}", f"{f.expires:%Y-%m-%d}" if f.expires else "-",
         f.text or "-")
        for f in facts
    ]  # fmt: skip
    run.output.table(("id", "state", "kind", "said", "holds until", "what"), rows, shrink=5)


def _record(memory: Memory, fact: Fact) -> dict[str, Any]:
    return {**fact.record(), "state": fact.state(memory.now()).value}


def _fact(memory: Memory, caller: Caller, given: str) -> Fact:
    """The caller's fact, of which the id or its beginning was given. Raises `NotFound`, `UsageError`."""
    from signoff.errors import NotFound, UsageError

    wanted = given.strip().lower()
    found = [
        f
        for f in memory.history(caller)
        if wanted not in ("", "mem-") and (f.id.startswith(wanted) or f.id.removeprefix("mem-").startswith(wanted))
    ]
    if not found:
        raise NotFound(f"There is no fact {given!r} about {caller.name}: `signoff memory list` shows those there are.")
    if len(found) > 1:
        raise UsageError(f"{given!r} is the beginning of {len(found)} facts: write more of it, such as {found[0].id}.")
    return found[0]


def _whole(memory: Memory, caller: Caller, words: str) -> str:
    """The id, when the words are how one begins; else the words."""
    from signoff.errors import NotFound

    if not words.strip().lower().startswith("mem-"):
        return words
    try:
        return _fact(memory, caller, words).id
    except NotFound:
        return words


def _write(path: Path, text: str) -> None:
    """A new file that only its owner reads. Raises `UsageError`."""
    import os

    from signoff.errors import UsageError

    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path} is there already: name a new file.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from None
