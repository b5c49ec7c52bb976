"""Desk: ask, decide, resume, look back, fork and replay, on an embedded home."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage

from signoff.approvals import Approval
from signoff.caller import Caller
from signoff.checkpoints import open_saver
from signoff.errors import Cancelled, SignoffError, UsageError
from signoff.graph.dryrun import DryRun, dry_run
from signoff.graph.home import from_context, init, open_services
from signoff.graph.past import Past, last
from signoff.graph.reading import config_of, failed_turn
from signoff.graph.stepsfile import write_trace
from signoff.graph.stream import EventLog
from signoff.graph.threadgraph import ThreadGraph, compile_for
from signoff.graph.turn import Event, Turn
from signoff.nodes.services import Services
from signoff.settings import Settings
from signoff.state import message_id
from signoff.telemetry import langsmith
from signoff.tools.contract import Tool


class Desk(Past):
    """A service desk on one home. Safe to share between threads; close it, or use it in a `with` block.

    Methods raise `signoff.errors`: `UserError` for what a person can mend, `ConfigError` and `StoreError` for
    what an operator can. A failing model raises nothing: the turn's status and answer say so.
    """

    def __init__(self, services: Services, graph: ThreadGraph) -> None:
        self.services = services
        self.graph = graph
        """The compiled graph with its saver: `invoke`, `stream`, `get_state`, …; pass `context=Caller(…)`."""

    @classmethod
    def open(
        cls,
        home: str | Path | None = None,
        *,
        model: BaseChatModel | str | None = None,
        tools: Iterable[Tool] = (),
        settings: Settings | None = None,
        **overrides: Any,
    ) -> Desk:
        """Open a home, making it with sample data when it is not there.

        `model` replaces the one in the settings, by name or by a chat model of your own; `tools` are added to
        the desk's own; other keywords are settings by name. Raises `ConfigError`, `StoreError`.
        """
        if isinstance(model, str):
            overrides["model"], model = model, None
        asked = {**(settings.model_dump(exclude_unset=True) if settings else {}), **overrides}
        if home is not None:
            asked["home"] = home
        init(Settings.load(**asked))
        # The home's own settings, such as its clock, are there only once somebody has made it.
        settings = Settings.load(**asked)
        langsmith.configure()
        services = open_services(settings, identify=from_context, model=model, tools=tools)
        return cls(services, compile_for(services, open_saver(settings)))

    def close(self) -> None:
        """Write what is buffered and release the files."""
        if self.services.connections is not None:
            self.services.connections.close()
        self.services.tracer.flush()
        self.graph.checkpointer.close()  # type: ignore[union-attr]
        self.services.knowledge.close()
        self.services.memory.close()
        self.services.database.close()

    def __enter__(self) -> Desk:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.services.settings

    # Asking and going on

    def ask(
        self,
        text: str,
        *,
        caller: Caller,
        thread: str | None = None,
        program: bool = False,
        tainted: Sequence[str] = (),
    ) -> Turn:
        """Run a turn: on a new thread, or as the next message of an own one. Proposals it was waiting on are
        withdrawn.

        With `program` another program put the question: its words are not the person's, and it is shown no personal
        data that is masked. `tainted` names untrusted text that the words may rest on. Raises `UsageError`,
        `NotFound`, `ThreadBusy`.
        """
        return last(self._asked(text, caller, thread, program=program, tainted=tainted, live=False))

    def ask_events(
        self,
        text: str,
        *,
        caller: Caller,
        thread: str | None = None,
        program: bool = False,
        tainted: Sequence[str] = (),
    ) -> Iterator[Event | Turn]:
        """`ask`, event by event; the last item is the `Turn`."""
        return self._asked(text, caller, thread, program=program, tainted=tainted, live=True)

    def _asked(
        self,
        text: str,
        caller: Caller,
        thread: str | None,
        *,
        program: bool,
        tainted: Sequence[str],
        live: bool,
    ) -> Iterator[Event | Turn]:
        if not text.strip():
            raise UsageError("The question is empty: say what you want to know or have done.")
        thread = thread or new_thread()
        marks = {"program": True, "tainted": list(tainted)} if program else {}
        message = HumanMessage(text.strip(), id=message_id(), additional_kwargs=marks)
        yield from self._run({"messages": [message]}, thread, caller, viewer=None if program else caller, live=live)

    def resume(self, thread: str, *, caller: Caller | None = None) -> Turn:
        """Go on with a thread: after a decision, or after a crash. Without `caller`, as its owner.

        A thread with nothing to go on with is told as it stands; one still undecided stays `waiting`.
        """
        return last(self._resumed(thread, caller, None, live=False))

    def resume_events(
        self, thread: str, *, caller: Caller | None = None, viewer: Caller | None = None
    ) -> Iterator[Event | Turn]:
        """`resume`, event by event; the last item is the `Turn`. `viewer` is who reads it: the caller when left out."""
        return self._resumed(thread, caller, viewer, live=True)

    def _resumed(
        self, thread: str, caller: Caller | None, viewer: Caller | None, *, live: bool
    ) -> Iterator[Event | Turn]:
        viewer = viewer or caller
        caller = caller or self._owner(thread, None)
        self.graph.admit(None, caller, thread)
        state = self.graph.get_state(config_of(thread))
        # Not `next`: a step that ended just before a crash is in `tasks`, and no longer in `next`.
        if not state.tasks:
            turn = self._for(viewer, self.turn(thread))
            yield from EventLog().of_end(turn)
            yield turn
            return
        yield from self._run(None, thread, caller, viewer=viewer, live=live)

    def cancel(self, thread: str, *, caller: Caller | None = None) -> bool:
        """End the run that goes on with a thread in this process: before its next step, or while its model is asked.
        A step that is under way is finished, so that a change is made whole or not at all. The run's turn comes back
        `running`, after a `cancelled` event, and `resume` goes on with it.

        Whether there was a run. Without `caller`, as its owner. Raises `NotFound`.
        """
        self._owner(thread, caller)
        return self.services.stops.stop(thread)

    def holds(self, thread: str) -> bool:
        """Whether the thread's checkpoints are in this home, and not with a server that shares it."""
        return self.graph.checkpointer.get_tuple(config_of(thread)) is not None  # type: ignore[union-attr]

    # Approvals

    def decide(
        self,
        approval: str,
        decision: str,
        *,
        by: Caller,
        reason: str = "",
        args: Mapping[str, Any] | None = None,
    ) -> Approval:
        """Approve, reject or edit. An edit returns a new approval, which must itself be signed off.

        Nothing runs here: `resume` the thread. Raises `UsageError`, `NotFound`, `DecisionRefused`.
        """
        return self.services.proposals.decide(approval, decision, by=by, reason=reason, args=args)

    def dry_run(self, tool: str, args: Mapping[str, Any], *, caller: Caller) -> DryRun:
        """What a call of a tool that changes something would do, for this caller, now. Nothing is changed or proposed.

        Raises `UsageError` for a tool that is not there or changes nothing.
        """
        return dry_run(self.services, tool, args, caller)

    def approvals(self, viewer: Caller, *, status: str | None = "pending", limit: int = 100) -> list[Approval]:
        """Approvals the viewer requested or could decide, newest first; of any status when `status` is None."""
        return self.services.gateway.inbox.find(viewer, status=status, limit=limit)

    def approval(self, approval: str, *, viewer: Caller) -> Approval:
        """One approval. Raises `NotFound`."""
        return self.services.gateway.inbox.get(approval, viewer=viewer)

    # Inside

    def _for(self, viewer: Caller | None, turn: Turn) -> Turn:
        """The turn as its reader may see it: personal data that a tool reveals is shown to the thread's owner only."""
        return replace(turn, answer=self._revealed(turn.answer, turn.thread, viewer))

    def _revealed(self, text: str, thread: str, viewer: Caller | None) -> str:
        owner = self.services.threads.owner(thread)
        if viewer is None or owner is None or (owner.tenant, owner.user) != (viewer.tenant, viewer.user):
            return text
        return self.services.gateway.masks.reveal(text, owner, thread)

    def _run(
        self,
        input: Any,
        thread: str,
        caller: Caller,
        *,
        checkpoint: str | None = None,
        viewer: Caller | None = None,
        live: bool = False,
    ) -> Iterator[Event | Turn]:
        """`live`: somebody watches, so that the answer is told as it is written."""
        log = EventLog(lambda text: self._revealed(text, thread, viewer))
        modes = ["updates", "custom"] if live else ["updates"]
        cancelled = ""
        try:
            with self.services.stops.running(thread) as stop:
                for mode, said in self.graph.stream(
                    input, config_of(thread, checkpoint), context=caller, stream_mode=modes
                ):
                    yield from log.of_custom(said) if mode == "custom" else log.of_update(said)
                    if stop.is_set():
                        raise Cancelled("The run was cancelled between two steps: resume the thread to go on.")
        except Cancelled as error:
            cancelled = str(error)
        except SignoffError:
            raise
        except Exception as error:
            # Not one of ours: a fault in the desk. The thread stays as it was at its last checkpoint.
            turn = failed_turn(self.graph, self.services, thread, input, error)
        else:
            turn = self._for(viewer, self.turn(thread))
            write_trace(self.services, thread)
        if cancelled:
            turn = self._for(viewer, self.turn(thread))
            yield log.event("cancelled", message=cancelled)
        yield from log.of_end(turn)
        yield turn


def new_thread() -> str:
    """A new thread's id."""
    return f"th-{uuid4().hex[:12]}"
