"""Daemon threads that are used again: starting one for each tool call and each stream costs more than the call."""

from __future__ import annotations

import contextvars
import os
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue

IDLE_S = 10.0
"""Seconds an idle thread waits for more work before it ends."""

_idle: list[SimpleQueue[Callable[[], object]]] = []
_lock = threading.Lock()


def _forget_parents_threads() -> None:
    """A forked child has none of its parent's threads."""
    global _lock
    _lock = threading.Lock()
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parents_threads)


def start(work: Callable[[], object]) -> None:
    """Run `work` in another thread, in a copy of this context. It must handle its own exceptions.

    The threads are daemons: work that hangs must not keep the process from ending.
    """
    context = contextvars.copy_context()

    def job() -> None:
        context.run(work)

    with _lock:
        inbox = _idle.pop() if _idle else None
    if inbox is None:
        inbox = SimpleQueue()
        threading.Thread(target=_serve, args=(inbox,), name="signoff-worker", daemon=True).start()
    inbox.put(job)


def _serve(inbox: SimpleQueue[Callable[[], object]]) -> None:
    while True:
        try:
            job = inbox.get(timeout=IDLE_S)
        except Empty:
            with _lock:
                if inbox in _idle:
                    _idle.remove(inbox)
                    return
            continue  # Work was given just as the wait ended.
        job()
        del job  # What it held must not live until the next one.
        with _lock:
            _idle.append(inbox)
