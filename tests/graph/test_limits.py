"""A turn ends by itself, in words, whatever the model does."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from history import faults
from langchain_core.messages import AIMessage, HumanMessage
from people import REQUESTER, refunds
from scripted import ScriptedModel, call, calls

from signoff import Desk
from signoff.errors import NotFound, ProviderUnavailable, UsageError
from signoff.state import Status


def hungry(order: int = 1000) -> Callable[[object], AIMessage]:
    """A model that always wants one more, different call."""
    state = [order]

    def say(messages: object) -> AIMessage:
        state[0] += 1
        return call("query_order", order_id=f"A{state[0]}")

    return say


ORDERS = "tell me about A1001, A1002, A1003, A1004, A1005, A1006, A1007, A1008, A1009, A1010, A1011, A1012"


@pytest.mark.parametrize("rounds", [1, 2, 8])
def test_a_model_that_never_stops_is_stopped_after_the_rounds_and_says_what_is_known(
    rounds: int, open_desk: Callable[..., Desk]
) -> None:
    desk = open_desk(model=ScriptedModel(lines=[hungry()]), max_rounds=rounds)
    turn = desk.ask(ORDERS, caller=REQUESTER)
    assert turn.status is Status.EXHAUSTED
    assert turn.usage["rounds"] == rounds
    assert turn.limit and str(rounds) in turn.limit
    assert "A1001" in turn.answer
    assert faults(desk.messages(turn.thread)) == []


def test_a_closing_answer_is_asked_for_without_tools(open_desk: Callable[..., Desk]) -> None:
    def brain(messages: list[object]) -> AIMessage | str:
        last = messages[-1]
        return (
            "Only that much." if isinstance(last, HumanMessage) and "<close>" in str(last.content) else more(messages)
        )

    more = hungry()
    model = ScriptedModel(lines=[brain])
    turn = open_desk(model=model, max_rounds=2).ask(ORDERS, caller=REQUESTER)
    assert (turn.status, turn.answer) == (Status.EXHAUSTED, "Only that much.")
    assert model.offered[-1] == [] and model.offered[0]


@pytest.mark.parametrize(("option", "value"), [("max_prompt_tokens", 1_500), ("max_work_s", 0.001)])
def test_tokens_and_time_are_limits_too(option: str, value: float, open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(model=ScriptedModel(lines=[hungry()]), **{option: value})
    turn = desk.ask(ORDERS, caller=REQUESTER)
    assert turn.status is Status.EXHAUSTED
    assert turn.usage["rounds"] < 8


def test_the_third_identical_call_is_not_carried_out_even_between_others(open_desk: Callable[..., Desk]) -> None:
    a, b = call("query_order", order_id="A1001"), call("query_logistics", order_id="A1001")
    said = ScriptedModel(lines=[a, b, a, b, a, "A1001 was signed for on 2026-10-22."])
    desk = open_desk(model=said, max_idle_rounds=3)
    turn = desk.ask("what about A1001", caller=REQUESTER)
    assert [s.outcome for s in turn.steps] == ["ok", "ok", "ok", "ok", "REPEATED_CALL"]


def test_wrong_arguments_may_be_mended_twice(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(model=ScriptedModel(lines=[call("query_order", order=1)] * 3 + ["I do not know."]))
    turn = desk.ask("what about A1001", caller=REQUESTER)
    assert [s.outcome for s in turn.steps] == ["INVALID_ARGUMENTS", "INVALID_ARGUMENTS", "LIMIT_REACHED"]
    assert "order_id is missing" in turn.steps[0].summary


@pytest.mark.parametrize(
    ("question", "words"), [("hello there, about A1001", "language model"), ("订单 A1001 怎么样", "语言模型")]
)
def test_a_failing_provider_ends_the_turn_with_a_sentence(
    question: str, words: str, open_desk: Callable[..., Desk]
) -> None:
    failing = ScriptedModel(lines=[ProviderUnavailable("The endpoint did not answer: see SIGNOFF_MODEL_BASE_URL.")])
    desk = open_desk(model=failing)
    turn = desk.ask(question, caller=REQUESTER)
    assert turn.status is Status.FAILED
    assert words in turn.answer and "SIGNOFF_MODEL_BASE_URL" in turn.answer
    assert desk.ask("hello", caller=REQUESTER, thread=turn.thread).status is Status.FAILED


def test_a_fault_inside_the_desk_is_told_and_the_thread_goes_on(
    open_desk: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = open_desk(model=ScriptedModel(lines=[call("query_order", order_id="A1001"), "Fine."]))
    with monkeypatch.context() as patch:
        patch.setattr(desk.services.gateway, "read", lambda *_: 1 / 0)
        turn = desk.ask("what about A1001", caller=REQUESTER)
    assert turn.status is Status.FAILED
    assert "ZeroDivisionError" in (turn.error or "")
    assert "division" not in turn.answer
    assert desk.ask("hello", caller=REQUESTER, thread=turn.thread).answer == "Fine."
    assert faults(desk.messages(turn.thread)) == []


def test_an_empty_answer_is_asked_for_again_and_then_ends_in_words(open_desk: Callable[..., Desk]) -> None:
    model = ScriptedModel(lines=[""])
    turn = open_desk(model=model).ask("what about A1001", caller=REQUESTER)
    assert len(model.prompts) >= 2
    assert turn.status in (Status.DONE, Status.FAILED) and turn.answer


def test_an_unsupported_claim_is_sent_back_once_and_then_removed(open_desk: Callable[..., Desk]) -> None:
    lie = "Order A1003 has been refunded with refund id R7777."
    model = ScriptedModel(lines=[call("query_order", order_id="A1003"), lie])
    desk = open_desk(model=model)
    turn = desk.ask("refund A1003?", caller=REQUESTER)
    assert len(model.prompts) == 3
    assert "<findings>" in str(model.prompts[-1][-1].content)
    assert "R7777" not in turn.answer and "has been refunded" not in turn.answer
    assert refunds(desk) == []


def test_calls_that_cannot_be_read_each_get_an_answer(open_desk: Callable[..., Desk]) -> None:
    broken = AIMessage(
        "",
        tool_calls=[{"name": "query_order", "args": {"order_id": "A1001"}, "id": "a", "type": "tool_call"}],
        invalid_tool_calls=[
            {"name": "query_order", "args": '{"order_id": "A10', "id": "b", "error": "cut", "type": "invalid_tool_call"}
        ],
    )
    desk = open_desk(model=ScriptedModel(lines=[broken, "A1001 was signed for."]))
    turn = desk.ask("what about A1001", caller=REQUESTER)
    assert turn.status is Status.DONE
    assert faults(desk.messages(turn.thread)) == []
    assert "INVALID_ARGUMENTS" in str(desk.messages(turn.thread)[-2].content)


def test_two_calls_with_one_id_are_told_apart(open_desk: Callable[..., Desk]) -> None:
    doubled = calls(
        ("query_order", {"order_id": "A1001"}, "same"),
        ("query_order", {"order_id": "A1001"}, "same"),
        ("query_order", {"order_id": "A1002"}, "same"),
    )
    desk = open_desk(model=ScriptedModel(lines=[doubled, "A1001 was signed for."]))
    turn = desk.ask("what about A1001 and A1002", caller=REQUESTER)
    assert faults(desk.messages(turn.thread)) == []
    contents = " ".join(str(m.content) for m in desk.messages(turn.thread))
    assert contents.count('"order_id": "A1001"') == 1
    assert "DUPLICATE_CALL_ID" in contents


def test_an_endpoint_that_repeats_ids_between_turns_does_no_harm(open_desk: Callable[..., Desk]) -> None:
    one = call("query_order", id="call_0", order_id="A1001")
    desk = open_desk(model=ScriptedModel(lines=[one, "Signed for.", one, "Signed for."]))
    turn = desk.ask("what about A1001", caller=REQUESTER)
    desk.ask("and A1001 again", caller=REQUESTER, thread=turn.thread)
    assert faults(desk.messages(turn.thread)) == []


@pytest.mark.parametrize("question", ["", "   ", "\n"])
def test_an_empty_question_is_refused(question: str, desk: Desk) -> None:
    with pytest.raises(UsageError, match="empty"):
        desk.ask(question, caller=REQUESTER)


def test_what_does_not_exist_is_not_found(desk: Desk) -> None:
    thread = desk.ask("hello", caller=REQUESTER).thread
    for wrong in (
        lambda: desk.resume("th-none"),
        lambda: desk.history("th-none"),
        lambda: desk.fork(thread, "nope"),
        lambda: desk.replay(thread, "nope"),
        lambda: desk.delete("th-none"),
        lambda: desk.decide("ap-none", "approve", by=REQUESTER),
    ):
        with pytest.raises(NotFound):
            wrong()
