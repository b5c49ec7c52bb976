"""Models by role, each on an endpoint of its own: a small one decides, a large one writes, and all of it is counted."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from people import REQUESTER

from signoff import Desk
from signoff.errors import ConfigError
from signoff.graph.turn import Event
from signoff.state import Status
from signoff.telemetry.traces import load_trace

sys.path.insert(0, str(Path(__file__).parent.parent / "models"))

from openai_server import OpenAIServer, Says
from openai_server import Status as Refusal

Said = dict[str, Any]


def wants(name: str, **args: Any) -> Said:
    function = {"name": name, "arguments": json.dumps(args)}
    return {"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]}


class Model:
    """One role's endpoint: says its lines in order, the last again and again."""

    def __init__(self, *lines: Said | Refusal) -> None:
        self.lines = list(lines)
        self.server = OpenAIServer(Says(lambda _: self.lines[min(len(self.server.bodies), len(self.lines)) - 1]))

    @property
    def prompts(self) -> list[list[dict[str, Any]]]:
        return [b["messages"] for b in self.server.bodies]


@pytest.fixture
def desk_of(home: Path, open_desk: Callable[..., Desk]) -> Iterator[Callable[..., Desk]]:
    """A desk whose roles have these models."""
    running: list[OpenAIServer] = []

    def one(**models: Model) -> Desk:
        text = ""
        for role, model in models.items():
            model.server.__enter__()
            running.append(model.server)
            text += (
                f'[models.{role}-model]\nmodel = "openai:{role}-1"\nbase_url = "{model.server.base_url}"\n'
                "retries = 0\nprice_prompt_yuan = 1\nprice_completion_yuan = 2\n"
            )
        roles = "".join(f'{role} = "{role}-model"\n' for role in models)
        (home / "models.toml").write_text(f"{text}[roles]\n{roles}")
        return open_desk(model=None)

    yield one
    for server in running:
        server.__exit__(None, None, None)


def calls(desk: Desk, turn: Any) -> list[dict[str, Any]]:
    """What the trace says of the turn's model calls."""
    desk.services.tracer.flush()
    trace = load_trace(desk.services.database, turn.id)
    return [dict(s.attributes) for s in trace.root.walk() if s.kind == "model_call"]


LOOK = wants("query_order", order_id="A1001")


def test_the_writer_writes_what_the_agent_found_out(desk_of: Callable[..., Desk]) -> None:
    agent, writer = Model(LOOK, {"content": "delivered"}), Model({"content": "Order A1001 was delivered to you."})
    desk = desk_of(agent=agent, writer=writer)
    turn = desk.ask("Where is order A1001?", caller=REQUESTER)
    assert (turn.status, turn.answer) == (Status.DONE, "Order A1001 was delivered to you.")
    assert len(agent.prompts) == 2 and len(writer.prompts) == 1
    sent = writer.server.bodies[0]
    assert not sent.get("tools") or sent.get("tool_choice") == "none"
    assert "<draft>\ndelivered\n</draft>" in str(sent["messages"][-1]["content"])
    assert any(m["role"] == "tool" for m in sent["messages"])
    # Only one answer is in the record.
    assert [m.text for m in desk.messages(turn.thread) if m.type == "ai" and m.text] == [turn.answer]
    told = calls(desk, turn)
    assert [c["role"] for c in told] == ["agent", "agent", "writer"]
    assert [c["profile"] for c in told] == ["agent-model", "agent-model", "writer-model"]
    assert turn.usage["model_calls"] == 3
    assert Decimal(turn.usage["cost_yuan"]) == sum(Decimal(c["cost_yuan"]) for c in told) > 0


