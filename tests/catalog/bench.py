"""Runs a catalogue tool on real records as the gateway does: validated arguments, injected names, a transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.knowledge import Knowledge
from signoff.records import Database, Records
from signoff.records.sample import SAMPLE_NOW, seed
from signoff.settings import Settings
from signoff.text import language
from signoff.tools.catalog import service_tools
from signoff.tools.contract import CallInfo, Preview, Tool
from signoff.tools.results import Results, results_metadata

MINE = Caller("acme", "u-17")
OTHER = Caller("acme", "u-42")
TOOLS: dict[str, Tool] = {t.name: t for t in service_tools()}


class Bench:
    """Tools by name, on one home."""

    def __init__(self, home: Path, **settings: Any) -> None:
        self.database = Database(home / "desk.db")
        seed(self.database)
        self.database.create(results_metadata)
        self.clock = Clock(fixed=SAMPLE_NOW)
        self.settings = Settings(_env_file=None, **settings)
        self.records = Records(self.database, self.clock, self.settings)
        self.results = Results(self.database, self.clock, ttl_h=1.0)
        self.knowledge = Knowledge(home / "knowledge.db", self.clock)

    def run(self, name: str, caller: Caller = MINE, **args: Any) -> dict[str, Any]:
        """The tool's data, as JSON has it."""
        tool = TOOLS[name]
        known = self._injected(caller)
        if "tx" in tool.injects:
            with self.database.write() as tx:
                data = tool.fn(**self._args(tool, args), **self._pick(tool, known | {"tx": tx}))
        else:
            data = tool.fn(**self._args(tool, args), **self._pick(tool, known))
        ready: dict[str, Any] = json.loads(json.dumps(data))
        assert ready == data, "the data must be JSON-ready as it is"
        return ready

    def say(self, name: str, language: str, caller: Caller = MINE, **args: Any) -> str:
        """The result in words."""
        render = TOOLS[name].render
        assert render
        return render(self.run(name, caller, **args), language)

    def preview(self, name: str, caller: Caller = MINE, **args: Any) -> Preview:
        """The card of a call that was asked for in the language of its arguments."""
        tool = TOOLS[name]
        assert tool.preview
        known = self._injected(caller, language(" ".join(map(str, args.values()))))
        return tool.preview(**self._args(tool, args), **self._pick(tool, known))

    def dump(self) -> str:
        """The whole database as SQL."""
        connection = sqlite3.connect(self.database.path)
        try:
            return "\n".join(connection.iterdump())
        finally:
            connection.close()

    def _injected(self, caller: Caller, asked_in: str = "en") -> dict[str, Any]:
        return {
            "caller": caller,
            "clock": self.clock,
            "settings": self.settings,
            "call": CallInfo(thread="th", turn="tu", id="call-1", language=asked_in),
            "records": self.records,
            "knowledge": self.knowledge,
            "results": self.results,
        }

    @staticmethod
    def _args(tool: Tool, args: dict[str, Any]) -> dict[str, Any]:
        model = tool.args.model_validate(args)
        return {n: getattr(model, n) for n in tool.args.model_fields}

    @staticmethod
    def _pick(tool: Tool, known: dict[str, Any]) -> dict[str, Any]:
        return {n: known[n] for n in tool.injects if n in known}


def sample_bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    yield bench
    bench.database.close()
