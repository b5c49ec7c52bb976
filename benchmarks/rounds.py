"""Milliseconds per tool round: Signoff's whole pipeline beside LangChain's plain agent.

Both run the same scripted model and the same tool, with a SQLite saver on a file, in one process, in turn:

    python benchmarks/rounds.py [--rounds 10] [--runs 12]

The peer is `langchain.agents.create_agent` with the stock `SqliteSaver` (WAL, synchronous=NORMAL like ours).
Signoff validates, authorises, guards, audits, traces and checks the answer in the same time.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool as langchain_tool
from langgraph.checkpoint.sqlite import SqliteSaver

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from scripted import ScriptedModel, call

from signoff import Caller, Desk, tool


@tool
def look(shelf: int) -> dict[str, int]:
    """Says how many parts lie on a shelf."""
    return {"shelf": shelf, "parts": shelf * 3}


@langchain_tool("look")
def peer_look(shelf: int) -> dict[str, int]:
    """Says how many parts lie on a shelf."""
    return {"shelf": shelf, "parts": shelf * 3}


def script(rounds: int) -> list[AIMessage | str]:
    """A model's lines: one call a round, then an answer."""
    return [*(call("look", id=f"c{i}", shelf=i) for i in range(rounds)), "There are parts on the shelves."]


def signoff_run(folder: Path, rounds: int) -> Callable[[], float]:
    """A function that runs one turn on a new thread and returns its seconds."""
    model = ScriptedModel(lines=[])
    desk = Desk.open(folder / "home", model=model, tools=[look], max_rounds=rounds, max_prompt_tokens=10_000_000)

    def run() -> float:
        model.lines[:] = script(rounds)
        model._said = 0
        started = time.perf_counter()
        turn = desk.ask("how many parts are on the shelves?", caller=Caller("acme", "u-17"))
        seconds = time.perf_counter() - started
        assert turn.usage["rounds"] == rounds, turn
        return seconds

    return run


def peer_run(folder: Path, rounds: int) -> Callable[[], float]:
    """The same for LangChain's agent."""
    connection = sqlite3.connect(folder / "peer.db", check_same_thread=False)
    saver = SqliteSaver(connection)
    saver.setup()
    connection.execute("PRAGMA synchronous=NORMAL")
    model = ScriptedModel(lines=[])
    agent = create_agent(model, [peer_look], checkpointer=saver)
    count = [0]

    def run() -> float:
        model.lines[:] = script(rounds)
        model._said = 0
        count[0] += 1
        config = {"configurable": {"thread_id": f"t{count[0]}"}, "recursion_limit": 4 * rounds + 16}
        started = time.perf_counter()
        state = agent.invoke({"messages": [("user", "how many parts are on the shelves?")]}, config, durability="sync")
        seconds = time.perf_counter() - started
        assert len(state["messages"]) == 2 * rounds + 2
        return seconds

    return run


def main() -> None:
    """Print both medians and their ratio."""
    parser = argparse.ArgumentParser(description="Milliseconds per tool round, beside create_agent.")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--runs", type=int, default=12)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        ours, peer = signoff_run(Path(name), asked.rounds), peer_run(Path(name), asked.rounds)
        ours(), peer()
        pairs = [(ours(), peer()) for _ in range(asked.runs)]
    a, b = (statistics.median(p[i] for p in pairs) * 1000 / asked.rounds for i in (0, 1))
    ratio = statistics.median(x / y for x, y in pairs)
    print(f"signoff       {a:7.2f} ms a round")
    print(f"create_agent  {b:7.2f} ms a round")
    print(f"ratio         {ratio:7.2f}")


if __name__ == "__main__":
    main()
