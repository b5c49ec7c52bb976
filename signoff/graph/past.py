"""Threads and their past: lists, messages, history, differences, forks, replays, deletion and pruning."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage

from signoff.caller import Caller
from signoff.checkpoints import Diff, HistoryStep, diff, history, scratch
from signoff.checkpoints.threads import ThreadRecord
from signoff.errors import NotFound, UsageError
from signoff.graph.reading import config_of, read_turn
from signoff.graph.replay import Replay, differences, following, following_or_none, from_record, live
from signoff.graph.stepsfile import steps_file
from signoff.graph.threadgraph import ThreadGraph, compile_for
from signoff.graph.turn import Event, Turn
from signoff.nodes.services import Services
from signoff.records import denials
from signoff.state import Status, message_id, open_calls


class Past:
    """What a desk can do with a thread beside running its next turn. `Desk` is one."""

    services: Services
    graph: ThreadGraph

    def turn(self, thread: str) -> Turn:
        """How the thread's newest turn stands."""
        return read_turn(self.graph, self.services, thread)

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
                return last(self._run({"messages": [message]}, thread, owner, checkpoint=checkpoint))
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
            then = following_or_none(record, so_far, asks)
            services = live(self.services, record)
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
                services.gateway.masks.delete_thread(tx, thread)
                denials.delete_thread(tx, owner.tenant, thread)
            services.tracer.delete_thread(thread)
            services.threads.delete(thread)
            shutil.rmtree(steps_file(self.services.settings.home, thread).parent, ignore_errors=True)

    def prune(self, thread: str, *, keep: int = 20, caller: Caller | None = None) -> int:
        """Remove all but the newest checkpoints of a thread, which stays readable; returns how many went."""
        self._owner(thread, caller)
        with self.services.locks.hold(thread):
            with self.services.database.write() as tx:
                self.services.gateway.results.purge(tx)
                self.services.gateway.masks.purge(tx)
            return int(self.graph.checkpointer.prune_thread(thread, keep=keep))  # type: ignore[union-attr]

    def _run(
        self,
        input: Any,
        thread: str,
        caller: Caller,
        *,
        checkpoint: str | None = None,
        viewer: Caller | None = None,
    ) -> Iterator[Event | Turn]:
        raise NotImplementedError

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


def last(items: Iterator[Event | Turn]) -> Turn:
    """The turn that a run of events ends with."""
    newest: Event | Turn | None = None
    for item in items:
        newest = item
    assert isinstance(newest, Turn)
    return newest
