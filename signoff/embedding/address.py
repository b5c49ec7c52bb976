"""Where embeddings are asked for, and with which key."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from signoff.errors import ConfigError

if TYPE_CHECKING:
    from signoff.settings import Settings

OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True)
class Address:
    """An endpoint and what it is told."""

    model: str
    base_url: str = field(repr=False)
    timeout_s: float
    key: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, settings: Settings) -> Address:
        """Read the settings: without an address of its own, embeddings are asked of the model's endpoint.

        A key is sent only to the address it was given for. Raises `ConfigError`.
        """
        models = (settings.model_base_url or OPENAI).strip()
        base_url = _checked((settings.embeddings_base_url or models).strip())
        key = None
        if settings.embeddings_api_key:
            key = settings.embeddings_api_key.get_secret_value()
        elif base_url == models:
            key = settings.api_key()
        elif base_url.rstrip("/") == OPENAI:
            key = os.environ.get("OPENAI_API_KEY")
        if not key and base_url.rstrip("/") == OPENAI:
            raise ConfigError(
                f"{settings.embeddings} needs a key: set SIGNOFF_EMBEDDINGS_API_KEY, or "
                "SIGNOFF_EMBEDDINGS_BASE_URL for another endpoint."
            )
        if key and not all("!" <= c <= "~" for c in key):
            raise ConfigError(
                "SIGNOFF_EMBEDDINGS_API_KEY holds a space, a line break or a character no key has: set it anew."
            )
        name = settings.embeddings.partition(":")[2].strip()
        return cls(name, base_url, settings.embeddings_timeout_s, key or None)

    @property
    def openai(self) -> bool:
        """Whether it is OpenAI's own."""
        return self.base_url.rstrip("/") == OPENAI

    def __str__(self) -> str:
        """As it may be shown: without user, password and query."""
        url = urlsplit(self.base_url)
        return f"{self.model} at {url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"


def _checked(base_url: str) -> str:
    try:
        url = urlsplit(base_url)
        host, _ = url.hostname, url.port
    except ValueError:
        host, url = None, urlsplit("")
    if url.scheme not in ("http", "https") or not host:
        raise ConfigError(
            "SIGNOFF_EMBEDDINGS_BASE_URL is not an address: write it like http://localhost:8000/v1, with the scheme."
        )
    return base_url
