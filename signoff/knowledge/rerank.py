"""A cross-encoder behind an HTTP endpoint that reads the question and each passage together."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx

from signoff.errors import ConfigError

if TYPE_CHECKING:
    from signoff.settings import Settings

DOCUMENT_CHARS = 2_000
"""Characters of a passage that are sent: more than the usual cross-encoder reads."""
MAX_ANSWER_BYTES = 1_000_000
LEAST_S = 0.05
"""Seconds below which an endpoint is not asked any more."""


class Unranked(Exception):
    """The endpoint gave no ranking; the message is one sentence without a secret."""


@dataclass(frozen=True)
class Reranker:
    """An endpoint in the form of Jina's and Cohere's `/rerank`.

    It is sent `model`, `query`, `documents`, `top_n` and `return_documents`, and answers with `results`, each with
    an `index` and a `relevance_score`. Sources: the API references of Jina AI (POST /v1/rerank) and Cohere (POST
    /v1/rerank and /v2/rerank).
    """

    url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    timeout_s: float = 3.0

    def scores(
        self, question: str, documents: Sequence[str], warnings: list[str], *, left_s: float | None = None
    ) -> dict[int, float]:
        """Relevance by place in `documents`; those the endpoint left out are missing.

        Never raises: what goes wrong adds a sentence to `warnings`, and nothing is ranked. `left_s` are the seconds
        that are left for the whole search.
        """
        timeout_s = self.timeout_s if left_s is None else min(self.timeout_s, left_s)
        try:
            if timeout_s < LEAST_S:
                raise Unranked("no time was left for it")
            return _read(self._ask(question, documents, timeout_s), len(documents))
        except Unranked as why:
            warnings.append(f"The order is without the reranker: {why}.")
        except Exception as error:
            # What a library says may hold the address with a key, or the documents.
            warnings.append(f"The order is without the reranker: asking it failed ({type(error).__name__}).")
        return {}

    def _ask(self, question: str, documents: Sequence[str], timeout_s: float) -> Any:
        body = {
            "model": self.model,
            "query": _sendable(question),
            "documents": [_sendable(d[:DOCUMENT_CHARS]) for d in documents],
            "top_n": len(documents),
            "return_documents": False,
        }
        # The limit is for the whole exchange, not for each piece of the answer.
        until = time.monotonic() + timeout_s
        headers = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        try:
            with (
                httpx.Client(timeout=timeout_s, follow_redirects=False) as client,
                client.stream("POST", self.url, json=body, headers=headers) as response,
            ):
                if response.status_code != 200:
                    raise Unranked(_refusal(response.status_code))
                return json.loads(_content(response, until, timeout_s))
        except httpx.TimeoutException:
            raise Unranked(f"it did not answer within {timeout_s:g} s") from None
        except httpx.TransportError:
            raise Unranked("it cannot be reached; check SIGNOFF_RERANK_URL") from None
        except (ValueError, RecursionError):
            raise Unranked("its answer is not JSON") from None


def reranker_of(settings: Settings) -> Reranker | None:
    """The reranker of the settings; None when no URL is set. Raises `ConfigError` when the URL cannot be used."""
    if not settings.rerank_url:
        return None
    try:
        url = httpx.URL(settings.rerank_url.strip())
        usable = url.scheme in ("http", "https") and bool(url.host) and not url.userinfo
    except (httpx.InvalidURL, ValueError):
        usable = False
    key = settings.rerank_api_key.get_secret_value().strip() if settings.rerank_api_key else None
    if not usable:
        raise ConfigError(
            "SIGNOFF_RERANK_URL is not a URL that can be asked: write one such as https://api.jina.ai/v1/rerank, and "
            "a key into SIGNOFF_RERANK_API_KEY."
        )
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise ConfigError("SIGNOFF_RERANK_API_KEY holds characters that no key has: check that it was copied whole.")
    return Reranker(str(url), settings.rerank_model, key or None, settings.rerank_timeout_s)


def _content(response: httpx.Response, until: float, timeout_s: float) -> bytes:
    content = b""
    for piece in response.iter_bytes():
        content += piece
        if len(content) > MAX_ANSWER_BYTES:
            raise Unranked("its answer is too long")
        if time.monotonic() > until:
            raise Unranked(f"it did not answer within {timeout_s:g} s")
    return content


def _read(answer: Any, count: int) -> dict[int, float]:
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list):
        raise Unranked("its answer has no list of results; check SIGNOFF_RERANK_URL")
    scores: dict[int, float] = {}
    for result in results:
        if not isinstance(result, dict):
            continue
        index = result.get("index")
        score = result.get("relevance_score", result.get("score"))
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
            continue
        if isinstance(score, int | float) and not isinstance(score, bool) and math.isfinite(score):
            # What comes twice counts by the first.
            scores.setdefault(index, float(score))
    if not scores:
        raise Unranked("its answer ranks none of the passages")
    return scores


def _refusal(status: int) -> str:
    match status:
        case 401 | 403:
            return f"it refused the key (HTTP {status}); check SIGNOFF_RERANK_API_KEY"
        case 404 | 405:
            return f"there is none at the address (HTTP {status}); check SIGNOFF_RERANK_URL"
        case 400 | 422:
            return f"it refused the request (HTTP {status}); check SIGNOFF_RERANK_MODEL"
        case 429:
            return "it takes no more requests for now (HTTP 429)"
    return f"it answered with HTTP {status}"


def _sendable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
