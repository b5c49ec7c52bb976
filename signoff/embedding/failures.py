"""What went wrong at an embedding endpoint, as one sentence, and whether another try can help."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from signoff.codes import shown_code
from signoff.embedding.address import Address
from signoff.errors import ProviderError, ProviderRejected, ProviderUnavailable

_RETRIED = frozenset({408, 409, 425, 429})
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_LENGTH = re.compile(r"context.?length|too (?:long|large|many)|tokens|max(?:imum)?.{0,20}len", re.IGNORECASE)


class Failure(Exception):
    """One try that failed. `told` is what the caller is told when no further try is made."""

    def __init__(
        self, told: ProviderError, *, retry: bool = False, wait_s: float | None = None, too_long: bool = False
    ) -> None:
        super().__init__(str(told))
        self.told = told
        self.retry = retry
        self.wait_s = wait_s
        """Seconds the provider asks to wait (`Retry-After`), if it does."""
        self.too_long = too_long
        """Whether the request held more than the model or the endpoint takes."""


class Unreadable(Exception):
    """An answer that is not what was asked for; its text completes the sentence."""


def classify(error: Exception, address: Address) -> Failure:
    """Read an exception raised while an endpoint was asked. Nothing of its text is passed on."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 300:
        return _of_status(status, error, address)
    if kinds & {"APITimeoutError", "TimeoutException", "TimeoutError"}:
        return _unavailable(
            address,
            f"gave no answer in {address.timeout_s:.3g} s: check that it is up, or raise SIGNOFF_EMBEDDINGS_TIMEOUT_S",
        )
    if kinds & {"APIConnectionError", "TransportError", "ConnectionError"}:
        return _unavailable(
            address,
            "cannot be reached or dropped the connection: check that it is up and that SIGNOFF_EMBEDDINGS_BASE_URL is "
            "right",
        )
    said = str(error) if isinstance(error, Unreadable) else "sent an answer that cannot be read"
    return _rejected(
        address, f"{said}: check that SIGNOFF_EMBEDDINGS_BASE_URL is an OpenAI-compatible endpoint with /embeddings"
    )


def _of_status(status: int, error: Exception, address: Address) -> Failure:
    codes = _codes_of(error)
    code = codes[0] if codes else ""
    shown = next((c for c in (shown_code(c, address.key) for c in codes) if c and c != str(status)), "")
    said = f"{status}, {shown}" if shown else str(status)
    if "quota" in code:
        return _rejected(
            address, f"has no quota left for this key ({said}): check the account of SIGNOFF_EMBEDDINGS_API_KEY"
        )
    if status >= 500 or status in _RETRIED:
        trouble = "is over its rate limit" if status == 429 else "has trouble of its own"
        return _unavailable(
            address,
            f"{trouble} ({said}): try again later, or name another model in SIGNOFF_EMBEDDINGS",
            _retry_after(error),
        )
    if status in (401, 403):
        return _rejected(address, f"refused the key ({said}): check SIGNOFF_EMBEDDINGS_API_KEY")
    if status == 404:
        return _rejected(
            address, f"is not there ({said}): check the name in SIGNOFF_EMBEDDINGS and SIGNOFF_EMBEDDINGS_BASE_URL"
        )
    if status == 413 or (status in (400, 422) and _LENGTH.search(f"{code} {_body(error).get('message', '')}")):
        told = f"takes no text as long as this one ({said}): name a model with a longer context in SIGNOFF_EMBEDDINGS"
        return Failure(_rejected(address, told).told, too_long=True)
    return _rejected(address, f"refused the request ({said}): check the model in SIGNOFF_EMBEDDINGS")


def _unavailable(address: Address, what: str, wait_s: float | None = None) -> Failure:
    return Failure(ProviderUnavailable(f"The embedding model {address} {what}."), retry=True, wait_s=wait_s)


def _rejected(address: Address, what: str) -> Failure:
    return Failure(ProviderRejected(f"The embedding model {address} {what}."))


def _body(error: Exception) -> dict[str, Any]:
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    return inner if isinstance(inner, dict) else {}


def _codes_of(error: Exception) -> list[str]:
    """What the provider may call its error, to be looked at: any of it may be a key or what was embedded."""
    holders = (_body(error), {"code": getattr(error, "code", None)})
    found = (holder.get(name) for holder in holders for name in ("code", "type"))
    return [value for value in found if isinstance(value, str) and _CODE.fullmatch(value)]


def _retry_after(error: Exception) -> float | None:
    """Seconds from `Retry-After` (RFC 9110: seconds or a date) or OpenAI's `retry-after-ms`."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        if value := headers.get("retry-after-ms"):
            return max(0.0, float(value) / 1000)
        if not (value := headers.get("retry-after")):
            return None
        if re.fullmatch(r"\s*\d+(\.\d+)?\s*", value):
            return float(value)
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
