"""Who may decide: pure rules over a call's risk and a person. No rule means refused."""

from __future__ import annotations

from signoff.approvals.approval import Approval, Rule
from signoff.caller import Caller
from signoff.errors import DecisionRefused, NotFound

SIGNERS = frozenset({"agent", "approver", "supervisor"})
"""Roles that may sign off an ordinary write of somebody else."""

SUPERVISORS = frozenset({"supervisor"})
"""Roles that may sign off a critical write."""


def rule_for(*, critical: bool, approvers: int = 1, self_approval: bool = True) -> Rule:
    """The rule for a call. A critical one is never signed off by its own requester."""
    if critical:
        return Rule(roles=SUPERVISORS, by_requester=False, count=max(1, approvers))
    return Rule(roles=SIGNERS, by_requester=self_approval and approvers <= 1, count=max(1, approvers))


def may_see(approval: Approval, person: Caller) -> bool:
    """Whether the approval exists for this person: the requester and those who could decide it."""
    if person.tenant != approval.requester.tenant:
        return False
    return person.user == approval.requester.user or bool(person.roles & (approval.rule.roles | SUPERVISORS))


def check_sight(approval: Approval | None, person: Caller, approval_id: str) -> Approval:
    """The approval, or `NotFound`, which tells a stranger no more than that of a wrong id."""
    if approval is None or not may_see(approval, person):
        raise NotFound(f"There is no approval {approval_id} that {person.name} may see: check the id and who you are.")
    return approval


def check_approver(approval: Approval, person: Caller) -> None:
    """Raise `DecisionRefused` unless this person may approve or edit this approval."""
    rule = approval.rule
    if person.user == approval.requester.user:
        if not rule.by_requester:
            raise DecisionRefused(
                f"{approval.id} must be signed off by somebody other than its requester, "
                f"with the role {_names(rule.roles)}."
            )
    elif not person.roles & rule.roles:
        raise DecisionRefused(f"{approval.id} needs the role {_names(rule.roles)}; {person.name} does not have it.")
    if approval.edited_by == person.user and not rule.by_requester:
        raise DecisionRefused(f"{person.name} edited {approval.id}: somebody else must sign off what was edited.")


def check_rejecter(approval: Approval, person: Caller) -> None:
    """Raise `DecisionRefused` unless this person may say no. Requesters may always take back their own."""
    if person.user != approval.requester.user and not person.roles & approval.rule.roles:
        raise DecisionRefused(
            f"{approval.id} needs the role {_names(approval.rule.roles)}; {person.name} does not have it."
        )


def _names(roles: frozenset[str]) -> str:
    return " or ".join(sorted(roles))
