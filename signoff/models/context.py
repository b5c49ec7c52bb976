"""The context length that an OpenAI-compatible endpoint tells, where it tells one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx

from signoff.models.profile import ModelProfile
from signoff.models.provider import OPENAI, key_of
from signoff.settings import Settings

_WAIT_S = 5.0
_MOST_BYTES = 4_000_000
_FIELDS = ("max_model_len", "context_length", "context_window", "max_context_length", "max_input_tokens")
"""In a model's entry of `/v1/models`: vLLM; OpenRouter, Together and Moonshot; Groq; Mistral; others."""


def told_context(profile: ModelProfile, settings: Settings) -> int | None:
    """Tokens of context, from `/v1/models`, or from llama.cpp's `/props`, which knows what its server was started
    with. None when neither says; never raises for what an endpoint does."""
    base = (profile.base_url or OPENAI).strip().rstrip("/")
    if (props := _get(f"{base.removesuffix('/v1')}/props", profile, settings)) is not None:
        started = props.get("default_generation_settings")
        if isinstance(started, dict) and (tokens := _tokens(started.get("n_ctx"))):
            return tokens
    listed = _get(f"{base}/models", profile, settings) or {}
    for entry in _entries(listed):
        if entry.get("id") == profile.model_id:
            return next((n for f in _FIELDS if (n := _tokens(entry.get(f)))), None)
    return None


def _entries(listed: dict[str, Any]) -> Iterator[dict[str, Any]]:
    data = listed.get("data")
    if isinstance(data, list):
        yield from (e for e in data if isinstance(e, dict))


def _tokens(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 512 else None


def _get(url: str, profile: ModelProfile, settings: Settings) -> dict[str, Any] | None:
    key = key_of(profile, settings)
    try:
        headers = {"authorization": f"Bearer {key}"} if key else {}
        with (
            httpx.Client(timeout=_WAIT_S) as client,
            client.stream("GET", url, headers=headers) as response,
        ):
            if not response.is_success:
                return None
            body = b""
            for piece in response.iter_bytes():
                body += piece
                if len(body) > _MOST_BYTES:
                    return None
            content = json.loads(body)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        return None
    return content if isinstance(content, dict) else None
