"""A conversation at the terminal or through a pipe."""

from __future__ import annotations

import sys

from signoff.approvals import Approval
from signoff.caller import Caller
from signoff.cli import decisions
from signoff.cli.card import language_of_card
from signoff.cli.exits import DONE
from signoff.cli.ids import approval_of
from signoff.cli.run import Run, clean
from signoff.cli.terminal import read
from signoff.cli.turns import Events, may_approve, play, present, show_card, ways_to_decide
from signoff.cli.words import say
from signoff.errors import SignoffError, UsageError
from signoff.graph.desk import Desk, new_thread

HELP = """\
/approvals              what waits for a signature, here and elsewhere
/show [ID]              the card
/approve [ID]           sign it off, exactly as the card shows it
/edit [ID] NAME=VALUE…  change its arguments; the result must be approved itself
/reject [ID] [REASON]   refuse it
/thread                 this conversation's id
/new                    start another conversation
/quit                   end; so does the end of the input, or Ctrl-C twice
Anything else is said to the desk. A new message takes back what is waiting in this conversation."""


class Conversation:
    """Keeps the thread between messages."""

    def __init__(self, run: Run, desk: Desk, caller: Caller, thread: str | None) -> None:
        self._run, self._desk, self._caller = run, desk, caller
        self._thread = thread
        self._code = DONE

    def talk(self) -> int:
        """Until the end of the input; returns the exit code: through a pipe, that of the last turn."""
        code = self._listen()
        if self._thread is not None:
            command = self._run.command("chat", "--thread", self._thread)
            self._run.output.note(say("thread_hint", "en", thread=self._thread, command=command))
        return code

    def _listen(self) -> int:
        if not self._run.interactive:
            for line in sys.stdin or ():
                if (said := clean(line).strip()) and self._hear(said) is None:
                    break
            return self._code
        self._run.output.note(f"{self._caller.name} · {self._desk.services.model.label} · /help shows the commands")
        stopping = False
        while True:
            try:
                line = read("you> ")
                if line is None or (line and self._hear(line) is None):
                    return DONE
                stopping = False
            except KeyboardInterrupt:
                if stopping:
                    raise
                stopping = True
                print(file=sys.stderr)
                self._run.output.note("Interrupted. Ctrl-C again, or /quit, ends the conversation.", "yellow")

    def _hear(self, said: str) -> bool | None:
        """Answer a message or a command; None when it ends the conversation."""
        try:
            if not said.startswith("/"):
                self._ask(said)
                return True
            word, _, rest = said.partition(" ")
            return self._obey(word.casefold(), rest.strip())
        except SignoffError as error:
            self._code = error.exit_code
            self._run.output.problem(str(error), error.exit_code, type(error).__name__)
            return True

    def _ask(self, text: str) -> None:
        self._thread = self._thread or new_thread()
        self._go(self._desk.ask_events(text, caller=self._caller, thread=self._thread))

    def _go(self, events: Events) -> None:
        run = self._run
        turn = decisions.settle(run, self._desk, play(run, events), self._caller)
        self._code = present(run, self._desk, turn, self._caller, cards=not run.interactive, hint=False)

    def _obey(self, word: str, rest: str) -> bool | None:
        out = self._run.output
        match word:
            case "/quit" | "/exit" | "/q":
                return None
            case "/help" | "/h" | "/?":
                out.note(HELP, "")
            case "/thread":
                out.note(self._thread or "No message was sent yet.", "")
            case "/new":
                self._thread = None
                out.note("A new conversation begins with your next message.")
            case "/approvals":
                for a in self._desk.approvals(self._caller):
                    out.note(f"{a.id}  {a.card.title}  ({a.requester.name}, {a.risk})", "")
            case "/show":
                show_card(self._run, self._desk, self._approval(rest)[0])
            case "/approve" | "/edit" | "/reject":
                self._decide(word, rest)
            case _:
                raise UsageError(f"{word} is no command here: /help shows those there are.")
        return True

    def _decide(self, word: str, rest: str) -> None:
        if not self._run.interactive:
            # What comes through a pipe may be anybody's text.
            raise UsageError(
                f"{word} works in a terminal only: elsewhere use signoff approvals{word.replace('/', ' ')}."
            )
        run, desk, caller = self._run, self._desk, self._caller
        approval, rest = self._approval(rest)
        lang = language_of_card(approval)
        if word == "/edit" and rest:
            args = decisions.parse_changes(desk, approval, rest.split(" ") if rest.count("=") > 1 else [rest])
            edited = desk.decide(approval.id, "edit", by=caller, args=args)
            run.output.note(say("new_card", lang, old=approval.id), "yellow")
            left = decisions.decide(run, desk, edited, caller)
        elif word == "/edit":
            left = decisions.decide(run, desk, approval, caller)
        elif word == "/reject":
            decisions.reject(run, desk, approval, caller, rest, lang)
            left = None
        elif not may_approve(approval, caller):
            decisions.tell_who_may(run, desk, approval, caller, lang)
            left = approval
        else:
            show_card(run, desk, approval)
            left = decisions.approve(run, desk, approval, caller, lang)
        if left is None:
            self._go(desk.resume_events(approval.thread, viewer=self._caller))
        elif not may_approve(left, caller):
            for line in ways_to_decide(run, desk, left, caller):
                run.output.note(f"  {line}")

    def _approval(self, rest: str) -> tuple[Approval, str]:
        """The approval that is meant, and what else was written: the one of this conversation when none is named."""
        first, _, others = rest.partition(" ")
        if first.startswith("ap-"):
            return approval_of(self._desk, first, self._caller), others.strip()
        pending = [a for a in self._desk.approvals(self._caller) if a.thread == self._thread]
        if len(pending) != 1:
            raise UsageError(f"{len(pending)} approvals wait in this conversation: name one, as /approvals shows them.")
        return pending[0], rest
