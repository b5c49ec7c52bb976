"""Every format: calls of any content written in it read back exactly."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from signoff.errors import ConfigError
from signoff.models.repair import FORMATS, FoundCall, read, render

MARKUP = (
    '<tool_call>\n{"name": "refund", "arguments": {"id": 1}}\n</tool_call>',
    "<tool_call>",
    "</tool_call>",
    "<think>",
    "</think>",
    "<function=refund>",
    "</function>",
    "<parameter=x>",
    "</parameter>",
    '<invoke name="refund">',
    "</invoke>",
    "<arg_key>",
    "</arg_value>",
    "[TOOL_CALLS]",
    "[ARGS]{",
    "[CALL_ID]",
    "<｜tool▁call▁end｜>",
    "<｜DSML｜invoke",
    "</｜DSML｜parameter>",
    "<|tool_call_end|>",
    "<|tool_calls_section_end|>",
    "<|call|>",
    "<|end|>",
    "<|start|>assistant",
    "<|channel|>final",
    "<|message|>",
    "<tool_call|>",
    '<|"|>',
    "<|python_end|>",
    "functools[",
    "```json",
    "\n```\n",
    "Action: refund\nAction Input: {}",
    "\nObservation: ",
    "<|close|>argument<|sep|>",
    "]]>",
    "]<]minimax[>[</x>",
    "<tool_response>",
    "</steptml:parameter>",
    "</atem:parameter>",
    "</param>",
    ">>>refund\n{",
    "refund(id=1)",
    '{"name": "refund"}',
    "{}",
    '"}',
    "'",
    '"',
    '\\"',
    "\\",
    "\\n",
    "”",
    "：",
    "null",
    "true",
    "1",
    "007",
)
"""Markup of every format, and what trips a reader up."""

texts = st.one_of(
    st.text(max_size=30),
    st.lists(st.sampled_from([*MARKUP, " ", "\n", "字", "🎉", "x", ", "]), max_size=5).map("".join),
)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**30), 10**30), st.floats(allow_nan=False, allow_infinity=False), texts
)
values = st.recursive(scalars, lambda v: st.lists(v, max_size=3) | st.dictionaries(texts, v, max_size=3), max_leaves=8)
names = st.from_regex(r"[a-z][a-z_]{2,12}", fullmatch=True).filter(
    lambda n: n not in ("all", "user", "self", "assistant")
)
calls = st.lists(st.tuples(names, st.dictionaries(names, values, max_size=4)), min_size=1, max_size=3)
plain = st.text(st.sampled_from("abc def. 你好，世界。!?"), max_size=40).map(lambda t: " ".join(t.split()))

# What each format cannot carry, because it has no way to write it: the mark that closes a text, inside that text.
# A pair of such marks in it, as in a whole call of the same format, can be told (see below).
CLOSING: dict[str, str] = {
    "qwen-coder": r"</?(?:parameter|param)\b|</function>|</invoke>",
    "seed-oss": r"</?(?:parameter|param)\b|</function>|</invoke>",
    "minimax-m2": r"</?(?:parameter|param)\b|</function>|</invoke>",
    "step3": r"</?(?:\w+:)?(?:parameter|param)\b|</(?:function|invoke)>",
    "muse-glimmer": r"</?(?:\w+:)?(?:parameter|param)\b|</(?:function|invoke)>",
    "deepseek-v3.2": r"</?(?:｜DSML｜)?(?:parameter|param)\b|</(?:function|invoke)>",
    "deepseek-v4": r"</?(?:｜DSML｜)?(?:parameter|param)\b|</(?:function|invoke)>",
    "minicpm5": r"\]\]>|<!\[CDATA",
    "glm": r"</?arg_value>|<arg_key>",
    "kimi-k3": r"<\|(?:open|close)\|>argument",
    "minimax-m3": r"\]<\]minimax",
    "gemma": r'<\|"\|>',
}
WITHOUT_TEXT = ("json", "xlam", "fenced-json", "pythonic", "llama3-json")
"""Formats without marks of their own: with text beside them they are examples."""


def schema_of(value: Any) -> dict[str, Any]:
    """The schema whose one type a value has: it says what an untyped text is."""
    match value:
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": "integer"}
        case float():
            return {"type": "number"}
        case str():
            return {"type": "string"}
        case None:
            return {"type": "null"}
        case list():
            return {"type": "array"}
    return {"type": "object"}


def tools_for(made: list[tuple[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Tools with those parameters; of a parameter with values of several types the union, which then decides."""
    tools: dict[str, dict[str, Any]] = {"get_order": {"type": "object", "properties": {"id": {"type": "string"}}}}
    for name, args in made:
        properties = tools.setdefault(name, {"type": "object", "properties": {}})["properties"]
        for key, value in args.items():
            properties[key] = schema_of(value)
    return tools


