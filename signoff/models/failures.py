"""What went wrong at the provider, as one sentence, and whether trying again, or elsewhere, can help."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from signoff.codes import shown_code
from signoff.errors import ProviderError, ProviderRejected, ProviderUnavailable
from signoff.models.overflow import sizes_of
from signoff.models.wording import Names

Kind = Literal[
    "busy", "trouble", "timeout", "broken", "resting", "key", "quota", "model", "content", "overflow", "length",
    "request", "config",
]  # fmt: skip

TROUBLE: frozenset[Kind] = frozenset({"busy", "trouble", "timeout", "broken"})
"""What counts against an endpoint: it did not answer. A refusal is an answer."""

_RETRIED = frozenset({408, 409, 425})
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_READ = 4_000
"""Characters of an error's text that are looked at."""
_CONTENT = re.compile(
    r"content[ _]?(?:filter|polic|management|exists risk)|responsible ?ai|data_?inspection|inappropriate content"
    r"|不安全|敏感内容|blocked by .{0,20}safety",
    re.IGNORECASE,
)
_QUOTA = re.compile(r"insufficient[ _](?:balance|credit|fund|quota)|余额不足|欠费|arrearage", re.IGNORECASE)
"""Not the bare word: Gemini calls its limits of a minute quota, too, and those pass."""
_KEY = re.compile(r"(?:invalid|incorrect)[ _]api[ _]?key|api key not valid|authentication", re.IGNORECASE)
_MODEL = re.compile(
    r"model[ _]not[ _](?:found|exist)|(?:no such|unknown|invalid) model\b"
    r"|model\b.{0,80}(?:does not exist|not found|is not (?:available|supported on))|模型不存在",
    re.IGNORECASE,
)  # fmt: skip


