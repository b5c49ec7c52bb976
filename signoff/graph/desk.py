"""Desk: ask, decide, resume, look back, fork and replay, on an embedded home."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig

from signoff.approvals import Approval
from signoff.caller import Caller
from signoff.checkpoints import Diff, HistoryStep, diff, history, open_saver, scratch
from signoff.checkpoints.threads import ThreadRecord
from signoff.errors import NotFound, SignoffError, UsageError
from signoff.graph.home import from_context, init, open_services
from signoff.graph.replay import Replay, copy_with, differences, following, from_record
from signoff.graph.stream import EventLog
from signoff.graph.threadgraph import ThreadGraph, compile_for
from signoff.graph.turn import Event, Step, Turn
from signoff.models.view import split
from signoff.nodes.phrases import phrase
from signoff.nodes.services import Services
from signoff.settings import Settings
from signoff.state import Status, message_id, open_calls
from signoff.telemetry import langsmith
from signoff.text import language
from signoff.tools.contract import Tool, ToolResult


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
        settings = settings or Settings.load(home=home, **overrides)
        if init(settings).created:
            # The home's own settings, such as its clock, are there only now.
            settings = Settings.load(**{**settings.model_dump(exclude_unset=True), **overrides, "home": settings.home})
        langsmith.configure()
        services = open_services(settings, identify=from_context, model=model, tools=tools)
        return cls(services, compile_for(services, open_saver(settings)))

    def close(self) -> None:
        """Write what is buffered and release the files."""
        self.services.tracer.flush()
        self.graph.checkpointer.close()  # type: ignore[union-attr]
        self.services.knowledge.close()
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
        owner = self._owner(thread, caller)
        state = self.graph.get_state(_config(thread))
        # Not `next`: a step that ended just before a crash is in `tasks`, and no longer in `next`.
        if not state.tasks:
            turn = self.turn(thread)
            yield from EventLog().of_end(turn)
            yield turn
            return
        yield from self._run(None, thread, owner)

    def turn(self, thread: str) -> Turn:
        """How the thread's newest turn stands."""
        return self._turn(self.graph, thread)

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
        return list(self.graph.get_state(_config(thread)).values.get("messages") or ())

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
        owner = self._owner(thread, caller)
        self._must(thread, checkpoint)
        config = _config(thread, checkpoint)
        with self.services.locks.hold(thread):
            at = self.graph.get_state(config)
            waiting = set(open_calls(at.values.get("messages") or ()))
            here = open_calls(self.graph.get_state(_config(thread)).values.get("messages") or ())
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
        record = list(self.graph.get_state(_config(thread)).values.get("messages") or ())
        at = self.graph.get_state(_config(thread, checkpoint))
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
                graph.invoke(None, _config(thread), context=owner)
                state = graph.get_state(_config(thread))
                if "write_tools" not in state.next or any(t.interrupts for t in state.tasks):
                    break
            turn = self._turn(graph, thread)
            now = list(graph.get_state(_config(thread)).values.get("messages") or ())[len(so_far) :]
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
            return int(self.graph.checkpointer.prune_thread(thread, keep=keep))  # type: ignore[union-attr]

    # Inside

    def _run(self, input: Any, thread: str, caller: Caller, *, checkpoint: str | None = None) -> Iterator[Event | Turn]:
        log = EventLog()
        try:
            for update in self.graph.stream(input, _config(thread, checkpoint), context=caller, stream_mode="updates"):
                yield from log.of_update(update)
        except SignoffError:
            raise
        except Exception as error:
            # Not one of ours: a fault in the desk. The thread stays as it was at its last checkpoint.
            turn = self._failed(thread, input, error)
        else:
            turn = self.turn(thread)
        self.services.tracer.flush()
        yield from log.of_end(turn)
        yield turn

    def _turn(self, graph: ThreadGraph, thread: str) -> Turn:
        state = graph.get_state(_config(thread))
        values = state.values
        if not values:
            raise NotFound(f"There is no thread {thread!r}: ask something first.")
        book = values.get("turn") or {}
        messages = list(values.get("messages") or ())
        owner = self.services.threads.owner(thread)
        inbox = self.services.gateway.inbox
        waiting = "write_tools" in state.next
        status = Status(values.get("status") or Status.RUNNING)
        asked = open_calls(messages) if waiting else []
        found = [a for c in asked if owner and (a := inbox.of_call(owner.tenant, thread, c)) is not None]
        if not waiting:
            found = [a for i in values.get("approvals") or () if owner and (a := _get(inbox, i, owner)) is not None]
        return Turn(
            status=Status.WAITING if waiting else status,
            thread=thread,
            id=book.get("id", ""),
            question=book.get("question", ""),
            answer=values.get("answer") or "",
            citations=list(values.get("citations") or ()),
            approvals=found,
            steps=_steps(messages),
            usage={
                n: book.get(n, 0)
                for n in ("rounds", "model_calls", "tool_calls", "prompt_tokens", "completion_tokens", "work_s")
            },
            limit=book.get("limit"),
            error=book.get("error"),
            checkpoint=state.config["configurable"].get("checkpoint_id", ""),
            model=self.services.model.name,
        )

    def _failed(self, thread: str, input: Any, error: Exception) -> Turn:
        words = str(input["messages"][0].text) if isinstance(input, dict) else ""
        try:
            turn = self.turn(thread)
        except SignoffError:
            turn = None
        self.services.tracer.error("desk", error, trace=turn.id if turn else None)
        if turn is not None:
            self.services.tracer.end_turn(turn.id, Status.FAILED.value)
        return Turn(
            status=Status.FAILED,
            thread=thread,
            id=turn.id if turn else "",
            question=words or (turn.question if turn else ""),
            answer=phrase("internal", language(words or (turn.question if turn else ""))),
            citations=[],
            approvals=turn.approvals if turn else [],
            steps=[],
            error=f"{type(error).__name__} inside the desk: see `signoff trace show`.",
            model=self.services.model.name,
        )

    def _owner(self, thread: str, caller: Caller | None) -> Caller:
        """The thread's owner. With a caller, only for its owner: another's thread is `NotFound`."""
        if caller is not None:
            return self.services.threads.get(thread, caller).owner
        owner = self.services.threads.owner(thread)
        if owner is None:
            raise NotFound(f"There is no thread {thread!r}: check its name.")
        return owner

    def _must(self, thread: str, checkpoint: str) -> None:
        if self.graph.checkpointer.get_tuple(_config(thread, checkpoint)) is None:  # type: ignore[union-attr]
            raise NotFound(f"Thread {thread!r} has no checkpoint {checkpoint!r}: see its history for those it has.")


