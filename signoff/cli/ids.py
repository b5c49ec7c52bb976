"""Ids as people write them: whole, or as much of them as says which one is meant."""

from __future__ import annotations

from collections.abc import Iterable

from signoff.approvals import Approval
from signoff.approvals.policy import SIGNERS
from signoff.caller import Caller
from signoff.errors import NotFound, UsageError
from signoff.graph.desk import Desk
from signoff.nodes.handed import may_read

_MOST = 1_000
"""Newest approvals, threads or checkpoints among which a part of an id is looked for."""


def approval_of(desk: Desk, given: str, viewer: Caller) -> Approval:
    """The approval. Raises `NotFound`, or `UsageError` when several ids begin so."""
    try:
        return desk.approval(given, viewer=viewer)
    except NotFound:
        found = [a for a in desk.approvals(viewer, status=None, limit=_MOST) if _begins(a.id, given, "ap-")]
        if not found:
            raise
    return found[_only(given, [a.id for a in found], "approvals")]


def thread_id(desk: Desk, given: str, caller: Caller) -> str:
    """The id of an own thread. Raises `NotFound`, `UsageError`."""
    if desk.services.threads.find(given) is None:
        found = [t.id for t in desk.threads(caller, limit=_MOST) if _begins(t.id, given, "th-")]
        if found:
            return found[_only(given, found, "threads")]
    return desk.services.threads.get(given, caller).id


def readable(desk: Desk, given: str, caller: Caller) -> str:
    """The id of a thread that the caller may read: an own one, or one that was handed over to people like them."""
    record = desk.services.threads.find(given)
    if record is not None and may_read(caller, record.owner, record.id, desk.services):
        return record.id
    return thread_id(desk, given, caller)


def resumable(desk: Desk, given: str, caller: Caller) -> str:
    """The id of a thread that the caller may let go on: an own one, or as a signer one of their tenant."""
    record = desk.services.threads.find(given)
    if record is not None and record.owner.tenant == caller.tenant and caller.roles & SIGNERS:
        return record.id
    return thread_id(desk, given, caller)


def checkpoint_id(desk: Desk, thread: str, given: str) -> str:
    """The whole id of a checkpoint, of which the beginning or the end was given. Raises `NotFound`, `UsageError`."""
    if len(given) >= 36:
        return given
    found = [
        h.checkpoint
        for h in desk.history(thread, limit=_MOST)
        if len(given) >= 4 and (h.checkpoint.endswith(given) or h.checkpoint.startswith(given))
    ]
    if not found:
        raise NotFound(f"Thread {thread!r} has no checkpoint {given!r}: `signoff threads history` shows those it has.")
    return found[_only(given, found, "checkpoints")]


def _begins(whole: str, given: str, prefix: str) -> bool:
    return bool(given) and given != prefix and (whole.startswith(given) or whole.removeprefix(prefix).startswith(given))


def _only(given: str, found: Iterable[str], what: str) -> int:
    ids = list(found)
    if len(ids) > 1:
        raise UsageError(f"{given!r} is the beginning of {len(ids)} {what}: write more of it, such as {ids[0]}.")
    return 0
