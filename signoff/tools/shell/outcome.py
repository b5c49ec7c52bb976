"""What became of a command: its exit code and as much of its output as is kept."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO

OUTPUT_BYTES = 200_000
"""Bytes of each stream that are kept."""
_DRAINED_BYTES = 50_000_000
"""Bytes of a stream after which its command is stopped."""


class SandboxFailed(Exception):
    """The command could not be started at all."""


@dataclass
class Outcome:
    """What became of a command."""

    exit_code: int
    """124 when it ran out of time."""
    stdout: str
    stderr: str
    truncated: bool
    timed_out: bool
    sandbox: str
    """`bubblewrap` or `none`."""
    shell: bool
    """Whether bash ran it."""
    seconds: float


@dataclass
class Stream:
    """One output, kept up to a limit and read to its end."""

    kept: bytearray = field(default_factory=bytearray)
    total: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def drain(self, pipe: IO[bytes], too_much: threading.Event) -> None:
        with suppress(OSError, ValueError):
            while piece := os.read(pipe.fileno(), 65_536):
                with self.lock:
                    self.kept += piece[: max(0, OUTPUT_BYTES - len(self.kept))]
                    self.total += len(piece)
                if self.total > _DRAINED_BYTES:
                    too_much.set()
        with suppress(OSError):
            pipe.close()

    def text(self) -> str:
        return self.kept.decode("utf-8", "replace")
