"""The digest that binds an approval to one exact call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from signoff.caller import Caller


def canonical(value: Any) -> str:
    """Canonical JSON: sorted keys, no white space, UTF-8 as it is. The same value gives the same text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)


def call_digest(*, requester: Caller, thread: str, call: str, tool: str, version: str, args: Mapping[str, Any]) -> str:
    """SHA-256, in hex, over what will be done, where, by which tool of which version, and for whom.

    `args` are the arguments after every rewrite, JSON-ready.
    """
    bound = {
        "tenant": requester.tenant,
        "requester": requester.user,
        "thread": thread,
        "call": call,
        "tool": tool,
        "version": version,
        "args": dict(args),
    }
    return hashlib.sha256(canonical(bound).encode()).hexdigest()
