"""Two times: the business's, which a setting can hold still, and the system's, which nothing can."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo


@dataclass(frozen=True)
class Clock:
    """Injected wherever time matters, so that sample data means the same every day.

    Deadlines that guard something (approvals' expiry, locks, traces) use `utc()`: a business clock that
    stands still must not keep an approval alive.
    """

    zone: str = "Asia/Shanghai"
    """The business time zone, an IANA name."""
    fixed: datetime | None = None
    """When set, business time stands at this moment. Aware."""
    ahead: timedelta = timedelta(0)
    """Added to system time; for rehearsing expiry."""

    def now(self) -> datetime:
        """Business time, aware, in the business zone."""
        return (self.fixed or datetime.now(UTC)).astimezone(ZoneInfo(self.zone))

    def utc(self) -> datetime:
        """System time, aware, UTC."""
        return datetime.now(UTC) + self.ahead
