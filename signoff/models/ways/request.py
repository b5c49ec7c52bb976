"""What an endpoint is asked, whatever way tool calls are got out of it, and what its answer comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from langchain_core.messages import AIMessage, BaseMessage

Choice = Literal["auto", "none", "required"]
"""Whether the model may, must not, or must call a tool."""


@dataclass(frozen=True)
class Request:
    """One request to an endpoint, as its provider's module then words it."""

    messages: list[BaseMessage]
    tools: list[dict[str, Any]] = field(default_factory=list)
    """Sent as `tools`, OpenAI entries."""
    choice: Choice = "auto"
    """Sent as `tool_choice` where it is not `auto`, the default everywhere."""
    parallel: bool = True
    """Whether several calls may be in one message; `parallel_tool_calls: false` is sent when not."""
    schema: Mapping[str, Any] | None = None
    """Sent as `response_format` of type `json_schema`."""
    json: bool = False
    """Sent as `response_format` of type `json_object`."""
    stop: tuple[str, ...] = ()
    """Texts that end the answer."""
    output_tokens: int | None = None
    """The most tokens of this answer; as the profile says when unset."""
    stage: str = ""
    """What the answer is, to the way that asked: each way has its own words for it."""


@dataclass(frozen=True)
class Decoded:
    """An answer as the graph is given it."""

    message: AIMessage
    """Text, `tool_calls`, `invalid_tool_calls`; reasoning in `additional_kwargs["reasoning"]`."""
    repairs: tuple[str, ...] = ()
    """What was mended in it, short names."""
    warnings: tuple[str, ...] = ()


class Curtain(Protocol):
    """Decides what of an answer's text may be shown while it is still coming."""

    def add(self, piece: str) -> str:
        """Takes a piece in and returns what may be shown now."""
        ...


class Way(Protocol):
    """One way of getting tool calls out of a model, for one call. Each yields the same neutral message."""

    def encode(self) -> Request:
        """The first request."""
        ...

    def decode(self, answer: AIMessage, asked: Request, *, cut: bool) -> Decoded | Request:
        """What an answer comes to: a message, or a further request. `cut` says that it ended at the output limit."""
        ...

    def curtain(self, asked: Request) -> Curtain:
        """What may be shown of the answer to a request."""
        ...

    def arguments(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        """A structured call's arguments as the tool is given them."""
        ...
