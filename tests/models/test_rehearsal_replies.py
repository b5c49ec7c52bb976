"""What the rehearsal model makes of replies and of wishes that go against what was done, on the service desk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from people import REQUESTER, refunds

from signoff import Desk, Turn
from signoff.state import Status

Ask = Callable[..., Turn]


@pytest.fixture
def talk(desk: Desk) -> Callable[..., Turn]:
    """Says one thing after another in one thread and returns the last turn."""

    def say(*words: str) -> Turn:
        turn = desk.ask(words[0], caller=REQUESTER)
        for more in words[1:]:
            turn = desk.ask(more, caller=REQUESTER, thread=turn.thread)
        return turn

    return say


def calls(turn: Turn) -> list[tuple[str, dict[str, Any]]]:
    """The calls of a turn beside the search for tools, without arguments that were left out."""
    return [
        (s.tool, {k: v for k, v in s.args.items() if v not in (None, "")}) for s in turn.steps if s.tool != "find_tools"
    ]


def searches(turn: Turn) -> int:
    return sum(1 for s in turn.steps if s.tool == "find_tools")


@pytest.mark.parametrize(
    "words",
    [
        "Can I speak to a representative?",
        "put me through to someone",
        "could you connect me to a real person please",
        "is there a human I can talk to?",
        "I'd rather not talk to a bot, get me a person",
        "我不想跟机器人说话了",
        "能转人工吗？",
        "帮我找个真人",
        "有人工客服吗",
    ],
)
def test_who_wants_a_person_is_handed_over(words: str, talk: Ask) -> None:
    turn = talk(words)
    assert [n for n, _ in calls(turn)] == ["hand_over"] and turn.status is Status.HANDED_OVER
    assert searches(turn) <= 1


@pytest.mark.parametrize(
    "words", ["what is the human resources policy?", "客服电话是多少", "when is customer service open?", "不用找人工"]
)
def test_who_only_speaks_of_people_is_not_handed_over(words: str, talk: Ask) -> None:
    assert "hand_over" not in [n for n, _ in calls(talk(words))]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("转人工", "不用转人工了"),
        ("转人工", "算了，不需要人工了"),
        ("转人工", "取消转人工"),
        ("I want to talk to a human", "never mind, no human needed"),
        ("Can I speak to a representative?", "I don't need an agent any more"),
        ("I want to talk to a human", "cancel the hand-over please"),
    ],
)
def test_a_person_that_is_no_longer_wanted_is_taken_back(first: str, then: str, talk: Ask) -> None:
    turn = talk(first, then)
    assert [n for n, _ in calls(turn)] == ["take_back_hand_over"] and searches(turn) <= 1
    assert turn.steps[-1].data["handed_over"] is False


@pytest.mark.parametrize(
    ("first", "then", "tool"),
    [
        ("create a ticket: printer is broken", "don't create the ticket after all", "discard_ticket_draft"),
        ("remember that I like tea", "please don't remember that", "forget_memory"),
    ],
)
def test_what_was_done_and_is_turned_down_is_undone(first: str, then: str, tool: str, talk: Ask) -> None:
    assert [n for n, _ in calls(talk(first, then))] == [tool]


@pytest.mark.parametrize("words", ["don't forget to cancel A1002", "别忘了帮我取消A1002"])
def test_a_task_that_is_not_to_be_forgotten_is_done_and_not_remembered(words: str, talk: Ask) -> None:
    assert calls(talk(words)) == [("cancel_order", {"order_id": "A1002"})]


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("please don't forget that my manager is Li Lei", "my manager is Li Lei"),
        ("别忘了我的经理是李雷", "我的经理是李雷"),
        ("记一下,我周三下午不在", "我周三下午不在"),
    ],
)
def test_what_is_not_to_be_forgotten_is_remembered(words: str, kept: str, talk: Ask) -> None:
    turn = talk(words)
    assert calls(turn) == [("remember", {"text": kept, "kind": "semantic"})] or calls(turn) == [
        ("remember", {"text": kept})
    ]


PARTS = [
    "refund 100 yuan of A1003",
    "Could you refund 50% of A1003?",
    "refund half of A1003, it arrived broken",
    "I'd like a partial refund for A1003",
    "Please refund A1003 and track A1006, only 100 yuan though",
    "A1003 只退100元",
    "退我100块,订单A1003",
    "A1003 有 2 件,退其中一件",
]


@pytest.mark.parametrize("words", PARTS)
def test_a_part_of_what_is_only_refunded_whole_is_asked_about_and_not_proposed(words: str, talk: Ask) -> None:
    turn = talk(words)
    assert not turn.approvals and "refund_order" not in [n for n, _ in calls(turn)]
    assert "whole amount" in turn.answer or "全额" in turn.answer


@pytest.mark.parametrize(
    ("words", "reply", "proposed"),
    [
        (PARTS[0], "yes", True),
        (PARTS[2], "yes, the whole amount", True),
        (PARTS[5], "好的，全额退", True),
        (PARTS[0], "no thanks", False),
        (PARTS[5], "不用了", False),
    ],
)
def test_the_reply_decides_whether_the_whole_is_proposed(words: str, reply: str, proposed: bool, talk: Ask) -> None:
    turn = talk(words, reply)
    assert [a.args["order_id"] for a in turn.approvals] == (["A1003"] if proposed else [])


@pytest.mark.parametrize(
    "words",
    [
        "refund A1003, I paid 299 yuan and it arrived broken",
        "refund the full 299 yuan of A1003",
        "Refund A1003 because half of it is broken",
        "我花了299元买的A1003坏了,退款",
    ],
)
def test_a_sum_that_is_only_told_does_not_hold_a_refund_up(words: str, talk: Ask) -> None:
    assert [a.args["order_id"] for a in talk(words).approvals] == ["A1003"]


WAITING = {"en": "Refund order A1003, it arrived broken", "zh": "订单 A1003 收到就是坏的,帮我退款"}


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "yes"),
        ("en", "approve"),
        ("en", "ok go ahead"),
        ("en", "looks good, approved"),
        ("en", "yes please approve the refund of A1003"),
        ("zh", "同意"),
        ("zh", "批准退款"),
        ("zh", "确认"),
    ],
)
def test_a_typed_yes_signs_nothing_and_is_told_where_to_sign(lang: str, words: str, talk: Ask, desk: Desk) -> None:
    turn = talk(WAITING[lang], words)
    assert turn.status is Status.DONE and not turn.approvals and not turn.steps and refunds(desk) == []
    parts = ("withdrawn", "not in the conversation", "again") if lang == "en" else ("撤回", "不能在对话里", "再提一次")
    assert all(p in turn.answer for p in parts)


@pytest.mark.parametrize(("lang", "words"), [("en", "never mind"), ("en", "no"), ("zh", "算了"), ("zh", "不同意")])
def test_a_typed_no_withdraws_the_change_and_says_so(lang: str, words: str, talk: Ask) -> None:
    turn = talk(WAITING[lang], words)
    assert not turn.approvals and not turn.steps and ("withdrawn" in turn.answer or "撤回" in turn.answer)


@pytest.mark.parametrize(
    ("lang", "yes", "again"), [("en", "yes", "propose it again please"), ("zh", "同意", "再提一次")]
)
def test_what_was_withdrawn_waits_again_when_it_is_asked_for_again(lang: str, yes: str, again: str, talk: Ask) -> None:
    turn = talk(WAITING[lang], yes, again)
    assert turn.status is Status.WAITING and [a.args["order_id"] for a in turn.approvals] == ["A1003"]


@pytest.mark.parametrize(
    ("lang", "words", "call"),
    [
        ("en", "no, cancel A1002 instead", ("cancel_order", {"order_id": "A1002"})),
        ("en", "where is A1006?", ("query_logistics", {"order_id": "A1006"})),
        ("zh", "A1006 到哪了", ("query_logistics", {"order_id": "A1006"})),
    ],
)
def test_another_request_while_a_change_waits_is_served(
    lang: str, words: str, call: tuple[str, Any], talk: Ask
) -> None:
    assert calls(talk(WAITING[lang], words)) == [call]


@pytest.mark.parametrize(
    "words", ["hello", "谢谢", "订单 A1001 什么状态?", "track A1006", "我有哪些订单", "yes", "转人工"]
)
def test_nothing_is_searched_for_where_an_offered_tool_or_none_is_needed(words: str, talk: Ask) -> None:
    assert searches(talk(words)) == 0
