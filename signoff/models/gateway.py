"""Every model call passes here: streamed, put together, tried again, asked elsewhere, and ended with a message or a
sentence."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from threading import Event
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, BaseMessage

from signoff.errors import ProviderError, ProviderUnavailable
from signoff.models import failures
from signoff.models.asking import Asking, OnCall, Tighter
from signoff.models.endpoint import Endpoint
from signoff.models.failures import Failure, Overflow
from signoff.models.provider import default_profile
from signoff.models.usage import count_prompt
from signoff.models.ways import Choice
from signoff.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 8.0


class ModelGateway:
    """Calls one chat model, or its fallbacks. The only retry layer there is; safe to share between threads."""

    recorded = False
    """Whether what it says comes from a record, with the record's own call ids."""

    def __init__(self, models: BaseChatModel | Endpoint | Sequence[Endpoint], settings: Settings) -> None:
        """`models` are asked in order: the first, and when it cannot be, its fallbacks. A chat model alone is asked as
        the settings' own."""
        if isinstance(models, Endpoint):
            models = [models]
        elif not isinstance(models, Sequence):
            models = [Endpoint(default_profile(settings), settings, model=models)]
        self._endpoints = tuple(models)
        self._settings = settings

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """The endpoints in the order in which they are asked."""
        return self._endpoints

    @property
    def name(self) -> str:
        """The model as the settings name it, such as `rehearsal` or `openai:gpt-4o`."""
        return self._endpoints[0].name

    @property
    def label(self) -> str:
        """The model as people are shown it."""
        return self._endpoints[0].label

    def call(
        self,
        messages: list[BaseMessage],
        tools: list[dict[str, Any]],
        *,
        deadline_s: float,
        on_text: Callable[[str], None] | None = None,
        on_call: OnCall | None = None,
        choice: Choice = "auto",
        tighter: Tighter | None = None,
        stop: Event | None = None,
    ) -> AIMessage:
        """One answer to a prompt, within `deadline_s` seconds over all tries and endpoints.

        `tools` are OpenAI `tools` entries. `on_text` is given the text as it streams, never a call or a thought that
        the model wrote as text; what a further try repeats is not given again. `on_call` is told each tool call
        (name, arguments) as soon as it is whole and another has begun; what it is told may still be repeated, or
        come to nothing. `tighter` gives the prompt within a budget of tokens, for messages alone: it is asked when
        the prompt is estimated to be over a profile's context, and once when its endpoint says that it is. `stop`
        ends the call when it is set.

        The message is fresh: text, `tool_calls`, `invalid_tool_calls` (arguments that are no JSON object, or a call
        that was cut off, raw), `usage_metadata`, reasoning in `additional_kwargs["reasoning"]`,
        what its provider wants back with the results of its calls in `additional_kwargs["continuation"]`, and
        `response_metadata` with

        - `profile`, `model` (as the provider says it), `way` (`native`, `schema`, `json` or `text`)
        - `finish_reason`: `stop`, `tool_calls`, or `length` for an answer that lacks its end after a second asking
        - `usage`: `provider`, or `counted` here where the provider reported none
        - `cached_tokens`, `wasted_tokens` (estimated, of tries that came to nothing), `tries`
        - `cost_yuan`, by the profiles' prices, with what such tries cost; a decimal number as a str
        - `first_token_s`, `latency_s`, from the beginning of the call
        - `repairs` and `warnings`: what was mended in the answer, and what went otherwise than asked; lists of str.

        Raises `ProviderUnavailable` when none answered in time or whole until the last try, and `ProviderRejected`
        when they refused; `Cancelled` when `stop` was set.
        """
        asking = Asking(
            messages,
            tools,
            choice,
            time.monotonic() + deadline_s,
            on_text=on_text,
            on_call=on_call,
            tighter=tighter,
            stop=stop,
        )
        for n, endpoint in enumerate(self._endpoints):
            last = n == len(self._endpoints) - 1
            try:
                return self._of(endpoint, asking, len(self._endpoints) - n)
            except Failure as failure:
                if last or not failure.elsewhere:
                    raise _after(asking, failure.error) from failure.__cause__
                following = self._endpoints[n + 1].profile.name
                asking.warnings.append(f"fallback from {endpoint.profile.name} to {following}: {failure.kind}")
        raise ProviderUnavailable("No model is configured: set SIGNOFF_MODEL.")

    def _of(self, endpoint: Endpoint, asking: Asking, endpoints_left: int) -> AIMessage:
        """The answer of one endpoint, reported to its breaker. Raises `Failure`."""
        breaker = endpoint.breaker
        admitted = breaker.admit()
        if admitted == "open":
            raise failures.resting(endpoint.names, breaker.failures, breaker.left_s)
        try:
            message = self._tries(endpoint, asking, endpoints_left, 0 if admitted == "probe" else endpoint.retries)
        except Failure as failure:
            if failure.trouble:
                breaker.failed()
            elif failure.kind == "config":
                # It was not asked.
                breaker.released()
            else:
                breaker.succeeded()
            raise
        except BaseException:
            breaker.released()
            raise
        breaker.succeeded()
        return message

    def _tries(self, endpoint: Endpoint, asking: Asking, endpoints_left: int, retries: int) -> AIMessage:
        # While another could be asked, silence may use up a part of the time only.
        until = time.monotonic() + (asking.end - time.monotonic()) / endpoints_left
        asking.begin(endpoint)
        tries = 0
        while True:
            if time.monotonic() >= asking.end:
                raise failures.no_time()
            tries += 1
            asking.tries += 1
            try:
                return asking.run(endpoint, min(endpoint.timeout_s, max(0.05, until - time.monotonic())))
            except Overflow as overflow:
                if not self._tightened(endpoint, asking, overflow):
                    raise
                tries -= 1
                continue
            except Failure as failure:
                wait_s = failure.wait_s if failure.wait_s is not None else _backoff(tries)
                if not failure.retry or tries > retries or time.monotonic() + wait_s >= until:
                    raise
            if asking.stop is None:
                time.sleep(wait_s)
            else:
                asking.stop.wait(wait_s)

    @staticmethod
    def _tightened(endpoint: Endpoint, asking: Asking, overflow: Overflow) -> bool:
        """Whether the prompt was made shorter after an endpoint said that it is too long; done once."""
        if asking.tightened or asking.tighter is None:
            return False
        asking.tightened = True
        estimated = count_prompt(asking.messages, asking.tools)
        budget = int(estimated * 0.6)
        if overflow.limit:
            # Both counts are put to the same scale: the endpoint's tokenizer and the estimate differ.
            scale = estimated / overflow.asked if overflow.asked else 1.0
            room = overflow.limit - min(endpoint.reserve_tokens, overflow.limit // 4)
            budget = min(int(room * scale * 0.95), int(estimated * 0.9))
        return asking.tighten(budget, "the endpoint says that the prompt is too long")


def _backoff(tries: int) -> float:
    """Exponential with jitter, so that many desks do not come back at the same moment."""
    return float(min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2 ** (tries - 1)) * random.uniform(0.5, 1.0))


def _after(asking: Asking, error: ProviderError) -> ProviderError:
    """The error with the number of tries in its sentence, and what they took."""
    told = type(error)(f"{error} ({asking.tries} tries)") if asking.tries > 1 else error
    told.wasted_tokens, told.cost_yuan = asking.wasted_tokens, asking.cost_yuan
    return told
