"""Personal data in results behind numbered marks such as `[phone:1]`: models pass the marks on, and code the values.

Secrets get a plain mark and are kept nowhere. A mark belongs to one caller on one thread.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Boolean, Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, Text, select
from sqlalchemy.dialects.sqlite import insert

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.records.database import Database
from signoff.telemetry.credentials import NAMED_RULES, TOKEN_RULES
from signoff.telemetry.patterns import KEPT
from signoff.telemetry.personal import EMAIL_RULES, NUMBER
from signoff.telemetry.redaction import finds, is_secret, redact
from signoff.tools.contract import PERSONAL

masks_metadata = MetaData()

masks = Table(
    "masks",
    masks_metadata,
    Column("tenant", String, nullable=False),
    Column("user", String, nullable=False),
    Column("thread", String, nullable=False),
    Column("mark", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("value", Text, nullable=False),
    Column("revealed", Boolean, nullable=False),
    Column("expires_at", String, nullable=False),
    PrimaryKeyConstraint("tenant", "user", "thread", "mark"),
)

MOST = 1_000
"""Numbered marks of one kind on one thread; what is found beyond them gets a plain mark."""

_NUMBERED = re.compile(
    rf"[\[［【]\s?(?P<kind>{'|'.join(sorted(PERSONAL))})\s?[:：]\s?(?P<number>[0-9]{{1,6}})\s?[\]］】]", re.IGNORECASE
)
"""A mark as it is issued, or as a model may write it: `[Phone: 1]`, `【phone：1】`."""
_TELLING = 6
"""Characters from which on a secret is looked for elsewhere; shorter ones are words and numbers like any other."""
_DEPTH = 64
_ROUNDS = 20

_RULES = (*NAMED_RULES, *TOKEN_RULES, *EMAIL_RULES)
_NEEDED = re.compile("|".join(sorted({re.escape(word) for rule in _RULES for word in rule.needs})))
_SHAPES = tuple(rule.pattern for rule in _RULES if not rule.needs)
# Full-width letters, digits and signs, other hyphens and spaces, and what cannot be seen: all but （）：，！；？.
_UNUSUAL = re.compile(
    "[\uff02-\uff07\uff0a\uff0b\uff0d-\uff19\uff1c-\uff1e\uff20-\uff5e"
    "\u00a0\u00ad\u2007\u200b-\u200f\u2010-\u2015\u202f\u2060\u2212\u2500\u3000\ufeff]"
)


@dataclass(frozen=True)
class _Row:
    mark: str
    kind: str
    value: str
    revealed: bool
    expires_at: str

    def lives(self, now: datetime) -> bool:
        """Whether its value may still be used; a purged row has none and only keeps its number taken."""
        return self.value != "" and datetime.fromisoformat(self.expires_at) > now


class Masks:
    """Issues marks and takes them back. Safe to share between threads: all it knows is in the database."""

    def __init__(self, database: Database, clock: Clock, *, ttl_h: float) -> None:
        self._database = database
        self._clock = clock
        self._ttl = timedelta(hours=ttl_h)

    def mask(
        self,
        tx: Connection | None,
        caller: Caller,
        thread: str,
        value: Any,
        *,
        reveals: frozenset[str] = frozenset(),
    ) -> Any:
        """JSON with every phone number, e-mail address, ID and bank card replaced by its mark, and secrets by theirs.

        A value has one mark on a thread, whatever spaces, hyphens or full-width digits it is written with; being
        found again renews its time. The kinds in `reveals` may be shown to the caller by `reveal`. A numbered mark
        that stands in the value already and was never issued here is made a plain one. Without a transaction (a
        rehearsal) nothing is kept, and what has no mark yet gets a plain one. Idempotent; the value is not changed.
        """
        expires = (self._clock.utc() + self._ttl).isoformat()
        issue = _Issue(lambda: self._rows(tx, caller, thread), expires, reveals, keep=tx is not None)
        masked = issue.value(value, 0)
        if tx is not None and issue.changed:
            row = {"tenant": caller.tenant, "user": caller.user, "thread": thread}
            new = insert(masks)
            tx.execute(
                new.on_conflict_do_update(
                    index_elements=[*row, "mark"],
                    set_={"revealed": new.excluded.revealed, "expires_at": new.excluded.expires_at},
                ),
                [{**row, **vars(r)} for r in issue.changed.values()],
            )
        return masked

    def restore(self, caller: Caller, thread: str, args: Any) -> tuple[Any, list[str]]:
        """Arguments with the real values in place of marks, and the marks that were restored, in order.

        Only marks issued to this caller on this thread and not expired are; others stay as they are written.
        """
        asked = dict.fromkeys(mark for text in _texts(args, 0) for mark in map(_mark, _NUMBERED.finditer(text)))
        if not asked:
            return args, []
        rows = self._living(caller, thread)
        known = {mark: rows[mark].value for mark in asked if mark in rows}
        return (_rewritten(args, known, 0) if known else args), list(known)

    def renew(self, caller: Caller, thread: str, marks: Sequence[str], *, ttl_h: float) -> None:
        """Keep what marks stand for at least so long: a call that uses them waits for a signature."""
        until = (self._clock.utc() + timedelta(hours=ttl_h)).isoformat()
        t = masks.c
        mine = (t.tenant == caller.tenant) & (t.user == caller.user) & (t.thread == thread) & t.mark.in_(marks)
        with self._database.write() as tx:
            tx.execute(masks.update().where(mine, t.expires_at < until, t.value != "").values(expires_at=until))

    @staticmethod
    def unresolved(args: Any) -> list[str]:
        """The numbered marks that arguments still hold: what they stood for is not known here, or no longer."""
        return list(dict.fromkeys(m for text in _texts(args, 0) for m in map(_mark, _NUMBERED.finditer(text))))

    def reveal(self, text: str, caller: Caller, thread: str) -> str:
        """Text for the caller's own eyes: with the real values of marks whose tool reveals them. Log it nowhere."""
        if not _NUMBERED.search(text):
            return text
        known = {mark: row.value for mark, row in self._living(caller, thread).items() if row.revealed}
        return _replaced(text, known)

    def delete_thread(self, tx: Connection, thread: str) -> None:
        """Remove a thread's marks and their values."""
        tx.execute(masks.delete().where(masks.c.thread == thread))

    def purge(self, tx: Connection) -> int:
        """Remove the values of what has expired; returns how many. Their marks are never given to other values."""
        expired = masks.c.expires_at <= self._clock.utc().isoformat()
        gone = masks.update().where(expired, masks.c.value != "").values(value="", revealed=False)
        return int(tx.execute(gone).rowcount)

    def _rows(self, tx: Connection | None, caller: Caller, thread: str) -> list[_Row]:
        if tx is None:
            with self._database.read() as reading:
                return self._rows(reading, caller, thread)
        found = tx.execute(
            select(masks.c.mark, masks.c.kind, masks.c.value, masks.c.revealed, masks.c.expires_at).where(
                masks.c.tenant == caller.tenant, masks.c.user == caller.user, masks.c.thread == thread
            )
        )
        return [_Row(*row) for row in found]

    def _living(self, caller: Caller, thread: str) -> dict[str, _Row]:
        now = self._clock.utc()
        return {row.mark: row for row in self._rows(None, caller, thread) if row.lives(now)}


