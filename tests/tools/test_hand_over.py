"""hand_over: a conversation goes to a person with what was asked, tried and found; once, and it can be taken back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from people import OTHER, REQUESTER, STRANGER, SUPERVISOR
from pydantic import ValidationError
from sqlalchemy import text

from signoff import Desk
from signoff.caller import Caller
from signoff.errors import ToolError
from signoff.records import Records
from signoff.text import language
from signoff.tools.audit import Audit, Event
from signoff.tools.catalog.handing import hand_over, take_back_hand_over
from signoff.tools.catalog.handing_summary import SUMMARY_CHARS
from signoff.tools.contract import CallInfo, Risk, Tool


class House:
    """The two tools on the records of a home, called as the gateway calls them."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.database = desk.services.database
        self.records = Records(self.database, desk.services.clock, desk.settings)
        self.audit: Audit = desk.services.gateway.audit
        self.calls = 0

    def info(self, *said: str, thread: str = "th-1") -> CallInfo:
        self.calls += 1
        words = said or ("转人工",)
        return CallInfo(thread, "tu", f"call-{self.calls}", language(words[0]), tuple(words))

    def run(self, tool: Tool, call: CallInfo, caller: Caller = REQUESTER, **args: object) -> dict[str, object]:
        model = tool.args.model_validate(args)
        known = {"caller": caller, "records": self.records, "audit": self.audit, "call": call}
        given = {n: getattr(model, n) for n in tool.args.model_fields}
        with self.database.write() as tx:
            data = tool.fn(**given, **{n: v for n, v in {**known, "tx": tx}.items() if n in tool.injects})
        ready: dict[str, object] = json.loads(json.dumps(data))
        assert ready == data, "the data must be JSON-ready as it is"
        return ready

    def preview(self, tool: Tool, call: CallInfo, caller: Caller = REQUESTER, **args: object):  # type: ignore[no-untyped-def]
        model = tool.args.model_validate(args)
        known = {"caller": caller, "records": self.records, "audit": self.audit, "call": call}
        given = {n: getattr(model, n) for n in tool.args.model_fields}
        assert tool.preview is not None
        return tool.preview(**given, **{n: v for n, v in known.items() if n in tool.injects})

    def tried(self, tool: str, outcome: str, kind: str = "tool_call", by: Caller = REQUESTER, **args: object) -> None:
        self.audit.append(by, "th-1", "tu", Event(kind, outcome, f"c-{tool}-{outcome}", tool, args))

    def count(self) -> int:
        with self.database.read() as tx:
            return int(tx.execute(text("SELECT COUNT(*) FROM hand_overs")).scalar() or 0)


@pytest.fixture
def house(desk: Desk) -> House:
    return House(desk)


@pytest.mark.parametrize(
    ("tool", "undo"),
    [(hand_over, "take_back_hand_over"), (take_back_hand_over, "hand_over")],
    ids=lambda t: str(t)[:20],
)
def test_both_are_drafts_in_our_own_records_that_undo_each_other(tool: Tool, undo: str) -> None:
    assert (tool.risk, tool.effect, tool.undo) == (Risk.DRAFT, "local", undo)
    assert tool.preview and tool.render and 3 <= len(tool.examples) <= 6
    assert {language(e.text) for e in tool.examples} == {"zh", "en"}
    for example in tool.examples:
        tool.args.model_validate(dict(example.args))
    assert re.search(r"\b[Nn]ot\b", tool.description) and tool.description.endswith(".")
    assert all(
        len(p.get("description", "")) > 10 for p in tool.schema()["function"]["parameters"]["properties"].values()
    )


@pytest.mark.parametrize(
    ("words", "lead", "listed", "spoken"),
    [
        ("转人工", "这次对话已转给人工处理:工单 T", "用户要求", "语言:中文"),
        (
            "I want to talk to a human",
            "This conversation is now handed over to a person: ticket T",
            "Asked for",
            "English",
        ),
    ],
)
def test_the_person_is_told_the_ticket_in_their_language(
    words: str, lead: str, listed: str, spoken: str, house: House
) -> None:
    data = house.run(
        hand_over, house.info(words, "订单 A1001 能退吗" if lead.startswith("这") else "Can A1001 be returned?")
    )
    assert hand_over.render is not None
    assert hand_over.render(data, language(words)).startswith(lead)
    assert data["handed_over"] is True and data["status"] == "open"
    summary = str(data["summary"])
    assert listed in summary and "A1001" in summary and spoken in summary
    assert data["transcript"] == "signoff threads show th-1" and str(data["transcript"]) in summary
    mine = house.records.tickets(REQUESTER)[0]
    assert (mine.ticket_id, mine.details, mine.status.value) == (data["ticket_id"], summary, "open")


