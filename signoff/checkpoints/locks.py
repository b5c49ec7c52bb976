"""One turn at a time on a thread, across Python threads and processes."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from filelock import FileLock, Timeout

from signoff.errors import ConfigError, ThreadBusy

T = TypeVar("T")

POLL_S = 0.02
"""Seconds between two looks at a lock that another process holds."""


@dataclass
class _Hold:
    """A lock that this process has, or is waiting for on behalf of one of its turns."""

    file: FileLock
    depth: int = 1
    token: object = field(default_factory=object)


# By path of the lock file, so that two `ThreadLocks` on one folder are one lock.
_holds: dict[str, _Hold] = {}
_changed = threading.Condition()
_tokens: ContextVar[Mapping[str, object] | None] = ContextVar("signoff_thread_locks", default=None)


def _forget_parents_holds() -> None:
    global _changed
    _changed = threading.Condition()
    _holds.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parents_holds)


class ThreadLocks:
    """Locks in a folder, one file a thread. The kernel frees a lock when its process dies, however it dies.

    `wait_s`: seconds that a second turn waits for the first before it gets `ThreadBusy`; 0 never waits.
    """

    def __init__(self, folder: Path, wait_s: float) -> None:
        self.folder = folder
        self.wait_s = wait_s

    @contextmanager
    def hold(self, thread: str) -> Iterator[None]:
        """Keep other turns off the thread for the block.

        Holding again inside the block, in the same execution context or in one copied from it (as LangGraph's
        workers are), passes at once; the lock is freed when the last of them has left. Raises `ThreadBusy`.
        """
        path = self.path(thread)
        hold = self._enter_again(path) or self._enter(path, thread)
        outside = _tokens.get() or {}
        _tokens.set({**outside, path: hold.token})
        try:
            yield
        finally:
            # Not `reset`: a generator may be closed in another context than it was started in. A token that
            # stays behind somewhere opens nothing, because it is compared with the hold of the moment.
            _tokens.set(outside)
            _leave(path, hold)

    def iterate(self, thread: str, start: Callable[[], Iterator[T]]) -> Iterator[T]:
        """`yield from start()` with the thread held until the iterator ends or is closed.

        The iterator runs in a context of its own, so that code between two items is not taken for the holder.
        """
        context = copy_context()
        hold = self.hold(thread)
        context.run(hold.__enter__)
        try:
            items = context.run(start)
            try:
                while True:
                    try:
                        item = context.run(next, items)
                    except StopIteration:
                        return
                    yield item
            finally:
                if close := getattr(items, "close", None):
                    context.run(close)
        finally:
            context.run(hold.__exit__, None, None, None)

    def forget(self, thread: str) -> None:
        """Remove what the thread left in the folder, once nobody holds it. Raises `ThreadBusy`."""
        with self.hold(thread):
            pass

    def path(self, thread: str) -> str:
        """The thread's lock file: any characters in a thread's name give a safe and distinct file name."""
        readable = re.sub(r"[^A-Za-z0-9_-]+", "-", str(thread))[:40].strip("-")
        digest = sha256(str(thread).encode("utf-8", "surrogatepass")).hexdigest()[:24]
        return str(self.folder.resolve() / f"{readable or 'thread'}-{digest}.lock")

    def _enter_again(self, path: str) -> _Hold | None:
        with _changed:
            hold = _holds.get(path)
            if hold is None or hold.depth == 0 or (_tokens.get() or {}).get(path) is not hold.token:
                return None
            hold.depth += 1
            return hold

    def _enter(self, path: str, thread: str) -> _Hold:
        deadline = time.monotonic() + self.wait_s
        with _changed:
            while path in _holds:
                if not _changed.wait(deadline - time.monotonic()) and deadline <= time.monotonic():
                    raise self._busy(thread)
            hold = _holds[path] = _Hold(_file(path))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            hold.file.acquire(timeout=max(0.0, deadline - time.monotonic()), poll_interval=POLL_S)
        except BaseException as error:
            _drop(path)
            if isinstance(error, Timeout):
                raise self._busy(thread) from None
            if isinstance(error, OSError):
                raise ConfigError(f"Turns cannot be locked in {self.folder}: {error.strerror or error}.") from None
            raise
        return hold

    def _busy(self, thread: str) -> ThreadBusy:
        return ThreadBusy(
            f"Another turn is running on thread {thread!r} and did not end within {self.wait_s:g} s: "
            "wait until it has ended, then try again."
        )


def _file(path: str) -> FileLock:
    # Soft locks are files that outlive their process: without the kernel's there is no lock at all.
    return FileLock(path, thread_local=False, is_singleton=False, fallback_to_soft=False)


def _leave(path: str, hold: _Hold) -> None:
    with _changed:
        if _holds.get(path) is not hold:
            return
        hold.depth -= 1
        if hold.depth:
            return
    try:
        # Unlinked while it is held: whoever waits on this inode sees that it has no name, and opens anew.
        with suppress(OSError):
            Path(path).unlink()
        hold.file.release()
    finally:
        _drop(path)


def _drop(path: str) -> None:
    with _changed:
        _holds.pop(path, None)
        _changed.notify_all()
