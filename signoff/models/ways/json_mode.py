"""JSON mode: `response_format` of type `json_object`, the form told in the instructions.

OpenAI's JSON mode demands that the word JSON stands in the messages
(https://platform.openai.com/docs/guides/structured-outputs#json-mode); the instructions have it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from signoff.models.profile import Capabilities
from signoff.models.ways import curtains, reading, schemas, transcript
from signoff.models.ways.objects import object_of
from signoff.models.ways.request import Choice, Curtain, Decoded, Request

_INSTRUCTIONS = """\
You can use these tools:
{tools}

Reply with one JSON object and nothing else. To use tools:
{{"thought": "why, in a few words", "calls": [{{"name": "a tool's name", "arguments": {{…}}}}]}}
To answer the person, in the language of the question:
{{"answer": "the answer"}}
The results of tools are given to you in <result> blocks; when they hold what is asked for, answer. Never do both in \
one reply."""
_MUST = "Use one of the tools now."
_SAID = re.compile(r'"(?:answer|final_answer|response|回答|答案)"\s*:\s*"((?:[^"\\]|\\.)*)')
_ANSWERS = ("answer", "final_answer", "response", "content", "text", "回答", "答案")
_INPUTS = ("action_input", "input", "arguments")
_OTHER = "wrote an object that is neither a call nor an answer"
_EMPTY = "wrote an object with nothing in it to say"


class JsonMode:
    """One JSON object a message: calls or an answer."""

    def __init__(
        self, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]], can: Capabilities, choice: Choice
    ) -> None:
        self._tools = list(tools) if choice != "none" else []
        self._schemas = schemas.by_name(self._tools)
        instructions = _INSTRUCTIONS.format(tools=schemas.catalogue(self._tools)) if self._tools else ""
        written = transcript.as_json if self._tools else transcript.plainly
        self._view = transcript.told(messages, written, system=can.system, instructions=instructions)
        if self._tools and choice == "required":
            self._view = transcript.with_note(self._view, _MUST)

    def encode(self) -> Request:
        """JSON mode; plain text where no tools are offered."""
        return Request(self._view, json=bool(self._tools))

    def decode(self, answer: AIMessage, asked: Request, *, cut: bool) -> Decoded:
        """The object's answer or calls; what is no such object is read as any model's text is."""
        text, thought = str(answer.text), str(answer.additional_kwargs.get("reasoning") or "")
        if not asked.json:
            return reading.decoded(text, {}, cut=cut, reasoning=thought)
        if cut:
            begun = _SAID.search(text)
            if begun is not None and '"calls"' not in text:
                return reading.decoded(_unescaped(begun[1]), {}, cut=True, reasoning=thought)
            return _worded(
                reading.decoded(text, self._schemas, cut=True, reasoning=thought, format="json", given=asked.messages)
            )
        found, mends = object_of(text)
        said = _said(found, self._schemas.keys()) if found is not None else None
        if found is not None and isinstance(found.get("thought"), str):
            thought = "\n\n".join(filter(None, (thought, found["thought"].strip())))
        if found is not None and said is not None and not _calling(found, self._schemas.keys()):
            answered = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
            made = reading.decoded(answered, {}, cut=False, reasoning=thought, repairs=mends)
            return made if answered.strip() else replace(made, warnings=(*made.warnings, _EMPTY))
        calls = _calls(found) if found is not None else None
        written = text if calls is None else json.dumps(calls, ensure_ascii=False) if calls else ""
        return _worded(
            reading.decoded(
                written,
                self._schemas,
                cut=False,
                reasoning=thought,
                format="json",
                repairs=mends if calls else (),
                # Calls in the form's own place are the model's act, whatever they look like.
                given=asked.messages if calls is None else (),
            )
        )

    def curtain(self, asked: Request) -> Curtain:
        """Nothing of the object; plain text as it comes."""
        return curtains.Closed() if asked.json else curtains.Open()

    def arguments(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        """As they are."""
        return args


def _said(found: dict[str, Any], offered: Set[str]) -> Any:
    """The answer in an object: under one of its names, or its only field where that is text; or the input of an action
    that is no tool, such as `final_answer`."""
    named = next((found[k] for k in _ANSWERS if found.get(k) is not None), None)
    if named is None and not _calling(found, offered):
        named = next((found[k] for k in _INPUTS if isinstance(found.get(k), str)), None)
    alone = [v for k, v in found.items() if k not in ("thought", "reasoning")]
    return alone[0] if named is None and len(alone) == 1 and isinstance(alone[0], str) else named


def _worded(made: Decoded) -> Decoded:
    """The message without a text that is an object of another form: that is nothing to say to a person."""
    message = made.message
    text = str(message.text).strip()
    if message.tool_calls or message.invalid_tool_calls or (text and not text.startswith(("{", "```"))):
        return made
    # An empty message with a warning is the model's doing, and it is asked again; without one the endpoint's.
    empty = message.model_copy(update={"content": ""})
    return replace(made, message=empty, warnings=(*made.warnings, _OTHER if text else _EMPTY))


def _calling(found: dict[str, Any], offered: Set[str]) -> bool:
    """Whether an object calls: it has a list of calls, or names a tool that there is."""
    named = [found.get(k) for k in ("action", "tool", "name", "function")]
    return any(found.get(k) for k in ("calls", "tool_calls", "tools")) or any(
        bool(n) if not isinstance(n, str) else n in offered for n in named
    )


def _calls(found: dict[str, Any]) -> Any:
    """The calls of an object that wraps them; None where the object is itself one, or something else."""
    for key in ("calls", "tool_calls", "tools"):
        given = found.get(key)
        if isinstance(given, list) and given:
            return given[0] if len(given) == 1 else given
        if isinstance(given, dict) and given:
            return given
    bare = {k: v for k, v in found.items() if k not in ("thought", "reasoning") and v not in ([], None)}
    return bare if bare != found else None


def _unescaped(raw: str) -> str:
    """The text of a JSON string that lacks its end."""
    for end in range(len(raw), max(-1, len(raw) - 7), -1):
        try:
            return str(json.loads(f'"{raw[:end]}"', strict=False))
        except ValueError:
            continue
    return raw
