"""Starts a server and lives as long as it does, so that it dies with the desk however the desk dies.

Run as a program: `python -I -S keeper.py NAME,NAME,… COMMAND ARG…`. The server gets the environment variables
that are named and no others, and this program's own standard streams. When whoever started this closes stdin, or
is gone, the server has `GRACE_S` to end; then its whole process group is killed. Only the standard library is
imported: this starts with every server.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time

GRACE_S = 1.5
"""Seconds a server has to end by itself once its stdin is closed."""
_LOOK_S = 1.0


def main(names: str, command: list[str]) -> int:
    """Start the command and wait for its end; returns its exit code, or 127 when it cannot be started."""
    starter = os.getppid()
    kept = set(names.split(","))
    env = {n: v for n, v in os.environ.items() if n in kept}
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    # The group is told to end; this program follows when the server has.
    signal.signal(signal.SIGTERM, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    try:
        server = subprocess.Popen(command, env=env, restore_signals=True)
    except OSError as error:
        print(f"{command[0]} cannot be started: {error.strerror}", file=sys.stderr)
        return 127
    # The server alone holds its stdout: its end must be seen at the other side at once.
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    watched = select.poll()
    # Without events asked for, only the other side's closing is reported.
    watched.register(0, 0)
    watched.register(woken, select.POLLIN)
    deadline: float | None = None
    while server.poll() is None:
        left = _LOOK_S if deadline is None else deadline - time.monotonic()
        if left <= 0:
            break
        for fd, _ in watched.poll(left * 1000):
            if fd == woken:
                os.read(woken, 512)
            elif deadline is None:
                deadline = time.monotonic() + GRACE_S
                watched.unregister(0)
        if deadline is None and os.getppid() != starter:
            deadline = time.monotonic() + GRACE_S
    code = server.poll()
    if os.getpgrp() == os.getpid():
        # Whatever the server started and left behind, and this program, too.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.killpg(0, signal.SIGKILL)
    elif code is None:
        server.kill()
    return code if code is not None and code >= 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