def test_only_the_writers_text_is_told_while_it_is_written(desk_of: Callable[..., Desk]) -> None:
    draft = "Here is what I have found out about it so far, in my own words. " * 8
    agent, writer = Model(LOOK, {"content": draft}), Model({"content": "Order A1001 was delivered. It has arrived."})
    events = [
        e for e in desk_of(agent=agent, writer=writer).ask_events("Where is order A1001?", caller=REQUESTER)
        if isinstance(e, Event)
    ]  # fmt: skip
    assert "".join(e.data["text"] for e in events if e.type == "text_delta") == writer.lines[0]["content"]  # type: ignore[index]


def test_a_writer_that_fails_costs_its_words_and_not_the_answer(desk_of: Callable[..., Desk]) -> None:
    agent, writer = Model(LOOK, {"content": "Order A1001 was delivered."}), Model(Refusal(503))
    events = list(desk_of(agent=agent, writer=writer).ask_events("Where is order A1001?", caller=REQUESTER))
    turn = events[-1]
    assert (turn.status, turn.answer) == (Status.DONE, "Order A1001 was delivered.")
    assert any(isinstance(e, Event) and e.type == "warning" and "writer-model" in str(e.data) for e in events)


def test_the_writers_words_are_checked_like_any_others(desk_of: Callable[..., Desk]) -> None:
    agent = Model(LOOK, {"content": "Order A1001 was delivered."})
    writer = Model({"content": "Order A1001 was refunded with 987.65 yuan."})
    turn = desk_of(agent=agent, writer=writer).ask("Where is order A1001?", caller=REQUESTER)
    assert "987" not in turn.answer and "refunded" not in turn.answer


def test_nobody_writes_where_nothing_was_found_out(desk_of: Callable[..., Desk]) -> None:
    agent, writer = Model({"content": "Hello! What can I do for you?"}), Model({"content": "unused"})
    assert desk_of(agent=agent, writer=writer).ask("hello", caller=REQUESTER).answer.startswith("Hello!")
    assert writer.prompts == []


def test_the_router_is_asked_only_about_what_words_leave_open(desk_of: Callable[..., Desk]) -> None:
    router = Model(wants("route", kind="task", tool="query_logistics"))
    agent = Model({"content": "I found nothing."})
    desk = desk_of(agent=agent, router=router)
    desk.ask("What is the status of order A1001?", caller=REQUESTER)
    desk.ask("thank you", caller=REQUESTER)
    assert router.prompts == []
    turn = desk.ask("ferret whereabouts puzzling <request>", caller=REQUESTER)
    assert len(router.prompts) == 1
    asked = router.server.bodies[0]
    assert [t["function"]["name"] for t in asked["tools"]] == ["route"]
    assert str(asked["messages"]).count("<request>") == 2 and "‹request>" in str(asked["messages"])
    assert "query_logistics" in [t["function"]["name"] for t in agent.server.bodies[-1]["tools"]]
    told = calls(desk, turn)
    assert [c["role"] for c in told] == ["router", "agent"]
    assert turn.usage["model_calls"] == 2


@pytest.mark.parametrize(
    "answer",
    [
        Refusal(500),
        {"content": "I think it is a task."},
        wants("route", kind="task", tool="drop_tables"),
        wants("route", kind="dance", tool="query_order"),
        wants("route"),
        wants("query_order", order_id="A1001"),
    ],
)
def test_a_router_that_says_nothing_of_use_changes_nothing(desk_of: Callable[..., Desk], answer: Any) -> None:
    agent, router = Model({"content": "I found no document that says so."}), Model(answer)
    turn = desk_of(agent=agent, router=router).ask("ferret whereabouts puzzling", caller=REQUESTER)
    assert turn.status is Status.DONE and turn.steps == []
    assert len(agent.prompts) >= 1


def test_folded_turns_are_shortened_by_the_model_that_has_that_role(desk_of: Callable[..., Desk]) -> None:
    long = "It is a matter of the company's own rules and takes some patience. " * 30
    agent, summary = Model({"content": long}), Model({"content": "Patience was advised."})
    desk = desk_of(agent=agent, summary=summary)
    thread = desk.ask("hello", caller=REQUESTER).thread
    for n in range(24):
        turn = desk.ask(f"ferret whereabouts number {n}?", caller=REQUESTER, thread=thread)
        if summary.prompts:
            break
    assert 1 <= len(summary.prompts) < 24
    assert "summary" in [c["role"] for c in calls(desk, turn)]
    assert any("Patience was advised." in str(p) for p in agent.prompts)


