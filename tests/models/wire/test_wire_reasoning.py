"""What a model thought before its calls comes back to it with their results, in its provider's form; to no other."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from endpoints import PROMPT, TOOLS
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from scripted import calls
from wire_desks import THINKING
from wire_server import Asked, Fault, WireServer

from signoff import Settings
from signoff.errors import ConfigError, ProviderRejected
from signoff.models import continuation, provider
from signoff.models.endpoint import Endpoint
from signoff.models.gateway import ModelGateway
from signoff.models.profile import Capabilities, ModelProfile
from signoff.models.usage import count_prompt

EndpointOn = Callable[..., tuple[Endpoint, WireServer]]
FIRST = "Two orders are named. 先查 “A1” 👩🏽‍💻\n\nThen the other."
SECOND = "A1 is sent; 还要再查 A3."
each_thinker = pytest.mark.parametrize("format", list(THINKING))
each_way = pytest.mark.parametrize("streaming", [True, False], ids=["streamed", "whole"])


def brain(asked: Asked) -> AIMessage:
    """Looks two orders up at once, then a third, then answers; it thinks before each step."""
    question = max(i for i, m in enumerate(asked.messages) if m.type == "human")
    done = sum(1 for m in asked.messages[question:] if m.type == "tool")
    if done == 0:
        said = calls(("query_order", {"order_id": "A1"}, "x1"), ("query_order", {"order_id": "A2"}, "x2"))
        return said.model_copy(update={"additional_kwargs": {"thought": FIRST, "redacted": True}})
    if done == 2:
        said = calls(("query_order", {"order_id": "A3"}, "x1"))
        return said.model_copy(update={"content": "One more.", "additional_kwargs": {"thought": SECOND}})
    return AIMessage("All three were sent.")


def recorded(said: AIMessage) -> list[BaseMessage]:
    """As a thread keeps it: ids of its own, from a checkpoint, with results."""
    made = [{**c, "id": f"call_{uuid4().hex[:20]}"} for c in said.tool_calls]
    kept = {k: v for k, v in said.additional_kwargs.items() if k == continuation.KEY}
    message = AIMessage(str(said.text), tool_calls=made, additional_kwargs=kept)
    serde = JsonPlusSerializer()
    message = serde.loads_typed(serde.dumps_typed(message))
    assert json.loads(json.dumps(message.additional_kwargs)) == kept
    results = [ToolMessage('{"ok": true, "data": 1}', tool_call_id=str(c["id"]), name=c["name"]) for c in made]
    return [message, *results]


def ask(endpoints: Endpoint | Sequence[Endpoint], messages: list[BaseMessage], **options: Any) -> AIMessage:
    return ModelGateway(endpoints, Settings()).call(messages, TOOLS, deadline_s=20.0, **options)


def loop(endpoints: Sequence[Endpoint], messages: list[BaseMessage]) -> list[BaseMessage]:
    """A turn whose rounds are asked of these endpoints, the last of the rest."""
    view = list(messages)
    for n in range(10):
        said = ask(endpoints[min(n, len(endpoints) - 1)], view)
        if not said.tool_calls:
            assert str(said.text) == "All three were sent."
            return view
        view += recorded(said)
    raise AssertionError("the turn does not end")


def thoughts_in(body: Any) -> set[str]:
    text = json.dumps(body, ensure_ascii=False)
    return {t for t in (FIRST, SECOND) if json.dumps(t, ensure_ascii=False)[1:-1] in text}


@each_thinker
@each_way
def test_a_turn_of_several_rounds_goes_on_with_what_was_thought(
    format: str, streaming: bool, endpoint_on: EndpointOn
) -> None:
    endpoint, server = endpoint_on(format, brain, Capabilities(streaming=streaming))
    shown: list[str] = []
    said = ask(endpoint, PROMPT, on_text=shown.append)
    assert str(said.text) == "".join(shown) == ""
    bare = said.model_copy(update={"additional_kwargs": {}})
    assert count_prompt([said]) == count_prompt([bare])
    view = loop([endpoint], PROMPT)
    assert [m.type for m in view[2:]] == ["ai", "tool", "tool", "ai", "tool"]
    body = server.sent[-1].body
    assert "skip_thought_signature_validator" not in json.dumps(body)
    match server.wire.name:
        case "anthropic":
            kinds = [[b["type"] for b in m["content"]] for m in body["messages"] if m["role"] == "assistant"]
            assert kinds == [
                ["thinking", "redacted_thinking", "tool_use", "tool_use"],
                ["thinking", "text", "tool_use"],
            ]
        case "responses":
            kinds = [i.get("type", "message") for i in body["input"] if i.get("role") not in ("system", "user")]
            asked = ["reasoning", "function_call", "function_call", *["function_call_output"] * 2]
            assert kinds == [*asked, "reasoning", "message", "function_call", "function_call_output"]
        case "gemini":
            signed = [["thoughtSignature" in p for p in c["parts"]] for c in body["contents"] if c["role"] == "model"]
            assert signed == [[True, False], [False, True]]
            assert thoughts_in(body) == set()
        case _:
            field = server.wire.field
            assert [m.get(field) for m in body["messages"] if m["role"] == "assistant"] == [FIRST, SECOND]
    # The next turn has none of it.
    answer = AIMessage("All three were sent.")
    past = [m.model_copy(update={"additional_kwargs": {}}) for m in view[2:]]
    loop([endpoint], [*PROMPT, *past, answer, HumanMessage("Once more, please.")])


@each_thinker
@pytest.mark.parametrize("other", ["openai", "anthropic-thinking"])
def test_nothing_that_one_model_thought_reaches_another(format: str, other: str, endpoint_on: EndpointOn) -> None:
    one, _ = endpoint_on(format, brain)
    two, server = endpoint_on(other, brain)
    loop([one, two, one], PROMPT)
    for sent in server.sent:
        assert FIRST not in thoughts_in(sent.body)
        assert "call_" in json.dumps(sent.body) or other.startswith("gemini")


@each_thinker
def test_a_turn_that_another_model_began_is_gone_on_with(format: str, endpoint_on: EndpointOn) -> None:
    one, _ = endpoint_on(format, brain)
    two, _ = endpoint_on("openai-thinking", brain)
    loop([two, one], PROMPT)


@each_thinker
def test_a_fallback_in_the_middle_of_a_turn_goes_on_without(format: str, endpoint_on: EndpointOn) -> None:
    one, _ = endpoint_on(format, brain)
    two, server = endpoint_on("openai", brain)
    gone = Endpoint(one.profile.model_copy(update={"base_url": "http://127.0.0.1:9/v1", "name": "gone"}), Settings())
    view = [*PROMPT, *recorded(ask(one, PROMPT))]
    said = ask([gone, two], view)
    assert said.response_metadata["profile"] == two.profile.name
    assert thoughts_in(server.sent[0].body) == set()
    assert continuation.KEY not in said.additional_kwargs


@each_thinker
def test_the_same_model_at_another_address_is_another(format: str, endpoint_on: EndpointOn) -> None:
    one, _ = endpoint_on(format, brain)
    two, server = endpoint_on(format, brain)
    loop([one, two], PROMPT)
    assert FIRST not in thoughts_in(server.sent[0].body)


@each_thinker
def test_a_message_that_was_changed_since_goes_without(format: str, endpoint_on: EndpointOn) -> None:
    endpoint, server = endpoint_on(format, brain)
    message, *results = recorded(ask(endpoint, PROMPT))
    assert isinstance(message, AIMessage)
    fewer = message.model_copy(update={"tool_calls": message.tool_calls[:1]})
    ask(endpoint, [*PROMPT, fewer, results[0]])
    assert thoughts_in(server.sent[-1].body) == set()


def test_an_endpoint_of_openais_form_is_returned_nothing_when_its_profile_says_so(endpoint_on: EndpointOn) -> None:
    endpoint, _ = endpoint_on("openai", brain, options={"return_reasoning": False})
    loop([endpoint], PROMPT)
    source = continuation.Source.of(endpoint.profile)
    assert source is None


def test_models_that_think_are_not_made_to_call(endpoint_on: EndpointOn) -> None:
    for format in ("anthropic-thinking", "anthropic-adaptive"):
        endpoint, server = endpoint_on(format, brain)
        said = ask(endpoint, PROMPT, choice="required")
        assert said.tool_calls
        assert "tool_choice" not in server.sent[0].body
        assert "Call one of the tools now" in json.dumps(server.sent[0].body)


@pytest.mark.parametrize(
    ("options", "fields", "why"),
    [
        ({"temperature": 0}, {}, "excludes temperature"),
        ({"top_k": 5}, {}, "excludes temperature and top_k"),
        ({"top_p": 0.5}, {}, "top_p is at least 0.95"),
        ({"tool_choice": {"type": "any"}}, {}, "forces a call"),
        ({"thinking": {"type": "enabled", "budget_tokens": 100}}, {}, "at least 1024"),
        ({"thinking": {"type": "enabled"}}, {}, "at least 1024"),
        ({}, {"output_tokens": 1_024}, "more than options.thinking.budget_tokens"),
        ({"return_reasoning": "sometimes"}, {}, "true or false"),
    ],
)
def test_options_that_the_provider_refuses_beside_thinking_are_refused_in_one_sentence(
    options: dict[str, Any], fields: dict[str, Any], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("langchain_anthropic")
    monkeypatch.setenv("WIRE_TEST_KEY", "k")
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 1_024}, **options}
    values = {"name": "deep", "model": "anthropic:claude-test", "key_env": "WIRE_TEST_KEY", "options": thinking}
    with pytest.raises(ConfigError, match=why) as told:
        provider.check(ModelProfile.model_validate({**values, **fields}), Settings())
    assert "[models.deep] in models.toml" in str(told.value)


Change = Callable[[dict[str, Any]], Any]


def _thinking(body: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = body["messages"][1]["content"][0]
    return found


def _item(body: dict[str, Any]) -> dict[str, Any]:
    return next(i for i in body["input"] if i.get("type") == "reasoning")


WRONG: list[tuple[str, Change, str]] = [
    ("anthropic-thinking", lambda b: b["messages"][1]["content"].pop(0), "cannot be modified"),
    ("anthropic-thinking", lambda b: [b["messages"][1]["content"].pop(0) for _ in "12"], "Expected `thinking`"),
    ("anthropic-thinking", lambda b: _thinking(b).update(thinking="Another thought."), "Invalid `signature`"),
    ("anthropic-thinking", lambda b: _thinking(b).pop("signature"), "field required"),
    ("anthropic-thinking", lambda b: b["messages"][3]["content"].pop(0), "are missing"),
    ("anthropic-thinking", lambda b: b.pop("thinking"), "cannot contain `thinking`"),
    ("anthropic-thinking", lambda b: b.update(tool_choice={"type": "any"}), "forces tool use"),
    ("anthropic-thinking", lambda b: b.update(temperature=0), "may only be set to 1"),
    ("anthropic-thinking", lambda b: b.update(max_tokens=1_024), "must be greater than"),
    ("gemini-thinking", lambda b: b["contents"][1]["parts"][0].pop("thoughtSignature"), "missing a thought_signature"),
    (
        "gemini-thinking",
        lambda b: b["contents"][3]["parts"][1].update(
            thoughtSignature=b["contents"][1]["parts"][0]["thoughtSignature"]
        ),
        "is not valid",
    ),
    ("responses-thinking", lambda b: b["input"].remove(_item(b)), "without its required 'reasoning' item"),
    ("responses-thinking", lambda b: _item(b).update(encrypted_content="bm8="), "could not be verified"),
    ("responses-thinking", lambda b: b["input"].append(_item(b)), "without its following item"),
    ("responses-thinking", lambda b: b.update(model="gpt-4o"), "not supported with this model"),
    ("openai-thinking", lambda b: b["messages"][2].pop("reasoning_content"), "must be passed back"),
    ("openai-thinking", lambda b: b["messages"][4 + 1].update(reasoning_content="No."), "must be passed back"),
    ("openai-thinking-always", lambda b: b["messages"][2].update(reasoning_content=""), "must be passed back"),
    ("openai-reasoning", lambda b: b["messages"][2].update(reasoning_content="x"), "not permitted"),
]


@pytest.mark.parametrize(("format", "change", "why"), WRONG, ids=[f"{f}-{i}" for i, (f, _, _) in enumerate(WRONG)])
def test_servers_refuse_thoughts_that_are_missing_or_altered(
    format: str, change: Change, why: str, endpoint_on: EndpointOn
) -> None:
    endpoint, server = endpoint_on(format, brain)
    loop([endpoint], PROMPT)
    sent = server.sent[-1]
    server.wire.read(sent)
    body = deepcopy(sent.body)
    change(body)
    with pytest.raises(Fault) as refused:
        server.wire.read(replace(sent, body=body))
    assert why in str(refused.value)


def test_a_plain_endpoint_that_is_sent_reasoning_refuses(endpoint_on: EndpointOn) -> None:
    endpoint, server = endpoint_on("openai", brain)
    loop([endpoint], PROMPT)
    sent = server.sent[-1]
    body = deepcopy(sent.body)
    body["messages"][2]["reasoning_content"] = "hm"
    with pytest.raises(Fault, match="not permitted"):
        server.wire.read(replace(sent, body=body))


def test_a_turn_that_loses_what_was_thought_is_refused_by_those_who_want_it(
    endpoint_on: EndpointOn, serve: Callable[..., WireServer]
) -> None:
    for format in ("openai-thinking", "responses-thinking"):
        endpoint, server = endpoint_on(format, brain)
        message, *results = recorded(ask(endpoint, PROMPT))
        lost = message.model_copy(update={"additional_kwargs": {}})
        with pytest.raises(ProviderRejected):
            ask(endpoint, [*PROMPT, lost, *results])
        server.faults.clear()
