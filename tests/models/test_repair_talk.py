"""A text that only talks about a call is not a call: documentation, examples, quotations, results, code."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.models.repair import read

TOOLS: dict[str, dict[str, Any]] = {
    "get_order": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
    "refund": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "amount": {"type": "number"}},
        "required": ["id", "amount"],
    },
    "today": {"type": "object", "properties": {}},
}
JSON = '{"name": "get_order", "arguments": {"id": "A1"}}'
TAGGED = f"<tool_call>{JSON}</tool_call>"

TALK = [
    "",
    " ",
    "It was sent on 3 May.",
    "get_order",
    "get_order()",
    "get_order(id)",
    "refund(id, amount)",
    "today is Monday",
    'To look up an order you can call get_order(id="A1").',
    'I would call get_order(id="A1") next.',
    f"Here is an example:\n```json\n{JSON}\n```",
    f"Here it is:\n```json\n{JSON}\n```\nLet me know.",
    f"例如：\n```json\n{JSON}\n```",
    f"The format is `{TAGGED}`.",
    f'"{TAGGED}" is what the user wrote',
    f"> {TAGGED}\n\nThat is what you wrote.",
    f"```bash\n{TAGGED}\n```\nis the Hermes format.",
    f"Hermes:\n\n```\n{TAGGED}\n```\n",
    f"The tool returned: {JSON}",
    f"Let me explain the syntax: {TAGGED} is how one is made.",
    f"<tool_response>{JSON}</tool_response>",
    f"<think>I could write {TAGGED}</think>Which order?",
    f"I could write {TAGGED}</think>Which order?",
    "Use the <tool_call> tag for calls.",
    "Wrap it in <tool_call> and </tool_call> tags.",
    "The `<tool_call>` tag opens it.",
    '{"name": "Ann", "arguments": ["x"]}',
    '{"name": "get_order", "id": 1, "why": "no parameter"}',
    '{"get_order": "A1"}',
    '{"name": "get_order", "description": "Finds", "parameters": {"type": "object", "properties": {"id": {}}}}',
    '{"name": "get_order", "arguments": {"colour": "red"}}',
    '{"amount": 123.45, "date": "2025-12-03"}',
    "[1, 2, 3]",
    "```python\ndef get_order(id):\n    return orders[id]\n```",
    '```python\norder = get_order(id="A1")\nprint(order)\n```',
    '```python\nfor n in range(3):\n    get_order(id="A1")\n```',
    "You asked \"get_order(id='A1')\": that is a call.",
    "Action: we should send the order.",
    "行动：我们应该退款。",
    '你可以这样调用：get_order(id="A1")',
    'For example:\nAction: get_order\nAction Input: {"id": "A1"}\nThis is how the agent works.',
    'An agent would then write, for example:\nAction: get_order\nAction Input: {"id": "A1"}',
    'The log:\n\n```\nAction: get_order\nAction Input: {"id": "A1"}\n```\n',
    'Example tool call: get_order(id="A1")',
    'The tool call: get_order(id="A1") would be right.',
    'Do not write:\nTool call: get_order(id="A1")',
    "I should not call it.\nTool call: none",
    'Result: [get_order(id="A1")]',
    f'1. `{JSON}`\n2. `get_order(id="A1")`',
    "用户说：\"get_order(id='A1')\"，这是一个调用。",
    "It's [refund(id='A1', amount=3)] that the log shows.",
    "functools is a module.",
    "[TOOL_CALLS] is Mistral's token.",
    ">>> get_order(id='A1')\n{'status': 'sent'}",
    "```json\n```",
    "|a|b|\n|-|-|\n|get_order|id=A1|",
    "Observation: get_order returned A1",
    "{",
    "[",
    "(",
    "]<]minimax[>[",
    "<|channel|>",
]


@pytest.mark.parametrize("output", TALK)
@pytest.mark.parametrize("tools", [TOOLS, {}], ids=["offered", "open"])
def test_talk_of_a_call_is_not_a_call(output: str, tools: dict[str, dict[str, Any]]) -> None:
    assert read(output, tools).calls == ()


@pytest.mark.parametrize(
    "output", [t for t in TALK if t.strip() and not t.startswith(("<", "I could", "]<", "{", "["))]
)
def test_talk_stays_in_the_text_as_it_is(output: str) -> None:
    assert read(output, TOOLS).text == output.strip()


@pytest.mark.parametrize(
    "output", [JSON, f"```json\n{JSON}\n```", "[get_order(id='A1')]", "Action: get_order\nAction Input: A1"]
)
def test_a_form_without_marks_is_no_call_where_no_tools_are_known(output: str) -> None:
    assert read(output, {}).calls == ()
