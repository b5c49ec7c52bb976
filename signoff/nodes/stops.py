"""Runs that are to be cancelled, by thread; of this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock


class Stops:
    """One flag a thread, while a run of it goes on or waits for its turn. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._flags: dict[str, tuple[Event, int]] = {}

    @contextmanager
    def running(self, thread: str) -> Iterator[Event]:
        """The flag of a run; set when the run is to end."""
        with self._lock:
            flag, runs = self._flags.get(thread) or (Event(), 0)
            self._flags[thread] = (flag, runs + 1)
        try:
            yield flag
        finally:
            with self._lock:
                flag, runs = self._flags.pop(thread)
                if runs > 1:
                    self._flags[thread] = (flag, runs - 1)

    def stop(self, thread: str) -> bool:
        """Set the flag; whether there was a run."""
        flag = self.of(thread)
        if flag is not None:
            flag.set()
        return flag is not None

    def of(self, thread: str) -> Event | None:
        """The flag of a thread that runs."""
        with self._lock:
            found = self._flags.get(thread)
        return found[0] if found else None
