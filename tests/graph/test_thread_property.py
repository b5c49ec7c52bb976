"""Whatever happens to a thread, in whatever order, it stays valid, goes on, and does nothing twice."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from history import faults
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from people import OTHER, REQUESTER, SECOND, SUPERVISOR
from scripted import ScriptedModel, call, calls, stamp_tool
from sqlalchemy import text

from signoff import Desk
from signoff.errors import UserError
from signoff.state import Status

ASKS = [
    "stamp it",
    "refund A1003",
    "refund A1004",
    "both",
    "look A1001",
    "address A1002",
    "hello",
    "ticket",
    "nonsense",
]
PLACES = ["prepare", "propose", "settle", "consume", "claim", "invoke", "finish", "record", "put", "call"]


class Crash(BaseException):
    """The process is gone, as far as the code under test can tell."""


def brain(messages: Sequence[BaseMessage]) -> AIMessage | str:
    """Proposes what the newest question names; once it has answers, it says so."""
    newest = max(i for i, m in enumerate(messages) if isinstance(m, HumanMessage) and not _internal(m))
    asked = str(messages[newest].content).partition("\n")[0]
    if any(isinstance(m, ToolMessage) for m in messages[newest:]):
        return "That is how it stands."
    match asked.split():
        case ["refund", order]:
            return call("refund_order", order_id=order, reason="it arrived broken")
        case ["stamp", word]:
            return call("stamp", words=word)
        case ["both"]:
            return calls(
                ("query_order", {"order_id": "A1001"}, "same"),
                ("refund_order", {"order_id": "A1003", "reason": "it arrived broken"}, "x"),
                ("refund_order", {"order_id": "A1004", "reason": "it arrived broken"}, "y"),
            )
        case ["look", order]:
            return calls(
                ("query_order", {"order_id": order}, "same"), ("query_logistics", {"order_id": order}, "same2")
            )
        case ["address", order]:
            return call("update_address", order_id=order, address="8 Renmin Road, Shanghai")
        case ["ticket"]:
            return call("create_ticket_draft", title="Printer", details="The printer on floor 3 is broken.")
        case ["nonsense"]:
            return calls(("no_such_tool", {}, "n"), ("query_order", {"order_id": 7, "extra": 1}, "m"))
    return "Hello."


def _internal(message: HumanMessage) -> bool:
    return str(message.content).startswith(("<findings>", "<close>"))


class Threads(RuleBasedStateMachine):
    source: Path
    checkpoints = Bundle("checkpoints")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        shutil.copytree(self.source, self.folder / "home")
        self.thread = "th-1"
        self.started = False
        self._open()

    def _open(self) -> None:
        self.stamps = self.folder / "stamps"
        self.desk = Desk.open(self.folder / "home", model=ScriptedModel(lines=[brain]), tools=[stamp_tool(self.stamps)])

    def teardown(self) -> None:
        try:
            if self.started:
                turn = self.desk.ask("hello", caller=REQUESTER, thread=self.thread)
                assert turn.status is Status.DONE, turn
                assert faults(self.desk.messages(self.thread)) == []
        finally:
            self.desk.close()
            shutil.rmtree(self.folder)

    @initialize(asked=st.sampled_from(ASKS))
    def begin(self, asked: str) -> None:
        self.desk.ask(asked, caller=REQUESTER, thread=self.thread)
        self.started = True

    @rule(asked=st.sampled_from(ASKS))
    def ask(self, asked: str) -> None:
        self.desk.ask(asked, caller=REQUESTER, thread=self.thread)

    @rule()
    def resume(self) -> None:
        self.desk.resume(self.thread)

    @rule(
        decision=st.sampled_from(["approve", "approve", "reject"]),
        by=st.sampled_from([REQUESTER, SUPERVISOR, SECOND, OTHER]),
    )
    def decide(self, decision: str, by: Any) -> None:
        for approval in self.desk.approvals(SUPERVISOR, status=None):
            with suppress(UserError):
                self.desk.decide(approval.id, decision, by=by)

    @rule()
    def edit(self) -> None:
        for approval in self.desk.approvals(SUPERVISOR):
            changed = (
                {"address": "9 Renmin Road, Shanghai"} if "address" in approval.args else {"reason": "broken glass"}
            )
            with suppress(UserError):
                self.desk.decide(approval.id, "edit", by=SECOND, args=changed)

    @rule()
    def expire(self) -> None:
        with self.desk.services.database.write() as tx:
            tx.execute(text("UPDATE approvals SET expires_at = '2020-01-01T00:00:00+00:00'"))

    @rule(
        asked=st.sampled_from([*ASKS, None]), place=st.sampled_from(PLACES), after=st.booleans(), nth=st.integers(1, 3)
    )
    def crash(self, asked: str | None, place: str, after: bool, nth: int) -> None:
        services = self.desk.services
        owner: Any = {
            "prepare": services.gateway,
            "record": services.gateway,
            "invoke": services.gateway,
            "propose": services.proposals,
            "settle": services.effects,
            "consume": services.gateway.inbox,
            "claim": services.gateway.ledger,
            "finish": services.gateway.ledger,
            "put": self.desk.graph.checkpointer,
            "call": services.model,
        }[place]
        real, left = getattr(owner, place), [nth]

        def dying(*args: Any, **kwargs: Any) -> Any:
            left[0] -= 1
            if left[0] == 0 and not after:
                raise Crash
            result = real(*args, **kwargs)
            if left[0] == 0:
                raise Crash
            return result

        setattr(owner, place, dying)
        try:
            if asked is None:
                self.desk.resume(self.thread)
            else:
                self.desk.ask(asked, caller=REQUESTER, thread=self.thread)
        except Crash:
            pass
        finally:
            self.desk.close()
        self._open()

    @rule(asked=st.sampled_from(ASKS), items=st.integers(1, 6))
    def cancel(self, asked: str, items: int) -> None:
        events = self.desk.ask_events(asked, caller=REQUESTER, thread=self.thread)
        for _, _ in zip(range(items), events, strict=False):
            pass
        events.close()  # type: ignore[attr-defined]

    @rule(target=checkpoints, place=st.integers(0, 30))
    def look_back(self, place: int) -> Any:
        steps = self.desk.history(self.thread, limit=40)
        return multiple(*(s.checkpoint for s in steps[place : place + 1]))

    @rule(checkpoint=checkpoints, recorded=st.booleans())
    def replay(self, checkpoint: str, recorded: bool) -> None:
        before = self._records(), [m.id for m in self.desk.messages(self.thread)]
        try:
            self.desk.replay(self.thread, checkpoint, recorded=recorded)
        except UserError:
            assert recorded
        assert (self._records(), [m.id for m in self.desk.messages(self.thread)]) == before

    @rule(checkpoint=checkpoints, asked=st.sampled_from([*ASKS, None, None]))
    def fork(self, checkpoint: str, asked: str | None) -> None:
        self.desk.fork(self.thread, checkpoint, asked)

    def _records(self) -> list[Any]:
        """Everything that a replay must leave alone."""
        with self.desk.services.database.read() as tx:
            return [
                [tuple(r) for r in tx.execute(text(f"SELECT * FROM {table}"))]
                for table in ("effects", "approvals", "decisions", "audit", "refunds", "tickets")
            ]

    @invariant()
    def history_is_valid(self) -> None:
        if not self.started:
            return
        found = faults(self.desk.messages(self.thread), parked=True)
        state = self.desk.graph.get_state({"configurable": {"thread_id": self.thread}})
        if {task.name for task in state.tasks} & {"__start__", "route"}:
            # Cut off before the new turn closed what the last one left open: going on closes it. Not `next`: a
            # step whose writes were kept before the crash is in `tasks` only.
            self.desk.resume(self.thread)
            found = faults(self.desk.messages(self.thread), parked=True)
        assert found == []

    @invariant()
    def nothing_ran_that_was_not_signed_off_nor_twice(self) -> None:
        with self.desk.services.database.read() as tx:
            refunds = [r[0] for r in tx.execute(text("SELECT order_id FROM refunds WHERE tenant = 'acme'"))]
            assert len(refunds) == len(set(refunds))
            done = list(tx.execute(text("SELECT call, digest, tool FROM effects WHERE status = 'done'")))
            # A refund without its row in the ledger, or a use without an effect, was not performed by the rules.
            performed = {r[0] for r in tx.execute(text("SELECT call FROM effects"))}
            refunded = {r[0] for r in tx.execute(text("SELECT call FROM refunds WHERE call IS NOT NULL"))}
            used = [r[0] for r in tx.execute(text("SELECT call FROM approvals WHERE status = 'used'"))]
            assert refunded <= performed and len(used) == len(set(used)) and set(used) <= performed
            stamped = self.stamps.read_text().splitlines() if self.stamps.exists() else []
            claimed = tx.execute(text("SELECT COUNT(*) FROM effects WHERE tool = 'stamp'")).scalar()
            assert len(stamped) <= (claimed or 0)
            for called, digest, tool in done:
                if tool == "create_ticket_draft":
                    continue
                rows = list(
                    tx.execute(
                        text(
                            "SELECT a.status FROM approvals a JOIN decisions d ON d.approval = a.id "
                            "WHERE a.call = :call AND a.digest = :digest AND d.kind = 'approve'"
                        ),
                        {"call": called, "digest": digest},
                    )
                )
                assert rows and all(r[0] == "used" for r in rows), (called, tool, rows)


@pytest.mark.slow
def test_a_thread_survives_every_order_of_events(sample_home: Path) -> None:
    Threads.source = sample_home
    Threads.TestCase.settings = settings(
        max_examples=25,
        stateful_step_count=12,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate],  # a failing run of a few steps is readable as it is
    )
    Threads.TestCase().runTest()
