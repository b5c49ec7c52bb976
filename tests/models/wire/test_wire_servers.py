"""The loopback servers themselves: a request that the provider would refuse is refused, whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from endpoints import PROMPT, TOOLS
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from scripted import calls
from wire_desks import FORMATS
from wire_server import Fault, Sent

from signoff import Settings
from signoff.models.gateway import ModelGateway

THREAD = [
    *PROMPT,
    calls(("query_order", {"order_id": "A1"}, "c1"), ("query_order", {"order_id": "A2"}, "c2")),
    ToolMessage('{"ok": true, "data": 1}', tool_call_id="c1", name="query_order"),
    ToolMessage('{"ok": true, "data": 2}', tool_call_id="c2", name="query_order"),
    AIMessage("Both were sent."),
    HumanMessage("谢谢"),
]
Change = Callable[[dict[str, Any]], Any]


@pytest.fixture
def sent_as(endpoint_on: Callable[..., Any]) -> Callable[[str], Sent]:
    """The thread as the provider's client sends it."""

    def one(format: str) -> Sent:
        endpoint, server = endpoint_on(format, lambda asked: AIMessage("ok"))
        ModelGateway(endpoint, Settings()).call(THREAD, TOOLS, deadline_s=20.0)
        return server.sent[0]

    return one


def at(path: str, value: Any) -> Change:
    """Put a value at a place such as `messages.2.tool_calls.0.id`."""

    def change(body: dict[str, Any]) -> None:
        *way, last = (int(p) if p.isdigit() else p for p in path.split("."))
        node: Any = body
        for p in way:
            node = node[p]
        node[last] = value

    return change


def without(path: str) -> Change:
    """Take what stands at a place away."""

    def change(body: dict[str, Any]) -> None:
        *way, last = (int(p) if p.isdigit() else p for p in path.split("."))
        node: Any = body
        for p in way:
            node = node[p]
        del node[last]

    return change


def swapped(path: str, a: int, b: int) -> Change:
    """Two items of a list change places."""

    def change(body: dict[str, Any]) -> None:
        body[path][a], body[path][b] = body[path][b], body[path][a]

    return change


