"""A breaker for each tool and tenant: a source that keeps failing is left alone for a while, then tried by one call."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

State = Literal["closed", "open", "half_open"]


@dataclass(frozen=True)
class BreakerReport:
    """A breaker that has seen failures."""

    tool: str
    tenant: str
    state: State
    failures: int
    """In a row."""
    left_s: float
    """Seconds until a call is let through; 0 when one may go now."""


@dataclass
class _Breaker:
    failures: int = 0
    opened_at: float | None = None
    probed_at: float | None = None
    """When the one call of the half-open state was let through."""


class Breakers:
    """Closed, open after `threshold` failures in a row, half-open `open_s` seconds later. Safe between threads.

    The caller asks `check` before a call and reports it afterwards: `failed` when the source itself failed
    (see `retries.transient`), `succeeded` for everything else, since a source that refuses is there. A probe that
    never reports is given up after `open_s` seconds, and the next call is the probe. At most `limit` pairs are
    remembered; closed ones are forgotten first.
    """

    def __init__(
        self,
        threshold: int = 5,
        open_s: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
        *,
        limit: int = 1_024,
    ) -> None:
        self._threshold = max(1, threshold)
        self._open_s = open_s
        self._clock = clock
        self._limit = max(1, limit)
        self._breakers: OrderedDict[tuple[str, str], _Breaker] = OrderedDict()
        self._lock = threading.Lock()

    def check(self, tool: str, tenant: str) -> float | None:
        """None when the call may go; else the seconds to wait. Half-open, it says None to one call only."""
        with self._lock:
            breaker = self._breakers.get((tool, tenant))
            if breaker is None or breaker.opened_at is None:
                return None
            now = self._clock()
            left = self._left(breaker, now)
            if left > 0:
                return left
            breaker.probed_at = now
            return None

    def succeeded(self, tool: str, tenant: str) -> None:
        """The source answered: closes a half-open breaker and forgets failures.

        An open one stays open: that answer is to a call from before it opened.
        """
        with self._lock:
            if self._state(self._breakers.get((tool, tenant)), self._clock()) != "open":
                self._breakers.pop((tool, tenant), None)

    def failed(self, tool: str, tenant: str) -> None:
        """The source failed: counts it, and opens the breaker at the threshold or after a failed probe."""
        with self._lock:
            now = self._clock()
            breaker = self._breakers.setdefault((tool, tenant), _Breaker())
            self._breakers.move_to_end((tool, tenant))
            state = self._state(breaker, now)
            breaker.failures += 1
            # Late failures of calls from before it opened do not keep it open for longer.
            if state == "half_open" or (state == "closed" and breaker.failures >= self._threshold):
                breaker.opened_at, breaker.probed_at = now, None
            if len(self._breakers) > self._limit:
                closed = (key for key, b in self._breakers.items() if b.opened_at is None)
                del self._breakers[next(closed, next(iter(self._breakers)))]

    def state(self, tool: str, tenant: str) -> State:
        """The breaker's state now."""
        with self._lock:
            return self._state(self._breakers.get((tool, tenant)), self._clock())

    def report(self) -> list[BreakerReport]:
        """Every breaker that has seen failures since it was last closed, by tool and tenant."""
        with self._lock:
            now = self._clock()
            return [
                BreakerReport(*key, self._state(b, now), b.failures, self._left(b, now))
                for key, b in sorted(self._breakers.items())
            ]

    def _left(self, breaker: _Breaker, now: float) -> float:
        since = breaker.opened_at if breaker.probed_at is None else breaker.probed_at
        return 0.0 if since is None else max(0.0, since + self._open_s - now)

    def _state(self, breaker: _Breaker | None, now: float) -> State:
        if breaker is None or breaker.opened_at is None:
            return "closed"
        return "open" if breaker.probed_at is None and self._left(breaker, now) > 0 else "half_open"
