"""Proposals: a write call, previewed and put before the people who may sign it off; and their decisions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pydantic import BaseModel

from signoff.approvals import Approval, Card, Origin, Rule, call_digest, rule_for
from signoff.approvals.approval import ApprovalStatus
from signoff.approvals.policy import check_approver
from signoff.caller import Caller
from signoff.errors import DecisionRefused, ToolError, UsageError
from signoff.text import language
from signoff.tools.admission import validate
from signoff.tools.audit import Event
from signoff.tools.contract import CallInfo, Change, Preview, Risk, Tool
from signoff.tools.envelope import Code, ToolResult
from signoff.tools.gateway import Gateway
from signoff.tools.invocation import Answer, Prepared, Setting

DECISIONS = ("approve", "reject", "edit")


class Proposals:
    """Makes approvals of prepared calls, and carries out decisions on them."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._inbox = gateway.inbox

    def digest(self, prepared: Prepared, setting: Setting) -> str:
        """The digest of a call as the model made it."""
        return call_digest(
            requester=setting.caller,
            thread=setting.thread,
            call=prepared.call.id,
            tool=prepared.tool.name,
            version=prepared.tool.version,
            args=prepared.args,
        )

    def propose(self, prepared: Prepared, setting: Setting) -> Answer:
        """Preview a call and put it before the approvers; or the refusal, which never reaches a person."""
        tool = prepared.tool
        if setting.rehearsing:
            with self._gateway.database.read() as tx:
                ledger = self._gateway.ledger
                done = ledger.repeated(tx, setting.caller.tenant, setting.thread, prepared.canonical)
            if done is not None:
                return Answer(prepared.call, ToolResult.model_validate(done))
            found = self._inbox.of_call(setting.caller.tenant, setting.thread, prepared.call.id)
            if found is not None and found.call_digest == self.digest(prepared, setting):
                return Answer(prepared.call, approval=found)
            return Answer(
                prepared.call,
                ToolResult.refused(
                    Code.APPROVAL_REQUIRED, "A replay proposes nothing: this would need an approval.", tool=tool.name
                ),
            )
        try:
            preview = self._preview(tool, prepared.args, setting.caller, setting.info(prepared.call.id))
        except Exception as error:
            return Answer(prepared.call, self._gateway.refusal(tool, error, setting.language))
        origins = setting.sources.trace(
            prepared.said,
            identifiers=tool.identifiers,
            defaults={n: f.default for n, f in tool.args.model_fields.items() if not f.is_required()},
        )
        risk, rule, ttl_h = self._terms(prepared.risk, preview)
        if prepared.marks:
            self._gateway.masks.renew(setting.caller, setting.thread, prepared.marks, ttl_h=ttl_h + 1)
        tainted = [*setting.guards.tainted, *setting.carried]
        approval = self._inbox.propose(
            digest=self.digest(prepared, setting),
            thread=setting.thread,
            turn=setting.turn,
            call=prepared.call.id,
            tool=tool.name,
            version=tool.version,
            args=prepared.args,
            requester=setting.caller,
            risk=risk,
            rule=rule,
            card=_card(preview, origins, setting.words, _warnings(origins, tainted, prepared.notes, setting.language)),
            ttl_h=ttl_h,
        )
        return Answer(prepared.call, approval=approval)

    def dry_run(self, prepared: Prepared, setting: Setting) -> tuple[str, Preview] | ToolResult:
        """What a change would do, computed without touching or proposing anything: its risk and its preview; or the
        refusal that it would get."""
        try:
            preview = self._preview(prepared.tool, prepared.args, setting.caller, setting.info(prepared.call.id))
        except Exception as error:
            return self._gateway.refusal(prepared.tool, error, setting.language)
        return self._terms(prepared.risk, preview)[0], preview

    def decide(
        self,
        approval_id: str,
        decision: str,
        *,
        by: Caller,
        reason: str = "",
        args: Mapping[str, Any] | None = None,
    ) -> Approval:
        """Approve, reject or edit.

        An edit gives only the arguments that change; the result is a new approval that must itself be
        signed off. Raises `UsageError`, `NotFound` or `DecisionRefused`.
        """
        if decision not in DECISIONS:
            raise UsageError(f"{decision!r} is not a decision: write {', '.join(DECISIONS)}.")
        if (decision == "edit") != bool(args):
            raise UsageError("An edit needs the arguments that change; other decisions take none.")
        before = self._inbox.get(approval_id, viewer=by)
        try:
            if decision == "edit":
                decided = self._edit(approval_id, dict(args or {}), by=by, reason=reason)
            else:
                decided = self._inbox.decide(approval_id, decision, by=by, reason=reason)
        except DecisionRefused:
            self._witness(before, by, f"{decision} refused")
            raise
        if decided.id != before.id or len(decided.decisions) != len(before.decisions):
            self._witness(decided, by, decision)
        return decided

    def _witness(self, approval: Approval, by: Caller, outcome: str) -> None:
        args = self._gateway.masks.mask(None, approval.requester, approval.thread, dict(approval.args))
        event = Event("decision", outcome, approval.call, approval.tool, args)
        self._gateway.audit.append(by, approval.thread, approval.turn, event)

    def _edit(self, approval_id: str, changed: dict[str, Any], *, by: Caller, reason: str) -> Approval:
        old = self._inbox.get(approval_id, viewer=by)
        if old.status is ApprovalStatus.PENDING:
            check_approver(old, by)
        tool = self._gateway.registry.get(old.tool)
        if tool is None or tool.version != old.version:
            raise DecisionRefused(f"{old.id} is of {old.tool} version {old.version}, which this desk no longer has.")
        parsed = validate(tool, {**old.args, **changed})
        if isinstance(parsed, str):
            raise UsageError(f"The edit of {old.id} is not valid: {parsed}.")
        new_args = parsed[0].model_dump(mode="json")
        if new_args == dict(old.args):
            raise UsageError(f"The edit of {old.id} changes nothing: approve or reject it.")
        try:
            info = CallInfo(thread=old.thread, turn=old.turn, id=old.call, language=language(old.card.words))
            preview = self._preview(tool, new_args, old.requester, info)
            judged = self.judged(tool, parsed[0], old.requester, info)
        except ToolError as error:
            raise DecisionRefused(f"The edit of {old.id} cannot be carried out: {error.message}") from None
        except Exception as error:
            self._gateway.tracer.error(f"preview of {tool.name}", error)
            raise DecisionRefused(f"The edit of {old.id} cannot be shown: {tool.name} failed on it.") from None
        same = {n for n, v in new_args.items() if v == old.args.get(n)}
        origins = [o for o in old.card.origins if _root(o.argument) in same]
        origins += [Origin(n, str(v), "editor", by.name) for n, v in new_args.items() if n not in same]
        risk, rule, ttl_h = self._terms(judged, preview)
        return self._inbox.edit(
            approval_id,
            by=by,
            reason=reason,
            digest=call_digest(
                requester=old.requester,
                thread=old.thread,
                call=old.call,
                tool=tool.name,
                version=tool.version,
                args=new_args,
            ),
            args=new_args,
            risk=risk,
            rule=rule,
            card=_card(preview, origins, old.card.words, old.card.warnings),
            ttl_h=ttl_h,
        )

    def _preview(self, tool: Tool, args: Mapping[str, Any], caller: Caller, call: CallInfo) -> Preview:
        model = tool.args.model_validate(dict(args))
        if tool.preview is None:
            # A draft or an egress read that must be signed off because untrusted text was read.
            shown = [Change(n, None, str(v)) for n, v in args.items()]
            return Preview(title=tool.name, changes=shown, reversible=tool.risk is Risk.DRAFT)
        made = tool.preview(
            **{n: getattr(model, n) for n in tool.args.model_fields},
            **self._gateway.injections(tool, caller, call, preview=True),
        )
        if not isinstance(made, Preview):
            raise TypeError(f"the preview of {tool.name} gave no Preview")
        return made

    def judged(self, tool: Tool, model: BaseModel, caller: Caller, call: CallInfo) -> Risk:
        """The risk of edited arguments: a tool that judges its calls may forbid them too."""
        if tool.assess is None:
            return tool.risk
        given = {n: getattr(model, n) for n in tool.args.model_fields}
        return Risk(tool.assess(**given, **self._gateway.injections(tool, caller, call, preview=True)))

    def _terms(self, of_call: Risk, preview: Preview) -> tuple[str, Rule, float]:
        settings = self._gateway.settings
        critical = Risk.CRITICAL in (of_call, preview.risk)
        rule = rule_for(critical=critical, approvers=preview.approvers, self_approval=settings.self_approval)
        risk = Risk.CRITICAL if critical else Risk.WRITE
        return risk.value, rule, settings.critical_ttl_h if critical else settings.approval_ttl_h


def _root(argument: str) -> str:
    """The argument that a traced value is part of: `items` of `items[0].name`."""
    return re.split(r"[.\[]", argument, maxsplit=1)[0]


def _card(preview: Preview, origins: list[Origin], words: str, warnings: Any) -> Card:
    return Card(
        title=preview.title,
        changes=[asdict(c) for c in preview.changes],
        reversible=preview.reversible,
        why=preview.why,
        evidence=list(preview.evidence),
        origins=origins,
        words=words,
        warnings=list(warnings),
    )


def _warnings(origins: list[Origin], tainted: list[str], notes: Sequence[str], lang: str) -> list[str]:
    zh = lang == "zh"
    found = [f"{'已按规范写法读取' if zh else 'normalised'}: {n}" for n in notes]
    found += [
        f"{o.argument} 来自不可信的文本（{o.where}）" if zh else f"{o.argument} came from untrusted text ({o.where})"
        for o in origins
        if o.source == "untrusted"
    ]
    if tainted:
        names = ", ".join(sorted(set(tainted)))
        found.append(f"本轮读过不可信的文本: {names}" if zh else f"untrusted text was read in this turn: {names}")
    return found
