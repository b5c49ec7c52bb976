"""Single questions put to an endpoint past the retries and the breaker of desks, and what came of each."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from signoff.errors import ProviderUnavailable
from signoff.models import questions
from signoff.models.deltas import Deltas
from signoff.models.endpoint import Endpoint
from signoff.models.failures import Failure, Overflow
from signoff.models.ways.request import Request

PROBE_S = 300.0
"""Seconds for all questions; what is not asked by then stays unknown."""
QUESTION_S = 60.0
"""Seconds for one question, if the profile's time-out is not shorter."""

_BUSY_WAIT_S = 2.0
_LONGEST_WAIT_S = 20.0
_UNUSABLE = frozenset({"key", "quota", "config"})
_REFUSED = frozenset({"request", "overflow", "length", "content", "model"})


@dataclass
class Answer:
    """An answer, or why there is none."""

    deltas: Deltas
    pieces: int = 0
    """Parts in which text or thoughts came."""
    failure: Failure | None = None

    @property
    def text(self) -> str:
        """What it says; empty when it failed."""
        return self.deltas.text.strip() if self.failure is None else ""

    @property
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        """Its structured calls, with no arguments where those are no JSON object."""
        if self.failure is not None:
            return []
        message = self.deltas.message()
        return [(c["name"], c["args"]) for c in message.tool_calls] + [
            (c["name"] or "", {}) for c in message.invalid_tool_calls
        ]

    @property
    def late(self) -> bool:
        """Whether it says nothing of the endpoint's abilities: it was busy, or no time was left."""
        return self.failure is not None and self.failure.kind == "busy"

    @property
    def silent(self) -> bool:
        """Whether nothing came of it in time."""
        return self.failure is not None and self.failure.kind == "timeout"

    @property
    def refused(self) -> bool:
        """Whether the endpoint answers other questions but not this one."""
        return self.failure is not None and not self.late


class Inquiry:
    """Asks an endpoint, which may be exchanged for the same one used otherwise."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.end = time.monotonic() + PROBE_S
        self._output_tokens = questions.OUTPUT_TOKENS

    def ask(self, request: Request, *, endpoint: Endpoint | None = None, first: bool = False) -> Answer:
        """The answer, asked for twice where the first failure may have been chance.

        Raises `ProviderError` when the endpoint is gone or refuses the key. `first` says that it has answered nothing
        yet: then a failure is the caller's to judge, and an unknown model is the end.
        """
        endpoint = endpoint or self.endpoint
        answer = self._once(endpoint, request)
        if (failure := answer.failure) is not None and failure.kind in ("trouble", "broken"):
            answer = self._once(endpoint, request)
        elif answer.late and time.monotonic() < self.end:
            wait_s = _BUSY_WAIT_S if failure is None or failure.wait_s is None else failure.wait_s
            time.sleep(max(0.0, min(wait_s, _LONGEST_WAIT_S, self.end - time.monotonic())))
            answer = self._once(endpoint, request)
        cut = answer.failure is None and answer.deltas.finish_reason == "length" and answer.deltas.empty
        if cut and self._output_tokens < questions.THINKING_TOKENS:
            # It thought, and got no further.
            self._output_tokens = questions.THINKING_TOKENS
            answer = self._once(endpoint, request)
        failure = answer.failure
        if failure is not None and first and failure.kind == "model":
            raise failure.error from None
        if failure is not None and failure.kind not in _REFUSED and not answer.late and not first:
            # It may be this question that it cannot take, or it may be down: a plain one tells.
            plain = self._once(self.endpoint, questions.COUNT)
            if plain.failure is not None:
                raise plain.failure.error from None
        return answer

    def limit(self) -> int | None:
        """The context that the endpoint names when it is asked for an answer longer than any."""
        now = time.monotonic()
        if now >= self.end:
            return None
        try:
            self.endpoint.ask(questions.HUGE, min(self.end, now + QUESTION_S), QUESTION_S, _enough)
        except Overflow as overflow:
            return overflow.limit
        except (Failure, _Enough):
            pass
        return None

    def _once(self, endpoint: Endpoint, request: Request) -> Answer:
        now = time.monotonic()
        until = min(self.end, now + min(QUESTION_S, endpoint.timeout_s))
        came: Deltas | None = None
        pieces = thoughts = 0

        def taken(text: str, deltas: Deltas) -> None:
            nonlocal came, pieces, thoughts
            came = deltas
            pieces += bool(text) or len(deltas.reasoning) > thoughts
            thoughts = len(deltas.reasoning)

        if now >= self.end:
            return Answer(Deltas(), failure=Failure(_no_time(endpoint), "busy"))
        try:
            asked = replace(request, output_tokens=self._output_tokens)
            return Answer(endpoint.ask(asked, until, until - now, taken), pieces)
        except Failure as failure:
            if failure.kind in _UNUSABLE:
                raise failure.error from None
            if failure.kind == "timeout" and came is not None and came.begun:
                # It was answering, and that it did not come to an end says as much as a cut-off answer does.
                came.finish_reason = "length"
                return Answer(came, pieces)
            return Answer(Deltas(), pieces, failure)


def _no_time(endpoint: Endpoint) -> ProviderUnavailable:
    return ProviderUnavailable(f"{endpoint.names.subject} took longer than {PROBE_S:.0f} s for the probe's questions.")


class _Enough(Exception):
    """The endpoint has begun to answer: it tells nothing of its context."""


def _enough(_: str, deltas: Deltas) -> None:
    if deltas.begun:
        raise _Enough
