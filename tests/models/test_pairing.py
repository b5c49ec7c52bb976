"""Ids of calls: each call has its own, whatever the record says."""

from __future__ import annotations

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from signoff.models.pairing import paired


def test_an_id_that_comes_again_and_again_is_numbered_and_keeps_its_length() -> None:
    rounds = 400
    record: list[BaseMessage] = [HumanMessage("go")]
    for n in range(rounds):
        record.append(AIMessage("", tool_calls=[tool_call(name="look", args={"n": n}, id="call_0")]))
        record.append(ToolMessage(str(n), tool_call_id="call_0"))
    view = paired(record)
    ids = [c["id"] or "" for m in view if isinstance(m, AIMessage) for c in m.tool_calls]
    assert ids == ["call_0", *(f"call_0_{n}" for n in range(2, rounds + 1))]
    results = [(m.tool_call_id, m.content) for m in view if isinstance(m, ToolMessage)]
    assert results == [(i, str(n)) for n, i in enumerate(ids)]


def test_a_number_that_is_somebody_elses_id_is_passed_over() -> None:
    calls = [tool_call(name="look", args={}, id=i) for i in ("a_2", "a", "a", "a", "a_2")]
    (message, *results) = paired([AIMessage("", tool_calls=calls)])
    assert isinstance(message, AIMessage)
    assert [c["id"] for c in message.tool_calls] == ["a_2", "a", "a_3", "a_4", "a_2_2"]
    assert [m.tool_call_id for m in results if isinstance(m, ToolMessage)] == [c["id"] for c in message.tool_calls]
