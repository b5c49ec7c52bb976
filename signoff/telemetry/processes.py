"""Which process runs a turn, and whether it still lives: a span without an end is running or interrupted."""

from __future__ import annotations

import os
import socket
from functools import lru_cache
from pathlib import Path
from typing import Any


def this_process() -> dict[str, Any]:
    """`{"host", "pid", "born"}` of this process; `born` tells it from a later one with the same number."""
    return _process(os.getpid())


def alive(process: dict[str, Any]) -> bool:
    """Whether that process still runs. One on another machine is taken to run: nobody here can know."""
    if process.get("host") != _host():
        return True
    pid, born = process.get("pid"), process.get("born")
    if not isinstance(pid, int) or pid <= 0:
        return False
    if pid == os.getpid():
        return bool(born == _process(pid)["born"])
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # It lives and belongs to somebody else.
        pass
    return born is None or born == _born(pid)


@lru_cache(maxsize=1)
def _process(pid: int) -> dict[str, Any]:
    return {"host": _host(), "pid": pid, "born": _born(pid)}


@lru_cache(maxsize=1)
def _host() -> str:
    return socket.gethostname()


def _born(pid: int) -> str | None:
    """The kernel's start time of a process in ticks since boot; None where there is no /proc, or it is a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("latin-1")
    except OSError:
        return None
    state, *fields = stat.rpartition(")")[2].split()
    return None if state == "Z" else fields[18]
