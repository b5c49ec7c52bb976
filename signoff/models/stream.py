"""An answer's pieces, read in a thread of their own, and taken within time by whoever waits for them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import closing
from queue import Empty
from threading import Condition, Event
from typing import Any

from signoff import workers
from signoff.errors import Cancelled
from signoff.models.connection import Connection

END = object()
"""Follows the last piece."""

_MOST = 64
"""Pieces that are read ahead; an endpoint that writes faster than they are taken waits."""
_LOOK_S = 0.1
"""Seconds between two looks at whether the run was cancelled."""


class Stream:
    """Pieces as they come. Keep-alive comments hold a socket open for ever, and no time-out of the HTTP client ends
    that wait: so the thread that waits for a piece is not the one that reads."""

    def __init__(self, pieces: Callable[[], Generator[Any, None, None]]) -> None:
        """Begins to read in another thread."""
        self._pieces = pieces
        self._changed = Condition()
        self._ahead: deque[Any] = deque()
        self._over = False
        self._abandoned = False
        self._connection = Connection()
        workers.start(self._read)

    def next(self, patience_s: float, end: float, stop: Event | None = None) -> Any:
        """The next piece, the exception that ended the reading, or `END`.

        Raises `Empty` when none comes within `patience_s` or by `end` (monotonic), however many wait to be taken then,
        and `Cancelled` when `stop` is set.
        """
        until = min(time.monotonic() + patience_s, end)
        with self._changed:
            while True:
                if stop is not None and stop.is_set():
                    raise Cancelled("The run was cancelled while the model was asked: resume the thread to go on.")
                now = time.monotonic()
                if self._ahead and (now < end or self._ahead[0] is END):
                    self._changed.notify_all()
                    return self._ahead.popleft()
                if (left := until - now) <= 0:
                    raise Empty
                self._changed.wait(left if stop is None else min(left, _LOOK_S))

    def close(self) -> None:
        """Wait for no more of it: what is still being read is cut off, with its connection."""
        with self._changed:
            over, self._abandoned = self._over, True
            self._ahead.clear()
            self._changed.notify_all()
        if not over:
            self._connection.close()

    def _read(self) -> None:
        self._connection.follow()
        last: Any = END
        try:
            with closing(self._pieces()) as pieces:
                for piece in pieces:
                    if not self._put(piece):
                        return
        except Exception as error:
            last = error
        self._put(last, over=True)

    def _put(self, piece: Any, *, over: bool = False) -> bool:
        """Whether anybody still waits for pieces; returns when there is room for the next."""
        with self._changed:
            self._over = over
            self._changed.wait_for(lambda: over or self._abandoned or len(self._ahead) < _MOST)
            if not self._abandoned:
                self._ahead.append(piece)
            self._changed.notify_all()
            return not self._abandoned
