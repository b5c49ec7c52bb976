from __future__ import annotations

import socket
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from openai_server import Hang, OpenAIServer, Response, Status, Stream, Whole, answer, fragment, piece, says, usage

from signoff.errors import ConfigError, ProviderError, ProviderRejected, ProviderUnavailable
from signoff.models.gateway import ModelGateway
from signoff.models.provider import chat_model
from signoff.settings import Settings

KEY = "sk-secret-0123456789"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "query_order",
            "description": "Look up an order.",
            "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
        },
    }
]
PROMPT = [SystemMessage("You are a desk."), HumanMessage("订单 A1001 什么状态?")]
CALLS_DONE = piece(finish="tool_calls")


def gateway(base_url: str, **settings: Any) -> ModelGateway:
    values: dict[str, Any] = {"model_retries": 2, "model_timeout_s": 5.0, "model_api_key": KEY, **settings}
    configured = Settings(model="openai:some-model", model_base_url=base_url, **values)
    return ModelGateway(chat_model(configured), configured)


def ask(*script: Response, deadline_s: float = 20.0, tools: list[dict[str, Any]] = TOOLS, **settings: Any) -> AIMessage:
    with OpenAIServer(*script) as server:
        return gateway(server.base_url, **settings).call(PROMPT, tools, deadline_s=deadline_s)


def calls(message: AIMessage) -> list[tuple[str, dict[str, Any], str | None]]:
    return [(c["name"], c["args"], c["id"]) for c in message.tool_calls]


@pytest.fixture(autouse=True)
def _quick_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.models.gateway._FIRST_WAIT_S", 0.02)


def test_text_streams_in_pieces_and_comes_back_whole() -> None:
    pieces: list[str] = []
    with OpenAIServer(answer("A1001 ", "已签收", "。")) as server:
        message = gateway(server.base_url).call(PROMPT, TOOLS, deadline_s=20, on_text=pieces.append)
        sent = server.bodies[0]
    assert pieces == ["A1001 ", "已签收", "。"]
    assert message.content == "A1001 已签收。"
    assert message.usage_metadata is not None and message.usage_metadata["total_tokens"] == 18
    told = message.response_metadata
    assert (told["profile"], told["model"], told["way"]) == ("default", "served-model", "native")
    assert (told["finish_reason"], told["usage"], told["tries"]) == ("stop", "provider", 1)
    assert (told["repairs"], told["warnings"], told["cached_tokens"], told["wasted_tokens"]) == ([], [], 0, 0)
    assert 0 <= told["first_token_s"] <= told["latency_s"]
    assert message.additional_kwargs == {}
    assert sent["model"] == "some-model" and sent["stream"] is True
    assert sent["stream_options"] == {"include_usage": True}
    assert sent["tools"][0]["function"]["name"] == "query_order"
    assert server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_a_prompt_with_earlier_calls_goes_out_whole_and_no_tools_are_sent_when_none_are_offered() -> None:
    call = {"name": "query_order", "args": {"order_id": "A1"}, "id": "c1", "type": "tool_call"}
    history = [*PROMPT, AIMessage("", tool_calls=[call]), ToolMessage('{"ok": true}', tool_call_id="c1")]
    with OpenAIServer(answer("ok")) as server:
        gateway(server.base_url).call(history, [], deadline_s=20)
    body = server.bodies[0]
    assert "tools" not in body
    assert [m["role"] for m in body["messages"]] == ["system", "user", "assistant", "tool"]
    assert body["messages"][2]["tool_calls"][0]["id"] == body["messages"][3]["tool_call_id"] == "c1"


INTERLEAVED = [
    fragment("", index=0, id="a", name="query_order"),
    fragment("", index=1, id="b", name="query_logistics"),
    fragment('{"order_', index=0),
    fragment('{"order_id": ', index=1),
    fragment('id": "A1001"}', index=0),
    fragment('"A1002"}', index=1),
]
WITHOUT_INDEX = [
    fragment('{"order_', id="a", name="query_order"),
    fragment('id": "A1001"}'),
    fragment('{"order_id"', id="b", name="query_logistics"),
    fragment(': "A1002"}', id="b"),
]
REPEATING_IDS = [
    fragment('{"order_', index=0, id="a", name="query_order"),
    fragment('id": "A1001"}', index=0, id="a", name="query_order"),
    fragment("", index=0, id="a", name="query_order"),
    fragment('{"order_id": "A1002"}', index=1, id="b", name="query_logistics"),
]
ALL_AT_INDEX_ZERO = [
    fragment('{"order_id": "A1001"}', index=0, id="a", name="query_order"),
    fragment('{"order_id": "A1002"}', index=0, id="b", name="query_logistics"),
]
NAME_IN_PIECES = [
    fragment(index=0, id="a", name="query_"),
    fragment('{"order_id": "A1001"}', index=0, name="order"),
    fragment('{"order_id": "A1002"}', index=1, id="b", name="query_logistics"),
]