class _Issue:
    """The marks of one thread while one value is masked; read from the database when something is found."""

    def __init__(
        self,
        read: Callable[[], Iterable[_Row]],
        expires: str,
        reveals: frozenset[str],
        *,
        keep: bool,
    ) -> None:
        self._read: Callable[[], Iterable[_Row]] | None = read
        self._expires = expires
        self._reveals = reveals
        self._keep = keep
        self._issued: set[str] = set()
        self._secrets: set[str] = set()
        """Values that were secret by their names alone; where they stand again, in a sentence, there is no name."""
        self._by_value: dict[tuple[str, str], _Row] = {}
        self._last = dict.fromkeys(PERSONAL, 0)
        self.changed: dict[str, _Row] = {}
        """Rows to write, by their marks."""

    def value(self, value: Any, depth: int) -> Any:
        if depth > _DEPTH:
            return value if value is None or isinstance(value, bool | float) else "[too deep]"
        match value:
            case str():
                return self.text(value)
            case int() if not isinstance(value, bool) and 10**9 <= abs(value) < 10**19:
                masked = self.text(str(value))
                return value if masked == str(value) else masked
            case Mapping():
                pairs: dict[Any, Any] = {}
                for key, item in value.items():
                    name = self.text(key) if isinstance(key, str) else key
                    free, number = name, 2
                    while free in pairs:
                        free, number = f"{name}#{number}", number + 1
                    if is_secret(key, item):
                        # A secret's value is not looked into: nothing of it may be kept.
                        pairs[free] = "[secret]"
                        if isinstance(item, str) and len(item.strip()) >= _TELLING and redact(item) == item:
                            self._secrets.add(item.strip())
                    else:
                        pairs[free] = self.value(item, depth + 1)
                return pairs
            case list() | tuple():
                return [self.value(item, depth + 1) for item in value]
            case _:
                return value

    def text(self, text: str) -> str:
        if "[" in text or "［" in text or "【" in text:
            text = _NUMBERED.sub(self._genuine, text)
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        if clear(text):
            return text
        # Marks can bring two halves of something together: see `finds`.
        for _ in range(_ROUNDS):
            found = finds(text)
            if not found:
                return text
            pieces: list[str] = []
            at = 0
            for start, end, kind in found:
                pieces += [text[at:start], self._mark_of(kind, text[start:end])]
                at = end
            text = "".join([*pieces, text[at:]])
        return redact(text)

    def _genuine(self, found: re.Match[str]) -> str:
        self._load()
        return found[0] if _mark(found) in self._issued else f"[{found['kind'].lower()}]"

    def _mark_of(self, kind: str, value: str) -> str:
        if kind not in PERSONAL or _NUMBERED.search(value):
            return f"[{kind}]"
        self._load()
        same = (kind, _plain(value))
        row = self._by_value.get(same)
        if row is None:
            if not self._keep or self._last[kind] >= MOST:
                return f"[{kind}]"
            self._last[kind] += 1
            row = _Row(f"[{kind}:{self._last[kind]}]", kind, value, False, "")
            self._issued.add(row.mark)
        row = replace(row, revealed=row.revealed or kind in self._reveals, expires_at=self._expires)
        self._by_value[same] = self.changed[row.mark] = row
        return row.mark

    def _load(self) -> None:
        if self._read is None:
            return
        for row in self._read():
            self._issued.add(row.mark)
            self._last[row.kind] = max(self._last[row.kind], int(row.mark[len(row.kind) + 2 : -1]))
            if row.value:
                self._by_value[row.kind, _plain(row.value)] = row
        self._read = None


