"""What is mended in calls that models write wrongly, what is refused, and what is reasoning."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.models.repair import Reading, read

TOOLS: dict[str, dict[str, Any]] = {
    "get_order": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
    "find": {"type": "object", "properties": {"text": {"type": "string"}, "limit": {"type": "integer"}}},
    "refund": {
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "amount": {"type": "number"},
            "note": {"type": ["string", "null"]},
            "lines": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["id", "amount"],
    },
    "today": {"type": "object", "properties": {}},
}
A1 = ("get_order", {"id": "A1"})
TODAY: tuple[str, dict[str, Any]] = ("today", {})


def found(reading: Reading) -> list[tuple[str, dict[str, Any]]]:
    return [(c.name, c.args) for c in reading.calls]


MENDED = [
    ("{'name': 'get_order', 'arguments': {'id': 'A1'}}", A1, "single_quotes"),
    ('{"name": "get_order", "arguments": {"id": "A1",},}', A1, "trailing_comma"),
    ("{“name”：“get_order”，“arguments”：{“id”：“A1”}}", A1, "chinese_punctuation"),
    ("{「name」：「get_order」，「arguments」：{「id」：「A1」}}", A1, "chinese_punctuation"),
    ('{name: "get_order", arguments: {id: "A1"}}', A1, "unquoted_keys"),
    ('{"name": "get_order" "arguments": {"id": "A1"}}', A1, "missing_comma"),
    ('{"name": "get_order", /* look */ "arguments": {"id": "A1"} // it up\n}', A1, "comments"),
    ('{"name": "get_order", "arguments": "{\\"id\\": \\"A1\\"}"}', A1, "double_encoded"),
    ('{"name": "get_order", "arguments": "\\"{\\\\\\"id\\\\\\": \\\\\\"A1\\\\\\"}\\""}', A1, "double_encoded"),
    ('{"name": "get_order", "arguments": {"id": "A1"}', A1, "missing_bracket"),
    ('<tool_call>{"name": "get_order", "arguments": {"id": "A1"</tool_call>', A1, "missing_bracket"),
    ('<tool_call>{"name": "get_order", "arguments": {"id": "A1"}}}</tool_call>', A1, "extra_bracket"),
    ('<tool_call>{"name": "get_order", "id": "A1"}</tool_call>', A1, "flat_arguments"),
    ('<tool_call>{"name": "get_order{\\"id\\": \\"A1\\"}", "arguments": {}}</tool_call>', A1, "leaked_arguments"),
    ('<tool_call>{"name": "get_order(id=\'A1\')", "arguments": {}}</tool_call>', A1, "leaked_arguments"),
    ('<tool_call>{"name": "get_order(id=A1)"}</tool_call>', A1, "leaked_arguments"),
    ('<tool_call>{"name": "get_order id=A1", "arguments": {}}</tool_call>', A1, "leaked_arguments"),
    ("get_order id=A1", A1, "leaked_arguments"),
    ('<tool_call>{"name": "getOrder", "arguments": {"id": "A1"}}</tool_call>', A1, "names"),
    ('<tool_call>{"name": "today"}</tool_call>', TODAY, "no_arguments"),
    ("<function=get_order><parameter=id>A1</function>", A1, "missing_tag"),
    ("get_order('A1')", A1, "positional_arguments"),
    ('{"action": "get_order", "action_input": "A1"}', A1, "plain_input"),
    ('```json\n{"name": "get_order", "arguments": {"id": "A1"}}', A1, "missing_fence"),
    (
        '<tool_call>{"name": "find", "arguments": {"text": "said "yes", and left"}}</tool_call>',
        ("find", {"text": 'said "yes", and left'}),
        "inner_quotes",
    ),
    (
        '<tool_call>{"name": "find", "arguments": {"text": "C:\\dir"}}</tool_call>',
        ("find", {"text": "C:\\dir"}),
        "escapes",
    ),
    (
        '<tool_call>{"name": "find", "arguments": {"text": "a\nb"}}</tool_call>',
        ("find", {"text": "a\nb"}),
        "raw_newlines",
    ),
    (
        '<tool_call>{"name": "find", "arguments": {"text": "a", "text": "b"}}</tool_call>',
        ("find", {"text": "b"}),
        "duplicate_keys",
    ),
    (
        '<tool_call>{"name": "refund", "arguments": {"id": "A1", "amount": 1, "note": None}}</tool_call>',
        ("refund", {"id": "A1", "amount": 1, "note": None}),
        "python_literals",
    ),
    ('<tool_call>{"name": "find", "arguments": {"text": 007}}</tool_call>', ("find", {"text": "007"}), "unquoted"),
    ('analysisIt is A1.assistantcommentary to=functions.get_order json{"id": "A1"}', A1, "lost_tokens"),
]


@pytest.mark.parametrize(("output", "call", "repair"), MENDED)
def test_what_can_only_mean_one_thing_is_mended_and_named(
    output: str, call: tuple[str, dict[str, Any]], repair: str
) -> None:
    reading = read(output, TOOLS)
    assert found(reading) == [call]
    assert repair in reading.repairs
    assert not reading.cut_off


WHOLE = [
    'get_order(id="A1")',
    'get_order {"id": "A1"}',
    'get_order\n{"id": "A1"}',
    '[get_order(id="A1")]',
    '{"name": "get_order", "parameters": {"id": "A1"}}<|eot_id|>',
    '{"get_order": {"id": "A1"}}',
    '{"function": {"name": "get_order", "arguments": {"id": "A1"}}}',
    '{"tool": "get_order", "args": {"id": "A1"}}',
    '```json\n{"name": "get_order", "arguments": {"id": "A1"}}\n```',
    '```python\nget_order(id="A1")\n```',
    '```tool_code\nprint(default_api.get_order(id="A1"))\n```',
    'Tool call: get_order(id="A1")',
    '```xml\n<tool_call>{"name": "get_order", "arguments": {"id": "A1"}}</tool_call>\n```',
    '调用工具：get_order(id="A1")',
    'Let me look.\nTool call: {"name": "get_order", "arguments": {"id": "A1"}}',
    'Thought: look\nAction: get_order\nAction Input: {"id": "A1"}',
    "Action: get_order\nAction Input: A1",
    '**Action:** `get_order`\n**Action Input:** `{"id": "A1"}`',
    "Action: get_order[A1]",
    'Action: get_order\nAction Input: {"id": "A1"}\nObservation: {"status": "sent"}\nFinal Answer: It was sent.',
    '思考：需要查\n行动：get_order\n行动输入：{"id": "A1"}',
    "动作：get_order\n动作输入：{“id”：“A1”}",
    "工具：get_order\n输入：A1",
    'Action:\n```json\n{"action": "get_order", "action_input": {"id": "A1"}}\n```',
    '<think>hm</think>{"name": "get_order", "arguments": {"id": "A1"}}',
    '<tool_call>\n```json\n{"name": "get_order", "arguments": {"id": "A1"}}\n```\n</tool_call>',
    '<tool_call>get_order(id="A1")</tool_call>',
    '<tool_call>get_order\n{"id": "A1"}\n</tool_call>',
    '<tools>{"name": "get_order", "arguments": {"id": "A1"}}</tools>',
    '<function=get_order>{"id": "A1"}',
    'He said "now"<tool_call>{"name": "get_order", "arguments": {"id": "A1"}}</tool_call>',
    '{"name": "get_order", "arguments": {"id": "A1"}}\n</tool_call>',
]

LISTS = [
    "{'name': 'refund', 'arguments': {'id': 'A1', 'amount': 2, 'lines': [1]}}",
    "[{'name': 'refund', 'arguments': {'id': 'A1', 'amount': 2, 'lines': [1]}}]",
    "<tool_call>{'name': 'refund', 'arguments': {'id': 'A1', 'amount': 2, 'lines': [1]}}",
    "refund(id='A1', amount=2, lines=[1])",
]


@pytest.mark.parametrize("output", LISTS)
def test_a_list_near_the_end_of_the_output_is_closed_by_its_own_bracket(output: str) -> None:
    reading = read(output, TOOLS)
    assert found(reading) == [("refund", {"id": "A1", "amount": 2, "lines": [1]})]
    assert not reading.cut_off
    assert "missing_bracket" not in reading.repairs


@pytest.mark.parametrize("output", WHOLE)
def test_a_message_that_is_a_call_is_one_in_whatever_form(output: str) -> None:
    assert found(read(output, TOOLS)) == [A1]


@pytest.mark.parametrize(
    "output",
    [
        '<tool_call>{"name": "get_order", "arguments": {"id": "A1"}}{"name": "today", "arguments": {}}</tool_call>',
        '<tool_call>{"name": "get_order", "arguments": {"id": "A1"}}<tool_call>{"name": "today", "arguments": {}}',
        '{"name": "get_order", "arguments": {"id": "A1"}}\n{"name": "today", "arguments": {}}',
        'get_order(id="A1")\ntoday()',
        "Action: get_order\nAction Input: A1\nAction: today\nAction Input: {}",
    ],
)
def test_several_calls_keep_their_order(output: str) -> None:
    assert found(read(output, TOOLS)) == [A1, TODAY]


REFUSED = [
    ('<tool_call>{"name": "drop", "arguments": {}}</tool_call>', "drop", "no such tool"),
    ('{"name": "drop", "arguments": {"x": 1}}', "drop", "no such tool"),
    ('<tool_call>{"name": "refund", "arguments": {"amount": NaN}}</tool_call>', "", "not readable"),
    ('<tool_call>{"name": "find", "arguments": {"text": "\\ud83d"}}</tool_call>', "find", "JSON cannot"),
    ('<tool_call>{"name": "find", "arguments": {"text": "a "b<tool_call>c"}}', "", "not readable"),
    ('<tool_call>{"name": "get_order"}</tool_call>', "get_order", "no arguments"),
    ('<tool_call>{"name": "refund", "arguments": [1, 2]}</tool_call>', "refund", "not an object"),
    ("<|action_start|><|plugin|>not json<|action_end|>", "", "no call"),
    ("<|tool_call_start|>[get_order(id=order_id)]<|tool_call_end|>", "get_order", "plain values"),
    (
        '<tool_call>{"name": "find", "parameters": {"type": "object", "properties": {}}}</tool_call>',
        "find",
        "description",
    ),
]


@pytest.mark.parametrize(("output", "name", "why"), REFUSED)
def test_what_may_not_be_run_or_cannot_be_read_is_refused_with_a_reason(output: str, name: str, why: str) -> None:
    reading = read(output, TOOLS)
    assert found(reading) == []
    assert reading.refused[0].name == name
    assert why in reading.refused[0].why


CUT = [
    '<tool_call>{"name": "get_order", "arguments": {"id": "A',
    '<tool_call>{"name": "find", "arguments": {"limit": 1',
    '<tool_call>{"name": "refund", "arguments": {"id": "A1"',
    '<tool_call>{"name": "today"',
    "<tool_call>",
    "<tool_call><function=refund><parameter=id>A1</parameter>",
    "<function=find>\n<parameter=text>\nabc",
    "<|tool_call_start|>[find(text='a'",
    "[TOOL_CALLS]refund[ARGS]",
    '{"name": "get_order", "arguments": {"id',
    "<tool_call>find<arg_key>text</arg_key><arg_value>ab",
    "Action: get_order\nAction Input:",
    '<|channel|>commentary to=functions.find<|message|>{"text": "a',
    "<|start|>assistant<|channel|>commentary to=find",
    '<|tool_call>call:find{text:<|"|>ab',
]


@pytest.mark.parametrize("output", CUT)
def test_a_call_that_the_output_ends_in_is_cut_off_and_no_call(output: str) -> None:
    reading = read(output, TOOLS)
    assert reading.cut_off
    assert found(reading) == []


@pytest.mark.parametrize(
    "output",
    [
        '<tool_call>{"name": "get_order", "arguments": {"id": "A1"}',
        '<tool_call>{"name": "find", "arguments": {"text": "A1", "limit": 3}',
        '<tool_call>{"name": "find", "arguments": {"limit": 3, "text": "A1"',
        "<function=get_order><parameter=id>A1</parameter>",
        "<|tool_call_start|>[get_order(id='A1')",
    ],
)
def test_brackets_missing_at_the_end_are_mended_where_no_argument_can_be_missing(output: str) -> None:
    reading = read(output, TOOLS)
    assert len(reading.calls) == 1
    assert not reading.cut_off


CALL = '<tool_call>{"name": "get_order", "arguments": {"id": "A1"}}</tool_call>'


def test_a_result_that_the_model_made_up_is_not_told() -> None:
    reading = read(f'Wait.\n{CALL}\n<tool_response>{{"status": "sent"}}</tool_response>', TOOLS)
    assert found(reading) == [A1]
    assert reading.text == "Wait."
    assert "invented_result" in reading.repairs


def test_text_before_and_behind_calls_is_what_remains_to_say() -> None:
    reading = read(f"Let me look.\n{CALL}\nOne moment.", TOOLS)
    assert reading.text.split() == ["Let", "me", "look.", "One", "moment."]


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "string"}, "1", "1"),
        ({"type": "integer"}, "1", 1),
        ({"type": "number"}, " 1.5 ", 1.5),
        ({"type": "boolean"}, "True", True),
        ({"type": ["string", "null"]}, "null", None),
        ({"type": ["string", "null"]}, "nobody", "nobody"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "x", "x"),
        ({"type": "array"}, '["a", 1]', ["a", 1]),
        ({"type": "object"}, "{'a': None}", {"a": None}),
        ({"type": "integer"}, "many", "many"),
        ({"enum": ["low", "high"]}, " low ", "low"),
        ({}, "1", 1),
        ({}, "{x", "{x"),
        ({"$ref": "#/$defs/Count"}, "1", 1),
        ({"type": "string"}, "null", "null"),
    ],
)
def test_the_schema_decides_what_an_untyped_text_is(schema: dict[str, Any], text: str, value: Any) -> None:
    tools = {"f": {"type": "object", "properties": {"x": schema}, "$defs": {"Count": {"type": "integer"}}}}
    reading = read(f"<tool_call>\n<function=f>\n<parameter=x>\n{text}\n</parameter>\n</function>\n</tool_call>", tools)
    assert found(reading) == [("f", {"x": value})]


def test_a_long_line_of_calls_is_not_taken_for_a_quotation() -> None:
    assert len(read(f"{CALL}" * 30, TOOLS).calls) == 30
