from __future__ import annotations

from typing import Any

import pytest
from endpoints import ask, endpoint
from openai_server import OpenAIServer, Says, Stream, answer, called, piece, says, usage

from signoff.models import breaker
from signoff.models.profile import Capabilities


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.models.gateway._FIRST_WAIT_S", 0.02)
    monkeypatch.setattr(breaker, "_breakers", {})
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("streaming", [True, False])
def test_reasoning_is_kept_apart_and_cache_hits_are_told(streaming: bool) -> None:
    said = {"content": "A1001 已签收。", "reasoning_content": "let me think"}
    pieces: list[str] = []
    hits = Stream(
        [
            piece({"reasoning_content": "let me "}),
            piece({"reasoning": "think"}),
            *says("A1001 已签收。"),
            piece(finish="stop"),
            piece(
                choices=[],
                usage={"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25, "prompt_cache_hit_tokens": 12},
            ),
        ]
    )
    with OpenAIServer(hits if streaming else Says(lambda _: said)) as server:
        message = ask(endpoint(server.base_url, can=Capabilities(streaming=streaming)), on_text=pieces.append)
        assert server.bodies[0]["stream"] is streaming
    assert message.content == "".join(pieces) == "A1001 已签收。"
    assert message.additional_kwargs == {"reasoning": "let me think"}
    assert message.response_metadata["cached_tokens"] == (12 if streaming else 0)


def test_thoughts_and_calls_written_as_text_are_read_and_never_shown() -> None:
    pieces: list[str] = []
    call = '{"name": "query_order", "arguments": {"order_id": "A1001"}}'
    text = f"<think>which one</think>\n<tool_call>\n{call}\n</tool_call>"
    with OpenAIServer(answer(*(text[i : i + 4] for i in range(0, len(text), 4)))) as server:
        message = ask(endpoint(server.base_url), on_text=pieces.append)
    assert [(c["name"], c["args"]) for c in message.tool_calls] == [("query_order", {"order_id": "A1001"})]
    assert pieces == [] and message.text == "" and message.additional_kwargs["reasoning"] == "which one"
    assert any("hermes" in r or "calls_as_text" in r for r in message.response_metadata["repairs"])


def test_text_before_a_written_call_is_shown_up_to_it() -> None:
    pieces: list[str] = []
    text = 'I look it up. <tool_call>{"name": "query_order", "arguments": {"order_id": "A1001"}}</tool_call>'
    with OpenAIServer(answer(*(text[i : i + 3] for i in range(0, len(text), 3)))) as server:
        message = ask(endpoint(server.base_url), on_text=pieces.append)
    assert "".join(pieces).strip() == "I look it up." == str(message.text).strip()
    assert len(message.tool_calls) == 1


@pytest.mark.parametrize(
    "name", ["functions.query_order", "queryOrder", 'query_order(order_id="A1001")', 'query_order{"order_id": "A1001"}']
)
def test_a_name_with_more_in_it_is_read_as_the_tool_it_means(name: str) -> None:
    arguments = "{}" if "A1001" in name else '{"order_id": "A1001"}'
    with OpenAIServer(Says(lambda _: {"tool_calls": [called(name, arguments)]})) as server:
        message = ask(endpoint(server.base_url))
    assert [(c["name"], c["args"]) for c in message.tool_calls] == [("query_order", {"order_id": "A1001"})]
    assert message.response_metadata["repairs"]


def test_an_endpoint_is_sent_only_what_it_can_do() -> None:
    can = Capabilities(parallel_calls=False, strict=True, usage_in_streams=False, system=False)
    with OpenAIServer(Says(lambda _: {"content": "ok"})) as server:
        message = ask(endpoint(server.base_url, can=can, options={"temperature": 0, "seed": 7}, output_tokens=64))
        (sent,) = server.bodies
    assert [m["role"] for m in sent["messages"]] == ["user"] and "You are a desk." in sent["messages"][0]["content"]
    function = sent["tools"][0]["function"]
    assert function["strict"] is True and function["parameters"]["required"] == ["order_id", "note"]
    assert function["parameters"]["additionalProperties"] is False
    assert sent["parallel_tool_calls"] is False and "stream_options" not in sent and "tool_choice" not in sent
    assert (sent["temperature"], sent["seed"], sent["max_tokens"]) == (0, 7, 64)
    assert message.response_metadata["usage"] == "counted"


def test_what_strict_mode_made_the_model_write_is_left_out_again() -> None:
    seen: list[Any] = []
    both = [called("query_order", '{"order_id": "A1", "note": null}', f"c{n}") for n in (1, 2)]
    with OpenAIServer(Says(lambda _: {"tool_calls": both})) as server:
        message = ask(endpoint(server.base_url, can=Capabilities(strict=True)), on_call=lambda n, a: seen.append(a))
    assert [c["args"] for c in message.tool_calls] == [{"order_id": "A1"}] * 2 and seen == [{"order_id": "A1"}]


@pytest.mark.parametrize(
    ("choice", "can", "sent_choice", "tools"),
    [
        ("required", Capabilities(), "required", True),
        ("required", Capabilities(required=False), None, True),
        ("none", Capabilities(), "none", True),
        ("none", Capabilities(none=False), None, False),
    ],
)
def test_a_choice_is_sent_where_the_endpoint_keeps_to_it(
    choice: Any, can: Capabilities, sent_choice: str | None, tools: bool
) -> None:
    with OpenAIServer(Says(lambda _: {"content": "ok"})) as server:
        ask(endpoint(server.base_url, can=can), choice=choice)
        sent = server.bodies[0]
    assert (sent.get("tool_choice"), "tools" in sent) == (sent_choice, tools)


def test_usage_is_counted_by_a_tokenizer_and_an_answer_with_none_still_counts() -> None:
    with OpenAIServer(Stream([*says("好的,已经查到了。"), piece(finish="stop")])) as server:
        message = ask(endpoint(server.base_url))
    assert message.response_metadata["usage"] == "counted" and message.usage_metadata is not None
    assert message.usage_metadata["input_tokens"] > 40 and 3 <= message.usage_metadata["output_tokens"] <= 12


def test_usage_that_says_zero_is_no_report() -> None:
    with OpenAIServer(Stream([*says("ok"), piece(finish="stop"), usage(0, 0)])) as server:
        assert ask(endpoint(server.base_url)).response_metadata["usage"] == "counted"
