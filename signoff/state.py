"""What flows through the graph. The state is the record; what a model is sent is computed from it."""

from __future__ import annotations

import json
from collections.abc import Sequence, Set
from enum import StrEnum
from typing import Annotated, Any, cast
from uuid import NAMESPACE_OID, uuid4, uuid5

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    BaseMessageChunk,
    RemoveMessage,
    ToolMessage,
    convert_to_messages,
    message_chunk_to_message,
)
from langgraph.channels.delta import DeltaChannel
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages

# Studio's form is made by pydantic, which takes no other `TypedDict` on Python 3.11.
from typing_extensions import TypedDict

GRAPH_VERSION = "3"
"""Stamped on every thread; a thread parked under another version is closed in the open, never dropped."""

SNAPSHOT_FREQUENCY = 50
"""Message updates between two full snapshots: the trade between file size and the time of a read."""


class Status(StrEnum):
    """How a turn stands or ended."""

    RUNNING = "running"
    WAITING = "waiting"
    """For a signature."""
    DONE = "done"
    REJECTED = "rejected"
    """A person refused the change."""
    EXPIRED = "expired"
    """Nobody decided in time."""
    WITHDRAWN = "withdrawn"
    """The proposal was taken back before it was decided."""
    EXHAUSTED = "exhausted"
    """A limit was reached; the answer says what is known and what is missing."""
    HANDED_OVER = "handed_over"
    """A person has the conversation; it stays readable, and the desk still answers on it."""
    FAILED = "failed"
    """The model's provider or the desk itself could not go on; the answer says why."""


class Intent(TypedDict):
    """One request out of a message that may hold several."""

    text: str
    kind: str
    """`small_talk`, `knowledge`, `task` or `other` (the default branch)."""
    tools: list[str]
    """Best-fitting tools, best first."""
    confidence: float
    """0 to 1."""
    after: list[int]
    """Indices of the intents whose result this one needs."""


class Evidence(TypedDict):
    """A numbered passage that the answer may cite as `[n]`."""

    n: int
    passage: str
    """The passage's id in knowledge."""
    title: str
    place: str
    """Heading path within the document."""
    source: str
    version: str
    page: int | None
    """Page, slide or sheet, where the file has them."""
    trusted: bool
    text: str


class PlanStep(TypedDict):
    """One step of the turn's plan, which a skill laid down."""

    n: int
    tools: list[str]
    text: str
    condition: str
    """What must hold of a result for the step to be done; empty when an answer is enough."""
    done: list[str]
    """Its tools that have answered."""
    state: str
    """`open`, `done`, `failed`, `dropped`, or `answer` for a step that is the answer itself."""
    why: str
    """What went wrong when it was last tried."""


class TurnState(TypedDict):
    """Book-keeping of the running turn; made anew by `route`."""

    id: str
    question: str
    language: str
    intents: list[Intent]
    knowledge: bool
    tools: list[str]
    """Names of the tools this turn may see, in the order they are offered."""
    recorded: int
    """Messages in the thread as of the last node's write; what comes after it is a caller's input."""
    rounds: int
    model_calls: int
    tool_calls: int
    prompt_tokens: int
    completion_tokens: int
    work_s: float
    """Seconds of work; waiting for people is not counted."""
    seen: dict[str, int]
    """Executions by canonical call, for the repeat guard."""
    repairs: dict[str, int]
    """Invalid attempts by tool name."""
    validations: int
    """Answers sent back with findings so far."""
    findings: list[str]
    """What validation found in the last draft, for the model to repair."""
    limit: str | None
    """The limit that was reached, if one was."""
    error: str | None
    """Why the turn failed, in a sentence."""
    tainted: list[str]
    """Sources of untrusted text read in this turn."""
    direct: bool
    """Whether another program made the turn's one call: then no model is asked, and code says what became of it."""
    skill: str | None
    """The skill that the request is for, if one was chosen."""
    plan: list[PlanStep]
    replans: int
    """Times a failed step was tried another way."""
    observed: list[list[str]]
    """Digests of what each round observed, for the guard against rounds that add nothing."""
    cost_yuan: str
    """Money the turn's model calls cost, a decimal number; `0` when the model's prices are not known."""
    lacking: list[str]
    """What was asked for that no document found speaks of, in the question's words."""
    searches: int
    """Searches of the documents that the model asked for, beside the first."""
    limited: str
    """The name of the limit that was reached, such as `max_rounds`; empty when none was."""


