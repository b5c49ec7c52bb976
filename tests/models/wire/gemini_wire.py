"""Gemini's generateContent (https://ai.google.dev/api/generate-content)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import wire_rules as wire
import wire_thoughts as thoughts
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from wire_server import Asked, Event, Fault, Sent

_PATH = re.compile(r"/v1(?:beta)?/models/([\w.-]+):(generateContent|streamGenerateContent)")
_FIELDS = ("systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings", "cachedContent")
_GENERATION = (
    "temperature", "topP", "topK", "candidateCount", "maxOutputTokens", "stopSequences", "responseMimeType",
    "responseSchema", "responseJsonSchema", "thinkingConfig", "seed",
)  # fmt: skip
_SCHEMA = (
    "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required",
    "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering",
    "default", "items", "minimum", "maximum",
)  # fmt: skip
"""The subset of OpenAPI's schema that function declarations take (https://ai.google.dev/api/caching#Schema)."""
_TYPES = ("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT")
_FORMATS = {"STRING": ("enum", "date-time"), "NUMBER": ("float", "double"), "INTEGER": ("int32", "int64")}
_CAMEL = {"parameters_json_schema": "parametersJsonSchema"}
_SKIP = "skip_thought_signature_validator"
"""Stands for the signature of calls that another model made (https://ai.google.dev/gemini-api/docs/thought-signatures)."""

_URL_SAFE = str.maketrans("-_", "+/")


class Gemini:
    """`POST /v1/models/{model}:generateContent` and `:streamGenerateContent?alt=sse`; or `/v1beta`."""

    name = "gemini"
    prefix = ""

    def read(self, sent: Sent) -> Asked:
        path = _PATH.fullmatch(sent.path)
        if path is None:
            raise Fault(f"Not found: {sent.path}", 404)
        stream = path[2] == "streamGenerateContent"
        if stream and sent.query.get("alt") != ["sse"]:
            raise Fault("alt: sse is expected")
        wire.keyed(sent, "x-goog-api-key")
        body = wire.only(sent.body, "Invalid JSON payload received. Unknown name", ("contents",), _FIELDS)
        settings = wire.only(body.get("generationConfig", {}), "generation_config", (), _GENERATION)
        if "maxOutputTokens" in settings:
            wire.positive(settings["maxOutputTokens"], "max_output_tokens")
        declared = []
        for i, tool in enumerate(body.get("tools", ())):
            given = wire.only(tool, f"tools[{i}]", ("functionDeclarations",))["functionDeclarations"]
            declared += [_tool(t, f"tools[{i}].function_declarations[{n}]") for n, t in enumerate(given)]
        wire.distinct((t["function"]["name"] for t in declared), "Duplicate function declaration found")
        choice = _choice(body.get("toolConfig"))
        if choice == "required" and not declared:
            raise Fault("Function calling config is set without function_declarations.")
        messages = _contents(body["contents"], signed=path[1].startswith("gemini-3"))
        told = [*_system(body.get("systemInstruction")), *messages]
        shown = bool((settings.get("thinkingConfig") or {}).get("includeThoughts"))
        return Asked(path[1], told, declared, choice, stream, {"thoughts": shown})

    def refusal(self, fault: Fault) -> dict[str, Any]:
        status = {401: "UNAUTHENTICATED", 404: "NOT_FOUND"}.get(fault.status, "INVALID_ARGUMENT")
        return {"error": {"code": fault.status, "message": str(fault), "status": status}}

    def whole(self, answer: AIMessage, asked: Asked) -> dict[str, Any]:
        parts = [{"text": str(answer.text)}] if str(answer.text) else []
        parts = [*_thoughts(answer, asked), *parts]
        return _response([*parts, *_calls(answer, asked)], asked, answer, finish=True)

    def events(self, answer: AIMessage, asked: Asked) -> Iterator[Event]:
        for part in _thoughts(answer, asked):
            yield None, _response([part], asked, answer)
        for piece in wire.pieces(str(answer.text), 40):
            yield None, _response([{"text": piece}], asked, answer)
        for part in _calls(answer, asked):
            yield None, _response([part], asked, answer)
        yield None, _response([{"text": ""}], asked, answer, finish=True)


def _system(given: Any) -> list[BaseMessage]:
    if given is None:
        return []
    parts = wire.only(given, "system_instruction", ("parts",), ("role",))["parts"]
    return [SystemMessage("\n".join(wire.worded(p.get("text"), "system_instruction") for p in parts))]