WRONG: list[tuple[str, Change, str]] = [
    ("openai", without("messages.3"), "did not have response messages"),
    ("openai", without("messages.2"), "must be a response to a preceding message"),
    ("openai", at("messages.4.tool_call_id", "c1"), "must be a response"),
    ("openai", at("messages.2.tool_calls.1.id", "c1"), "duplicate value"),
    ("openai", at("messages.2.tool_calls.0.id", "c" * 41), "1 to 40 characters"),
    ("openai", at("messages.2.tool_calls.0.function.arguments", {"order_id": "A1"}), "a string is expected"),
    ("openai", at("messages.2.tool_calls.0.function.arguments", '["A1"]'), "not a JSON object"),
    ("openai", at("messages.2.tool_calls.0.function.name", "查询"), "should match"),
    ("openai", at("messages.2.tool_calls", []), "minimum length 1"),
    ("openai", at("messages.5.content", ""), "non-empty"),
    ("openai", swapped("messages", 0, 1), "system message must be the first"),
    ("openai", at("tools", []), "minimum length 1"),
    ("openai", without("tools.0.function.parameters.type"), 'type "object"'),
    ("openai", at("tools.0.function.parameters.properties.x", {"type": "array"}), "missing items"),
    ("openai", at("max_tokens", 0), "positive integer"),
    ("openai", at("stream", False), "only allowed when 'stream'"),
    ("openai", at("use_responses_api", True), "not permitted"),
    ("responses", without("input.4"), "No tool output found"),
    ("responses", without("input.2"), "No tool call found"),
    ("responses", at("input.3.call_id", "c1"), "duplicate value"),
    ("responses", at("input.2.arguments", {}), "a string is expected"),
    ("responses", at("input.4.output", ""), "non-empty"),
    ("responses", at("input.6.content.0.type", "input_text"), "is not output_text"),
    ("responses", swapped("input", 0, 1), "system message must be the first"),
    ("responses", at("store", True), "store"),
    ("responses", without("tools.0.strict"), "field required"),
    ("responses", at("tools.0", TOOLS[0]), "field required"),
    ("anthropic", without("max_tokens"), "field required"),
    ("anthropic", without("messages.2"), "roles must alternate"),
    ("anthropic", without("messages.0"), "must use the user role"),
    ("anthropic", without("messages.2.content.0"), "without `tool_result` blocks"),
    ("anthropic", at("messages.2.content.1.tool_use_id", "c1"), "unexpected `tool_use_id`"),
    ("anthropic", at("messages.2.content.0", {"type": "text", "text": "wait"}), "without `tool_result` blocks"),
    ("anthropic", at("messages.1.content.0.input", "{}"), "valid dictionary"),
    ("anthropic", at("messages.1.content.0.id", "c 1"), "should match pattern"),
    ("anthropic", at("messages.1.content.1.id", "c1"), "must be unique"),
    ("anthropic", at("messages.3.content", " "), "non-empty"),
    ("anthropic", at("messages.0.role", "system"), "is not one of user, assistant"),
    ("anthropic", without("messages.4"), "prefill"),
    ("anthropic", without("tools"), "must define tools"),
    ("anthropic", at("tools.0.input_schema", {"properties": {}}), 'type "object"'),
    ("anthropic", at("tool_choice", {"type": "required"}), "not one of auto"),
    ("gemini", without("contents.2"), "alternate"),
    ("gemini", without("contents.0"), "first content"),
    ("gemini", without("contents.2.parts.0"), "number of function response parts"),
    ("gemini", at("contents.2.parts.0.functionResponse.name", "other"), "answers a call"),
    ("gemini", at("contents.2.parts.0.functionResponse.response", "text"), "Struct"),
    ("gemini", at("contents.1.parts.0.functionCall.args", "{}"), "Struct"),
    ("gemini", at("contents.3.role", "assistant"), "valid role"),
    ("gemini", at("contents.3.parts", []), "must not be empty"),
    ("gemini", at("contents.3.parts.0.text", ""), "non-empty"),
    ("gemini", without("contents.4"), "last content"),
    ("gemini", at("messages", []), "Unknown name"),
    ("gemini", at("tools.0.functionDeclarations.0.name", "a b"), "should match"),
    (
        "gemini",
        at("tools.0.functionDeclarations.0", {"name": "a", "description": "b", "parameters": {"type": "OBJECT"}}),
        "should be non-empty for OBJECT type",
    ),
    ("gemini", at("generationConfig.maxOutputTokens", -1), "positive integer"),
    ("gemini3", lambda body: body.update(contents=body["contents"][:3]), "missing a thought_signature"),
    ("gemini3", at("contents.1.parts.0", {"functionCall": {"name": "query_order", "args": []}}), "Struct"),
]


@pytest.mark.parametrize("format", list(FORMATS))
def test_a_whole_thread_is_taken(format: str, sent_as: Callable[[str], Sent]) -> None:
    asked = FORMATS[format][0]().read(sent_as(format))
    assert [m.type for m in asked.messages] == ["system", "human", "ai", "tool", "tool", "ai", "human"]
    assert [c["args"] for c in asked.messages[2].tool_calls] == [{"order_id": "A1"}, {"order_id": "A2"}]


@pytest.mark.parametrize(("format", "change", "why"), WRONG, ids=[f"{f}-{w}-{i}" for i, (f, _, w) in enumerate(WRONG)])
def test_what_the_provider_refuses_is_refused(
    format: str, change: Change, why: str, sent_as: Callable[[str], Sent]
) -> None:
    sent = sent_as(format)
    body = deepcopy(sent.body)
    change(body)
    with pytest.raises(Fault) as refused:
        FORMATS[format][0]().read(replace(sent, body=body))
    assert why in str(refused.value)


@pytest.mark.parametrize("format", list(FORMATS))
def test_no_key_but_the_providers_own_is_taken(format: str, sent_as: Callable[[str], Sent]) -> None:
    sent = sent_as(format)
    other = "x-api-key" if format != "anthropic" else "x-goog-api-key"
    for headers in ({**sent.headers, other: "another"}, {"content-type": "application/json"}):
        with pytest.raises(Fault) as refused:
            FORMATS[format][0]().read(replace(sent, headers=headers))
        assert refused.value.status == 401
