"""What is kept of a model's thinking, and when it is put back: by pieces as LangChain's models give them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call_chunk

from signoff import Settings
from signoff.models import provider
from signoff.models.continuation import EXTRAS, FIELDS, KEY, SIGNATURES, Source, begins_with_thought, restored
from signoff.models.deltas import Deltas
from signoff.models.profile import Capabilities, ModelProfile
from signoff.models.ways.native import Native
from signoff.models.ways.react import ReAct

TOOL = {"type": "function", "function": {"name": "look", "description": "", "parameters": {"type": "object"}}}


def source(model: str = "anthropic:m", **fields: Any) -> Source:
    found = Source.of(ModelProfile.model_validate({"name": "p", "model": model, **fields}))
    assert found is not None
    return found


def piece(content: Any = "", calls: list[tuple[str, str, str]] | None = None, **more: Any) -> AIMessageChunk:
    made = [tool_call_chunk(name=n, args=a, id=i, index=k) for k, (n, a, i) in enumerate(calls or ())]
    return AIMessageChunk(content=content, tool_call_chunks=made, additional_kwargs=more)


def answered(of: Source, *pieces: AIMessageChunk, way: type = Native) -> AIMessage:
    deltas = Deltas(source=of)
    for p in pieces:
        deltas.add(p)
    asked = way([HumanMessage("?")], [TOOL], Capabilities(), "auto")
    return asked.decode(deltas.message(), asked.encode(), cut=False).message  # type: ignore[no-any-return]


THOUGHT = [
    piece([{"type": "thinking", "thinking": "a ", "index": 0}]),
    piece([{"type": "thinking", "thinking": "b", "index": 0}]),
    piece([{"type": "thinking", "signature": "sig", "thinking": "", "index": 0}]),
    piece([{"type": "text", "text": "So", "index": 1}]),
    piece([{"type": "text", "text": ".", "index": 1}]),
    piece([{"type": "tool_use", "id": "t1", "name": "look", "input": {}, "index": 2}], [("look", '{"a": 1}', "t1")]),
]
SIGNED = {"type": "thinking", "thinking": "a b", "signature": "sig"}


def blocks(message: AIMessage, of: Source) -> Any:
    made = restored([message], of)[0]
    assert KEY not in made.additional_kwargs
    return made.content


def test_blocks_are_put_back_in_their_places_whatever_the_calls_ids_are() -> None:
    said = answered(source(), *THOUGHT)
    kept = said.model_copy(update={"tool_calls": [{**said.tool_calls[0], "id": "mine"}]})
    use = {"type": "tool_use", "id": "mine", "name": "look", "input": {"a": 1}}
    assert blocks(kept, source()) == [SIGNED, {"type": "text", "text": "So."}, use]
    assert str(said.text) == "So." and "thinking" not in str(said.content)


@pytest.mark.parametrize(
    "other",
    [
        source("anthropic:n"),
        source("openai:m"),
        source("google:m"),
        source(base_url="http://localhost:1"),
        source("openai:m", options={"use_responses_api": True}),
        None,
    ],
)
def test_another_model_is_given_the_bare_message(other: Source | None) -> None:
    said = answered(source(), *THOUGHT)
    made = restored([said], other)[0]
    assert made.content == "So." and made.additional_kwargs.keys() <= {"reasoning"}


@pytest.mark.parametrize(
    "change",
    [
        {"tool_calls": []},
        {"tool_calls": [{"name": "other", "args": {}, "id": "x", "type": "tool_call"}]},
        {"tool_calls": [{"name": "look", "args": {}, "id": i, "type": "tool_call"} for i in "xy"]},
    ],
)
def test_calls_that_are_not_those_it_was_thought_for_go_without(change: dict[str, Any]) -> None:
    said = answered(source(), *THOUGHT).model_copy(update=change)
    assert blocks(said, source()) == "So."


def test_a_text_that_was_mended_stands_whole_where_it_stood() -> None:
    said = answered(source(), *THOUGHT).model_copy(update={"content": "So it is."})
    made = blocks(said, source())
    assert [b["type"] for b in made] == ["thinking", "text", "tool_use"] and made[1]["text"] == "So it is."
    none = said.model_copy(update={"content": ""})
    assert [b["type"] for b in blocks(none, source())] == ["thinking", "tool_use"]


@pytest.mark.parametrize(
    "data",
    [
        None,
        "text",
        {},
        {"parts": 1},
        {"parts": [1]},
        {"parts": [{"block": {"type": "image"}}]},
        {"parts": [{"block": {"type": "tool_use", "id": "x", "name": "look", "input": {}}}]},
        {"parts": [{"call": 4}]},
        {"parts": [{"call": 0}, {"call": 0}]},
        {"parts": [{"call": True}]},
        {"parts": [{"call": [0]}]},
        {"parts": [{"text": -1}]},
        {"parts": [{"signature": 5, "call": 0}]},
        {"parts": [], "fields": {"messages": []}},
    ],
)
def test_what_is_no_continuation_in_a_record_is_left_out(data: Any) -> None:
    said = answered(source(), *THOUGHT)
    if isinstance(data, dict) and data:
        data = {**said.additional_kwargs[KEY], **data}
    spoilt = said.model_copy(update={"additional_kwargs": {KEY: data}})
    assert blocks(spoilt, source()) == "So."


def test_calls_that_were_unreadable_and_mended_keep_what_is_theirs() -> None:
    of = source("google:gemini-3")
    said = answered(
        of,
        piece([], [("look", "{'a': 1}", "g1")], **{SIGNATURES: {"g1": "c2ln"}}),
        piece([], [("look", '{"b": 2}', "g2")]),
    )
    assert [c["args"] for c in said.tool_calls] == [{"b": 2}, {"a": 1}]
    made = restored([said], of)[0]
    assert made.additional_kwargs[SIGNATURES] == {said.tool_calls[1]["id"]: "c2ln"}


def test_signed_texts_stay_apart_and_are_put_back_as_they_were() -> None:
    of = source("google:gemini-3")
    text = [{"type": "text", "text": "Let me "}]
    said = answered(
        of,
        piece([{"type": "thinking", "thinking": "told only"}]),
        piece(text),
        piece([{"type": "text", "text": "look."}]),
        piece([{"type": "text", "text": "", "extras": {"signature": "c2ln"}}]),
        piece([], [("look", "{}", "g1")]),
    )
    assert restored([said], of)[0].content == [
        {"type": "text", "text": "Let me look."},
        {"type": "text", "text": "", "extras": {"signature": "c2ln"}},
    ]
    changed = said.model_copy(update={"content": "Let me see."})
    assert restored([changed], of)[0].content == [{"type": "text", "text": "Let me see."}]


def test_pieces_of_reasoning_details_are_one_and_gemini_signatures_stay_with_their_calls() -> None:
    of = source("openai:m", base_url="http://localhost:1/v1")
    extra = {"google": {"thought_signature": "c2ln"}}
    said = answered(
        of,
        piece(**{FIELDS: {"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "a "}]}}),
        piece(
            **{FIELDS: {"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "b", "signature": "s"}]}}
        ),
        piece(**{FIELDS: {"reasoning_details": [{"type": "reasoning.encrypted", "index": 1, "data": "zz"}]}}),
        piece("", [("look", "{}", "c1")], **{EXTRAS: {"c1": extra}}),
    )
    renamed = said.model_copy(update={"tool_calls": [{**said.tool_calls[0], "id": "mine"}]})
    made = restored([renamed], of)[0].additional_kwargs
    assert made[FIELDS]["reasoning_details"] == [
        {"type": "reasoning.text", "index": 0, "text": "a b", "signature": "s"},
        {"type": "reasoning.encrypted", "index": 1, "data": "zz"},
    ]
    assert made[EXTRAS] == {"mine": extra}


@pytest.mark.parametrize("thought", ["\ud800", "x" * 500_000], ids=["no text", "too long"])
def test_what_cannot_be_kept_is_not(thought: str) -> None:
    said = answered(source(), piece([{"type": "thinking", "thinking": thought, "index": 0}]), *THOUGHT[3:])
    assert said.tool_calls and KEY not in said.additional_kwargs


def test_only_calls_made_natively_have_one() -> None:
    kept = answered(source(), *THOUGHT)
    assert json.loads(json.dumps(kept.additional_kwargs)) == kept.additional_kwargs
    assert KEY not in answered(source(), *THOUGHT[:5]).additional_kwargs
    assert KEY not in answered(source(), *THOUGHT, way=ReAct).additional_kwargs


def test_calls_under_way_begin_with_the_first_behind_the_question() -> None:
    bare = AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "x", "type": "tool_call"}])
    thought = restored([answered(source(), *THOUGHT)], source())[0]
    result, question = ToolMessage("{}", tool_call_id="x"), HumanMessage("?")
    assert begins_with_thought([question])
    assert begins_with_thought([question, thought, result, bare, result, HumanMessage("note")])
    assert not begins_with_thought([question, bare, result, thought, result])
    assert begins_with_thought([question, bare, result, AIMessage("done"), question, thought, result])


@pytest.mark.parametrize(
    ("base_url", "options", "always"),
    [
        ("https://api.deepseek.com/v1", {}, True),
        ("https://API.DeepSeek.com", {}, True),
        ("https://api.moonshot.cn/v1", {}, True),
        ("https://api.deepseek.com", {"thinking": {"type": "disabled"}}, False),
        ("https://api.deepseek.com", {"return_reasoning": False}, False),
        ("https://api.openai.com/v1", {}, False),
        ("https://notdeepseek.com/v1", {}, False),
        ("http://localhost:8000/v1", {"return_reasoning": True}, True),
        (None, {}, False),
    ],
)
def test_who_wants_reasoning_of_every_turn_is_known_by_address_or_stated(
    base_url: str | None, options: dict[str, Any], always: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "k")
    values = {"name": "p", "model": "openai:m", "base_url": base_url, "key_env": "SOME_KEY", "options": options}
    made: Any = provider.make(ModelProfile.model_validate(values), Settings())
    assert made.always_reasoning is always


def test_items_of_responses_keep_their_order_and_the_phase_of_a_text() -> None:
    of = source("openai:gpt-5", options={"use_responses_api": True})
    said = answered(
        of,
        piece([{"type": "reasoning", "id": "rs", "summary": [], "index": 0}]),
        piece([{"type": "reasoning", "summary": [{"index": 1, "type": "summary_text", "text": "two"}], "index": 0}]),
        piece([{"type": "reasoning", "summary": [{"index": 0, "type": "summary_text", "text": "one"}], "index": 0}]),
        piece([{"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "zz", "index": 0}]),
        piece([{"type": "text", "text": "I look.", "phase": "commentary", "index": 1}]),
        piece([{"type": "function_call", "call_id": "c", "id": "fc", "index": 2}], [("look", '{"a": "查"}', "c")]),
    )
    summary = [{"type": "summary_text", "text": t} for t in ("one", "two")]
    assert blocks(said, of) == [
        {"type": "reasoning", "id": "rs", "summary": summary, "encrypted_content": "zz"},
        {"type": "text", "text": "I look.", "phase": "commentary"},
        {"type": "function_call", "call_id": "c", "name": "look", "arguments": '{"a": "查"}'},
    ]
