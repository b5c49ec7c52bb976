"""Schema-constrained output in two steps: first which tool, or an answer; then that tool's arguments, or the answer.

For endpoints whose grammar is better than their model: under a schema even a small one cannot name a tool that is not
there or leave a field out. Only the chosen tool's arguments are told, and behind all that stays the same,
which a server then reads once. Every string has a longest length, for under a grammar a weak model may never stop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call

from signoff.models.profile import Capabilities
from signoff.models.ways import curtains, reading, schemas, transcript
from signoff.models.ways.objects import object_of
from signoff.models.ways.request import Choice, Curtain, Decoded, Request

_ANSWER = "answer"
_FILLED = "arguments of "
_THOUGHT = 100
"""Characters of the thought that precedes a choice."""
_INSTRUCTIONS = """\
You can use these tools:
{tools}

In each step you either use one tool or answer. The results of tools are given to you in <result> blocks; when they \
hold what is asked for, answer."""
_CHOOSE = 'Decide the next step. Reply with one JSON object: {{"thought": why, in a few words, "action": {action}}}.'
_FILL = (
    "You decided to use the tool {name}: {description}\n{arguments}\nReply with its arguments alone, as one JSON "
    "object. Take every value from the conversation."
)
_SAY = "You decided to answer. Answer the person now, in plain text and in the language of the question."


class Schema:
    """Choose, then fill. One call a message."""

    def __init__(
        self, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]], can: Capabilities, choice: Choice
    ) -> None:
        self._tools = list(tools) if choice != "none" else []
        self._choice = choice
        self._schemas = schemas.by_name(self._tools)
        instructions = _INSTRUCTIONS.format(tools=schemas.listed(self._tools)) if self._tools else ""
        self._view = transcript.told(messages, transcript.plainly, system=can.system, instructions=instructions)
        self._answer = _ANSWER if _ANSWER not in self._schemas else "final_answer"
        self._reasoning = ""
        self._repairs: tuple[str, ...] = ()

    def encode(self) -> Request:
        """The choice; or, without tools, the answer."""
        if not self._tools:
            return Request(self._view, stage=_ANSWER)
        # An answer is always possible, unless a call is demanded: a model must be able to ask and to refuse.
        actions = [*self._schemas, *([self._answer] if self._choice != "required" else [])]
        schema = {
            "type": "object",
            "properties": {
                "thought": {"type": "string", "maxLength": _THOUGHT},
                "action": {"type": "string", "enum": actions},
            },
            "required": ["thought", "action"],
            "additionalProperties": False,
        }
        told = _CHOOSE.format(action="a tool's name" + (f' or "{self._answer}"' if self._answer in actions else ""))
        messages = transcript.with_note(self._view, told)
        return Request(messages, schema=schema, stage="choice")

    def decode(self, answer: AIMessage, asked: Request, *, cut: bool) -> Decoded | Request:
        """After the choice a further request; after that the message."""
        text = str(answer.text)
        self._think(str(answer.additional_kwargs.get("reasoning") or ""))
        if asked.stage == _ANSWER:
            return self._read(text, asked, cut)
        found, mends = object_of(text) if not cut else (None, ())
        self._repairs += mends
        if asked.stage == "choice":
            action = found.get("action") if found is not None else None
            if found is not None and isinstance(thought := found.get("thought"), str):
                self._think(thought)
            if action in self._schemas:
                return self._fill(str(action))
            if action == self._answer:
                return Request(transcript.with_note(self._view, _SAY), stage=_ANSWER)
            # The schema was not kept to: what came is read as any model's text is.
            return self._read(text, asked, cut)
        name = asked.stage.removeprefix(_FILLED)
        if found is None:
            why = "the arguments were cut off" if cut else "the arguments are not valid JSON"
            bad = invalid_tool_call(name=name, args=text, id=reading.new_id(), error=why)
            return self._made(AIMessage("", invalid_tool_calls=[bad]))
        return self._made(AIMessage("", tool_calls=[tool_call(name=name, args=found, id=reading.new_id())]))

    def curtain(self, asked: Request) -> Curtain:
        """The answer only."""
        return curtains.Open(self._schemas) if asked.stage == _ANSWER else curtains.Closed()

    def arguments(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        """As they are."""
        return args

    def _fill(self, name: str) -> Request:
        tool = next(t for t in self._tools if t.get("function", t)["name"] == name)
        told = _FILL.format(
            name=name,
            description=schemas.described(tool),
            arguments=schemas.arguments(self._schemas[name]),
        )
        schema = schemas.bounded(self._schemas[name])
        return Request(transcript.with_note(self._view, told), schema=schema, stage=_FILLED + name)

    def _read(self, text: str, asked: Request, cut: bool) -> Decoded:
        return reading.decoded(
            text, self._schemas, cut=cut, reasoning=self._reasoning, repairs=self._repairs, given=asked.messages
        )

    def _made(self, message: AIMessage) -> Decoded:
        if self._reasoning:
            message.additional_kwargs["reasoning"] = self._reasoning
        return Decoded(message, self._repairs)

    def _think(self, thought: str) -> None:
        self._reasoning = "\n\n".join(filter(None, (self._reasoning, thought.strip())))