def test_the_summary_says_what_was_tried_and_how_it_ended_and_how_the_records_stand(house: House) -> None:
    house.tried("query_order", "ok", order_id="A1003")
    house.tried("query_order", "ok", order_id="A1003")
    house.tried("refund_order", "NOT_ELIGIBLE", order_id="A1001", reason="late")
    house.tried("refund_order", "pending", kind="proposal", order_id="A1003")
    house.tried("refund_order", "reject", kind="decision", by=SUPERVISOR, order_id="A1003")
    house.tried("remember", "ok", text="I prefer zebrafax")
    data = house.run(
        hand_over, house.info("get me a real person", "refund A1003, it is broken", "hello"), reason="refund"
    )
    summary = str(data["summary"])
    for line in (
        "- query_order(order_id=A1003): ok ×2",
        "- refund_order(order_id=A1001, reason=late): NOT_ELIGIBLE",
        "- refund_order(order_id=A1003): proposed for a signature",
        "- refund_order(order_id=A1003): reject, s-02",
        "- A1003: delivered, 299.00 yuan",
        "- refund A1003, it is broken",
    ):
        assert line in summary.splitlines(), line
    assert "zebrafax" not in summary and "- hello" not in summary.splitlines()


def test_other_threads_and_other_peoples_records_are_not_in_the_summary(house: House) -> None:
    house.tried("query_order", "ORDER_NOT_FOUND", order_id="A2001")
    house.audit.append(STRANGER, "th-1", "tu", Event("tool_call", "ok", "c", "query_order", {"order_id": "G1001"}))
    house.audit.append(REQUESTER, "th-2", "tu", Event("tool_call", "ok", "c", "query_order", {"order_id": "A1005"}))
    summary = str(house.run(hand_over, house.info("a human please"))["summary"])
    assert "G1001" not in summary and "A1005" not in summary
    assert "A2001: " not in summary and "query_order(order_id=A2001): ORDER_NOT_FOUND" in summary


def test_a_second_hand_over_answers_with_the_ticket_that_is_there(house: House) -> None:
    first = house.run(hand_over, house.info("转人工"))
    again = house.run(hand_over, house.info("转人工,快点"), reason="快点")
    assert (again["ticket_id"], again["handed_over"], again["already_handed_over"]) == (first["ticket_id"], True, True)
    assert house.count() == 1
    assert hand_over.render is not None and "之前已经" in hand_over.render(again, "zh")
    with pytest.raises(ToolError) as there:
        house.preview(hand_over, house.info("转人工"))
    assert str(first["ticket_id"]) in there.value.message_zh
    # Another conversation, and the same name on another thread's owner, are handed over by themselves.
    assert house.run(hand_over, house.info("转人工", thread="th-2"))["ticket_id"] != first["ticket_id"]


def test_it_is_taken_back_until_somebody_works_on_it_and_can_be_handed_over_again(house: House) -> None:
    first = house.run(hand_over, house.info("转人工"))
    undo = first["undo"]
    assert isinstance(undo, dict) and undo["tool"] == "take_back_hand_over"
    card = house.preview(take_back_hand_over, house.info("不用了"), **undo["arguments"])
    assert [(c.before, c.after) for c in card.changes] == [("待处理", "已作废")]
    back = house.run(take_back_hand_over, house.info("不用转人工了"))
    assert (back["handed_over"], back["ticket_id"], back["status"]) == (False, first["ticket_id"], "discarded")
    assert take_back_hand_over.render is not None and "已撤回" in take_back_hand_over.render(back, "zh")
    with pytest.raises(ToolError) as gone:
        house.run(take_back_hand_over, house.info("不用转人工了"))
    assert gone.value.code == "NOT_FOUND"
    second = house.run(hand_over, house.info("还是转人工吧"))
    assert second["ticket_id"] != first["ticket_id"] and second["already_handed_over"] is False
    with house.database.write() as tx:
        tx.execute(text("UPDATE tickets SET status = 'in_progress' WHERE ticket_id = :t"), {"t": second["ticket_id"]})
    for attempt in (house.run, house.preview):
        with pytest.raises(ToolError) as late:
            attempt(take_back_hand_over, house.info("不用了"))
        assert late.value.code == "CONFLICT" and "处理中" in late.value.message_zh


