"""Random bytes and JSON as arguments of every tool of every shipped desk: an envelope each, and never an exception."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, ToolMessage
from people import REQUESTER, SECOND, SUPERVISOR
from scripted import ScriptedModel

from signoff import Desk
from signoff.desks.workspace_sample import make_sample
from signoff.errors import DecisionRefused
from signoff.state import Status, open_calls
from signoff.tools.contract import Tool
from signoff.tools.envelope import Code, ToolResult

DESKS = ("service", "weekly", "assistant")

WORDS = (
    "A1001 A1003 A2001 T1001 T1002 T1005 res_0a1b2c3d4e5f60718293 2026-W42 2026-W53 上周 last week apollo docs "
    "reports/x.md ../README.md /etc/passwd 1+1 9**9**9 1/0 now Asia/Shanghai Beijing 2026-10-31 15:00 ann@example.com "
    "ls cat rm|x $(id) print(1) while True: 退货政策 high 高 broken memory-1 fact-1"
).split(" ")
"""What the person says: identifiers and texts that arguments may be made of."""
QUESTION = "try all of it: " + " ".join(WORDS)


def dead_port() -> int:
    """A port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


@pytest.fixture(scope="module")
def desks(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Desk]]:
    """The three desks with everything switched on and nothing to reach."""
    folder = tmp_path_factory.mktemp("fuzz")
    dead = f"127.0.0.1:{dead_port()}"
    options: dict[str, Any] = {
        "commands": True,
        "command_timeout_s": 2,
        "python_timeout_s": 1,
        "fetch_hosts": (dead,),
        "fetch_timeout_s": 1,
        "weather_url": f"http://{dead}/forecast",
        "geocoding_url": f"http://{dead}/search",
        "smtp_url": f"smtp://{dead}",
        "mail_from": "desk@acme.example",
        "workspace": make_sample(folder / "workspace"),
        "workspace_mode": "write",
        "max_tool_calls": 100,
    }
    with ExitStack() as stack:
        opened = {}
        for name in DESKS:
            home = shutil.copytree(sample_home, folder / name)
            opened[name] = stack.enter_context(
                Desk.open(home, desk=name, model=ScriptedModel(lines=["So it stands."]), **options)
            )
        yield opened


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from([10**40, -1, 0, 2**63, 1e308])
    | st.text(max_size=30)
    | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
"""Any JSON value, with the numbers that JSON itself does not have."""

raw_text = (
    st.binary(max_size=60).map(lambda b: b.decode("latin-1"))
    | st.binary(max_size=60).map(lambda b: b.decode("utf-8", "surrogateescape"))
    | json_values.map(lambda v: json.dumps(v)[:-1])
    | st.sampled_from(["", "null", "[]", '"text"', "{", "{}", "[" * 3_000, '{"a":' * 2_000, "NaN", '{"a": 1} {"b": 2}'])
)
"""What may stand where a call's arguments should."""


def fitting(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Values that may well pass a schema, so that what lies behind validation is reached too."""
    if "anyOf" in schema:
        return st.one_of(*map(fitting, schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema.get("type"):
        case "string":
            return st.sampled_from(WORDS) | st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join) | st.text()
        case "integer":
            return st.integers(0, 60) | st.integers()
        case "number":
            return st.floats(0, 1_000) | st.integers()
        case "boolean":
            return st.booleans()
        case "array":
            return st.lists(fitting(schema.get("items") or {}), max_size=3)
        case _:
            return json_values


def arguments(tool: Tool) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments with the tool's own names, each valid-looking or anything; and now and then a name too many."""
    properties = tool.parameters.get("properties", {})
    required = set(tool.parameters.get("required", ()))
    known = st.fixed_dictionaries(
        {n: fitting(s) for n, s in properties.items() if n in required},
        optional={n: fitting(s) for n, s in properties.items() if n not in required},
    )
    wild = st.dictionaries(st.sampled_from([*properties, "user", "tenant", ""]) | st.text(max_size=8), json_values)
    return known | known | wild | st.tuples(known, wild).map(lambda pair: {**pair[0], **pair[1]})


of_tools: dict[str, st.SearchStrategy[dict[str, Any]]] = {}


@pytest.mark.slow
@pytest.mark.parametrize("name", DESKS)
# Without shrinking: an example is a call of each tool, and the message says which of them failed.
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(data=st.data())
def test_whatever_the_arguments_every_call_gets_an_envelope(name: str, desks: dict[str, Desk], data: Any) -> None:
    desk = desks[name]
    tools = list(desk.services.gateway.registry)
    args = {t.name: data.draw(of_tools.setdefault(t.name, arguments(t)), label=t.name) for t in tools}
    broken = data.draw(st.lists(st.tuples(st.sampled_from(tools), raw_text), max_size=4), label="broken")
    message = AIMessage(
        "",
        tool_calls=[{"name": n, "args": a, "id": f"c-{n}", "type": "tool_call"} for n, a in args.items()],
        invalid_tool_calls=[
            {"name": t.name, "args": raw, "id": f"b{i}", "error": "", "type": "invalid_tool_call"}
            for i, (t, raw) in enumerate(broken)
        ],
    )
    model: Any = desk.services.model.endpoints[0]._model
    model.lines[:], model._said = [message, "So it stands."], 0
    turn = desk.ask(QUESTION, caller=REQUESTER)
    answered = check(desk, turn)
    assert answered + len(turn.approvals) == len(tools) + len(broken)
    if data.draw(st.booleans(), label="signed"):
        for approval in turn.approvals:
            # Random words are no commands to be run, however well they are boxed in.
            decision = "reject" if approval.tool == "run_command" else "approve"
            for person in (REQUESTER, SUPERVISOR, SECOND):
                try:
                    desk.decide(approval.id, decision, by=person)
                except DecisionRefused:
                    continue
        check(desk, desk.resume(turn.thread))


def check(desk: Desk, turn: Any) -> int:
    """The turn did not fail, every call is answered or waits, and no tool broke for a reason of its own. Returns
    how many are answered."""
    assert turn.status is not Status.FAILED, turn.error
    messages = desk.messages(turn.thread)
    answers = [m for m in messages if isinstance(m, ToolMessage)]
    for message in answers:
        result = ToolResult.model_validate_json(str(message.content))
        assert result.ok is (result.error is None)
        assert result.error is None or result.error.code is not Code.INTERNAL, _failed(messages, message)
    waiting = set(open_calls(messages))
    assert waiting == {a.call for a in turn.approvals if a.status == "pending"}
    return len(answers)


def _failed(messages: Any, answer: ToolMessage) -> str:
    """The call whose tool broke, for whoever mends it."""
    calls = [c for m in messages if isinstance(m, AIMessage) for c in m.tool_calls]
    return str(next((c for c in calls if c["id"] == answer.tool_call_id), answer))


@pytest.mark.parametrize("name", DESKS)
def test_every_tool_of_a_desk_is_tried(name: str, desks: dict[str, Desk]) -> None:
    registry = desks[name].services.gateway.registry
    wanted = set(desks[name].services.profile.tools)
    assert wanted <= set(registry.names()) and len(registry) >= 5
