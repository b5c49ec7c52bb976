"""The fourth layer: a kind of command that was denied three times in a thread is closed there."""

from __future__ import annotations

import threading
from collections import OrderedDict

from signoff.tools.shell.verdict import Kind


class Denials:
    """Counts denials in memory, a command's call once; safe to share between threads of the process."""

    def __init__(self, *, limit: int = 3, threads: int = 10_000) -> None:
        self.limit = limit
        self._threads = threads
        self._seen: OrderedDict[tuple[str, str], dict[Kind, set[str]]] = OrderedDict()
        self._lock = threading.Lock()

    def record(self, tenant: str, thread: str, kind: Kind, call: str) -> None:
        """Count a denial of this kind; the same call is counted once, however often it is judged."""
        with self._lock:
            kinds = self._seen.setdefault((tenant, thread), {})
            self._seen.move_to_end((tenant, thread))
            calls = kinds.setdefault(kind, set())
            if len(calls) < self.limit:
                calls.add(call)
            while len(self._seen) > self._threads:
                self._seen.popitem(last=False)

    def closed(self, tenant: str, thread: str, *, but: str = "") -> frozenset[Kind]:
        """The kinds that are closed in a thread, without counting the call `but` itself."""
        with self._lock:
            kinds = self._seen.get((tenant, thread), {})
            return frozenset(k for k, calls in kinds.items() if len(calls - {but}) >= self.limit)