@pytest.mark.parametrize("pieces", [INTERLEAVED, WITHOUT_INDEX, REPEATING_IDS, ALL_AT_INDEX_ZERO, NAME_IN_PIECES])
def test_two_tool_calls_come_out_whole_however_they_are_cut(pieces: list[dict[str, Any]]) -> None:
    message = ask(Stream([*pieces, CALLS_DONE, usage(5, 5)]))
    assert calls(message) == [
        ("query_order", {"order_id": "A1001"}, "a"),
        ("query_logistics", {"order_id": "A1002"}, "b"),
    ]
    assert message.invalid_tool_calls == []


def test_calls_without_any_id_get_one_each() -> None:
    once = fragment('{"order_id": "A1"}', name="query_order")
    message = ask(Stream([once, once, CALLS_DONE]))
    assert [args for _, args, _ in calls(message)] == [{"order_id": "A1"}] * 2
    assert len({call_id for _, _, call_id in calls(message)}) == 2 and all(c["id"] for c in message.tool_calls)


def test_a_call_without_arguments_is_a_call_with_no_arguments() -> None:
    assert calls(ask(Stream([fragment("", index=0, id="a", name="list"), CALLS_DONE]))) == [("list", {}, "a")]


@pytest.mark.parametrize("raw", ['{"order_id": "A10', "[1]", '{"a": NaN}', '{"a": "\\ud800"}', "{'order_id': 'A10"])
def test_arguments_that_are_no_json_object_are_kept_raw_as_an_invalid_call(raw: str) -> None:
    good = fragment("{}", index=1, id="b", name="list")
    message = ask(Stream([fragment(raw, index=0, id="a", name="query_order"), good, CALLS_DONE]))
    (broken,) = message.invalid_tool_calls
    assert (broken["id"], broken["name"], broken["args"]) == ("a", "query_order", raw)
    assert calls(message) == [("list", {}, "b")]


@pytest.mark.parametrize(
    "raw",
    ["{'order_id': 'A1001'}", '{"order_id": "A1001",}', '"{\\"order_id\\": \\"A1001\\"}"', "{“order_id”: “A1001”}"],
)
def test_arguments_that_can_mean_one_thing_only_are_mended_and_it_is_counted(raw: str) -> None:
    message = ask(Stream([fragment(raw, index=0, id="a", name="query_order"), CALLS_DONE]))
    assert calls(message) == [("query_order", {"order_id": "A1001"}, "a")]
    assert message.response_metadata["repairs"]


@pytest.mark.parametrize("raw", ['{"order_id": "A', ""])
def test_a_call_cut_at_the_output_limit_is_invalid_and_earlier_calls_stand(raw: str) -> None:
    first = fragment('{"order_id": "A1"}', index=0, id="a", name="query_order")
    cut = fragment(raw, index=1, id="b", name="query_order")
    message = ask(Stream([first, cut, piece(finish="length")]))
    assert calls(message) == [("query_order", {"order_id": "A1"}, "a")]
    assert [(c["id"], c["args"]) for c in message.invalid_tool_calls] == [("b", raw)]
    assert message.response_metadata["finish_reason"] == "length"


def test_text_cut_at_the_output_limit_is_returned_and_says_so() -> None:
    message = ask(Stream([*says("The order"), piece(finish="length")]))
    assert message.content == "The order" and message.response_metadata["finish_reason"] == "length"


def test_usage_that_is_not_reported_is_counted() -> None:
    message = ask(Stream([*says("好的"), piece(finish="stop")]))
    assert message.response_metadata["usage"] == "counted"
    assert message.usage_metadata is not None and message.usage_metadata["input_tokens"] > 10


