"""What calls were judged to be before they ran, so that none runs as more than it was judged to be."""

from __future__ import annotations

import threading
from collections import OrderedDict

from signoff.tools.contract import Risk

_Call = tuple[str, str, str]


class Assessments:
    """The risks of the last calls, of each call's exact command and of the call; safe to share between threads.

    A call that was once judged a read stays one: it is run without an approval, so what is found later cannot make a
    write of it.
    """

    def __init__(self, *, entries: int = 4_000) -> None:
        self._entries = entries
        self._known: OrderedDict[tuple[_Call, str | None], Risk] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, call: _Call, command: str, risk: Risk) -> None:
        """Remember the risk of a call, which is known by tenant, thread and id."""
        with self._lock:
            for key in ((call, command), (call, None)):
                self._known[key] = Risk.READ if self._known.get(key) is Risk.READ else risk
                self._known.move_to_end(key)
            while len(self._known) > self._entries:
                self._known.popitem(last=False)

    def of(self, call: _Call, command: str) -> Risk | None:
        """The risk of the command; None when the call was not judged here, or too long ago.

        A call that was judged a write with another command was edited since: what was signed then may be critical.
        """
        with self._lock:
            exact, before = self._known.get((call, command)), self._known.get((call, None))
        return exact or (before if before in (Risk.READ, None) else Risk.CRITICAL)
