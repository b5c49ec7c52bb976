"""Replay: a turn run again on a copy, from any checkpoint, without touching the thread or the world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage

from signoff.approvals import canonical
from signoff.errors import NotFound, ProviderUnavailable
from signoff.graph.turn import Turn
from signoff.models import ModelGateway
from signoff.nodes.calls import result_of
from signoff.nodes.services import Services
from signoff.state import call_ids
from signoff.tools.effects import Effects
from signoff.tools.envelope import Code, ToolResult
from signoff.tools.gateway import Gateway
from signoff.tools.invocation import Prepared, Setting
from signoff.tools.proposals import Proposals


@dataclass(frozen=True)
class Replay:
    """A replay beside what happened."""

    turn: Turn
    same: bool
    """Whether calls, outcomes and answer are those of the record."""
    differences: Sequence[str]
    recorded: bool
    """Whether the model and the reads were answered from the record."""


class _RecordedModel(ModelGateway):
    """Says again, in order, what the record says the model said."""

    recorded = True

    def __init__(self, model: ModelGateway, said: Sequence[AIMessage]) -> None:
        self.__dict__.update(model.__dict__)
        self._said = list(said)

    def call(self, messages: list[BaseMessage], tools: list[dict[str, Any]], **options: Any) -> AIMessage:
        if not self._said:
            raise NotFound("The record ends here: replay from an earlier checkpoint, or without --recorded.")
        said = self._said.pop(0)
        if failed := said.response_metadata.get("failed"):
            raise ProviderUnavailable(str(failed))
        # Where code spoke instead of the model, the model had said nothing of use.
        return said if said.response_metadata.get("model") != "desk" else AIMessage("", id=said.id)


class _RecordedGateway(Gateway):
    """Answers calls with what they answered then: all of them, or those that would ask a system outside.

    Of the others a live replay runs the reads again; what asks outside and is not in the record is refused.
    """

    @classmethod
    def of(cls, gateway: Gateway, results: Mapping[str, ToolResult], *, exact: bool) -> _RecordedGateway:
        made = copy(gateway)
        made.__class__ = cls
        assert isinstance(made, cls)
        made.recorded, made.exact = results, exact
        return made

    recorded: Mapping[str, ToolResult]
    """By call id, and by name and arguments."""
    exact: bool

    def invoke(self, prepared: Prepared, setting: Setting, *, tx: Any = None) -> ToolResult:
        outside = prepared.tool.egress or prepared.tool.effect == "outside"
        if self.exact or outside:
            found = self.recorded.get(prepared.call.id) or self.recorded.get(prepared.canonical)
            if found is not None:
                return found
        if self.exact:
            return ToolResult.refused(Code.CANCELLED, "The record has no answer to this call.", tool=prepared.tool.name)
        return super().invoke(prepared, setting, tx=tx)


def following(record: Sequence[AnyMessage], so_far: Sequence[AnyMessage], *, asks: bool) -> list[AnyMessage]:
    """What the record says came after these messages, to the end of their turn.

    With `asks` the checkpoint stands before a question, and the turn is the one that the question begins.

    Raises `NotFound` when the messages are not the beginning of the record: another branch was forked.
    """
    ids = [m.id for m in so_far]
    if [m.id for m in record[: len(ids)]] != ids:
        raise NotFound("This checkpoint is on another branch of the thread: fork from it to see that branch again.")
    rest: list[AnyMessage] = []
    for m in record[len(ids) :]:
        if isinstance(m, HumanMessage) and not (asks and not any(isinstance(r, AIMessage) for r in rest)):
            break
        rest.append(m)
    return rest


def following_or_none(
    record: Sequence[AnyMessage], so_far: Sequence[AnyMessage], asks: bool
) -> list[AnyMessage] | None:
    """`following`, or None for a checkpoint that is on another branch."""
    try:
        return following(record, so_far, asks=asks)
    except NotFound:
        return None


def from_record(services: Services, rest: Sequence[AnyMessage]) -> Services:
    """Services whose model and reads are the record."""
    said = [m for m in rest if isinstance(m, AIMessage) and _of_model(m.response_metadata)]
    return _answering(services, rest, exact=True, model=_RecordedModel(services.model, said))


def _of_model(told: Mapping[str, Any]) -> bool:
    """Whether the model was asked for a message, whatever became of that."""
    return told.get("model") not in ("validation", "desk") or bool(told.get("failed") or told.get("asked"))


def live(services: Services, record: Sequence[AnyMessage]) -> Services:
    """Services that think anew, and ask no system outside: what those answered is taken from the record."""
    return _answering(services, record, exact=False)


def _answering(services: Services, record: Sequence[AnyMessage], *, exact: bool, **changes: Any) -> Services:
    results = {m.tool_call_id: result_of(m) for m in record if isinstance(m, ToolMessage)}
    calls = (c for m in record if isinstance(m, AIMessage) for c in m.tool_calls)
    by_action = {f"{c['name']}{canonical(c['args'])}": results[str(c["id"])] for c in calls if str(c["id"]) in results}
    gateway = _RecordedGateway.of(services.gateway, {**by_action, **results}, exact=exact)
    proposals = Proposals(gateway)
    return copy_with(services, gateway=gateway, proposals=proposals, effects=Effects(gateway, proposals), **changes)


def copy_with(services: Services, **changes: Any) -> Services:
    """The services of a replay: effects come from the ledger, and nothing new is proposed."""
    return Services(**{**vars(services), "rehearsing": True, **changes})


def differences(then: Sequence[AnyMessage], now: Sequence[AnyMessage]) -> list[str]:
    """Where two runs of a turn part, in sentences."""
    found: list[str] = []
    calls_then, calls_now = _calls(then), _calls(now)
    if calls_then != calls_now:
        found.append(f"calls: {_names(calls_then)} then, {_names(calls_now)} now")
    else:
        for (name, _), a, b in zip(calls_then, _outcomes(then), _outcomes(now), strict=False):
            if a != b:
                found.append(f"{name}: answered otherwise")
    if _answer(then) != _answer(now):
        found.append("answer: worded otherwise")
    return found


def _calls(messages: Sequence[AnyMessage]) -> list[tuple[str, Any]]:
    return [(c["name"], c["args"]) for m in messages if isinstance(m, AIMessage) for c in m.tool_calls]


def _names(calls: Sequence[tuple[str, Any]]) -> str:
    return ", ".join(name for name, _ in calls) or "none"


def _outcomes(messages: Sequence[AnyMessage]) -> list[str]:
    return [str(m.content) for m in messages if isinstance(m, ToolMessage)]


def _answer(messages: Sequence[AnyMessage]) -> str:
    return next((str(m.text) for m in reversed(messages) if isinstance(m, AIMessage) and not call_ids(m)), "")
