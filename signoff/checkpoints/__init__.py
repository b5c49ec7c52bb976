"""Threads on disk: the saver, their locks, their owners, their history, replay and retention."""

from signoff.checkpoints.diff import Diff, ValueChange, diff
from signoff.checkpoints.history import HistoryStep, MessageLine, history
from signoff.checkpoints.locks import ThreadLocks
from signoff.checkpoints.replay import scratch
from signoff.checkpoints.sqlite import ThreadSaver, open_saver
from signoff.checkpoints.threads import ThreadRecord, Threads, threads_metadata

__all__ = [
    "Diff",
    "HistoryStep",
    "MessageLine",
    "ThreadLocks",
    "ThreadRecord",
    "ThreadSaver",
    "Threads",
    "ValueChange",
    "diff",
    "history",
    "open_saver",
    "scratch",
    "threads_metadata",
]
