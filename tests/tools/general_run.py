"""Runs one general tool as the gateway does: validated arguments, injected names, data that JSON has."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pydantic import ValidationError

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.errors import ToolError
from signoff.settings import Settings
from signoff.tools.contract import CallInfo, Preview, Tool
from signoff.tools.envelope import Code

CALLER = Caller("acme", "u-17")
CLOCK = Clock(fixed=datetime.fromisoformat("2026-10-31T10:00+08:00"))

unhurried = hypothesis_settings(deadline=None)
"""Examples take as long as the machine is busy; no test asserts a time."""

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)
"""Any JSON value, with the numbers that JSON itself does not have."""


class Invalid(Exception):
    """The arguments do not fit the tool's model."""


def settings(**values: Any) -> Settings:
    """Settings of nobody's environment."""
    return Settings(_env_file=None, **values)


def injected(
    tool: Tool, config: Settings | None = None, *, language: str = "en", call: str = "call-1"
) -> dict[str, Any]:
    known = {
        "caller": CALLER,
        "clock": CLOCK,
        "settings": config or settings(),
        "call": CallInfo(thread="th-1", turn="tu-1", id=call, language=language),
    }
    return {name: known[name] for name in tool.injects}


def arguments(tool: Tool, args: dict[str, Any]) -> dict[str, Any]:
    """The arguments as the tool's function takes them. Raises `Invalid`."""
    fields = tool.args.model_fields
    # An optional parameter that is null was not given.
    given = {k: v for k, v in args.items() if v is not None or k not in fields or fields[k].is_required()}
    try:
        model = tool.args.model_validate(given)
    except ValidationError as error:
        raise Invalid(str(error)) from None
    return {name: getattr(model, name) for name in tool.args.model_fields}


def call(tool: Tool, config: Settings | None = None, **args: Any) -> dict[str, Any]:
    """The tool's data; it must be JSON as it is, and be worded in both languages."""
    data = tool.fn(**arguments(tool, args), **injected(tool, config))
    ready: dict[str, Any] = json.loads(json.dumps(data, allow_nan=False))
    assert ready == data
    assert tool.render
    for language in ("zh", "en"):
        assert tool.render(ready, language).strip()
    return ready


def preview(tool: Tool, config: Settings | None = None, *, language: str = "en", **args: Any) -> Preview:
    assert tool.preview
    return tool.preview(**arguments(tool, args), **injected(tool, config, language=language))


def refusal(tool: Tool, config: Settings | None = None, **args: Any) -> ToolError:
    """The error of a call that must be refused; it is whole: a known code, both languages, what to do."""
    try:
        data = call(tool, config, **args)
    except ToolError as error:
        assert error.code in Code.__members__ and error.hint
        assert error.message.endswith((".", "。")) and "\n" not in error.message
        assert error.message_zh != error.message and any("\u4e00" <= c <= "\u9fff" for c in error.message_zh)
        return error
    raise AssertionError(f"not refused: {data}")


def survives(tool: Tool, config: Settings | None = None, **args: Any) -> None:
    """Whatever the arguments are: data, a refusal by the model, or a `ToolError`."""
    try:
        call(tool, config, **args)
    except (Invalid, ToolError) as error:
        assert str(error)
