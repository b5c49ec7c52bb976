"""Milliseconds per tool round: Signoff's whole pipeline beside LangChain's plain agent.

Both run the same scripted model and the same tool, with a SQLite saver on a file, in one process, in turn:

    python benchmarks/rounds.py [--runs 15]

A turn of 5 rounds and one of 15 are timed; their difference is what a round costs, and the rest is what a turn
costs once: for Signoff routing, retrieval, validation, the thread's register and the trace. The peer is
`langchain.agents.create_agent` with the stock `SqliteSaver` (WAL, synchronous=NORMAL like ours).
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


Run = Callable[[int], float]
"""Runs one turn of so many tool rounds on a new thread, and returns its seconds."""


def signoff_run(folder: Path) -> Run:
    """Signoff's turns."""
    model = ScriptedModel(lines=[])
    desk = Desk.open(folder / "home", model=model, tools=[look], max_rounds=50, max_prompt_tokens=10_000_000)

    def run(rounds: int) -> float:
        model.lines[:] = script(rounds)
        model._said = 0
        started = time.perf_counter()
        turn = desk.ask("how many parts are on the shelves?", caller=Caller("acme", "u-17"))
        seconds = time.perf_counter() - started
        assert turn.usage["rounds"] == rounds, turn
        return seconds

    return run


def peer_run(folder: Path) -> Run:
    """The same for LangChain's agent."""
    connection = sqlite3.connect(folder / "peer.db", check_same_thread=False)
    saver = SqliteSaver(connection)
    saver.setup()
    connection.execute("PRAGMA synchronous=NORMAL")
    model = ScriptedModel(lines=[])
    agent = create_agent(model, [peer_look], checkpointer=saver)
    count = [0]

    def run(rounds: int) -> float:
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


FEW, MANY = 5, 15


def main() -> None:
    """Print the medians and their ratios."""
    parser = argparse.ArgumentParser(description="Milliseconds per tool round, beside create_agent.")
    parser.add_argument("--runs", type=int, default=15)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        runs = {"signoff": signoff_run(Path(name)), "create_agent": peer_run(Path(name))}
        for run in runs.values():
            run(FEW)
        # In turn, so that whatever else the machine does falls on both alike.
        times = [{n: (run(FEW), run(MANY)) for n, run in runs.items()} for _ in range(asked.runs)]
    print(f"{'':14}{'a round':>12}{'a turn, once':>14}{f'a turn of {MANY}':>14}")
    figures = {}
    for name in runs:
        few, many = (statistics.median(t[name][i] for t in times) * 1000 for i in (0, 1))
        each = (many - few) / (MANY - FEW)
        figures[name] = (each, few - FEW * each, many)
        print(f"{name:14}{each:9.2f} ms{figures[name][1]:11.2f} ms{many:11.2f} ms")
    ours, peer = figures["signoff"], figures["create_agent"]
    print(f"{'ratio':14}{ours[0] / peer[0]:9.2f}{'':17}{ours[2] / peer[2]:11.2f}")


if __name__ == "__main__":
    main()
