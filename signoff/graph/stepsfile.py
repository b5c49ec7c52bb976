"""The `trace.jsonl` of a thread: where it is, and when it is written."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from signoff.errors import SignoffError
from signoff.nodes.services import Services
from signoff.telemetry.steps import write_steps


def steps_file(home: Path, thread: str) -> Path:
    """Where a thread's `trace.jsonl` is; its name is a digest where the thread's own is no file name."""
    plain = thread if re.fullmatch(r"[\w.-]{1,80}", thread) and not thread.startswith(".") else None
    return home / "runs" / (plain or sha256(thread.encode()).hexdigest()[:24]) / "trace.jsonl"


def write_trace(services: Services, thread: str) -> None:
    """Write the thread's file, for a desk that has one. What cannot be written harms no turn."""
    owner = services.threads.owner(thread)
    if not services.profile.trace or owner is None:
        return
    services.tracer.flush()
    try:
        write_steps(services.database, owner.tenant, thread, steps_file(services.settings.home, thread))
    except (OSError, SignoffError) as error:
        services.tracer.error("trace.jsonl", error)
