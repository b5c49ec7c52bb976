"""Reads that began while the model was still speaking, until their calls come to be answered."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from signoff import workers
from signoff.approvals import canonical

if TYPE_CHECKING:
    from signoff.tools.invocation import Answer


def ahead_id(name: str, args: Mapping[str, Any]) -> str:
    """The id of a call that has none yet: known in the trace by what it calls."""
    return f"ahead_{sha256(f'{name}{canonical(dict(args))}'.encode('utf-8', 'replace')).hexdigest()[:16]}"


MOST = 32
"""Reads that one turn may begin ahead of their calls."""

TURNS = 64
"""Turns remembered; what an older one began and never took is dropped."""


@dataclass
class _Turn:
    places: threading.Semaphore
    begun: dict[str, Future[Answer]] = field(default_factory=dict)


class Ahead:
    """By turn, the reads under way. Nothing depends on it: what is not here is simply run when its turn comes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._turns: OrderedDict[str, _Turn] = OrderedDict()
        self._lock = threading.Lock()

    def within(self, turn: str, job: Callable[[], Answer]) -> Callable[[], Answer]:
        """A read that waits until less than the limit of the turn's reads run, begun ahead or not."""
        with self._lock:
            places = self._of(turn).places

        def waiting() -> Answer:
            with places:
                return job()

        return waiting

    def start(self, turn: str, call: str, job: Callable[[], Answer]) -> None:
        """Begin a read, known by its canonical call, unless it has begun."""
        future: Future[Answer] = Future()
        waiting = self.within(turn, job)
        with self._lock:
            begun = self._of(turn).begun
            if call in begun or len(begun) >= MOST:
                return
            begun[call] = future

        def work() -> None:
            try:
                future.set_result(waiting())
            except BaseException as error:
                future.set_exception(error)

        workers.start(work)

    def take(self, turn: str, call: str) -> Callable[[], Answer] | None:
        """How to wait for a read that has begun, once; None when it has not."""
        with self._lock:
            future = self._turns[turn].begun.pop(call, None) if turn in self._turns else None
        return future.result if future is not None else None

    def forget(self, turn: str) -> None:
        """Drop what the turn began and did not call after all."""
        with self._lock:
            self._turns.pop(turn, None)

    def _of(self, turn: str) -> _Turn:
        if turn not in self._turns:
            self._turns[turn] = _Turn(threading.Semaphore(self._limit))
            while len(self._turns) > TURNS:
                self._turns.popitem(last=False)
        self._turns.move_to_end(turn)
        return self._turns[turn]
