"""`langgraph dev …` that ends with the test session it serves, however that one ends. Run as a program.

python serve.py PID dev …
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

from langgraph_cli.cli import cli


def end_with(session: int) -> None:
    """Kill this process and what it started once the session's process is gone."""
    try:
        while True:
            os.kill(session, 0)
            time.sleep(0.5)
    except OSError:
        os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    threading.Thread(target=end_with, args=(int(sys.argv.pop(1)),), daemon=True).start()
    sys.exit(cli())
