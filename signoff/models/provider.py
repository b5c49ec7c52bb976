"""The model that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from signoff.errors import ConfigError
from signoff.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_OPENAI = "https://api.openai.com/v1"
_NO_KEY = "not-needed"


def chat_model(settings: Settings) -> BaseChatModel:
    """The chat model of `settings.model`: the rehearsal model, or an OpenAI-compatible endpoint's.

    The SDK's own retries are off: `ModelGateway` is the only retry layer. Raises `ConfigError` when the
    endpoint's address or key cannot be used.
    """
    # Both are imported when they are needed: langchain-openai alone takes longer than all of the CLI's help.
    provider, _, name = settings.model.partition(":")
    if provider == "rehearsal":
        from signoff.models.rehearsal import RehearsalModel

        return RehearsalModel()
    return _openai(name, settings)


def _openai(name: str, settings: Settings) -> BaseChatModel:
    base_url = _checked(settings.model_base_url) if settings.model_base_url else _OPENAI
    key = settings.api_key()
    if not key and base_url == _OPENAI:
        raise ConfigError(
            f"{settings.model} needs a key: set SIGNOFF_MODEL_API_KEY, or SIGNOFF_MODEL_BASE_URL for another endpoint."
        )
    if key and not all("!" <= c <= "~" for c in key):
        raise ConfigError("SIGNOFF_MODEL_API_KEY holds a space, a line break or a character no key has: set it anew.")
    import openai
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    return ChatOpenAI(
        model=name,
        base_url=base_url,
        api_key=SecretStr(key or _NO_KEY),
        timeout=openai.Timeout(settings.model_timeout_s, connect=min(10.0, settings.model_timeout_s)),
        max_retries=0,
        streaming=True,
        stream_usage=True,
        use_responses_api=False,
    )


def _checked(base_url: str) -> str:
    try:
        url = urlsplit(base_url.strip())
        host, _ = url.hostname, url.port
    except ValueError:
        host, url = None, urlsplit("")
    if url.scheme not in ("http", "https") or not host:
        raise ConfigError(
            "SIGNOFF_MODEL_BASE_URL is not an address: write it like http://localhost:8000/v1, with the scheme."
        )
    return base_url.strip()
