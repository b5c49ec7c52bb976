"""A bounded memory of what was worked out lately."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Values by key, those used last; safe to use from several threads.

    `limit` is the most that the values may weigh together, in the unit of `weight`.
    """

    def __init__(self, limit: int, weight: Callable[[V], int] = lambda _: 1) -> None:
        self._limit = limit
        self._weight = weight
        self._held: OrderedDict[K, V] = OrderedDict()
        self._total = 0
        self._lock = Lock()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value held for `key`, or a new one; two threads may make the same one at once."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        value = make()
        with self._lock:
            if key not in self._held:
                self._held[key] = value
                self._total += self._weight(value)
                while self._total > self._limit and len(self._held) > 1:
                    self._total -= self._weight(self._held.popitem(last=False)[1])
        return value
