"""Every model call passes here: streamed, put together, tried again, and ended with a message or a sentence."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from signoff import workers
from signoff.errors import ProviderError, ProviderUnavailable, SignoffError
from signoff.models import failures
from signoff.models.deltas import Deltas
from signoff.models.failures import Failure
from signoff.models.usage import counted
from signoff.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 8.0
_END = object()


class ModelGateway:
    """Calls one chat model. The only retry layer there is; safe to share between threads."""

    recorded = False
    """Whether what it says comes from a record, with the record's own call ids."""

    def __init__(self, model: BaseChatModel, settings: Settings) -> None:
        self._model = model
        self._settings = settings
        self._local = model._llm_type == "rehearsal"

    @property
    def name(self) -> str:
        """The model as the settings name it, such as `rehearsal` or `openai:gpt-4o`."""
        return "rehearsal" if self._local else self._settings.model

    @property
    def label(self) -> str:
        """The model as people are shown it."""
        if self._local:
            return "rehearsal (deterministic, not an LLM)"
        return f"{self.name} at {failures.endpoint(self._settings)}"

    def call(
        self,
        messages: list[BaseMessage],
        tools: list[dict[str, Any]],
        *,
        deadline_s: float,
        on_text: Callable[[str], None] | None = None,
        on_call: Callable[[str, dict[str, Any]], None] | None = None,
    ) -> AIMessage:
        """One answer to a prompt, within `deadline_s` seconds over all tries.

        `tools` are OpenAI `tools` entries. `on_text` is given the text as it streams; what a further try
        repeats is not given again. `on_call` is told each tool call (name, arguments) as soon as it is whole and
        another has begun; what it is told may still be repeated, or come to nothing. The message is fresh: text,
        `tool_calls`, `invalid_tool_calls` (arguments that are no JSON object, raw), `usage_metadata`, and
        `response_metadata` with `model`, `finish_reason` and `usage` (`provider`, or `counted` when it reported
        none).

        Raises `ProviderUnavailable` when it did not answer in time or whole until the last try, and
        `ProviderRejected` when it refused.
        """
        end = time.monotonic() + deadline_s
        show = _Shown(on_text)
        tries = 0
        while True:
            if time.monotonic() >= end:
                raise ProviderUnavailable("No time was left to ask the model: raise SIGNOFF_MAX_WORK_S.")
            tries += 1
            try:
                return self._try(messages, tools, end, show, on_call)
            except Failure as failure:
                wait_s = failure.wait_s if failure.wait_s is not None else _backoff(tries)
                if not failure.retry or tries > self._settings.model_retries or time.monotonic() + wait_s >= end:
                    raise _after(tries, failure.error) from failure.__cause__
            time.sleep(wait_s)

    def _try(
        self,
        messages: list[BaseMessage],
        tools: list[dict[str, Any]],
        end: float,
        show: _Shown,
        on_call: Callable[[str, dict[str, Any]], None] | None,
    ) -> AIMessage:
        show.begin()
        deltas = Deltas()
        for chunk in self._watched(self._chunks(messages, tools), end):
            if piece := deltas.add(chunk):
                show.add(piece)
            if on_call is not None:
                for name, args in deltas.completed():
                    on_call(name, args)
        return self._checked(deltas, messages, tools)

    def _chunks(self, messages: list[BaseMessage], tools: list[dict[str, Any]]) -> Iterator[AIMessageChunk]:
        runnable = self._model.bind_tools(tools) if tools else self._model
        for chunk in runnable.stream(messages):
            if isinstance(chunk, AIMessageChunk):
                yield chunk

    def _watched(self, chunks: Iterator[AIMessageChunk], end: float) -> Iterator[AIMessageChunk]:
        """The pieces as they come, read in a thread: keep-alive comments hold a socket open for ever, and no
        time-out of the HTTP client ends that wait."""
        if self._local:
            try:
                yield from chunks
            except Exception as error:
                sentence = (
                    "The rehearsal model could not read this: put the request in other words, or set SIGNOFF_MODEL."
                )
                raise Failure(ProviderUnavailable(sentence)) from error
            return
        pieces: SimpleQueue[Any] = SimpleQueue()
        abandoned = False

        def read() -> None:
            try:
                for chunk in chunks:
                    pieces.put(chunk)
                    if abandoned:
                        return
                pieces.put(_END)
            except Exception as error:
                pieces.put(error)

        workers.start(read)
        try:
            while True:
                patience = min(self._settings.model_timeout_s, end - time.monotonic())
                try:
                    piece = pieces.get(timeout=max(0.0, patience))
                except Empty:
                    raise failures.timed_out(self._settings, patience) from None
                if piece is _END:
                    return
                if isinstance(piece, SignoffError):
                    raise piece
                if isinstance(piece, Exception):
                    raise failures.classify(piece, self._settings) from None
                yield piece
        finally:
            abandoned = True

    def _checked(self, deltas: Deltas, messages: list[BaseMessage], tools: list[dict[str, Any]]) -> AIMessage:
        reason = deltas.finish_reason
        if reason == "content_filter":
            raise failures.rejected(self._settings, "stopped at its content filter: put the question in other words")
        if not reason:
            raise failures.broken(self._settings, "ended its stream before the answer was complete")
        if deltas.empty and reason == "length":
            raise failures.rejected(
                self._settings,
                "used up its output before it wrote anything: name a model with more output tokens in SIGNOFF_MODEL",
            )
        if deltas.empty:
            raise failures.broken(self._settings, "sent an answer with neither text nor a tool call")
        message = deltas.message()
        message.usage_metadata = deltas.usage or counted(messages, tools, message)
        message.response_metadata = {
            "model": deltas.model or self.name,
            "finish_reason": reason,
            "usage": "provider" if deltas.usage else "counted",
        }
        return message


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


def _backoff(tries: int) -> float:
    """Exponential with jitter, so that many desks do not come back at the same moment."""
    return float(min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2 ** (tries - 1)) * random.uniform(0.5, 1.0))


def _after(tries: int, error: ProviderError) -> ProviderError:
    return type(error)(f"{error} ({tries} tries)") if tries > 1 else error
