"""One call of the gateway in the making: what is asked, what was shown, and what it has cost so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from threading import Event
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata, add_usage

from signoff.models import failures
from signoff.models.deltas import Deltas
from signoff.models.endpoint import Endpoint
from signoff.models.failures import Failure
from signoff.models.usage import count_prompt, count_tokens, counted, tokenised
from signoff.models.ways import Choice, Curtain, Decoded, Request, Way, transcript

OnCall = Callable[[str, dict[str, Any]], None]
Tighter = Callable[[int], list[BaseMessage]]
"""Gives the prompt within so many tokens, estimated as `count_prompt` does."""

_STAGES = 4
"""Requests that one answer may take; the longest way takes two."""
_SHORTER = (
    "Your last answer was cut off at the output limit. Give it again, whole and much shorter, in the same language."
)


class Asking:
    """What one call asks and has come to. Not shared between threads."""

    def __init__(
        self,
        messages: list[BaseMessage],
        tools: list[dict[str, Any]],
        choice: Choice,
        end: float,
        *,
        on_text: Callable[[str], None] | None,
        on_call: OnCall | None,
        tighter: Tighter | None,
        stop: Event | None = None,
    ) -> None:
        self._given = messages
        self.messages = messages
        """As they are asked of the present endpoint."""
        self.tools = tools
        self.choice = choice
        self.end = end
        """When it must be over, monotonic."""
        self.tighter = tighter
        self.tightened = False
        """Whether the present endpoint's word has made the prompt shorter."""
        self.stop = stop
        self.tries = 0
        self.warnings: list[str] = []
        self.wasted_tokens = 0
        """Of tries that came to nothing."""
        self.cost_yuan = Decimal(0)
        """Of those tries."""
        self._on_call = on_call
        self._shown = _Shown(on_text)
        self._started = time.monotonic()
        self._first: float | None = None

    def begin(self, endpoint: Endpoint) -> None:
        """Turn to an endpoint: the prompt as it was given, made to fit what the endpoint's profile says it takes."""
        self.messages, self.tightened = self._given, False
        if self.tighter is None or endpoint.local:
            return
        profile = endpoint.profile
        fits = profile.context_tokens - endpoint.reserve_tokens
        if count_prompt(self.messages, self.tools) > fits:
            self.tighten(fits - count_prompt((), self.tools), f"the prompt is over context_tokens of {profile.name}")

    def tighten(self, budget: int, why: str) -> bool:
        """Make the prompt shorter; whether it has become so."""
        if self.tighter is None:
            return False
        made = self.tighter(max(256, budget))
        shorter = count_prompt(made) < count_prompt(self.messages)
        if shorter:
            self.messages = made
            self.warnings.append(f"tighter view: {why}")
        return shorter

    def run(self, endpoint: Endpoint, patience_s: float) -> AIMessage:
        """One try: all the requests that the endpoint's way takes. Raises `Failure`."""
        way = endpoint.way(self.messages, self.tools, self.choice)
        self._shown.begin()
        request = way.encode()
        usage: UsageMetadata | None = None
        reported = True
        try:
            for _ in range(_STAGES):
                deltas = self._answer(endpoint, way, request, patience_s)
                said = deltas.message()
                cut = deltas.finish_reason == "length"
                reported = reported and deltas.usage is not None
                usage = add_usage(usage, deltas.usage or self._counted(endpoint, request, said))
                made = way.decode(said, request, cut=cut)
                if isinstance(made, Request):
                    request = made
                    continue
                return self._message(endpoint, made, deltas, usage, reported)
            raise failures.broken(endpoint.names, "did not come to an answer")
        except Failure:
            # What came whole, of requests before the one that failed or of one that says nothing, was paid for too.
            if usage is not None:
                self._waste(endpoint, usage)
            raise

    def _answer(self, endpoint: Endpoint, way: Way, request: Request, patience_s: float) -> Deltas:
        """The answer to one request; one that was cut off is asked for again, with room, once."""
        first = self._stream(endpoint, way, request, patience_s)
        if first.finish_reason != "length":
            return first
        again = self._roomier(endpoint, request)
        self._shown.begin()
        self.tries += 1
        try:
            second = self._stream(endpoint, way, again, patience_s)
        except Failure:
            second = first
        if second.empty or second is first:
            if second is not first:
                self._waste(endpoint, self._used(again, second))
            if first.empty:
                self._waste(endpoint, self._used(request, first))
                raise failures.rejected(
                    endpoint.names,
                    f"used up its output before it wrote anything: raise {endpoint.names.output}, or name a model with "
                    f"more output tokens in {endpoint.names.model}",
                    "length",
                )
            second = first
        else:
            self._waste(endpoint, self._used(request, first))
        if second.finish_reason == "length":
            self.warnings.append("cut off at the output limit")
        else:
            self.warnings.append("asked again: cut off at the output limit")
        return second

    def _roomier(self, endpoint: Endpoint, request: Request) -> Request:
        """The request with twice the output, where it was limited and the context has room; else with a note."""
        most = request.output_tokens or endpoint.profile.output_tokens
        room = endpoint.profile.context_tokens - count_prompt(request.messages, request.tools)
        if most and room >= most * 3 // 2:
            return replace(request, output_tokens=min(most * 2, room))
        return replace(request, messages=transcript.with_note(request.messages, _SHORTER))

    def _stream(self, endpoint: Endpoint, way: Way, request: Request, patience_s: float) -> Deltas:
        curtain: Curtain = way.curtain(request)
        seen = Deltas()

        def taken(piece: str, deltas: Deltas) -> None:
            nonlocal seen
            seen = deltas
            if self._first is None and deltas.begun:
                self._first = time.monotonic()
            if piece and (visible := curtain.add(piece)):
                self._shown.add(visible)
            if self._on_call is not None and request.tools and request.choice != "none":
                for name, args in deltas.completed():
                    self._on_call(name, way.arguments(name, args))

        try:
            return endpoint.ask(request, self.end, patience_s, taken, self.stop)
        except Failure:
            if seen.begun or seen.usage:
                self._waste(endpoint, self._used(request, seen))
            raise

    def _waste(self, endpoint: Endpoint, usage: UsageMetadata) -> None:
        """Count what came to nothing."""
        self.wasted_tokens += usage["input_tokens"] + usage["output_tokens"]
        self.cost_yuan += _cost_yuan(endpoint, usage)

    @staticmethod
    def _used(request: Request, answer: Deltas) -> UsageMetadata:
        """What a request took whose answer is of no use: as reported, else estimated."""
        if answer.usage:
            return answer.usage
        prompt = count_prompt(request.messages, request.tools)
        completion = count_tokens(answer.text + answer.reasoning)
        return UsageMetadata(input_tokens=prompt, output_tokens=completion, total_tokens=prompt + completion)

    @staticmethod
    def _counted(endpoint: Endpoint, request: Request, said: AIMessage) -> UsageMetadata:
        count = counted if endpoint.local else tokenised
        return count(request.messages, request.tools, said)

    def _message(
        self, endpoint: Endpoint, made: Decoded, deltas: Deltas, usage: UsageMetadata, reported: bool
    ) -> AIMessage:
        message = made.message
        called = message.tool_calls or message.invalid_tool_calls
        if not str(message.text).strip() and not called and not made.warnings and deltas.finish_reason != "length":
            raise failures.broken(endpoint.names, "sent an answer with neither text nor a tool call")
        self._shown.end(str(message.text))
        now = time.monotonic()
        reason = deltas.finish_reason
        if reason != "length":
            reason = "tool_calls" if called else "stop"
        message.usage_metadata = usage
        message.response_metadata = {
            "profile": endpoint.profile.name,
            "model": deltas.model or endpoint.name,
            "way": "native" if endpoint.local else endpoint.can.way,
            "finish_reason": reason,
            "usage": "provider" if reported else "counted",
            "cached_tokens": _cached(usage),
            "wasted_tokens": self.wasted_tokens,
            "cost_yuan": str(self.cost_yuan + _cost_yuan(endpoint, usage)),
            "tries": self.tries,
            "first_token_s": round((self._first or now) - self._started, 3),
            "latency_s": round(now - self._started, 3),
            "repairs": list(made.repairs),
            "warnings": [*self.warnings, *made.warnings],
        }
        return message


def _cached(usage: UsageMetadata) -> int:
    return int((usage.get("input_token_details") or {}).get("cache_read") or 0)


def _cost_yuan(endpoint: Endpoint, usage: UsageMetadata) -> Decimal:
    prompt, completion = usage["input_tokens"], usage["output_tokens"]
    return endpoint.profile.cost_yuan(prompt, completion, cached_tokens=_cached(usage))


class _Shown:
    """Text as a watcher sees it: after a broken try only what goes beyond it, and only if it goes on alike."""

    def __init__(self, on_text: Callable[[str], None] | None) -> None:
        self._on_text = on_text
        self._shown = ""
        self._text = ""

    def begin(self) -> None:
        self._text = ""

    def add(self, piece: str) -> None:
        self._text += piece
        if self._on_text and len(self._text) > len(self._shown) and self._text.startswith(self._shown):
            new, self._shown = self._text[len(self._shown) :], self._text
            self._on_text(new)

    def end(self, text: str) -> None:
        """The whole text, of which a part may have been held back."""
        if len(text) > len(self._text) and text.startswith(self._text):
            self.add(text[len(self._text) :])