class Failure(Exception):
    """One try that failed. `error` is what the caller is told when no further try is made."""

    def __init__(
        self,
        error: ProviderError,
        kind: Kind,
        *,
        retry: bool = False,
        wait_s: float | None = None,
        answering: bool = False,
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.kind = kind
        self.retry = retry
        self.wait_s = wait_s
        """Seconds the provider asks to wait (`Retry-After`), if it does."""
        self.answering = answering
        """Whether a part of its answer had come when the time for it was over."""

    @property
    def trouble(self) -> bool:
        """Whether it counts against the endpoint."""
        return self.kind in TROUBLE and not self.answering

    @property
    def elsewhere(self) -> bool:
        """Whether another endpoint may be asked: not what this one refused for its content."""
        return self.kind != "content"


class Overflow(Failure):
    """The prompt, or the prompt and the answer asked for, is longer than the model's context."""

    def __init__(self, error: ProviderError, limit: int | None = None, asked: int | None = None) -> None:
        super().__init__(error, "overflow")
        self.limit = limit
        """Tokens that the endpoint says it takes."""
        self.asked = asked
        """Tokens that it says the prompt has."""


def timed_out(names: Names, seconds: float) -> Failure:
    """Nothing came for so long."""
    return _unavailable(
        "timeout", f"{names.subject} sent nothing for {seconds:.3g} s: check that it is up, or raise {names.timeout}."
    )


def no_time() -> Failure:
    """The time of the call was over before the endpoint was asked."""
    return Failure(ProviderUnavailable("No time was left to ask the model: raise SIGNOFF_MAX_WORK_S."), "config")


def out_of_time(names: Names, seconds: float, answering: bool) -> Failure:
    """The time for the whole turn is over; `seconds` is how long nothing had come by then."""
    if answering:
        sentence = (
            f"{names.subject} had not finished its answer when the time for it was over: raise SIGNOFF_MAX_WORK_S, or "
            f"name a faster model in {names.model}."
        )
    else:
        sentence = (
            f"{names.subject} sent nothing in the {max(0.0, seconds):.2g} s that were left for its answer: check that "
            "it is up, or raise SIGNOFF_MAX_WORK_S."
        )
    return Failure(ProviderUnavailable(sentence), "timeout", answering=answering)


def broken(names: Names, what: str) -> Failure:
    """The answer did not come whole."""
    return _unavailable(
        "broken", f"{names.subject} {what}: check that {names.base_url} is {names.endpoint_kind}, then ask again."
    )


def rejected(names: Names, what: str, kind: Kind = "request") -> Failure:
    """The provider answered, and no further try will change it."""
    return Failure(ProviderRejected(f"{names.subject} {what}."), kind)


def too_long(names: Names, said: str = "", limit: int | None = None, asked: int | None = None) -> Overflow:
    """The context is too short for the prompt."""
    told = f" ({said})" if said else ""
    return Overflow(
        ProviderRejected(
            f"{names.subject} takes no prompt as long as this one{told}: lower SIGNOFF_RESULT_CHARS or start a new "
            f"thread, set {names.context} to what it takes, or name a model with a longer context in {names.model}."
        ),
        limit,
        asked,
    )


def resting(names: Names, failed: int, seconds: float) -> Failure:
    """Its breaker is open."""
    return Failure(
        ProviderUnavailable(
            f"{names.subject} failed {failed} times in a row and is left alone for {seconds:.0f} s: ask again then, "
            "or name a fallback for it in models.toml."
        ),
        "resting",
    )


def classify(error: Exception, names: Names, timeout_s: float, key: str | None = None) -> Failure:
    """Read an exception raised while a model was called. Nothing of its text is passed on, and of its code only what
    can be nothing else; least of all `key`, which the endpoint was sent."""
    kinds = {kind.__name__ for e in _chain(error) for kind in type(e).__mro__}
    status, codes, text = _status_of(error), _codes_of(error), _text_of(error)
    code = codes[0] if codes else ""
    shown = next((c for c in (shown_code(c, key) for c in codes) if c), "")
    sizes = sizes_of(error, code, text, kinds, status)
    if sizes is not None:
        return too_long(names, _said(status, shown), *sizes)
    if status is not None:
        return _of_status(status, code, shown, text, error, names)
    if kinds & {"APITimeoutError", "TimeoutException", "TimeoutError"}:
        return timed_out(names, timeout_s)
    if kinds & {"APIConnectionError", "TransportError", "ConnectionError"}:
        return _unavailable(
            "trouble",
            f"{names.subject} cannot be reached or dropped the connection: check that it is up and that "
            f"{names.base_url} is right.",
        )
    if "APIError" in kinds or isinstance(_body_of(error), dict):
        if "rate_limit" in code:
            return _of_status(429, code, shown, text, error, names)
        if any(k in code for k in ("content_filter", "invalid", "quota", "not_found")):
            return _of_status(400, code, shown, text, error, names)
        return _unavailable("trouble", f"{names.subject} reported an error in the middle of its answer: ask again.")
    return broken(names, "sent an answer that cannot be read")


def _of_status(status: int, code: str, shown: str, text: str, error: Exception, names: Names) -> Failure:
    said = _said(status, shown)
    words = f"{code} {text}"
    if status == 402 or (status in (400, 403, 429) and ("quota" in code or _QUOTA.search(words))):
        return rejected(names, f"has no quota left for this key ({said}): check the account of {names.key}", "quota")
    if status == 429:
        sentence = f"{names.subject} is over its rate limit ({said}): wait a little, or raise {names.retries}."
        return _unavailable("busy", sentence, _retry_after(error))
    if status >= 500 or status in _RETRIED:
        sentence = f"{names.subject} has trouble of its own ({said}): ask again later, or name another endpoint in "
        return _unavailable("trouble", f"{sentence}{names.base_url}.", _retry_after(error))
    if status in (400, 403, 422, 451) and _CONTENT.search(words):
        return rejected(names, f"refused the content ({said}): put the question in other words", "content")
    if status in (401, 403) or _KEY.search(words):
        return rejected(names, f"refused the key ({said}): check {names.key}", "key")
    if status == 404 or _MODEL.search(words):
        return rejected(names, f"has no such model ({said}): check {names.model} and {names.base_url}", "model")
    return rejected(
        names, f"refused the request ({said}): check that {names.model} names a model that streams and calls tools, "
        "and what `signoff models probe` says of it",
    )  # fmt: skip


def _unavailable(kind: Kind, sentence: str, wait_s: float | None = None) -> Failure:
    return Failure(ProviderUnavailable(sentence), kind, retry=True, wait_s=wait_s)


def _said(status: int | None, code: str) -> str:
    number = str(status or "")
    return ", ".join(filter(None, (number, code if code != number else "")))


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    for _ in range(5):
        if seen is None:
            return
        yield seen
        seen = seen.__cause__


def _status_of(error: Exception) -> int | None:
    """The HTTP status, where SDKs keep it: `status_code`, or `code` as a number."""
    for e in _chain(error):
        for value in (getattr(e, "status_code", None), getattr(e, "code", None)):
            if isinstance(value, str) and value.isdigit():
                value = int(value)
            if isinstance(value, int) and 400 <= value < 600:
                return value
    body = _body_of(error)
    code = body.get("code") if isinstance(body, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else None


def _body_of(error: Exception) -> Any:
    """The error object that the provider sent, if the exception holds one."""
    for e in _chain(error):
        # langchain-openai raises an error that came with status 200 as a ValueError of the object itself.
        for body in (getattr(e, "body", None), *(e.args[:1] if isinstance(e, ValueError) else ())):
            if isinstance(body, dict):
                inner = body.get("error", body)
                return inner if isinstance(inner, dict) else body
    return None


def _text_of(error: Exception) -> str:
    body = _body_of(error)
    said = body.get("message") if isinstance(body, dict) else None
    return " ".join([str(said or ""), *(str(e) for e in _chain(error))])[:_READ]


def _codes_of(error: Exception) -> list[str]:
    """What the provider may call its error, to be looked at: any of it may be a key or a part of the prompt."""
    body = _body_of(error)
    holders = (body if isinstance(body, dict) else {}, {"code": getattr(error, "code", None)})
    found = (holder.get(name) for holder in holders for name in ("code", "type", "status"))
    return [value for value in found if isinstance(value, str) and _CODE.fullmatch(value)]


def _retry_after(error: Exception) -> float | None:
    """Seconds from `Retry-After` (RFC 9110: seconds or a date) or OpenAI's `retry-after-ms`."""
    headers = next((h for e in _chain(error) if (h := getattr(getattr(e, "response", None), "headers", None))), None)
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
