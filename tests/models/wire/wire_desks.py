"""The wire formats there are, and profiles of endpoints that speak them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anthropic_wire import Anthropic
from gemini_wire import Gemini
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from openai_chat_wire import OpenAIChat
from openai_responses_wire import OpenAIResponses
from wire_server import Asked, WireServer

from signoff.models.profile import ModelProfile

Brain = BaseChatModel | Callable[[Asked], AIMessage]

FORMATS: dict[str, tuple[type[Any], str]] = {
    "openai": (OpenAIChat, "openai:gpt-test"),
    "responses": (OpenAIResponses, "openai:gpt-test"),
    "anthropic": (Anthropic, "anthropic:claude-test"),
    "gemini": (Gemini, "google:gemini-2.5-flash"),
    "gemini3": (Gemini, "google:gemini-3-pro-preview"),
}
EXTRAS = {"anthropic": "langchain_anthropic", "gemini": "langchain_google_genai", "gemini3": "langchain_google_genai"}
"""The client of a format, where it is an extra."""


def profile_of(format: str, server: WireServer, **fields: Any) -> ModelProfile:
    """The profile of a server's endpoint."""
    options = {"use_responses_api": True} if format == "responses" else {}
    values = {
        "name": "wire",
        "model": FORMATS[format][1],
        "base_url": f"{server.address}{server.wire.prefix}",
        "key_env": "WIRE_TEST_KEY",
        "options": options,
        **fields,
    }
    return ModelProfile.model_validate(values)
