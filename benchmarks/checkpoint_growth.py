"""How a thread's checkpoints grow with its turns, and how long a read takes: ours beside plain `add_messages`.

    python benchmarks/checkpoint_growth.py --turns 500

Both columns run the same scripted graph with the same nodes and messages: a question, a tool call, its result
and an answer a turn. Ours is Signoff's state with its saver; plain is an `add_messages` channel with
LangGraph's own `SqliteSaver`. The fresh read is one `get_state` in a new process that has only the file.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

from signoff.checkpoints import history, open_saver
from signoff.settings import Settings
from signoff.state import AgentState, TurnInput, message_id

CONFIG: Any = {"configurable": {"thread_id": "growth"}}
STATUSES = ("paid", "packed", "in transit", "delivered", "signed for")


class PlainState(TypedDict, total=False):
    """The same channels without a delta channel."""

    messages: Annotated[list[AnyMessage], add_messages]
    turn: dict[str, Any]
    evidence: list[Any]
    status: str
    answer: str
    citations: list[Any]
    approvals: list[str]
    version: str


def order(state: Any) -> str:
    return f"A{1000 + len(state['messages']) % 97}"


def route(state: Any) -> dict[str, Any]:
    question = state["messages"][-1].content
    turn = {
        "id": message_id(),
        "question": question,
        "language": "zh",
        "intents": [{"text": question, "kind": "task", "tools": ["query_order"], "confidence": 0.9, "after": []}],
        "knowledge": True,
        "tools": ["query_order", "list_my_orders", "query_logistics", "check_refund", "search_knowledge"],
        "recorded": len(state["messages"]),
        "rounds": 0,
        "model_calls": 0,
        "tool_calls": 0,
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "work_s": 0.0,
        "seen": {},
        "repairs": {},
        "validations": 0,
        "findings": [],
        "limit": None,
        "error": None,
        "tainted": [],
    }
    return {"turn": turn, "status": "running", "answer": "", "citations": [], "approvals": [], "version": "1"}


def retrieve(state: Any) -> dict[str, Any]:
    passage = f"退货政策：签收之日起 7 天内无理由退货，退款退回原支付账户。第 {len(state['messages'])} 条。" * 4
    evidence = [
        {
            "n": n,
            "passage": f"returns#{n}",
            "title": "退货政策",
            "place": "退货 > 期限",
            "source": "returns.md",
            "version": "2026-09",
            "trusted": True,
            "text": passage,
        }
        for n in (1, 2, 3)
    ]
    return {"evidence": evidence}


def agent(state: Any) -> dict[str, Any]:
    usage = {"input_tokens": 900, "output_tokens": 60, "total_tokens": 960}
    turn = {**state["turn"], "model_calls": state["turn"]["model_calls"] + 1}
    if isinstance(state["messages"][-1], HumanMessage):
        call = {"name": "query_order", "args": {"order_id": order(state)}, "id": f"call_{message_id()}"}
        said = AIMessage("", id=message_id(), tool_calls=[call], usage_metadata=usage)
    else:
        words = f"订单 {order(state)} 已签收，金额 299.00 元，签收日期 2026-10-22；签收后 7 天内可以退货 [1]。"
        said = AIMessage(words, id=message_id(), usage_metadata=usage)
    return {"messages": [said], "turn": turn}


def tools(state: Any) -> dict[str, Any]:
    call = state["messages"][-1].tool_calls[0]
    n = len(state["messages"])
    data = {
        "order_id": call["args"]["order_id"],
        "amount_yuan": f"{n % 900}.90",
        "status": STATUSES[n % 5],
        "placed_at": f"2026-10-{n % 28 + 1:02}T10:00:00+08:00",
        "items": [{"name": "Desk lamp", "quantity": n % 3 + 1, "sku": message_id()[:12]}],
        "address": f"上海市浦东新区世纪大道 {n} 号",
    }
    envelope = {"ok": True, "data": data, "error": None, "metadata": {"source": "orders", "took_ms": n % 40}}
    result = ToolMessage(json.dumps(envelope, ensure_ascii=False), tool_call_id=call["id"], id=message_id())
    turn = {**state["turn"], "tool_calls": 1, "rounds": 1, "seen": {f"query_order({call['args']})": 1}}
    return {"messages": [result], "turn": turn}


def write_tools(state: Any) -> dict[str, Any]:
    return {"turn": {**state["turn"], "work_s": 0.2}}


def validate(state: Any) -> dict[str, Any]:
    cited = [{k: v for k, v in e.items() if k not in ("trusted", "text")} for e in state["evidence"][:1]]
    return {"status": "done", "answer": state["messages"][-1].content, "citations": cited}


def build(state: Any, saver: Any, given: Any = None) -> Any:
    """The scripted graph on a saver."""
    builder = StateGraph(state, input_schema=given)
    for node in (route, retrieve, agent, tools, write_tools, validate):
        builder.add_node(node.__name__, node)
    builder.add_edge(START, "route")
    builder.add_edge("route", "retrieve")
    builder.add_edge("retrieve", "agent")
    builder.add_conditional_edges("agent", lambda s: "tools" if s["messages"][-1].tool_calls else "validate")
    builder.add_edge("tools", "write_tools")
    builder.add_edge("write_tools", "agent")
    builder.add_edge("validate", END)
    return builder.compile(checkpointer=saver)


def ours(home: Path) -> tuple[Any, Path]:
    settings = Settings(home=home)
    return build(AgentState, open_saver(settings), TurnInput), settings.database("threads")


def plain(home: Path) -> tuple[Any, Path]:
    path = home / "plain.db"
    connection = sqlite3.connect(path, check_same_thread=False)
    saver = SqliteSaver(connection)
    saver.setup()
    connection.execute("PRAGMA synchronous=NORMAL")
    return build(PlainState, saver), path


SAVERS: dict[str, Callable[[Path], tuple[Any, Path]]] = {"ours": ours, "plain": plain}


def file_bytes(path: Path) -> int:
    """Bytes of the database, its log folded in."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.stat().st_size


