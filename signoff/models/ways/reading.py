"""A model's text taken apart by `repair`, as the neutral message that every way yields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, InvalidToolCall
from langchain_core.messages.tool import ToolCall, invalid_tool_call, tool_call

from signoff.models import repair
from signoff.models.ways.request import Decoded

_CUT = "the call was cut off"


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
) -> Decoded:
    """The message that a text comes to: what is said, the calls in it, the reasoning apart.

    Where `calls` or `invalid` are given, the calls of the text are a second copy of these and are left out. With no
    tools offered there are no calls. Of a text that was `cut` no call is taken, since its last may lack its end.
    """
    reading = repair.read(text, schemas, format=format)
    thought = "\n\n".join(filter(None, (reasoning.strip(), reading.reasoning)))
    said = text if reading.text == text.strip() else reading.text
    mended = [*repairs, *reading.repairs]
    warnings: list[str] = []
    found: list[ToolCall] = list(calls)
    bad: list[InvalidToolCall] = list(invalid)
    given = bool(found or bad)
    if reading.calls and not schemas:
        warnings.append("called a tool when none was offered")
    elif reading.calls and given:
        mended.append("calls_written_twice")
    elif reading.calls and cut:
        bad += [invalid_tool_call(name=c.name, args=c.raw, id=new_id(), error=_CUT) for c in reading.calls]
    elif reading.calls:
        found = [tool_call(name=c.name, args=c.args, id=new_id()) for c in reading.calls]
        if format is None:
            mended.append(f"calls_as_text:{reading.format}" if reading.format else "calls_as_text")
    if schemas and not given and not found and not bad:
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


def new_id() -> str:
    """An id for a call that came without one."""
    return f"call_{uuid4().hex}"
