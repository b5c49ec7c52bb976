"""A thread's past on the terminal: what was said, the checkpoints, what changed, a replay."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from signoff.caller import Caller
from signoff.checkpoints import Diff, HistoryStep, MessageLine, ThreadRecord
from signoff.cli.exits import DONE, ERROR
from signoff.cli.output import moment
from signoff.cli.run import Run
from signoff.cli.turns import called, show_card
from signoff.graph.desk import Desk
from signoff.graph.replay import Replay
from signoff.nodes.handed import handed_over
from signoff.state import Status
from signoff.text import shorten

SHORT = 12
"""Last characters of a checkpoint's id, which are random; its first ones are the time."""


def thread_record(thread: ThreadRecord) -> dict[str, Any]:
    """A thread in a JSON-ready form."""
    return {**asdict(thread), "owner": thread.owner.record()}


def show_thread(run: Run, desk: Desk, thread: str, caller: Caller) -> None:
    """The conversation, the calls made in it, and the cards that wait; for whoever may read the thread."""
    record = desk.services.threads.find(thread) or desk.services.threads.get(thread, caller)
    run.output.event("thread", thread_record(record))
    messages = desk.messages(thread)
    for message in messages:
        run.output.event("message", _message(message))
        _say(run, message)
    turn = desk.turn(thread)
    run.output.note()
    run.output.note(f"{thread} · {turn.status} · last used {moment(record.updated, desk.settings.zone)}")
    if (handed := handed_over(record.owner, thread, desk.services)) is not None:
        run.output.note(f"A person has this conversation: ticket {handed.ticket.ticket_id}.", "yellow")
    if turn.status is Status.WAITING:
        for approval in turn.approvals:
            show_card(run, desk, approval)


def show_history(run: Run, desk: Desk, steps: Sequence[HistoryStep]) -> None:
    """A line a checkpoint: its short id, its number, what runs from there, and what came about there."""
    for step in steps:
        run.output.event("checkpoint", asdict(step))
    rows = [
        (s.checkpoint[-SHORT:], s.step, moment(s.created, desk.settings.zone)[5:], ", ".join(s.next) or "end", _told(s))
        for s in steps
    ]
    run.output.table(("checkpoint", "step", "time", "next", "what came about"), rows, shrink=4)


def show_diff(run: Run, found: Diff) -> None:
    """`+` what is there only later, `-` only earlier, `~` what differs."""
    run.output.event("diff", asdict(found))
    colours = {"+": "green", "-": "red", "~": "yellow"}
    for line in found.lines():
        run.output.say(line, colours[line[0]])
    if not found:
        run.output.note("Nothing differs.")


def show_replay(run: Run, again: Replay) -> int:
    """How the replay went beside the record; returns the exit code."""
    run.output.event(
        "replay",
        {
            "same": again.same,
            "differences": list(again.differences),
            "recorded": again.recorded,
            "turn": again.turn.record(),
        },
    )
    for step in again.turn.steps:
        run.output.note(f"  {called(step.tool, step.args)}: {step.outcome}")
    run.output.say(again.turn.answer)
    if again.same:
        run.output.note("The replay went exactly as the record says. Nothing was carried out again.", "green")
        return DONE
    for difference in again.differences:
        run.output.note(f"differs: {difference}", "yellow")
    run.output.note("Nothing was carried out again.")
    return ERROR


def _told(step: HistoryStep) -> str:
    lines = [_line(m) for m in step.added]
    if step.removed:
        lines.append(f"{step.removed} messages removed")
    if step.source == "fork":
        lines.append("forked here")
    return shorten("; ".join(lines) or ", ".join(step.changed), 200)


def _line(message: MessageLine) -> str:
    if message.type == "tool":
        # Its text is the JSON that the model reads, cut short.
        return "tool ok" if message.text.startswith('{"ok": true') else "tool refused"
    return " ".join((message.type, *filter(None, (message.text, *message.calls))))


def _say(run: Run, message: AnyMessage) -> None:
    out = run.output
    if isinstance(message, HumanMessage):
        out.say(f"you: {message.text}", "bold")
    elif isinstance(message, ToolMessage):
        answered = json.loads(str(message.content))
        said = answered["metadata"].get("summary") if answered["ok"] else answered["error"]["message"]
        out.note(f"  {message.name}: {shorten(str(said or 'done'), 200)}")
    elif isinstance(message, AIMessage):
        for call in message.tool_calls:
            out.note(f"  {called(call['name'], call['args'])}")
        if str(message.text).strip():
            out.say(f"desk: {message.text}")


def _message(message: AnyMessage) -> dict[str, Any]:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    answers = {"call": message.tool_call_id, "tool": message.name} if isinstance(message, ToolMessage) else {}
    return {"id": message.id, "role": message.type, "text": str(message.text), "calls": calls, **answers}
