"""A turn from its start to what the process ends with."""

from __future__ import annotations

from signoff.caller import Caller
from signoff.cli.decisions import settle, sign_all
from signoff.cli.exits import DONE
from signoff.cli.run import Run
from signoff.cli.turns import Events, play, present
from signoff.cli.words import say
from signoff.graph.desk import Desk, new_thread


def ask_once(run: Run, desk: Desk, text: str, caller: Caller, thread: str | None, *, yes: bool = False) -> int:
    """Ask, decide what can be decided here, print the rest. Returns the exit code.

    With `yes` the caller approves without being asked; who may not approve is told so, as ever.
    """
    thread = thread or new_thread()
    return _run(run, desk, desk.ask_events(text, caller=caller, thread=thread), thread, caller, yes=yes)


def go_on(run: Run, desk: Desk, thread: str, caller: Caller) -> int:
    """Resume a thread, for its owner whoever resumes it. Returns the exit code."""
    if desk.services.threads.find(thread) is not None and not desk.holds(thread):
        # Of this home, but run by LangGraph's server, which keeps the checkpoints itself.
        run.output.note(say("elsewhere", "en", thread=thread), "yellow")
        return DONE
    return _run(run, desk, desk.resume_events(thread, viewer=caller), thread, caller)


def _run(run: Run, desk: Desk, events: Events, thread: str, caller: Caller, *, yes: bool = False) -> int:
    try:
        turn = play(run, events)
        turn = sign_all(run, desk, turn, caller) if yes else settle(run, desk, turn, caller)
    except KeyboardInterrupt:
        if desk.services.threads.find(thread) is not None:
            run.output.note(say("to_go_on", "en", command=run.command("resume", thread)), "")
        raise
    return present(run, desk, turn, caller, cards=not run.interactive)
