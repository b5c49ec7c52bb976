"""How an endpoint and the settings that make it are spoken of in errors."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from signoff.models.profile import ModelProfile

DEFAULT = "default"
"""The profile that the settings `SIGNOFF_MODEL…` make."""

_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GOOGLE_API_KEY"}


@dataclass(frozen=True)
class Names:
    """Words for one endpoint: each but the first names what an operator would set."""

    subject: str
    """The endpoint as the beginning of a sentence."""
    model: str
    base_url: str
    key: str
    timeout: str
    retries: str
    context: str
    output: str
    endpoint_kind: str
    """What the address should be."""

    @classmethod
    def of(cls, profile: ModelProfile) -> Names:
        """The names for a profile: variables of the settings, or fields of its table in models.toml."""
        kind = {"anthropic": "Anthropic's or one like it", "google": "Gemini's or one like it"}.get(
            profile.provider, "an OpenAI-compatible endpoint that streams"
        )
        subject = "The model"
        if profile.provider != "rehearsal":
            subject = f"The model {profile.model} at {address(profile.base_url)}"
        if profile.name == DEFAULT:
            return cls(
                subject, "SIGNOFF_MODEL", "SIGNOFF_MODEL_BASE_URL", "SIGNOFF_MODEL_API_KEY",
                "SIGNOFF_MODEL_TIMEOUT_S", "SIGNOFF_MODEL_RETRIES", "context_tokens of a profile in models.toml",
                "output_tokens of a profile in models.toml", kind,
            )  # fmt: skip
        table = f"of [models.{profile.name}] in models.toml"
        return cls(
            subject, f"model {table}", f"base_url {table}", profile.key_env or own_key(profile) or f"key_env {table}",
            f"timeout_s {table}", f"retries {table}", f"context_tokens {table}", f"output_tokens {table}", kind,
        )  # fmt: skip


def address(base_url: str | None) -> str:
    """An endpoint as it may be shown: without user, password and query."""
    if not base_url:
        return "the provider's own endpoint"
    try:
        url = urlsplit(base_url)
    except ValueError:
        return "an address that cannot be read"
    return f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"


def own_key(profile: ModelProfile) -> str | None:
    """The variable that holds the key of the provider's own endpoint; no other endpoint is ever sent it."""
    return None if profile.base_url else _KEYS.get(profile.provider)
