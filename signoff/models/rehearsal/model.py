"""The rehearsal model: a chat model without a language model in it.

Deterministic and keyless. It reads the bound tools' schemas, descriptions and examples, picks calls, fills
their arguments from the words it was given, asks when one is missing, and writes answers out of results and
evidence. It makes the desk runnable and testable; it does not understand language.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from signoff.models.rehearsal import cards as card_reader
from signoff.models.rehearsal import steps as steps_of
from signoff.models.rehearsal.cards import Card
from signoff.models.rehearsal.planner import Planner
from signoff.models.rehearsal.prompt import Prompt, parse
from signoff.models.rehearsal.steps import Step
from signoff.models.rehearsal.writing import Writer
from signoff.models.usage import counted

_PIECE = re.compile(r".{1,12}", re.DOTALL)
_TRIES = 2
"""Calls of one tool that a step of the plan is tried with."""
_Call = tuple[str, dict[str, Any]]


class RehearsalModel(BaseChatModel):
    """A `BaseChatModel` that serves requests by rules. The same messages and tools give the same answer."""

    @property
    def _llm_type(self) -> str:
        return "rehearsal"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": "rehearsal"}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | dict[str, Any] | bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Bind tools in OpenAI's form. `tool_choice` may be `none`, `auto`, `required`, or a tool's name."""
        return self.bind(tools=[convert_to_openai_tool(t) for t in tools], tool_choice=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=_answer(messages, kwargs))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in _pieces(_answer(messages, kwargs)):
            generation = ChatGenerationChunk(message=chunk)
            if run_manager:
                run_manager.on_llm_new_token(str(chunk.text), chunk=generation)
            yield generation


def _answer(messages: Sequence[BaseMessage], options: dict[str, Any]) -> AIMessage:
    tools = options.get("tools") or []
    prompt = parse(messages)
    cards = card_reader.read(tools)
    choice = options.get("tool_choice")
    text, calls = _decide(prompt, cards, choice)
    answer = AIMessage(
        content=text,
        tool_calls=[
            {"name": n, "args": a, "id": _call_id(messages, i, n, a), "type": "tool_call"}
            for i, (n, a) in enumerate(calls)
        ],
    )
    answer.usage_metadata = counted(messages, tools, answer)
    answer.response_metadata = {"model_name": "rehearsal", "finish_reason": "tool_calls" if calls else "stop"}
    return answer


def _decide(prompt: Prompt, cards: Sequence[Card], choice: Any) -> tuple[str, list[_Call]]:
    writer = Writer(prompt)
    steps = Planner(prompt, cards).steps()
    if prompt.findings is not None and prompt.draft:
        mended = writer.mended(prompt.draft, prompt.findings)
        return mended or prompt.draft, []
    if prompt.close is not None:
        return writer.close(steps, cards), []
    if choice != "none" and (calls := _calls(prompt, steps)):
        return "", calls
    return writer.answer(steps, cards), []


def _calls(prompt: Prompt, steps: Sequence[Step]) -> list[_Call]:
    """The calls that can be made now and were not made in this turn."""
    made = [(r.tool, r.args) for r in prompt.results]
    calls: list[_Call] = []
    planned = [(s.card.name, a) for s in steps if s.card and s.filling.complete for a in s.filling.calls]

    def add(name: str, args: dict[str, Any]) -> None:
        if (name, args) not in made and (name, args) not in calls:
            calls.append((name, args))

    for step in steps:
        for card, args in step.first:
            # Another step may look at the same thing, with more arguments.
            if not any(n == card.name and args and args.items() <= a.items() for n, a in [*planned, *made]):
                add(card.name, args)
    for step in steps:
        if step.card is None or step.kind == "later" or not step.filling.complete:
            continue
        if steps_of.own(step, prompt.results) and not _again(step, prompt):
            continue
        if step.held or (step.card.writes and step.first):
            reads = [r for r in prompt.results if not _writes(r.tool, steps)]
            if calls or steps_of.refused(reads):
                continue
        for args in step.filling.calls:
            add(step.card.name, args)
    return calls


def _again(step: Step, prompt: Prompt) -> bool:
    """Whether a step of the plan is to be tried once more: the plan says so, with other arguments than before."""
    due = any(p.state == "next" and step.card and step.card.name in p.tools for p in prompt.plan)
    return due and len([r for r in prompt.results if step.card and r.tool == step.card.name]) < _TRIES


def _writes(tool: str, steps: Sequence[Step]) -> bool:
    return any(s.card is not None and s.card.name == tool and s.card.writes for s in steps)


def _call_id(messages: Sequence[BaseMessage], position: int, name: str, args: dict[str, Any]) -> str:
    """Derived from all that led to the call, so that it is the same at every replay and new in every turn."""
    said = "\x1f".join(f"{m.type}\x1e{m.text}\x1e{getattr(m, 'tool_call_id', '')}" for m in messages)
    seed = f"{said}\x1f{position}\x1f{name}\x1f{json.dumps(args, sort_keys=True, ensure_ascii=False)}"
    return f"call_{hashlib.sha256(seed.encode('utf-8', 'replace')).hexdigest()[:24]}"


def _pieces(answer: AIMessage) -> Iterator[AIMessageChunk]:
    for piece in _PIECE.findall(str(answer.text)):
        yield AIMessageChunk(content=piece)
    for index, call in enumerate(answer.tool_calls):
        yield AIMessageChunk(
            content="", tool_call_chunks=[tool_call_chunk(name=call["name"], args="", id=call["id"], index=index)]
        )
        for piece in _PIECE.findall(json.dumps(call["args"], ensure_ascii=False)):
            yield AIMessageChunk(
                content="", tool_call_chunks=[tool_call_chunk(name=None, args=piece, id=None, index=index)]
            )
    yield AIMessageChunk(content="", usage_metadata=answer.usage_metadata, response_metadata=answer.response_metadata)
