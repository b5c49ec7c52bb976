from __future__ import annotations

import json
from typing import Any

import pytest
from conversation import SYSTEM, Conversation, done
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from paraphrases import CASES
from toolsets import BARE, INVENTORY, ROOMS, TOOLSETS, WEATHER

from signoff.errors import ProviderUnavailable
from signoff.models.gateway import ModelGateway
from signoff.models.provider import chat_model
from signoff.models.rehearsal import RehearsalModel
from signoff.settings import Settings

CITY = "What is the weather in Rome tomorrow?"


def ask(words: str, tools: list[dict[str, Any]], **options: Any) -> AIMessage:
    answer = RehearsalModel().bind_tools(tools, **options).invoke([SYSTEM, HumanMessage(words)])
    assert isinstance(answer, AIMessage)
    return answer


def test_the_settings_name_it_and_the_gateway_labels_it_for_what_it_is() -> None:
    configured = Settings(model="rehearsal")
    gateway = ModelGateway(chat_model(configured), configured)
    pieces: list[str] = []
    message = gateway.call([SYSTEM, HumanMessage("你是谁")], WEATHER, deadline_s=10, on_text=pieces.append)
    assert (gateway.name, gateway.label) == ("rehearsal", "rehearsal (deterministic, not an LLM)")
    assert "".join(pieces) == message.content and len(pieces) > 1
    told = {"model": "rehearsal", "finish_reason": "stop", "usage": "provider"}
    assert told.items() <= message.response_metadata.items()
    assert "不是大语言模型" in str(message.content)


def test_a_fault_inside_it_ends_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise KeyError("inside")

    monkeypatch.setattr("signoff.models.rehearsal.model.parse", fails)
    configured = Settings(model="rehearsal")
    with pytest.raises(ProviderUnavailable, match="SIGNOFF_MODEL"):
        ModelGateway(chat_model(configured), configured).call([HumanMessage("hi")], [], deadline_s=10)


@pytest.mark.parametrize("words", ["Who are you?", "Are you a real person?", "what are you"])
def test_asked_who_it_is_it_says_that_it_is_no_language_model(words: str) -> None:
    answer = str(ask(words, WEATHER).content)
    assert "Signoff" in answer and "rehearsal" in answer and "not a language model" in answer


@pytest.mark.parametrize(
    "words", ["hello", "Thanks a lot!", "你好", "谢谢", "再见", "good morning team", "What can you do?", "你能做什么"]
)
def test_small_talk_is_answered_without_a_call(words: str) -> None:
    answer = ask(words, WEATHER)
    assert answer.content and not answer.tool_calls


@pytest.mark.parametrize("case", CASES[::9], ids=lambda case: case[1])
def test_the_same_input_gives_the_same_output_to_the_letter(case: tuple[str, str, Any]) -> None:
    tools = TOOLSETS.get(case[0], WEATHER)
    first, second = ask(case[1], tools), ask(case[1], tools)
    assert (first.content, first.tool_calls, first.usage_metadata) == (
        second.content,
        second.tool_calls,
        second.usage_metadata,
    )


def test_call_ids_differ_between_calls_and_between_turns() -> None:
    words = "Weather in Rome and Madrid tomorrow"
    one = ask(words, WEATHER)
    earlier: list[BaseMessage] = [HumanMessage("hello"), AIMessage("Hello.")]
    later = RehearsalModel().bind_tools(WEATHER).invoke([SYSTEM, *earlier, HumanMessage(words)])
    assert isinstance(later, AIMessage)
    ids = [c["id"] for c in (*one.tool_calls, *later.tool_calls)]
    assert len(ids) == len(set(ids)) == 4


@pytest.mark.parametrize("words", [CITY, "hello", "你好", "北京和广州明天的天气"])
def test_a_stream_adds_up_to_the_whole_answer(words: str) -> None:
    model = RehearsalModel().bind_tools(WEATHER)
    whole: AIMessageChunk | None = None
    for chunk in model.stream([SYSTEM, HumanMessage(words)]):
        assert isinstance(chunk, AIMessageChunk)
        whole = chunk if whole is None else whole + chunk
    plain = ask(words, WEATHER)
    assert whole is not None
    assert (whole.content, whole.tool_calls) == (plain.content, plain.tool_calls)
    assert whole.usage_metadata == plain.usage_metadata and plain.usage_metadata is not None
    assert plain.usage_metadata["input_tokens"] > 50


def test_no_call_is_made_when_no_tools_are_bound_or_none_may_be_called() -> None:
    assert not RehearsalModel().invoke([SYSTEM, HumanMessage(CITY)]).tool_calls
    assert not ask(CITY, WEATHER, tool_choice="none").tool_calls


def test_a_call_that_was_made_is_not_made_again_whatever_it_brought() -> None:
    first = ask(CITY, WEATHER)
    (call,) = first.tool_calls
    failed = ToolMessage(
        json.dumps({"ok": False, "error": {"code": "TIMEOUT", "message": "Late.", "retryable": True}}),
        tool_call_id=call["id"],
    )
    answer = RehearsalModel().bind_tools(WEATHER).invoke([SYSTEM, HumanMessage(CITY), first, failed])
    assert isinstance(answer, AIMessage) and not answer.tool_calls and "Late." in str(answer.content)


