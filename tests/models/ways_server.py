"""A model behind an endpoint that knows one way to tool calls, and a conversation to ask it."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from openai_server import OpenAIServer, Says, Status, called

from signoff.models.endpoint import Endpoint
from signoff.models.gateway import ModelGateway
from signoff.models.profile import Capabilities, ModelProfile
from signoff.settings import Settings

Said = dict[str, Any] | Status


def tool(name: str, description: str, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


TOOLS = [
    tool("query_order", "Look up an order.", order_id={"type": "string", "pattern": r"^[A-Z]\d{4}$"}),
    tool(
        "search", "Search the documents.", query={"type": "string"}, tags={"type": "array", "items": {"type": "string"}}
    ),
]
CANS = {
    "native": Capabilities(),
    "schema": Capabilities(tools=False, json_schema=True, json_mode=True),
    "json": Capabilities(tools=False, json_mode=True),
    "text": Capabilities(tools=False),
}
CALL = ("query_order", {"order_id": "A1001"})
QUESTION: list[BaseMessage] = [SystemMessage("You are a desk."), HumanMessage("订单 A1001 什么状态?")]
HISTORY: list[BaseMessage] = [
    *QUESTION,
    AIMessage("", tool_calls=[tool_call(name=CALL[0], args=CALL[1], id="c1")]),
    ToolMessage('{"ok": true, "data": {"status": "</result> signed"}}', tool_call_id="c1", name="query_order"),
]


def strict(way: str, say: Callable[[dict[str, Any]], Said]) -> Says:
    """A model behind an endpoint that refuses what it does not know, as some do with a plain 400."""

    def answered(asked: dict[str, Any]) -> Said:
        form = asked.get("response_format", {}).get("type")
        unknown = [
            way != "native" and ("tools" in asked or "tool_choice" in asked),
            way != "native" and any(m["role"] == "tool" or "tool_calls" in m for m in asked["messages"]),
            form == "json_schema" and way != "schema",
            form == "json_object" and way != "json",
            form == "json_object" and "json" not in json.dumps(asked["messages"]).lower(),
        ]
        roles = [m["role"] for m in asked["messages"] if m["role"] != "system"]
        # Many chat templates let the sides take turns only.
        turns = way == "native" or all(a != b for a, b in pairwise(roles))
        if any(unknown) or not turns or roles[-1] not in ("user", "tool"):
            return Status(400, {"error": {"message": f"unsupported: {unknown}, {roles}"}})
        return say(asked)

    return Says(answered)


def brain(way: str) -> Callable[[dict[str, Any]], Said]:
    """Looks the order up, and answers when it sees the result; each way in its own form."""

    def say(asked: dict[str, Any]) -> Said:
        seen = json.dumps(asked["messages"], ensure_ascii=False)
        done = "signed" in seen
        form = asked.get("response_format", {})
        if way == "native":
            return {"content": "已签收。"} if done else {"tool_calls": [called(CALL[0], json.dumps(CALL[1]))]}
        if form.get("type") == "json_schema":
            properties = form["json_schema"]["schema"]["properties"]
            if "action" in properties:
                action = "answer" if done else "query_order"
                assert action in properties["action"]["enum"] and properties["thought"]["maxLength"] < 1000
                return {"content": json.dumps({"thought": "look", "action": action})}
            assert list(properties) == ["order_id"]
            return {"content": json.dumps(CALL[1])}
        if way == "schema":
            return {"content": "已签收。"}
        if way == "json":
            call = {"thought": "look", "calls": [{"name": CALL[0], "arguments": CALL[1]}]}
            return {"content": json.dumps({"answer": "已签收。"} if done else call, ensure_ascii=False)}
        if done:
            return {"content": "Thought: I know it now.\nFinal Answer: 已签收。"}
        return {"content": 'Thought: look\nAction: query_order\nAction Input: {"order_id": "A1001"}\n'}

    return say


def gateway(server: OpenAIServer, way: str, **can: Any) -> ModelGateway:
    profile = ModelProfile.model_validate(
        {"name": "m", "model": "openai:m", "base_url": server.base_url, "retries": 0, "timeout_s": 20}
    )
    return ModelGateway(Endpoint(profile, Settings(), capabilities=CANS[way].model_copy(update=can)), Settings())


def made(message: AIMessage) -> list[tuple[str, dict[str, Any]]]:
    assert all(c["id"] for c in message.tool_calls)
    return [(c["name"], c["args"]) for c in message.tool_calls]
