"""Where commands may write: nowhere in a workspace that is open for reading, else below its writable folders."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from signoff.tools import descriptors
from signoff.tools.shell.paths import within
from signoff.tools.shell.verdict import Kind, Verdict, ask, deny
from signoff.tools.workspace import Workspace


@dataclass(frozen=True)
class Bounds:
    """The part of a workspace that commands may change."""

    root: Path
    """The workspace, resolved."""
    writable: tuple[str, ...] = ()
    """Names of the folders in it that may be written to."""
    readonly: bool = False
    """Whether it is open for reading only: then whatever does not only read is denied."""

    @classmethod
    def of(cls, workspace: Workspace) -> Bounds:
        """Those of a workspace."""
        readonly = workspace.mode != "write"
        return cls(Path(workspace.root), () if readonly else tuple(workspace.writable), readonly)

    @property
    def places(self) -> str:
        """The writable folders in words, such as `reports/`; empty when there is none."""
        return ", ".join(f"{name}/" for name in self.writable)

    def judge(self, verdict: Verdict, *, sandboxed: bool) -> Verdict:
        """The verdict with what stands against where the command writes.

        What is known to write elsewhere is denied. Where a command writes cannot always be told; in the sandbox that
        does no harm, since nothing else can be written to there, and without one somebody else has to approve.
        """
        if verdict.decision != "ask":
            return verdict
        if self.readonly:
            return verdict.but(
                deny(
                    Kind.PLACE,
                    "this workspace is open for reading only, and the command does more",
                    "这个工作区以只读方式打开,而该命令不只是读取",
                )
            )
        outside = next(
            (several[0] for c in verdict.commands for several in c.paths if self._out(several, sandboxed)), ""
        )
        if outside:
            shown = os.path.relpath(outside, self.root) if within(outside, str(self.root)) else outside
            return verdict.but(
                deny(
                    Kind.PLACE,
                    f"it writes to {shown}, and only {self.places or 'no folder'} may be written to",
                    f"它会写入 {shown},而只能写入 {self.places or '(没有可写目录)'}",
                )
            )
        if sandboxed or self.certain(verdict):
            return verdict
        return verdict.but(
            ask(
                Kind.PLACE,
                "where it writes is not certain, and nothing confines it here",
                "无法确定它会写入哪里,而这里没有隔离",
            )
        )

    def certain(self, verdict: Verdict) -> bool:
        """Whether everything the command writes is known to be below a writable folder."""
        return not verdict.general and all(
            c.certain and all(self._in(path) for several in c.paths for path in several) for c in verdict.commands
        )

    def made(self) -> tuple[Path, ...]:
        """The writable folders, made where they are missing. Raises `ToolError` for one that is a link or no folder."""
        return tuple(self._made(name) for name in self.writable)

    def _made(self, name: str) -> Path:
        parts = descriptors.parts_of(name)
        with descriptors.failing(name, "written", "写入"), ExitStack() as opened:
            fd = os.open(self.root, descriptors.FOLDER)
            opened.callback(os.close, fd)
            for part in parts:
                fd = descriptors.step(fd, part, name, True)
                opened.callback(os.close, fd)
        return self.root.joinpath(*parts)

    def _in(self, path: str) -> bool:
        return any(within(path, str(self.root.joinpath(*name.split("/")))) for name in self.writable)

    def _out(self, several: tuple[str, ...], sandboxed: bool) -> bool:
        """Whether a file is none that may be written to, whichever of the paths it is."""
        own = [p for p in several if sandboxed and within(p, "/tmp") and not within(p, str(self.root))]
        return not own and not any(self._in(path) for path in several)
