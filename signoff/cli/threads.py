"""`threads`: what was said, the checkpoints behind it, and going back to one of them."""

from __future__ import annotations

from typing import Annotated

import typer

from signoff.cli.group import Noun
from signoff.cli.run import Run, clean, command

app = typer.Typer(cls=Noun, no_args_is_help=True)

Thread = Annotated[str, typer.Argument(metavar="THREAD", help="The thread's id, or how it begins.")]
Checkpoint = Annotated[str, typer.Argument(metavar="CHECKPOINT", help="The checkpoint's id, or how it ends.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")]


@command(app, "list")
def list_(
    run: Run,
    status: Annotated[str | None, typer.Option("--status", help="Only those whose last turn stands so.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many, last used first.")] = 20,
) -> None:
    """Your conversations, last used first."""
    with run.desk() as desk:
        from signoff.cli.output import moment
        from signoff.cli.past import thread_record

        caller = run.caller(desk.services.database)
        found = desk.threads(caller, limit=limit, status=status)
        for t in found:
            run.output.event("thread", thread_record(t))
        if not found:
            run.output.note(f"No threads of {caller.name}.")
            return
        rows = [(t.id, t.status, moment(t.updated, desk.settings.zone), t.title) for t in found]
        run.output.table(("id", "status", "last used", "begins with"), rows, shrink=3)


@command(app)
def show(run: Run, thread: Thread) -> None:
    """What was said on a thread, and how it stands."""
    with run.desk(thread=thread) as desk:
        from signoff.cli.ids import readable
        from signoff.cli.past import show_thread

        caller = run.caller(desk.services.database)
        show_thread(run, desk, readable(desk, thread, caller), caller)


@command(app)
def history(
    run: Run,
    thread: Thread,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many, newest first.")] = 20,
    before: Annotated[str | None, typer.Option("--before", metavar="CHECKPOINT", help="Only older ones.")] = None,
) -> None:
    """The checkpoints of a thread, newest first."""
    with run.desk(thread=thread) as desk:
        from signoff.cli.ids import checkpoint_id, thread_id
        from signoff.cli.past import show_history

        caller = run.caller(desk.services.database)
        own = thread_id(desk, thread, caller)
        last = checkpoint_id(desk, own, before) if before else None
        show_history(run, desk, desk.history(own, limit=limit, before=last, caller=caller))


@command(app)
def diff(
    run: Run,
    thread: Thread,
    a: Annotated[str, typer.Argument(metavar="FROM", help="A checkpoint's id, or how it ends.")],
    b: Annotated[str | None, typer.Argument(metavar="TO", help="Another; the newest when left out.")] = None,
) -> None:
    """What changed in a thread's state between two checkpoints."""
    with run.desk(thread=thread) as desk:
        from signoff.cli.ids import checkpoint_id, thread_id
        from signoff.cli.past import show_diff

        caller = run.caller(desk.services.database)
        own = thread_id(desk, thread, caller)
        to = checkpoint_id(desk, own, b) if b else desk.history(own, limit=1, caller=caller)[0].checkpoint
        show_diff(run, desk.diff(own, checkpoint_id(desk, own, a), to, caller=caller))


@command(app)
def fork(
    run: Run,
    thread: Thread,
    checkpoint: Checkpoint,
    text: Annotated[list[str] | None, typer.Argument(metavar="TEXT", help="What to say there instead.")] = None,
) -> int:
    """Go on from an earlier checkpoint; the branch becomes the thread's present.

    What was carried out stays carried out. Without TEXT the thread stands as it did then: resume it.
    """
    with run.desk(thread=thread) as desk:
        from signoff.cli.decisions import settle
        from signoff.cli.ids import checkpoint_id, thread_id
        from signoff.cli.turns import present

        caller = run.caller(desk.services.database)
        own = thread_id(desk, thread, caller)
        words = clean(" ".join(text)) if text else None
        turn = desk.fork(own, checkpoint_id(desk, own, checkpoint), words, caller=caller)
        turn = settle(run, desk, turn, caller)
        run.output.event("final", turn.record())
        return present(run, desk, turn, caller, cards=not run.interactive)


@command(app)
def replay(
    run: Run,
    thread: Thread,
    checkpoint: Checkpoint,
    recorded: Annotated[
        bool, typer.Option("--recorded", help="Take the model and the reads from the record too: an exact replay.")
    ] = False,
) -> int:
    """Run a turn again from a checkpoint, on a copy. The thread and the world stay as they are.

    Writes are answered from the ledger. The exit code is 0 when it went as before, else 1.
    """
    with run.desk(thread=thread) as desk:
        from signoff.cli.ids import checkpoint_id, thread_id
        from signoff.cli.past import show_replay

        caller = run.caller(desk.services.database)
        own = thread_id(desk, thread, caller)
        again = desk.replay(own, checkpoint_id(desk, own, checkpoint), recorded=recorded, caller=caller)
        return show_replay(run, again)


@command(app)
def delete(run: Run, thread: Thread, yes: Yes = False) -> int:
    """Remove a thread with its approvals, results and traces. The ledger keeps what was carried out."""
    with run.desk(thread=thread) as desk:
        from signoff.cli.ids import thread_id
        from signoff.cli.terminal import confirmed
        from signoff.errors import UsageError

        caller = run.caller(desk.services.database)
        own = thread_id(desk, thread, caller)
        if not yes and not run.interactive:
            raise UsageError(f"Removing {own} is for good: away from a terminal, say so with --yes.")
        if not yes and not confirmed(f"Remove {own} for good?"):
            run.output.note("Nothing was removed.")
            return 1
        desk.delete(own, caller=caller)
        run.output.event("thread", {"id": own, "deleted": True})
        run.output.say(f"{own} was removed.")
        return 0


@command(app)
def prune(
    run: Run,
    thread: Annotated[
        str | None, typer.Argument(metavar="THREAD", help="One thread; all of yours if left out.")
    ] = None,
    keep: Annotated[int, typer.Option("--keep", min=1, help="Newest checkpoints that stay, for each thread.")] = 20,
) -> None:
    """Remove old checkpoints. Every thread stays readable and goes on."""
    with run.desk(thread=thread) as desk:
        from signoff.cli.ids import thread_id

        caller = run.caller(desk.services.database)
        own = [thread_id(desk, thread, caller)] if thread else [t.id for t in desk.threads(caller, limit=100_000)]
        for one in own:
            gone = desk.prune(one, keep=keep, caller=caller)
            run.output.event("thread", {"id": one, "removed": gone})
            run.output.say(f"{one}: {gone} checkpoints removed")
        if not own:
            run.output.note(f"No threads of {caller.name}.")
