"""Outputs that are cut, mixed with other text or hostile: no error, no invented value, no time beyond their length."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_repair_formats import MARKUP, WITHOUT_TEXT, calls, carried, plain, tools_for

from signoff.models.repair import FORMATS, read, render

TOOLS = {"get_order": {"type": "object", "properties": {"id": {"type": "string"}}}}


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=15, deadline=None)
@given(made=calls, text=plain, data=st.data())
def test_a_cut_output_gives_whole_calls_or_none(
    format: str, made: list[tuple[str, dict[str, Any]]], text: str, data: st.DataObject
) -> None:
    if not carried(format, made):
        return
    output = render(format, made, text="" if format in WITHOUT_TEXT else text)
    cut = output[: data.draw(st.integers(0, len(output)))]
    got = [(c.name, c.args) for c in read(cut, tools_for(made)).calls]
    assert json.dumps(got) == json.dumps(made[: len(got)]), cut


# Channels take all of a message, and the first recipient of Functionary 3.2 has its mark in the prompt.
MARKED = [
    f
    for f in FORMATS
    if f not in (*WITHOUT_TEXT, "react", "command-r", "harmony", "muse-glimmer", "kimi-k3", "functionary-v3.2")
]
prose = st.text(st.sampled_from("abc XYZ 012 你好，。!?\n.,-()*"), max_size=60)


@pytest.mark.parametrize("format", MARKED)
@settings(max_examples=15, deadline=None)
@given(before=prose, after=prose)
def test_text_round_a_marked_call_is_text(format: str, before: str, after: str) -> None:
    made = [("get_order", {"id": 'A1 "x"'})]
    reading = read(f"{before}\n{render(format, made)}\n{after}", TOOLS)
    assert [(c.name, c.args) for c in reading.calls] == made
    assert reading.text.split() == f"{before} {after}".split()


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from([*MARKUP, "get_order", '{"id": "A1"}', "(", "[", "}", "\n", " "]), max_size=12).map(
        "".join
    )
)
def test_any_mixture_of_markup_is_read_without_an_error(output: str) -> None:
    for tools in (TOOLS, {}):
        reading = read(output, tools)
        assert all(c.name in TOOLS for c in reading.calls) or not tools
        json.dumps([c.args for c in reading.calls], allow_nan=False)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200), st.sampled_from([None, *FORMATS]))
def test_any_text_is_read_without_an_error(output: str, format: str | None) -> None:
    read(output, TOOLS, format=format)


HOSTILE = [
    "[",
    "{",
    "(",
    '"',
    "\\",
    "“",
    "<",
    "]<]",
    "<tool_call>",
    "<tool_call>{",
    '<tool_call>{"a":"',
    "<tool_call>{'a':'",
    '<tool_call>{"a": "x" y "',
    "<tool_call>/*",
    "<tool_call>name</tool_call>",
    "<tool_call>get_order\n",
    "<think>",
    "</think>",
    "<function=f>",
    "<function=f><parameter=a>",
    "</parameter>",
    "<function=f><parameter=a><![CDATA[",
    '<invoke name="x"><a>',
    "<tool_call>f<arg_key>a</arg_key><arg_value>",
    "[TOOL_CALLS]",
    "[TOOL_CALLS][{",
    "functools[",
    ">>>a\n{",
    "<|python_tag|>",
    "Action: get_order\n",
    'Action: get_order\nAction Input: {"id":"x"}\nfoo\n',
    'Tool call: get_order(id="a") x\n',
    "```json\n{",
    "```\n",
    "get_order(",
    'get_order(id="a",',
    "<|channel|>",
    "<|channel|>commentary to=get_order<|message|>{",
    "<|start|>assistant<|channel|>final<|message|>",
    '<|open|>call tool="f"<|sep|>',
    ']<]minimax[>[<invoke name="f">]<]minimax[>[',
    "]<]minimax[>[<a>",
    "<tool_response>",
    '{"a":{"b":[',
    '{"name":"get_order","arguments":"',
    '<|tool_call>call:f{a:<|"|>',
    "\n ",
    "`<tool_call>",
    "commentary to=functions.get_order {",
]


def steps(output: str) -> int:
    """Calls of functions, of Python and of C, while an output is read."""
    count = 0

    def note(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        read(output, TOOLS)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("unit", HOSTILE)
def test_the_steps_of_reading_grow_with_the_length_at_most(unit: str) -> None:
    few, many = (steps(unit * (size // len(unit))) for size in (4_000, 16_000))
    assert many <= 5 * few + 2_000


def test_a_megabyte_of_brackets_is_read() -> None:
    for bracket in "[{(":
        reading = read(f"<tool_call>{bracket * 1_000_000}", TOOLS)
        assert reading.calls == ()


MARKED_CALL = '<tool_call>{"name": "get_order", "arguments": {"id": "A1"}}</tool_call>'


def test_an_output_that_is_longer_than_any_is_text() -> None:
    output = f"{'x' * 999_000}\n{MARKED_CALL}"
    assert len(read(output, TOOLS).calls) == 1
    reading = read(f"{'x' * 1_000}{output}", TOOLS)
    assert (reading.calls, len(reading.text)) == ((), len(output) + 1_000)


@pytest.mark.parametrize("mark", ["<tool_call>{", ">>>a\n{", "[TOOL_CALLS][{", "Tool: saw\n"])
def test_behind_very_many_marks_that_come_to_nothing_there_is_only_text(mark: str) -> None:
    assert len(read(f"{mark * 100}\n{MARKED_CALL}", TOOLS).calls) == 1
    assert read(f"{mark * 1_000}\n{MARKED_CALL}", TOOLS).calls == ()


def test_a_thousand_calls_are_taken_from_one_output_and_no_more() -> None:
    assert len(read(f"{MARKED_CALL}\n" * 1_200, TOOLS).calls) == 1_000


@pytest.mark.parametrize("inside", ["</tool_call>", "</function>", "</param>", "</param><param name='x'>", "a < b"])
def test_text_that_breaks_off_in_its_own_marks_gives_no_value(inside: str) -> None:
    begun = f'<function name="get_order"><param name="id"><![CDATA[{inside}'
    for output in (begun, f"{begun} more", f"{begun}]]>", f"{begun}]]></par"):
        reading = read(output, TOOLS)
        assert reading.calls == () and reading.cut_off
    assert [c.args for c in read(f"{begun}]]></param></function>", TOOLS).calls] == [{"id": inside}]
