"""Embeddings of an OpenAI-compatible endpoint, with one retry layer and errors that name the setting to look at."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any

from langchain_core.embeddings import Embeddings

from signoff import workers
from signoff.embedding.address import Address
from signoff.embedding.failures import Failure, Unreadable, classify

_NO_KEY = "not-needed"
_BATCH = 64
_SHORTEST = 200
"""Characters below which a text that is refused as too long is not cut further."""
# What the models' cards ask to be put before a question and a document; an endpoint adds nothing of itself.
_PREFIXES = (
    (re.compile(r"\be5-(?!mistral)(?!.*instruct)", re.IGNORECASE), "query: ", "passage: "),
    (re.compile(r"\bnomic-embed", re.IGNORECASE), "search_query: ", "search_document: "),
)


@dataclass(frozen=True)
class Patience:
    """How long one call may be tried anew."""

    tries: int
    wait_s: float
    """The longest single wait; a provider that asks for a longer one is given up."""
    brief: bool
    """Whether no try is made once the time for one request has passed."""


INGEST, QUESTION = Patience(5, 60.0, False), Patience(2, 2.0, True)
"""Documents can wait for a rate limit; a person who asks cannot, and a search goes on by words alone."""


class EndpointEmbeddings(Embeddings):
    """LangChain's `OpenAIEmbeddings`, with what it leaves out: answers are put in the order of their `index` and
    counted, a text that is too long for the model is cut, and a server that trickles is given up in time.

    Safe to share between threads. Raises `ProviderUnavailable` or `ProviderRejected`.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._client = _client(address)
        self._before: tuple[str, str] = next(
            ((asked, told) for pattern, asked, told in _PREFIXES if pattern.search(address.model)), ("", "")
        )

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """See LangChain; in requests of at most 64 texts."""
        return self._all([self._before[1] + t for t in texts], INGEST)

    def embed_query(self, text: str) -> list[float]:
        """See LangChain."""
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: list[str]) -> list[list[float]]:
        """Several queries at once."""
        return self._all([self._before[0] + t for t in texts], QUESTION)

    def _all(self, texts: list[str], patience: Patience) -> list[list[float]]:
        found: list[list[float]] = []
        for start in range(0, len(texts), _BATCH):
            found += self._fitting(texts[start : start + _BATCH], patience)
        return found

    def _fitting(self, texts: list[str], patience: Patience) -> list[list[float]]:
        """One request; when it is too long, smaller ones, and at last shorter texts."""
        try:
            return self._patiently(texts, patience)
        except Failure as failure:
            if len(texts) > 1:
                middle = len(texts) // 2
                return self._fitting(texts[:middle], patience) + self._fitting(texts[middle:], patience)
            if len(texts[0]) // 2 < _SHORTEST:
                raise failure.told from failure
            return self._fitting([texts[0][: len(texts[0]) // 2]], patience)

    def _patiently(self, texts: list[str], patience: Patience) -> list[list[float]]:
        """Raises `Failure` when the request is too long, else what is told."""
        tries, started = 0, monotonic()
        while True:
            tries += 1
            try:
                return self._in_time(lambda: self._client.embed_documents(texts))
            except Exception as error:
                failure = classify(error, self._address)
                if failure.too_long:
                    raise failure from error
                wait_s = failure.wait_s if failure.wait_s is not None else min(0.5 * 2 ** (tries - 1), 8.0)
                late = patience.brief and monotonic() + wait_s - started >= self._address.timeout_s
                if not failure.retry or late or tries >= patience.tries or wait_s > patience.wait_s:
                    raise failure.told from error
            sleep(wait_s)

    def _in_time(self, call: Callable[[], list[list[float]]]) -> list[list[float]]:
        """The call's result, waited for in all as long as the setting says: the HTTP client's time-outs start anew
        with each byte."""
        outcome: SimpleQueue[list[list[float]] | Exception] = SimpleQueue()

        def work() -> None:
            try:
                outcome.put(call())
            except Exception as error:
                outcome.put(error)

        workers.start(work)
        try:
            result = outcome.get(timeout=self._address.timeout_s + 0.5)
        except Empty:
            raise TimeoutError from None
        if isinstance(result, Exception):
            raise result
        return result


class _Ordered:
    """The SDK's embeddings, each answer with one vector a text and in the texts' order.

    OpenAI's API reference says that each entry has the `index` of its input; nothing says that they come sorted.
    """

    def __init__(self, sdk: Any) -> None:
        self._sdk = sdk

    def create(self, *, input: Sequence[str], **options: Any) -> dict[str, Any]:
        """As the SDK's, as a dict."""
        answer = self._sdk.create(input=input, **options).model_dump(warnings=False)
        entries = answer["data"]
        if len(entries) != len(input):
            raise Unreadable(f"sent {len(entries)} vectors for {len(input)} texts")
        places = [entry.get("index") for entry in entries]
        if sorted(p for p in places if isinstance(p, int)) == list(range(len(input))):
            entries = sorted(entries, key=lambda entry: int(entry["index"]))
        elif any(p is not None for p in places) and len(input) > 1:
            raise Unreadable("sent vectors whose index is not that of the texts")
        return {**answer, "data": entries}


def _client(address: Address) -> Embeddings:
    import openai
    from langchain_openai import OpenAIEmbeddings
    from pydantic import SecretStr

    key = address.key or _NO_KEY
    timeout = openai.Timeout(address.timeout_s, connect=min(10.0, address.timeout_s))
    sdk = openai.OpenAI(api_key=key, base_url=address.base_url, timeout=timeout, max_retries=0)
    if not address.openai:
        # The SDK takes them from the environment, where they were set for OpenAI.
        sdk.organization = sdk.project = None
    return OpenAIEmbeddings(
        model=address.model,
        client=_Ordered(sdk.embeddings),
        # The client above is the one that is used; LangChain makes one for its async methods from these.
        base_url=address.base_url,
        api_key=SecretStr(key),
        timeout=timeout,
        max_retries=0,
        chunk_size=_BATCH,
        check_embedding_ctx_length=False,
        model_kwargs={"encoding_format": "float"},
    )
