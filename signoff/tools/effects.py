"""Effects: performs a signed-off call exactly once, and remembers how it ended."""

from __future__ import annotations

from sqlalchemy import Connection

from signoff.approvals import Approval
from signoff.approvals.approval import ApprovalStatus
from signoff.records.ledger import Effect, EffectKey, EffectStatus
from signoff.tools.admission import validate
from signoff.tools.contract import Risk
from signoff.tools.envelope import Code, ToolResult
from signoff.tools.gateway import Gateway
from signoff.tools.invocation import Answer, Prepared, Setting, ToolCall
from signoff.tools.proposals import Proposals

_NO_RETRY = "Do not call it again. Tell the person that it was not done, and why."

_UNSURE = (Code.TIMEOUT, Code.INTERNAL)
"""Failures that do not say whether the effect happened."""


class Effects:
    """Runs in `write_tools`: looks in the ledger, at the approval, and only then acts."""

    def __init__(self, gateway: Gateway, proposals: Proposals) -> None:
        self._gateway = gateway
        self._proposals = proposals
        self._database = gateway.database
        self._inbox = gateway.inbox
        self._ledger = gateway.ledger

    def settle(self, call: ToolCall, setting: Setting) -> Answer:
        """Answer a gated call: its recorded effect, its performance, its refusal, or the approval it waits for.

        Trusts nothing in the thread's state: the arguments are digested anew, and the digest must be the one
        that people signed.
        """
        prepared = self._gateway.prepare(call, setting, count=False)
        if isinstance(prepared, ToolResult):
            signed = self._signed_elsewhere(call, setting, prepared)
            if signed is not None:
                return Answer(call, approval=signed)
            # It may no longer be allowed, or known; what was done before that was done all the same.
            return Answer(call, self._happened(call, setting) or prepared)
        digest = self._proposals.digest(prepared, setting)
        approval = self._inbox.of_call(setting.caller.tenant, setting.thread, call.id)
        if approval is not None and approval.call_digest != digest:
            approval = None
        done = self._recorded(prepared, setting, approval)
        if done is not None:
            return Answer(call, done)
        if approval is None:
            return self._proposals.propose(prepared, setting)
        match approval.status:
            case ApprovalStatus.PENDING:
                return Answer(call, approval=approval)
            case ApprovalStatus.APPROVED:
                return Answer(call, self._approved(prepared, setting, approval))
            case ApprovalStatus.REJECTED:
                by, why = approval.decisions[-1].by, approval.reason
                return _refused(
                    call,
                    Code.REJECTED,
                    f"{by} 拒绝了这项改动{'：' if why else ''}{why}。"
                    if setting.language == "zh"
                    else f"{by} rejected this change{': ' if why else ''}{why}.",
                )
            case ApprovalStatus.EXPIRED:
                return _refused(
                    call,
                    Code.EXPIRED,
                    "没有人在期限内批准这项改动，没有做任何改动。"
                    if setting.language == "zh"
                    else "Nobody signed this change off in time; nothing was changed.",
                )
            case ApprovalStatus.WITHDRAWN | ApprovalStatus.SUPERSEDED:
                return _refused(call, Code.WITHDRAWN, "This change was withdrawn before it was signed off.")
            case ApprovalStatus.USED:
                # Used, yet no effect is recorded: the record was lost. Acting again could do it twice.
                return _refused(call, Code.OUTCOME_UNKNOWN, "This approval was used before and left no record.")

    def _signed_elsewhere(self, call: ToolCall, setting: Setting, refused: ToolResult) -> Approval | None:
        """The open approval of a call whose tool this desk does not have now: it waits for one that has."""
        if refused.error is None or refused.error.code is not Code.UNKNOWN_TOOL:
            return None
        found = self._inbox.of_call(setting.caller.tenant, setting.thread, call.id)
        return (
            found if found is not None and found.status in (ApprovalStatus.PENDING, ApprovalStatus.APPROVED) else None
        )

    def draft(self, prepared: Prepared, setting: Setting) -> Answer:
        """Run a reversible call at once, exactly once."""
        done = self._recorded(prepared, setting, None)
        if done is None and setting.rehearsing:
            with self._database.read() as tx:
                then = self._ledger.repeated(tx, setting.caller.tenant, setting.thread, prepared.canonical)
            done = ToolResult.model_validate(then) if then else _replayed(prepared)
        return Answer(prepared.call, done or self._perform(prepared, setting, None))

    def interrupted(self, call: ToolCall, setting: Setting) -> ToolResult:
        """What to say of a call that was left without an answer when its run ended: what really happened."""
        return self._happened(call, setting) or ToolResult.refused(
            Code.CANCELLED,
            "This call was interrupted and not carried out.",
            hint="If it is still wanted, the person can ask for it again.",
            tool=call.name,
        )

    def _happened(self, call: ToolCall, setting: Setting) -> ToolResult | None:
        """What the ledger has of a call, by its id alone."""
        with self._database.read() as tx:
            effect = self._ledger.find(tx, _key(setting, call.id))
        if effect is None:
            return None
        return self._unknown(call.name) if effect.result is None else ToolResult.model_validate(effect.result)

    def _approved(self, prepared: Prepared, setting: Setting, approval: Approval) -> ToolResult:
        if setting.rehearsing:
            return _replayed(prepared)
        tool = prepared.tool
        if approval.version != tool.version or approval.tool != tool.name:
            return _refusal(Code.CONFLICT, f"{tool.name} has changed since this was signed off.", tool.name)
        parsed = validate(tool, approval.args)
        if isinstance(parsed, str):
            return _refusal(Code.INVALID_ARGUMENTS, f"What was signed off is no longer valid: {parsed}.", tool.name)
        # What runs is what was last signed off, which an edit may have made differ from the model's call.
        model, _ = parsed
        try:
            risk = self._proposals.judged(tool, model, setting.caller, setting.info(prepared.call.id))
        except Exception as error:
            return self._gateway.refusal(tool, error, setting.language)
        if risk is Risk.CRITICAL and approval.risk != Risk.CRITICAL:
            return _refusal(Code.CONFLICT, "It became critical since it was signed off: propose it again.", tool.name)
        signed = Prepared(prepared.call, tool, model, model.model_dump(mode="json"), risk=risk)
        if self._proposals.digest(signed, setting) != approval.digest:
            return _refusal(Code.CONFLICT, "The signed arguments do not match their digest.", tool.name)
        return _told(self._perform(signed, setting, approval), approval, prepared)

    def _recorded(self, prepared: Prepared, setting: Setting, approval: Approval | None) -> ToolResult | None:
        with self._database.read() as tx:
            effect = self._ledger.find(tx, _key(setting, prepared.call.id))
        if effect is None:
            return None
        if effect.digest not in (self._proposals.digest(prepared, setting), approval.digest if approval else ""):
            return _refusal(
                Code.CONFLICT, "This call was already carried out with other arguments.", prepared.tool.name
            )
        if effect.status in (EffectStatus.CLAIMED, EffectStatus.UNKNOWN):
            return self._reconcile(prepared, setting, effect)
        if effect.result is None:
            # It was done, and what it said was blanked since.
            return self._unknown(prepared.tool.name)
        return _told(ToolResult.model_validate(effect.result), approval, prepared)

    def _perform(self, prepared: Prepared, setting: Setting, approval: Approval | None) -> ToolResult:
        with self._gateway.tracer.span(
            "tool_call",
            prepared.tool.name,
            trace=setting.turn,
            call=prepared.call.id,
            risk=prepared.risk.value,
            approval=approval.id if approval else None,
        ) as span:
            # Should the process die in the effect, the trace shows that it was begun.
            self._gateway.tracer.flush()
            if prepared.tool.effect == "local":
                result = self._local(prepared, setting, approval)
            else:
                result = self._outside(prepared, setting, approval)
            span.set(outcome="ok" if result.error is None else result.error.code.value)
        return result

    def _local(self, prepared: Prepared, setting: Setting, approval: Approval | None) -> ToolResult:
        """The approval's use, the effect and its ledger row are one transaction: all of it, or nothing."""
        key = _key(setting, prepared.call.id)
        with self._database.write(durable=True) as tx:
            raced = self._claim(tx, key, prepared, setting, approval)
            if raced is not None:
                return raced
            # A refusal by the tool itself undoes whatever it had begun, but is recorded like any outcome.
            with tx.begin_nested() as savepoint:
                result = self._gateway.invoke(prepared, setting, tx=tx)
                if not result.ok:
                    savepoint.rollback()
            status = EffectStatus.DONE if result.ok else EffectStatus.FAILED
            self._ledger.finish(tx, key, status, result.model_dump(mode="json"))
        return result

    def _outside(self, prepared: Prepared, setting: Setting, approval: Approval | None) -> ToolResult:
        """Claimed first, so that a crash leaves a trace; never blindly tried again."""
        key = _key(setting, prepared.call.id)
        resting = self._gateway.asking.resting(prepared.tool, setting.caller.tenant, probe=False)
        if resting is not None:
            # Not tried, so nothing is used up; what was signed is withdrawn, and may be proposed again.
            if approval is not None:
                self._inbox.withdraw(setting.caller.tenant, setting.thread, [prepared.call.id])
            return self._gateway.refusal(prepared.tool, resting, setting.language)
        with self._database.write(durable=True) as tx:
            raced = self._claim(tx, key, prepared, setting, approval)
            if raced is not None:
                return raced
        result = self._gateway.invoke(prepared, setting)
        if result.error is not None and (result.error.code in _UNSURE or result.metadata.get("unsure")):
            effect = Effect(key, prepared.tool.name, "", EffectStatus.CLAIMED, None)
            # What timed out may still be running: that it has not happened yet proves nothing.
            return self._reconcile(prepared, setting, effect, running=result.error.code is Code.TIMEOUT)
        status = EffectStatus.DONE if result.ok else EffectStatus.FAILED
        with self._database.write(durable=True) as tx:
            self._ledger.finish(tx, key, status, result.model_dump(mode="json"))
        return result

    def _claim(
        self, tx: Connection, key: EffectKey, prepared: Prepared, setting: Setting, approval: Approval | None
    ) -> ToolResult | None:
        """Take the call in the ledger and use its approval; None when it is ours to perform."""
        found = self._ledger.find(tx, key)
        if found is not None:
            return ToolResult.model_validate(found.result) if found.result else self._unknown(prepared.tool.name)
        if approval is not None:
            if not self._inbox.consume(tx, approval.id):
                return _refusal(
                    Code.APPROVAL_REQUIRED,
                    "The approval cannot be used: it expired or was withdrawn.",
                    prepared.tool.name,
                )
        elif prepared.tool.risk is not Risk.DRAFT:
            return _refusal(Code.APPROVAL_REQUIRED, "Nobody has signed this off.", prepared.tool.name)
        digest = self._proposals.digest(prepared, setting)
        self._ledger.claim(tx, key, tool=prepared.tool.name, digest=digest, action=prepared.canonical)
        return None

    def _reconcile(self, prepared: Prepared, setting: Setting, effect: Effect, *, running: bool = False) -> ToolResult:
        """Ask the outside system what became of a claimed call. A replay asks nobody."""
        tool = prepared.tool
        if tool.reconcile is None or setting.rehearsing:
            result, status = self._unknown(tool.name), EffectStatus.UNKNOWN
        else:
            try:
                data = tool.reconcile(
                    **{n: getattr(prepared.model, n) for n in tool.args.model_fields},
                    **self._gateway.injections(tool, setting.caller, setting.info(prepared.call.id), preview=True),
                )
                found = self._gateway.envelop(tool, data, setting.language, risk=prepared.risk)
            except Exception as error:
                self._gateway.tracer.error(f"reconcile {tool.name}", error)
                result, status = self._unknown(tool.name), EffectStatus.UNKNOWN
            else:
                if data is None and running:
                    result, status = self._unknown(tool.name), EffectStatus.UNKNOWN
                elif data is None:
                    result = _refusal(Code.CANCELLED, f"{tool.name} was begun and did not happen.", tool.name)
                    status = EffectStatus.FAILED
                else:
                    result, status = found, EffectStatus.DONE
        if not setting.rehearsing:
            with self._database.write(durable=True) as tx:
                kept = result.model_dump(mode="json") if status is not EffectStatus.UNKNOWN else None
                self._ledger.finish(tx, effect.key, status, kept)
        return result

    @staticmethod
    def _unknown(tool: str) -> ToolResult:
        return ToolResult.refused(
            Code.OUTCOME_UNKNOWN,
            f"{tool} was begun, and whether it happened is not known.",
            hint="Do not call it again. Say that a person must look at the other system.",
            tool=tool,
        )


def _told(result: ToolResult, approval: Approval | None, prepared: Prepared) -> ToolResult:
    """The result, with what an edit had changed of the model's arguments."""
    if approval is not None and approval.edited_by and result.ok:
        edit = {n: v for n, v in approval.args.items() if v != prepared.args.get(n)}
        result.metadata["edited"] = {"by": approval.edited_by, "arguments": edit}
    return result


def _key(setting: Setting, call: str) -> EffectKey:
    return EffectKey(setting.caller.tenant, setting.thread, call)


def _refusal(code: Code, message: str, tool: str) -> ToolResult:
    return ToolResult.refused(code, message, hint=_NO_RETRY, tool=tool)


def _refused(call: ToolCall, code: Code, message: str) -> Answer:
    return Answer(call, _refusal(code, message, call.name))


def _replayed(prepared: Prepared) -> ToolResult:
    return _refusal(Code.CANCELLED, "A replay performs nothing that was not performed before.", prepared.tool.name)
