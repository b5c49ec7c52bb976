"""A conversation of 50 turns: prompt tokens, and the share of them that a provider's cache of prefixes serves.

Signoff's view beside sending everything and beside `langchain_core`'s `trim_messages` (strategy last, start_on human)
with the same tokens of history. No key, no model, seconds:

    python benchmarks/history.py [--turns 50] [--seed 1]

For each model call of the conversation the prompt is made anew. What it shares from its beginning with the prompt of
the call before is what a provider with a cache of prefixes serves from it, counted in whole blocks of 64 tokens;
tokens are estimated as Signoff does. Every call of the record has its result, and no evidence is put in, which all
three would have to carry. "At 10 %" is the cost in full-price tokens when cached ones cost a tenth.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, trim_messages

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "models"))

from histories import Record, faults

from signoff.models.view import HISTORY_TOKENS, Brief, build, estimate, estimate_text, split
from signoff.nodes.route import new_turn

NOW = datetime(2026, 10, 31, 9, tzinfo=ZoneInfo("Asia/Shanghai"))
BLOCK = 64
DESK = "You serve the customers of a shop: orders, refunds, tickets and leave."
View = Callable[[list[AnyMessage]], list[BaseMessage]]


def signoff(messages: list[AnyMessage]) -> list[BaseMessage]:
    """What a model is sent."""
    return build(messages, new_turn("?"), [], now=NOW, closing=None, brief=Brief(desk=DESK))


def everything(messages: list[AnyMessage]) -> list[BaseMessage]:
    """The record as it is, behind the same instructions."""
    return [signoff([HumanMessage("?")])[0], *messages]


def trimmed(messages: list[AnyMessage]) -> list[BaseMessage]:
    """LangChain's trimming of it, with the tokens that Signoff has for history, and the current turn's."""
    _, current = split(messages)
    return trim_messages(
        everything(messages),
        strategy="last",
        start_on="human",
        include_system=True,
        token_counter=estimate,
        max_tokens=HISTORY_TOKENS + estimate([everything([])[0], *current]),
    )


def written(messages: Sequence[BaseMessage]) -> str:
    """A prompt as one text, each message behind its role."""
    return "".join(
        f"\n<{m.type}>{m.text}{json.dumps(m.tool_calls, ensure_ascii=False) if isinstance(m, AIMessage) else ''}"
        for m in messages
    )


def shared(before: str, now: str) -> int:
    """Tokens of the common beginning of two prompts, in whole blocks."""
    low, high = 0, min(len(before), len(now))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if before[:middle] == now[:middle] else (low, middle - 1)
    return estimate_text(now[:low]) // BLOCK * BLOCK


def calls(turns: int, seed: int) -> list[list[AnyMessage]]:
    """The record as it stands at each model call of a conversation."""
    record = Record(seed, unanswered=0).turns(turns)
    points = [i for i, m in enumerate(record.messages) if isinstance(m, AIMessage)]
    return [record.messages[:i] for i in points]


def measure(view: View, points: Sequence[list[AnyMessage]]) -> tuple[int, int, int, int]:
    """Prompt tokens, those served from a cache, the longest prompt's, and prompts that a provider would refuse."""
    total = cached = longest = refused = 0
    before = ""
    for messages in points:
        prompt = view(messages)
        text = written(prompt)
        tokens = estimate_text(text)
        total, cached, longest = total + tokens, cached + shared(before, text), max(longest, tokens)
        refused += bool(faults(prompt)) or not any(isinstance(m, HumanMessage) for m in prompt)
        before = text
    return total, cached, longest, refused


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    points = calls(options.turns, options.seed)
    print(f"{options.turns} turns, {len(points)} model calls, {HISTORY_TOKENS} tokens of history\n")
    print(f"{'':<18}{'tokens':>12}{'cached':>9}{'at 10 %':>12}{'longest':>10}{'refused':>9}")
    for name, view in (("Signoff's view", signoff), ("everything", everything), ("trim_messages", trimmed)):
        total, cached, longest, refused = measure(view, points)
        cost = total - cached * 9 // 10
        print(f"{name:<18}{total:>12,}{cached / total:>9.1%}{cost:>12,}{longest:>10,}{refused:>9}")


if __name__ == "__main__":
    main()
