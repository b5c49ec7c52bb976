"""How words become values: slips, codes written apart, states, sums that go on, and things picked by what they are."""

from __future__ import annotations

from typing import Any

import pytest
from conversation import Conversation, done
from toolsets import TOOLSETS

from signoff.models.rehearsal import choices, spelling, sums
from signoff.models.rehearsal.cards import read
from signoff.models.rehearsal.meaning import Meaning, encoder
from signoff.models.rehearsal.memory import Memory
from signoff.models.rehearsal.names import topic
from signoff.models.rehearsal.prompt import Prompt
from signoff.models.rehearsal.slots import fill
from signoff.tools.catalog import service_tools

SERVICE = {c.name: c for c in read([t.schema() for t in service_tools()])}
ORDERS = [
    {"order_id": "A1002", "status": "paid", "items": "desk lamp ×1", "items_zh": "护眼台灯 ×1"},
    {"order_id": "A1006", "status": "in_transit", "items": "ergonomic stool ×1", "items_zh": "人体工学凳 ×1"},
    {"order_id": "A1003", "status": "delivered", "items": "headset ×1", "items_zh": "降噪耳机 ×1"},
]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("chekc my ordr", "check my order"),
        ("refnud it, the adress is wrong", "refund it, the address is wrong"),
        ("charge the older form", "charge the older form"),
        ("mail ann@exmaple.com about https://ordr.example", "mail ann@exmaple.com about https://ordr.example"),
    ],
)
def test_slips_of_the_finger_are_mended_and_other_words_are_left(written: str, meant: str) -> None:
    assert spelling.mended(written) == meant


@pytest.mark.parametrize(
    ("words", "order"),
    [("check order A 1002", "A1002"), ("order A-1002 please", "A1002"), ("status of a1002", "A1002"),
     ("A 1500 yuan order", None), ("give me A 2000 units", None)],
)  # fmt: skip
def test_a_code_written_apart_is_read_as_one_and_an_amount_is_none(words: str, order: str | None) -> None:
    filled = fill(SERVICE["query_order"], words, Memory(Prompt(words)))
    assert [c.get("order_id") for c in filled.calls] == [order]


@pytest.mark.parametrize(
    ("tool", "words", "value"),
    [
        ("list_my_tickets", "any tickets of mine still open?", "open"),
        ("list_my_tickets", "show my ticket drafts", "draft"),
        ("list_my_orders", "show everything that's been delivered already", "delivered"),
        ("list_my_orders", "有没有已经退过款的订单", "refunded"),
        ("list_my_orders", "Cancel my latest order", None),
        ("list_my_orders", "退款一般多久到账", None),
        ("create_ticket_draft", "the chair squeaks, it can wait", "low"),
        ("create_ticket_draft", "the badge reader is dead, this is urgent", "high"),
        ("create_ticket_draft", "the lift is stuck, it can't wait", None),
    ],
)
def test_a_state_is_named_by_its_own_word_and_not_by_the_order_for_it(tool: str, words: str, value: Any) -> None:
    card = SERVICE[tool]
    parameter = next(p for p in card.parameters if p.schema.get("enum"))
    found = choices.find(card, parameter, words)
    assert (found.value if found else None) == value


@pytest.mark.parametrize(
    ("words", "before", "made"),
    [
        ("and that divided by 8?", "25 * 4", "(25 * 4) / 8"),
        ("再减30", "100 + 50", "(100 + 50) - 30"),
        ("divide it by 6", "12*12", "(12*12) / 6"),
        ("结果乘以 2", "3 + 4", "(3 + 4) * 2"),
        ("what about Paris?", "3 + 4", None),
        ("thanks", "3 + 4", None),
    ],
)
def test_a_sum_goes_on_with_what_came_out(words: str, before: str, made: str | None) -> None:
    assert sums.continued(words, before) == made


@pytest.mark.parametrize(
    ("words", "expression"),
    [
        ("三百块打八五折多少钱", "300 * 0.85"),
        ("599 元打七折是多少", "599 * 0.7"),
        ("A dinner of 468 split between 6 people, how much each?", "468 / 6"),
        ("Split 96 dollars between 4 friends", "96 / 4"),
        ("240块钱五个人平分,每人多少", "240 / 5"),
    ],
)
def test_shares_and_reductions_are_sums(words: str, expression: str) -> None:
    assert sums.expression(words) == expression


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("第43周 borealis 有啥进展", "borealis"),
        ("青鸟项目上周做了什么", "青鸟"),
        ("第43周有啥进展", None),
        ("what is new?", None),
    ],
)  # fmt: skip
def test_what_a_question_is_about_is_the_one_name_in_it(words: str, name: str | None) -> None:
    found = topic(words, ())
    assert (found.value if found else None) == name


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("where is the stool now?", ("query_logistics", "A1006")),
        ("把还没发货的那个取消了", ("cancel_order", "A1002")),
        ("return the headset, it is broken", ("refund_order", "A1003")),
    ],
)
def test_one_of_several_is_picked_by_what_it_is(words: str, call: tuple[str, str]) -> None:
    desk = Conversation([t.schema() for t in service_tools()], {"list_my_orders": done({"orders": ORDERS}, "3 orders")})
    desk.ask("show my orders")
    desk.ask(words)
    assert [(n, a.get("order_id")) for n, a in desk.calls] == [call]


def test_what_was_made_is_taken_back_when_it_is_not_wanted() -> None:
    made = {"ticket_id": "T1005", "undo": {"tool": "discard_ticket_draft", "arguments": {"ticket_id": "T1005"}}}
    for first, then in (
        ("create a ticket: my lamp flickers", "oh it works again, throw that draft away"),
        ("帮我建工单:键盘空格键失灵", "算了,草稿不要了"),
    ):
        desk = Conversation([t.schema() for t in service_tools()], {"create_ticket_draft": done(made, "drafted")})
        desk.ask(first)
        desk.ask(then)
        assert desk.calls == [("discard_ticket_draft", {"ticket_id": "T1005"})]


@pytest.mark.parametrize("reply", ["oh forget it, never mind", "算了", "never mind", "不用了"])
def test_what_the_desk_asked_back_about_can_be_dropped(reply: str) -> None:
    desk = Conversation([t.schema() for t in service_tools()], {})
    asked = desk.ask("Refund my order")
    desk.ask(reply)
    assert asked.rstrip().endswith("?") and desk.calls == []


def test_meaning_tells_tools_apart_that_share_no_word_with_the_request() -> None:
    if encoder() is None:
        pytest.skip("the packaged encoder is not installed")
    scores = Meaning(list(SERVICE.values())).scores("我的包裹啥时候能到呀")
    assert max(scores, key=lambda n: scores[n]) == "query_logistics"


def test_tools_are_chosen_by_words_alone_where_there_is_no_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.models.rehearsal.meaning.encoder", lambda: None)
    desk = Conversation(TOOLSETS[next(iter(TOOLSETS))], {})
    assert desk.ask("hello") and desk.calls == []
    desk = Conversation([t.schema() for t in service_tools()], {"query_order": done({"order_id": "A1001"}, "found")})
    desk.ask("What is the status of order A1001?")
    assert desk.calls == [("query_order", {"order_id": "A1001"})]
