"""Endpoints on loopback servers, and one question to ask of them."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from signoff.models.endpoint import Endpoint
from signoff.models.gateway import ModelGateway
from signoff.models.profile import Capabilities, ModelProfile
from signoff.settings import Settings

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "query_order",
            "description": "Look up an order.",
            "parameters": {
                "type": "object",
                "properties": {"order_id": {"type": "string"}, "note": {"type": "string"}},
                "required": ["order_id"],
            },
        },
    }
]
PROMPT: list[BaseMessage] = [SystemMessage("You are a desk."), HumanMessage("订单 A1001 什么状态?")]


def endpoint(base_url: str, name: str = "fast", can: Capabilities | None = None, **fields: Any) -> Endpoint:
    values: dict[str, Any] = {"retries": 0, "timeout_s": 10.0, "model": f"openai:{name}-model", **fields}
    profile = ModelProfile.model_validate({"name": name, "base_url": base_url, **values})
    return Endpoint(profile, Settings(), capabilities=can)


def ask(*endpoints: Endpoint, **options: Any) -> AIMessage:
    return ModelGateway(endpoints, Settings()).call(PROMPT, TOOLS, **{"deadline_s": 20.0, **options})
