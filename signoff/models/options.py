"""A profile's `options`: fields of each request that are the provider's affair, and none of the desk's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signoff.errors import ConfigError
from signoff.models import continuation
from signoff.models.profile import ModelProfile

_MODEL = "write it as model of the profile"
_PROMPT = "the desk words the prompt itself: take it out"
_TOOLS = "the desk offers its tools itself: say in `can` whether the endpoint takes them"
_CHOICE = "the desk decides which request forces a call: say in `can` whether the endpoint keeps to required and none"
_STREAM = "say streaming = false in `can` for an endpoint that cannot stream"
_USAGE = "say in `can` whether usage_in_streams"
_FORM = "the desk asks for a form where it needs one: say json_schema or json_mode in `can`"
_OUTPUT = "write it as output_tokens of the profile"
_ONE = "the desk takes one answer, and keeps the conversation itself: take it out"

_OURS = {
    "model": _MODEL, "model_name": _MODEL, "deployment": _MODEL,
    "messages": _PROMPT, "prompt": _PROMPT, "input": _PROMPT, "instructions": _PROMPT, "contents": _PROMPT,
    "system": _PROMPT, "system_instruction": _PROMPT,
    "tools": _TOOLS, "functions": _TOOLS, "tool_config": _CHOICE, "tool_choice": _CHOICE, "function_call": _CHOICE,
    "parallel_tool_calls": "say parallel_calls in `can`",
    "stream": _STREAM, "streaming": _STREAM, "disable_streaming": _STREAM, "stream_options": _USAGE,
    "stream_usage": _USAGE,
    "response_format": _FORM, "response_schema": _FORM, "response_json_schema": _FORM, "response_mime_type": _FORM,
    "max_tokens": _OUTPUT, "max_completion_tokens": _OUTPUT, "max_output_tokens": _OUTPUT,
    "max_tokens_to_sample": _OUTPUT, "max_new_tokens": _OUTPUT,
    "timeout": "write it as timeout_s of the profile", "max_retries": "write it as retries of the profile",
    "base_url": "write it as base_url of the profile",
    "n": _ONE, "candidate_count": _ONE, "previous_response_id": _ONE, "conversation": _ONE, "background": _ONE,
}  # fmt: skip
"""Fields of requests, by any provider's name, that the profile has other fields for or the desk fills in."""
_NESTED = ("extra_body", "generation_config")
"""Options that hold further fields of the request themselves."""


def refused(options: Any) -> str | None:
    """Why options cannot be what they are, as the end of a sentence that begins with the profile; None when they
    can."""
    for held, within in (("options", options), *((f"options.{n}", _of(options, n)) for n in _NESTED)):
        for name in within if isinstance(within, Mapping) else ():
            plain = name.strip().lower()
            if (why := _OURS.get(plain)) is not None:
                return f"{held}.{name} is no option: {why}."
    text = _of(options, "text")
    if isinstance(text, Mapping) and "format" in text:
        return f"options.text.format is no option: {_FORM}."
    return None


def check_options(profile: ModelProfile) -> None:
    """Raises `ConfigError` for options of a wrong type, and for those that the provider would refuse together at each
    request.

    Source: https://platform.claude.com/docs/en/build-with-claude/extended-thinking#feature-compatibility.
    """
    options, where = profile.options, f"[models.{profile.name}] in models.toml"
    if not isinstance(options.get(continuation.OPTION, True), bool):
        raise ConfigError(f"{where}: options.{continuation.OPTION} is true or false.")
    if (why := refused(options)) is not None:
        raise ConfigError(f"{where}: {why}")
    if profile.provider != "anthropic" or thinking(options) not in ("enabled", "adaptive"):
        return
    if options.get("temperature", 1) != 1 or options.get("top_k") is not None:
        raise ConfigError(f"{where}: options.thinking excludes temperature and top_k: take them out.")
    top_p = options.get("top_p", 1)
    if not isinstance(top_p, int | float) or not 0.95 <= top_p <= 1:
        raise ConfigError(f"{where}: beside options.thinking, top_p is at least 0.95: take it out.")
    if thinking(options) == "enabled":
        budget = budget_of(options)
        if not isinstance(budget, int) or budget < 1_024:
            raise ConfigError(f"{where}: options.thinking.budget_tokens is a whole number of at least 1024.")
        if profile.output_tokens is not None and profile.output_tokens <= budget:
            raise ConfigError(
                f"{where}: output_tokens holds thinking and answer, so it must be more than "
                f"options.thinking.budget_tokens, {budget}."
            )


def thinking(options: Mapping[str, Any]) -> str:
    """How a model of Anthropic's is asked to think: `enabled`, `adaptive`, `disabled`, or "" where nothing is said."""
    given = options.get("thinking")
    return str(given.get("type") or "") if isinstance(given, dict) else ""


def budget_of(options: Mapping[str, Any]) -> Any:
    """The tokens that a model of Anthropic's may think with; None where it is not made to."""
    return options["thinking"].get("budget_tokens") if thinking(options) == "enabled" else None


def _of(options: Any, name: str) -> Any:
    return options.get(name) if isinstance(options, Mapping) else None
