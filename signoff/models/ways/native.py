"""Native function calling: tools in the request, structured calls in the answer, and calls written as text read too."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, InvalidToolCall
from langchain_core.messages.tool import ToolCall, invalid_tool_call, tool_call

from signoff.models import continuation, repair
from signoff.models.profile import Capabilities
from signoff.models.repair.schemas import Offered
from signoff.models.ways import curtains, reading, schemas, transcript
from signoff.models.ways.request import Choice, Curtain, Decoded, Request

_MUST = "Call one of the tools now."
_WHOLE = re.compile(r"\s*(?:\{[\s\S]*\}|\"[\s\S]*\"|```[\s\S]*```)\s*")
"""Arguments that have their end: what was cut off is never mended."""


class Native:
    """The endpoint's own function calling."""

    def __init__(
        self,
        messages: Sequence[BaseMessage],
        tools: Sequence[dict[str, Any]],
        can: Capabilities,
        choice: Choice,
        *,
        mend: bool = True,
    ) -> None:
        """With `mend` False answers are taken as they are: what is quoted in a text is then never a call."""
        self._messages = messages
        self._tools = list(tools)
        self._can = can
        self._choice = choice
        self._mend = mend
        self._schemas = schemas.by_name(self._tools)
        self._offered = Offered(self._schemas)

    def encode(self) -> Request:
        """The tools as they are, or strict; `tool_choice` where the endpoint keeps to it."""
        can, choice, tools = self._can, self._choice, self._tools
        messages = transcript.folded(self._messages, system=can.system)
        if choice == "none" and not can.none:
            tools = []
        if tools and choice == "required" and not can.required:
            messages, choice = transcript.with_note(messages, _MUST), "auto"
        if can.strict:
            tools = [schemas.strict(t) for t in tools]
        if not tools:
            choice = "auto"
        return Request(messages, tools, choice, parallel=can.parallel_calls)

    def decode(self, answer: AIMessage, asked: Request, *, cut: bool) -> Decoded:
        """Structured calls with their names and arguments mended; calls in the text where there are no others. What
        the provider wants back with the calls' results stays with them.

        Where the request offered no tool, or forbade calls, there are none: a model that makes one all the same has
        no tool in mind that it was told of. A call of another tool than those offered stays, to be answered.
        """
        if not self._mend:
            return Decoded(answer)
        warnings: list[str] = []
        if not asked.tools or asked.choice == "none":
            if answer.tool_calls or answer.invalid_tool_calls:
                warnings.append(reading.UNASKED)
            answer = answer.model_copy(update={"tool_calls": [], "invalid_tool_calls": []})
        calls: list[ToolCall] = []
        invalid: list[InvalidToolCall] = []
        repairs: list[str] = []
        places = list(range(len(answer.tool_calls)))
        unread: list[int] = []
        for call in answer.tool_calls:
            name, args, mends = self._named(call["name"], call["args"])
            repairs += mends
            calls.append(tool_call(name=name, args=self.arguments(name, args), id=call["id"]))
        for place, bad in enumerate(answer.invalid_tool_calls, len(places)):
            name, raw = bad["name"] or "", bad["args"] or ""
            mended = self._mended(name, raw) if not cut else None
            if mended is not None:
                found, mends = mended
                repairs += mends
                calls.append(tool_call(name=found.name, args=self.arguments(found.name, found.args), id=bad["id"]))
                places.append(place)
            else:
                unread.append(place)
                invalid.append(invalid_tool_call(name=name, args=raw, id=bad["id"], error=bad["error"]))
        made = reading.decoded(
            str(answer.text),
            self._schemas if self._choice != "none" else {},
            cut=cut,
            reasoning=str(answer.additional_kwargs.get("reasoning") or ""),
            calls=calls,
            invalid=invalid,
            repairs=repairs,
            warnings=warnings,
            given=asked.messages,
            structured=True,
        )
        data = answer.additional_kwargs.get(continuation.KEY)
        if data and made.message.tool_calls:
            made.message.additional_kwargs[continuation.KEY] = continuation.settled(
                data, [*places, *unread], made.message
            )
        return made

    def curtain(self, asked: Request) -> Curtain:
        """Text, but no calls or thoughts written as text."""
        return curtains.Open(self._schemas) if self._mend else curtains.Bare()

    def arguments(self, name: str, args: dict[str, Any]) -> dict[str, Any]:
        """Without the nulls that strict mode made the model write."""
        return schemas.without_nulls(args, self._schemas.get(name, {})) if self._can.strict else args

    def _named(self, name: str, args: dict[str, Any]) -> tuple[str, dict[str, Any], list[str]]:
        """The tool that a name means: as offered, in another style, or with its arguments leaked into it."""
        if name in self._schemas or not self._schemas:
            return name, args, []
        if (meant := self._offered.find(name)) is not None and meant in self._schemas:
            return meant, args, ["tool_name"]
        for text in (name, f"<tool_call>{name}</tool_call>"):
            found = repair.read(text, self._schemas).calls
            if len(found) == 1:
                return found[0].name, {**found[0].args, **args}, ["arguments_in_name"]
        return name, args, []

    def _mended(self, name: str, raw: str) -> tuple[repair.FoundCall, list[str]] | None:
        """A call whose arguments are no JSON, if they are whole and can mean one thing only."""
        meant = self._offered.find(name) if self._schemas else None
        if meant is None or not _WHOLE.fullmatch(raw) or not _is_one_object(raw.strip()):
            return None
        found = repair.read(f'<tool_call>{{"name": "{meant}", "arguments": {raw.strip()}}}</tool_call>', self._schemas)
        if found.cut_off or len(found.calls) != 1 or found.calls[0].name != meant or found.text:
            return None
        return found.calls[0], list(found.repairs) or ["arguments"]


def _is_one_object(raw: str) -> bool:
    """Whether the first brace closes with the last character: `{"n": 1}, "n": 2}` are two things, not one."""
    depth, quote, escaped = 0, "", False
    for place, char in enumerate(raw):
        if quote:
            quote = "" if char == quote and not escaped else quote
            escaped = char == "\\" and not escaped
        elif char in "\"'":
            quote = char
        else:
            depth += (char in "{[") - (char in "}]")
            if depth <= 0:
                return place == len(raw) - 1
    return True
