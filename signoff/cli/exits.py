"""What the process ends with; the numbers are part of the interface."""

from __future__ import annotations

DONE = 0
ERROR = 1
UNFINISHED = 2
WAITING = 10
REJECTED = 11
EXPIRED = 12
USAGE = 64
INTERRUPTED = 130

EXIT_CODES = """Exit codes: 0 done, 1 error, 2 not finished (a limit was reached), 10 waiting for a signature,
11 rejected, 12 expired, 64 wrong usage, 130 interrupted."""

_BY_STATUS = {
    "done": DONE,
    "handed_over": DONE,
    "waiting": WAITING,
    "rejected": REJECTED,
    "expired": EXPIRED,
    "exhausted": UNFINISHED,
}


def code_of(status: str) -> int:
    """The exit code for how a turn stands; what is neither done nor named here is an error."""
    return _BY_STATUS.get(str(status), ERROR)


def code_of_approval(status: str) -> int:
    """The exit code when an approval cannot be approved any more."""
    return {"rejected": REJECTED, "expired": EXPIRED}.get(str(status), ERROR)
