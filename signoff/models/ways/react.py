"""Text in the ReAct form (Yao et al., "ReAct: Synergizing Reasoning and Acting in Language Models", 2022).

For endpoints that have nothing but text. The labels are English in the instructions whatever the language, since small
models keep to those best; they are read in Chinese too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from signoff.models import repair
from signoff.models.profile import Capabilities
from signoff.models.ways import curtains, reading, schemas, transcript
from signoff.models.ways.request import Choice, Curtain, Decoded, Request

_INSTRUCTIONS = """\
You can use these tools:
{tools}

To use a tool, write exactly this and stop:
Thought: why, in a few words
Action: the tool's name
Action Input: its arguments as one JSON object

You are then given its result in a <result> block. When the results hold what is asked for, or no tool is needed, \
write this, in the language of the question:
Final Answer: the answer"""
_MUST = "Use one of the tools now."
_STOP = ("\nObservation:", "\n观察:", "\n观察：", "<result")
"""What a model writes when it makes a tool's result up; OpenAI takes four such texts at most."""


class ReAct:
    """Thought, action, action input; or a final answer."""

    def __init__(
        self, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]], can: Capabilities, choice: Choice
    ) -> None:
        self._tools = list(tools) if choice != "none" else []
        self._schemas = schemas.by_name(self._tools)
        instructions = _INSTRUCTIONS.format(tools=schemas.catalogue(self._tools)) if self._tools else ""
        self._view = transcript.told(
            messages, _written if self._tools else transcript.plainly, system=can.system, instructions=instructions
        )
        if self._tools and choice == "required":
            self._view = transcript.with_note(self._view, _MUST)

    def encode(self) -> Request:
        """Plain text, ended before a result is made up."""
        return Request(self._view, stop=_STOP if self._tools else ())

    def decode(self, answer: AIMessage, asked: Request, *, cut: bool) -> Decoded:
        """The actions, or the final answer without its label."""
        thought = str(answer.additional_kwargs.get("reasoning") or "")
        return reading.decoded(
            str(answer.text),
            self._schemas,
            cut=cut,
            reasoning=thought,
            format="react",
            given=asked.messages,
        )

    def curtain(self, asked: Request) -> Curtain:
        """What follows `Final Answer:`."""
        return curtains.Final() if self._tools else curtains.Open()

    def arguments(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        """As they are."""
        return args


def _written(text: str, calls: transcript.Calls) -> str:
    if calls:
        return repair.render("react", calls, reasoning=" ".join(text.split()))
    return f"Final Answer: {text}" if text.strip() else ""
