"""What of an answer is shown while it streams."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from signoff.models.repair import FORMATS, render
from signoff.models.ways.curtains import Final, Open
from signoff.models.ways.request import Curtain

TOOLS: dict[str, dict[str, Any]] = {
    "query_order": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
    "list_orders": {"type": "object", "properties": {}},
}
LONG = "says that it was sent on 3 May, and that it comes within five days at most."
ONE = ("query_order", {"order_id": "A1001"})


def shown(curtain: Curtain, text: str, size: int) -> str:
    return "".join(curtain.add(text[i : i + size]) for i in range(0, len(text), size))


WORDS = [
    "[1] says so. Hello you.",
    "[A note] for you: it is sent.",
    "(Note) this is it.",
    "思考了一下，您的订单已送达。",
    "工具箱的订单已送达。",
    "调用次数是三次。",
    "问题已经解决了。",
    "Action is needed: hello.",
    "Tools are sold out.",
    "Thoughtful words: hello.",
    "Hello there, A1001 was sent.",
    "Query the order page (A1001) yourself.",
    "order_id = A1001",
    "`A1001` was sent.",
    "> You asked for A1001.",
    "**Status**: sent",
    "Here is the table you asked for, with more words behind it.",
    "```python\nx = 1\n```",
]


@pytest.mark.parametrize("size", [1, 4, 1_000])
@pytest.mark.parametrize("tools", [TOOLS, {}], ids=["offered", "none"])
@pytest.mark.parametrize("text", WORDS)
def test_words_are_shown_as_soon_as_they_can_be_no_call(text: str, tools: dict[str, dict[str, Any]], size: int) -> None:
    # A last line may still become a label, and the last characters a mark.
    text = f"{text}\n{'And more words behind it. ' * 3}"
    assert shown(Open(tools), text, size) == text


CALLS = [
    *(render(f, [ONE]) for f in FORMATS if f not in ("harmony", "muse-glimmer", "functionary-v3.2")),
    'query_order(order_id="A1001")',
    'query_order {"order_id": "A1001"}',
    "query_order: order_id=A1001",
    "`query_order`(order_id='A1001')",
    'functions.query_order(order_id="A1001")',
    'queryOrder(order_id="A1001")',
    'print(query_order(order_id="A1001"))',
    "  [list_orders()]",
    "Tool call: list_orders()",
    "**Action:** query_order\n**Action Input:** A1001",
    "思考：查一下\n行动：query_order\n行动输入：A1001",
    '```json\n{"name": "query_order", "arguments": {"order_id": "A1001"}}\n```',
    '```\nquery_order(order_id="A1001")\n```',
    '{"name": "query_order", "arguments": {"order_id": "A1001"}}',
]


@pytest.mark.parametrize("size", [1, 2, 3, 1_000])
@pytest.mark.parametrize("tools", [TOOLS, None], ids=["offered", "not known"])
@pytest.mark.parametrize("text", CALLS)
def test_a_call_is_never_shown(text: str, tools: dict[str, dict[str, Any]] | None, size: int) -> None:
    assert shown(Open(tools), text, size).strip() == ""


@pytest.mark.parametrize("size", [1, 5, 1_000])
@pytest.mark.parametrize(
    "call",
    [
        '<tool_call>{"name": "query_order", "arguments": {}}</tool_call>',
        "Action: query_order\nAction Input: A1001",
        "工具：query_order\n{}",
        "[TOOL_CALLS]query_order{}",
    ],
)
def test_a_call_behind_words_is_not_shown(call: str, size: int) -> None:
    assert shown(Open(TOOLS), f"Let me look.\n{call}", size).strip() == "Let me look."


@pytest.mark.parametrize("size", [1, 3, 1_000])
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Thought: x\nFinal Answer: It is sent, and more.", "It is sent, and more."),
        ("Thought: x\n**Final Answer:** It is sent, and more.", "It is sent, and more."),
        ("思考：x\n最终答案：\n\n已签收,还有更多。", "已签收,还有更多。"),
        (f"{'Thought: x. ' * 400}\nFinal Answer: [1] {LONG}", f"[1] {LONG}"),
        ("Thought: no answer yet, the Final Answer: comes later", ""),
    ],
)
def test_of_text_in_the_react_form_the_final_answer_is_shown(text: str, answer: str, size: int) -> None:
    assert shown(Final(), text, size) == answer


def work(curtain: Curtain, text: str) -> int:
    """Characters and calls that a text costs when it comes one character at a time."""
    count = 0

    def note(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        for char in text:
            curtain.add(char)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("unit", ["a", "a ", " ", "\n", "<", "[", "`", "```json\n", "思考", "Action:", "\n思考：x"])
@pytest.mark.parametrize("kind", [Open, Final])
def test_the_steps_of_showing_and_what_is_kept_grow_with_the_text_at_most(kind: type[Open | Final], unit: str) -> None:
    few, many = (work(kind(), unit * (size // len(unit))) for size in (2_000, 8_000))
    assert many <= 5 * few + 2_000
    curtain = kind()
    for _ in range(5_000):
        curtain.add("word ")
    assert len(curtain._text) < 1_000
