"""The ways to tool calls: each yields the same neutral message."""

from __future__ import annotations

import json
from typing import Any

import pytest
from openai_server import OpenAIServer, Says, Stream, called, piece, says
from ways_server import CALL, CANS, HISTORY, QUESTION, TOOLS, Said, brain, gateway, made, strict, tool

from signoff.models import breaker


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.models.gateway._FIRST_WAIT_S", 0.02)
    monkeypatch.setattr(breaker, "_breakers", {})


@pytest.mark.parametrize("system", [True, False])
@pytest.mark.parametrize("streaming", [True, False])
@pytest.mark.parametrize("way", CANS)
def test_each_way_yields_the_same_call_and_the_same_answer(way: str, streaming: bool, system: bool) -> None:
    pieces: list[str] = []
    with OpenAIServer(strict(way, brain(way))) as server:
        model = gateway(server, way, streaming=streaming, system=system)
        first = model.call(QUESTION, TOOLS, deadline_s=30, on_text=pieces.append)
        assert made(first) == [CALL] and str(first.text) == "" and pieces == []
        assert first.response_metadata["finish_reason"] == "tool_calls" and first.invalid_tool_calls == []
        second = model.call(HISTORY, TOOLS, deadline_s=30, on_text=pieces.append)
        assert str(second.text) == "已签收。" == "".join(pieces) and second.tool_calls == []
        closing = model.call(HISTORY, [], deadline_s=30)
        systems = [m for b in server.bodies for m in b["messages"] if m["role"] == "system"]
    assert second.response_metadata["finish_reason"] == "stop"
    assert (second.response_metadata["way"], second.response_metadata["usage"]) == (way, "provider")
    assert closing.tool_calls == [] and "已签收。" in str(closing.text)
    assert bool(systems) is system


def test_two_requests_of_one_answer_count_together() -> None:
    with OpenAIServer(strict("schema", brain("schema"))) as server:
        message = gateway(server, "schema").call(QUESTION, TOOLS, deadline_s=30)
        assert len(server.bodies) == 2
    assert message.usage_metadata is not None and message.usage_metadata["total_tokens"] == 50
    assert message.additional_kwargs["reasoning"] == "look"


def test_a_schema_has_an_end_for_every_string_and_list_and_no_pattern_that_grammars_cannot_read() -> None:
    def say(asked: dict[str, Any]) -> Said:
        schema = asked.get("response_format", {}).get("json_schema", {}).get("schema", {"properties": {}})
        if "action" in schema["properties"]:
            return {"content": '{"thought": "", "action": "search"}'}
        assert schema["properties"]["query"]["maxLength"] > 10 and schema["properties"]["tags"]["maxItems"] > 1
        assert schema["properties"]["tags"]["items"]["maxLength"] > 10 and schema["additionalProperties"] is False
        return {"content": '{"query": "退货", "tags": ["a"]}'}

    with OpenAIServer(strict("schema", say)) as server:
        message = gateway(server, "schema").call(QUESTION, TOOLS, deadline_s=30)
    assert made(message) == [("search", {"query": "退货", "tags": ["a"]})]
    assert r"\d" in json.dumps(TOOLS[0]["function"]["parameters"])


@pytest.mark.parametrize("name", ["answer", "choice", "arguments of x"])
def test_a_tool_may_have_the_name_of_a_step(name: str) -> None:
    def say(asked: dict[str, Any]) -> Said:
        properties = asked["response_format"]["json_schema"]["schema"]["properties"]
        return {"content": json.dumps({"thought": "", "action": name} if "action" in properties else {"x": "1"})}

    with OpenAIServer(strict("schema", say)) as server:
        message = gateway(server, "schema").call(QUESTION, [tool(name, "It.", x={"type": "string"})], deadline_s=30)
    assert made(message) == [(name, {"x": "1"})]


@pytest.mark.parametrize("way", ["schema", "json", "text"])
def test_a_call_can_be_demanded_and_forbidden(way: str) -> None:
    with OpenAIServer(strict(way, brain(way))) as server:
        model = gateway(server, way)
        assert made(model.call(QUESTION, TOOLS, deadline_s=30, choice="required")) == [CALL]
        demanded = json.dumps(server.bodies[0], ensure_ascii=False)
        assert model.call(HISTORY, TOOLS, deadline_s=30, choice="none").tool_calls == []
        assert "query_order: Look up" not in json.dumps(server.bodies[-1], ensure_ascii=False)
    assert '"answer"' not in demanded if way == "schema" else "Use one of the tools now" in demanded


WRITTEN: list[tuple[str, str, list[tuple[str, dict[str, Any]]], str]] = [
    ("json", '```json\n{"calls": [{"name": "query_order", "arguments": {"order_id": "A1001"}}]}\n```', [CALL], ""),
    ("json", "{'calls': {'name': 'query_order', 'arguments': {'order_id': 'A1001'}},}", [CALL], ""),
    ("json", '{"name": "query_order", "arguments": {"order_id": "A1001"}}', [CALL], ""),
    ("json", '{"thought": "x", "name": "query_order", "arguments": {"order_id": "A1001"}}', [CALL], ""),
    ("json", '{"action": "query_order", "action_input": {"order_id": "A1001"}}', [CALL], ""),
    ("json", '<think>hm {a}</think>{"answer": "没有找到。"}', [], "没有找到。"),
    ("json", "没有找到。", [], "没有找到。"),
    ("json", '{"answer": "a \\"b\\"\\nc"}', [], 'a "b"\nc'),
    ("text", "Action: query_order\nAction Input: {'order_id': 'A1001'}\nObservation: made up", [CALL], ""),
    ("text", '思考：查一下\n行动：query_order\n行动输入：{"order_id": "A1001"}', [CALL], ""),
    ("text", "Thought: I know.\n最终答案：已签收。", [], "已签收。"),
    ("text", "已签收。", [], "已签收。"),
    ("text", '<tool_call>{"name": "query_order", "arguments": {"order_id": "A1001"}}</tool_call>', [CALL], ""),
    ("schema", '<tool_call>{"name": "query_order", "arguments": {"order_id": "A1001"}}</tool_call>', [CALL], ""),
    ("schema", "没有找到。", [], "没有找到。"),
]