def test_a_role_whose_model_cannot_be_used_is_told_when_the_desk_is_opened(
    home: Path, open_desk: Callable[..., Desk]
) -> None:
    (home / "models.toml").write_text(
        '[models.big]\nmodel = "openai:big"\nkey_env = "BIG_MODEL_KEY"\n[roles]\nwriter = "big"\n'
    )
    with pytest.raises(ConfigError, match="BIG_MODEL_KEY"):
        open_desk()


def test_what_a_turn_used_is_on_every_model_call(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of(agent=Model(LOOK, {"content": "Order A1001 was delivered."}))
    before = calls(desk, desk.ask("Where is order A1001?", caller=REQUESTER))
    assert [c["model"] for c in before] == [c["model"] for c in before if c["model"]]
    for field in ("prompt_version", "tools_version", "knowledge", "input_tokens", "usage", "cost_yuan", "latency_s"):
        assert all(c[field] not in (None, "") for c in before), field
    desk.services.knowledge.add(Path(__file__).parent.parent.parent / "docs" / "errors.md")
    after = calls(desk, desk.ask("Where is order A1001?", caller=REQUESTER))
    assert after[0]["knowledge"] > before[0]["knowledge"]
    assert after[0]["tools_version"] == before[0]["tools_version"]


@pytest.mark.parametrize("said", [LOOK, {"content": ""}, {"content": "Order A1001 was", "finish_reason": "length"}])
def test_a_writer_that_writes_no_whole_answer_leaves_the_draft(desk_of: Callable[..., Desk], said: Said) -> None:
    agent, writer = Model(LOOK, {"content": "Order A1001 was delivered."}), Model(said)
    turn = desk_of(agent=agent, writer=writer).ask("Where is order A1001?", caller=REQUESTER)
    assert (turn.status, turn.answer) == (Status.DONE, "Order A1001 was delivered.")


def test_a_router_may_answer_with_a_list(desk_of: Callable[..., Desk]) -> None:
    agent, router = Model({"content": "I found nothing."}), Model(wants("route", kind="task", tool=["query_order"]))
    assert desk_of(agent=agent, router=router).ask("ferret whereabouts", caller=REQUESTER).status is Status.DONE


def test_no_role_is_asked_once_the_day_or_the_turn_has_no_call_left(home: Path, desk_of: Callable[..., Desk]) -> None:
    agent, writer = Model(LOOK, {"content": "Order A1001 was delivered."}), Model({"content": "Unused."})
    router = Model(wants("route", kind="other", tool="none"))
    with (home / "settings.toml").open("a") as file:
        file.write("\ndaily_calls = 2\n")
    desk = desk_of(agent=agent, writer=writer, router=router)
    assert desk.ask("Where is order A1001?", caller=REQUESTER).answer == "Order A1001 was delivered."
    assert writer.prompts == []
    assert desk.ask("ferret whereabouts puzzling", caller=REQUESTER).limited == "daily_quota"
    assert router.prompts == [] and len(agent.prompts) == 2


def test_at_a_limit_the_agent_closes_where_the_writer_cannot(home: Path, desk_of: Callable[..., Desk]) -> None:
    agent, writer = Model(LOOK, {"content": "Order A1001 was delivered; the rest is open."}), Model(Refusal(503))
    with (home / "settings.toml").open("a") as file:
        file.write("\nmax_rounds = 1\n")
    turn = desk_of(agent=agent, writer=writer).ask("Where is order A1001?", caller=REQUESTER)
    assert (turn.status, turn.limited) == (Status.EXHAUSTED, "max_rounds")
    assert "delivered" in turn.answer
