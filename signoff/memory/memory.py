"""Memory: remember, recall, forget; for each person their own, and nobody else's."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote
from uuid import uuid4

from langgraph.store.base import PutOp, SearchItem

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import StoreError, UsageError
from signoff.memory import expiry, matching, refusal, relevance, superseding
from signoff.memory.fact import Draft, Fact, Kind, Source, State
from signoff.memory.lexicon import terms
from signoff.memory.sensitive import sensitive
from signoff.memory.spoken import Spoken, bare, pointed_at, spoken
from signoff.memory.store import MemoryStore
from signoff.memory.subject import same_value

TTL = timedelta(days=365)
"""How long a fact holds when neither the caller nor the person's words say so."""
MAX_CHARS = 300
MAX_FACTS = 200
"""Current facts of a person."""

_PAGE = 500
# "I prefer" says nothing without what is preferred.
_NO_OBJECT = ({"prefer"}, {"want"}, {"prefer", "contact"}, {"contact"})


class Call(Protocol):
    """The call a fact is remembered or forgotten for; the same call does it once."""

    @property
    def thread(self) -> str: ...
    @property
    def id(self) -> str: ...


class Memory:
    """The facts that people asked to have remembered, in `memory.db`; times are of the business clock.

    Whose facts a method works on comes from `caller` alone. Safe to share between threads; several processes
    may open the same file. Methods raise `ToolError` for what is refused, with a sentence in both languages,
    and `StoreError` when the file cannot be used.
    """

    def __init__(self, path: Path, clock: Clock, *, busy_timeout_s: float = 10.0) -> None:
        self._clock = clock
        self._store = MemoryStore(path, busy_timeout_s=busy_timeout_s)

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def remember(
        self,
        caller: Caller,
        fact: str,
        *,
        source: Sequence[str],
        call: Call,
        kind: Kind | str = Kind.SEMANTIC,
        confidence: float | None = None,
        ttl: timedelta | None = None,
        replaces: str | None = None,
    ) -> Fact:
        """Keep a fact, once for a call; the fact as it now stands.

        `source` is what the person said in this conversation, newest message first; the fact must be in it, in
        the person's own words; "this" alone is what they told in the message before. An older fact on the same
        subject is superseded, one that says the same is renewed. A contradiction of weight (where one lives or
        things are sent, payment, who signs off, a standing rule) supersedes only what `replaces` names, after the
        person's newest message agreed to it; or when their words say that it has changed. How long it holds:
        `ttl`, else what the words say, else a year. `confidence` (0 to 1) is by default how much of the fact is
        word for word what was said.

        Raises `ToolError`: INVALID_ARGUMENTS for what the person did not say, CONFLICT for a contradiction that
        they must be asked about, NOT_FOUND for an unknown `replaces`, FORBIDDEN for secrets, identity and card
        numbers and health data, LIMIT_REACHED at 200 facts; and `UsageError` for an unknown kind.
        """
        kind = _kind(kind)
        text, found = self.acceptable(fact, source)
        # The passage may say more than the fact, and only the fact was asked for.
        words = text if sensitive(found.words) else found.words
        now = self._clock.now()
        ends = now + ttl if ttl is not None else expiry.until(words, now) or now + TTL
        with self._store.transaction():
            facts = self._facts(caller)
            for known in facts:
                if (known.source.thread, known.source.call) == (call.thread, call.id):
                    return known
            current = [f for f in facts if f.state(now) is State.CURRENT]
            old = superseding.superseded(text, found, current, said=_messages(source), replaces=replaces)
            if old is None and len(current) >= MAX_FACTS:
                raise refusal.full(MAX_FACTS)
            share = found.share if confidence is None else min(1.0, max(0.0, confidence))
            written = Source(call.thread, call.id, words)
            return self._supersede(caller, facts, old, Draft(text, kind, written, share, ends))

    def superseded(
        self, caller: Caller, fact: str, *, source: Sequence[str], replaces: str | None = None
    ) -> Fact | None:
        """The current fact that `remember` would put out of force or renew; raises what it would raise."""
        text, found = self.acceptable(fact, source)
        return superseding.superseded(
            text, found, self.recall(caller, limit=MAX_FACTS), said=_messages(source), replaces=replaces
        )

    def correct(self, caller: Caller, fact_id: str, text: str, *, call: Call, kind: Kind | str | None = None) -> Fact:
        """Put a fact right, as the person themself does outside a conversation; the fact as it now stands.

        The old value stays in the history. How long it holds is read from the text anew. Raises `ToolError`:
        NOT_FOUND for what is no current fact of theirs, INVALID_ARGUMENTS and FORBIDDEN as `remember` does.
        """
        text, _ = self.acceptable(text, [text])
        now = self._clock.now()
        with self._store.transaction():
            facts = self._facts(caller)
            for known in facts:
                if (known.source.thread, known.source.call) == (call.thread, call.id):
                    return known
            wanted = fact_id.strip().lower()
            old = next((f for f in facts if f.id == wanted and f.state(now) is State.CURRENT), None)
            if old is None:
                raise refusal.no_such_fact(fact_id)
            ends = expiry.until(text, now) or now + TTL
            source = Source(call.thread, call.id, text)
            return self._supersede(caller, facts, old, Draft(text, _kind(kind or old.kind), source, 1.0, ends))

    def _supersede(self, caller: Caller, facts: Sequence[Fact], old: Fact | None, draft: Draft) -> Fact:
        """Write a fact down in place of an older one, or renew that one when it says the same."""
        now = self._clock.now()
        renewed = old is not None and same_value(draft.text, old.text)
        new = Fact(
            id=old.id if old is not None and renewed else _new_id(facts),
            text=draft.text,
            kind=draft.kind,
            source=draft.source,
            confidence=draft.confidence,
            created=old.created if old is not None and renewed else now,
            updated=now,
            expires=draft.expires,
            supersedes=None if old is None else old.supersedes if renewed else old.id,
            order=max(time.time_ns(), facts[0].order + 1 if facts else 0),
        )
        changed = [new]
        if old is not None and not renewed:
            changed.append(replace(old, superseded_by=new.id, updated=now))
        self._put(caller, changed)
        return new

    @staticmethod
    def acceptable(fact: str, source: Sequence[str]) -> tuple[str, Spoken]:
        """The text that `remember` would keep, and where it was said; raises what it would raise."""
        said = _messages(source)
        text = (bare(fact) or pointed_at(said)) if len(fact) <= 2 * MAX_CHARS else fact
        if not text or terms(text) in _NO_OBJECT:
            raise refusal.nothing_said()
        if len(text) > MAX_CHARS:
            raise refusal.too_long(MAX_CHARS)
        if why := sensitive(text):
            raise refusal.not_kept(why)
        found = spoken(text, said)
        if found is None:
            raise refusal.not_said()
        return text, found

    def recall(self, caller: Caller, query: str | None = None, limit: int = 20) -> list[Fact]:
        """The caller's current facts, newest first; with a query those that share its words, likest first."""
        now = self._clock.now()
        current = [f for f in self._facts(caller) if f.state(now) is State.CURRENT]
        return [f for f, _ in matching.ranked(query or "", current)][:limit]

    def relevant(self, caller: Caller, text: str, *, limit: int = 5) -> list[Fact]:
        """The caller's current facts that belong into a prompt which answers `text`.

        Standing rules ("always answer in English", 叫我小王) come first and always; then, best first, what the
        words are about. At most `limit`, or as many as there are standing rules (10 at most). None when nothing is.
        """
        return relevance.relevant(self.recall(caller, limit=MAX_FACTS), text, limit=limit)

    def find(self, caller: Caller, what: str, *, said: Sequence[str] = (), call: Call | None = None) -> list[Fact]:
        """The current facts that `forget` would forget now; raises what it would raise, and touches nothing."""
        now = self._clock.now()
        current = [f for f in self._facts(caller) if f.state(now) is State.CURRENT]
        return matching.meant(what, current, said=said, thread=call.thread if call else "")

    def forget(self, caller: Caller, what: str, *, call: Call, said: Sequence[str] = ()) -> list[Fact]:
        """Forget facts, once for a call: by id, by words, or all of them ("everything", 全部).

        What they said is deleted, with the older facts that they superseded; what is left of each, and
        returned, is that it was there, and when and by which call it was forgotten. With `what` empty the
        newest of the person's messages (`said`, newest first) says which: "it" is what was just spoken of.

        Raises `ToolError`: NOT_FOUND when there is none, CONFLICT when it is not clear which one is meant.
        """
        by = f"{call.thread}/{call.id}"
        now = self._clock.now()
        with self._store.transaction():
            facts = self._facts(caller)
            if done := [f for f in facts if f.forgotten_by == by]:
                return [f for f in done if f.id not in {d.supersedes for d in done}]
            current = [f for f in facts if f.state(now) is State.CURRENT]
            meant = matching.meant(what, current, said=said, thread=call.thread)
            known = {f.id: f for f in facts}
            gone: dict[str, Fact] = {}
            for fact in meant:
                older: Fact | None = fact
                while older is not None and older.id not in gone:
                    gone[older.id] = older.without_content(by=by, now=now)
                    older = known.get(older.supersedes or "")
            self._put(caller, gone.values())
        self._store.scrub()
        return [gone[f.id] for f in meant]

    def history(self, caller: Caller) -> list[Fact]:
        """All facts, newest first: current, expired and superseded with what they said, forgotten ones without."""
        return self._facts(caller)

    def export(self, caller: Caller) -> list[dict[str, Any]]:
        """Everything that is kept about the caller here, JSON-ready, newest first, each with its `state`."""
        now = self._clock.now()
        return [{**f.record(), "state": f.state(now).value} for f in self._facts(caller)]

    def delete_all(self, caller: Caller) -> int:
        """Delete everything about the caller, its history too; how many facts went. No byte of it is left in the files.

        Raises `StoreError` when another process keeps the file busy, so that traces are left: they go with the
        next call, and nobody can recall them any more.
        """
        with self._store.transaction():
            facts = self._facts(caller)
            self._store.batch([PutOp(_namespace(caller), f.id, None) for f in facts])
        if not self._store.scrub():
            raise StoreError(
                f"{len(facts)} facts were deleted, but another process keeps {self._store.path.name} busy and traces "
                "of them are left in the file: delete again when it is done."
            )
        return len(facts)

    def now(self) -> datetime:
        """Business time, by which facts expire."""
        return self._clock.now()

    def _facts(self, caller: Caller) -> list[Fact]:
        """All of the caller's facts, newest first."""
        namespace = _namespace(caller)
        found: list[SearchItem] = []
        while True:
            page = self._store.search(namespace, limit=_PAGE, offset=len(found))
            found.extend(page)
            if len(page) < _PAGE:
                break
        # A search takes in the namespaces below; a person's has none, and this keeps it so.
        own = [Fact.of_record(item.value) for item in found if item.namespace == namespace]
        return sorted(own, key=lambda f: f.order, reverse=True)

    def _put(self, caller: Caller, facts: Iterable[Fact]) -> None:
        self._store.batch([PutOp(_namespace(caller), f.id, f.record(), index=False) for f in facts])


def _namespace(caller: Caller) -> tuple[str, ...]:
    """The caller's place in the store, which nobody else's name leads to.

    The store joins labels with dots, and a name may hold dots: everything but letters and digits is escaped.
    """
    return ("memory", *(quote(name, safe="").replace(".", "%2E") for name in (caller.tenant, caller.user)))


def _messages(source: Sequence[str]) -> list[str]:
    return [source] if isinstance(source, str) else list(source)


def _kind(kind: Kind | str) -> Kind:
    if kind not in list(Kind):
        raise UsageError(f"{kind!r} is not a kind of fact: write {', '.join(Kind)}.")
    return Kind(kind)


def _new_id(facts: Sequence[Fact]) -> str:
    taken = {f.id for f in facts}
    return next(i for i in iter(lambda: f"mem-{uuid4().hex[:8]}", "") if i not in taken)
