"""A chat model that says what a test wrote, through LangChain's real interface."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

from signoff import Preview, Tool, tool

Line = AIMessage | str | Callable[[Sequence[BaseMessage]], "AIMessage | str"] | Exception


def stamp_tool(file: Path) -> Tool:
    """A write whose effect nothing but the desk keeps from repeating: it adds a line to a file."""

    @tool(risk="write", effect="outside", preview=lambda **_: Preview("Stamp"))
    def stamp(words: str) -> dict[str, str]:
        """Stamps words into a file. Not for anything else."""
        with file.open("a", encoding="utf-8") as out:
            out.write(words + "\n")
        return {"stamped": words}

    return stamp  # type: ignore[no-any-return]


def call(name: str, id: str = "", **args: Any) -> AIMessage:
    """A message with one tool call."""
    return calls((name, args, id))


def calls(*wanted: tuple[str, dict[str, Any], str]) -> AIMessage:
    """A message with several tool calls, each `(name, args, id)`."""
    return AIMessage(
        "",
        tool_calls=[
            {"name": n, "args": a, "id": i or f"c{k}-{n}", "type": "tool_call"} for k, (n, a, i) in enumerate(wanted)
        ],
    )


class ScriptedModel(BaseChatModel):
    """Says its lines in order; the last one again and again. Keeps the prompts it was given."""

    lines: list[Any]
    _said: int = PrivateAttr(default=0)
    _prompts: list[list[BaseMessage]] = PrivateAttr(default_factory=list)
    _tools: list[list[str]] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def prompts(self) -> list[list[BaseMessage]]:
        return self._prompts

    @property
    def offered(self) -> list[list[str]]:
        """Tool names bound for each call."""
        return self._tools

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=list(tools), **kwargs)

    def _next(self, messages: Sequence[BaseMessage], **kwargs: Any) -> AIMessage:
        self._prompts.append(list(messages))
        self._tools.append([convert_to_openai_tool(t)["function"]["name"] for t in kwargs.get("tools") or ()])
        line = self.lines[min(self._said, len(self.lines) - 1)]
        self._said += 1
        if isinstance(line, Exception):
            raise line
        said = line(messages) if callable(line) else line
        said = AIMessage(said) if isinstance(said, str) else said
        size = sum(len(str(m.content)) for m in messages) // 4 + 1
        usage = {"input_tokens": size, "output_tokens": 10, "total_tokens": size + 10}
        return said.model_copy(update={"usage_metadata": usage})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages, **kwargs))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        said = self._next(messages, **kwargs)
        chunk = AIMessageChunk(
            content=said.content,
            tool_call_chunks=[
                {"name": c["name"], "args": _json(c["args"]), "id": c["id"], "index": i, "type": "tool_call_chunk"}
                for i, c in enumerate(said.tool_calls)
            ]
            + [
                {
                    "name": c["name"],
                    "args": c["args"],
                    "id": c["id"],
                    "index": len(said.tool_calls) + i,
                    "type": "tool_call_chunk",
                }
                for i, c in enumerate(said.invalid_tool_calls)
            ],
            usage_metadata=said.usage_metadata,
            response_metadata={"finish_reason": "tool_calls" if said.tool_calls else "stop"},
        )
        yield ChatGenerationChunk(message=chunk)


def _json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