@pytest.mark.parametrize(("way", "text", "expected", "answer"), WRITTEN)
def test_what_a_weak_model_makes_of_the_form_is_read(
    way: str, text: str, expected: list[tuple[str, dict[str, Any]]], answer: str
) -> None:
    with OpenAIServer(Says(lambda _: {"content": text})) as server:
        message = gateway(server, way).call(QUESTION, TOOLS, deadline_s=30)
    assert (made(message), str(message.text)) == (expected, answer)
    assert message.invalid_tool_calls == []


CUT = [
    ("json", '{"calls": [{"name": "query_order", "arguments": {"order_id": "A1'),
    ("json", '{"calls": [{"name": "query_order", "arguments": {"order_id": "A1001"}}'),
    ("text", 'Action: query_order\nAction Input: {"order_id": "A1'),
    ("text", "Action: query_order\nAction Input:"),
    ("native", '<tool_call>{"name": "query_order", "arguments": {"order_id": "A1'),
    ("schema", '{"thought": "look it up, and'),
]


@pytest.mark.parametrize(("way", "text"), CUT)
def test_a_call_that_was_cut_off_is_none_to_run(way: str, text: str) -> None:
    with OpenAIServer(Says(lambda _: {"content": text, "finish_reason": "length"})) as server:
        message = gateway(server, way).call(QUESTION, TOOLS, deadline_s=30)
        assert len(server.bodies) == 2
    assert message.tool_calls == [] and message.response_metadata["finish_reason"] == "length"


def test_arguments_cut_off_under_a_schema_are_an_invalid_call_of_that_tool() -> None:
    def say(asked: dict[str, Any]) -> Said:
        if "action" in asked["response_format"]["json_schema"]["schema"]["properties"]:
            return {"content": '{"thought": "", "action": "query_order"}'}
        return {"content": '{"order_id": "A1', "finish_reason": "length"}

    with OpenAIServer(strict("schema", say)) as server:
        message = gateway(server, "schema").call(QUESTION, TOOLS, deadline_s=30)
    assert message.tool_calls == [] and [c["name"] for c in message.invalid_tool_calls] == ["query_order"]


def test_the_text_of_an_answer_cut_off_in_json_is_kept_and_marked() -> None:
    with OpenAIServer(Says(lambda _: {"content": '{"answer": "已签收,\\n共 2', "finish_reason": "length"})) as server:
        message = gateway(server, "json").call(QUESTION, TOOLS, deadline_s=30)
    assert str(message.text) == "已签收,\n共 2" and message.response_metadata["finish_reason"] == "length"


@pytest.mark.parametrize("way", CANS)
def test_a_broken_stream_is_a_failure_in_every_way(way: str) -> None:
    from signoff.errors import ProviderUnavailable

    half = Stream(says('{"answer": "half", "thought": "x", "action": "answer"'), then="cut")
    with OpenAIServer(half) as server, pytest.raises(ProviderUnavailable):
        gateway(server, way).call(QUESTION, TOOLS, deadline_s=30)


def test_a_call_of_a_tool_that_is_not_offered_is_an_invalid_one_that_names_it() -> None:
    written = '<tool_call>{"name": "refund", "arguments": {"order_id": "A1001"}}</tool_call>'
    with OpenAIServer(Says(lambda _: {"content": written})) as server:
        message = gateway(server, "native").call(QUESTION, TOOLS, deadline_s=30)
    assert message.tool_calls == [] and [c["name"] for c in message.invalid_tool_calls] == ["refund"]


def test_a_text_that_only_talks_about_a_call_stays_text() -> None:
    text = "You could call query_order(order_id=...) for that, I think."
    with OpenAIServer(Says(lambda _: {"content": text})) as server:
        message = gateway(server, "native").call(QUESTION, TOOLS, deadline_s=30)
    assert str(message.text) == text and message.tool_calls == message.invalid_tool_calls == []


def test_a_call_sent_twice_once_as_text_is_one_call() -> None:
    both = {
        "content": '<tool_call>{"name": "query_order", "arguments": {"order_id": "A1001"}}</tool_call>',
        "tool_calls": [called("query_order", '{"order_id": "A1001"}')],
    }
    with OpenAIServer(Says(lambda _: both)) as server:
        message = gateway(server, "native").call(QUESTION, TOOLS, deadline_s=30)
    assert made(message) == [CALL] and str(message.text) == ""


def test_without_tools_a_call_in_the_text_is_left_out_with_a_warning() -> None:
    written = '<tool_call>{"name": "query_order", "arguments": {"order_id": "A1001"}}</tool_call>'
    with OpenAIServer(Stream([*says(written), piece(finish="stop")])) as server:
        message = gateway(server, "native").call(QUESTION, [], deadline_s=30)
    assert message.tool_calls == [] and str(message.text) == "" and message.response_metadata["warnings"]