def timed_ms(read: Callable[[], Any]) -> float:
    started = time.perf_counter()
    read()
    return (time.perf_counter() - started) * 1000


def fresh_ms(name: str, home: Path) -> float:
    """`get_state` in a new process."""
    ran = subprocess.run(
        [sys.executable, __file__, "--read", name, str(home)], capture_output=True, text=True, check=True
    )
    return float(ran.stdout)


def measure(name: str, turns: int, home: Path) -> dict[str, float]:
    graph, path = SAVERS[name](home)
    sizes = [file_bytes(path)]
    seconds = []
    for half in (turns // 2, turns - turns // 2):
        started = time.perf_counter()
        for n in range(half):
            question = f"订单 A{1000 + n % 97} 现在是什么状态？第 {len(sizes)}-{n} 次问"
            graph.invoke({"messages": [HumanMessage(question, id=message_id())]}, CONFIG)
        seconds.append(time.perf_counter() - started)
        sizes.append(file_bytes(path))
    first, second = (sizes[1] - sizes[0]) / (turns // 2), (sizes[2] - sizes[1]) / (turns - turns // 2)
    return {
        "file MB": sizes[2] / 1e6,
        "KB a turn, first half": first / 1024,
        "KB a turn, second half": second / 1024,
        "second half / first half": second / first,
        "ms a turn, first half": seconds[0] * 1000 / (turns // 2),
        "ms a turn, second half": seconds[1] * 1000 / (turns - turns // 2),
        "get_state ms, same process": min(timed_ms(lambda: graph.get_state(CONFIG)) for _ in range(5)),
        "get_state ms, fresh process": min(fresh_ms(name, home) for _ in range(3)),
        "20 steps of get_state_history, ms": timed_ms(lambda: list(graph.get_state_history(CONFIG, limit=20))),
        "20 steps of history, ms": timed_ms(lambda: history(graph, "growth")) if name == "ours" else float("nan"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=500, help="turns with a tool call on one thread (default 500)")
    parser.add_argument("--plain-turns", type=int, help="turns for the plain column (default: the same)")
    parser.add_argument("--read", nargs=2, metavar=("NAME", "HOME"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        graph, _ = SAVERS[options.read[0]](Path(options.read[1]))
        print(timed_ms(lambda: graph.get_state(CONFIG)))
        return
    if options.turns < 4:
        parser.error("--turns must be at least 4")
    with tempfile.TemporaryDirectory() as folder:
        columns = {}
        for name in SAVERS:
            turns = options.turns if name == "ours" else options.plain_turns or options.turns
            home = Path(folder) / name
            home.mkdir()
            columns[f"{name}, {turns} turns"] = measure(name, turns, home)
    print("".ljust(34), *(c.rjust(20) for c in columns))
    for row in next(iter(columns.values())):
        print(row.ljust(34), *(f"{c[row]:20.2f}" for c in columns.values()))


if __name__ == "__main__":
    main()
