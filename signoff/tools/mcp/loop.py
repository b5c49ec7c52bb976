"""The one background event loop: MCP is asynchronous, everything round it is not."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def _forget() -> None:
    """A forked child has no thread that runs its parent's loop."""
    global _lock, _loop
    _lock, _loop = threading.Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def background_loop() -> asyncio.AbstractEventLoop:
    """The process's loop, started when it is first needed, in a daemon thread."""
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="signoff-mcp", daemon=True).start()
        return _loop


def run_sync(work: Coroutine[Any, Any, T], timeout_s: float) -> T:
    """Run on the loop and wait for the outcome. Raises `TimeoutError` after so many seconds, having cancelled it."""
    future = asyncio.run_coroutine_threadsafe(work, background_loop())
    try:
        return future.result(timeout=timeout_s)
    except TimeoutError:
        future.cancel()
        raise
