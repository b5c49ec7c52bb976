"""Runs the weekly desk's tools on a real folder as the gateway does: validated arguments, injected names."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from pathlib import Path
from typing import Any

from signoff.caller import Caller
from signoff.clock import Clock
from signoff.desks.workspace_sample import make_sample
from signoff.tools.catalog.weekly import weekly_tools
from signoff.tools.contract import CallInfo, Preview
from signoff.tools.workspace import Mode, Workspace

NOW = datetime.fromisoformat("2026-10-31T10:00:00+08:00")
REPORT = """# 2026-W42 周报

## 进展

共 12 个议题,完成 7 个,未完成 5 个。

## 预算

apollo 已花 18,420.50,预算 25000,占 73.7%。

## 下周

1. 支付回调全量上线。
2. 第二轮迁移演练,回滚不超过 10 分钟。
"""


class WeeklyBench:
    """The sample workspace, its tools by name, and what a turn has found so far."""

    def __init__(self, folder: Path, mode: Mode = "write", now: datetime = NOW) -> None:
        self.folder = make_sample(folder) if not folder.exists() else folder
        self.workspace = Workspace(self.folder, mode)
        self.tools = {t.name: t for t in weekly_tools(self.workspace)}
        self.clock = Clock(fixed=now)
        self.found: list[str] = []

    def run(self, name: str, **args: Any) -> dict[str, Any]:
        """The tool's data, as JSON has it; what a read gives is kept as found."""
        data = self.tools[name].fn(**self._arguments(name, args))
        ready: dict[str, Any] = json.loads(json.dumps(data))
        assert ready == data, "the data must be JSON-ready as it is"
        if name != "write_report":
            self.found.append(json.dumps({"ok": True, "data": ready}, ensure_ascii=False))
        return ready

    def say(self, name: str, lang: str, **args: Any) -> str:
        """The result in words."""
        render = self.tools[name].render
        assert render
        return render(self.run(name, **args), lang)

    def preview(self, language: str = "en", **args: Any) -> Preview:
        """The card of a `write_report` call."""
        preview = self.tools["write_report"].preview
        assert preview
        return preview(**self._arguments("write_report", {"week": "2026-W42", "content": REPORT} | args, language))

    def write(self, **args: Any) -> dict[str, Any]:
        """A `write_report` call as it runs after an approval."""
        return self.run("write_report", **({"week": "2026-W42", "content": REPORT} | args))

    def reconcile(self, **args: Any) -> Any:
        """What became of a claimed `write_report` call."""
        reconcile = self.tools["write_report"].reconcile
        assert reconcile
        return reconcile(**self._arguments("write_report", {"week": "2026-W42", "content": REPORT} | args))

    def put(self, name: str, text: str) -> None:
        """Another text in one of the folder's files."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def card(self, language: str = "en", **args: Any) -> dict[str, tuple[str | None, str | None]]:
        """The card's lines by field."""
        return {c.field: (c.before, c.after) for c in self.preview(language, **args).changes}

    def _arguments(self, name: str, args: dict[str, Any], language: str = "en") -> dict[str, Any]:
        tool = self.tools[name]
        model = tool.args.model_validate(args)
        known = {
            "workspace": self.workspace,
            "clock": self.clock,
            "caller": Caller("acme", "u-17"),
            "call": CallInfo(thread="th", turn="tu", id="c-1", language=language, found=tuple(self.found)),
        }
        return {n: getattr(model, n) for n in tool.args.model_fields} | {n: known[n] for n in tool.injects}


def snapshot(folder: Path) -> dict[str, str]:
    """Every file and link below a folder with its content's digest."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found
