"""`trace.jsonl`: one finished span a line, shared by all processes of a home."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from signoff.telemetry.rows import Row
from signoff.telemetry.spans import milliseconds


def append(file: Path, finished: Sequence[Row]) -> None:
    """Append spans, each one JSON object a line: the columns of `spans`, and `ms`. Raises `OSError`."""
    lines = (json.dumps({**r, "ms": milliseconds(r["started"], r["ended"])}, ensure_ascii=False) for r in finished)
    data = "".join(f"{line}\n" for line in lines).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        # One write: appends of several processes do not mix within a line.
        if os.write(handle, data) < len(data):
            raise OSError(f"{file.name} took only a part of the lines: is the disk full?")
    finally:
        os.close(handle)