def _contents(given: Any, *, signed: bool) -> list[BaseMessage]:
    if not isinstance(given, list) or not given:
        raise Fault("GenerateContentRequest.contents: contents is not specified")
    made: list[BaseMessage] = []
    open_calls: list[tuple[str, str]] = []
    before, begun = None, _last_question(given)
    for i, content in enumerate(given):
        where = f"contents[{i}]"
        wire.only(content, where, ("role", "parts"))
        role, parts = content["role"], content["parts"]
        if role not in ("user", "model"):
            raise Fault(f"{where}.role: Please use a valid role: user, model.")
        if i == 0 and role != "user":
            raise Fault("Please ensure that the first content is the user's")
        if role == before:
            raise Fault("Please ensure that multiturn requests alternate between user and model.")
        before = role
        if not isinstance(parts, list) or not parts:
            raise Fault(f"GenerateContentRequest.{where}.parts: contents.parts must not be empty.")
        if role == "model":
            said = _model(parts, where, i, signed=signed and i > begun)
            open_calls = [(str(c["id"]), c["name"]) for c in said.tool_calls]
            made.append(said)
        else:
            made += _user(parts, where, open_calls)
            open_calls = []
    if before == "model":
        raise Fault("Please ensure that the last content is the user's or a function response.")
    return made


def _last_question(contents: list[Any]) -> int:
    """Where the current turn begins: the last content of the person's that is no function response."""
    for i in range(len(contents) - 1, -1, -1):
        content = contents[i]
        if content.get("role") == "user" and any("functionResponse" not in p for p in content.get("parts") or ()):
            return i
    return -1


def _model(parts: list[Any], where: str, place: int, *, signed: bool) -> AIMessage:
    texts, calls = [], []
    for n, part in enumerate(parts):
        at = f"{where}.parts[{n}]"
        if "functionCall" in part:
            wire.only(part, at, ("functionCall",), ("thoughtSignature",))
            signature = part.get("thoughtSignature")
            if signed and not calls and not signature:
                raise Fault(f"Function call is missing a thought_signature in functionCall parts: {at}")
            call = wire.only(part["functionCall"], f"{at}.function_call", ("name",), ("args", "id"))
            args = call.get("args", {})
            if not isinstance(args, dict):
                raise Fault(f"{at}.function_call.args: a Struct is expected")
            name = wire.named(call["name"], f"{at}.function_call.name")
            # Bytes may come in either alphabet of base64 (https://protobuf.dev/programming-guides/json/).
            if signature not in (None, _SKIP) and signature.translate(_URL_SAFE) != _signature(name, args):
                raise Fault(f"Thought signature is not valid: {at}")
            calls.append({"id": f"g{place}_{n}", "name": name, "args": args, "type": "tool_call"})
        else:
            wire.only(part, at, ("text",), ("thoughtSignature",))
            texts.append(wire.worded(part["text"], at))
    return AIMessage("".join(texts), tool_calls=calls)


def _user(parts: list[Any], where: str, open_calls: list[tuple[str, str]]) -> list[BaseMessage]:
    made: list[BaseMessage] = []
    answers: list[ToolMessage] = []
    for n, part in enumerate(parts):
        at = f"{where}.parts[{n}]"
        if "functionResponse" not in part:
            made.append(HumanMessage(wire.worded(wire.only(part, at, ("text",))["text"], at)))
            continue
        if made:
            raise Fault(f"{at}: function responses stand before text")
        response = wire.only(part["functionResponse"], f"{at}.function_response", ("name", "response"), ("id",))
        if len(answers) == len(open_calls):
            raise Fault(
                "Please ensure that the number of function response parts is equal to the number of function call "
                "parts of the function call turn."
            )
        call_id, name = open_calls[len(answers)]
        if response["name"] != name:
            raise Fault(f"{at}.function_response.name: {response['name']!r} answers a call of {name!r}")
        if not isinstance(response["response"], dict) or not response["response"]:
            raise Fault(f"{at}.function_response.response: a Struct is expected")
        answers.append(ToolMessage(json.dumps(response["response"], ensure_ascii=False), tool_call_id=call_id))
    if len(answers) != len(open_calls):
        raise Fault(
            "Please ensure that the number of function response parts is equal to the number of function call parts "
            "of the function call turn."
        )
    return [*answers, *made]


def _choice(config: Any) -> str:
    if config is None:
        return "auto"
    given = wire.only(config, "tool_config", ("functionCallingConfig",))["functionCallingConfig"]
    wire.only(given, "tool_config.function_calling_config", ("mode",), ("allowedFunctionNames",))
    found = {"AUTO": "auto", "ANY": "required", "NONE": "none"}.get(given["mode"])
    if found is None:
        raise Fault(f"function_calling_config.mode: {given['mode']}")
    return found


