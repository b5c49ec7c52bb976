"""The inbox: approvals in `desk.db`, outside every thread's state, because whoever writes state could sign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Protocol
from uuid import uuid4

from sqlalchemy import Connection, insert, select, update

from signoff.approvals.approval import Approval, ApprovalStatus, Card, Rule
from signoff.approvals.policy import check_approver, check_rejecter, check_sight, may_see
from signoff.approvals.rows import approval_of, approvals, as_json, decisions
from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import DecisionRefused

_S = ApprovalStatus


class Transactions(Protocol):
    """What the inbox needs of a database."""

    def read(self) -> Any: ...

    def write(self, *, durable: bool = False) -> Any: ...


class Inbox:
    """Proposes, shows, decides and consumes approvals. Every decision is one durable transaction."""

    def __init__(self, database: Transactions, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def propose(
        self,
        *,
        digest: str,
        thread: str,
        turn: str,
        call: str,
        tool: str,
        version: str,
        args: Mapping[str, Any],
        requester: Caller,
        risk: str,
        rule: Rule,
        card: Card,
        ttl_h: float,
    ) -> Approval:
        """Put a call before the approvers. Proposing the same call again finds the first proposal."""
        with self._database.write(durable=True) as tx:
            for earlier in self._of_call(tx, requester.tenant, thread, call):
                if earlier.call_digest == digest and earlier.status is not _S.SUPERSEDED:
                    return earlier
                if earlier.status in (_S.PENDING, _S.APPROVED):
                    # The call's arguments are no longer what was proposed: that proposal is void.
                    self._set(tx, earlier.id, _S.WITHDRAWN)
            return self._insert(
                tx,
                digest=digest,
                call_digest=digest,
                thread=thread,
                turn=turn,
                call=call,
                tool=tool,
                version=version,
                args=args,
                requester=requester,
                risk=risk,
                rule=rule,
                card=card,
                ttl_h=ttl_h,
            )

    def edit(
        self,
        approval_id: str,
        *,
        by: Caller,
        reason: str,
        digest: str,
        args: Mapping[str, Any],
        risk: str,
        rule: Rule,
        card: Card,
        ttl_h: float,
    ) -> Approval:
        """Replace a pending approval with one of other arguments, which must be signed off anew.

        Raises `NotFound`, or `DecisionRefused` when it is no longer pending or `by` may not decide it.
        """
        refused: DecisionRefused | None = None
        with self._database.write(durable=True) as tx:
            old = check_sight(self._get(tx, approval_id), by, approval_id)
            refused = self._not_pending(tx, old)
            if refused is None:
                check_approver(old, by)
                self._record(tx, old, by, "edit", reason)
                new = self._insert(
                    tx,
                    digest=digest,
                    call_digest=old.call_digest,
                    thread=old.thread,
                    turn=old.turn,
                    call=old.call,
                    tool=old.tool,
                    version=old.version,
                    args=args,
                    requester=old.requester,
                    risk=risk,
                    rule=rule,
                    card=card,
                    ttl_h=ttl_h,
                    edited_by=by.user,
                    replaces=old.id,
                )
                tx.execute(
                    update(approvals).where(approvals.c.id == old.id).values(status=_S.SUPERSEDED, replaced_by=new.id)
                )
                return new
        raise refused

    def decide(self, approval_id: str, kind: str, *, by: Caller, reason: str = "") -> Approval:
        """Approve or reject. The same word from the same person again changes nothing.

        Raises `NotFound`, or `DecisionRefused` when it is used, expired, withdrawn, decided otherwise, or
        `by` may not decide it.
        """
        with self._database.write(durable=True) as tx:
            approval = check_sight(self._get(tx, approval_id), by, approval_id)
            said = [d for d in approval.decisions if d.by == by.user]
            if said and said[-1].kind == kind and approval.status not in (_S.EXPIRED, _S.WITHDRAWN):
                if kind == "approve" and approval.status is _S.PENDING:
                    raise DecisionRefused(
                        f"{by.name} has already approved {approval.id}: "
                        f"it needs {approval.rule.count} different people."
                    )
                return approval
            refused = self._not_pending(tx, approval)
            if refused is None:
                if kind == "approve":
                    check_approver(approval, by)
                    if len({*approval.approvers, by.user}) >= approval.rule.count:
                        self._set(tx, approval.id, _S.APPROVED)
                else:
                    check_rejecter(approval, by)
                    self._set(tx, approval.id, _S.REJECTED)
                self._record(tx, approval, by, kind, reason)
                return self._must(tx, approval.id)
        raise refused

    def consume(self, tx: Connection, approval_id: str) -> bool:
        """Use a granted, unexpired approval, once. False when there is nothing to use."""
        now = self._clock.utc().isoformat()
        done = tx.execute(
            update(approvals)
            .where(approvals.c.id == approval_id, approvals.c.status == _S.APPROVED, approvals.c.expires_at > now)
            .values(status=_S.USED)
        )
        return bool(done.rowcount)

    def withdraw(self, tenant: str, thread: str, calls: Sequence[str] | None = None) -> list[Approval]:
        """Take back what is pending or granted but unused on a thread; all of it, or that of some calls."""
        with self._database.write(durable=True) as tx:
            rows = select(approvals.c.id).where(
                approvals.c.tenant == tenant,
                approvals.c.thread == thread,
                approvals.c.status.in_((_S.PENDING, _S.APPROVED)),
            )
            if calls is not None:
                rows = rows.where(approvals.c.call.in_(list(calls)))
            found = list(tx.execute(rows).scalars())
            for approval_id in found:
                self._set(tx, approval_id, _S.WITHDRAWN)
            return [self._must(tx, i) for i in found]

    def of_call(self, tenant: str, thread: str, call: str) -> Approval | None:
        """The newest approval of a call, expired if its time is over."""
        with self._database.read() as tx:
            found = self._of_call(tx, tenant, thread, call)
        return self._aged(found[-1]) if found else None

    def get(self, approval_id: str, *, viewer: Caller) -> Approval:
        """One approval. Raises `NotFound` when it does not exist for the viewer."""
        with self._database.read() as tx:
            return self._aged(check_sight(self._get(tx, approval_id), viewer, approval_id))

    def find(self, viewer: Caller, *, status: str | None = "pending", limit: int = 100) -> list[Approval]:
        """Approvals that exist for the viewer, newest first; of any status when `status` is None."""
        with self._database.read() as tx:
            rows = select(approvals.c.id).where(approvals.c.tenant == viewer.tenant).order_by(approvals.c.seq.desc())
            if status in (_S.PENDING, _S.APPROVED, _S.EXPIRED):
                # Expiry is a matter of time, so a stored `pending` may be an `expired` by now.
                rows = rows.where(approvals.c.status.in_((_S.PENDING, _S.APPROVED, _S.EXPIRED)))
            elif status is not None:
                rows = rows.where(approvals.c.status == status)
            seen: list[Approval] = []
            for approval_id in tx.execute(rows).scalars():
                approval = self._aged(self._must(tx, approval_id))
                if may_see(approval, viewer) and status in (None, approval.status):
                    seen.append(approval)
                if len(seen) == limit:
                    break
            return seen

    def delete_thread(self, tx: Connection, tenant: str, thread: str) -> None:
        """Remove a thread's approvals and decisions. What was performed stays in the ledger."""
        mine = select(approvals.c.id).where(approvals.c.tenant == tenant, approvals.c.thread == thread)
        tx.execute(decisions.delete().where(decisions.c.approval.in_(mine)))
        tx.execute(approvals.delete().where(approvals.c.tenant == tenant, approvals.c.thread == thread))

    def _not_pending(self, tx: Connection, approval: Approval) -> DecisionRefused | None:
        """Why it cannot be decided any more. Records expiry, so the caller raises after the commit."""
        aged = self._aged(approval)
        if aged.status is _S.PENDING:
            return None
        if aged.status is not approval.status:
            self._set(tx, approval.id, aged.status)
        told = {
            _S.APPROVED: f"was already approved by {', '.join(aged.approvers)}",
            _S.USED: "was already carried out",
            _S.REJECTED: f"was already rejected by {aged.decisions[-1].by if aged.decisions else 'somebody'}",
            _S.EXPIRED: f"expired at {aged.expires_at:%Y-%m-%d %H:%M} UTC: ask for the change again",
            _S.WITHDRAWN: "was withdrawn: the conversation went on without it",
            _S.SUPERSEDED: f"was edited: decide {aged.replaced_by} instead",
        }
        return DecisionRefused(f"{approval.id} {told[aged.status]}.")

    def _aged(self, approval: Approval) -> Approval:
        if approval.status in (_S.PENDING, _S.APPROVED) and approval.expires_at <= self._clock.utc():
            return Approval(**{**vars(approval), "status": _S.EXPIRED})
        return approval

    def _insert(
        self,
        tx: Connection,
        *,
        digest: str,
        args: Mapping[str, Any],
        requester: Caller,
        rule: Rule,
        card: Card,
        ttl_h: float,
        **columns: Any,
    ) -> Approval:
        approval_id = f"ap-{uuid4().hex[:12]}"
        now = self._clock.utc()
        tx.execute(
            insert(approvals).values(
                id=approval_id,
                tenant=requester.tenant,
                digest=digest,
                args=as_json(dict(args)),
                requester=as_json(requester.record()),
                rule=as_json({**asdict(rule), "roles": sorted(rule.roles)}),
                status=_S.PENDING,
                card=as_json(asdict(card)),
                created_at=now.isoformat(),
                expires_at=(now + timedelta(hours=ttl_h)).isoformat(),
                **columns,
            )
        )
        return self._must(tx, approval_id)

    def _record(self, tx: Connection, approval: Approval, by: Caller, kind: str, reason: str) -> None:
        at = self._clock.utc().isoformat()
        tx.execute(insert(decisions).values(approval=approval.id, by=by.user, kind=kind, reason=reason, at=at))

    def _set(self, tx: Connection, approval_id: str, status: ApprovalStatus) -> None:
        tx.execute(update(approvals).where(approvals.c.id == approval_id).values(status=status))

    def _of_call(self, tx: Connection, tenant: str, thread: str, call: str) -> list[Approval]:
        rows = (
            select(approvals.c.id)
            .where(approvals.c.tenant == tenant, approvals.c.thread == thread, approvals.c.call == call)
            .order_by(approvals.c.seq)
        )
        return [self._must(tx, i) for i in tx.execute(rows).scalars().all()]

    def _get(self, tx: Connection, approval_id: str) -> Approval | None:
        row = tx.execute(select(approvals).where(approvals.c.id == approval_id)).mappings().first()
        if row is None:
            return None
        said = tx.execute(
            select(decisions).where(decisions.c.approval == approval_id).order_by(decisions.c.seq)
        ).mappings()
        return approval_of(row, [dict(d) for d in said])

    def _must(self, tx: Connection, approval_id: str) -> Approval:
        approval = self._get(tx, approval_id)
        assert approval is not None
        return approval