def strings(value: Any, inside: bool = True) -> list[str]:
    """All texts in a value, keys too."""
    match value:
        case str():
            return [value]
        case list() if inside:
            return [s for v in value for s in strings(v)]
        case dict() if inside:
            return [s for k, v in value.items() for s in [k, *strings(v)]]
    return []


def carried(format: str, made: list[tuple[str, dict[str, Any]]]) -> bool:
    """Whether a format has a way to write these calls."""
    if len({n for n, _ in made}) < len(made):
        # One schema for each tool: the same parameter with two types cannot be told apart without types.
        return False
    pattern = CLOSING.get(format)
    whole = format in ("gemma", "minimax-m3")
    return not pattern or not any(
        re.search(pattern, s) for _, args in made for v in args.values() for s in strings(v, inside=whole)
    )


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=25, deadline=None)
@given(made=calls, text=plain, reasoning=plain)
@example(made=[("refund", {"note": "<|call|><|start|>assistant<|channel|>final<|message|>"})], text="", reasoning="a")
@example(made=[("refund", {"note": "\n"}), ("get_order", {})], text="", reasoning="")
@example(made=[("refund", {"note": "", "lines": [], "more": {}, "n": None})], text="", reasoning="")
def test_calls_of_any_content_read_back_as_they_were_written(
    format: str, made: list[tuple[str, dict[str, Any]]], text: str, reasoning: str
) -> None:
    if not carried(format, made):
        return
    if format in WITHOUT_TEXT:
        text = ""
    output = render(format, made, text=text, reasoning=reasoning)
    reading = read(output, tools_for(made), format=format)
    assert json.dumps([(c.name, c.args) for c in reading.calls]) == json.dumps(made), output
    assert (reading.text, reading.reasoning) == (text, reasoning), output
    assert not reading.cut_off
    assert not reading.refused
    assert reading.format in FORMATS


def write(format: str, **args: Any) -> str:
    return render(format, [("refund", args)])


@pytest.mark.parametrize("format", FORMATS)
def test_a_whole_call_of_the_same_format_inside_a_text_is_a_part_of_the_text(format: str) -> None:
    if format == "gemma":
        pytest.skip("its quotation mark has no escape")
    note = write(format, note="inner")
    reading = read(write(format, note=note), {"refund": {"type": "object", "properties": {"note": {"type": "string"}}}})
    assert [c.args for c in reading.calls] == [{"note": note}]


@pytest.mark.parametrize("format", [f for f in FORMATS if f not in WITHOUT_TEXT and f not in ("react", "command-r")])
def test_a_marked_format_is_read_where_no_tools_are_known(format: str) -> None:
    reading = read(render(format, [("refund", {"id": "A1", "lines": [1, 2]})], text="One moment."), {})
    assert [(c.name, c.args) for c in reading.calls] == [("refund", {"id": "A1", "lines": [1, 2]})]
    assert reading.text == "One moment."


@pytest.mark.parametrize("format", FORMATS)
def test_a_call_of_a_tool_that_is_not_offered_is_refused(format: str) -> None:
    offered = {"get_order": {"type": "object", "properties": {"id": {"type": "string"}}}}
    reading = read(render(format, [("drop_tables", {"id": "A1"})]), offered)
    assert reading.calls == ()
    if format not in ("react", "pythonic", "command-r", "functionary-v3.2"):
        # Apertus has the name where an argument's would be, so an unknown one is no name.
        assert [r.name for r in reading.refused] == (["drop_tables"] if format != "apertus" else [""])


def test_found_calls_are_rendered_as_they_are() -> None:
    assert render("json", [FoundCall("refund", {"id": 1}, "")]) == '{"name": "refund", "arguments": {"id": 1}}'


@pytest.mark.parametrize("use", [lambda: render("morse", []), lambda: read("", {}, format="morse")])
def test_a_format_there_is_none_of_is_a_wrong_setting(use: Callable[[], Any]) -> None:
    with pytest.raises(ConfigError, match="morse"):
        use()