class Citation(TypedDict):
    """A citation in an answer, as a reader can check it."""

    n: int
    passage: str
    title: str
    place: str
    source: str
    version: str
    page: int | None


def message_id() -> str:
    """A new message id; called where a message is made, never in the reducer."""
    return uuid4().hex


def call_ids(message: AIMessage) -> list[str]:
    """Ids of the tool calls in a message, readable or not, in the order a provider sees them."""
    return [str(c["id"]) for c in (*message.tool_calls, *message.invalid_tool_calls) if c.get("id")]


def open_calls(messages: Sequence[AnyMessage]) -> list[str]:
    """Ids of the calls in the record that have no answer."""
    answered = {m.tool_call_id for m in messages if isinstance(m, ToolMessage)}
    return [i for m in messages if isinstance(m, AIMessage) for i in call_ids(m) if i not in answered]


def reduce_messages(record: list[AnyMessage] | None, writes: Sequence[Any]) -> list[AnyMessage]:
    """Fold writes into the record, one by one, with the semantics of `add_messages`.

    Folding write by write makes the result independent of how writes are batched, which `DeltaChannel`
    needs. An answer to a tool call is put behind its call, in the order of the calls, whenever it arrives;
    of two answers to one call the later stands, and an answer to no call is dropped. So the record is valid
    for a provider at every moment at which all its calls are answered. It mints no ids, and removing a
    message that is not there does nothing.
    """
    fold = _Fold(record or ())
    for write in writes:
        fold.add(write)
    return fold.messages


class _Fold:
    """A record under construction. What only adds to its end costs nothing but itself; a thread of thousands
    of messages is folded several times a turn."""

    def __init__(self, record: Sequence[AnyMessage]) -> None:
        # An `Overwrite` may have put in whatever its writer had.
        plain = record if all(issubclass(t, BaseMessage) for t in set(map(type, record))) else _messages(record)
        self.messages: list[AnyMessage] = cast("list[AnyMessage]", _identified(plain, 0, set()))
        self._ids: set[str | None] = {m.id for m in self.messages}
        # The calls in the record, once it is known that every answer is in its place.
        self._calls: set[str] | None = None

    def add(self, write: Any) -> None:
        batch = _identified(_messages(write if isinstance(write, list) else [write]), len(self.messages), self._ids)
        ids = {m.id for m in batch}
        if len(ids) == len(batch) and ids.isdisjoint(self._ids) and self._adds_to_the_end(batch):
            self.messages.extend(cast("list[AnyMessage]", batch))
            self._ids |= ids
        else:
            self._merge(batch)

    def _adds_to_the_end(self, batch: Sequence[BaseMessage]) -> bool:
        """Whether the batch may be appended as it is; keeps `_calls` up to date when so."""
        if self._calls is None and any(isinstance(m, ToolMessage) for m in batch):
            self._calls = _calls_in_order(self.messages)
        waiting, calls = self._waiting(), self._calls
        new: set[str] = set()
        for m in batch:
            if isinstance(m, RemoveMessage):
                return False
            if isinstance(m, ToolMessage):
                if calls is None or m.tool_call_id not in waiting:
                    return False
                waiting = waiting[waiting.index(m.tool_call_id) + 1 :]
            else:
                waiting = call_ids(m) if isinstance(m, AIMessage) else []
                if calls is not None and (len(set(waiting)) < len(waiting) or not (calls | new).isdisjoint(waiting)):
                    calls = None
                new.update(waiting)
        self._calls = None if calls is None else calls | new
        return True

    def _waiting(self) -> list[str]:
        """Calls of the last message with calls, as far as no later call of it is answered already."""
        last: str | None = None
        for m in reversed(self.messages):
            if isinstance(m, ToolMessage):
                last = last or m.tool_call_id
            else:
                calls = call_ids(m) if isinstance(m, AIMessage) else []
                return calls[calls.index(last) + 1 :] if last in calls else calls
        return []

    def _merge(self, batch: list[BaseMessage]) -> None:
        kept: list[BaseMessage] = []
        known = set(self._ids)
        for m in batch:
            if isinstance(m, RemoveMessage) and m.id == REMOVE_ALL_MESSAGES:
                self.messages, kept, known = [], [], set()
            elif m.id in known or not isinstance(m, RemoveMessage):
                kept.append(m)
                known.add(m.id)
        merged = cast("list[AnyMessage]", add_messages(self.messages, kept))  # type: ignore[arg-type]
        self.messages = _answers_behind_calls(merged)
        self._ids = {m.id for m in self.messages}
        self._calls = None


