"""What differs in a thread's state between two of its checkpoints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from signoff.checkpoints.history import MessageLine, message_line
from signoff.errors import NotFound
from signoff.text import shorten

VALUE_CHARS = 120

_MESSAGES = "messages"
_ABSENT = "—"


class Stateful(Protocol):
    """What is needed of a compiled graph."""

    def get_state(self, config: Any) -> Any: ...


@dataclass(frozen=True)
class ValueChange:
    """One value that differs."""

    path: str
    """The channel, and the key in it: `turn.rounds`."""
    before: Any
    """None when there was nothing; so with `after`."""
    after: Any


@dataclass(frozen=True)
class Diff:
    """From the state at `a` to the state at `b`."""

    thread: str
    a: str
    b: str
    added: tuple[MessageLine, ...]
    removed: tuple[MessageLine, ...]
    reworded: tuple[tuple[MessageLine, MessageLine], ...]
    """Messages of both states whose content differs: before and after."""
    changes: tuple[ValueChange, ...]
    """All other channels, by path."""

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.reworded or self.changes)

    def lines(self) -> list[str]:
        """For people: `+` what is there only at `b`, `-` only at `a`, `~` what differs."""
        return [
            *(f"- {_told(m)}" for m in self.removed),
            *(f"+ {_told(m)}" for m in self.added),
            *(f"~ {_told(old)} → {_told(new)}" for old, new in self.reworded),
            *(f"~ {c.path}: {_short(c.before)} → {_short(c.after)}" for c in self.changes),
        ]


def diff(graph: Stateful, thread: str, a: str, b: str) -> Diff:
    """Compare the states at two checkpoints of a thread. Raises `NotFound`."""
    before, after = _values(graph, thread, a), _values(graph, thread, b)
    old = {m.id: m for m in before.pop(_MESSAGES, None) or ()}
    new = {m.id: m for m in after.pop(_MESSAGES, None) or ()}
    return Diff(
        thread=thread,
        a=a,
        b=b,
        added=tuple(message_line(m) for i, m in new.items() if i not in old),
        removed=tuple(message_line(m) for i, m in old.items() if i not in new),
        reworded=tuple((message_line(m), message_line(new[i])) for i, m in old.items() if i in new and new[i] != m),
        changes=tuple(_differences("", before, after)),
    )


def _values(graph: Stateful, thread: str, checkpoint: str) -> dict[str, Any]:
    state = graph.get_state({"configurable": {"thread_id": thread, "checkpoint_id": checkpoint}})
    if state.metadata is None:
        raise NotFound(f"Thread {thread!r} has no checkpoint {checkpoint!r}: see its history for those it has.")
    return dict(state.values)


def _differences(path: str, before: Any, after: Any) -> Iterator[ValueChange]:
    if before == after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in sorted({*before, *after}):
            yield from _differences(f"{path}.{key}" if path else str(key), before.get(key), after.get(key))
    else:
        yield ValueChange(path, before, after)


def _told(line: MessageLine) -> str:
    return f"{line.type}: {' '.join(part for part in (line.text, *line.calls) if part) or '(empty)'}"


def _short(value: Any) -> str:
    if value is None:
        return _ABSENT
    return shorten(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str), VALUE_CHARS)