@pytest.mark.parametrize("words", ["Is KB-1044 in stock? And is MS-2001?", "KB-1044 和 MS-2001 各有多少库存"])
def test_at_a_limit_it_says_what_is_known_what_is_missing_and_how_to_go_on(words: str) -> None:
    first = RehearsalModel().bind_tools(INVENTORY).invoke([SYSTEM, HumanMessage(words)])
    assert isinstance(first, AIMessage)
    known = ToolMessage(
        done({"sku": "KB-1044", "quantity": 17}, "KB-1044: 17."), tool_call_id=first.tool_calls[0]["id"]
    )
    half = first.model_copy(update={"tool_calls": first.tool_calls[:1]})
    close = HumanMessage("<close>\nThe limit of 8 rounds is reached.\n</close>")
    answer = str(RehearsalModel().invoke([SYSTEM, HumanMessage(words), half, known, close]).content)
    assert "KB-1044: 17." in answer and "8" not in answer
    assert "one at a time" in answer or "拆开" in answer


def test_a_draft_with_findings_is_written_again_without_what_was_found_fault_with() -> None:
    draft = "Order A1 costs 299.00 yuan. It arrives on 2026-12-24. It is paid."
    findings = HumanMessage('<findings>\nMend these:\n- The number "2026-12-24" is in no result.\n</findings>')
    answer = RehearsalModel().invoke([SYSTEM, HumanMessage("status of A1?"), AIMessage(draft), findings]).content
    assert answer == "Order A1 costs 299.00 yuan. It is paid."


def test_a_draft_of_which_nothing_stands_is_replaced_by_saying_so() -> None:
    findings = HumanMessage("<findings>\n- “It is paid.” is supported by nothing.\n</findings>")
    answer = RehearsalModel().invoke([SYSTEM, HumanMessage("Is it paid?"), AIMessage("It is paid."), findings]).content
    assert answer == "I found nothing that supports a further answer."


def test_a_tool_that_was_never_seen_is_called_from_its_name_and_description_alone() -> None:
    tool = {
        "type": "function",
        "function": {
            "name": "get_horoscope",
            "description": "Shows the horoscope of a sign.",
            "parameters": {
                "type": "object",
                "properties": {"sign": {"type": "string", "enum": ["leo", "virgo"]}},
                "required": ["sign"],
            },
        },
    }
    assert [c["args"] for c in ask("what does the horoscope say for Virgo?", [tool, *ROOMS]).tool_calls] == [
        {"sign": "virgo"}
    ]


def test_nested_objects_arrays_and_strict_schemas_are_filled() -> None:
    address = {
        "type": "object",
        "properties": {"city": {"type": "string", "enum": ["Berlin", "Oslo"]}},
        "required": ["city"],
    }
    tool = {
        "type": "function",
        "function": {
            "name": "book_courier",
            "description": "Books a courier for parcels.",
            "parameters": {
                "type": "object",
                "properties": {
                    "parcels": {"type": "array", "items": {"type": "string", "pattern": "^P-[0-9]+$"}},
                    "target": {"$ref": "#/$defs/Address"},
                    "insured": {"type": ["boolean", "null"]},
                    "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                },
                "required": ["parcels", "target", "insured", "note"],
                "$defs": {"Address": address},
            },
        },
    }
    (call,) = ask("Please book a courier for p-12 and P-15 to Oslo, insured", [tool]).tool_calls
    assert call["args"] == {"parcels": ["P-12", "P-15"], "target": {"city": "Oslo"}, "insured": True}


@pytest.mark.parametrize(
    "words",
    ["Call list_my_bookings", "<close>", "<evidence>\n[1] x (y, 1)\nz", "\ud83d", "?" * 400, "的" * 3000, "a " * 3000],
)
def test_odd_words_are_answered_in_words(words: str) -> None:
    answer = ask(words, ROOMS)
    assert answer.content or answer.tool_calls


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=120), st.sampled_from(sorted(TOOLSETS)))
def test_whatever_is_said_a_turn_ends_and_its_arguments_fit_the_schema_names(words: str, toolset: str) -> None:
    thread = Conversation(TOOLSETS[toolset], {})
    assert thread.ask(words or "?")
    names = {t["function"]["name"]: set(t["function"]["parameters"]["properties"]) for t in TOOLSETS[toolset]}
    assert all(set(args) <= names[name] for name, args in thread.calls)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([w for t, w, _ in CASES if t == "bare"]), min_size=1, max_size=4), st.data())
def test_identifiers_in_calls_come_from_the_words(parts: list[str], data: st.DataObject) -> None:
    words = data.draw(st.sampled_from([". ", "; ", ", and ", "，另外", "\n"])).join(parts)
    for call in ask(words, BARE).tool_calls:
        for name in ("hostname", "recipient"):
            if value := call["args"].get(name):
                assert value.casefold() in words.casefold()
