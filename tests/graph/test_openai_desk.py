"""The whole desk on an OpenAI-compatible endpoint, over real HTTP on loopback."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from history import faults
from people import REQUESTER, SUPERVISOR, refunds

from signoff import Desk
from signoff.state import Status

sys.path.insert(0, str(Path(__file__).parent.parent / "models"))

from openai_server import Hang, OpenAIServer, Response, Stream
from openai_server import Status as Refusal


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {
        "id": "x",
        "object": "chat.completion.chunk",
        "model": "m-1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def started(index: int, id: str, name: str, arguments: str = "") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return chunk(tool_calls=[{"index": index, "id": id, "type": "function", "function": function}])


def wants(*wanted: tuple[str, dict[str, Any]]) -> Stream:
    """A streamed message with tool calls, their fragments interleaved."""
    texts = [json.dumps(a) for _, a in wanted]
    heads = [started(i, f"call_{i}", n) for i, (n, _) in enumerate(wanted)]
    pieces = [
        chunk(tool_calls=[{"index": i, "function": {"arguments": t[k : k + 5]}}])
        for k in range(0, max(map(len, texts)), 5)
        for i, t in enumerate(texts)
        if t[k : k + 5]
    ]
    return Stream([*heads, *pieces, chunk("tool_calls")])


def says(text: str) -> Stream:
    return Stream([chunk(role="assistant", content=""), *(chunk(content=t) for t in text), chunk("stop")])


@pytest.fixture
def desk_on(open_desk: Callable[..., Desk]) -> Callable[..., tuple[Desk, OpenAIServer]]:
    """A desk whose model is an endpoint with this script."""
    servers: list[OpenAIServer] = []

    def one(*script: Response, **options: Any) -> tuple[Desk, OpenAIServer]:
        server = OpenAIServer(*script)
        server.__enter__()
        servers.append(server)
        settings = {"model_timeout_s": 2.0, "model_retries": 1, **options}
        return open_desk(model="openai:m-1", model_base_url=server.base_url, **settings), server

    yield one  # type: ignore[misc]
    for server in servers:
        server.__exit__(None, None, None)


def test_a_refund_goes_through_signature_and_resume(desk_on: Callable[..., tuple[Desk, OpenAIServer]]) -> None:
    desk, server = desk_on(
        wants(("query_order", {"order_id": "A1003"}), ("query_logistics", {"order_id": "A1003"})),
        wants(("refund_order", {"order_id": "A1003", "reason": "it arrived broken"})),
        says("Order A1003 was refunded."),
    )
    turn = desk.ask("Refund order A1003, it arrived broken", caller=REQUESTER)
    assert turn.status is Status.WAITING
    desk.decide(turn.approvals[0].id, "approve", by=SUPERVISOR)
    turn = desk.resume(turn.thread)
    assert (turn.status, turn.answer) == (Status.DONE, "Order A1003 was refunded.")
    assert refunds(desk) == ["A1003"]
    assert faults(desk.messages(turn.thread)) == []
    assert turn.usage["prompt_tokens"] > 0
    sent = server.bodies[-1]["messages"]
    calls = [c["id"] for m in sent for c in m.get("tool_calls") or ()]
    answers = [m["tool_call_id"] for m in sent if m["role"] == "tool"]
    assert calls == answers and len(calls) == 3
    offered = {t["function"]["name"] for t in server.bodies[0]["tools"]}
    assert "refund_order" in offered and len(offered) <= 8
    assert not any(word in json.dumps(server.bodies[0]["tools"]) for word in ('"caller"', '"tenant"', '"tx"'))


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ((Refusal(500, {"error": "x"}), says("Hello there.")), Status.DONE),
        ((Refusal(429, {"error": "x"}, {"Retry-After": "0"}), says("Hello there.")), Status.DONE),
        ((Refusal(500, {"error": "x"}),), Status.FAILED),
        ((Refusal(401, {"error": {"message": "bad key sk-abcdef"}}),), Status.FAILED),
        ((Hang(),), Status.FAILED),
        ((Stream([chunk(content="half an ans")], done=False, then="cut"),), Status.FAILED),
        ((Stream([{"id": "x", "object": "chat.completion.chunk", "choices": []}]),), Status.FAILED),
        ((says("Hello there."),), Status.DONE),
    ],
)
def test_whatever_the_endpoint_does_the_turn_ends_in_words(
    script: tuple[Response, ...],
    status: Status,
    desk_on: Callable[..., tuple[Desk, OpenAIServer]],
) -> None:
    desk, _ = desk_on(*script)
    turn = desk.ask("hello", caller=REQUESTER)
    assert turn.status is status
    assert turn.answer and "sk-abcdef" not in turn.answer and "Traceback" not in turn.answer
    assert faults(desk.messages(turn.thread)) == []


def test_arguments_that_are_half_a_json_are_answered_and_mended(
    desk_on: Callable[..., tuple[Desk, OpenAIServer]],
) -> None:
    half = Stream([started(0, "c", "query_order", '{"order_id": "A10'), chunk("tool_calls")])
    desk, server = desk_on(half, wants(("query_order", {"order_id": "A1003"})), says("A1003 is 299.00 yuan."))
    turn = desk.ask("How much is A1003?", caller=REQUESTER)
    assert (turn.status, turn.answer) == (Status.DONE, "A1003 is 299.00 yuan.")
    assert faults(desk.messages(turn.thread)) == []
    assert "INVALID_ARGUMENTS" in json.dumps(server.bodies[1]["messages"])
