"""An OpenAI-compatible endpoint that has, lacks, refuses or silently ignores each capability, as a test says."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any, Literal

from openai_server import OpenAIServer, Says, Status, Stream, Whole, called, piece, usage

How = Literal["keeps", "ignores", "refuses"]


@dataclass(frozen=True)
class Traits:
    """What the endpoint does with each field. The model behind it does as it is told, and no more."""

    tools: Literal["keeps", "ignores", "refuses", "writes", "whole", "fails"] = "keeps"
    """`writes` puts calls into the text; `whole` loses them in streams; `fails` answers 500."""
    parallel: bool = True
    parallel_field: How = "keeps"
    required: How = "keeps"
    none: How = "keeps"
    strict: How = "keeps"
    json_schema: How = "keeps"
    json_mode: Literal["keeps", "ignores", "refuses", "rambles"] = "keeps"
    """`rambles` begins an object and does not end it."""
    system: How = "keeps"
    results: How = "keeps"
    streaming: Literal["keeps", "one piece", "ignores", "refuses"] = "keeps"
    usage: How = "keeps"
    thinks: bool = False
    """Spends its first few hundred tokens on thought."""
    context_in: Literal["models", "props", "error", "nowhere"] = "nowhere"
    context_tokens: int = 8_192


class CapabilityServer(OpenAIServer):
    """Answers by its traits, whatever it is asked and in whatever order."""

    def __init__(self, traits: Traits) -> None:
        super().__init__(Says(lambda asked: self._say(asked)))
        self.traits = traits
        owner = self

        def do_get(handler: BaseHTTPRequestHandler) -> None:
            body = owner._told(handler.path)
            handler.close_connection = True
            owner._send(handler, 404 if body is None else 200, body or {"error": {"message": "not found"}}, {})

        self._server.RequestHandlerClass.do_GET = do_get  # type: ignore[attr-defined]

    def _told(self, path: str) -> dict[str, Any] | None:
        entry = {"id": "served", "object": "model"}
        if path == "/v1/models":
            told = {"max_model_len": self.traits.context_tokens} if self.traits.context_in == "models" else {}
            return {"object": "list", "data": [{"id": "other", "max_model_len": 999_999}, {**entry, **told}]}
        if path == "/props" and self.traits.context_in == "props":
            return {"default_generation_settings": {"n_ctx": self.traits.context_tokens}}
        return None

    def _answer(self, handler: BaseHTTPRequestHandler, response: Any, asked: dict[str, Any]) -> None:
        said = self._say(asked) if isinstance(response, Says) else response
        if isinstance(said, Status):
            super()._answer(handler, said, asked)
        elif not asked.get("stream") or self.traits.streaming == "ignores":
            choice = {
                "index": 0,
                "message": {"role": "assistant", "content": None, **said},
                "finish_reason": _end(said),
            }
            counted = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}
            body = {"id": "x", "object": "chat.completion", "model": "served-by-name", "choices": [choice]}
            super()._answer(handler, Whole({**body, "usage": counted}), asked)
        else:
            endless = self.traits.json_mode == "rambles" and str(said.get("content")).endswith("  ")
            pieces = self._pieces(said, asked)
            super()._answer(handler, Stream(pieces[:-2], then="hang") if endless else Stream(pieces), asked)

    def _pieces(self, said: dict[str, Any], asked: dict[str, Any]) -> list[dict[str, Any]]:
        text = str(said.get("content") or "")
        step = len(text) + 1 if self.traits.streaming == "one piece" else 6
        pieces = [piece({"content": text[i : i + step]}) for i in range(0, len(text), step)]
        if said.get("reasoning_content"):
            pieces.insert(0, piece({"reasoning_content": said["reasoning_content"]}))
        if self.traits.tools != "whole":
            pieces += [piece({"tool_calls": [{"index": i, **c}]}) for i, c in enumerate(said.get("tool_calls", ()))]
        pieces.append(piece(finish=_end(said)))
        if self.traits.usage == "keeps" and asked.get("stream_options", {}).get("include_usage"):
            pieces.append(usage(20, 5))
        return pieces

    def _say(self, asked: dict[str, Any]) -> Any:
        has = self.traits
        form = asked.get("response_format", {}).get("type")
        choice = asked.get("tool_choice", "auto")
        refused = {
            "stream": has.streaming == "refuses" and asked.get("stream"),
            "stream_options": has.usage == "refuses" and "stream_options" in asked,
            "tools": has.tools == "refuses" and "tools" in asked,
            "tool_choice": (has.required == "refuses" and choice == "required")
            or (has.none == "refuses" and choice == "none"),
            "parallel_tool_calls": has.parallel_field == "refuses" and "parallel_tool_calls" in asked,
            "strict": has.strict == "refuses" and any(t["function"].get("strict") for t in asked.get("tools", ())),
            "response_format": (has.json_schema == "refuses" and form == "json_schema")
            or (has.json_mode == "refuses" and form == "json_object"),
            "role system": has.system == "refuses" and any(m["role"] == "system" for m in asked["messages"]),
            "role tool": has.results == "refuses" and any(m["role"] == "tool" for m in asked["messages"]),
        }
        for field, is_so in refused.items():
            if is_so:
                return Status(400, {"error": {"message": f"{field} is not supported", "code": "unsupported_value"}})
        if has.tools == "fails" and "tools" in asked:
            return Status(500, {"error": {"message": "this template has no place for tools"}})
        wanted = max(asked.get("max_tokens") or 0, asked.get("max_completion_tokens") or 0)
        if has.context_in == "error" and wanted > has.context_tokens:
            sentence = f"This model's maximum context length is {has.context_tokens} tokens. However, you requested "
            return Status(400, {"error": {"message": f"{sentence}{wanted} tokens.", "code": "context_length_exceeded"}})
        if has.thinks and wanted < 1_000:
            return {"content": "", "reasoning_content": "Let me see.", "finish_reason": "length"}
        return self._spoken(asked, form, choice)

    def _spoken(self, asked: dict[str, Any], form: str | None, choice: str) -> dict[str, Any]:
        has, messages = self.traits, asked["messages"]
        if has.system == "ignores":
            messages = [m for m in messages if m["role"] != "system"]
        words = "\n".join(str(m.get("content") or "") for m in messages)
        last = messages[-1]
        tools = {t["function"]["name"]: t["function"] for t in asked.get("tools", ())} if has.tools != "ignores" else {}
        if form == "json_schema" and has.json_schema == "keeps":
            return {"content": json.dumps(_instance(asked["response_format"]["json_schema"]["schema"]))}
        if form == "json_object" and has.json_mode in ("keeps", "rambles"):
            return {"content": '{"legs": 8}' if has.json_mode == "keeps" else '{"legs": 8, "and": "  '}
        if last["role"] == "tool":
            return {"content": f"The tool says: {last['content']}"}
        named = [n for n in tools if f"the tool {n}" in words]
        if choice == "none" and has.none == "keeps":
            named = []
        if not named and choice == "required" and has.required == "keeps":
            named = list(tools)[:1]
        if named:
            return self._calls(tools[named[0]], words, asked)
        if order := re.search(r"reply with the one word (\w+)", words, re.IGNORECASE):
            return {"content": order[1]}
        if "JSON object" in words:
            return {"content": 'A spider has eight legs. {"legs": 8}'}
        return {"content": "one, two, three, four, five, six, seven, eight"}

    def _calls(self, tool: dict[str, Any], words: str, asked: dict[str, Any]) -> dict[str, Any]:
        if "shade" in tool["parameters"]["properties"]:
            kept = self.traits.strict == "keeps" and tool.get("strict")
            args = [{"shade": tool["parameters"]["properties"]["shade"]["enum"][0] if kept else "yellow"}]
        else:
            args = [{"item": i} for i in dict.fromkeys(re.findall(r"item ([A-Z]-\d+)", words))] or [{"item": "A-1"}]
        if not self.traits.parallel or asked.get("parallel_tool_calls") is False:
            args = args[:1]
        if self.traits.tools == "writes":
            calls = [json.dumps({"name": tool["name"], "arguments": a}) for a in args]
            return {"content": "\n".join(f"<tool_call>\n{c}\n</tool_call>" for c in calls)}
        return {"tool_calls": [called(tool["name"], json.dumps(a), f"call_{i}") for i, a in enumerate(args)]}


def _end(said: dict[str, Any]) -> str:
    return str(said.get("finish_reason") or ("tool_calls" if said.get("tool_calls") else "stop"))


def _instance(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        return {name: _instance(part) for name, part in schema["properties"].items()}
    return {"string": "words", "integer": 1, "number": 1.5, "boolean": True, "array": []}[schema["type"]]
