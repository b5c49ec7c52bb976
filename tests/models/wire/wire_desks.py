"""The wire formats there are, and profiles of endpoints that speak them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anthropic_wire import Anthropic
from gemini_wire import Gemini
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from openai_chat_wire import OpenAIChat, ReasoningChat, StrictThinkingChat, ThinkingChat
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
THINKING: dict[str, tuple[type[Any], str, dict[str, Any]]] = {
    "openai-thinking": (ThinkingChat, "openai:kimi-test", {}),
    "openai-thinking-always": (StrictThinkingChat, "openai:deepseek-test", {"return_reasoning": True}),
    "openai-reasoning": (ReasoningChat, "openai:qwen-test", {}),
    "responses-thinking": (OpenAIResponses, "openai:gpt-5-test", {"use_responses_api": True}),
    "anthropic-thinking": (
        Anthropic,
        "anthropic:claude-test",
        {"thinking": {"type": "enabled", "budget_tokens": 1_024}},
    ),
    "anthropic-adaptive": (Anthropic, "anthropic:claude-test", {"thinking": {"type": "adaptive"}}),
    "gemini-thinking": (Gemini, "google:gemini-3-pro-preview", {}),
    "gemini-thoughts": (
        Gemini,
        "google:gemini-3-pro-preview",
        {"thinking_level": "high", "include_thoughts": True},
    ),
}
"""Formats whose model thinks and wants that back, with the options of their profiles."""
EXTRAS = {
    f: "langchain_anthropic" if f.startswith("anthropic") else "langchain_google_genai"
    for f in (*FORMATS, *THINKING)
    if f.startswith(("anthropic", "gemini"))
}
"""The client of a format, where it is an extra."""


def profile_of(format: str, server: WireServer, **fields: Any) -> ModelProfile:
    """The profile of a server's endpoint."""
    options = (
        THINKING[format][2] if format in THINKING else {"use_responses_api": True} if format == "responses" else {}
    )
    values = {
        "name": "wire",
        "model": (THINKING.get(format) or FORMATS[format])[1],
        "base_url": f"{server.address}{server.wire.prefix}",
        "key_env": "WIRE_TEST_KEY",
        "options": options,
        **fields,
    }
    return ModelProfile.model_validate(values)