def _tool(tool: Any, where: str) -> dict[str, Any]:
    # Protobuf's JSON takes a field under its own name, too (https://protobuf.dev/programming-guides/json/).
    tool = {_CAMEL.get(k, k): v for k, v in tool.items()} if isinstance(tool, dict) else tool
    wire.only(tool, where, ("name", "description"), ("parameters", "parametersJsonSchema"))
    name = wire.named(tool["name"], f"{where}.name")
    wire.worded(tool["description"], f"{where}.description")
    if "parametersJsonSchema" in tool:
        parameters = wire.schema(tool["parametersJsonSchema"], f"{where}.parameters_json_schema")
    elif "parameters" in tool:
        if tool["parameters"].get("type") != "OBJECT":
            raise Fault(f"{where}.parameters: schema should be of type OBJECT")
        parameters = _lowered(_schema(tool["parameters"], f"{where}.parameters"))
    else:
        parameters = {"type": "object", "properties": {}}
    return wire.tool(name, tool["description"], parameters)


def _schema(node: Any, where: str) -> dict[str, Any]:
    wire.only(node, where, () if isinstance(node, dict) and "anyOf" in node else ("type",), ("type", *_SCHEMA))
    kind = node.get("type")
    if kind is not None and kind not in _TYPES:
        raise Fault(f"{where}.type: Invalid value {kind!r}")
    if "enum" in node and (kind != "STRING" or not all(isinstance(e, str) and e for e in node["enum"])):
        raise Fault(f"{where}.enum: only allowed for STRING type, and no value may be empty")
    if "format" in node and node["format"] not in _FORMATS.get(str(kind), ()):
        raise Fault(f"{where}.format: {node['format']!r} is not supported for {kind} type")
    if kind == "ARRAY":
        if "items" not in node:
            raise Fault(f"{where}.items: missing field.")
        _schema(node["items"], f"{where}.items")
    if kind == "OBJECT":
        properties = node.get("properties")
        if not properties:
            raise Fault(f"{where}.properties: should be non-empty for OBJECT type")
        for key in node.get("required", ()):
            if key not in properties:
                raise Fault(f"{where}.required: property is not defined: {key}")
        for name, inner in properties.items():
            _schema(inner, f"{where}.properties[{name}]")
    for n, inner in enumerate(node.get("anyOf", ())):
        _schema(inner, f"{where}.any_of[{n}]")
    return node  # type: ignore[no-any-return]


def _lowered(node: Any) -> Any:
    """A schema in JSON Schema's words."""
    if isinstance(node, list):
        return [_lowered(n) for n in node]
    if not isinstance(node, dict):
        return node
    made = {k: _lowered(v) for k, v in node.items() if k not in ("type", "properties", "enum", "default", "required")}
    made |= {k: node[k] for k in ("enum", "default", "required") if k in node}
    if "properties" in node:
        made["properties"] = {k: _lowered(v) for k, v in node["properties"].items()}
    if "type" in node:
        made["type"] = node["type"].lower()
    for whole in ("minLength", "maxLength", "minItems", "maxItems"):
        if whole in made:
            made[whole] = int(made[whole])
    return made


def _calls(answer: AIMessage, asked: Asked) -> list[dict[str, Any]]:
    """The calls; the second generation gives them no ids, the third signs the first of them."""
    signed = asked.model.startswith("gemini-3")
    made: list[dict[str, Any]] = []
    for call_id, name, args in wire.wanted(answer):
        call = {"name": name, "args": json.loads(args)}
        part: dict[str, Any] = {"functionCall": {**call, "id": call_id} if signed else call}
        if signed and not made:
            part["thoughtSignature"] = _signature(name, call["args"])
        made.append(part)
    return made


def _signature(name: str, args: Any) -> str:
    """A call's own; no other may bear it."""
    return thoughts.sealed(name, json.dumps(args, sort_keys=True))


def _thoughts(answer: AIMessage, asked: Asked) -> list[dict[str, Any]]:
    """What was thought, where it was asked for: it is told, and need not come back."""
    said = thoughts.thought(answer)
    return [{"text": said, "thought": True}] if said and asked.extra["thoughts"] else []


def _response(parts: list[dict[str, Any]], asked: Asked, answer: AIMessage, *, finish: bool = False) -> dict[str, Any]:
    prompt, completion = wire.spent(answer)
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    usage = {
        "promptTokenCount": prompt,
        "cachedContentTokenCount": prompt // 2,
        "totalTokenCount": prompt,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": prompt}],
    }
    if finish:
        candidate["finishReason"] = "MAX_TOKENS" if wire.cut_off(answer) else "STOP"
        usage |= {"candidatesTokenCount": completion, "totalTokenCount": prompt + completion}
    return {
        "candidates": [candidate],
        "usageMetadata": usage,
        "modelVersion": asked.model,
        "responseId": "r-1",
    }