def test_a_running_total_of_usage_is_not_added_up() -> None:
    totals = [
        piece({"content": "x"}, usage={"prompt_tokens": 9, "completion_tokens": n, "total_tokens": 9 + n})
        for n in (1, 2)
    ]
    message = ask(Stream([*totals, piece(finish="stop")]))
    assert message.usage_metadata is not None and message.usage_metadata["total_tokens"] == 11


RETRIED: dict[str, Response] = {
    "429": Status(429, headers={"retry-after": "0"}),
    "429 until a date": Status(429, headers={"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}),
    "500": Status(500),
    "503 with a page": Status(503, "<html>down</html>"),
    "408": Status(408),
    "cut within a chunk": Stream(says("half"), then="cut"),
    "ends without a reason": Stream(says("half"), done=False),
    "empty choices": Stream([piece(choices=[])]),
    "no pieces": Stream([]),
    "half a JSON line": Stream(['{"id": "x", "choi']),
    "neither text nor call": Stream([piece(finish="stop")]),
    "an error in the stream": Stream([*says("a"), {"error": {"message": "overloaded", "type": "server_error"}}]),
    "a whole body without choices": Whole({"id": "x", "choices": []}),
    "a page": Status(200, "<html>hi</html>", headers={"content-type": "text/html"}),
    "an error with status 200": Whole({"error": {"message": "overloaded", "code": 503}}),
    "an error as a reason": Stream([*says("half"), piece(finish="insufficient_system_resource")]),
    "usage alone": Stream([usage(3, 0)]),
    "a hang": Hang(),
    "a hang in the middle": Stream(says("half"), then="hang"),
}


@pytest.mark.parametrize("first", RETRIED.values(), ids=RETRIED.keys())
def test_what_may_pass_is_tried_again(first: Response) -> None:
    with OpenAIServer(first, answer("fine")) as server:
        message = gateway(server.base_url, model_timeout_s=_patience(first), model_retries=8).call(
            PROMPT, TOOLS, deadline_s=120
        )
        assert len(server.bodies) >= 2
    assert message.content == "fine"


@pytest.mark.parametrize("always", RETRIED.values(), ids=RETRIED.keys())
def test_what_does_not_pass_ends_with_one_sentence_after_the_last_try(always: Response) -> None:
    with OpenAIServer(always) as server, pytest.raises(ProviderUnavailable) as error:
        gateway(server.base_url, model_timeout_s=_patience(always), model_retries=1).call(PROMPT, TOOLS, deadline_s=120)
    assert_one_sentence(str(error.value))
    assert "2 tries" in str(error.value)


def _patience(response: Response) -> float:
    """Short only where the script hangs: a busy machine is no time-out."""
    hangs = isinstance(response, Hang) or (isinstance(response, Stream) and response.then == "hang")
    return 0.5 if hangs else 30.0


REJECTED: dict[str, tuple[Response, str]] = {
    "401": (
        Status(401, {"error": {"message": f"Incorrect API key: {KEY}", "code": "invalid_api_key"}}),
        "SIGNOFF_MODEL_API_KEY",
    ),
    "403": (Status(403), "SIGNOFF_MODEL_API_KEY"),
    "404": (Status(404, {"error": {"message": "no", "code": "model_not_found"}}), "SIGNOFF_MODEL "),
    "400": (Status(400, {"error": {"message": "tools is not supported", "code": None}}), "SIGNOFF_MODEL "),
    "422": (Status(422, "plain text"), "SIGNOFF_MODEL "),
    "too long": (
        Status(400, {"error": {"message": "long", "code": "context_length_exceeded"}}),
        "SIGNOFF_RESULT_CHARS",
    ),
    "413": (Status(413), "SIGNOFF_RESULT_CHARS"),
    "no quota": (Status(429, {"error": {"message": "pay", "code": "insufficient_quota"}}), "SIGNOFF_MODEL_API_KEY"),
    "filtered prompt": (Status(400, {"error": {"message": "no", "code": "content_filter"}}), "other words"),
    "filtered answer": (Stream([*says("I"), piece(finish="content_filter")]), "other words"),
}


@pytest.mark.parametrize(("response", "names"), REJECTED.values(), ids=REJECTED.keys())
def test_a_refusal_is_not_tried_again_and_names_what_to_look_at(response: Response, names: str) -> None:
    with OpenAIServer(response) as server:
        with pytest.raises(ProviderRejected) as error:
            gateway(server.base_url).call(PROMPT, TOOLS, deadline_s=20)
        assert len(server.bodies) == 1
    assert names in str(error.value)
    assert_one_sentence(str(error.value))


OWN_KEYS = ["gsk_abcdefABCDEF0123456789abcdefghij", "AIzaSyA1234567890abcdefghijklmnopqrstuv", "in_words_only"]


@pytest.mark.parametrize("key", OWN_KEYS)
@pytest.mark.parametrize("field", ["code", "type", "status"])
def test_a_key_that_the_endpoint_repeats_as_a_code_is_not_passed_on(key: str, field: str) -> None:
    body = {"error": {"message": f"bad key {key}", field: key}}
    for status in (400, 401, 429, 500):
        with pytest.raises(ProviderError) as error:
            ask(Status(status, body), model_api_key=key, model_retries=0)
        assert key not in str(error.value) and f"({status})" in str(error.value)


def test_a_code_beside_one_that_may_be_a_key_is_told() -> None:
    body = {"error": {"message": "no", "code": "AKIAABCDEFGHIJKLMNOP", "type": "invalid_request_error"}}
    with pytest.raises(ProviderRejected, match=r"\(401, invalid_request_error\)"):
        ask(Status(401, body))


def assert_one_sentence(text: str) -> None:
    assert KEY not in text and "sk-" not in text
    assert "\n" not in text and "Traceback" not in text and "<html>" not in text
    assert len(text) < 300


def test_a_wait_longer_than_the_deadline_is_not_begun() -> None:
    with OpenAIServer(Status(429, headers={"retry-after": "3600"})) as server:
        with pytest.raises(ProviderUnavailable, match="rate limit"):
            gateway(server.base_url).call(PROMPT, TOOLS, deadline_s=5)
        assert len(server.bodies) == 1


def test_keep_alive_comments_do_not_hold_a_turn_beyond_its_time() -> None:
    trickle = Stream(says("half"), then="keepalive")
    with OpenAIServer(trickle) as server, pytest.raises(ProviderUnavailable, match="SIGNOFF_MODEL_TIMEOUT_S"):
        gateway(server.base_url, model_timeout_s=0.2, model_retries=0).call(PROMPT, TOOLS, deadline_s=10)


def test_the_deadline_ends_a_try_that_the_timeout_would_let_go_on() -> None:
    with OpenAIServer(Hang()) as server, pytest.raises(ProviderUnavailable):
        gateway(server.base_url, model_timeout_s=30).call(PROMPT, TOOLS, deadline_s=0.3)


def test_no_call_is_made_when_no_time_is_left() -> None:
    with OpenAIServer(answer("hi")) as server:
        with pytest.raises(ProviderUnavailable, match="SIGNOFF_MAX_WORK_S"):
            gateway(server.base_url).call(PROMPT, TOOLS, deadline_s=0)
        assert server.bodies == []


def test_text_seen_before_a_broken_stream_is_not_shown_twice() -> None:
    pieces: list[str] = []
    with OpenAIServer(Stream(says("One ", "two"), then="cut"), answer("One ", "two ", "three")) as server:
        gateway(server.base_url).call(PROMPT, TOOLS, deadline_s=20, on_text=pieces.append)
    assert "".join(pieces) == "One two three"


def test_an_error_of_the_watcher_is_not_taken_for_the_providers() -> None:
    def watch(_: str) -> None:
        raise KeyError("mine")

    with OpenAIServer(answer("hi")) as server:
        with pytest.raises(KeyError, match="mine"):
            gateway(server.base_url).call(PROMPT, TOOLS, deadline_s=20, on_text=watch)
        assert len(server.bodies) == 1


def test_a_closed_port_gives_one_sentence_that_names_the_setting() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(ProviderUnavailable, match="SIGNOFF_MODEL_BASE_URL") as error:
        gateway(f"http://user:{KEY}@127.0.0.1:{port}/v1").call(PROMPT, TOOLS, deadline_s=5)
    assert_one_sentence(str(error.value))


@pytest.mark.parametrize("base_url", ["localhost:8000/v1", "ftp://x/v1", "http://", "http://[::1/v1", "http://h:x/v1"])
def test_an_address_that_is_none_is_a_configuration_error(base_url: str) -> None:
    with pytest.raises(ConfigError, match="SIGNOFF_MODEL_BASE_URL"):
        gateway(base_url)


def test_the_providers_own_endpoint_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="SIGNOFF_MODEL_API_KEY"):
        chat_model(Settings(model="openai:x"))


def test_an_endpoint_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert ask(answer("hi"), model_api_key=None).content == "hi"


@pytest.mark.parametrize("key", ["sk-a b", "sk-a\n", "sk-密钥"])
def test_a_key_no_header_can_carry_is_a_configuration_error_that_does_not_show_it(key: str) -> None:
    with pytest.raises(ConfigError) as error:
        chat_model(Settings(model="openai:x", model_api_key=key))
    assert key not in str(error.value)


def test_the_gateway_says_which_model_it_calls() -> None:
    called = gateway("http://user:secret@127.0.0.1:9/v1?token=t")
    assert (called.name, called.label) == ("openai:some-model", "openai:some-model at http://127.0.0.1:9/v1")


def test_output_used_up_before_any_text_is_asked_for_again_and_then_refused_by_name() -> None:
    with OpenAIServer(Stream([piece(finish="length")])) as server:
        with pytest.raises(ProviderRejected, match="SIGNOFF_MODEL") as error:
            gateway(server.base_url).call(PROMPT, TOOLS, deadline_s=20)
        assert len(server.bodies) == 2
    assert_one_sentence(str(error.value))


def test_an_endpoint_that_answers_whole_is_asked_without_a_stream_from_then_on() -> None:
    hi = Whole({"id": "x", "choices": [{"index": 0, "message": {"role": "assistant", "content": "hi"}}]})
    with OpenAIServer(hi) as server:
        model = gateway(server.base_url)
        assert [model.call(PROMPT, TOOLS, deadline_s=20).content for _ in range(2)] == ["hi", "hi"]
        assert [b.get("stream") for b in server.bodies] == [True, False, False]


def test_pieces_without_choices_between_others_take_nothing_away() -> None:
    empty = piece(choices=[])
    message = ask(Stream([empty, *says("a"), empty, *says("b"), piece(finish="stop"), empty, usage(4, 2)]))
    assert message.content == "ab"
    assert message.usage_metadata is not None and message.usage_metadata["total_tokens"] == 6


def numbered(id: Any, name: Any = "query_order") -> dict[str, Any]:
    return {"index": 0, "id": id, "type": "function", "function": {"name": name, "arguments": '{"order_id": "A1"}'}}


ODD: dict[str, tuple[dict[str, Any], str, list[tuple[str, Any]]]] = {
    "a number for text": ({"content": 5}, "5", []),
    "yes for text": ({"content": True}, "true", []),
    "a block for text": ({"content": {"type": "text", "text": "hi"}}, "hi", []),
    "a number for an id": ({"tool_calls": [numbered(5)]}, "", [("query_order", "5")]),
    "one call that is no list": ({"tool_calls": numbered("a")}, "", [("query_order", "a")]),
    "a word for calls": ({"content": "hi", "tool_calls": "none", "function_call": "none"}, "hi", []),
    "a number for a role": ({"content": "hi", "role": 7}, "hi", []),
}


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize(("said", "text", "called"), ODD.values(), ids=ODD.keys())
def test_a_value_of_another_type_is_read_as_what_it_means_and_nothing_is_printed(
    said: dict[str, Any], text: str, called: list[tuple[str, Any]], streamed: bool, recwarn: pytest.WarningsRecorder
) -> None:
    reason = "tool_calls" if called else "stop"
    odd_usage = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4, "prompt_tokens_details": "x"}
    whole = {"id": 9, "choices": [{"index": 0, "message": said, "finish_reason": reason}], "usage": odd_usage}
    pieces = [piece(said), piece(choices="x"), piece(choices=["x"]), piece(finish=reason, usage=[1])]
    response: Response = Stream([*pieces, piece(choices=[], usage=odd_usage)]) if streamed else Whole(whole)
    message = ask(response)
    assert message.text == text and [(n, i) for n, _, i in calls(message)] == called
    assert message.usage_metadata is not None and message.usage_metadata["total_tokens"] == 4
    assert [str(w.message) for w in recwarn if "ydantic" in str(w.message)] == []
