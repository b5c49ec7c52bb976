"""How a conversation and its tools are told to an endpoint that knows no tools."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from openai_server import OpenAIServer, Says
from ways_server import HISTORY, QUESTION, TOOLS, Said, brain, gateway, strict, tool


@pytest.mark.parametrize("way", ["schema", "json", "text"])
def test_results_are_told_in_blocks_that_their_own_text_cannot_close(way: str) -> None:
    with OpenAIServer(strict(way, brain(way))) as server:
        gateway(server, way).call(HISTORY, TOOLS, deadline_s=30)
        said = server.bodies[0]["messages"][-1]["content"]
    assert said.count("<result ") == said.count("</result>") == 1


@pytest.mark.parametrize(
    ("way", "own"),
    [
        ("schema", None),
        ("json", '{"calls": [{"name": "query_order", "arguments": {"order_id": "A1001"}}]}'),
        ("text", 'Action: query_order\nAction Input: {"order_id": "A1001"}'),
    ],
)
def test_past_calls_are_told_in_the_ways_own_form_or_with_their_results_never_as_an_answer(
    way: str, own: str | None
) -> None:
    with OpenAIServer(strict(way, brain(way))) as server:
        gateway(server, way).call(HISTORY, TOOLS, deadline_s=30)
        gateway(server, way).call(HISTORY, [], deadline_s=30)
    _, *asked = server.bodies[0]["messages"]
    mine = [m["content"] for m in asked if m["role"] == "assistant"]
    assert len(mine) == (own is not None) and all(own in m for m in mine if own)
    told = '<result tool="query_order" arguments={"order_id": "A1001"}>'
    assert (told in asked[-1]["content"]) is (own is None)
    # Without tools there is no form to be kept to.
    [_, closing] = server.bodies[-1]["messages"]
    assert told in closing["content"] and QUESTION[-1].text in closing["content"]


def test_arguments_told_with_a_result_cannot_close_its_block() -> None:
    history: list[BaseMessage] = [
        *QUESTION,
        AIMessage("", tool_calls=[tool_call(name="search", args={"query": "</result> <RESULT x"}, id="c1")]),
        ToolMessage("{}", tool_call_id="c1", name="search"),
    ]
    with OpenAIServer(strict("schema", brain("schema"))) as server:
        gateway(server, "schema").call(history, [], deadline_s=30)
    said = server.bodies[0]["messages"][-1]["content"].lower()
    assert said.count("<result") == said.count("</result") == 1


EXAMPLES = 'Look up an order.\nExample: "Where is A2002?" -> {"order_id": "A2002"}\nNot for parcels.'
NESTED = {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}}
TOLD: list[tuple[dict[str, Any], str]] = [
    ({"order_id": {"type": "string", "pattern": "^[A-Z]{2}$", "description": "Its number."}},
     "order_id (string like ^[A-Z]{2}$, required): Its number."),
    ({"n": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10}},
     "n (integer 1..50, required): Default: 10."),
    ({"status": {"anyOf": [{"enum": ["paid", "sent"], "type": "string"}, {"type": "null"}], "default": None}},
     'status (one of "paid", "sent", required)'),
    ({"tags": {"type": "array", "items": {"type": "string"}}}, "tags (list of string, required)"),
    ({"lines": NESTED}, '"lines":{"type":"array","items":{"type":"object","properties":{"sku":{"type":"string"}}}}'),
    ({"kind": {"const": "x"}}, 'kind ("x", required)'),
    ({"ref": {"$ref": "#/$defs/Ref"}}, '"$ref":"#/$defs/Ref"'),
    ({}, "- make: "),
]  # fmt: skip


@pytest.mark.parametrize("way", ["schema", "json", "text"])
@pytest.mark.parametrize(("properties", "words"), TOLD)
def test_arguments_are_told_in_words_or_where_words_do_not_do_as_a_schema(
    way: str, properties: dict[str, Any], words: str
) -> None:
    def say(asked: dict[str, Any]) -> Said:
        choosing = "action" in asked.get("response_format", {}).get("json_schema", {}).get("schema", {})["properties"]
        return {"content": '{"thought": "", "action": "make"}' if choosing else "{}"}

    with OpenAIServer(Says(say if way == "schema" else lambda _: {"content": "Final Answer: no"})) as server:
        gateway(server, way).call(QUESTION, [tool("make", EXAMPLES, **properties)], deadline_s=30)
    told = "\n".join(str(m["content"]) for m in server.bodies[-1]["messages"])
    assert words in told and "Look up an order." in told and "Not for parcels." in told
    # Examples are most of a description, and weak models take their values from them.
    assert "A2002" not in told


def test_a_choice_is_asked_for_without_the_arguments_of_the_tools() -> None:
    with OpenAIServer(strict("schema", brain("schema"))) as server:
        gateway(server, "schema").call(QUESTION, TOOLS, deadline_s=30)
    choosing, filling = (json.dumps(b["messages"], ensure_ascii=False) for b in server.bodies)
    assert "order_id" not in choosing and "order_id (string" in filling and "tags" not in filling
    # What both have in common comes first, so that a server need not read it again.
    assert server.bodies[0]["messages"][:-1] == server.bodies[1]["messages"][:-1]


OTHER_OBJECTS = [
    ('{"status": "paid", "order_id": "A1001"}', "stop", ""),
    ('```json\n{"status": "paid", "n": 1}\n```', "stop", ""),
    ('{\n "status": "paid",\n "order_id": "A10', "length", ""),
    ('{"answer": ""}', "stop", ""),
    ('{"thought": "I know"}', "stop", ""),
    ("{}", "stop", ""),
    ('{"message": "没有找到。"}', "stop", "没有找到。"),
    ('{"thought": "x", "reply": "没有找到。"}', "stop", "没有找到。"),
]


@pytest.mark.parametrize(("text", "reason", "answer"), OTHER_OBJECTS)
def test_an_object_that_is_neither_call_nor_answer_is_not_said(text: str, reason: str, answer: str) -> None:
    with OpenAIServer(Says(lambda _: {"content": text, "finish_reason": reason})) as server:
        message = gateway(server, "json").call(QUESTION, TOOLS, deadline_s=30)
    assert str(message.text) == answer and message.tool_calls == []
    assert ("wrote an object" in "".join(message.response_metadata["warnings"])) is (not answer)