def new_thread() -> str:
    """A new thread's id."""
    return f"th-{uuid4().hex[:12]}"


def _config(thread: str, checkpoint: str | None = None) -> RunnableConfig:
    extra = {"checkpoint_id": checkpoint} if checkpoint else {}
    return {"configurable": {"thread_id": thread, "checkpoint_ns": "", **extra}}


def _last(items: Iterator[Event | Turn]) -> Turn:
    last: Event | Turn | None = None
    for item in items:
        last = item
    assert isinstance(last, Turn)
    return last


def _get(inbox: Any, approval: str, owner: Caller) -> Approval | None:
    try:
        found: Approval = inbox.get(approval, viewer=owner)
    except NotFound:
        return None
    return found


def _following_or_none(record: list[AnyMessage], so_far: list[AnyMessage], asks: bool) -> list[AnyMessage] | None:
    try:
        return following(record, so_far, asks=asks)
    except NotFound:
        return None


def _steps(messages: list[AnyMessage]) -> list[Step]:
    _, current = split(messages)
    results = {
        m.tool_call_id: ToolResult.model_validate_json(str(m.content)) for m in current if isinstance(m, ToolMessage)
    }
    steps = []
    for call in (c for m in current if isinstance(m, AIMessage) for c in m.tool_calls):
        result = results.get(str(call["id"]))
        outcome = "waiting" if result is None else result.error.code.value if result.error else "ok"
        summary = (
            ""
            if result is None
            else str(result.metadata.get("summary") or (result.error.message if result.error else ""))
        )
        steps.append(
            Step(str(call["id"]), call["name"], call["args"], outcome, summary, result.data if result else None)
        )
    return steps
