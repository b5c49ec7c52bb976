from __future__ import annotations

import time
from typing import Any

import pytest
from endpoints import PROMPT, TOOLS, ask, endpoint
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from openai_server import OpenAIServer, Status, Stream, answer, fragment, piece, says

from signoff.errors import ProviderRejected
from signoff.models import breaker
from signoff.models.failures import Overflow
from signoff.models.gateway import ModelGateway
from signoff.models.usage import count_prompt
from signoff.models.ways import Request
from signoff.settings import Settings


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.models.gateway._FIRST_WAIT_S", 0.02)
    monkeypatch.setattr(breaker, "_breakers", {})
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def error(message: str, code: Any = None, status: int = 400, **more: Any) -> Status:
    return Status(status, {"error": {"message": message, "code": code, **more}})


OVERFLOWS: dict[str, tuple[Status, int | None]] = {
    "OpenAI": (
        error(
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9021 tokens. "
            "Please reduce the length of the messages.",
            "context_length_exceeded",
        ),
        8192,
    ),
    "DeepSeek, vLLM": (
        error(
            "This model's maximum context length is 4096 tokens. However, you requested 5200 tokens (4700 in the "
            "messages, 500 in the completion). Please reduce the length of the messages or completion.",
            400,
        ),
        4096,
    ),
    "vLLM, the prompt": (
        error("The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 400),
        4096,
    ),
    "llama.cpp": (
        error(
            "the request exceeds the available context size, try increasing it",
            400,
            type="exceed_context_size_error",
            n_prompt_tokens=5000,
            n_ctx=4096,
        ),
        4096,
    ),
    "llama.cpp with sizes": (
        error("request (8686 tokens) exceeds the available context size (4096 tokens)", 400),
        4096,
    ),
    "Ollama": (error("input length exceeds the context length", None), None),
    "Ollama, the prompt": (error("prompt too long; exceeded max context length by 320 tokens"), None),
    "Anthropic": (error("prompt is too long: 215000 tokens > 200000 maximum", "invalid_request_error"), 200000),
    "Anthropic with output": (
        error("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length"),
        200000,
    ),
    "Gemini": (
        error("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
        1048576,
    ),
    "Mistral": (
        error("Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"),
        32768,
    ),
    "Moonshot": (error("Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)"), 8192),
    "DashScope": (error("Range of input length should be [1, 30720]", "InvalidParameter"), 30720),
    "GLM": (error("Prompt 超长", "1261"), None),
    "SGLang": (error("The input (5000 tokens) is longer than the model's context length (4096 tokens)."), 4096),
    "TGI": (
        error("`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 512", status=422),
        4097,
    ),
    "too large for a minute": (
        error("Request too large for model on tokens per minute (TPM): Limit 6000, Requested 7000", status=413),
        6000,
    ),
}


@pytest.mark.parametrize(("refusal", "limit"), OVERFLOWS.values(), ids=OVERFLOWS.keys())
def test_a_prompt_that_is_too_long_is_asked_for_tighter_once(refusal: Status, limit: int | None) -> None:
    long: list[BaseMessage] = [SystemMessage("You are a desk."), HumanMessage("word " * 9000)]
    budgets: list[int] = []

    def tighter(budget: int) -> list[BaseMessage]:
        budgets.append(budget)
        return PROMPT

    with OpenAIServer(refusal, answer("fine")) as server:
        gateway = ModelGateway(endpoint(server.base_url, context_tokens=2_000_000), Settings())
        message = gateway.call(long, TOOLS, deadline_s=20, tighter=tighter)
        sent = server.bodies
    assert message.content == "fine" and len(sent) == 2 and len(budgets) == 1
    assert sent[1]["messages"][-1]["content"] == PROMPT[-1].content
    assert 256 <= budgets[0] <= 0.9 * count_prompt(long, TOOLS)
    assert any("tighter" in w for w in message.response_metadata["warnings"])


@pytest.mark.parametrize(("refusal", "limit"), OVERFLOWS.values(), ids=OVERFLOWS.keys())
def test_the_size_that_an_endpoint_names_is_read(refusal: Status, limit: int | None) -> None:
    with OpenAIServer(refusal) as server, pytest.raises(Overflow) as overflow:
        endpoint(server.base_url).ask(Request(PROMPT), time.monotonic() + 20, 20, lambda *_: None)
    assert overflow.value.limit == limit


@pytest.mark.parametrize("again", [True, False])
def test_a_prompt_that_stays_too_long_ends_with_a_sentence_that_names_what_to_set(again: bool) -> None:
    with OpenAIServer(OVERFLOWS["OpenAI"][0]) as server:
        with pytest.raises(ProviderRejected, match=r"SIGNOFF_RESULT_CHARS.*context_tokens of \[models\.fast\]"):
            ask(endpoint(server.base_url), **({"tighter": lambda _: [HumanMessage("hi")]} if again else {}))
        assert len(server.bodies) == (2 if again else 1)


def test_a_view_that_came_out_no_shorter_is_not_sent_again() -> None:
    with OpenAIServer(OVERFLOWS["OpenAI"][0]) as server:
        with pytest.raises(ProviderRejected):
            ask(endpoint(server.base_url), tighter=lambda _: PROMPT)
        assert len(server.bodies) == 1


def test_a_prompt_over_the_profiles_context_is_made_tighter_before_it_is_sent() -> None:
    long: list[BaseMessage] = [HumanMessage("word " * 3000)]
    budgets: list[int] = []

    def tighter(budget: int) -> list[BaseMessage]:
        budgets.append(budget)
        return PROMPT

    with OpenAIServer(answer("fine")) as server:
        one = endpoint(server.base_url, context_tokens=2_000, output_tokens=200)
        message = ModelGateway(one, Settings()).call(long, TOOLS, deadline_s=20, tighter=tighter)
        assert len(server.bodies) == 1
    assert message.content == "fine" and len(budgets) == 1 and 1_500 < budgets[0] < 1_800


def test_other_refusals_are_not_taken_for_a_prompt_that_is_too_long() -> None:
    for status in (error("tools is not supported"), error("Invalid schema for function 'x'"), Status(401)):
        with OpenAIServer(status) as server:
            with pytest.raises(ProviderRejected) as refused:
                ask(endpoint(server.base_url), tighter=lambda _: [HumanMessage("hi")])
            assert len(server.bodies) == 1 and "RESULT_CHARS" not in str(refused.value)


def test_an_answer_cut_off_is_asked_for_again_with_twice_the_output() -> None:
    with OpenAIServer(Stream([*says("half"), piece(finish="length")]), answer("the whole")) as server:
        message = ask(endpoint(server.base_url, output_tokens=100))
        assert [b["max_tokens"] for b in server.bodies] == [100, 200]
    assert message.content == "the whole" and message.response_metadata["finish_reason"] == "stop"
    assert message.response_metadata["wasted_tokens"] > 0 and message.response_metadata["tries"] == 2


def test_an_answer_cut_off_at_the_endpoints_own_limit_is_asked_for_shorter() -> None:
    with OpenAIServer(Stream([*says("half"), piece(finish="length")]), answer("short")) as server:
        message = ask(endpoint(server.base_url))
        assert "shorter" in server.bodies[1]["messages"][-1]["content"] and "max_tokens" not in server.bodies[1]
    assert message.content == "short"


def test_a_call_cut_off_twice_is_never_one_to_run_and_text_cut_off_twice_is_marked() -> None:
    # A complete-looking object that was cut off is refused by its position: nothing came behind it.
    cut = Stream([fragment('{"order_id": "A1', index=0, id="a", name="query_order"), piece(finish="length")])
    with OpenAIServer(cut) as server:
        message = ask(endpoint(server.base_url))
        assert len(server.bodies) == 2
    assert message.tool_calls == [] and [c["name"] for c in message.invalid_tool_calls] == ["query_order"]
    written = Stream(
        [*says('<tool_call>{"name": "query_order", "arguments": {"order_id": "A1'), piece(finish="length")]
    )
    with OpenAIServer(written) as server:
        assert ask(endpoint(server.base_url)).tool_calls == []
    with OpenAIServer(Stream([*says("half"), piece(finish="max_tokens")])) as server:
        message = ask(endpoint(server.base_url))
    assert message.content == "half" and message.response_metadata["finish_reason"] == "length"
    assert any("cut off" in w for w in message.response_metadata["warnings"])


def test_when_the_second_asking_fails_the_first_half_stands_marked() -> None:
    with OpenAIServer(Stream([*says("half"), piece(finish="length")]), Status(503)) as server:
        message = ask(endpoint(server.base_url))
    assert message.content == "half" and message.response_metadata["finish_reason"] == "length"


def test_a_fallback_with_a_longer_context_is_asked_the_whole_prompt() -> None:
    whole: list[BaseMessage] = [HumanMessage("word " * 400)]
    with OpenAIServer(OVERFLOWS["OpenAI"][0]) as one, OpenAIServer(answer("fine")) as other:
        endpoints = [endpoint(one.base_url), endpoint(other.base_url, "big")]
        gateway = ModelGateway(endpoints, Settings())
        message = gateway.call(whole, TOOLS, deadline_s=20, tighter=lambda _: PROMPT)
        assert [len(one.bodies), len(other.bodies)] == [2, 1]
        assert other.bodies[0]["messages"][-1]["content"] == whole[-1].content
    assert message.content == "fine"
