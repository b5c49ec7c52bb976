"""Deciding at the terminal: the card, then approve, edit, reject or later. Later unless the person says so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from signoff.approvals import Approval
from signoff.caller import Caller
from signoff.cli.card import language_of_card, told_rule
from signoff.cli.output import visible
from signoff.cli.run import Run
from signoff.cli.terminal import read
from signoff.cli.turns import entitled, may_approve, play, show_card
from signoff.cli.words import say
from signoff.errors import UsageError, UserError
from signoff.graph.desk import Desk
from signoff.graph.turn import Turn
from signoff.state import Status
from signoff.text import Language
from signoff.tools.contract import Tool


def settle(run: Run, desk: Desk, turn: Turn, caller: Caller) -> Turn:
    """Ask about everything a turn waits for, as long as decisions are made; returns how it stands then.

    Away from a terminal nothing is asked.
    """
    put_off: set[str] = set()
    while run.interactive and turn.status is Status.WAITING:
        open_ones = [a for a in turn.approvals if a.status == "pending" and a.id not in put_off]
        decided = 0
        for approval in open_ones:
            left = decide(run, desk, approval, caller)
            if left is None:
                decided += 1
            else:
                put_off.add(left.id)
        if not decided:
            break
        turn = play(run, desk.resume_events(turn.thread, viewer=caller))
    return turn


def sign_all(run: Run, desk: Desk, turn: Turn, caller: Caller) -> Turn:
    """Approve all that the turn waits for, as far as this caller may, and go on; returns how it stands then."""
    while turn.status is Status.WAITING:
        open_ones = [a for a in turn.approvals if a.status == "pending" and may_approve(a, caller)]
        if not open_ones:
            break
        for approval in open_ones:
            show_card(run, desk, approval)
            approve(run, desk, approval, caller, language_of_card(approval))
        turn = play(run, desk.resume_events(turn.thread, viewer=caller))
    return turn


def decide(run: Run, desk: Desk, approval: Approval, caller: Caller) -> Approval | None:
    """Show the card and ask. None once it is decided, else the approval that is left to decide."""
    out = run.output
    show_card(run, desk, approval)
    while True:
        lang = language_of_card(approval)
        if not may_approve(approval, caller):
            tell_who_may(run, desk, approval, caller, lang)
            return approval
        answer = read(say("choose", lang))
        try:
            match (answer or "l").casefold()[:1]:
                case "a" | "批":
                    return approve(run, desk, approval, caller, lang)
                case "e" | "修" | "改":
                    if edited := _edit(run, desk, approval, caller, lang):
                        approval = edited
                        show_card(run, desk, approval)
                case "r" | "拒":
                    reject(run, desk, approval, caller, read(say("why", lang)) or "", lang)
                    return None
                case "l" | "稍":
                    return approval
                case _:
                    out.note(say("unclear", lang), "")
        except UserError as error:
            out.problem(str(error), error.exit_code, type(error).__name__)
            approval = desk.approval(approval.id, viewer=caller)
            if approval.status != "pending":
                return approval


def approve(run: Run, desk: Desk, approval: Approval, caller: Caller, lang: Language) -> Approval | None:
    """Approve, and say so. The approval is returned when it needs further people."""
    decided = desk.decide(approval.id, "approve", by=caller)
    if decided.status == "pending":
        have, count = len(decided.approvers), decided.rule.count
        run.output.note(say("one_of", lang, by=caller.name, id=decided.id, have=have, count=count), "yellow")
        return decided
    run.output.note(say("approved_by", lang, by=caller.name, id=decided.id), "green")
    return None


def reject(run: Run, desk: Desk, approval: Approval, caller: Caller, reason: str, lang: Language) -> Approval:
    """Reject, and say so."""
    decided = desk.decide(approval.id, "reject", by=caller, reason=reason)
    run.output.note(say("rejected_by", lang, by=caller.name, id=decided.id), "yellow")
    return decided


def tell_who_may(run: Run, desk: Desk, approval: Approval, caller: Caller, lang: Language) -> None:
    """That the caller may not decide, and who may."""
    who = ", ".join(p.name for p in entitled(desk, approval)) or say("nobody", lang)
    rule = told_rule(approval, lang)
    run.output.note(say("not_you", lang, by=caller.name, id=approval.id, rule=rule, who=who), "yellow")


def parse_changes(desk: Desk, approval: Approval, settings: list[str]) -> dict[str, Any]:
    """`name=value` as the arguments of an edit. Raises `UsageError`."""
    return arguments_of(desk.services.gateway.registry.get(approval.tool), settings)


def arguments_of(tool: Tool | None, settings: list[str]) -> dict[str, Any]:
    """`name=value` as a tool's arguments: text where it takes text, else JSON. Raises `UsageError`."""
    fields: Mapping[str, Any] = tool.parameters.get("properties", {}) if tool else {}
    changes: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        name = name.strip()
        if not equals or not name:
            raise UsageError(f"{setting!r} is not a change: write name=value, such as order_id=A1003.")
        changes[name] = value if _takes_text(fields.get(name, {})) else _json(value)
    return changes


def _edit(run: Run, desk: Desk, approval: Approval, caller: Caller, lang: Language) -> Approval | None:
    run.output.note(say("keep", lang), "")
    given: list[str] = []
    for name, value in approval.args.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if (new := read(f"  {name} [{visible(shown)}]: ")) is None:
            return None
        if new:
            given.append(f"{name}={new}")
    if not given:
        run.output.note(say("unchanged", lang), "")
        return None
    reason = read(say("why", lang)) or ""
    edited = desk.decide(approval.id, "edit", by=caller, reason=reason, args=parse_changes(desk, approval, given))
    run.output.note(say("new_card", lang, old=approval.id), "yellow")
    return edited


def _takes_text(schema: Mapping[str, Any]) -> bool:
    kinds = [schema, *schema.get("anyOf", [])]
    return any(k.get("type") == "string" or k.get("enum") for k in kinds)


def _json(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value
