"""One model at one endpoint: its profile, its lazily made chat model, its breaker, and one try."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator
from contextlib import closing
from queue import Empty
from threading import Event, Lock
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call_chunk

from signoff.errors import ConfigError, ProviderRejected, ProviderUnavailable, SignoffError
from signoff.models import failures, provider, wording
from signoff.models.breaker import Breaker, breaker_of
from signoff.models.continuation import EXTRAS, FIELDS, SIGNATURES, Source
from signoff.models.deltas import Deltas
from signoff.models.failures import Failure
from signoff.models.profile import Capabilities, ModelProfile
from signoff.models.stream import END, Stream
from signoff.models.ways import Choice, Request, Way, transcript, way_of
from signoff.models.ways.native import Native
from signoff.models.wording import DEFAULT, Names
from signoff.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

Taken = Callable[[str, Deltas], None]

_NEAR_S = 0.01
"""Seconds by which a wait may end before its time."""
_READ = ("reasoning", "reasoning_content", FIELDS, EXTRAS, SIGNATURES)
"""What is read of the further fields of an answer that came whole."""


class Endpoint:
    """A profile put to use; safe to share between threads. Nothing heavy is imported before the first try."""

    def __init__(
        self,
        profile: ModelProfile,
        settings: Settings,
        *,
        model: BaseChatModel | None = None,
        capabilities: Capabilities | None = None,
    ) -> None:
        """`model` stands in for the profile's own; `capabilities` are what a probe found, where the operator has
        stated none."""
        self.profile = profile
        self.settings = settings
        self.can = provider.narrowed(profile, profile.can or capabilities or Capabilities())
        self.names = Names.of(profile)
        self._model = model
        # A model that was handed in is its caller's affair: its failures say nothing of an address.
        self.breaker = Breaker() if model is not None else self._shared_breaker()
        self._lock = Lock()
        self._whole = not self.can.streaming

    @property
    def name(self) -> str:
        """The model as it is named, such as `rehearsal` or `openai:gpt-4o`."""
        return "rehearsal" if self.local else self.profile.model

    @property
    def label(self) -> str:
        """The model as people are shown it."""
        if self.local:
            return "rehearsal (deterministic, not an LLM)"
        called = "" if self.profile.name == DEFAULT else f" ({self.profile.name})"
        return f"{self.name} at {wording.address(self.profile.base_url)}{called}"

    @property
    def local(self) -> bool:
        """Whether it is the rehearsal model, which runs in this process."""
        if self._model is not None:
            return self._model._llm_type == "rehearsal"
        return self.profile.provider == "rehearsal"

    @property
    def timeout_s(self) -> float:
        """Seconds of silence after which a try is given up."""
        return self.profile.timeout_s or self.settings.model_timeout_s

    @property
    def retries(self) -> int:
        """Further tries of a call."""
        return self.settings.model_retries if self.profile.retries is None else self.profile.retries

    @property
    def reserve_tokens(self) -> int:
        """Tokens of the context kept for the answer."""
        return min(self.profile.output_tokens or 2_048, self.profile.context_tokens // 4)

    def check(self) -> None:
        """Raises `ConfigError` when address, key or package are missing; makes no connection."""
        if self._model is None:
            provider.check(self.profile, self.settings)

    def way(self, messages: list[BaseMessage], tools: list[dict[str, Any]], choice: Choice) -> Way:
        """The way to tool calls for one call."""
        if self.profile.provider == "anthropic" and not tools and any(isinstance(m, ToolMessage) for m in messages):
            # Anthropic's API takes calls and results in a conversation only beside the tools themselves.
            messages = transcript.told(messages, transcript.plainly, system=self.can.system)
        if self.local:
            # It calls tools natively and quotes what it was given: nothing in its text is ever a call.
            return Native(messages, tools, Capabilities(), choice, mend=False)
        return way_of(self.can, messages, tools, choice)

    def ask(self, request: Request, end: float, patience_s: float, taken: Taken, stop: Event | None = None) -> Deltas:
        """One try: the answer put together, `taken` is given each piece's text and all so far before the next
        is awaited.

        Raises `Failure` when it does not come whole, by `end` (monotonic) or without `patience_s` of silence, and
        `Cancelled` when `stop` is set.
        """
        source = None if self.local else Source.of(self.profile)
        names = frozenset(str(t.get("function", t).get("name") or "") for t in request.tools)
        deltas = Deltas(summed=self.profile.provider in ("anthropic", "google"), source=source, names=names)
        with closing(self._watched(request, end, patience_s, stop)) as chunks:
            for chunk in chunks:
                taken(deltas.add(chunk), deltas)
        self._check(deltas)
        return deltas

    def _check(self, deltas: Deltas) -> None:
        reason = deltas.finish_reason
        if reason == "content_filter":
            what = "stopped at its content filter: put the question in other words"
            raise failures.rejected(self.names, what, "content")
        if reason == "error":
            raise failures.broken(self.names, "broke its answer off with an error")
        if not reason:
            raise failures.broken(self.names, "ended its stream before the answer was complete")
        if deltas.empty and reason != "length":
            raise failures.broken(self.names, "sent an answer with neither text nor a tool call")

    def _chunks(self, request: Request) -> Generator[AIMessageChunk, None, None]:
        model = self._made()
        if self._whole:
            whole = model.model_copy(update={"disable_streaming": True})
            runnable, messages = provider.bound(whole, request, self.profile)
            said = runnable.invoke(messages)
            yield _as_chunk(said)
            return
        runnable, messages = provider.bound(model, request, self.profile)
        for chunk in runnable.stream(messages):
            # A LangChain model that cannot stream gives the whole message instead.
            yield chunk if isinstance(chunk, AIMessageChunk) else _as_chunk(chunk)

    def _made(self) -> BaseChatModel:
        with self._lock:
            if self._model is None:
                self._model = provider.make(self.profile, self.settings, self.can)
            return self._model

    def _watched(
        self, request: Request, end: float, patience_s: float, stop: Event | None
    ) -> Generator[AIMessageChunk, None, None]:
        """The pieces as they come, each awaited as long as the profile and the call's time allow."""
        if self.local:
            try:
                yield from self._chunks(request)
            except Exception as error:
                sentence = (
                    "The rehearsal model could not read this: put the request in other words, or set SIGNOFF_MODEL."
                )
                raise Failure(ProviderUnavailable(sentence), "request") from error
            return
        # What must be imported first takes seconds on a busy machine, and is no silence of the endpoint's.
        try:
            self._made()
        except ConfigError as error:
            raise Failure(ProviderRejected(str(error)), "config") from None
        last, came = time.monotonic(), False
        if last >= end:
            raise failures.no_time()
        with closing(Stream(lambda: self._chunks(request))) as stream:
            while True:
                try:
                    piece = stream.next(patience_s, end, stop)
                except Empty:
                    raise self._silence(time.monotonic() - last, end, came) from None
                if piece is END:
                    return
                if isinstance(piece, ConfigError):
                    # A request that the profile's options forbid.
                    raise Failure(ProviderRejected(str(piece)), "config") from None
                if isinstance(piece, SignoffError):
                    raise piece
                if isinstance(piece, Exception):
                    raise self._failure(piece) from None
                came = True
                yield piece
                last = time.monotonic()

    def _silence(self, seconds: float, end: float, came: bool) -> Failure:
        """Why no further piece was waited for: nothing came for so long, or the time of the call is over."""
        if seconds < self.timeout_s - _NEAR_S and time.monotonic() >= end - _NEAR_S:
            return failures.out_of_time(self.names, seconds, came)
        return failures.timed_out(self.names, seconds)

    def _key(self) -> str | None:
        try:
            return provider.key_of(self.profile, self.settings)
        except ConfigError:
            return None

    def _shared_breaker(self) -> Breaker:
        return breaker_of(self.profile.base_url or self.profile.provider, self.profile.model, self._key())

    def _failure(self, error: Exception) -> Failure:
        if "NotStreamed" in (type(error).__name__, type(error.__cause__).__name__):
            # It answers whole whatever it is asked: from now on it is asked for that.
            self._whole = True
            return failures.broken(self.names, "sent a whole answer where a stream was asked for")
        failure = failures.classify(error, self.names, self.timeout_s, self._key())
        if failure.kind == "broken":
            self._whole = not self.can.streaming
        return failure


def _as_chunk(said: AIMessage) -> AIMessageChunk:
    """A whole answer as the one piece of a stream."""
    given = [(c["name"], json.dumps(c["args"], ensure_ascii=False), c["id"]) for c in said.tool_calls]
    raw = [(c["name"], c["args"], c["id"]) for c in said.invalid_tool_calls]
    calls = [tool_call_chunk(name=n, args=a, id=i, index=at) for at, (n, a, i) in enumerate([*given, *raw])]
    metadata = said.response_metadata
    if not metadata.get("finish_reason") and not metadata.get("stop_reason"):
        # What came whole has its end, and some servers say no more of it than that.
        metadata = {**metadata, "finish_reason": "tool_calls" if calls else "stop"}
    return AIMessageChunk(
        content=said.content,
        additional_kwargs={k: v for k, v in said.additional_kwargs.items() if k in _READ},
        tool_call_chunks=calls,
        usage_metadata=said.usage_metadata,
        response_metadata={k: v for k, v in metadata.items() if isinstance(v, str)},
    )


__all__ = ["Endpoint"]
