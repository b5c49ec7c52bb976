"""The third layer: a model's opinion of commands that the rules do not know."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Literal, Protocol

Label = Literal["read", "write", "unsure"]


class Classifier(Protocol):
    """Says whether a command only reads. It is asked about commands whose only fault is that they are not known."""

    def __call__(self, command: str) -> Label:
        """The label; an exception counts as `unsure`."""
        ...


class Cached:
    """A classifier with a memory of its last answers; every failure is `unsure` and is not remembered."""

    def __init__(self, classifier: Classifier, *, entries: int = 512) -> None:
        self._classifier = classifier
        self._entries = entries
        self._known: OrderedDict[str, Label] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, command: str) -> Label:
        """The label of the command, from memory when it was asked about before."""
        with self._lock:
            if command in self._known:
                self._known.move_to_end(command)
                return self._known[command]
        try:
            label = self._classifier(command)
        except Exception:
            return "unsure"
        if label not in ("read", "write", "unsure"):
            return "unsure"
        with self._lock:
            self._known[command] = label
            while len(self._known) > self._entries:
                self._known.popitem(last=False)
        return label
