"""Asking a tool's source: within its time, tried again where that is safe, given up on for a while when it is down."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from signoff.clock import Clock
from signoff.errors import ToolError
from signoff.telemetry import Tracer
from signoff.tools.breakers import Breakers
from signoff.tools.contract import Risk, Stale, Tool
from signoff.tools.envelope import Code
from signoff.tools.executor import TimedOut, run
from signoff.tools.retries import attempt, transient

TRIES = 3
"""Tries of a read that may be tried again, in all."""


@dataclass(frozen=True)
class Got:
    """What a source gave, and how."""

    data: Any
    tries: int = 1
    stale_as_of: str = ""
    """ISO 8601: when it was right, for what came from the tool's fallback."""


class Asking:
    """Runs tools' functions. One object for all turns of a process: it knows which sources are down."""

    def __init__(self, tracer: Tracer, clock: Clock, breakers: Breakers | None = None) -> None:
        self.breakers = breakers or Breakers()
        self._tracer = tracer
        self._clock = clock
        self._groups: dict[tuple[str, str], threading.Lock] = {}
        self._making = threading.Lock()

    def ask(self, tool: Tool, tenant: str, kwargs: dict[str, Any], *, deadline_s: float) -> Got:
        """Call the function. Only reads marked idempotent are tried again, and only after what may pass; no read is
        waited for beyond the deadline.

        Raises what the function raises, `TimedOut`, or `ToolError` while the source's breaker is open.
        """
        if (left_s := self.breakers.check(tool.name, tenant)) is not None:
            error = ToolError(
                Code.SERVICE_UNAVAILABLE,
                f"{tool.name} failed several times in a row and is not asked again for {left_s:.0f} s.",
                zh=f"{tool.name} 连续多次失败，{left_s:.0f} 秒内不再尝试。",
                hint="Answer with what is known and say that this could not be looked up now.",
            )
            return self._instead(tool, kwargs, error)
        ends = time.monotonic() + deadline_s

        def once() -> Any:
            # Only reads: an effect that is given up early is one of unknown outcome.
            left_s = ends - time.monotonic() if tool.risk is Risk.READ else tool.timeout_s
            return run(partial(tool.fn, **kwargs), min(tool.timeout_s, max(0.1, left_s)))

        with self._alone(tool, tenant, deadline_s):
            try:
                if tool.idempotent:
                    data, tries = attempt(once, deadline_s=deadline_s, tries=TRIES, on_retry=self._retrying(tool))
                else:
                    data, tries = once(), 1
            except Exception as error:
                if not transient(error):
                    # It answered, if only with a refusal.
                    self.breakers.succeeded(tool.name, tenant)
                    raise
                self.breakers.failed(tool.name, tenant)
                return self._instead(tool, kwargs, error)
        self.breakers.succeeded(tool.name, tenant)
        return Got(data, tries)

    def _instead(self, tool: Tool, kwargs: dict[str, Any], error: Exception) -> Got:
        """What the tool's fallback knows; raises the error when there is none, or it knows nothing either."""
        if tool.fallback is None:
            raise error
        try:
            stale = run(partial(tool.fallback, **kwargs), tool.timeout_s)
        except Exception as second:
            self._tracer.error(f"fallback of {tool.name}", second)
            raise error from None
        if not isinstance(stale, Stale):
            raise error
        return Got(stale.data, stale_as_of=stale.as_of.astimezone(UTC).isoformat(timespec="seconds"))

    @contextmanager
    def _alone(self, tool: Tool, tenant: str, deadline_s: float) -> Iterator[None]:
        """While it lasts no other call of the tool's group runs for this tenant, in this process."""
        if not tool.exclusive_group:
            yield
            return
        with self._making:
            lock = self._groups.setdefault((tenant, tool.exclusive_group), threading.Lock())
        if not lock.acquire(timeout=max(0.0, deadline_s)):
            raise TimedOut(f"no turn within {deadline_s:g} s, because another {tool.exclusive_group} call was running")
        try:
            yield
        finally:
            lock.release()

    def _retrying(self, tool: Tool) -> Callable[[BaseException, int, float], None]:
        def tell(error: BaseException, tried: int, wait_s: float) -> None:
            with self._tracer.span("retry", tool.name, tried=tried, wait_s=round(wait_s, 3)) as span:
                span.set(error=type(error).__name__)

        return tell


def age(as_of: str, clock: Clock) -> str:
    """How old what was right at a time is, in the largest whole unit, such as `3 h`."""
    seconds = max(0, int((clock.utc() - datetime.fromisoformat(as_of)).total_seconds()))
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
