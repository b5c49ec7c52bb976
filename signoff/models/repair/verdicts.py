"""Whether what was read as a call is one that may be run, held against the tools that were offered."""

from __future__ import annotations

import json
from typing import Any

from signoff.models.repair import objects
from signoff.models.repair.reading import Draft, FoundCall, Refused
from signoff.models.repair.schemas import Offered

RAW = 2_000
"""Characters of a refused stretch that are kept."""


def verdict(draft: Draft, offered: Offered) -> FoundCall | Refused | None:
    """The call, or why it is none; None for one that was cut off, or that calls nothing."""
    raw = draft.raw[:RAW]
    if draft.why == "cut off":
        return None
    if draft.name in objects.NO_TOOL and offered.find(draft.name) is None:
        return None
    draft = objects.settled(draft, offered)
    name = offered.find(draft.name)
    if name is None and draft.name:
        return Refused(offered.bare(draft.name)[:128], "no such tool is offered", raw)
    if name is None or draft.why or not isinstance(draft.args, dict):
        return Refused(name or "", draft.why or "no call can be read in it", raw)
    if not _sound(draft.args):
        return Refused(name, "its arguments hold what JSON cannot", raw)
    if name != offered.bare(draft.name):
        draft.mends.add("names")
    return FoundCall(name, draft.args, draft.raw)


def _sound(args: dict[str, Any]) -> bool:
    """Whether JSON can hold the arguments: no lone surrogates, no numbers without end, no endless nesting."""
    try:
        json.dumps(args, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return False
    return True
