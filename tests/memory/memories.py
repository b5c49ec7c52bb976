"""Memories on real files, and calls to remember for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.memory import Fact, Memory

NOW = datetime(2026, 10, 31, 10, tzinfo=ZoneInfo("Asia/Shanghai"))
ME = Caller("acme", "u-17")


@dataclass(frozen=True)
class Called:
    """A tool call."""

    thread: str = "th-1"
    id: str = "call-1"


def calls() -> Iterator[Called]:
    """Calls of one thread, each another."""
    return (Called(id=f"call-{n}") for n in range(1, 10_000))


class Person:
    """Somebody who says things and has them remembered; business time stands still until `later`."""

    def __init__(self, path: Path, caller: Caller = ME, now: datetime = NOW) -> None:
        self.path, self.caller, self._now = path, caller, now
        self.memory = Memory(path, Clock(fixed=now))
        self._calls = calls()

    def says(self, words: str, fact: str | None = None, **options: object) -> Fact:
        """Have something remembered; the fact is the words themselves unless it is given."""
        call = options.pop("call", None) or next(self._calls)
        return self.memory.remember(self.caller, fact or words, source=[words], call=call, **options)  # type: ignore[arg-type]

    def forgets(self, what: str = "", *, said: tuple[str, ...] = (), call: Called | None = None) -> list[Fact]:
        return self.memory.forget(self.caller, what, said=said, call=call or next(self._calls))

    def texts(self, query: str | None = None) -> list[str]:
        return [f.text for f in self.memory.recall(self.caller, query)]

    def states(self) -> list[tuple[str, str]]:
        now = self.memory.now()
        return [(f.text, f.state(now).value) for f in self.memory.history(self.caller)]

    def later(self, by: timedelta) -> None:
        """Go on at another time, as after a restart."""
        self.memory.close()
        self._now += by
        self.memory = Memory(self.path, Clock(fixed=self._now))

    def bytes(self) -> bytes:
        """All that stands in the files."""
        return b"".join(p.read_bytes() for p in self.path.parent.glob(f"{self.path.name}*"))


def one_person(tmp_path: Path) -> Iterator[Person]:
    """acme/u-17 with a memory of their own; made a fixture where it is used."""
    somebody = Person(tmp_path / "memory.db")
    yield somebody
    somebody.memory.close()
