"""Asking a tool's source: within its time, tried again where that is safe, given up on for a while when it is down."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from signoff.clock import Clock
from signoff.errors import ToolError
from signoff.telemetry import Tracer
from signoff.tools.breakers import Breakers
from signoff.tools.contract import Stale, Tool
from signoff.tools.envelope import Code
from signoff.tools.executor import run
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

    def ask(self, tool: Tool, tenant: str, kwargs: dict[str, Any], *, deadline_s: float, reads: bool = True) -> Got:
        """Call the function. Only reads marked idempotent are tried again, and only after what may pass; no read is
        waited for beyond the deadline.

        Raises what the function raises, `TimedOut`, or `ToolError` while the source's breaker is open.
        """
        if (resting := self.resting(tool, tenant)) is not None:
            return self._instead(tool, kwargs, resting)
        ends = time.monotonic() + deadline_s

        def once() -> Any:
            # Only reads: an effect that is given up early is one of unknown outcome.
            left_s = ends - time.monotonic() if reads else tool.timeout_s
            job = self._alone(tool, tenant, partial(tool.fn, **kwargs), ends)
            return run(job, min(tool.timeout_s, max(0.1, left_s)))

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

    def resting(self, tool: Tool, tenant: str, *, probe: bool = True) -> ToolError | None:
        """The refusal while the tool's source is given time to recover; None when it may be asked.

        With `probe` the asking that follows is the one that is let through to see; without, it only looks.
        """
        if not probe and self.breakers.state(tool.name, tenant) != "open":
            return None
        left_s = self.breakers.check(tool.name, tenant)
        if left_s is None:
            return None
        return ToolError(
            Code.SERVICE_UNAVAILABLE,
            f"{tool.name} failed several times in a row and is not asked again for {left_s:.0f} s.",
            zh=f"{tool.name} 连续多次失败，{left_s:.0f} 秒内不再尝试。",
            hint="Answer with what is known and say that this could not be looked up now.",
        )

    def _alone(self, tool: Tool, tenant: str, job: Callable[[], Any], ends: float) -> Callable[[], Any]:
        """The job as one during which no other of the tool's group runs for this tenant, in this process.

        The group is free again when the job itself has ended: one that was given up may still be at work. A turn
        that does not come in time is refused, and then the job was certainly not begun.
        """
        if not tool.exclusive_group:
            return job
        with self._making:
            lock = self._groups.setdefault((tenant, tool.exclusive_group), threading.Lock())
        if not lock.acquire(timeout=max(0.0, min(tool.timeout_s, ends - time.monotonic()))):
            raise ToolError(
                Code.CONFLICT,
                f"{tool.name} was not begun: another call of the group {tool.exclusive_group} is still running.",
                zh=f"{tool.name} 没有开始：同组（{tool.exclusive_group}）的另一个调用仍在运行。",
                hint="Say that it was not done, and that it can be asked for again later.",
                retryable=True,
            )

        def alone() -> Any:
            try:
                return job()
            finally:
                lock.release()

        return alone

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
