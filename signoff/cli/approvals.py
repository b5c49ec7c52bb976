"""`approvals`: the inbox, one card, and decisions on it."""

from __future__ import annotations

from typing import Annotated

import typer

from signoff.cli.group import Noun
from signoff.cli.run import Run, clean, command

app = typer.Typer(cls=Noun, no_args_is_help=True)

Id = Annotated[str, typer.Argument(metavar="ID", help="The approval's id, or how it begins.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; the requester and the model are told.")]
NoResume = Annotated[bool, typer.Option("--no-resume", help="Only decide: let the thread go on later, with resume.")]
Status = Annotated[
    str,
    typer.Option(
        "--status", help="pending, approved, used, rejected, expired, withdrawn, superseded, or all of them: all."
    ),
]
Limit = Annotated[int, typer.Option("--limit", min=1, help="How many, newest first.")]


@command(app, "list")
def list_(run: Run, status: Status = "pending", limit: Limit = 50) -> None:
    """What you requested or could decide, newest first."""
    with run.desk() as desk:
        from signoff.approvals import ApprovalStatus
        from signoff.cli.output import moment
        from signoff.errors import UsageError
        from signoff.graph.turn import approval_record

        if status != "all" and status not in list(ApprovalStatus):
            raise UsageError(f"{status!r} is not a status: write {', '.join(ApprovalStatus)} or all.")
        viewer = run.caller(desk.services.database)
        found = desk.approvals(viewer, status=None if status == "all" else status, limit=limit)
        for a in found:
            run.output.event("approval", approval_record(a))
        if not found:
            run.output.note(f"No {'' if status == 'all' else status + ' '}approvals for {viewer.name}.")
            return
        zone = desk.settings.zone
        rows = [
            (a.id, a.status, a.card.title, a.requester.name, a.risk, moment(a.expires_at, zone)[:16]) for a in found
        ]
        run.output.table(("id", "status", "what", "requester", "risk", "expires"), rows, shrink=2)


@command(app)
def show(run: Run, approval: Id) -> None:
    """The card of one approval."""
    with run.desk(approval=approval) as desk:
        from signoff.cli.ids import approval_of
        from signoff.cli.turns import show_card
        from signoff.graph.turn import approval_record

        found = approval_of(desk, approval, run.caller(desk.services.database))
        run.output.event("approval", approval_record(found))
        show_card(run, desk, found, answer=True)


@command(app)
def approve(run: Run, approval: Id, no_resume: NoResume = False) -> int:
    """Sign off one call, exactly as its card shows it, and let the thread go on.

    Ends with the exit code of the turn: 0 when it is done, 10 when it waits for further signatures, 12 when
    the approval has expired.
    """
    with run.desk(approval=approval) as desk:
        from signoff.cli.asking import go_on
        from signoff.cli.card import language_of_card
        from signoff.cli.decisions import approve as sign
        from signoff.cli.exits import DONE, code_of_approval
        from signoff.cli.ids import approval_of
        from signoff.cli.turns import show_card
        from signoff.errors import DecisionRefused
        from signoff.graph.turn import approval_record

        caller = run.caller(desk.services.database)
        found = approval_of(desk, approval, caller)
        show_card(run, desk, found)
        try:
            sign(run, desk, found, caller, language_of_card(found))
        except DecisionRefused as refused:
            run.output.problem(str(refused), refused.exit_code, type(refused).__name__)
            return code_of_approval(desk.approval(found.id, viewer=caller).status)
        run.output.event("approval", approval_record(desk.approval(found.id, viewer=caller)))
        return DONE if no_resume else go_on(run, desk, found.thread, caller)


@command(app)
def reject(run: Run, approval: Id, reason: Reason = "", no_resume: NoResume = False) -> int:
    """Refuse one call, and let the thread go on so that the requester is told.

    Ends with the exit code of the turn, which is 11 for a rejected one; with --no-resume 0.
    """
    with run.desk(approval=approval) as desk:
        from signoff.cli.asking import go_on
        from signoff.cli.card import language_of_card
        from signoff.cli.decisions import reject as refuse
        from signoff.cli.exits import DONE
        from signoff.cli.ids import approval_of
        from signoff.graph.turn import approval_record

        caller = run.caller(desk.services.database)
        found = approval_of(desk, approval, caller)
        decided = refuse(run, desk, found, caller, clean(reason), language_of_card(found))
        run.output.event("approval", approval_record(decided))
        return DONE if no_resume else go_on(run, desk, found.thread, caller)


@command(app)
def edit(
    run: Run,
    approval: Id,
    set_: Annotated[
        list[str], typer.Option("--set", metavar="NAME=VALUE", help="An argument and its new value; may be repeated.")
    ],
    reason: Reason = "",
) -> int:
    """Change the arguments of a call. The result is a new approval, which must be approved itself."""
    with run.desk(approval=approval) as desk:
        from signoff.cli.asking import go_on
        from signoff.cli.card import language_of_card
        from signoff.cli.decisions import decide, parse_changes
        from signoff.cli.exits import WAITING
        from signoff.cli.ids import approval_of
        from signoff.cli.turns import show_card, ways_to_decide
        from signoff.cli.words import say
        from signoff.graph.turn import approval_record

        caller = run.caller(desk.services.database)
        old = approval_of(desk, approval, caller)
        args = parse_changes(desk, old, [clean(s) for s in set_])
        new = desk.decide(old.id, "edit", by=caller, reason=clean(reason), args=args)
        run.output.event("approval", approval_record(new))
        lang = language_of_card(new)
        run.output.note(say("new_card", lang, old=old.id), "yellow")
        if run.interactive:
            if decide(run, desk, new, caller) is None:
                return go_on(run, desk, new.thread, caller)
        else:
            show_card(run, desk, new)
        run.output.say(say("waiting", lang, id=new.id, title=new.card.title))
        run.output.say(say("to_decide", lang))
        for line in ways_to_decide(run, desk, new, caller):
            run.output.say(f"  {line}")
        return WAITING
