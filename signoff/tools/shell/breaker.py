"""The fifth layer: commands stop for a while when the sandbox keeps failing or commands keep running out of time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Breaker:
    """Opens after `failures` in a row within `window_s` seconds, for `rest_s` seconds; then one command is tried."""

    def __init__(
        self,
        *,
        failures: int = 5,
        window_s: float = 120.0,
        rest_s: float = 60.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.failures = failures
        self.window_s = window_s
        self.rest_s = rest_s
        self._monotonic = monotonic
        self._failed: dict[str, list[float]] = {}
        self._open_until: dict[str, float] = {}
        self._lock = threading.Lock()

    def waiting_s(self, tenant: str) -> float:
        """Seconds until the tenant's next command may be tried; 0 when it may run now.

        After the rest the first caller is let through, and the others wait for what becomes of it.
        """
        with self._lock:
            until = self._open_until.get(tenant)
            if until is None:
                return 0.0
            now = self._monotonic()
            if now < until:
                return until - now
            self._open_until[tenant] = now + self.rest_s
            return 0.0

    def rests_s(self, tenant: str) -> float:
        """Seconds of rest that are left; 0 when a command may be tried. Unlike `waiting_s` it takes no turn."""
        with self._lock:
            return max(0.0, self._open_until.get(tenant, 0.0) - self._monotonic()) if self._open_until else 0.0

    def failed(self, tenant: str) -> None:
        """The sandbox did not start, or the command ran out of time."""
        with self._lock:
            now = self._monotonic()
            recent = [t for t in self._failed.get(tenant, []) if now - t < self.window_s]
            self._failed[tenant] = [*recent, now][-self.failures :]
            if len(self._failed[tenant]) >= self.failures or tenant in self._open_until:
                self._open_until[tenant] = now + self.rest_s

    def worked(self, tenant: str) -> None:
        """A command ended by itself, whatever its exit code."""
        with self._lock:
            self._failed.pop(tenant, None)
            self._open_until.pop(tenant, None)