def clear(text: str) -> bool:
    """Whether there is certainly nothing to mask, as in most results; told in a fraction of the time of `finds`."""
    if _NEEDED.search(text.lower()) or (not text.isascii() and _UNUSUAL.search(text)):
        return False
    narrow = text.replace("（", "(").replace("）", ")")
    # Most of what looks like a number at first is a date.
    if NUMBER.search(narrow) and NUMBER.search(KEPT.sub("x", narrow)):
        return False
    return not any(shape.search(text) for shape in _SHAPES)


def _plain(value: str) -> str:
    """What is the same in all ways of writing a number or an address."""
    folded = unicodedata.normalize("NFKC", value).casefold()
    if "@" in folded:
        return "".join(c for c in folded if not unicodedata.category(c).startswith(("C", "Z")))
    return "".join(c for c in folded if c.isalnum() or c == "+")


def _mark(found: re.Match[str]) -> str:
    """A mark as it was issued, from any way of writing it."""
    return f"[{found['kind'].lower()}:{int(found['number'])}]"


def _replaced(text: str, known: Mapping[str, str]) -> str:
    return _NUMBERED.sub(lambda found: known.get(_mark(found), found[0]), text)


def _texts(value: Any, depth: int) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif depth <= _DEPTH:
        if isinstance(value, Mapping):
            for key, item in value.items():
                yield from _texts(key, depth)
                yield from _texts(item, depth + 1)
        elif isinstance(value, list | tuple):
            for item in value:
                yield from _texts(item, depth + 1)


def _rewritten(value: Any, known: Mapping[str, str], depth: int) -> Any:
    if isinstance(value, str):
        return _replaced(value, known)
    if depth <= _DEPTH:
        if isinstance(value, Mapping):
            return {_rewritten(k, known, depth): _rewritten(v, known, depth + 1) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [_rewritten(item, known, depth + 1) for item in value]
    return value
