"""The chat model of Gemini: LangChain's, with tools declared as they are and the two sides taking turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.genai import types
from langchain_google_genai import ChatGoogleGenerativeAI
from pydantic import SecretStr

from signoff.models.connection import HOOKS


class GeminiChat(ChatGoogleGenerativeAI):
    """Words of the person behind results go into the content of the results: the API wants user and model to
    alternate, and LangChain sends a content a message (https://ai.google.dev/api/caching#Content)."""

    def _prepare_request(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        made = super()._prepare_request(*args, **kwargs)
        contents: list[types.Content] = []
        for content in made["contents"]:
            if contents and contents[-1].role == content.role:
                parts = [*(contents[-1].parts or ()), *(content.parts or ())]
                contents[-1] = types.Content(role=content.role, parts=parts)
            else:
                contents.append(content)
        return {**made, "contents": contents}


def gemini_model(name: str, *, base_url: str, key: str, timeout_s: float) -> GeminiChat:
    """The model at an endpoint; no retries of its own."""
    values: dict[str, Any] = {
        "model": name,
        "base_url": base_url,
        "google_api_key": SecretStr(key),
        "timeout": timeout_s,
        # One attempt: 0 would mean the SDK's own default.
        "max_retries": 1,
        "client_args": {"event_hooks": HOOKS},
    }
    return GeminiChat(**values)


def declared(tools: Sequence[Mapping[str, Any]]) -> types.Tool:
    """Function declarations of OpenAI `tools` entries, each with its JSON Schema.

    LangChain's own conversion leaves out patterns, bounds and defaults, and changes the entries that it is given. A
    function without parameters is declared without a schema, and every function with a description
    (https://ai.google.dev/api/caching#FunctionDeclaration).
    """
    declarations = []
    for tool in tools:
        function = tool.get("function", tool)
        parameters = function.get("parameters") or {}
        declarations.append(
            types.FunctionDeclaration(
                name=function["name"],
                description=function.get("description") or function["name"],
                parameters_json_schema=parameters if parameters.get("properties") else None,
            )
        )
    return types.Tool(function_declarations=declarations)


__all__ = ["GeminiChat", "declared", "gemini_model"]
