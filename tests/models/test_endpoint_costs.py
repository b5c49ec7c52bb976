"""What calls cost that came to nothing: every token that a provider reported is counted, at its own price."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from endpoints import ask, endpoint
from openai_server import OpenAIServer, Response, Status, Stream, answer, piece, says, usage

from signoff.errors import ProviderError
from signoff.models import breaker
from signoff.models.profile import Capabilities

PRICES: dict[str, Any] = {"price_prompt_yuan": 1_000, "price_cached_yuan": 100, "price_completion_yuan": 2_000}
SCHEMA = Capabilities(tools=False, json_schema=True)
CHOICE = Stream([*says('{"thought": "a", "action": "query_order"}'), piece(finish="stop"), usage(1_000, 50)])
FILLED = Stream([*says('{"order_id": "A1"}'), piece(finish="stop"), usage(1_100, 10)])


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.models.gateway._FIRST_WAIT_S", 0.02)
    monkeypatch.setattr(breaker, "_breakers", {})


def cached(prompt: int, hits: int) -> dict[str, Any]:
    details = {"cached_tokens": hits}
    told = {"prompt_tokens": prompt, "completion_tokens": 0, "total_tokens": prompt, "prompt_tokens_details": details}
    return piece(choices=[], usage=told)


NOTHING: dict[str, tuple[Response, int, str]] = {
    "a content filter before any text": (Stream([piece(finish="content_filter"), usage(1_000, 0)]), 1_000, "1"),
    "blanks": (Stream([*says("  "), piece(finish="stop"), usage(1_000, 5)]), 1_005, "1.01"),
    "a thought in the text": (answer("<think>hm</think>", prompt=1_000, completion=5), 1_005, "1.01"),
    "a thought beside the text": (
        Stream([piece({"reasoning_content": "hm"}), piece(finish="stop"), usage(1_000, 5)]), 1_005, "1.01",
    ),
    "a prompt that was cached": (Stream([piece(finish="content_filter"), cached(1_000, 900)]), 1_000, "0.19"),
    "output used up twice": (Stream([piece(finish="length"), usage(1_000, 50)]), 2_100, "2.2"),
}  # fmt: skip


@pytest.mark.parametrize(("response", "tokens", "yuan"), NOTHING.values(), ids=NOTHING.keys())
def test_an_answer_of_no_use_is_counted_as_it_was_reported(response: Response, tokens: int, yuan: str) -> None:
    with OpenAIServer(response) as server, pytest.raises(ProviderError) as error:
        ask(endpoint(server.base_url, **PRICES))
    assert (error.value.wasted_tokens, error.value.cost_yuan) == (tokens, Decimal(yuan))


def test_what_led_to_a_request_that_failed_is_counted() -> None:
    with OpenAIServer(CHOICE, Status(500)) as server, pytest.raises(ProviderError) as error:
        ask(endpoint(server.base_url, can=SCHEMA, **PRICES))
    assert (error.value.wasted_tokens, error.value.cost_yuan) == (1_050, Decimal("1.1"))


def test_a_further_try_is_counted_beside_what_the_first_took() -> None:
    with OpenAIServer(CHOICE, Status(500), CHOICE, FILLED) as server:
        message = ask(endpoint(server.base_url, can=SCHEMA, retries=1, **PRICES))
    assert [c["args"] for c in message.tool_calls] == [{"order_id": "A1"}]
    assert message.usage_metadata is not None and message.usage_metadata["total_tokens"] == 2_160
    told = message.response_metadata
    assert (told["wasted_tokens"], Decimal(told["cost_yuan"])) == (1_050, Decimal("3.32"))


def test_a_second_asking_that_gave_nothing_is_counted_beside_the_answer_that_was_cut() -> None:
    cut = Stream([*says("The order"), piece(finish="length"), usage(1_000, 50)])
    with OpenAIServer(cut, Stream([piece(finish="length"), usage(1_000, 70)])) as server:
        message = ask(endpoint(server.base_url, **PRICES))
    told = message.response_metadata
    assert (message.content, told["wasted_tokens"], Decimal(told["cost_yuan"])) == ("The order", 1_070, Decimal("2.24"))
