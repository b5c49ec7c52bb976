"""A turn in the terminal: its steps while it runs, then its answer, what it waits for, and how to go on."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any

from signoff.approvals import Approval
from signoff.approvals.policy import check_approver
from signoff.caller import Caller
from signoff.cli.card import draw_card
from signoff.cli.exits import code_of
from signoff.cli.output import cut, exact
from signoff.cli.run import Run
from signoff.cli.words import say
from signoff.errors import DecisionRefused
from signoff.graph.desk import Desk
from signoff.graph.turn import Event, Turn
from signoff.records.people import People
from signoff.state import Citation, Status
from signoff.text import Language, language

Events = Iterator[Event | Turn]

_NODE_W = 12


def play(run: Run, events: Events) -> Turn:
    """Show a turn's events as they come; returns the turn."""
    turn: Turn | None = None
    run.output.written = ""
    try:
        for item in events:
            if isinstance(item, Turn):
                turn = item
            elif run.json:
                run.output.event(item.type, item.data, item.ts)
            else:
                _step(run, item)
    finally:
        # When a person interrupts, the thread's lock must not outlive the turn.
        if isinstance(events, Generator):
            events.close()
    assert turn is not None
    return turn


def present(run: Run, desk: Desk, turn: Turn, caller: Caller, *, cards: bool = True, hint: bool = True) -> int:
    """Print how a turn stands and return the exit code for it.

    `cards`: whether what it waits for is still to be shown; `hint`: whether to say how to go on.
    """
    out, lang = run.output, language_of(turn)
    if turn.answer and turn.status is not Status.WAITING:
        out.answer(turn.answer)
        for citation in turn.citations:
            out.say(cited(citation))
    if turn.status is Status.WAITING:
        for approval in turn.approvals:
            if cards:
                show_card(run, desk, approval)
            out.say(say("waiting", lang, id=approval.id, title=approval.card.title))
            if approval.status == "pending":
                out.say(say("to_decide", lang))
                for line in ways_to_decide(run, desk, approval, caller):
                    out.say(f"  {line}")
            else:
                # Decided in between, by somebody else.
                out.note(f"{approval.id}: {say(approval.status, lang)}", "yellow")
                out.say(say("to_go_on", lang, command=run.command("resume", turn.thread)))
    elif turn.status is Status.EXHAUSTED:
        out.note(say("not_finished", lang, why=turn.limit or turn.status), "yellow")
    elif turn.status is Status.FAILED:
        out.note(f"error: {turn.error or turn.status}", "red")
    elif turn.status is Status.RUNNING:
        out.note(say("running", lang, command=run.command("resume", turn.thread)), "yellow")
    elif turn.status is not Status.DONE:
        for approval in (_newest(desk, a) for a in turn.approvals):
            why = f": {approval.reason}" if approval.reason else ""
            out.note(f"{approval.id} {say(approval.status, lang)}{why}", "yellow")
    owner = desk.services.threads.owner(turn.thread)
    if hint and turn.status is not Status.WAITING and owner is not None and owner.name == caller.name:
        out.note(say("thread_hint", lang, thread=turn.thread, command=run.command("ask", "--thread", turn.thread, "…")))
    return code_of(turn.status)


def show_card(run: Run, desk: Desk, approval: Approval, *, answer: bool = False) -> None:
    """The approval's card: on stderr, or on stdout when it is what was asked for."""
    out = run.output
    zone = desk.settings.zone
    now = desk.services.clock.utc()
    out.draw(draw_card(approval, zone=zone, width=out.width, unicode=out.unicode, now=now), answer=answer)


def cited(citation: Citation) -> str:
    """A citation as a reader can check it: `[1] Title > place (source, version)`."""
    place = f" > {citation['place']}" if citation["place"] else ""
    source = ", ".join(part for part in (citation["source"], citation["version"]) if part)
    return f"[{citation['n']}] {citation['title']}{place} ({source})"


def language_of(turn: Turn) -> Language:
    """The language a turn is spoken about in: that of its question."""
    return language(turn.question)


def may_approve(approval: Approval, person: Caller) -> bool:
    """Whether the person may sign the approval off, and has not yet."""
    if person.user in approval.approvers:
        return False
    try:
        check_approver(approval, person)
    except DecisionRefused:
        return False
    return True


def entitled(desk: Desk, approval: Approval) -> list[Caller]:
    """People of the directory who may sign the approval off and have not yet, requester first."""
    people = [p.caller() for p in People(desk.services.database).of(approval.requester.tenant)]
    able = [p for p in people if may_approve(approval, p)]
    return sorted(able, key=lambda p: p.user != approval.requester.user)


def ways_to_decide(run: Run, desk: Desk, approval: Approval, caller: Caller) -> list[str]:
    """Command lines that decide the approval, as the caller if they may, else as somebody who may."""
    by: str | None = None
    if not may_approve(approval, caller):
        able = entitled(desk, approval)
        by = able[0].name if able else f"{caller.tenant}/…"
    return [
        run.command("approvals", "approve", approval.id, by=by),
        run.command("approvals", "reject", approval.id, "--reason", "…", by=by),
    ]


def _newest(desk: Desk, approval: Approval) -> Approval:
    """What an approval became when it was edited."""
    while approval.replaced_by is not None:
        approval = desk.approval(approval.replaced_by, viewer=approval.requester)
    return approval


def _step(run: Run, event: Event) -> None:
    out, data = run.output, event.data
    room = out.width - _NODE_W - len("→  ")
    to, ok, failed, dot, stop = ("→", "✓", "✗", "·", "■") if out.unicode else (">", "+", "x", "-", "#")
    match event.type:
        case "text_delta" if run.interactive:
            if data["at"] < len(out.written):
                out.note(f"  ! {say('taken_back', language(out.written))}", "yellow")
            out.write(data["text"], data["at"])
        case "step" if out.written:
            # In the middle of an answer it would stand between its sentences.
            pass
        case "step":
            out.note(f"{dot} {data['node']:<{_NODE_W}}{cut(_noted(data, to), room)}".rstrip())
        case "tool_start":
            out.note(f"  {to} {cut(called(data['tool'], data['args']), room)}")
        case "tool_end":
            out.note(f"  {ok if data['ok'] else failed} {data['tool']}", "dim" if data["ok"] else "yellow")
        case "warning":
            said = " ".join([data.get("message", ""), "; ".join(map(str, data.get("findings") or ()))])
            out.note(f"  ! {cut(said, room)}", "yellow")
        case "cancelled":
            out.note(f"  {stop} {data['message']}", "yellow")
        case "approval_required":
            out.note(f"  {stop} {data['id']} {cut(str(data['card']['title']), room)}", "yellow")
        case _:
            pass


def called(tool: str, args: Mapping[str, Any]) -> str:
    """A tool call in a line, its values as they are."""
    return f"{tool}({', '.join(f'{n}={exact(v)}' for n, v in args.items())})"


def _noted(data: Mapping[str, Any], to: str) -> str:
    if data.get("evidence"):
        return " ".join(data["evidence"])
    tools = f" {to} {', '.join(data['tools'])}" if data.get("tools") else ""
    return ", ".join(data.get("intents") or ()) + tools
