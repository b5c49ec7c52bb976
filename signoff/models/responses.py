"""The chat model of OpenAI's responses API: LangChain's, whose answers say how they ended and what was thought.

Nothing is kept at the provider: each request carries the whole view, with `store: false`, and reasoning models are
asked for what they thought in a form that can be returned (`signoff.models.continuation`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_openai import ChatOpenAI

OPTION = "use_responses_api"
"""The field of a profile's `options` that asks for this API."""
_ENCRYPTED = "reasoning.encrypted_content"
_REASONING = re.compile(r"(?:.*/)?(?:o\d|gpt-(?:[5-9]|\d{2})|codex)(?!.*chat)", re.IGNORECASE)
"""Models that reason by themselves, by OpenAI's names; others refuse to be asked for what they thought."""


class ResponsesChat(ChatOpenAI):
    """Answers end as those of chat completions do: `finish_reason` in the metadata, and reasoning summaries in
    `additional_kwargs["reasoning"]`."""

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        """Tools that do not say that they are strict are bound as not strict: this API would else make them so, and
        the model fill in what may be left out (https://platform.openai.com/docs/guides/migrate-to-responses)."""
        entries = [convert_to_openai_tool(t) for t in tools]
        return super().bind_tools([{**e, "function": {"strict": False, **e["function"]}} for e in entries], **kwargs)

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        refused = False
        for chunk in super()._stream(*args, **kwargs):
            refused = refused or _refuses(chunk.message)
            if isinstance(chunk.message, AIMessage):
                _complete(chunk.message, refused)
            yield chunk

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        result = super()._generate(*args, **kwargs)
        for made in result.generations:
            if isinstance(made.message, AIMessage):
                _complete(made.message, _refuses(made.message))
        return result


def responses_fields(
    model: str, options: Mapping[str, Any], most: int | None, form: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Further fields of a request: what chat completions call `max_tokens` and `response_format` by their names
    here. There is no `stop`. What was thought is asked for (`include`) of models that are known to reason or are
    given options for it; `include` among the options decides else."""
    made = {k: v for k, v in options.items() if k != OPTION}
    if "include" not in made and ("reasoning" in made or _REASONING.match(model)):
        made["include"] = [_ENCRYPTED]
    if most:
        made["max_output_tokens"] = most
    if form is not None:
        # A schema stands beside its name here, and not in a field of its own.
        flat = {"type": form["type"], **form.get("json_schema", {})}
        made["text"] = {**made.get("text", {}), "format": flat}
    return made


def _complete(message: AIMessage, refused: bool) -> None:
    said = message.response_metadata
    if thought := "".join(_summaries(message)):
        message.additional_kwargs["reasoning"] = thought
    status = said.get("status")
    if status is None:
        return
    why = (said.get("incomplete_details") or {}).get("reason")
    if refused or why == "content_filter":
        said["finish_reason"] = "content_filter"
    elif why == "max_output_tokens":
        said["finish_reason"] = "length"
    else:
        said["finish_reason"] = "stop" if status == "completed" else "error"


def _summaries(message: AIMessage) -> Iterator[str]:
    for block in message.content if isinstance(message.content, list) else ():
        if isinstance(block, dict) and block.get("type") == "reasoning":
            for part in block.get("summary") or ():
                yield str(part.get("text") or "")


def _refuses(message: Any) -> bool:
    content = message.content if isinstance(message.content, list) else ()
    return any(isinstance(b, dict) and b.get("type") == "refusal" for b in content)
