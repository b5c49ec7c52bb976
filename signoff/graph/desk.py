"""Desk: ask, decide, resume, look back, fork and replay, on an embedded home."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, HumanMessage

from signoff.approvals import Approval
from signoff.caller import Caller
from signoff.checkpoints import Diff, HistoryStep, diff, history, open_saver, scratch
from signoff.checkpoints.threads import ThreadRecord
from signoff.errors import NotFound, SignoffError, UsageError
from signoff.graph.home import from_context, init, open_services
from signoff.graph.reading import config_of, failed_turn, read_turn
from signoff.graph.replay import Replay, copy_with, differences, following, from_record
from signoff.graph.stream import EventLog
from signoff.graph.threadgraph import ThreadGraph, compile_for
from signoff.graph.turn import Event, Turn
from signoff.nodes.services import Services
from signoff.settings import Settings
from signoff.state import Status, message_id, open_calls
from signoff.telemetry import langsmith
from signoff.tools.contract import Tool


class Desk:
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

    def ask(self, text: str, *, caller: Caller, thread: str | None = None) -> Turn:
        """Run a turn: on a new thread, or as the next message of an own one. Proposals it was waiting on are
        withdrawn. Raises `UsageError`, `NotFound`, `ThreadBusy`."""
        return _last(self.ask_events(text, caller=caller, thread=thread))

    def ask_events(self, text: str, *, caller: Caller, thread: str | None = None) -> Iterator[Event | Turn]:
        """`ask`, event by event; the last item is the `Turn`."""
        if not text.strip():
            raise UsageError("The question is empty: say what you want to know or have done.")
        thread = thread or new_thread()
        message = HumanMessage(text.strip(), id=message_id())
        yield from self._run({"messages": [message]}, thread, caller)

    def resume(self, thread: str, *, caller: Caller | None = None) -> Turn:
        """Go on with a thread: after a decision, or after a crash. Without `caller`, as its owner.

        A thread with nothing to go on with is told as it stands; one still undecided stays `waiting`.
        """
        return _last(self.resume_events(thread, caller=caller))

    def resume_events(self, thread: str, *, caller: Caller | None = None) -> Iterator[Event | Turn]:
        """`resume`, event by event; the last item is the `Turn`."""
        caller = caller or self._owner(thread, None)
        self.graph.admit(None, caller, thread)
        state = self.graph.get_state(config_of(thread))
        # Not `next`: a step that ended just before a crash is in `tasks`, and no longer in `next`.
        if not state.tasks:
            turn = self.turn(thread)
            yield from EventLog().of_end(turn)
            yield turn
            return
        yield from self._run(None, thread, caller)

    def holds(self, thread: str) -> bool:
        """Whether the thread's checkpoints are in this home, and not with a server that shares it."""
        return self.graph.checkpointer.get_tuple(config_of(thread)) is not None  # type: ignore[union-attr]

    def turn(self, thread: str) -> Turn:
        """How the thread's newest turn stands."""
        return read_turn(self.graph, self.services, thread)

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

    def approvals(self, viewer: Caller, *, status: str | None = "pending", limit: int = 100) -> list[Approval]:
        """Approvals the viewer requested or could decide, newest first; of any status when `status` is None."""
        return self.services.gateway.inbox.find(viewer, status=status, limit=limit)

    def approval(self, approval: str, *, viewer: Caller) -> Approval:
        """One approval. Raises `NotFound`."""
        return self.services.gateway.inbox.get(approval, viewer=viewer)

    # Threads and their past

    def threads(self, caller: Caller, *, limit: int = 20, status: str | None = None) -> list[ThreadRecord]:
        """The caller's threads, last used first."""
        return list(self.services.threads.list(caller, limit, status))

    def messages(self, thread: str, *, caller: Caller | None = None) -> list[AnyMessage]:
        """The record of a thread's conversation."""
        self._owner(thread, caller)
        return list(self.graph.get_state(config_of(thread)).values.get("messages") or ())

    def history(
        self, thread: str, *, limit: int = 20, before: str | None = None, caller: Caller | None = None
    ) -> list[HistoryStep]:
        """Checkpoints, newest first, `limit` of them, those before a checkpoint id."""
        self._owner(thread, caller)
        return list(history(self.graph, thread, limit=limit, before=before))

    def diff(self, thread: str, a: str, b: str, *, caller: Caller | None = None) -> Diff:
        """What changed in the state between two checkpoints."""
        self._owner(thread, caller)
        return diff(self.graph, thread, a, b)

    def fork(self, thread: str, checkpoint: str, text: str | None = None, *, caller: Caller | None = None) -> Turn:
        """Go on from an earlier checkpoint: with other words, or as it was then (follow with `resume`).

        The new branch becomes the thread's present; the old one stays in its history. Proposals of the old
        branch are withdrawn; what was performed stays performed and is answered from the ledger.
        """
        if text is not None and not text.strip():
            raise UsageError("The fork's question is empty: say what is to be asked, or leave it out.")
        owner = self._owner(thread, caller)
        self._must(thread, checkpoint)
        config = config_of(thread, checkpoint)
        with self.services.locks.hold(thread):
            at = self.graph.get_state(config)
            waiting = set(open_calls(at.values.get("messages") or ()))
            here = open_calls(self.graph.get_state(config_of(thread)).values.get("messages") or ())
            gone = [c for c in here if c not in waiting]
            if gone:
                self.services.gateway.inbox.withdraw(owner.tenant, thread, gone)
            if text is not None:
                message = HumanMessage(text.strip(), id=message_id())
                return _last(self._run({"messages": [message]}, thread, owner, checkpoint=checkpoint))
            self.graph.update_state(config, None, as_node="__copy__")
            self.services.threads.touch(thread, status=at.values.get("status") or Status.RUNNING)
        return self.turn(thread)

    def replay(self, thread: str, checkpoint: str, *, recorded: bool = False, caller: Caller | None = None) -> Replay:
        """Run the rest of a turn again from a checkpoint, on a copy: the thread and the world stay as they are.

        Writes are answered from the ledger. With `recorded` the model and the reads are answered from the
        record, so that the replay is exact.
        """
        owner = self._owner(thread, caller)
        self._must(thread, checkpoint)
        record = list(self.graph.get_state(config_of(thread)).values.get("messages") or ())
        at = self.graph.get_state(config_of(thread, checkpoint))
        so_far = list(at.values.get("messages") or ())
        asks = "__start__" in at.next
        if recorded:
            then: list[AnyMessage] | None = following(record, so_far, asks=asks)
            services = from_record(self.services, then or [])
        else:
            then = _following_or_none(record, so_far, asks)
            services = copy_with(self.services)
        copied = scratch(self.graph.checkpointer, thread, checkpoint)  # type: ignore[arg-type]
        # What is only repeated leaves no trace of its own: the turn's trace is of the turn.
        with copied as saver, self.services.tracer.paused():
            graph = compile_for(services, saver)
            # The stop before a write is passed as often as it comes: what holds is the ledger.
            for _ in range(services.settings.max_rounds + 1):
                graph.invoke(None, config_of(thread), context=owner)
                state = graph.get_state(config_of(thread))
                if "write_tools" not in state.next or any(t.interrupts for t in state.tasks):
                    break
            turn = read_turn(graph, self.services, thread)
            now = list(graph.get_state(config_of(thread)).values.get("messages") or ())[len(so_far) :]
        found = differences(then, now) if then is not None else ["the record is of another branch"]
        return Replay(turn, not found, found, recorded)

    def delete(self, thread: str, *, caller: Caller | None = None) -> None:
        """Remove a thread: checkpoints, approvals, results and traces. The ledger keeps what was performed."""
        owner = self._owner(thread, caller)
        services = self.services
        with services.locks.hold(thread):
            self.graph.checkpointer.delete_thread(thread)  # type: ignore[union-attr]
            with services.database.write() as tx:
                services.gateway.inbox.delete_thread(tx, owner.tenant, thread)
                services.gateway.results.delete_thread(tx, thread)
            services.tracer.delete_thread(thread)
            services.threads.delete(thread)

    def prune(self, thread: str, *, keep: int = 20, caller: Caller | None = None) -> int:
        """Remove all but the newest checkpoints of a thread, which stays readable; returns how many went."""
        self._owner(thread, caller)
        with self.services.locks.hold(thread):
            with self.services.database.write() as tx:
                self.services.gateway.results.purge(tx)
            return int(self.graph.checkpointer.prune_thread(thread, keep=keep))  # type: ignore[union-attr]

    # Inside

    def _run(self, input: Any, thread: str, caller: Caller, *, checkpoint: str | None = None) -> Iterator[Event | Turn]:
        log = EventLog()
        try:
            for update in self.graph.stream(
                input, config_of(thread, checkpoint), context=caller, stream_mode="updates"
            ):
                yield from log.of_update(update)
        except SignoffError:
            raise
        except Exception as error:
            # Not one of ours: a fault in the desk. The thread stays as it was at its last checkpoint.
            turn = failed_turn(self.graph, self.services, thread, input, error)
        else:
            turn = self.turn(thread)
        yield from log.of_end(turn)
        yield turn

    def _owner(self, thread: str, caller: Caller | None) -> Caller:
        """The thread's owner. With a caller, only for its owner: another's thread is `NotFound`."""
        if caller is not None:
            return self.services.threads.get(thread, caller).owner
        owner = self.services.threads.owner(thread)
        if owner is None:
            raise NotFound(f"There is no thread {thread!r}: check its name.")
        return owner

    def _must(self, thread: str, checkpoint: str) -> None:
        if self.graph.checkpointer.get_tuple(config_of(thread, checkpoint)) is None:  # type: ignore[union-attr]
            raise NotFound(f"Thread {thread!r} has no checkpoint {checkpoint!r}: see its history for those it has.")


def new_thread() -> str:
    """A new thread's id."""
    return f"th-{uuid4().hex[:12]}"


def _last(items: Iterator[Event | Turn]) -> Turn:
    last: Event | Turn | None = None
    for item in items:
        last = item
    assert isinstance(last, Turn)
    return last


def _following_or_none(record: list[AnyMessage], so_far: list[AnyMessage], asks: bool) -> list[AnyMessage] | None:
    try:
        return following(record, so_far, asks=asks)
    except NotFound:
        return None
