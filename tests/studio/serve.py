"""`langgraph dev …` that ends with the process that started it, however that one ends. Run as a program."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

from langgraph_cli.cli import cli


def end_with(parent: int) -> None:
    """Kill this process and what it started once its parent has changed."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    sys.exit(cli())
