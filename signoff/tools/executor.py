"""Runs functions side by side, each within its time, so that a hung one hurts nobody else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from signoff import workers


class TimedOut(Exception):
    """A job did not end within its time. Its thread is left behind; nothing waits for it."""


def run_all(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run jobs side by side; results, or the exceptions raised, in the jobs' order, whichever ends first."""
    outcomes: list[Any] = [None] * len(jobs)

    def work(i: int) -> None:
        try:
            outcomes[i] = jobs[i]()
        except BaseException as error:
            outcomes[i] = error

    if len(jobs) == 1:
        work(0)
        return outcomes
    ended = threading.Semaphore(0)

    def job(i: int) -> None:
        work(i)
        ended.release()

    for i in range(len(jobs)):
        workers.start(partial(job, i))
    for _ in jobs:
        ended.acquire()
    return outcomes


def run(job: Callable[[], Any], timeout_s: float) -> Any:
    """Run one job within its time. Raises `TimedOut`, or whatever the job raises."""
    future: Future[Any] = Future()

    def work() -> None:
        try:
            future.set_result(job())
        except BaseException as error:
            future.set_exception(error)

    workers.start(work)
    try:
        return future.result(timeout=timeout_s)
    except TimeoutError:
        if future.done():
            raise
        raise TimedOut(f"no answer within {timeout_s:g} s") from None
