"""The chat model of OpenAI-compatible endpoints: LangChain's, which reads only OpenAI's own fields, with the others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import openai
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from signoff.models.connection import HOOKS
from signoff.models.continuation import EXTRAS, FIELDS
from signoff.models.responses import ResponsesChat

_STANDS_FOR_THOUGHT = " "
"""Says that there was reasoning which is not known; some versions of DeepSeek's API refuse an empty text."""


class NotStreamed(Exception):
    """A whole JSON answer came where a stream was asked for."""


class CompatibleChat(ChatOpenAI):
    """Reads what compatible endpoints send beyond OpenAI's form, and mends what is not quite of that form.

    Reasoning (`reasoning_content` of DeepSeek, Qwen, GLM, vLLM and llama.cpp; `reasoning` of Ollama, OpenRouter and
    Groq) goes to `additional_kwargs["reasoning"]`; cache hits as DeepSeek counts them to `input_token_details`.
    What is returned of them stands in `additional_kwargs` under `continuation.FIELDS` and `continuation.EXTRAS`, both
    in answers and in the messages of a request.
    """

    always_reasoning: bool = False
    """Whether messages of the assistant whose reasoning is not known say that there was some, in conversations with
    calls.

    DeepSeek in its thinking mode, on by default, refuses a conversation with calls of any turn that lack
    `reasoning_content` (https://api-docs.deepseek.com/guides/thinking_mode#tool-calls), and so does Moonshot.
    """

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        messages = self._convert_input(input_).to_messages()
        payload = super()._get_request_payload(messages, stop=stop, **kwargs)
        said = [(m, s) for m, s in zip(messages, payload.get("messages", ()), strict=False) if isinstance(m, AIMessage)]
        always = self.always_reasoning and any(m.tool_calls for m, _ in said)
        for message, sent in said:
            _return(message, sent, always)
        return payload

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        chunk = dict(chunk)
        chunk["usage"] = _usage(chunk.get("usage"))
        given = chunk.get("choices")
        chunk["choices"] = [_choice(c) for c in given if isinstance(c, dict)] if isinstance(given, list) else []
        if (error := chunk.get("error")) and not chunk["choices"]:
            # Some gateways report a failure as a piece of a stream that began well.
            raise ValueError(error)
        made = super()._convert_chunk_to_generation_chunk(chunk, AIMessageChunk, base_generation_info)
        if made is None or not isinstance(made.message, AIMessageChunk):
            return made
        delta = chunk["choices"][0]["delta"] if chunk["choices"] else {}
        _keep(made.message, delta)
        if chunk.get("model"):
            made.message.response_metadata.setdefault("model_name", chunk["model"])
        return made

    def _create_chat_result(
        self, response: dict[str, Any] | openai.BaseModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        body: Any = response.model_dump(warnings=False) if isinstance(response, openai.BaseModel) else response
        if not isinstance(body, dict) or not isinstance(body.get("choices"), list):
            raise ValueError(body.get("error") if isinstance(body, dict) and body.get("error") else "no choices")
        body = {**body, "usage": _usage(body.get("usage"))}
        body["choices"] = [
            {"finish_reason": None, **c, "message": _delta({**c["message"], "role": "assistant"})}
            for c in body["choices"]
            if isinstance(c, dict) and isinstance(c.get("message"), dict)
        ]
        if not body["choices"]:
            raise ValueError("no choices")
        result = super()._create_chat_result(body, generation_info)
        for made, choice in zip(result.generations, body["choices"], strict=False):
            _keep(made.message, choice["message"])
        return result


def compatible_model(
    name: str,
    *,
    base_url: str,
    key: str,
    timeout_s: float,
    connect_s: float,
    usage_in_streams: bool,
    responses: bool = False,
    always_reasoning: bool = False,
) -> ChatOpenAI:
    """The model at an endpoint; chat completions or, with `responses`, OpenAI's other API. No retries of its own."""
    own: dict[str, Any] = {} if responses else {"always_reasoning": always_reasoning}
    made = (ResponsesChat if responses else CompatibleChat)(
        **own,
        model=name,
        base_url=base_url,
        api_key=SecretStr(key),
        timeout=openai.Timeout(timeout_s, connect=connect_s),
        max_retries=0,
        http_client=httpx.Client(
            event_hooks={**HOOKS, "response": [*HOOKS["response"], _must_stream]}, follow_redirects=True
        ),
        stream_usage=usage_in_streams,
        use_responses_api=responses,
        store=False if responses else None,
    )
    if not responses:
        made.client = _Completions(made.client)
    return made


class _Completions:
    """The SDK's chat completions, with the pieces of a stream as plain data.

    The SDK makes objects of them without a look at their types, and LangChain plain data of those; on the way pydantic
    prints a warning for each value of another type, with the value.
    """

    def __init__(self, completions: Any) -> None:
        self._completions = completions

    def __getattr__(self, name: str) -> Any:
        return getattr(self._completions, name)

    def create(self, **payload: Any) -> Any:
        """As the SDK's."""
        made = self._completions.create(**payload)
        return _PlainStream(made) if isinstance(made, openai.Stream) else made


class _PlainStream:
    def __init__(self, stream: openai.Stream[Any]) -> None:
        self._stream = stream

    def __enter__(self) -> _PlainStream:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def __iter__(self) -> Iterator[Any]:
        for chunk in self._stream:
            yield chunk.model_dump(warnings=False) if isinstance(chunk, openai.BaseModel) else chunk


def _must_stream(response: httpx.Response) -> None:
    kind = response.headers.get("content-type", "").partition(";")[0].strip()
    if response.is_success and kind == "application/json" and b'"stream":true' in response.request.content:
        raise NotStreamed


def _choice(choice: dict[str, Any]) -> dict[str, Any]:
    """A choice of a stream; some servers send `message` where `delta` belongs, or neither with the last."""
    delta = next((d for d in (choice.get("delta"), choice.get("message")) if isinstance(d, dict) and d), {})
    return {**choice, "delta": _delta({**delta, "role": "assistant"})}


def _delta(delta: dict[str, Any]) -> dict[str, Any]:
    calls, legacy = delta.get("tool_calls"), delta.get("function_call")
    if isinstance(calls, dict):
        calls = [calls]
    return {
        **delta,
        "content": _words(delta.get("content")),
        "tool_calls": [_call(c) for c in calls if isinstance(c, dict)] if isinstance(calls, list) else None,
        "function_call": legacy if isinstance(legacy, dict) else None,
    }


def _call(call: dict[str, Any]) -> dict[str, Any]:
    """A call, or a fragment of one, with its arguments as text and an index, if only an empty one."""
    found = call.get("function")
    function: dict[str, Any] = found if isinstance(found, dict) else {}
    given = function.get("arguments")
    if given is not None and not isinstance(given, str):
        given = json.dumps(given, ensure_ascii=False)
    index = call.get("index")
    if isinstance(index, str):
        index = int(index) if index.isdecimal() else None
    function = {"name": _words(function.get("name")), "arguments": given}
    return {**call, "id": _words(call.get("id")), "type": "function", "index": index, "function": function}


def _words(given: Any) -> str | None:
    """A text of an answer, which some servers send as a number, a block or a list of blocks; None where there is
    none."""
    match given:
        case None | str():
            return given
        case list():
            # Mistral's reasoning models answer in blocks.
            return "".join(_words(b) or "" for b in given)
        case dict():
            return _words(given.get("text"))
    return json.dumps(given)


def _keep(message: BaseMessage, delta: Mapping[str, Any]) -> None:
    """What was thought, told apart and as it is returned."""
    if not delta:
        return
    if thought := _thought(delta):
        message.additional_kwargs["reasoning"] = thought
    if isinstance(details := delta.get("reasoning_details"), list) and details:
        # Where there are these, the text is a copy (https://openrouter.ai/docs/use-cases/reasoning-tokens).
        fields: dict[str, Any] = {"reasoning_details": details}
    else:
        fields = {n: v for n in ("reasoning_content", "reasoning") if isinstance(v := delta.get(n), str) and v}
    if fields:
        message.additional_kwargs[FIELDS] = fields
    calls = delta.get("tool_calls") or ()
    if extras := {str(c["id"]): c["extra_content"] for c in calls if c.get("id") and c.get("extra_content")}:
        message.additional_kwargs[EXTRAS] = extras


def _return(message: AIMessage, sent: dict[str, Any], always: bool) -> None:
    """Puts what was thought into a message of a request."""
    fields = message.additional_kwargs.get(FIELDS) or {}
    sent.update(fields)
    if always and not fields:
        sent["reasoning_content"] = _STANDS_FOR_THOUGHT
    extras = message.additional_kwargs.get(EXTRAS) or {}
    for call in sent.get("tool_calls") or ():
        if call["id"] in extras:
            call["extra_content"] = extras[call["id"]]


def _thought(delta: Mapping[str, Any]) -> str:
    for name in ("reasoning_content", "reasoning"):
        if isinstance(said := delta.get(name), str) and said:
            return said
    blocks = delta.get("reasoning_details")
    if isinstance(blocks, list):
        return "".join(str(b.get("text") or b.get("summary") or "") for b in blocks if isinstance(b, dict))
    return ""


def _usage(usage: Any) -> dict[str, Any] | None:
    """Usage with the cache hits where OpenAI has them; None when it says nothing."""
    if not isinstance(usage, dict) or not usage.get("prompt_tokens"):
        return None
    usage = {k: v if isinstance(v, dict) or not k.endswith("_details") else None for k, v in usage.items()}
    details = dict(usage.get("prompt_tokens_details") or {})
    hits = usage.get("prompt_cache_hit_tokens", usage.get("cached_tokens"))
    if isinstance(hits, int) and details.get("cached_tokens") is None:
        details["cached_tokens"] = hits
    return {**usage, "prompt_tokens_details": details} if details else usage
