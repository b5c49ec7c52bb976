"""What leaves for LangSmith: nothing unless its own variables ask for it, and then only through redaction.

LangSmith's anonymizer covers a run's inputs, outputs, metadata and error. A run also carries a name, tags, events,
invocation parameters and, for a model, a `serialized` form whose `repr` shows how the model was made, keys included;
`RedactingClient` covers those.
"""

from __future__ import annotations

import atexit
import json
import threading
from typing import Any

from langsmith import Client, get_tracing_context
from langsmith import configure as configure_langsmith
from langsmith.utils import LangSmithError, tracing_is_enabled
from pydantic import BaseModel

from signoff.errors import ConfigError
from signoff.telemetry.redaction import redact, redact_value

FLUSH_S = 5.0
"""Seconds the end of the process waits for traces that are still on their way."""

_client: RedactingClient | None = None
_lock = threading.Lock()


class RedactingClient(Client):
    """A LangSmith client whose runs hold no personal data and no secret, in whatever field they were put."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, anonymizer=redact_value, omit_traced_runtime_info=True)

    def create_run(self, name: str, inputs: dict[str, Any], run_type: Any, **fields: Any) -> None:
        """As `Client.create_run`."""
        super().create_run(redact(name), inputs, run_type, **_clean(fields))

    def update_run(self, run_id: Any, **fields: Any) -> None:
        """As `Client.update_run`."""
        super().update_run(run_id, **_clean(fields))


def configure() -> bool:
    """Make LangSmith's tracing go through redaction where it is on. Returns whether it is.

    It is on when `LANGSMITH_TRACING`, `LANGSMITH_TRACING_V2` or their `LANGCHAIN_` forms are `true`, or when the
    program has turned it on in code. Otherwise nothing is set up, no client is made and nothing is sent. May be
    called again; a client that the program passes to a `tracing_context` itself stays that program's own.
    Raises `ConfigError` when LangSmith does not accept its variables.
    """
    global _client
    if tracing_is_enabled() is not True:
        return False
    with _lock:
        if _client is None:
            try:
                _client = RedactingClient()
            except (LangSmithError, ValueError) as error:
                raise ConfigError(
                    f"LangSmith does not accept its variables: {redact(str(error)).rstrip('.')}. "
                    "Set them right, or unset LANGSMITH_TRACING."
                ) from None
            atexit.register(_client.flush, timeout=FLUSH_S)
        if get_tracing_context()["client"] is None:
            configure_langsmith(client=_client)
    return True


def flush(timeout_s: float = FLUSH_S) -> None:
    """Wait until what was traced has been sent, at most so long. Does nothing when tracing is off."""
    if _client is not None:
        _client.flush(timeout=timeout_s)


def _clean(fields: dict[str, Any]) -> dict[str, Any]:
    clean = dict(fields)
    for name in ("extra", "events", "tags", "error"):
        if clean.get(name) is not None:
            clean[name] = redact_value(_json(clean[name]))
    if isinstance(clean.get("name"), str):
        clean["name"] = redact(clean["name"])
    if clean.get("serialized") is not None:
        clean["serialized"] = _outline(clean["serialized"])
    # Files cannot be redacted.
    if clean.get("attachments"):
        clean["attachments"] = {}
    return clean


def _outline(serialized: Any) -> dict[str, Any]:
    """Which class a model is, without how it was made."""
    if not isinstance(serialized, dict):
        return {}
    kept = {k: serialized[k] for k in ("lc", "type", "id", "name") if k in serialized}
    return dict(redact_value(_json(kept)))


def _json(value: Any) -> Any:
    """The value as it would be sent, so that nothing hides in an object until after redaction."""
    try:
        return json.loads(json.dumps(value, default=_plain, skipkeys=True))
    except (ValueError, TypeError, RecursionError):
        return redact(repr(value)) if isinstance(value, str | int | float) else None


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", fallback=str)
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    return str(value)
