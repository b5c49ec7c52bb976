"""The model gateway on each wire format: what is asked and what comes back are the same whatever lies between."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from anthropic_wire import Anthropic
from endpoints import PROMPT, TOOLS
from histories import Record
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from people import REQUESTER
from scripted import calls
from wire_desks import EXTRAS, FORMATS, profile_of
from wire_server import KEY, Asked, WireServer

from signoff import Desk, Settings
from signoff.errors import ProviderError, ProviderRejected
from signoff.models.endpoint import Endpoint
from signoff.models.gateway import ModelGateway
from signoff.models.profile import Capabilities
from signoff.models.rehearsal import RehearsalModel
from signoff.models.view import build
from signoff.nodes.route import new_turn
from signoff.state import Status

NOW = datetime(2026, 10, 31, 9, tzinfo=ZoneInfo("Asia/Shanghai"))
WILD = 'a "b" \\ 引号“”「」 👩🏽‍💻 e\u0301 \u202e\u05d0 <tag> {x: [1,]} \t ½ 𝔘 end'
BARE = {"type": "function", "function": {"name": "today", "description": "", "parameters": {"type": "object"}}}
RICH = {
    "type": "function",
    "function": {
        "name": "find-it_2",
        "description": "Finds “things”.",
        "parameters": {
            "type": "object",
            "properties": {
                "id": {"type": "string", "pattern": "^[A-Z][0-9]{4,}$", "maxLength": 20},
                "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
                "status": {"anyOf": [{"enum": ["paid", "sent"], "type": "string"}, {"type": "null"}], "default": None},
                "lines": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "number"}}}},
            },
            "required": ["id"],
            "additionalProperties": False,
        },
    },
}
EndpointOn = Callable[..., tuple[Endpoint, WireServer]]
each_format = pytest.mark.parametrize("format", list(FORMATS))
each_way = pytest.mark.parametrize("can", [Capabilities(), Capabilities(streaming=False)], ids=["streamed", "whole"])


def gateway(endpoint: Endpoint) -> ModelGateway:
    return ModelGateway(endpoint, Settings())


@each_format
@each_way
def test_any_text_and_arguments_come_back_as_they_were_said(
    format: str,
    can: Capabilities,
    endpoint_on: EndpointOn,
) -> None:
    args = {"id": WILD, "lines": [{"n": 0.5}, {"n": -1}], "nested": {"空": None, "deep": [[], {}, ""]}}
    said = calls(("find-it_2", args, "c1"), ("today", {}, "c2"))
    said = said.model_copy(
        update={
            "content": WILD,
            "usage_metadata": {"input_tokens": 1_234, "output_tokens": 56, "total_tokens": 1_290},
        }
    )
    endpoint, server = endpoint_on(format, lambda asked: said, can)
    shown: list[str] = []
    got = gateway(endpoint).call(
        [SystemMessage(WILD), HumanMessage(WILD)], [RICH, BARE], deadline_s=20.0, on_text=shown.append
    )
    assert str(got.text) == "".join(shown) == WILD
    assert [(c["name"], c["args"]) for c in got.tool_calls] == [("find-it_2", args), ("today", {})]
    assert len({c["id"] for c in got.tool_calls}) == 2
    assert [str(m.text) for m in server.asked[0].messages] == [WILD, WILD]
    usage = got.usage_metadata
    assert usage and (usage["input_tokens"], usage["output_tokens"], usage["total_tokens"]) == (1_234, 56, 1_290)
    assert (got.response_metadata["usage"], got.response_metadata["cached_tokens"]) == ("provider", 617)
    assert got.response_metadata["finish_reason"] == "tool_calls"


def test_a_prompts_tokens_that_the_client_does_not_read_are_counted_here(
    endpoint_on: EndpointOn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Anthropic, "prompt_at_the_end", False)
    endpoint, _ = endpoint_on("anthropic", lambda asked: AIMessage("ok"))
    got = gateway(endpoint).call(PROMPT, TOOLS, deadline_s=20.0)
    assert got.usage_metadata and got.usage_metadata["input_tokens"] > 20
    assert got.response_metadata["usage"] == "counted"


@each_format
def test_tools_reach_the_model_with_their_whole_schemas_and_stay_as_they_were(
    format: str,
    endpoint_on: EndpointOn,
) -> None:
    tools = [RICH, BARE]
    before = deepcopy(tools)
    endpoint, server = endpoint_on(format, lambda asked: AIMessage("ok"))
    gateway(endpoint).call(PROMPT, tools, deadline_s=20.0)
    assert tools == before
    sent = {t["function"]["name"]: t["function"]["parameters"] for t in server.asked[0].tools}
    assert sent["find-it_2"] == RICH["function"]["parameters"]
    assert not sent["today"].get("properties")


@each_format
@pytest.mark.parametrize("choice", ["auto", "none", "required"])
def test_whether_a_tool_must_be_called_is_told_in_the_providers_words(
    format: str,
    choice: Any,
    endpoint_on: EndpointOn,
) -> None:
    endpoint, server = endpoint_on(format, lambda asked: AIMessage("ok"), Capabilities(parallel_calls=False))
    gateway(endpoint).call(PROMPT, TOOLS, deadline_s=20.0, choice=choice)
    assert server.asked[0].choice == choice
    assert [t["function"]["name"] for t in server.asked[0].tools] == ["query_order"]


@each_format
def test_a_conversation_with_calls_can_be_closed_without_tools(
    format: str,
    endpoint_on: EndpointOn,
) -> None:
    endpoint, server = endpoint_on(format, lambda asked: AIMessage("It was signed for."))
    asked = calls(("query_order", {"order_id": "A1"}, "c1"), ("query_order", {"order_id": "A2"}, "c2"))
    results = [ToolMessage('{"ok": true}', tool_call_id=i, name="query_order") for i in ("c1", "c2")]
    got = gateway(endpoint).call(
        [*PROMPT, asked, *results, HumanMessage("<close>\nAnswer now.\n</close>")], [], deadline_s=20.0
    )
    assert str(got.text) == "It was signed for."
    assert server.asked[0].tools == []


@each_format
@each_way
@pytest.mark.parametrize("seed", range(4))
def test_views_of_long_and_broken_records_are_taken(
    format: str,
    can: Capabilities,
    seed: int,
    endpoint_on: EndpointOn,
) -> None:
    endpoint, server = endpoint_on(format, lambda asked: AIMessage("ok"), can)
    record = Record(seed, unanswered=0.2).turns(40).turn(rounds=3, answered=False)
    for budget in (None, 20_000, 3_000):
        view = build(record.messages, new_turn("?"), [], now=NOW, closing=None, budget_tokens=budget)
        gateway(endpoint).call(view, [RICH], deadline_s=20.0)
        told = [(m.type, len(getattr(m, "tool_calls", ()))) for m in server.asked[-1].messages]
        calls_sent = [str(m.text) for m in server.asked[-1].messages if m.type == "tool"]
        assert len(calls_sent) == sum(n for _, n in told)
        assert [json.loads(t) for t in calls_sent] == [json.loads(str(m.text)) for m in view if m.type == "tool"]


@each_format
@each_way
def test_an_answer_at_the_output_limit_is_asked_for_again(
    format: str,
    can: Capabilities,
    endpoint_on: EndpointOn,
) -> None:
    def brain(asked: Asked) -> AIMessage:
        cut = {"finish_reason": "length"} if len(server.asked) == 0 else {}
        return AIMessage("half of" if cut else "the whole", response_metadata=cut)

    endpoint, server = endpoint_on(format, brain, can, output_tokens=200)
    got = gateway(endpoint).call(PROMPT, TOOLS, deadline_s=20.0)
    assert str(got.text) == "the whole"
    assert got.response_metadata["warnings"] == ["asked again: cut off at the output limit"]


@pytest.mark.parametrize("format", ["openai", "responses"])
@pytest.mark.parametrize("can", [{"json_mode": True}, {"json_schema": True}], ids=["json", "schema"])
def test_constrained_answers_are_asked_for_in_each_apis_own_field(
    format: str,
    can: dict[str, bool],
    endpoint_on: EndpointOn,
) -> None:
    endpoint, server = endpoint_on(
        format, lambda asked: AIMessage('{"answer": "好"}'), Capabilities(tools=False, **can)
    )
    gateway(endpoint).call(PROMPT, TOOLS, deadline_s=20.0)
    body = server.sent[0].body
    given = body["text"]["format"] if format == "responses" else body["response_format"]
    assert given["type"] == ("json_object" if "json_mode" in can else "json_schema")
    assert "tools" not in body


@pytest.mark.parametrize("format", ["openai", "anthropic", "gemini"])
def test_a_desk_is_opened_on_each_provider_by_its_settings(
    format: str, serve: Callable[..., WireServer], open_desk: Callable[..., Desk]
) -> None:
    server = serve(format, RehearsalModel())
    address = f"{server.address}{server.wire.prefix}"
    desk = open_desk(model=FORMATS[format][1], model_base_url=address, model_api_key=KEY)
    turn = desk.ask("What is the status of order A1001?", caller=REQUESTER)
    assert turn.status is Status.DONE
    assert "2026-10-22" in turn.answer
    assert turn.model == FORMATS[format][1]


@each_format
def test_a_refused_request_and_a_wrong_key_are_told_in_one_sentence(
    format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if format in EXTRAS:
        pytest.importorskip(EXTRAS[format])
    with WireServer(FORMATS[format][0](), lambda asked: AIMessage("ok")) as server:
        monkeypatch.setenv("WIRE_TEST_KEY", KEY)
        profile = profile_of(format, server, retries=0)
        bad = {"type": "function", "function": {"name": "no spaces please", "parameters": {"type": "object"}}}
        with pytest.raises(ProviderRejected, match="refused the request"):
            gateway(Endpoint(profile, Settings())).call(PROMPT, [bad], deadline_s=20.0)
        monkeypatch.setenv("WIRE_TEST_KEY", "another-key")
        with pytest.raises(ProviderError, match="refused the key") as told:
            gateway(Endpoint(profile, Settings())).call(PROMPT, TOOLS, deadline_s=20.0)
        assert "another-key" not in str(told.value)
        assert len(server.faults) == 2
