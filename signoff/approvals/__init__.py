"""Approvals: one call, one digest, one signature."""

from signoff.approvals.approval import Approval, ApprovalStatus, Card, Decision, Origin, Rule
from signoff.approvals.digest import call_digest, canonical
from signoff.approvals.policy import rule_for
from signoff.approvals.rows import approvals_metadata
from signoff.approvals.store import Inbox

__all__ = [
    "Approval",
    "ApprovalStatus",
    "Card",
    "Decision",
    "Inbox",
    "Origin",
    "Rule",
    "approvals_metadata",
    "call_digest",
    "canonical",
    "rule_for",
]
