"""A model's text taken apart by `repair`, as the neutral message that every way yields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, InvalidToolCall, ToolMessage
from langchain_core.messages.tool import ToolCall, invalid_tool_call, tool_call

from signoff.models import repair
from signoff.models.facts import BLOCKS
from signoff.models.ways.request import Decoded

UNASKED = "called a tool although none was offered"
_CUT = "the call was cut off"
_READ = ("evidence", "memory", "requests?", "said", "result")
"""Blocks that hold what others wrote."""
_TOLD = re.compile(r"(?m)^<result tool=\"[^\"\n]*\"(?: arguments=[^\n]*)?>$")
"""What opens a result that is told in words, with the call's arguments."""
_OWN = re.compile(rf"<(?P<name>{'|'.join(b for b in BLOCKS if b not in _READ)})\b[^<>\n]{{0,200}}>")


def decoded(
    text: str,
    schemas: Mapping[str, Mapping[str, Any]],
    *,
    cut: bool,
    reasoning: str = "",
    format: str | None = None,
    calls: Sequence[ToolCall] = (),
    invalid: Sequence[InvalidToolCall] = (),
    repairs: Sequence[str] = (),
    warnings: Sequence[str] = (),
    given: Sequence[BaseMessage] = (),
    structured: bool = False,
) -> Decoded:
    """The message that a text comes to: what is said, the calls in it, the reasoning apart.

    Where `calls` or `invalid` are given, the calls of the text are a second copy of these and are left out. With no
    tools offered there are no calls. Of a text that was `cut` no call is taken, since its last may lack its end.
    `given` are the messages of the request: a call that stands in what they gave to read is a quotation. With
    `structured` the endpoint makes its calls apart from the text, see `repair.read`.
    """
    quotations = repair.Quotations(read_of(given))
    reading = repair.read(text, schemas, format=format, quotations=quotations, structured=structured)
    thought = "\n\n".join(filter(None, (reasoning.strip(), reading.reasoning)))
    said = text if reading.text == text.strip() else reading.text
    mended = [*repairs, *reading.repairs]
    warnings = list(warnings)
    found: list[ToolCall] = list(calls)
    bad: list[InvalidToolCall] = list(invalid)
    made = bool(found or bad)
    if reading.calls and not schemas:
        warnings.append(UNASKED)
    elif reading.calls and made:
        mended.append("calls_written_twice")
    elif reading.calls and cut:
        bad += [invalid_tool_call(name=c.name, args=c.raw, id=new_id(), error=_CUT) for c in reading.calls]
    elif reading.calls:
        found = [tool_call(name=c.name, args=c.args, id=new_id()) for c in reading.calls]
        if format is None:
            mended.append(f"calls_as_text:{reading.format}" if reading.format else "calls_as_text")
    if schemas and not made and not found and not bad:
        bad += [
            invalid_tool_call(name=r.name, args=r.raw, id=new_id(), error=r.why or "unreadable")
            for r in reading.refused
        ]
        if reading.cut_off and not bad:
            bad.append(invalid_tool_call(name="", args="", id=new_id(), error=_CUT))
    message = AIMessage(
        content=said,
        tool_calls=found,
        invalid_tool_calls=bad,
        additional_kwargs={"reasoning": thought} if thought else {},
    )
    return Decoded(message, tuple(dict.fromkeys(mended)), tuple(warnings))


def read_of(messages: Sequence[BaseMessage]) -> Iterator[str]:
    """What a request gives to read that others wrote: results, documents, memory and the person's own words.

    The desk's blocks beside these are left out, and so are the arguments of the model's own calls: a call may be
    made twice.
    """
    for m in messages:
        if isinstance(m, ToolMessage):
            yield str(m.text)
        elif isinstance(m, HumanMessage):
            yield "\n".join(_outside(_TOLD.sub("", str(m.text))))


def _outside(text: str) -> Iterator[str]:
    """A text without the desk's own blocks."""
    at = 0
    unclosed: set[str] = set()
    for block in _OWN.finditer(text):
        name = block["name"]
        if block.start() < at or name in unclosed:
            continue
        end = text.find(f"</{name}>", block.end())
        if end < 0:
            unclosed.add(name)
            continue
        yield text[at : block.start()]
        at = end
    yield text[at:]


def new_id() -> str:
    """An id for a call that came without one."""
    return f"call_{uuid4().hex}"
