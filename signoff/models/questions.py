"""The fixed questions of a probe: each so small that its answer shows one thing an endpoint does or does not do."""

from __future__ import annotations

import json
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import tool_call

from signoff.models.ways.request import Request
from signoff.models.ways.schemas import strict

TOOL = "look_up_stock"
OUTPUT_TOKENS = 200
"""Asked for in an answer; a model that thinks first is asked once more with `THINKING_TOKENS`."""
THINKING_TOKENS = 4_000
HUGE_OUTPUT = 100_000_000
"""No model writes so many tokens: an endpoint that checks refuses, and says what it has."""
SIGN = "sapphire"
FOUND = "4172"
"""What the tool's result says, and nobody could guess."""
SHADES = ("zinc", "umber")
REFERENCE = "zq-417"
KINDS = ("arachnid", "insect")


def _tool(name: str, description: str, **properties: Any) -> dict[str, Any]:
    parameters = {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
    }  # fmt: skip
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


STOCK = _tool(
    TOOL, "Looks up how many pieces of an item are in stock.",
    item={"type": "string", "description": "The item's number, such as A-1."},
)  # fmt: skip
PAINT = _tool("paint", "Paints the room.", shade={"type": "string", "enum": list(SHADES)})
_LOOK = f"Use the tool {TOOL} to find out how many pieces of item B-7 are in stock."
_ORDER = f"Whatever you are asked, reply with the one word {SIGN.upper()} and nothing else."
_CAPITAL = "What is the capital of France?"
_FORM = {
    "type": "object",
    "properties": {
        "reference": {"type": "string", "enum": [REFERENCE]},
        "kind": {"type": "string", "enum": list(KINDS)},
    },
    "required": ["reference", "kind"],
    "additionalProperties": False,
}


def _request(*messages: Any, **fields: Any) -> Request:
    return Request(list(messages), output_tokens=OUTPUT_TOKENS, **fields)


COUNT = _request(HumanMessage("Count from one to twelve in words, separated by commas."))
"""Long enough to come in several pieces."""
SYSTEM = _request(SystemMessage(_ORDER), HumanMessage(_CAPITAL))
MERGED = _request(HumanMessage(f"{_ORDER}\n\n{_CAPITAL}"))
"""The same without a system message."""
CALL = _request(HumanMessage(_LOOK), tools=[STOCK])
RESULT = _request(
    HumanMessage(_LOOK),
    AIMessage("", tool_calls=[tool_call(name=TOOL, args={"item": "B-7"}, id="call_probe1")]),
    ToolMessage(json.dumps({"item": "B-7", "in_stock": int(FOUND)}), tool_call_id="call_probe1", name=TOOL),
    tools=[STOCK],
)
PARALLEL = _request(
    HumanMessage(
        f"Use the tool {TOOL} for item B-7 and for item C-9. The two are independent of each other: make both calls "
        "now, in one message."
    ),
    tools=[STOCK],
)
SINGLE = _request(HumanMessage(_LOOK), tools=[STOCK], parallel=False)
REQUIRED = _request(HumanMessage("Hello! Reply with a short greeting."), tools=[STOCK], choice="required")
NONE = _request(HumanMessage(_LOOK), tools=[STOCK], choice="none")
STRICT = _request(HumanMessage("Use the tool paint with the shade yellow, exactly that."), tools=[strict(PAINT)])
SCHEMA = _request(HumanMessage("How many legs has a spider? Answer in one short plain sentence."), schema=_FORM)
JSON = _request(
    HumanMessage(
        "How many legs has a spider? Write one plain sentence, and after it the number as a JSON object with the "
        'field "legs".'
    ),
    json=True,
)
HUGE = Request([HumanMessage("Reply with the word ready.")], output_tokens=HUGE_OUTPUT)

EVERYWHERE = (COUNT, SYSTEM, CALL, RESULT, PARALLEL, REQUIRED, NONE)
COMPATIBLE = (STRICT, SCHEMA, JSON, HUGE)
"""Asked of OpenAI-compatible endpoints only: the others word these otherwise, and are not asked for them."""