def test_a_resolved_hand_over_does_not_stand_in_the_way_of_a_new_one(house: House) -> None:
    first = house.run(hand_over, house.info("转人工"))
    with house.database.write() as tx:
        tx.execute(text("UPDATE tickets SET status = 'resolved' WHERE ticket_id = :t"), {"t": first["ticket_id"]})
    assert house.run(hand_over, house.info("转人工"))["ticket_id"] != first["ticket_id"]


@pytest.mark.parametrize("caller", [OTHER, STRANGER, SUPERVISOR], ids=lambda c: c.name)
def test_nobody_takes_back_what_somebody_else_handed_over(caller: Caller, house: House) -> None:
    first = house.run(hand_over, house.info("转人工"))
    for args in ({}, {"ticket_id": first["ticket_id"]}):
        with pytest.raises(ToolError) as refused:
            house.run(take_back_hand_over, house.info("不用了"), caller, **args)
        assert refused.value.code == "NOT_FOUND"
    assert house.run(hand_over, house.info("转人工"))["already_handed_over"] is True


@pytest.mark.parametrize(
    ("said", "urgent"),
    [
        ("转人工,很紧急", True),
        ("get me a human, it's urgent", True),
        ("I need a person right now", True),
        ("转人工,不急", False),
        ("a human please, it is not urgent", False),
        ("转人工", False),
    ],
)
def test_what_is_urgent_is_noted_and_puts_no_other_work_aside(said: str, urgent: bool, house: House) -> None:
    data = house.run(hand_over, house.info(said))
    assert data["priority"] == "normal"
    noted = {"The person says that it is urgent.", "用户表示很紧急。"} & set(str(data["summary"]).splitlines())
    assert bool(noted) == urgent
    with pytest.raises(ValidationError):
        hand_over.args.model_validate({"priority": "high"})


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("不用转人工了", False),
        ("别给我转人工", False),
        ("I don't want to talk to a human", False),
        ("no human please", False),
        ("I no longer need an agent", False),
        ("我不想跟机器人说话了,转人工", True),
        ("I do not want a bot, get me a human", True),
        ("why is there no answer? a person please", True),
        ("没有人理我,转人工", True),
    ],
)
def test_it_is_not_handed_over_against_the_persons_word(said: str, wanted: bool, house: House) -> None:
    if wanted:
        assert house.run(hand_over, house.info(said))["handed_over"] is True
        return
    for attempt in (house.run, house.preview):
        with pytest.raises(ToolError) as refused:
            attempt(hand_over, house.info(said))
        assert refused.value.code == "INVALID_ARGUMENTS" and "转人工" in refused.value.message_zh
    assert house.count() == 0


def test_a_long_conversation_makes_a_summary_of_bounded_length_that_still_says_where_to_read(house: House) -> None:
    for n in range(60):
        house.tried("query_order", f"ok{n}", order_id="A1003", reason="x" * 300)
    said = [f"request {n} " + "words " * 80 for n in range(40)]
    data = house.run(hand_over, house.info(*said), reason="r" * 300, summary="s" * 600)
    summary = str(data["summary"])
    assert len(summary) <= SUMMARY_CHARS and summary.endswith("signoff threads show th-1")
    assert "request 39 " in summary and "request 0 " in summary
    assert len(str(data["title"])) <= 120


def test_secrets_in_what_was_said_do_not_reach_the_ticket(house: House) -> None:
    data = house.run(hand_over, house.info("my password is hunter22, get me a human"))
    assert "hunter22" not in str(data["summary"])


def test_the_card_shows_the_summary_and_touches_nothing(house: House) -> None:
    card = house.preview(hand_over, house.info("转人工", "订单 A1001 能退吗"), reason="退款")
    assert card.reversible and house.count() == 0
    assert any("A1001" in (c.after or "") for c in card.changes)


def test_the_gateway_hands_over_once_whatever_is_resumed(open_desk: Callable[..., Desk]) -> None:
    from scripted import ScriptedModel, call

    desk = open_desk(model=ScriptedModel(lines=[call("hand_over", reason="my lamp"), "A person takes over."]))
    turn = desk.ask("get me a human, it is about my lamp", caller=REQUESTER)
    assert [s.outcome for s in turn.steps] == ["ok"]
    house = House(desk)
    assert house.count() == 1
    for step in desk.history(turn.thread):
        desk.replay(turn.thread, step.checkpoint, recorded=True)
    assert house.count() == 1
