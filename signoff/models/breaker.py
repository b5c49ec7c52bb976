"""A breaker per endpoint and model: after several failures in a row it is left alone, then tried once.

The pattern is the circuit breaker of Nygard, "Release It!" (2007): closed, open, half-open.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from typing import Literal
from urllib.parse import urlsplit

FAILURES = 3
"""Calls in a row, each with all its tries, that must fail until an endpoint is left alone."""
REST_S = 30.0
"""Seconds until one call is let through to see whether it is back."""

Admission = Literal["closed", "probe", "open"]


class Breaker:
    """Counts an endpoint's failures; safe to share between threads.

    Whoever is admitted reports once: `succeeded`, `failed`, or `released` when nothing was learnt.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._failed = 0
        self._opened: float | None = None
        self._probing = False

    def admit(self) -> Admission:
        """Whether a call may be made: `probe` to the one that finds out whether the endpoint is back."""
        with self._lock:
            if self._opened is None:
                return "closed"
            if self._probing or self._clock() < self._opened + REST_S:
                return "open"
            self._probing = True
            return "probe"

    def succeeded(self) -> None:
        """It answered; a refusal is an answer too."""
        with self._lock:
            self._failed, self._opened, self._probing = 0, None, False

    def failed(self) -> None:
        """It did not answer, in all the tries of a call."""
        with self._lock:
            self._failed += 1
            self._probing = False
            if self._failed >= FAILURES:
                self._opened = self._clock()

    def released(self) -> None:
        """The call ended for another reason, such as the caller's own error."""
        with self._lock:
            self._probing = False

    @property
    def failures(self) -> int:
        """Calls that failed in a row."""
        return self._failed

    @property
    def left_s(self) -> float:
        """Seconds until the next probe; 0 when a call may be made, or one is finding out."""
        opened = self._opened
        return 0.0 if opened is None else max(0.0, opened + REST_S - self._clock())


_breakers: dict[tuple[str, str, str], Breaker] = {}
_lock = Lock()


def breaker_of(base_url: str, model: str, key: str | None = None) -> Breaker:
    """The process's one breaker of this model at this endpoint for this key: limits are a key's own.

    How an address is written makes no difference: spaces, the case of its host, a `/` at its end. The key is kept as
    a digest.
    """
    mark = sha256(key.encode()).hexdigest() if key else ""
    with _lock:
        return _breakers.setdefault((_address(base_url), model, mark), Breaker())


def _address(base_url: str) -> str:
    plain = base_url.strip()
    try:
        url = urlsplit(plain)
    except ValueError:
        return plain
    return url._replace(netloc=url.netloc.lower(), path=url.path.rstrip("/")).geturl()
