"""A chat model whose answers come in pieces that a test wrote; between two pieces it can wait, count or break."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import PrivateAttr

Piece = AIMessageChunk | str | Callable[[], None] | Exception


def fragment(index: int, *, name: str | None = None, args: str = "", id: str | None = None) -> AIMessageChunk:
    """One piece of a tool call, as OpenAI-compatible endpoints cut them."""
    chunk = tool_call_chunk(name=name, args=args, id=id, index=index)
    return AIMessageChunk(content="", tool_call_chunks=[chunk])


def whole(index: int, name: str, /, **args: Any) -> AIMessageChunk:
    """A tool call in one piece."""
    return fragment(index, name=name, args=json.dumps(args, ensure_ascii=False), id=f"s{index}-{name}")


class StreamedModel(BaseChatModel):
    """Streams its answers in order, the last one again and again. A function among the pieces is called when the
    stream has come to it; an exception breaks the stream there."""

    answers: list[Any]
    _said: int = PrivateAttr(default=0)

    @property
    def _llm_type(self) -> str:
        return "streamed"

    @property
    def asked(self) -> int:
        """Streams that were begun."""
        return self._said

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, Any]:
        return self.bind(tools=list(tools), **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        pieces: list[Piece] = self.answers[min(self._said, len(self.answers) - 1)]
        self._said += 1
        calls = False
        for piece in [pieces] if isinstance(pieces, str) else pieces:
            if isinstance(piece, Exception):
                raise piece
            if callable(piece):
                piece()
                continue
            chunk = AIMessageChunk(content=piece) if isinstance(piece, str) else piece
            calls = calls or bool(chunk.tool_call_chunks)
            yield ChatGenerationChunk(message=chunk)
        usage = {"input_tokens": 50, "output_tokens": 10, "total_tokens": 60}
        reason = {"finish_reason": "tool_calls" if calls else "stop"}
        yield ChatGenerationChunk(
            message=AIMessageChunk(content="", usage_metadata=usage, response_metadata=reason)  # type: ignore[arg-type]
        )

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        chunks = [c.message for c in self._stream(messages, stop, run_manager, **kwargs)]
        message = chunks[0]
        for chunk in chunks[1:]:
            message = message + chunk
        return ChatResult(generations=[ChatGeneration(message=message)])
