"""One round of a turn: what the model is told, what it says, and what is shown of it meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage
from langgraph.runtime import Runtime

from signoff.caller import Caller
from signoff.errors import ProviderError
from signoff.models import ModelGateway
from signoff.models.blocks import Brief
from signoff.models.profile import Role
from signoff.models.view import build, estimate
from signoff.nodes.brief import brief_of
from signoff.nodes.budget import beside
from signoff.nodes.calls import setting_of
from signoff.nodes.checks import Grounds, attach, check
from signoff.nodes.grounding import grounds_of, results_of
from signoff.nodes.model_call import model_call
from signoff.nodes.services import Services
from signoff.nodes.speech import Speech, watched
from signoff.state import Evidence, TurnState, call_ids

CLOSING_S = 15.0
"""Seconds given to the closing answer, also when the turn's own time is over."""


@dataclass
class Round:
    """Made anew for every run of the agent node; `turn` is counted up as models are called."""

    messages: Sequence[AnyMessage]
    turn: TurnState
    evidence: list[Evidence]
    caller: Caller
    thread: str
    services: Services
    runtime: Runtime[Caller]

    def __post_init__(self) -> None:
        self._end = time.monotonic() + max(1.0, self.services.settings.max_work_s - self.turn["work_s"])
        self._setting = setting_of(self.messages, self.turn, self.evidence, self.caller, self.thread, self.services)
        self._brief = brief_of(self.messages, self.turn, self.caller, self.services)
        tainted = bool(self._setting.guards.tainted)
        self._tools = self.services.gateway.offered(self.turn["tools"], tainted=tainted)
        self._view: list[BaseMessage] | None = None

    @property
    def offered(self) -> list[str]:
        """The tools that the model may call: none once a limit is reached."""
        return [] if self.turn["limit"] else self._tools

    @property
    def tokens(self) -> int:
        """Estimated tokens of the prompt."""
        self._view = self._prompt(self._brief)
        return estimate(self._view) + self.services.gateway.registry.tokens(self.offered)

    def said(self) -> AIMessage:
        """What the model says; an answer in the words of the `writer`, where that is another model.

        Raises `ProviderError` when there is nothing to go on with.
        """
        agent, writer = self.services.model, self.services.model_of("writer")
        if self.turn["limit"] and writer is not None:
            try:
                return self._ask(writer, "writer", self._brief, [], self._speech(last=True))
            except ProviderError as error:
                self._without(writer, error)
                writer = None
        speech = self._speech(last=not self.offered) if writer is None else None
        said = self._ask(agent, "agent", self._brief, self.offered, speech)
        if call_ids(said):
            if speech is not None:
                speech.take_back()
            return said
        if writer is None or not (self.evidence or self.turn["rounds"]) or not str(said.text).strip():
            return said
        return self._written(said)

    def _written(self, draft: AIMessage) -> AIMessage:
        """The draft in the writer's words: whole ones, else the draft is the answer."""
        writer = beside("writer", self.turn, self.caller, self.services)
        if writer is None:
            return draft
        speech = self._speech(last=True)
        brief = replace(self._brief, draft=str(draft.text))
        try:
            said = self._ask(writer, "writer", brief, [], speech)
        except ProviderError as error:
            self._without(writer, error)
            return draft
        cut = said.response_metadata.get("finish_reason") == "length"
        if call_ids(said) or not str(said.text).strip() or cut:
            if speech is not None:
                speech.take_back()
            self._warn(f"{writer.name} wrote no whole answer, so the draft stands")
            return draft
        return said

    def _without(self, writer: ModelGateway, error: ProviderError) -> None:
        self.services.tracer.error("writer", error, trace=self.turn["id"])
        self._warn(str(error))

    def _prompt(self, brief: Brief, budget: int | None = None) -> list[BaseMessage]:
        """What a model is sent; with a budget of tokens, a tighter view."""
        return build(
            self.messages,
            self.turn,
            self.evidence,
            now=self.services.clock.now(),
            closing=self.turn["limit"] or None,
            brief=brief,
            budget_tokens=budget,
        )

    def _ask(
        self, model: ModelGateway, role: Role, brief: Brief, offered: list[str], speech: Speech | None
    ) -> AIMessage:
        left_s = self._end - time.monotonic()
        # What was made to be counted is sent, unless a limit was found then.
        made = self._view if brief is self._brief and not self.turn["limit"] else None
        said = model_call(
            model,
            made or self._prompt(brief),
            self.turn,
            self.caller,
            self.services,
            role=role,
            deadline_s=max(CLOSING_S, left_s) if self.turn["limit"] else left_s,
            offered=offered,
            on_text=speech.add if speech is not None else None,
            on_call=self._ahead() if offered else None,
            tighter=lambda budget: self._prompt(brief, budget),
            stop=self.services.stops.of(self.thread),
        )
        for warning in said.response_metadata.get("warnings") or ():
            self._warn(f"{model.name}: {warning}")
        return said

    def _ahead(self) -> Callable[[str, dict[str, Any]], None]:
        """Starts reads of a message that is still coming; of no more calls than the turn has left."""
        left = self.services.settings.max_tool_calls - self.turn["tool_calls"]

        def begin(name: str, args: dict[str, Any]) -> None:
            nonlocal left
            left -= 1
            if left >= 0:
                self.services.gateway.begin(name, args, setting=self._setting)

        return begin

    def _speech(self, *, last: bool) -> Speech | None:
        """Shows the answer as it is written, to whoever streams the run."""
        if watched.get() != self.thread:
            return None
        grounds: Grounds | None = None

        def judge(text: str) -> str | None:
            nonlocal grounds
            if grounds is None:
                results = results_of(self.messages, self.thread, self.services)
                grounds = grounds_of(self.messages, self.turn, self.evidence, results, self.services, cites=True)
            told = attach(text, grounds)
            return None if check(told, grounds) else told

        return Speech(self.runtime.stream_writer, judge, last=last)

    def _warn(self, message: str) -> None:
        self.runtime.stream_writer({"type": "warning", "message": message})
