"""The story of the demo, scene by scene."""

from __future__ import annotations

import sys
import time

from signoff.approvals import Approval
from signoff.caller import Caller
from signoff.cli import decisions
from signoff.cli.exits import DONE, ERROR, UNFINISHED, WAITING, code_of
from signoff.cli.past import SHORT, show_history
from signoff.cli.run import Run
from signoff.cli.stage import ASKING, DECIDING, TENANT
from signoff.cli.turns import cited, play, show_card
from signoff.cli.words import say
from signoff.graph.desk import Desk, new_thread
from signoff.graph.turn import Turn
from signoff.records import People, Records
from signoff.state import Status
from signoff.text import Language

_BEAT_S = 1.2
_LOOK_S = 3.0
_CHECKPOINTS = 12


class Story:
    """Plays on a desk and an order that can be refunded. Says what it really finds, whatever the model answers."""

    def __init__(self, run: Run, desk: Desk, order: str, lang: Language, *, fast: bool) -> None:
        self._run, self._desk, self._order, self._lang = run, desk, order, lang
        self._pausing = not fast and sys.stdout.isatty()
        people = People(desk.services.database)
        self._asking = Caller(TENANT, ASKING, people.roles(TENANT, ASKING))
        self._deciding = Caller(TENANT, DECIDING, people.roles(TENANT, DECIDING))
        self._scene = 0

    def play(self) -> int:
        """All scenes; returns the exit code."""
        desk = self._desk
        self._tell("model", label=desk.services.model.label)
        self._tell("home", home=desk.settings.home, now=f"{desk.services.clock.now():%Y-%m-%d %H:%M}")
        self._open("policy")
        turn = self._ask("policy?")
        if turn.status is Status.FAILED:
            self._tell("no_model")
            return ERROR
        if not turn.citations:
            self._tell("uncited")
        self._open("order")
        self._ask("order?")
        self._open("refund")
        asked = self._refund()
        return UNFINISHED if asked is None else self._decide(asked)

    def _refund(self) -> Turn | None:
        """The turn that waits for a signature; None when the model proposed nothing."""
        thread = new_thread()
        turn = self._ask("refund?", thread)
        if turn.status not in (Status.WAITING, Status.FAILED):
            turn = self._ask("again?", thread)
        if turn.status is not Status.WAITING or not _pending(turn):
            self._tell("unproposed", thread=thread)
            return None
        self._tell("unchanged", count=self._refunds())
        return turn

    def _decide(self, asked: Turn) -> int:
        self._open("decide", by=self._deciding.name)
        desk, run = self._desk, self._run
        for approval in _pending(asked):
            left = self._at_terminal(approval) if run.interactive else self._by_command(approval)
            if left is not None:
                self._tell("later")
                run.output.say("  " + run.command("approvals", "approve", left.id, by=self._deciding.name))
                return WAITING
        turn = play(run, desk.resume_events(asked.thread))
        self._answer(turn)
        self._tell("count", count=self._refunds())
        self._open("history")
        show_history(run, desk, desk.history(asked.thread, limit=_CHECKPOINTS, caller=self._asking))
        self._pause(_LOOK_S)
        if turn.status is Status.DONE:
            self._replay(asked)
        self._close()
        return DONE if turn.status is Status.REJECTED else code_of(turn.status)

    def _at_terminal(self, approval: Approval) -> Approval | None:
        self._tell("you", by=self._deciding.name)
        return decisions.decide(self._run, self._desk, approval, self._deciding)

    def _by_command(self, approval: Approval) -> Approval | None:
        show_card(self._run, self._desk, approval, answer=True)
        self._pause(_LOOK_S)
        self._tell("command", id=approval.id)
        self._run.output.say("  " + self._run.command("approvals", "approve", approval.id, by=self._deciding.name))
        self._tell("signs")
        return decisions.approve(self._run, self._desk, approval, self._deciding, self._lang)

    def _replay(self, asked: Turn) -> None:
        self._open("replay", checkpoint=asked.checkpoint[-SHORT:])
        before = self._refunds()
        again = self._desk.replay(asked.thread, asked.checkpoint, caller=self._asking)
        self._run.output.event("replay", {"same": again.same, "turn": again.turn.record()})
        self._run.output.say(again.turn.answer)
        if again.same:
            self._tell("same")
        else:
            self._tell("other", what="; ".join(again.differences))
        self._tell("twice", before=before, after=self._refunds())
        self._pause(_LOOK_S)

    def _close(self) -> None:
        self._open("end")
        if self._desk.settings.home == self._run.settings.home:
            for words in (("chat",), ("trace", "show"), ("audit",), ("records", "rows", "refunds")):
                self._run.output.say("  " + self._run.command(*words))

    def _ask(self, line: str, thread: str | None = None) -> Turn:
        words = say(f"story.{line}", self._lang, order=self._order)
        self._run.output.say(f"{self._asking.name}: {words}", "bold cyan")
        self._pause(_BEAT_S)
        turn = play(self._run, self._desk.ask_events(words, caller=self._asking, thread=thread))
        self._answer(turn)
        return turn

    def _answer(self, turn: Turn) -> None:
        if turn.status is not Status.WAITING:
            self._run.output.answer(turn.answer)
            for citation in turn.citations:
                self._run.output.say(cited(citation), "cyan")
        self._pause(_BEAT_S)

    def _refunds(self) -> int:
        records = Records(self._desk.services.database, self._desk.services.clock, self._desk.settings)
        return sum(r["order_id"] == self._order for r in records.rows("refunds", TENANT, 1_000))

    def _open(self, line: str, **values: object) -> None:
        self._scene += 1
        self._pause(_BEAT_S)
        self._run.output.say()
        self._run.output.say(f"{self._scene}. {say(f'story.{line}', self._lang, **values)}", "bold")

    def _tell(self, line: str, **values: object) -> None:
        self._run.output.say(say(f"story.{line}", self._lang, order=self._order, **values), "green")

    def _pause(self, seconds: float) -> None:
        if self._pausing:
            time.sleep(seconds)


def _pending(turn: Turn) -> list[Approval]:
    return [a for a in turn.approvals if a.status == "pending"]
