"""The command line as tests use it: in this process, or as a process of its own, at a terminal or not."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from signoff.cli.app import app

ROOT = Path(__file__).parents[2]
SUPERVISOR = "acme/s-02"
SECOND = "acme/s-03"


@dataclass(frozen=True)
class Outcome:
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """Its stdout as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]

    def data(self, type: str) -> list[dict[str, Any]]:
        """The data of its events of one type."""
        return [e["data"] for e in self.events if e["type"] == type]


class Cli:
    """`signoff` in this process."""

    def __call__(self, *args: str, input: str | bytes = "") -> Outcome:
        result = CliRunner().invoke(app, list(args), input=input, prog_name="signoff")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return Outcome(result.exit_code, result.stdout, result.stderr)

    def waiting(self, question: str = "Refund order A1003, it arrived broken", *options: str) -> str:
        """Ask for something that needs a signature; returns the approval's id."""
        asked = self("ask", question, "--json", *options)
        assert asked.code == 10, asked
        return str(asked.data("approval_required")[-1]["id"])

    def refunds(self, order: str) -> int:
        """Refund rows of an order of acme."""
        rows = self("records", "rows", "refunds", "--tenant", "acme", "--limit", "1000", "--json").data("record")
        return sum(r["order_id"] == order for r in rows)

    def threads(self) -> list[dict[str, Any]]:
        """Own threads, last used first."""
        return self("threads", "list", "--json").data("thread")


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a process."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("SIGNOFF_", "LANG", "LC_", "OPENAI_"))}
    return {**kept, "PYTHONPATH": str(ROOT), "SIGNOFF_HOME": str(home), "LC_ALL": "C.UTF-8", **more}


def start(*args: str, home: Path, env: Mapping[str, str] | None = None, **options: Any) -> subprocess.Popen[bytes]:
    """`python -m signoff` as a process of its own, in the folder of the home."""
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    command = [sys.executable, "-m", "signoff", *args]
    return subprocess.Popen(command, env=environment(home, **(env or {})), cwd=home.parent, **options)


def execute(*args: str, home: Path, input: bytes = b"", env: Mapping[str, str] | None = None) -> Outcome:
    """`start`, and wait for the end."""
    process = start(*args, home=home, env=env, stdin=subprocess.PIPE)
    out, err = process.communicate(input, timeout=120)
    return Outcome(process.returncode, out.decode(), err.decode())


class Terminal:
    """A process at a terminal of its own. What it writes is read until it ends or something is seen."""

    def __init__(self, *args: str, home: Path, columns: int = 100, env: Mapping[str, str] | None = None) -> None:
        self._here, there = pty.openpty()
        size = {"COLUMNS": str(columns), "LINES": "60", "TERM": "xterm", **(env or {})}
        self.process = start(
            *args, home=home, env=size, stdin=there, stdout=there, stderr=there, start_new_session=True,
            preexec_fn=_own_terminal,
        )  # fmt: skip
        os.close(there)
        self.seen = ""

    def until(self, text: str, *, after: str = "", timeout_s: float = 90) -> str:
        """Read until `text` is seen after what was read before; returns what came with it.

        With `after` it must come behind that: line editing may draw a prompt again with what was typed.
        """
        start, end = len(self.seen), time.monotonic() + timeout_s
        while text not in (self.seen[start:].partition(after)[2] if after else self.seen[start:]):
            if time.monotonic() > end or not self._read(end):
                raise AssertionError(f"{text!r} was not seen in {self.seen[start:]!r}")
        return self.seen[start:]

    def type(self, line: str) -> None:
        """Type a line."""
        os.write(self._here, f"{line}\n".encode())

    def interrupt(self, text: str = "", timeout_s: float = 90) -> None:
        """Press Ctrl-C, and again when nothing comes of it; read until `text` is seen.

        One that comes between the drawing of a prompt and the wait for a key is noticed by CPython's readline
        only with the next key; both together are then one interrupt.
        """
        start, end = len(self.seen), time.monotonic() + timeout_s
        while len(self.seen) == start and self.process.poll() is None and time.monotonic() < end:
            os.write(self._here, b"\x03")
            self._read(time.monotonic() + 5)
        while text not in self.seen[start:]:
            if time.monotonic() > end or not self._read(end):
                raise AssertionError(f"{text!r} was not seen in {self.seen[start:]!r}")

    def end(self, timeout_s: float = 90) -> int:
        """Read to the end; returns the exit code."""
        end = time.monotonic() + timeout_s
        while self._read(end):
            pass
        os.close(self._here)
        return self.process.wait(timeout_s)

    def _read(self, end: float) -> bool:
        ready, _, _ = select.select([self._here], [], [], max(0.0, end - time.monotonic()))
        try:
            piece = os.read(self._here, 65_536) if ready else b""
        except OSError:
            # Linux says so when the other end is closed.
            return False
        self.seen += piece.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(piece)


def _own_terminal() -> None:
    import fcntl
    import termios

    # Ctrl-C reaches the process only when the terminal is its controlling one.
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