def _messages(items: Sequence[Any]) -> list[BaseMessage]:
    return [message_chunk_to_message(m) if isinstance(m, BaseMessageChunk) else m for m in convert_to_messages(items)]


def _identified(messages: Sequence[BaseMessage], place: int, taken: Set[str | None]) -> list[BaseMessage]:
    """Callers may leave ids out. A derived id is the same at every replay of the write; a minted one is not."""
    if all(m.id for m in messages):
        return list(messages)
    used = {*taken, *(m.id for m in messages)}
    named: list[BaseMessage] = []
    for i, m in enumerate(messages, place):
        if not m.id:
            # A store writes `?` for half a surrogate pair; the id must come out the same from both.
            text = json.dumps(m.model_dump(), ensure_ascii=False, default=repr).encode("utf-8", "replace").decode()
            while (derived := uuid5(NAMESPACE_OID, f"{i}{text}").hex) in used:
                i += 1
            used.add(derived)
            m = m.model_copy(update={"id": derived})
        named.append(m)
    return named


def _calls_in_order(messages: Sequence[AnyMessage]) -> set[str] | None:
    """The calls in a record; None when an answer is not in its place, or an id names two calls."""
    calls: set[str] = set()
    waiting: list[str] = []
    for m in messages:
        if isinstance(m, ToolMessage):
            if m.tool_call_id not in waiting:
                return None
            waiting = waiting[waiting.index(m.tool_call_id) + 1 :]
        else:
            waiting = call_ids(m) if isinstance(m, AIMessage) else []
            if waiting and (len(set(waiting)) < len(waiting) or not calls.isdisjoint(waiting)):
                return None
            calls.update(waiting)
    return calls


def _answers_behind_calls(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    answers = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    placed: list[AnyMessage] = []
    for m in messages:
        if isinstance(m, ToolMessage):
            continue
        placed.append(m)
        if isinstance(m, AIMessage):
            placed.extend(answers.pop(i) for i in call_ids(m) if i in answers)
    return placed


def _latest(_: Any, writes: Sequence[Any]) -> Any:
    return writes[-1]


class TurnInput(TypedDict):
    """All that a caller may put into a thread: what a person says. Everything else is the graph's own."""

    messages: Annotated[list[AnyMessage], DeltaChannel(reduce_messages, snapshot_frequency=SNAPSHOT_FREQUENCY)]


class TurnOutput(TypedDict):
    """What `invoke` returns."""

    messages: Annotated[list[AnyMessage], DeltaChannel(reduce_messages, snapshot_frequency=SNAPSHOT_FREQUENCY)]
    status: str
    answer: str
    citations: list[Citation]
    approvals: list[str]
    """Ids of the approvals the turn waits for, or waited for."""


class AgentState(TypedDict, total=False):
    """A thread. `messages` is the record of the conversation; the rest belongs to the current turn."""

    messages: Annotated[list[AnyMessage], DeltaChannel(reduce_messages, snapshot_frequency=SNAPSHOT_FREQUENCY)]
    turn: TurnState
    # Written at least once a turn with a snapshot each, so that a read never walks further back than a turn.
    evidence: Annotated[list[Evidence], DeltaChannel(_latest, snapshot_frequency=1)]
    status: str
    answer: str
    citations: list[Citation]
    approvals: list[str]
    version: str
