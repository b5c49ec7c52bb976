"""What went wrong at the provider, as one sentence, and whether trying again can help."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from signoff.errors import ProviderError, ProviderRejected, ProviderUnavailable
from signoff.settings import Settings

_RETRIED = frozenset({408, 409, 425, 429})
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class Failure(Exception):
    """One try that failed. `error` is what the caller is told when no further try is made."""

    def __init__(self, error: ProviderError, *, retry: bool = False, wait_s: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.retry = retry
        self.wait_s = wait_s
        """Seconds the provider asks to wait (`Retry-After`), if it does."""


def endpoint(settings: Settings) -> str:
    """The endpoint as it may be shown: without user, password and query."""
    if not settings.model_base_url:
        return "the provider's own endpoint"
    url = urlsplit(settings.model_base_url)
    return f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"


def timed_out(settings: Settings, seconds: float) -> Failure:
    """Nothing came for so long."""
    return _unavailable(
        f"{_subject(settings)} sent nothing for {seconds:.3g} s: check that it is up, or raise SIGNOFF_MODEL_TIMEOUT_S."
    )


def broken(settings: Settings, what: str) -> Failure:
    """The stream did not hold a whole answer."""
    return _unavailable(
        f"{_subject(settings)} {what}: check that SIGNOFF_MODEL_BASE_URL is an OpenAI-compatible endpoint "
        "that streams, then ask again."
    )


def rejected(settings: Settings, what: str) -> Failure:
    """The provider answered, and no further try will change it."""
    return Failure(ProviderRejected(f"{_subject(settings)} {what}."))


def classify(error: Exception, settings: Settings) -> Failure:
    """Read an exception raised while a model was called. Nothing of its text is passed on."""
    status = getattr(error, "status_code", None)
    kinds = {kind.__name__ for kind in type(error).__mro__}
    code = _code_of(error)
    if isinstance(status, int):
        return _of_status(status, code, error, settings)
    if kinds & {"APITimeoutError", "TimeoutException", "TimeoutError"}:
        return timed_out(settings, settings.model_timeout_s)
    if kinds & {"APIConnectionError", "TransportError", "ConnectionError"}:
        return _unavailable(
            f"{_subject(settings)} cannot be reached or dropped the connection: check that it is up and that "
            "SIGNOFF_MODEL_BASE_URL is right."
        )
    if "APIError" in kinds:
        if "rate_limit" in code:
            return _of_status(429, code, error, settings)
        if any(k in code for k in ("context_length", "content_filter", "invalid", "quota", "not_found")):
            return _of_status(400, code, error, settings)
        return _unavailable(f"{_subject(settings)} reported an error in the middle of its answer: ask again.")
    return broken(settings, "sent an answer that cannot be read")


def _of_status(status: int, code: str, error: Exception, settings: Settings) -> Failure:
    said = f"{status}, {code}" if code else str(status)
    subject = _subject(settings)
    if "quota" in code:
        return rejected(
            settings, f"has no quota left for this key ({said}): check the account of SIGNOFF_MODEL_API_KEY"
        )
    if status == 429:
        return _unavailable(
            f"{subject} is over its rate limit ({said}): wait a little, or raise SIGNOFF_MODEL_RETRIES.",
            _retry_after(error),
        )
    if status >= 500 or status in _RETRIED:
        return _unavailable(
            f"{subject} has trouble of its own ({said}): ask again later, or name another endpoint in "
            "SIGNOFF_MODEL_BASE_URL.",
            _retry_after(error),
        )
    if status in (401, 403):
        return rejected(settings, f"refused the key ({said}): check SIGNOFF_MODEL_API_KEY")
    if status == 404:
        return rejected(settings, f"has no such model ({said}): check SIGNOFF_MODEL and SIGNOFF_MODEL_BASE_URL")
    if "content_filter" in code or "content_policy" in code:
        return rejected(settings, f"refused the content ({said}): put the question in other words")
    if status == 413 or "context" in code or "ContextOverflow" in str(type(error).__mro__):
        return rejected(
            settings,
            f"takes no prompt as long as this one ({said}): lower SIGNOFF_RESULT_CHARS or start a new thread, "
            "or name a model with a longer context in SIGNOFF_MODEL",
        )
    return rejected(
        settings, f"refused the request ({said}): check that SIGNOFF_MODEL names a model that streams and calls tools"
    )


def _unavailable(sentence: str, wait_s: float | None = None) -> Failure:
    return Failure(ProviderUnavailable(sentence), retry=True, wait_s=wait_s)


def _subject(settings: Settings) -> str:
    return f"The model {settings.model} at {endpoint(settings)}" if settings.model != "rehearsal" else "The model"


def _code_of(error: Exception) -> str:
    """The provider's error code, when it looks like one: free text may hold a key or the prompt."""
    body = getattr(error, "body", None)
    inner: Any = body.get("error", body) if isinstance(body, dict) else None
    for holder in (inner if isinstance(inner, dict) else {}, {"code": getattr(error, "code", None)}):
        for name in ("code", "type"):
            value = holder.get(name)
            if isinstance(value, str) and _CODE.fullmatch(value) and not value.lower().startswith("sk-"):
                return value
    return ""


def _retry_after(error: Exception) -> float | None:
    """Seconds from `Retry-After` (RFC 9110: seconds or a date) or OpenAI's `retry-after-ms`."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    if headers is None:
        return None
    try:
        if value := headers.get("retry-after-ms"):
            return max(0.0, float(value) / 1000)
        value = headers.get("retry-after")
        if not value:
            return None
        if re.fullmatch(r"\s*\d+(\.\d+)?\s*", value):
            return float(value)
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
