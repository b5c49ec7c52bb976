"""`run_command` with what the gateway injects, and a real `desk.db`."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.records import Records
from signoff.records.database import Database
from signoff.records.denials import denials_metadata
from signoff.settings import Settings
from signoff.tools.catalog.commands import command_tools
from signoff.tools.contract import CallInfo, Preview, Risk
from signoff.tools.shell.sandbox import kind
from signoff.tools.workspace import Workspace

needs_bubblewrap = pytest.mark.skipif(kind() == "none", reason="bubblewrap is missing or may not make namespaces here")
CALLS = itertools.count()


class Bench:
    """The tool on one workspace; `home` is where `desk.db` goes, beside the workspace when not given."""

    def __init__(
        self,
        root: Path | None,
        *,
        home: Path | None = None,
        guard: Any = None,
        classifier: Any = None,
        mode: Any = "write",
        writable: tuple[str, ...] = ("reports",),
        **settings: Any,
    ) -> None:
        (self.tool,) = command_tools(guard, classifier=classifier)
        self.root = root or Path("/nonexistent")
        self.settings = Settings(_env_file=None, **{"commands": True, **settings})
        self.workspace = Workspace(root, mode, writable) if root else None
        database = Database((home or self.root.parent) / "desk.db")
        database.create(denials_metadata)
        self.records = Records(database, Clock("Asia/Shanghai"), self.settings)

    def again(self) -> Bench:
        """The same desk in another process: nothing is shared but the files."""
        other = object.__new__(Bench)
        other.__dict__.update(self.__dict__)
        (other.tool,) = command_tools()
        return other

    def _given(self, command: str, call: str, language: str, **args: Any) -> dict[str, Any]:
        info = CallInfo(thread="th", turn="tu", id=call or f"call-{next(CALLS)}", language=language)
        known = {
            "settings": self.settings,
            "workspace": self.workspace,
            "call": info,
            "caller": Caller("acme", "u-17"),
            "records": self.records,
        }
        return {**self.tool.args(command=command, **args).model_dump(), **known}

    def assess(self, command: str, *, call: str = "") -> Risk:
        """What the gateway asks before each run."""
        assert self.tool.assess
        return self.tool.assess(**self._given(command, call, "en"))

    def preview(self, command: str, language: str = "en", **args: Any) -> Preview:
        """The card."""
        assert self.tool.preview
        return self.tool.preview(**self._given(command, "", language, **args))

    def perform(self, command: str, *, call: str) -> dict[str, Any]:
        """The function alone."""
        data: dict[str, Any] = self.tool.fn(**self._given(command, call, "en"))
        return data

    def run(self, command: str) -> dict[str, Any]:
        """A call as it is made by itself, or after its approval."""
        call = f"call-{next(CALLS)}"
        self.assess(command, call=call)
        return self.perform(command, call=call)
