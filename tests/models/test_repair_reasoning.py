"""Reasoning is kept apart from what is said, and calls in it do not count unless they end it."""

from __future__ import annotations

import pytest
from test_repair_reading import A1, CALL, TOOLS, found

from signoff.models.repair import read

REASONED = [
    ("<think>because</think>\n\nIt is sent.", "because", "It is sent."),
    ("because\n</think>\n\nIt is sent.", "because", "It is sent."),
    ('it is "A1"</think>It is sent.', 'it is "A1"', "It is sent."),
    ("<think>because", "because", ""),
    ("[THINK]because[/THINK]It is sent.", "because", "It is sent."),
    ("<seed:think>because</seed:think>It is sent.", "because", "It is sent."),
    ("<|channel>thought\nbecause<channel|>It is sent.", "because", "It is sent."),
    (
        "<|channel|>analysis<|message|>because<|end|><|start|>assistant<|channel|>final<|message|>It is sent.",
        "because",
        "It is sent.",
    ),
    ("because<|end|><|start|>assistant<|channel|>final<|message|>It is sent.", "because", "It is sent."),
    (
        " to=self<|message|>because<|eom|><|start|>assistant to=user<|message|>It is sent.<|eot|>",
        "because",
        "It is sent.",
    ),
    (
        "<|START_THINKING|>because<|END_THINKING|><|START_RESPONSE|>It is sent.<|END_RESPONSE|>",
        "because",
        "It is sent.",
    ),
    (
        "because<|close|>think<|sep|><|open|>response<|sep|>It is sent.<|close|>response<|sep|>",
        "because",
        "It is sent.",
    ),
    ("<think>\nbecause\n</think>\n<answer>\nIt is sent.\n</answer>", "because", "It is sent."),
    ("It is sent. See the `<think>` tag.", "", "It is sent. See the `<think>` tag."),
]


@pytest.mark.parametrize(("output", "reasoning", "text"), REASONED)
def test_reasoning_is_kept_apart_with_or_without_its_marks(output: str, reasoning: str, text: str) -> None:
    reading = read(output, TOOLS)
    assert (reading.reasoning, reading.text) == (reasoning, text)
    assert reading.calls == ()


def test_calls_at_the_end_of_reasoning_that_is_not_closed_count() -> None:
    reading = read(f"<think>I need the order {CALL}", TOOLS)
    assert found(reading) == [A1]
    assert reading.reasoning == "I need the order"
    assert "unclosed_reasoning" in reading.repairs


@pytest.mark.parametrize(
    "output", [f"<think>maybe {CALL} or not</think>Which order?", f"maybe {CALL}\n</think>Which order?"]
)
def test_calls_inside_reasoning_do_not_count(output: str) -> None:
    reading = read(output, TOOLS)
    assert reading.calls == ()
    assert reading.text == "Which order?"


def test_a_message_whose_only_call_is_in_its_reasoning_says_so() -> None:
    reading = read(f"<think>{CALL}</think>", TOOLS)
    assert (reading.calls, reading.text) == ((), "")
    assert [r.why for r in reading.refused] == ["it stands in the reasoning"]
