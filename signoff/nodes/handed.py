"""Whether a person has the conversation."""

from __future__ import annotations

from signoff.caller import Caller
from signoff.nodes.services import Services
from signoff.records import handovers
from signoff.records.handovers import HandOver

HANDS = frozenset({"agent", "supervisor"})
"""Roles whose people take conversations over, and may then read them."""


def handed_over(owner: Caller, thread: str, services: Services) -> HandOver | None:
    """The hand-over of a thread that stands, if one does."""
    with services.database.read() as tx:
        return handovers.of_thread(tx, owner, thread, services.clock)


def may_read(viewer: Caller, owner: Caller, thread: str, services: Services) -> bool:
    """Whether somebody who is not the owner may read the thread: it was handed over to people like them."""
    same = viewer.tenant == owner.tenant
    return same and bool(viewer.roles & HANDS) and handed_over(owner, thread, services) is not None
