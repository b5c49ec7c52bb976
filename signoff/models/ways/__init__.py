"""Ways to tool calls, by what an endpoint can do: native function calling, a schema, JSON mode, or text.

Each encodes a conversation and its tools as a request and decodes the answer into the same neutral message: the graph
cannot tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from signoff.models.profile import Capabilities
from signoff.models.ways.json_mode import JsonMode
from signoff.models.ways.native import Native
from signoff.models.ways.react import ReAct
from signoff.models.ways.request import Choice, Curtain, Decoded, Request, Way
from signoff.models.ways.schema import Schema


def way_of(
    can: Capabilities, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]], choice: Choice = "auto"
) -> Way:
    """The best way that the endpoint has, for one call."""
    match can.way:
        case "native":
            return Native(messages, tools, can, choice)
        case "schema":
            return Schema(messages, tools, can, choice)
        case "json":
            return JsonMode(messages, tools, can, choice)
        case "text":
            return ReAct(messages, tools, can, choice)


__all__ = ["Choice", "Curtain", "Decoded", "Request", "Way", "way_of"]
