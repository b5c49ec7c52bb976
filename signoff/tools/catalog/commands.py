"""The tool that runs a command: reads at once, everything else after a signature, nothing that the guard denies."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from signoff.caller import Caller
from signoff.errors import ConfigError, ToolError
from signoff.records import Records
from signoff.records.denials import Denials
from signoff.settings import Settings
from signoff.tools.catalog.command_card import card, render
from signoff.tools.catalog.wording import card_language
from signoff.tools.contract import CallInfo, Example, Preview, Risk, Tool
from signoff.tools.decorator import tool
from signoff.tools.envelope import Code
from signoff.tools.shell import Assessments, Bounds, Classifier, Guard, Kind, Verdict
from signoff.tools.shell.outcome import SandboxFailed
from signoff.tools.shell.patterns import MAX_CHARS
from signoff.tools.shell.runner import run
from signoff.tools.shell.sandbox import kind as confinement
from signoff.tools.workspace import Workspace

Command = Annotated[str, Field(min_length=1, max_length=MAX_CHARS)]
Reason = Annotated[str, Field(max_length=500)]

_ORDER = (Risk.READ, Risk.WRITE, Risk.CRITICAL)


def command_tools(guard: Guard | None = None, *, classifier: Classifier | None = None) -> list[Tool]:
    """`run_command` with a guard of its own, which asks `classifier` about commands that the rules do not know.

    Give a guard instead to share its breaker and its classifier's memory; `ConfigError` when both are given.
    """
    if guard is not None and classifier is not None:
        raise ConfigError("run_command takes a guard or a classifier: give the classifier to the guard.")
    desk = _CommandDesk(guard or Guard(classifier=classifier))

    @tool(
        risk=Risk.WRITE,
        effect="outside",
        injects=("settings", "workspace", "call", "caller", "records"),
        timeout_s=660.0,
        untrusted=True,
        assess=desk.assess,
        preview=desk.preview,
        render=render,
        examples=(
            Example("Run `ls -la` in the workspace", {"command": "ls -la"}),
            Example("运行命令 wc -l *.md", {"command": "wc -l *.md"}),
            Example(
                "Which Python files mention retry? Use grep",
                {"command": "grep -rln retry --include='*.py' .", "reason": "find the files that mention retry"},
            ),
            Example("用 du 看看哪个目录最大", {"command": "du -h --max-depth=1 . | sort -h"}),
            Example("在工作区执行 mkdir reports", {"command": "mkdir reports", "reason": "建立报告目录"}),
        ),
    )
    def run_command(
        command: Command,
        settings: Settings,
        workspace: Workspace | None,
        call: CallInfo,
        caller: Caller,
        records: Records,
        reason: Reason = "",
    ) -> dict[str, Any]:
        """Runs one shell command in the workspace and gives its exit code and output. A command that only reads the
        workspace (ls, cat, grep, find, wc, sort and the like, also in pipes) runs at once; any other waits for an
        approval of this exact command. Not for what another tool does (reading or writing workspace files,
        calculating, fetching a page, sending mail), not for commands nobody asked for, and never for passwords, keys
        or files outside the workspace: those are refused.

        Args:
            command: The command as it would be typed in bash, in plain spelling: no variables, no hidden characters.
            reason: Why it is needed, in one sentence; shown to the person who approves.
        """
        return desk.run(command, settings, workspace, call, caller, records)

    return [run_command]


class _CommandDesk:
    """What the tool's functions share."""

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self.assessments = Assessments()

    def assess(
        self,
        command: str,
        settings: Settings,
        workspace: Workspace | None,
        call: CallInfo,
        caller: Caller,
        records: Records,
        reason: str = "",
    ) -> Risk:
        """The risk of one command; raises `ToolError` when it is off, denied, or the breaker is open."""
        verdict = self._review(command, settings, workspace, call, caller, records)
        if resting := self.guard.breaker.rests_s(caller.tenant):
            raise _resting(resting)
        risk = _risk(verdict)
        self.assessments.note((caller.tenant, call.thread, call.id), command, risk)
        return risk

    def preview(
        self,
        command: str,
        settings: Settings,
        workspace: Workspace | None,
        call: CallInfo,
        caller: Caller,
        records: Records,
        reason: str = "",
    ) -> Preview:
        """The card of one command."""
        verdict = self._review(command, settings, workspace, call, caller, records)
        return card(
            command,
            verdict,
            Bounds.of(workspace) if workspace is not None else None,
            sandboxed=confinement() == "bubblewrap",
            reason=reason,
            lang=card_language(caller, call),
        )

    def run(
        self,
        command: str,
        settings: Settings,
        workspace: Workspace | None,
        call: CallInfo,
        caller: Caller,
        records: Records,
    ) -> dict[str, Any]:
        """Judge once more and run, as no more than what the call was assessed to be.

        A call is assessed just before it is run, and only one that was assessed a read comes here without an approval.
        """
        assessed = self.assessments.of((caller.tenant, call.thread, call.id), command)
        verdict = self._review(command, settings, workspace, call, caller, records)
        if assessed is None or _ORDER.index(_risk(verdict)) > _ORDER.index(assessed):
            raise ToolError(
                Code.CONFLICT,
                "This command may do more now than it was judged to do, so it was not run; it has to be judged again.",
                zh="该命令现在可能做的事超出了先前的判断,因此没有执行,需要重新判断。",
                hint="Say that it was not run; when it is asked for again, it is judged anew and may be approved.",
            )
        reads = verdict.decision == "allow"
        if waiting := self.guard.breaker.waiting_s(caller.tenant):
            raise _resting(waiting)
        # Nobody waits for a read longer than for its turn.
        timeout_s = min(settings.command_timeout_s, settings.max_work_s) if reads else settings.command_timeout_s
        try:
            with _folder(workspace) as folder:
                outcome = run(
                    command,
                    folder,
                    timeout_s=timeout_s,
                    memory_mb=settings.command_memory_mb,
                    writable=() if reads else Bounds.of(workspace).made() if workspace is not None else (folder,),
                    network=not reads and Kind.EGRESS in verdict.kinds,
                )
        except SandboxFailed as error:
            self.guard.breaker.failed(caller.tenant)
            raise ToolError(
                Code.SERVICE_UNAVAILABLE,
                f"The command could not be started ({error}); nothing was run.",
                zh=f"命令无法启动({error}),没有执行任何操作。",
                hint="Answer without it, and say that commands do not work at the moment.",
            ) from None
        if outcome.timed_out:
            self.guard.breaker.failed(caller.tenant)
            if not reads:
                raise ToolError(
                    Code.TIMEOUT,
                    f"The command was stopped after {timeout_s:g} s; a part of its work may have been done.",
                    zh=f"命令运行超过 {timeout_s:g} 秒后被终止,可能已完成一部分。",
                    hint="Say that it was stopped, and look with a read at what it did.",
                )
        else:
            self.guard.breaker.worked(caller.tenant)
        return {
            "command": command,
            "exit_code": outcome.exit_code,
            "stdout": outcome.stdout,
            "stderr": outcome.stderr,
            "truncated": outcome.truncated,
            "timed_out": outcome.timed_out,
            "sandbox": outcome.sandbox,
            "seconds": outcome.seconds,
            "source": "run_command",
        }

    def _review(
        self,
        command: str,
        settings: Settings,
        workspace: Workspace | None,
        call: CallInfo,
        caller: Caller,
        records: Records,
    ) -> Verdict:
        if not settings.commands:
            raise ToolError(
                Code.FORBIDDEN,
                "Commands are switched off here; the operator can switch them on with SIGNOFF_COMMANDS=true.",
                zh="此处未开启命令执行,管理员可以设置 SIGNOFF_COMMANDS=true 开启。",
                hint="Answer without it, or use another tool.",
            )
        verdict = self.guard.review(
            command,
            tenant=caller.tenant,
            thread=call.thread,
            call=call.id,
            denials=Denials(records.database),
            bounds=Bounds.of(workspace) if workspace is not None else None,
            sandboxed=confinement() == "bubblewrap",
        )
        if denied := verdict.denials[:3]:
            raise ToolError(
                Code.FORBIDDEN,
                f"This command is never run: {'; '.join(f.en for f in denied)}.",
                zh=f"该命令不会被执行:{'; '.join(f.zh for f in denied)}。",
                hint="Do not try it in another spelling. Say that it was refused and why.",
            )
        return verdict


def _risk(verdict: Verdict) -> Risk:
    if verdict.decision == "allow":
        return Risk.READ
    return Risk.CRITICAL if verdict.critical else Risk.WRITE


@contextmanager
def _folder(workspace: Workspace | None) -> Iterator[Path]:
    """The workspace, or an empty folder that is gone afterwards."""
    if workspace is not None:
        root = Path(workspace.root)
        if not root.is_dir():
            raise ToolError(
                Code.NOT_FOUND,
                "The workspace's folder is not there; the operator has to set SIGNOFF_WORKSPACE to one that is.",
                zh="工作区目录不存在,管理员需要把 SIGNOFF_WORKSPACE 设为存在的目录。",
            )
        yield root
        return
    with tempfile.TemporaryDirectory(prefix="signoff-workspace-", ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


def _resting(waiting: float) -> ToolError:
    seconds = max(1, round(waiting))
    return ToolError(
        Code.SERVICE_UNAVAILABLE,
        f"Commands failed several times in a row and rest for {seconds} s.",
        zh=f"命令连续多次失败,暂停 {seconds} 秒。",
        hint="Answer without it, or try again later.",
        retryable=True,
    )
