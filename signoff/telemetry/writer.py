"""The one thread of a process that writes, a moment later, what its tracers have buffered."""

from __future__ import annotations

import atexit
import os
import threading
import time
from typing import Protocol
from weakref import WeakSet

DELAY_S = 0.5
"""Seconds between a span and its row at most, so that a crash shows what was running."""


class Buffered(Protocol):
    """What the writer writes. Neither method raises."""

    def flush(self) -> None:
        """Write what is buffered."""

    def forked(self) -> None:
        """Start anew in a forked child: what is buffered is the parent's to write, and locks may be held."""


class Writer:
    """Started with the first span and kept: to start a thread for each batch costs more than the batch."""

    def __init__(self) -> None:
        self._all: WeakSet[Buffered] = WeakSet()
        self._due: set[Buffered] = set()
        self._wake = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        atexit.register(self._finish)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def enrol(self, buffered: Buffered) -> None:
        """Flush it at the end of the process, and renew it in a forked child."""
        self._all.add(buffered)

    def soon(self, buffered: Buffered) -> None:
        """Flush it within `DELAY_S`."""
        with self._lock:
            self._due.add(buffered)
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="signoff-traces", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # The process is ending, and `_finish` will flush.
                    return
                self._thread = thread
        self._wake.set()

    def _run(self) -> None:
        while True:
            self._wake.wait()
            time.sleep(DELAY_S)
            self._wake.clear()
            with self._lock:
                due, self._due = self._due, set()
            while due:
                due.pop().flush()

    def _finish(self) -> None:
        for buffered in list(self._all):
            buffered.flush()

    def _forked(self) -> None:
        self._due, self._thread = set(), None
        self._wake, self._lock = threading.Event(), threading.Lock()
        for buffered in list(self._all):
            buffered.forked()


WRITER = Writer()
