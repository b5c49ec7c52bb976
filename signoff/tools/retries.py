"""The one retry layer of tools: what is worth another try, and how long to wait for it."""

from __future__ import annotations

import math
import random as _random
import re
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception

from signoff.errors import ToolError
from signoff.tools.envelope import Code
from signoff.tools.executor import TimedOut

T = TypeVar("T")

RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
"""HTTP statuses after which the same request may succeed."""

_CLIENTS = ("httpx", "httpx2")
"""HTTP clients whose errors are known by class; one that nobody imported cannot have raised anything."""
_OWN_FAULT = ("UnsupportedProtocol", "LocalProtocolError")
"""Transport errors that are a fault of the request itself."""


def attempt(
    job: Callable[[], T],
    *,
    deadline_s: float,
    tries: int = 3,
    base_s: float = 0.2,
    cap_s: float = 5.0,
    sleep: Callable[[float], None] = time.sleep,
    random: Callable[[], float] = _random.random,
    clock: Callable[[], float] = time.monotonic,
    on_retry: Callable[[BaseException, int, float], None] | None = None,
) -> tuple[T, int]:
    """Run a job until it succeeds; its result, and the number of tries that took.

    Only `transient` errors are tried again, at most `tries` times in all. Between tries it waits a random time
    between 0 and `base_s` doubled with each try, at most `cap_s` (exponential backoff with full jitter); and never
    less than the source asks for with `Retry-After` (RFC 9110, section 10.2.3) or an attribute `retry_after_s`.
    A wait that would end `deadline_s` seconds after the start, or later, is not begun: the error is raised at
    once. The first try is made whatever the deadline. `on_retry` is told the error, the number of the try that
    failed, and the seconds to wait.

    Raises the last error as the job raised it. `sleep`, `random` (0 to 1) and `clock` are for tests.
    """
    started = clock()

    def wait(state: RetryCallState) -> float:
        longest = min(cap_s, base_s * 2.0 ** min(state.attempt_number - 1, 60))
        asked = _asked(_error(state))
        return max(random() * longest, asked or 0.0)

    def stop(state: RetryCallState) -> bool:
        return state.attempt_number >= tries or clock() - started + state.upcoming_sleep >= deadline_s

    def tell(state: RetryCallState) -> None:
        if on_retry is not None:
            on_retry(_error(state), state.attempt_number, state.upcoming_sleep)

    number = 0

    def counted() -> T:
        nonlocal number
        number += 1
        return job()

    retrying = Retrying(
        retry=retry_if_exception(transient), wait=wait, stop=stop, sleep=sleep, before_sleep=tell, reraise=True
    )
    return retrying(counted), number


def transient(error: BaseException) -> bool:
    """Whether the same call may succeed in a moment.

    So it is with time-outs, broken connections, and the HTTP statuses of `RETRIED`; and with a `ToolError` that
    says so itself: code `TIMEOUT` or `SERVICE_UNAVAILABLE`, and retryable. With nothing else: a refusal (400, 401,
    403, 404) stays one.
    """
    if isinstance(error, ToolError):
        return error.retryable and error.code in (Code.TIMEOUT, Code.SERVICE_UNAVAILABLE)
    if isinstance(error, TimedOut | TimeoutError | ConnectionError):
        return True
    for client in _clients():
        if isinstance(error, client.HTTPStatusError):
            return error.response.status_code in RETRIED
        if isinstance(error, client.TransportError):
            return not isinstance(error, tuple(getattr(client, name) for name in _OWN_FAULT))
    return False


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a `Retry-After` header asks for, given as seconds or as an HTTP date; None when it says nothing."""
    text = (value or "").strip()
    if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", text):
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - (now or datetime.now(UTC))).total_seconds())


def _clients() -> Iterator[Any]:
    for name in _CLIENTS:
        module = sys.modules.get(name)
        # A module that another thread is just importing has no classes yet, and has raised nothing either.
        if module is not None and all(hasattr(module, n) for n in ("HTTPStatusError", "TransportError", *_OWN_FAULT)):
            yield module


def _error(state: RetryCallState) -> BaseException:
    outcome = state.outcome
    error = outcome.exception() if outcome is not None else None
    assert error is not None
    return error


def _asked(error: BaseException | None) -> float | None:
    """Seconds that the source asked to wait: of the error, or of what it was raised from."""
    for _ in range(8):
        if error is None:
            return None
        own = getattr(error, "retry_after_s", None)
        if isinstance(own, int | float) and not isinstance(own, bool) and math.isfinite(own):
            return max(0.0, float(own))
        headers = getattr(getattr(error, "response", None), "headers", None)
        if headers is not None:
            value = headers.get("retry-after")
            if isinstance(value, str) and (seconds := retry_after(value)) is not None:
                return seconds
        error = error.__cause__
    return None
