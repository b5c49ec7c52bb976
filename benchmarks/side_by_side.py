"""Seconds of a turn whose reads take a second each: side by side, one by one, and begun while the model still speaks.

    python benchmarks/side_by_side.py [--runs 3]

Three questions, each asked of Signoff and of LangChain's agent in one process, in turn, with the same streaming
model and tools that sleep:

- `three reads`: three reads of 1 s in one message that comes at once.
- `streamed`: the same three, each call 0.4 s in coming. The last one ends the message, so nothing can begin before
  it that would end later: there is nothing to be saved.
- `then a long call`: one read of 1 s, then a call whose arguments are 1.2 s in coming. The read is over by then.

`one by one` is Signoff with `parallel_reads=1`; `not ahead` is Signoff whose reads wait for the whole message. The
peer is `langchain.agents.create_agent`, whose `ToolNode` runs the calls of a message in threads.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import tool as langchain_tool

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from envelopes import bare
from streamed import StreamedModel, fragment, whole

from signoff import Caller, Desk, tool

READ_S = 1.0
CALL_S = 0.4
LONG_S = 1.2
QUESTION = "look on all the shelves"
ANSWER = ["There are parts on the shelves."]


@tool
def look(shelf: int) -> dict[str, int]:
    """Says how many parts lie on a shelf."""
    time.sleep(READ_S)
    return {"shelf": shelf, "parts": shelf * 3}


@tool
def note(words: str) -> dict[str, int]:
    """Counts the words of a long note."""
    return {"words": len(words.split())}


@langchain_tool("look")
def peer_look(shelf: int) -> dict[str, int]:
    """Says how many parts lie on a shelf."""
    time.sleep(READ_S)
    return {"shelf": shelf, "parts": shelf * 3}


@langchain_tool("note")
def peer_note(words: str) -> dict[str, int]:
    """Counts the words of a long note."""
    return {"words": len(words.split())}


def pause(seconds: float) -> Callable[[], None]:
    return lambda: time.sleep(seconds)


def _long_call(index: int) -> list[Any]:
    pieces: list[Any] = [fragment(index, name="note", id="long"), fragment(index, args='{"words": "')]
    for _ in range(6):
        pieces += [pause(LONG_S / 6), fragment(index, args="and so on ")]
    return [*pieces, fragment(index, args='"}')]


SCRIPTS: dict[str, list[Any]] = {
    "three reads": [whole(n, "look", shelf=n) for n in range(3)],
    "streamed": [piece for n in range(3) for piece in (pause(CALL_S), whole(n, "look", shelf=n))],
    "then a long call": [whole(0, "look", shelf=0), *_long_call(1)],
}
CALLS = {"three reads": 3, "streamed": 3, "then a long call": 2}

Run = Callable[[str], float]
"""Asks one of the questions and returns the turn's seconds."""


def signoff_run(folder: Path, *, ahead: bool = True, **options: Any) -> Run:
    """Signoff's turns."""
    folder.mkdir()
    model = StreamedModel(answers=[])
    desk = Desk.open(folder / "home", desk=bare(folder), model=model, tools=[look, note], **options)
    if not ahead:
        desk.services.gateway.begin = lambda *_, **__: None  # type: ignore[method-assign]

    def run(script: str) -> float:
        model.answers[:], model._said = [SCRIPTS[script], ANSWER], 0
        started = time.perf_counter()
        turn = desk.ask(QUESTION, caller=Caller("acme", "u-17"))
        seconds = time.perf_counter() - started
        assert [s.outcome for s in turn.steps] == ["ok"] * CALLS[script], turn
        return seconds

    return run


def peer_run() -> Run:
    """The same for LangChain's agent."""
    model = StreamedModel(answers=[])
    agent: Any = create_agent(model, [peer_look, peer_note])

    def run(script: str) -> float:
        model.answers[:], model._said = [SCRIPTS[script], ANSWER], 0
        started = time.perf_counter()
        state = agent.invoke({"messages": [("user", QUESTION)]})
        seconds = time.perf_counter() - started
        assert len(state["messages"]) == CALLS[script] + 3
        return seconds

    return run


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser(description="Reads side by side and ahead of the message's end.")
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        runs = {
            "signoff": signoff_run(Path(name, "signoff")),
            "  not ahead": signoff_run(Path(name, "whole"), ahead=False),
            "  one by one": signoff_run(Path(name, "single"), parallel_reads=1),
            "create_agent": peer_run(),
        }
        for run in runs.values():
            run("three reads")
        # In turn, so that whatever else the machine does falls on all alike.
        times = [{n: {s: run(s) for s in SCRIPTS} for n, run in runs.items()} for _ in range(asked.runs)]
    print(f"{'':14}" + "".join(f"{s:>20}" for s in SCRIPTS))
    median = {n: {s: statistics.median(t[n][s] for t in times) for s in SCRIPTS} for n in runs}
    for n in runs:
        print(f"{n:14}" + "".join(f"{median[n][s]:18.2f} s" for s in SCRIPTS))
    saved = {s: median["create_agent"][s] - median["signoff"][s] for s in SCRIPTS}
    print(f"{'saved':14}" + "".join(f"{saved[s]:18.2f} s" for s in SCRIPTS))


if __name__ == "__main__":
    main()
