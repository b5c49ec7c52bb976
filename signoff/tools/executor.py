"""Runs functions side by side, each within its time, so that a hung one hurts nobody else."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any


class TimedOut(Exception):
    """A job did not end within its time. Its thread is left behind; nothing waits for it."""


def run_all(jobs: Sequence[Callable[[], Any]], *, limit: int) -> list[Any]:
    """Run jobs side by side, at most `limit` at once; results, or the exceptions raised, in the jobs' order."""
    places = threading.Semaphore(limit)
    outcomes: list[Any] = [None] * len(jobs)

    def work(i: int) -> None:
        with places:
            try:
                outcomes[i] = jobs[i]()
            except BaseException as error:
                outcomes[i] = error

    if len(jobs) == 1:
        work(0)
        return outcomes
    threads = [_start(partial(work, i)) for i in range(len(jobs))]
    for thread in threads:
        thread.join()
    return outcomes


def run(job: Callable[[], Any], timeout_s: float) -> Any:
    """Run one job within its time. Raises `TimedOut`, or whatever the job raises."""
    future: Future[Any] = Future()

    def work() -> None:
        try:
            future.set_result(job())
        except BaseException as error:
            future.set_exception(error)

    _start(work)
    try:
        return future.result(timeout=timeout_s)
    except TimeoutError:
        if future.done():
            raise
        raise TimedOut(f"no answer within {timeout_s:g} s") from None


def _start(work: Callable[[], Any]) -> threading.Thread:
    # Daemon threads: a hung tool must not keep the process from ending.
    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(work,), daemon=True)
    thread.start()
    return thread
